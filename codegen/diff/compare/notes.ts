/** Differences that no validator sees: prose, defaults, tags of meaning, and members that went quietly. */
import { isJsonArray, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { JsonSchema, JsonValue } from '../../model/types.ts';
import type { Verdict } from '../rules/rule.ts';
import { same } from '../scene.ts';

export interface Note {
  /** The rule without its direction. */
  readonly change: string;
  readonly path: string;
  readonly message: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly verdict?: Verdict;
}

interface Context {
  readonly direction: 'in' | 'out';
  readonly roots: { readonly before: JsonSchema; readonly after: JsonSchema };
  readonly fillsDefaults: boolean;
  readonly found: Note[];
}

interface Nodes {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly path: string;
}

const MEANING = ['unit', 'id_kind'] as const;
/** Words by which a description binds, counts or measures. */
const BINDING =
  /\b(?:must|only|never|always|required|at most|at least|seconds?|milliseconds?|bytes?|usd|utc|rfc|iso)\b/giu;

export function noteSchemas(
  before: JsonSchema,
  after: JsonSchema,
  { direction, fillsDefaults }: Pick<Context, 'direction' | 'fillsDefaults'>,
): Note[] {
  const context: Context = { direction, fillsDefaults, roots: { before, after }, found: [] };
  walk(before, after, '', [], context);
  return context.found;
}

function walk(before: JsonValue, after: JsonValue, path: string, trail: readonly string[], context: Context): void {
  const [was, is] = [resolve(before, context.roots.before), resolve(after, context.roots.after)];
  if (was === undefined || is === undefined) return;
  const key = `${references(before)} ${references(after)}`;
  if (key !== ' ' && trail.includes(key)) return;
  const inner = key === ' ' ? trail : [...trail, key];
  const nodes = { before: was, after: is, path };
  noteNode(nodes, context);
  noteMembers(nodes, context);
  for (const keyword of ['properties', 'patternProperties', '$defs'] as const) {
    if (keyword === '$defs') continue;
    const [old, now] = [record(was, keyword), record(is, keyword)];
    for (const [name, one] of Object.entries(old)) {
      const other = Object.hasOwn(now, name) ? now[name] : undefined;
      if (other !== undefined) walk(one, other, `${path}/${keyword}/${escape(name)}`, inner, context);
    }
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const [old, now] = [was[keyword], is[keyword]];
    if (isJsonObject(old) && isJsonObject(now)) walk(old, now, `${path}/${keyword}`, inner, context);
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const [old, now] = [was[keyword], is[keyword]];
    if (!isJsonArray(old) || !isJsonArray(now) || old.length !== now.length) continue;
    for (const [at, one] of old.entries()) walk(one, now[at] ?? true, `${path}/${keyword}/${at}`, inner, context);
  }
}

function noteNode({ before, after, path }: Nodes, { direction, found, fillsDefaults }: Context): void {
  const note = (change: string, message: string, more: Partial<Note> = {}): void => {
    found.push({ change, path, message, ...more });
  };
  const ends = (keyword: string): Partial<Note> => ({ before: before[keyword] ?? null, after: after[keyword] ?? null });
  if (direction === 'in' && !same(before['default'], after['default'])) {
    const how = before['default'] === undefined ? 'added' : after['default'] === undefined ? 'removed' : 'changed';
    const message = `Leaving it out means ${told(after['default'])} instead of ${told(before['default'])}.`;
    // A server that fills nothing in tells its default as advice; what omission means to it is not known.
    note(`default-${how}`, message, { ...ends('default'), ...(fillsDefaults ? {} : { verdict: 'notice' as const }) });
  }
  for (const keyword of MEANING) {
    if (same(before[keyword], after[keyword])) continue;
    // A tag that is new states what was so before; only another one changes the meaning.
    if (before[keyword] === undefined) continue;
    const message = `The ${keyword.replace('_', ' ')} was ${told(before[keyword])} and is ${told(after[keyword])}.`;
    note('meaning-tag-changed', message, ends(keyword));
  }
  if (before['sensitive'] !== after['sensitive']) {
    const added = after['sensitive'] === true;
    const message = added ? 'The value is masked from here on.' : 'The value is no longer masked.';
    note(added ? 'sensitive-mark-added' : 'sensitive-mark-removed', message);
  }
  const [header, now] = [before['x-mcp-header'], after['x-mcp-header']];
  if (!same(header, now)) {
    const how = header === undefined ? 'added' : now === undefined ? 'removed' : 'renamed';
    note(`header-mirror-${how}`, `The header was ${told(header)} and is ${told(now)}.`, ends('x-mcp-header'));
  }
  noteGrowth({ before, after, path }, note, direction);
  noteProse({ before, after, path }, note, direction);
  if (
    !same(before['contentMediaType'], after['contentMediaType']) ||
    !same(before['contentEncoding'], after['contentEncoding'])
  ) {
    const message = 'The content of the text is encoded in another way.';
    note('content-encoding-or-media-type-changed', message, ends('contentMediaType'));
  }
}

type Noting = (change: string, message: string, more?: Partial<Note>) => void;

function noteGrowth({ before, after }: Nodes, note: Noting, direction: 'in' | 'out'): void {
  const [old, now] = [before['enum'], after['enum']];
  if (direction === 'in' || before['extensible'] !== true || !isJsonArray(old) || !isJsonArray(now)) return;
  const gained = now.filter((value) => !old.some((one) => same(one, value)));
  if (gained.length === 0) return;
  const message = `Results may hold ${gained.map(told).join(', ')}; the list was said to grow.`;
  note('enum-value-added', message, { before: old, after: now, verdict: 'risky' });
}

function noteProse({ before, after }: Nodes, note: Noting, direction: 'in' | 'out'): void {
  const [was, is] = [before['description'], after['description']];
  if (typeof was !== 'string' || typeof is !== 'string' || was === is) return;
  const words = (text: string): string =>
    (text.match(BINDING) ?? [])
      .map((word) => word.toLowerCase())
      .sort()
      .join();
  const binding = words(was) !== words(is);
  if (direction === 'out' && !binding) return;
  note('description-changed', `The description is worded anew${binding ? ', in words that bind or measure' : ''}.`, {
    verdict: binding ? 'risky' : 'notice',
  });
}

/** Members that came or went in a way that no validator minds. */
function noteMembers({ before, after, path }: Nodes, { direction, found, fillsDefaults }: Context): void {
  const [old, now] = [record(before, 'properties'), record(after, 'properties')];
  const needs = after['required'];
  for (const [name, inner] of Object.entries(now)) {
    if (Object.hasOwn(old, name) || direction === 'out' || !fillsDefaults) continue;
    const required = isJsonArray(needs) && needs.includes(name);
    if (!required || !isJsonObject(inner) || inner['default'] === undefined) continue;
    found.push({
      change: 'property-added-required-with-default',
      path: `${path}/properties/${escape(name)}`,
      message: `\`${name}\` is new and needed, and filled in when it is left out.`,
      after: inner,
      verdict: 'notice',
    });
  }
  for (const [name, inner] of Object.entries(old)) {
    if (Object.hasOwn(now, name)) continue;
    const ignored = direction === 'in' ? 'is taken in and ignored' : 'never comes any more';
    found.push({
      change: 'property-removed',
      path: `${path}/properties/${escape(name)}`,
      message: `\`${name}\` ${ignored}.`,
      before: inner,
      verdict: 'risky',
    });
  }
}

function told(value: JsonValue | undefined): string {
  return value === undefined || value === null ? 'nothing' : JSON.stringify(value);
}

function record(node: JsonObject, keyword: string): JsonObject {
  const value = node[keyword];
  return isJsonObject(value) ? value : {};
}

function references(value: JsonValue): string {
  return isJsonObject(value) && typeof value['$ref'] === 'string' ? value['$ref'] : '';
}

/** The node a value stands for: references and parts are followed, and words beside them win. */
function resolve(value: JsonValue, root: JsonSchema, depth = 0): JsonObject | undefined {
  if (!isJsonObject(value) || depth > 16) return undefined;
  const { $ref: reference, allOf, ...beside } = value;
  const parts: JsonValue[] = isJsonArray(allOf) ? [...allOf] : [];
  if (typeof reference === 'string') {
    const name = reference.replace(/^#\/\$defs\//u, '');
    const target = typeof root === 'boolean' ? undefined : record(root, '$defs')[name];
    if (target === undefined) return undefined;
    parts.push(target);
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const some = isJsonArray(beside[keyword]) ? beside[keyword].filter((one) => !isNull(one)) : [];
    if (some.length === 1) parts.push(some[0] ?? true);
  }
  const resolved = parts.map((part) => resolve(part, root, depth + 1)).filter((part) => part !== undefined);
  if (resolved.length === 0) return beside;
  const properties = Object.assign(
    {},
    ...[...resolved, beside].map((part) => record(part, 'properties')),
  ) as JsonObject;
  const merged: JsonObject = Object.assign({}, ...resolved, beside) as JsonObject;
  return Object.keys(properties).length === 0 ? merged : { ...merged, properties };
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && (schema['type'] === 'null' || schema['const'] === null);
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
