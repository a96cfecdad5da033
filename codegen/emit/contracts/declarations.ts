/** One run of json-schema-to-typescript over many shapes, split into one declaration per name. */
import { compile } from 'json-schema-to-typescript';
import { objectOf } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Lookup, Node } from '../../canonical/node.ts';
import { indent } from './indent.ts';
import { typeView } from './type-view.ts';
import type { View } from './type-view.ts';

export interface Wanted {
  readonly typeName: string;
  readonly node: Node;
  readonly view: View;
  readonly description?: string;
}

export interface Declaration {
  readonly typeName: string;
  readonly text: string;
  /** Other named types the declaration mentions. */
  readonly mentions: readonly string[];
}

const BUNDLE = 'BundleOfShapes';
const HEADER = /^export (interface|type) Shape(\d+)Of\b/u;

/**
 * Every shape gets a working title that the emitter cannot change, and its own name afterwards. Shapes mention each
 * other by name only, so no shape is ever copied and none is numbered.
 */
export async function declareTypes(wanted: readonly Wanted[], lookup: Lookup): Promise<readonly Declaration[]> {
  if (wanted.length === 0) return [];
  const mentions = wanted.map(() => new Set<string>());
  const properties = objectOf(
    wanted.map(({ node, view, description }, index) => {
      const mention = (name: string): void => void mentions[index]?.add(name);
      const schema = typeView(description === undefined ? node : { ...node, notes: { ...node.notes, description } }, {
        view,
        lookup,
        mention,
      });
      return [`shape${index}`, { ...protectNames(schema), title: `Shape${index}Of` }];
    }),
  );
  // because the package describes draft-04 input and the bundle is its own dialect with `tsType`
  const bundle = {
    title: BUNDLE,
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  } as Parameters<typeof compile>[0];
  const text = await compile(bundle, BUNDLE, {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    unknownAny: true,
    $refOptions: { resolve: { external: false } },
  });
  const texts = split(text);
  return wanted.map(({ typeName }, index) => {
    const declared = texts.get(index);
    if (declared === undefined) throw new Error(`no type was declared for ${typeName}`);
    const own = declared.replace(/^export (interface|type) Shape\d+Of/mu, `export $1 ${typeName}`);
    return {
      typeName,
      text: indent(restoreNames(own)),
      mentions: [...(mentions[index] ?? [])].filter((name) => name !== typeName).sort(),
    };
  });
}

/** Comment and declaration of each shape, by its number. */
function split(text: string): Map<number, string> {
  const parts = new Map<number, string>();
  let comment: string[] = [];
  let current: { readonly index: number; readonly lines: string[] } | undefined;
  const flush = (): void => {
    if (current !== undefined && current.index >= 0) parts.set(current.index, current.lines.join('\n').trimEnd());
    current = undefined;
  };
  const lines = text.split('\n');
  for (const [position, line] of lines.entries()) {
    const header = HEADER.exec(line);
    if (header !== null || line.startsWith(`export interface ${BUNDLE}`)) {
      flush();
      current = { index: header === null ? -1 : Number(header[2]), lines: [...comment, line] };
      comment = [];
    } else if (startsOuterComment(lines, position) || comment.length > 0) {
      if (comment.length === 0) flush();
      comment.push(line);
    } else {
      current?.lines.push(line);
    }
  }
  flush();
  return parts;
}

/** A comment that stands before the next declaration rather than before a member. */
function startsOuterComment(lines: readonly string[], position: number): boolean {
  if (lines[position] !== '/**') return false;
  const end = lines.indexOf(' */', position);
  return end > position && /^export (interface|type) /u.test(lines[end + 1] ?? '');
}

const GUARD = 'member_of_the_contract_called_';

/** Members called like a schema keyword would be read as that keyword by the emitter; they travel under another name. */
function protectNames(schema: JsonObject): JsonObject {
  return objectOf(
    Object.entries(schema).map(([key, value]) => {
      if (Array.isArray(value))
        return [
          key,
          key === 'enum' || key === 'required'
            ? value.map((one) => guard(key, one))
            : value.map((one) => (isObject(one) ? protectNames(one) : one)),
        ];
      if (!isObject(value)) return [key, value];
      if (key !== 'properties') return [key, protectNames(value)];
      return [
        key,
        objectOf(
          Object.entries(value).map(([name, child]) => [
            GUARD + hex(name),
            isObject(child) ? protectNames(child) : child,
          ]),
        ),
      ];
    }),
  );
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function guard<T>(keyword: string, value: T): T | string {
  return keyword === 'required' && typeof value === 'string' ? GUARD + hex(value) : value;
}

const hex = (name: string): string => Buffer.from(name, 'utf8').toString('hex');

function restoreNames(text: string): string {
  const printable = text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return printable.replaceAll(new RegExp(`^${GUARD}([0-9a-f]*)(\\??:)`, 'gmu'), (_, code: string, mark: string) => {
    const name = Buffer.from(code, 'hex').toString('utf8');
    return (/^[A-Za-z_$][\w$]*$/u.test(name) ? name : JSON.stringify(name)) + mark;
  });
}
