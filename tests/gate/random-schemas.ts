import * as fc from 'fast-check';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';

/**
 * Random schemas and values over a world small enough that they often meet: three property names, short strings of
 * two letters, numbers between -2 and 8 in halves. Keywords whose handling in the validators is known to leave the
 * standard (marks that `contains` leaves for `unevaluatedItems`) are not combined.
 */
const NAMES = ['a', 'b', 'ab'];
const name = fc.constantFrom(...NAMES);
const number = fc.integer({ min: -4, max: 16 }).map((half) => half / 2);
const text = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'aa', 'abb', 'x1');
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(fc.constant(null), fc.boolean(), number, text);

export const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; array: JsonValue; object: JsonValue }>(
  (tie) => ({
    value: fc.oneof({ maxDepth: 2, depthSize: 'small' }, scalar, scalar, tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom(...NAMES, 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  }),
).value;

const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const small = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom('^a', 'b$', '^[ab]*$', 'a.', '^.{2}$', '(a|b)1?', '^$', '^x\\d$');

/** A reference stands only where a child value is described, so that no schema refers to itself in place. */
function children(schema: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const reference = fc.constantFrom('x', 'y').map((definition): JsonValue => ({ $ref: `#/$defs/${definition}` }));
  return fc.oneof({ weight: 5, arbitrary: schema }, { weight: 1, arbitrary: reference });
}

function keywords(schema: fc.Arbitrary<JsonValue>): fc.Arbitrary<[string, JsonValue][]> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const one = (keyword: string, arbitrary: fc.Arbitrary<JsonValue>): fc.Arbitrary<[string, JsonValue][]> =>
    arbitrary.map((given) => [[keyword, given]]);
  const names = fc.uniqueArray(name, { maxLength: 3 });
  const record = (of: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
    fc.dictionary(name, of, { maxKeys: 3, noNullPrototype: true });
  const objects = fc.oneof(
    one('properties', record(children(schema))),
    one('properties', record(children(schema))),
    one('required', names),
    one('additionalProperties', fc.oneof(fc.constant(false), children(schema))),
    one('patternProperties', fc.dictionary(pattern, schema, { minKeys: 1, maxKeys: 2, noNullPrototype: true })),
    one(
      'propertyNames',
      fc.oneof(
        fc.record({ pattern }),
        fc.record({ maxLength: small }),
        fc.record({ enum: fc.uniqueArray(name, { minLength: 1 }) }),
      ),
    ),
    one('minProperties', small),
    one('maxProperties', small),
    one('dependentRequired', record(names)),
    one('dependentSchemas', record(schema)),
    one('unevaluatedProperties', fc.oneof(fc.constant(false), schema)),
  );
  const arrays = fc.oneof(
    one('items', children(schema)),
    one('prefixItems', fc.array(children(schema), { minLength: 1, maxLength: 3 })),
    one('minItems', small),
    one('maxItems', small),
    one('uniqueItems', fc.boolean()),
    fc.tuple(schema, small, small).map(([contains, minContains, more]): [string, JsonValue][] => [
      ['contains', contains],
      ['minContains', minContains],
      ['maxContains', minContains + more],
    ]),
    one('contains', schema),
    one('unevaluatedItems', fc.oneof(fc.constant(false), schema)),
  );
  const scalars = fc.oneof(
    one('minimum', number),
    one('maximum', number),
    one('exclusiveMinimum', number),
    one('exclusiveMaximum', number),
    one('multipleOf', fc.constantFrom(1, 2, 3, 0.5, 1.5)),
    one('minLength', small),
    one('maxLength', small),
    one('pattern', pattern),
  );
  const logic = fc.oneof(
    one('allOf', list),
    one('anyOf', list),
    one('oneOf', list),
    one('not', schema),
    fc.tuple(schema, schema, schema).map(([test, yes, no]): [string, JsonValue][] => [
      ['if', test],
      ['then', yes],
      ['else', no],
    ]),
  );
  return fc.oneof(
    { weight: 4, arbitrary: one('type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))) },
    {
      weight: 2,
      arbitrary: one(
        'enum',
        fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: (item) => JSON.stringify(item) }),
      ),
    },
    { weight: 1, arbitrary: one('const', value) },
    { weight: 5, arbitrary: scalars },
    { weight: 5, arbitrary: objects },
    { weight: 5, arbitrary: arrays },
    { weight: 3, arbitrary: logic },
  );
}

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.boolean(),
  type.map((only) => ({ type: only })),
  fc.record({ const: value }),
  number.map((minimum) => ({ type: 'number', minimum })),
  fc.record({ maxLength: small }),
  fc.record({ required: fc.tuple(name) }),
);

const anySchema = fc.letrec<{ schema: JsonValue; node: JsonValue }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf, tie('node'), tie('node')),
  node: fc
    .array(keywords(tie('schema')), { minLength: 1, maxLength: 4 })
    .map((groups) => tidy(Object.fromEntries(groups.flat()))),
})).schema;

/** A body with two definitions, which both it and they may refer to. */
interface Rooted {
  readonly body: JsonValue;
  readonly x: JsonValue;
  readonly y: JsonValue;
}

const rooted: fc.Arbitrary<Rooted> = fc.record({ body: anySchema, x: anySchema, y: anySchema });

function root({ body, x, y }: Rooted): JsonSchema {
  return { allOf: [body], $defs: { x, y } };
}

export const schema: fc.Arbitrary<JsonSchema> = rooted.map(root);

/**
 * Two readings of the validators differ from the standard, so these pairs are left out rather than judged by them:
 * items marked by `contains` stay unevaluated, and `contains` beside `prefixItems` lets an empty array pass.
 */
function tidy(node: Record<string, JsonValue>): JsonValue {
  if (Object.hasOwn(node, 'prefixItems')) {
    for (const keyword of ['contains', 'minContains', 'maxContains']) delete node[keyword];
  }
  if (JSON.stringify(node).includes('"contains"')) delete node['unevaluatedItems'];
  return node;
}

/** A schema and a small edit of it, in its body or in a definition. */
export const mutated: fc.Arbitrary<[JsonSchema, JsonSchema]> = fc
  .record({
    given: rooted,
    seed: fc.nat(),
    other: anySchema,
    how: fc.constantFrom('replace', 'drop', 'widen', 'negate', 'union', 'extend'),
    where: fc.constantFrom('body', 'body', 'x', 'y'),
  })
  .map(({ given, where, ...edit }) => [root(given), root({ ...given, [where]: mutate(given[keyOf(where)], edit) })]);

function keyOf(where: string): keyof Rooted {
  return where === 'x' || where === 'y' ? where : 'body';
}

interface Edit {
  readonly seed: number;
  readonly other: JsonValue;
  readonly how: string;
}

function mutate(original: JsonValue, edit: Edit): JsonValue {
  const places = subschemas(original);
  const target = places[edit.seed % places.length];
  return replaceAt(structuredClone(original), target ?? [], (inner) => rewrite(inner, edit));
}

function rewrite(inner: JsonValue, { seed, other, how }: Edit): JsonValue {
  if (how === 'replace' || typeof inner !== 'object' || inner === null || Array.isArray(inner)) return other;
  const entries = Object.entries(inner);
  if (how === 'drop') return Object.fromEntries(entries.filter((_, at) => at !== seed % entries.length));
  if (how === 'union') return { anyOf: [inner, other] };
  if (how === 'negate') return { not: { not: inner } };
  if (how === 'extend') return { allOf: [inner, other] };
  return Object.fromEntries(
    entries.map(([key, item]) => [key, typeof item === 'number' && key.startsWith('max') ? item + 1 : item]),
  );
}

type Path = readonly (string | number)[];

function subschemas(node: JsonValue, path: Path = []): Path[] {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [path];
  const found: Path[] = [path];
  for (const [key, item] of Object.entries(node)) {
    if (['items', 'contains', 'not', 'if', 'then', 'else', 'additionalProperties'].includes(key)) {
      found.push(...subschemas(item, [...path, key]));
    }
    if (
      ['properties', 'patternProperties', 'dependentSchemas', 'allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(key)
    ) {
      for (const [inner, member] of Object.entries(item ?? {}))
        found.push(...subschemas(member, [...path, key, inner]));
    }
  }
  return found;
}

function replaceAt(node: JsonValue, path: Path, change: (inner: JsonValue) => JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return change(node);
  if (Array.isArray(node))
    return node.map((item: JsonValue, at) => (String(at) === String(step) ? replaceAt(item, rest, change) : item));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, item]) => [key, key === step ? replaceAt(item, rest, change) : item]),
  );
}
