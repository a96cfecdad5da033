import assert from 'node:assert/strict';
import { createProver } from '../../codegen/contain/contains.ts';
import { explain } from '../../codegen/diff/explain.ts';
import type { JsonSchema } from '../../codegen/model/types.ts';

const prover = createProver();

function causes(before: JsonSchema, after: JsonSchema, direction: 'in' | 'out'): string[] {
  const explanation = explain(before, after, direction, prover);
  if (explanation.verdict !== 'breaking') return [explanation.verdict];
  const [accepts, refuses] = direction === 'in' ? [before, after] : [after, before];
  for (const { witness } of explanation.causes) assert.ok(prover.disagree(accepts, refuses, witness));
  return explanation.causes.map(({ rule, path }) => `${rule} ${path}`);
}

function closed(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, required };
}

const page = (limit: JsonSchema): JsonSchema => closed({ filter: closed({ limit, text: { type: 'string' } }) });

/** Written out, its second keyword would make the object look like a promise. */
const CONDITION: Record<string, JsonSchema> = Object.fromEntries([
  ['if', { minLength: 2 }],
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword has this name
  ['then', { maxLength: 3 }],
]);

/** One small change, its name, and where it is; the mirror change must be silent in the same direction. */
const NARROWINGS: readonly (readonly [change: string, mirror: string, wide: JsonSchema, narrow: JsonSchema])[] = [
  ['maximum-lowered', 'maximum-raised', { type: 'integer', maximum: 100 }, { type: 'integer', maximum: 50 }],
  ['minimum-raised', 'minimum-lowered', { type: 'integer', minimum: 0 }, { type: 'integer', exclusiveMinimum: 0 }],
  ['max-length-lowered', 'max-length-raised', { type: 'string', maxLength: 200 }, { type: 'string', maxLength: 120 }],
  ['min-length-raised', 'min-length-lowered', { type: 'string' }, { type: 'string', minLength: 1 }],
  ['enum-value-removed', 'enum-value-added', { enum: ['ok', 'error'] }, { enum: ['ok'] }],
  ['enum-introduced', 'enum-dropped', { type: 'string' }, { type: 'string', enum: ['a'] }],
  ['const-added', 'const-removed', { type: 'string' }, { type: 'string', const: 'a' }],
  ['type-narrowed', 'type-widened', { type: 'number' }, { type: 'integer' }],
  ['type-narrowed', 'type-constraint-removed', {}, { type: 'string' }],
  ['nullable-removed', 'nullable-added', { type: ['string', 'null'] }, { type: 'string' }],
  ['nullable-removed', 'nullable-added', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string' }],
  ['multiple-of-added', 'multiple-of-removed', { type: 'integer' }, { type: 'integer', multipleOf: 5 }],
  ['multiple-of-changed', 'multiple-of-changed', { multipleOf: 2 }, { multipleOf: 4 }],
  ['pattern-added', 'pattern-removed', { type: 'string' }, { type: 'string', pattern: '^a' }],
  ['pattern-changed', 'pattern-changed', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^ab' }],
  ['min-items-raised', 'min-items-lowered', { type: 'array' }, { type: 'array', minItems: 1 }],
  ['max-items-lowered', 'max-items-raised', { type: 'array', maxItems: 9 }, { type: 'array', maxItems: 8 }],
  ['unique-items-added', 'unique-items-removed', { type: 'array' }, { type: 'array', uniqueItems: true }],
  ['contains-tightened', 'contains-loosened', { type: 'array' }, { type: 'array', contains: { const: 1 } }],
  ['additional-properties-closed', 'additional-properties-opened', { type: 'object' }, closed({})],
  ['min-properties-tightened', 'min-properties-loosened', { type: 'object' }, { type: 'object', minProperties: 1 }],
  [
    'property-names-tightened',
    'property-names-loosened',
    { type: 'object' },
    { type: 'object', propertyNames: { maxLength: 3 } },
  ],
  [
    'dependent-required-added',
    'dependent-required-removed',
    { type: 'object' },
    { type: 'object', dependentRequired: { a: ['b'] } },
  ],
  ['not-added', 'not-removed', { type: 'string' }, { type: 'string', not: { const: 'a' } }],
  ['if-then-else-added', 'if-then-else-removed', { type: 'string' }, { type: 'string', ...CONDITION }],
  [
    'any-of-member-removed',
    'any-of-member-added',
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { anyOf: [{ type: 'string' }] },
  ],
];

describe('explaining a break', () => {
  for (const [change, mirror, wide, narrow] of NARROWINGS) {
    it(`names ${change} on input and ${mirror} on output, and nothing the other way, for ${JSON.stringify(narrow)}`, () => {
      const [before, after] = [page(wide), page(narrow)];
      const path = '/properties/filter/properties/limit';
      const at = (found: string[]): string[] =>
        found.map((text) => text.replace(/\/(anyOf|dependentRequired)\/\w+$/, ''));
      assert.deepEqual(at(causes(before, after, 'in')), [`in-${change} ${path}`]);
      assert.deepEqual(causes(before, after, 'out'), ['compatible']);
      assert.deepEqual(at(causes(after, before, 'out')), [`out-${mirror} ${path}`]);
      assert.deepEqual(causes(after, before, 'in'), ['compatible']);
    });
  }

  it('names properties that came, went, were renamed or changed their obligation', () => {
    const text = { type: 'string' };
    assert.deepEqual(causes(closed({ a: text }), closed({ a: text, tags: text }), 'in'), ['compatible']);
    assert.deepEqual(causes(closed({ a: text }), closed({ a: text, tags: text }), 'out'), [
      'out-property-added-optional /properties/tags',
    ]);
    assert.deepEqual(causes(closed({ a: text, tags: text }), closed({ a: text }), 'in'), [
      'in-property-removed /properties/tags',
    ]);
    assert.deepEqual(causes(closed({ a: text }), closed({ a: text }, ['a']), 'in'), [
      'in-property-became-required /properties/a',
    ]);
    assert.deepEqual(causes(closed({ a: text }, ['a']), closed({ a: text }), 'out'), [
      'out-property-became-optional /properties/a',
    ]);
    assert.deepEqual(causes(closed({}), closed({ mode: text }, ['mode']), 'in'), [
      'in-property-added-required /properties/mode',
    ]);
    assert.deepEqual(causes(closed({ dataset_id: text }), closed({ dataset_ids: text }), 'in'), [
      'in-property-renamed /properties/dataset_id',
    ]);
  });

  it('says that a default does not save a new required input', () => {
    const after = closed({ mode: { type: 'string', default: 'fast' } }, ['mode']);
    assert.deepEqual(causes(closed({}), after, 'in'), ['in-property-added-required-with-default /properties/mode']);
  });

  it('reaches into the branch of a union through its reference', () => {
    const row = (required: string[]): JsonSchema => ({
      oneOf: [{ $ref: '#/$defs/Row' }, { type: 'null' }],
      $defs: { Row: closed({ score: { type: 'number' }, id: { type: 'string' } }, required) },
    });
    const found = causes(row(['id', 'score']), row(['id']), 'out');
    assert.deepEqual(found, ['out-property-became-optional /properties/score']);
  });

  it('keeps the member of a larger union in the path', () => {
    const union = (max: number): JsonSchema => ({
      oneOf: [
        closed({ kind: { const: 'a' }, n: { type: 'integer', maximum: max } }, ['kind']),
        closed({ kind: { const: 'b' } }, ['kind']),
      ],
    });
    assert.deepEqual(causes(union(9), union(8), 'in'), ['in-maximum-lowered /oneOf/0/properties/n']);
  });

  it('is silent about inlining, order and prose', () => {
    const inline: JsonSchema = { anyOf: [{ type: 'string', enum: ['user', 'admin'] }, { type: 'null' }] };
    const moved: JsonSchema = {
      anyOf: [{ $ref: '#/$defs/Role' }, { type: 'null' }],
      description: 'Who it is.',
      $defs: { Role: { title: 'Role', enum: ['admin', 'user'], type: 'string' } },
    };
    for (const direction of ['in', 'out'] as const) {
      assert.deepEqual(causes(inline, moved, direction), ['compatible']);
      assert.deepEqual(causes(moved, inline, direction), ['compatible']);
    }
  });

  it('reports a definition used twice as one cause', () => {
    const pair = (max: number): JsonSchema => ({
      type: 'object',
      additionalProperties: false,
      properties: { a: { $ref: '#/$defs/size' }, b: { $ref: '#/$defs/size' }, c: { type: 'integer', maximum: max } },
      $defs: { size: { type: 'integer', maximum: max } },
    });
    assert.deepEqual(causes(pair(9), pair(8), 'in'), [
      'in-maximum-lowered /properties/a',
      'in-maximum-lowered /properties/c',
    ]);
  });

  it('reports each of several breaks once, each with a call that shows it', () => {
    const before = closed({ a: { type: 'integer', maximum: 10 }, b: { enum: ['x', 'y'] }, c: { type: 'string' } });
    const after = closed({ a: { type: 'integer', maximum: 5 }, b: { enum: ['x'] }, c: { type: 'string' } }, ['c']);
    assert.deepEqual(causes(before, after, 'in').sort(), [
      'in-enum-value-removed /properties/b',
      'in-maximum-lowered /properties/a',
      'in-property-became-required /properties/c',
    ]);
  });

  it('follows a recursive schema to the one place that changed', () => {
    const tree = (max: number): JsonSchema => ({
      $ref: '#/$defs/node',
      $defs: { node: closed({ value: { type: 'integer', maximum: max }, next: { $ref: '#/$defs/node' } }) },
    });
    assert.deepEqual(causes(tree(9), tree(8), 'in'), ['in-maximum-lowered /properties/value']);
  });
});
