/** Draws schemas that a contract may hold, and values that fit them or nearly do. */
import * as fc from 'fast-check';
import { canonicalise } from '../../../codegen/canonical/canonicalise.ts';
import { refuseInexactTypes } from '../../../codegen/canonical/type-limits.ts';
import { normaliseObject } from '../../../codegen/model/normalise.ts';
import { sample } from '../../../codegen/emit/tests/sample.ts';

export type Schema = { readonly [keyword: string]: unknown };
type Members = Record<string, unknown>;

const NAMES = ['a', 'b', 'c', 'title', 'x-y', 'type'];
const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.constant({ type: 'boolean' }),
  fc.record({
    type: fc.constant('integer'),
    minimum: fc.integer({ min: -5, max: 0 }),
    maximum: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ type: fc.constant('number') }),
  fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 1, max: 8 }) }),
  fc.constant({ type: 'string', format: 'uuid' }),
  fc.constant({ type: ['string', 'null'], maxLength: 4 }),
  fc.constant({ type: ['integer', 'string'] }),
  fc
    .uniqueArray(fc.constantFrom('red', 'green', 'p.95', 'p-95', '"'), { minLength: 1, maxLength: 3 })
    .map((values) => ({ enum: values })),
  fc.constantFrom({ const: 'one' }, { const: 2 }, { enum: ['x', null] }, { enum: [1, 2] }),
);

/** The root is always an object, as the body of a tool is. */
export function arbitrarySchema(): fc.Arbitrary<Schema> {
  return fc.letrec<{ value: Schema; object: Schema }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      scalar,
      tie('object'),
      arrayOf(tie('value')),
      tupleOf(tie('value')),
      mapOf(tie('value')),
      unionOf(tie('object'), tie('value')),
    ),
    object: fc.oneof(
      { maxDepth: 3 },
      objectOf(tie('value')),
      fc.tuple(objectOf(tie('value')), objectOf(tie('value'))).map(([whole, part]) => ({ ...whole, allOf: [part] })),
      objectOf(tie('value')).map((whole) => ({ ...whole, anyOf: anyNames(whole) })),
    ),
  })).object;
}

function anyNames(schema: Schema): Schema[] {
  const names = Object.keys((schema['properties'] ?? {}) as Members);
  return names.length === 0 ? [{ type: 'object' }] : names.map((name) => ({ required: [name] }));
}

function objectOf(value: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), value, fc.boolean()), { selector: ([name]) => name, maxLength: 4 })
    .map((members) => ({
      type: 'object',
      properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])),
      required: members.filter(([, , required]) => required).map(([name]) => name),
    }));
}

function arrayOf(value: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc.record({ type: fc.constant('array'), items: value, maxItems: fc.integer({ min: 1, max: 3 }) });
}

function tupleOf(value: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc.tuple(fc.array(value, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([prefixItems, all]) => ({
    type: 'array',
    prefixItems,
    items: false,
    ...(all ? { minItems: prefixItems.length } : {}),
  }));
}

function mapOf(value: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return value.map((additionalProperties) => ({ type: 'object', additionalProperties, maxProperties: 4 }));
}

function unionOf(object: fc.Arbitrary<Schema>, value: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const closed = objectOf(value);
  return fc.oneof(
    fc.array(value, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    object.map((one) => ({ anyOf: [one, { type: 'null' }] })),
    fc.tuple(closed, closed).map(([one, two]) => ({ oneOf: [tagged(one, 'first'), tagged(two, 'second')] })),
  );
}

function tagged(schema: Schema, tag: string): Schema {
  const properties = { kind: { const: tag }, ...((schema['properties'] ?? {}) as Members) };
  return { ...schema, properties, required: ['kind', ...((schema['required'] ?? []) as string[])] };
}

/** Whether the compiler takes the schema; what it refuses has no type to compare. */
export function isExpressible(schema: Schema): boolean {
  let faults = 0;
  const fault = (): void => void (faults += 1);
  const checks: (() => void)[] = [];
  const lookup = (): undefined => undefined;
  const node = canonicalise(
    normaliseObject(schema as never, [], (ref) => ref),
    [],
    { resolve: lookup, lookup, fault, later: (check) => checks.push(check) },
  );
  for (const check of checks) check();
  refuseInexactTypes(node, [], lookup, fault);
  return faults === 0;
}

/** Fitting values where one is easily made, and small changes of them. */
export function valuesFor(schema: Schema, seed: number): readonly unknown[] {
  const node = canonicalise(
    normaliseObject(schema as never, [], (ref) => ref),
    [],
    {
      resolve: () => undefined,
      lookup: () => undefined,
      fault: () => undefined,
      later: () => undefined,
    },
  );
  const made = [sample(node, 'least', () => undefined), sample(node, 'most', () => undefined)].filter(
    (value) => value !== undefined,
  );
  const changed = made.flatMap((value) => fc.sample(mutation(value), { seed, numRuns: 6 }));
  return [...made, ...changed];
}

const stray = fc.constantFrom<unknown>(null, true, 0, 7, 'red', 'stranger', [], {}, ['a'], { a: 1 });

/** One place of the value replaced, removed or added to. */
function mutation(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value) && value.length > 0) {
    return fc.tuple(fc.nat(value.length - 1), fc.boolean()).chain(([index, deeper]) => {
      const inner = deeper ? mutation(value[index]) : stray;
      return fc.oneof(
        inner.map((one) => value.with(index, one)),
        fc.constant(value.slice(1)),
        stray.map((one) => [...(value as unknown[]), one]),
      );
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const names = Object.keys(value);
    const added = fc
      .tuple(fc.constantFrom(...NAMES, 'unknown_name'), stray)
      .map(([name, one]) => ({ ...value, [name]: one }));
    if (names.length === 0) return fc.oneof(added, stray);
    return fc.constantFrom(...names).chain((name) => {
      const members: Members = { ...value };
      const { [name]: old, ...rest } = members;
      return fc.oneof(
        mutation(old).map((one) => ({ ...members, [name]: one })),
        fc.constant(rest),
        added,
      );
    });
  }
  return stray;
}
