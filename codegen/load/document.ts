import type { JsonPath, JsonValue, Source } from '../model/types.ts';
import type { Place } from './layout.ts';
import type { YamlNode } from './nodes.ts';

/** One contract file, read but not yet understood. */
export interface ContractDocument extends Place {
  readonly file: string;
  readonly root: YamlNode;
  readonly value: { readonly [key: string]: JsonValue };
  readonly source: Source;
}

/** A schema body inside a document: where it stands and what role it has. */
export interface Body {
  readonly path: JsonPath;
  readonly schema: JsonValue;
}

function member(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === 'number' ? (value[key] as JsonValue | undefined) : undefined;
  const object = value as { readonly [key: string]: JsonValue };
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Places of schema bodies per kind; `*` stands for every member or item. */
const BODY_PATHS: Readonly<Record<string, readonly JsonPath[]>> = {
  tool: [['input'], ['output']],
  model: [['schema']],
  resource: [['variables', '*'], ['query', '*'], ['payload']],
  job: [['payload'], ['progress'], ['details']],
  endpoint: [
    ['parameters', '*', 'schema'],
    ['request', 'schema'],
    ['response', 'schema'],
  ],
  errors: [['errors', '*', 'fields']],
};

function expand(value: JsonValue | undefined, pattern: JsonPath, done: JsonPath): Body[] {
  const [step, ...rest] = pattern;
  if (value === undefined) return [];
  if (step === undefined) return [{ path: done, schema: value }];
  if (step !== '*') return expand(member(value, step), rest, [...done, step]);
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => expand(member(value, key), rest, [...done, key]));
}

/** All schema bodies of a document, whatever their state. */
export function bodiesOf(document: Pick<ContractDocument, 'kind' | 'value'>): Body[] {
  return (BODY_PATHS[document.kind] ?? []).flatMap((pattern) => expand(document.value, pattern, []));
}
