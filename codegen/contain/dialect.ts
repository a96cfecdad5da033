import type { JsonSchema, JsonValue } from '../model/types.ts';
import { isObject, ownEntry, pointerStep } from './json.ts';
import type { Stop } from './stop.ts';

const CURRENT = 'https://json-schema.org/draft/2020-12/schema';

/** Older dialects that read like 2020-12 as long as a schema keeps to what they share. */
const OLDER = new Set([
  'http://json-schema.org/draft-06/schema',
  'http://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft/2019-09/schema',
]);

/** Beside `$ref` these change nothing even where an older dialect ignores them. */
const HARMLESS = new Set(['$ref', '$comment', '$defs', 'definitions', 'title', 'description', 'default', 'examples']);

export type Read = { readonly schema: JsonSchema; readonly stop?: undefined } | { readonly stop: Stop };

/**
 * The schema as a 2020-12 schema, or what stands in the way. Many servers name draft-07 because their generator
 * does; where the two dialects agree about every keyword used, that is no reason to give up.
 */
export function readDialect(schema: JsonSchema): Read {
  const named = isObject(schema) ? ownEntry(schema, '$schema') : undefined;
  if (typeof schema === 'boolean' || typeof named !== 'string') return { schema };
  const dialect = named.replace(/#$/, '');
  if (dialect === CURRENT) return { schema };
  if (!OLDER.has(dialect)) return refused('/$schema', `the dialect ${named} is not read here`);
  const { $schema: _, ...rest } = schema;
  const at = foreign(rest, '', !dialect.includes('2019-09'));
  return at === undefined ? { schema: rest } : refused(at, `${named} and 2020-12 read this differently`);
}

function refused(path: string, reason: string): Read {
  return { stop: { keyword: '$schema', path, reason } };
}

/** Where a keyword stands that means another thing in 2020-12; data inside `enum` may raise a false alarm. */
function foreign(value: JsonValue, path: string, ignoresSiblings: boolean): string | undefined {
  if (Array.isArray(value)) return first(value.entries(), path, ignoresSiblings);
  if (!isObject(value)) return undefined;
  for (const keyword of ['additionalItems', 'dependencies', '$recursiveRef', '$recursiveAnchor']) {
    if (Object.hasOwn(value, keyword)) return pointerStep(path, keyword);
  }
  if (Array.isArray(ownEntry(value, 'items'))) return pointerStep(path, 'items');
  const reference = typeof ownEntry(value, '$ref') === 'string';
  if (reference && ignoresSiblings && Object.keys(value).some((key) => !HARMLESS.has(key)))
    return pointerStep(path, '$ref');
  return first(Object.entries(value), path, ignoresSiblings);
}

function first(
  entries: Iterable<readonly [string | number, JsonValue]>,
  path: string,
  ignoresSiblings: boolean,
): string | undefined {
  for (const [step, inner] of entries) {
    const found = foreign(inner, pointerStep(path, step), ignoresSiblings);
    if (found !== undefined) return found;
  }
  return undefined;
}
