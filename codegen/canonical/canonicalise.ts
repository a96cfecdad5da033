/** Turns an authored schema into its canonical form, and reports what has none. */
import type { JsonPath, JsonSchema, JsonValue } from '../model/types.ts';
import { isDisjoint } from './disjoint.ts';
import { flatten, isPlainRef } from './flatten.ts';
import type { Alternative } from './flatten.ts';
import { isJsonArray, isJsonObject, member } from './json.ts';
import type { JsonObject } from './json.ts';
import { limitsOf, notesOf, valueFits } from './keywords.ts';
import { valuesOf } from './merge.ts';
import { membersOf, NO_LIMITS } from './node.ts';
import type { CanonicalFault, Limits, Lookup, Node, Notes, Property, ScalarType } from './node.ts';

export interface CanonicalContext {
  /** The authored schema of a reference. */
  readonly resolve: (ref: string) => JsonSchema | undefined;
  /** The canonical form of a named schema; may be asked only after the walk. */
  readonly lookup: Lookup;
  readonly fault: (fault: CanonicalFault) => void;
  /** Registers a proof that must hold once every named schema is known. */
  readonly later: (check: () => void) => void;
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);
const OBJECT_WORDS = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'open',
];
const ARRAY_WORDS = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'];
const TEXT_WORDS = ['minLength', 'maxLength', 'pattern', 'format'];
const NUMBER_WORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const MOST_POSITIONS = 16;

export function canonicalise(schema: JsonSchema, path: JsonPath, context: CanonicalContext): Node {
  return new Canonicaliser(context).node(schema, path);
}

class Canonicaliser {
  readonly #context: CanonicalContext;

  constructor(context: CanonicalContext) {
    this.#context = context;
  }

  node(schema: JsonValue, path: JsonPath): Node {
    if (schema === false) return { kind: 'never', notes: {}, limits: NO_LIMITS };
    if (!isJsonObject(schema)) return { kind: 'any', notes: {}, limits: NO_LIMITS };
    const alternatives = flatten(schema, path, this.#context);
    const notes = notesOf(schema);
    const nodes: { readonly node: Node; readonly from: Alternative }[] = [];
    for (const from of alternatives) {
      for (const node of this.#single(from.schema, path)) nodes.push({ node, from });
    }
    this.#proveExclusive(nodes, path);
    const [first] = nodes;
    if (first === undefined) {
      this.#refuse(path, 'No value can satisfy this schema.', 'Remove the contradiction.');
      return { kind: 'never', notes, limits: NO_LIMITS };
    }
    if (nodes.length === 1) return { ...first.node, notes: { ...first.node.notes, ...notes } };
    return { kind: 'union', members: nodes.flatMap(({ node }) => membersOf(node)), notes, limits: NO_LIMITS };
  }

  /** One alternative, split by type. */
  #single(schema: JsonObject, path: JsonPath): readonly Node[] {
    if (isPlainRef(schema)) return [this.#reference(schema, path)];
    const notes = notesOf(schema);
    const values = valuesOf(schema);
    const types = this.#types(schema, values, path);
    if (types === undefined) return [{ kind: 'any', notes, limits: NO_LIMITS }];
    if (values !== undefined) {
      const limits = limitsOf(schema);
      const kept = values.filter((value) => types.some((type) => valueFits(value, type, limits)));
      return kept.length === 0 ? [] : [{ kind: 'literal', values: kept, notes, limits: NO_LIMITS }];
    }
    const inner = types.length === 1 ? notes : {};
    return types.flatMap((type) => {
      if (type === 'object') return this.#object(schema, inner, path);
      return type === 'array'
        ? [this.#array(schema, inner, path)]
        : [{ kind: 'scalar' as const, type: scalar(type), notes: inner, limits: limitsOf(schema, type) }];
    });
  }

  #reference(schema: JsonObject, path: JsonPath): Node {
    const authored = member(schema, '$ref');
    const ref = typeof authored === 'string' ? authored : '';
    const name = ref.startsWith('#/$defs/') ? ref.slice('#/$defs/'.length) : undefined;
    if (name === undefined || this.#context.resolve(ref) === undefined) {
      this.#refuse(
        [...path, '$ref'],
        `\`${ref}\` names nothing in this contract tree.`,
        'Refer to `model:<name>` or to a definition of the same body.',
      );
      return { kind: 'any', notes: notesOf(schema), limits: NO_LIMITS };
    }
    return { kind: 'ref', name, notes: notesOf(schema), limits: NO_LIMITS };
  }

  #types(schema: JsonObject, values: readonly JsonValue[] | undefined, path: JsonPath): readonly string[] | undefined {
    const type = member(schema, 'type');
    if (type !== undefined) {
      const types = (isJsonArray(type) ? type : [type]).map(String);
      const unknown = types.find((one) => !TYPES.has(one));
      if (unknown === undefined) return types.filter((one) => one !== 'integer' || !types.includes('number'));
      this.#refuse([...path, 'type'], `There is no type \`${unknown}\`.`, `Use one of ${[...TYPES].join(', ')}.`);
      return undefined;
    }
    if (values !== undefined) return [...TYPES];
    const speaks = (words: readonly string[]): boolean => words.some((word) => Object.hasOwn(schema, word));
    if (speaks(OBJECT_WORDS)) return ['object'];
    if (speaks(ARRAY_WORDS)) return ['array'];
    if (speaks(TEXT_WORDS) || speaks(NUMBER_WORDS)) {
      this.#refuse(path, 'The schema bounds a value without saying its type.', 'Add `type`.');
    }
    return undefined;
  }

  #object(schema: JsonObject, notes: Notes, path: JsonPath): readonly Node[] {
    const required = new Set(listOf(schema, 'required').map(String));
    const authored = recordOf(schema, 'properties');
    const rest = this.#rest(schema, path);
    const patterns = Object.entries(recordOf(schema, 'patternProperties')).map(([pattern, value]) => {
      return { pattern, node: this.node(value, [...path, 'patternProperties', pattern]) };
    });
    const properties: Property[] = [];
    for (const [name, value] of Object.entries(authored)) {
      const node = this.node(value, [...path, 'properties', name]);
      if (name === '__proto__')
        this.#refuse([...path, 'properties', name], 'A member cannot be called `__proto__`.', 'Rename it.');
      if (node.kind === 'never' && required.has(name)) return [];
      if (node.kind !== 'never' || rest !== 'closed') properties.push({ name, node, required: required.has(name) });
    }
    for (const name of required) {
      if (Object.hasOwn(authored, name) || patterns.some(({ pattern }) => new RegExp(pattern, 'u').test(name)))
        continue;
      if (rest === 'closed') return [];
      const node: Node = rest === 'open' ? { kind: 'any', notes: {}, limits: NO_LIMITS } : rest;
      properties.push({ name, node, required: true });
    }
    const names = member(schema, 'propertyNames');
    const node: Node = {
      kind: 'object',
      properties,
      patterns,
      rest,
      notes,
      limits: limitsOf(schema, 'object'),
      ...(names === undefined ? {} : { propertyNames: this.node(names, [...path, 'propertyNames']) }),
    };
    return [node];
  }

  /** Objects are closed unless the contract says why not. */
  #rest(schema: JsonObject, path: JsonPath): 'closed' | 'open' | Node {
    const rest = member(schema, 'additionalProperties');
    if (Object.hasOwn(schema, 'open')) return 'open';
    if (rest === undefined || rest === false) return 'closed';
    if (rest === true || (isJsonObject(rest) && Object.keys(rest).length === 0)) return 'open';
    return this.node(rest, [...path, 'additionalProperties']);
  }

  #array(schema: JsonObject, notes: Notes, path: JsonPath): Node {
    const limits: Limits = limitsOf(schema, 'array');
    const prefix = listOf(schema, 'prefixItems');
    const items = member(schema, 'items');
    if (prefix.length === 0) {
      const contains = member(schema, 'contains');
      const node = this.node(items ?? true, [...path, 'items']);
      if (contains === undefined) return { kind: 'array', items: node, notes, limits };
      const [minContains, maxContains] = [member(schema, 'minContains'), member(schema, 'maxContains')];
      const bounds = {
        ...(typeof minContains === 'number' ? { minContains } : {}),
        ...(typeof maxContains === 'number' ? { maxContains } : {}),
      };
      return {
        kind: 'array',
        items: node,
        notes,
        limits,
        contains: { node: this.node(contains, [...path, 'contains']), ...bounds },
      };
    }
    if (prefix.length > MOST_POSITIONS)
      this.#refuse(
        [...path, 'prefixItems'],
        `A tuple has at most ${MOST_POSITIONS} positions.`,
        'Use an object or `items`.',
      );
    if (Object.hasOwn(schema, 'contains'))
      this.#refuse([...path, 'contains'], '`contains` beside `prefixItems` has no exact type.', 'Remove one of them.');
    return {
      kind: 'tuple',
      items: prefix.map((value, index) => this.node(value, [...path, 'prefixItems', index])),
      rest: items === false ? 'closed' : this.node(items ?? true, [...path, 'items']),
      notes,
      limits,
    };
  }

  #proveExclusive(nodes: readonly { readonly node: Node; readonly from: Alternative }[], path: JsonPath): void {
    if (!nodes.some(({ from }) => from.choices.size > 0)) return;
    this.#context.later(() => {
      for (const [index, one] of nodes.entries()) {
        for (const two of nodes.slice(index + 1)) {
          const rivals = [...one.from.choices].some(
            ([key, branch]) => (two.from.choices.get(key) ?? branch) !== branch,
          );
          if (!rivals || isDisjoint(one.node, two.node, this.#context.lookup)) continue;
          this.#refuse(
            [...path, 'oneOf'],
            'A value could fit two branches of this `oneOf`, which no type can forbid.',
            'Give each branch a constant that tells it apart, or use `anyOf`.',
          );
          return;
        }
      }
    });
  }

  #refuse(path: JsonPath, message: string, remedy: string): void {
    this.#context.fault({ path, message, remedy });
  }
}

function scalar(type: string): ScalarType {
  switch (type) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return type;
    default:
      return 'null';
  }
}

function listOf(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = member(schema, key);
  return isJsonArray(value) ? value : [];
}

function recordOf(schema: JsonObject, key: string): JsonObject {
  const value = member(schema, key);
  return isJsonObject(value) ? value : {};
}
