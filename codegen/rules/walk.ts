/** Views of the model that many rules share; each is made once per model. */
import { isList, isObject } from '../grammar/value-kinds.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import { bundleDefs } from '../model/bundle.ts';
import type { ContractModel, JsonPath, JsonSchema, JsonValue, Source } from '../model/types.ts';
import type { Finding } from './rule.ts';

export type Keywords = { readonly [keyword: string]: JsonValue };

export type Role = 'input' | 'output' | 'shared' | 'variable' | 'payload' | 'internal' | 'request' | 'response';

/** One schema body of the model. */
export interface SchemaRoot {
  readonly entity: string;
  readonly role: Role;
  readonly schema: JsonSchema;
  readonly source: Source;
  readonly path: JsonPath;
}

/** One schema inside a body. Paths are built on demand: most visits never become findings. */
export interface Visit {
  readonly schema: Keywords;
  readonly root: SchemaRoot;
  readonly parent?: Visit;
  /** Keyword of the parent that holds this schema, and the member or index under it. */
  readonly keyword?: string;
  readonly member?: string | number;
  readonly depth: number;
}

function once<T>(make: (model: ContractModel) => T): (model: ContractModel) => T {
  const made = new WeakMap<ContractModel, { readonly value: T }>();
  return (model) => {
    let entry = made.get(model);
    if (entry === undefined) {
      entry = { value: make(model) };
      made.set(model, entry);
    }
    return entry.value;
  };
}

export const schemaRoots = once((model): readonly SchemaRoot[] => {
  const roots: SchemaRoot[] = [];
  const add = (entity: string, role: Role, schema: JsonSchema | undefined, source: Source, path: JsonPath): void => {
    if (schema !== undefined) roots.push({ entity, role, schema, source, path });
  };
  for (const { name, schema, source } of model.models) add(`model ${name}`, 'shared', schema, source, ['schema']);
  for (const one of model.definitions) add(`definition ${one.typeName}`, 'shared', one.schema, one.source, one.path);
  for (const tool of model.tools) {
    add(`tool ${tool.name}`, 'input', tool.input, tool.source, ['input']);
    add(`tool ${tool.name}`, 'output', tool.output, tool.source, ['output']);
  }
  for (const one of model.resources) {
    const entity = `resource ${one.name}`;
    for (const variable of one.variables)
      add(entity, 'variable', variable.schema, one.source, ['variables', variable.name]);
    for (const variable of one.query) add(entity, 'variable', variable.schema, one.source, ['query', variable.name]);
    add(entity, 'payload', one.payload, one.source, ['payload']);
  }
  for (const job of model.jobs) {
    add(`job ${job.name}`, 'internal', job.payload, job.source, ['payload']);
    add(`job ${job.name}`, 'payload', job.progress, job.source, ['progress']);
    add(`job ${job.name}`, 'payload', job.details, job.source, ['details']);
  }
  for (const one of model.endpoints) {
    const entity = `endpoint ${one.name}`;
    for (const { name, schema } of one.parameters)
      add(entity, 'request', schema, one.source, ['parameters', name, 'schema']);
    add(entity, 'request', one.request?.schema, one.source, ['request', 'schema']);
    add(entity, 'response', one.response.schema, one.source, ['response', 'schema']);
  }
  for (const error of model.errors) add(`error ${error.code}`, 'payload', error.fields, error.source, ['fields']);
  return roots;
});

function children(visit: Visit, into: Visit[]): void {
  const { schema, root, depth } = visit;
  const push = (one: JsonValue | undefined, keyword: string, member?: string | number): void => {
    if (!isObject(one)) return;
    const child: Visit = {
      schema: one,
      root,
      parent: visit,
      keyword,
      depth: depth + 1,
      ...(member === undefined ? {} : { member }),
    };
    into.push(child);
    children(child, into);
  };
  for (const keyword of Object.keys(schema)) {
    const holds = SUBSCHEMAS.get(keyword);
    if (holds === undefined) continue;
    const value = schema[keyword];
    if (holds === 'one') push(value, keyword);
    else if (isList(value)) for (const [index, one] of value.entries()) push(one, keyword, index);
    else if (isObject(value)) for (const name of Object.keys(value)) push(value[name], keyword, name);
  }
}

/** Every schema of every body, parents before children. */
export const visits = once((model): readonly Visit[] => {
  const all: Visit[] = [];
  for (const root of schemaRoots(model)) {
    if (!isObject(root.schema)) continue;
    const top: Visit = { schema: root.schema, root, depth: 0 };
    all.push(top);
    children(top, all);
  }
  return all;
});

export function pathOf(visit: Visit): JsonPath {
  if (visit.parent === undefined || visit.keyword === undefined) return visit.root.path;
  const step = visit.member === undefined ? [visit.keyword] : [visit.keyword, visit.member];
  return [...pathOf(visit.parent), ...step];
}

/** Name of the property this schema describes, looking through items: `ids` for the items of `ids`. */
export function propertyName(visit: Visit): string | undefined {
  if (visit.keyword === 'properties' && typeof visit.member === 'string') return visit.member;
  if (visit.keyword === undefined && visit.root.role === 'variable') return String(visit.root.path.at(-1));
  if (
    (visit.keyword === 'items' || visit.keyword === 'anyOf' || visit.keyword === 'oneOf') &&
    visit.parent !== undefined
  ) {
    return propertyName(visit.parent);
  }
  return undefined;
}

/** How a finding names the schema: its property, else the body's root. */
export function label(visit: Visit): string {
  const name = propertyName(visit);
  if (visit.keyword === 'items' && name !== undefined) return `An item of \`${name}\``;
  if (name !== undefined) return `\`${name}\``;
  return visit.keyword === undefined ? `The ${visit.root.path.at(-1) ?? 'body'}` : `The schema at \`${visit.keyword}\``;
}

export function finding(visit: Visit, message: string, remedy?: string, below: JsonPath = []): Finding {
  const at = below.length === 0 ? 'key' : 'value';
  const { source, entity } = visit.root;
  return {
    source,
    path: [...pathOf(visit), ...below],
    at,
    entity,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const bundle = once((model) => bundleDefs(model));

/** Follows `#/$defs/<TypeName>`. */
export function resolveIn(model: ContractModel): (ref: string) => JsonSchema | undefined {
  const defs = bundle(model);
  return (ref) => {
    const name = ref.slice('#/$defs/'.length);
    return Object.hasOwn(defs, name) ? defs[name] : undefined;
  };
}

/** The schema itself, or what its `$ref` chain ends at. */
export function deref(model: ContractModel, schema: JsonSchema | JsonValue | undefined): Keywords {
  let current: JsonValue | undefined = schema;
  for (let hop = 0; hop < 16 && isObject(current) && typeof current['$ref'] === 'string'; hop += 1) {
    current = resolveIn(model)(current['$ref']);
  }
  return isObject(current) ? current : {};
}

export function properties(schema: JsonSchema | JsonValue | undefined): Keywords {
  const members = isObject(schema) ? schema['properties'] : undefined;
  return isObject(members) ? members : {};
}

export function required(schema: JsonSchema | JsonValue | undefined): readonly string[] {
  const names = isObject(schema) ? schema['required'] : undefined;
  return isList(names) ? names.filter((one) => typeof one === 'string') : [];
}

export function typesOf(schema: Keywords): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return isList(type) ? type.filter((one) => typeof one === 'string') : [];
}
