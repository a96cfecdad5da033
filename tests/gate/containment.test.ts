import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createProver } from '../../codegen/contain/contains.ts';
import type { JsonSchema } from '../../codegen/model/types.ts';

/** One line per pair: the old schema, the new one, and whether every old value is still accepted. */
type Pair = readonly [before: JsonSchema, after: JsonSchema];
interface Family {
  readonly contained: readonly Pair[];
  readonly broken: readonly Pair[];
}

const text = { type: 'string' };
const whole = { type: 'integer' };
const object = (
  properties: Record<string, JsonSchema>,
  more: Record<string, JsonSchema | string[]> = {},
): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

/** A conditional schema; written out, its second keyword would make the object look like a promise. */
function when(test: JsonSchema, consequence: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries([
    ['if', test],
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword has this name
    ['then', consequence],
  ]);
}

const FAMILIES: Readonly<Record<string, Family>> = {
  'type and nullable forms': {
    contained: [
      [whole, { type: 'number' }],
      [text, { type: ['string', 'null'] }],
      [{ type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }],
      [{ anyOf: [text, { const: null }] }, { type: ['null', 'string'] }],
      [{ oneOf: [text, { enum: [null] }] }, { type: ['null', 'string'] }],
      [{ type: 'number', multipleOf: 1 }, whole],
      [false, text],
      [{ not: { type: ['null', 'boolean', 'number', 'array', 'object'] } }, text],
    ],
    broken: [
      [{ type: 'number' }, whole],
      [{ type: ['string', 'null'] }, text],
      [true, { type: ['null', 'boolean', 'number', 'string', 'array'] }],
      [{}, false],
    ],
  },
  'const and enum': {
    contained: [
      [{ const: 'a' }, { enum: ['b', 'a'] }],
      [{ enum: [1, 2] }, { enum: [2.0, 1.0, 3] }],
      [{ type: 'boolean' }, { enum: [true, false] }],
      [{ type: ['boolean', 'null'] }, { enum: [null, true, false] }],
      [{ enum: ['a', 'b', 7] }, { anyOf: [text, { minimum: 7 }] }],
      [{ const: { a: 1, b: [2] } }, { const: { b: [2], a: 1 } }],
      [{ type: 'integer', minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }],
      [{ type: 'array', maxItems: 1, items: { const: 1 } }, { enum: [[], [1]] }],
      [{ type: 'object', maxProperties: 0 }, { const: {} }],
    ],
    broken: [
      [{ enum: ['a', 'b'] }, { enum: ['a'] }],
      [text, { enum: ['a'] }],
      [{ type: 'boolean' }, { const: true }],
      [{ type: 'integer', minimum: 1, maximum: 4 }, { enum: [1, 2, 3] }],
      [{ type: 'array', maxItems: 2, items: { const: 1 } }, { enum: [[], [1]] }],
    ],
  },
  'bounds of numbers': {
    contained: [
      [
        { type: 'integer', exclusiveMinimum: 0 },
        { type: 'integer', minimum: 1 },
      ],
      [
        { type: 'integer', minimum: 0.5 },
        { type: 'integer', minimum: 1 },
      ],
      [{ minimum: 5 }, { minimum: 4.999 }],
      [{ type: 'number', minimum: 2, maximum: 2 }, { const: 2 }],
      [{ type: 'number', minimum: 3, maximum: 2 }, false],
      [{ type: 'number', exclusiveMinimum: 2, maximum: 2 }, false],
    ],
    broken: [
      [
        { type: 'number', exclusiveMinimum: 0 },
        { type: 'number', minimum: 1 },
      ],
      [{ maximum: 100 }, { maximum: 50 }],
      [{ minimum: 1 }, { exclusiveMinimum: 1 }],
      [{ type: 'number', minimum: 0.1, maximum: 0.2 }, false],
    ],
  },
  'multiples, in exact decimals': {
    contained: [
      [{ multipleOf: 6 }, { multipleOf: 3 }],
      [{ multipleOf: 0.3 }, { multipleOf: 0.1 }],
      [{ allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] }, { multipleOf: 12 }],
      [{ type: 'integer', multipleOf: 0.5 }, whole],
      [{ type: 'integer', multipleOf: 1.5 }, { multipleOf: 3 }],
      [{ type: 'integer', minimum: 1, maximum: 5, multipleOf: 2 }, { enum: [2, 4] }],
      [{ type: 'integer', minimum: 0, maximum: 1, not: { multipleOf: 2 } }, { const: 1 }],
    ],
    broken: [
      [{ multipleOf: 2 }, { multipleOf: 4 }],
      [{ multipleOf: 0.01 }, { multipleOf: 0.02 }],
      [{ type: 'number' }, { multipleOf: 0.001 }],
      [{ type: 'integer', not: { multipleOf: 2 } }, { multipleOf: 3 }],
    ],
  },
  'lengths in code points': {
    contained: [
      [{ maxLength: 100 }, { maxLength: 200 }],
      [{ type: 'string', minLength: 2, maxLength: 1 }, false],
      [{ const: '🐲🐲' }, { maxLength: 2 }],
      [{ type: 'string', maxLength: 0 }, { const: '' }],
      [
        { type: 'string', minLength: 5 },
        { type: 'string', minLength: 3, not: { maxLength: 4 } },
      ],
    ],
    broken: [
      [{ maxLength: 200 }, { maxLength: 120 }],
      [text, { type: 'string', minLength: 1 }],
      [{ type: 'string', maxLength: 1 }, { const: '' }],
      [{ const: '🐲🐲' }, { maxLength: 1 }],
    ],
  },
  'patterns as regular languages': {
    contained: [
      [{ pattern: '^ab*$' }, { pattern: '^a' }],
      [{ pattern: '^[0-9]+$' }, { pattern: '^\\d+$' }],
      [{ pattern: '^\\d{3}$' }, { minLength: 3, maxLength: 3 }],
      [{ pattern: '^(cat|dog)$', type: 'string' }, { enum: ['cat', 'dog', 'cow'] }],
      [{ type: 'string', pattern: '^a' }, { not: { pattern: '^b' } }],
      [{ type: 'string', pattern: '^(^a|b$)' }, { pattern: '^[ab]' }],
      [{ pattern: '^[a-z]{1,8}$' }, { pattern: '^[a-z0-9]{1,9}$' }],
      [
        { type: 'string', allOf: [{ pattern: '^a+$' }, { pattern: '^(aa)*$' }], minLength: 1, maxLength: 3 },
        { const: 'aa' },
      ],
      [{ type: 'string', pattern: '^🐲*$', maxLength: 1 }, { enum: ['', '🐲'] }],
      [{ type: 'string', pattern: 'a$', maxLength: 0 }, false],
    ],
    broken: [
      [{ pattern: '^a' }, { pattern: '^ab*$' }],
      [{ type: 'string', maxLength: 3 }, { pattern: '^.*$' }],
      [{ pattern: '^[a-z]{1,9}$' }, { pattern: '^[a-z]{1,8}$' }],
      [{ pattern: 'a' }, { pattern: '^a' }],
      [{ pattern: '^\\w+$' }, { pattern: '^[a-z]+$' }],
    ],
  },
  'properties and required': {
    contained: [
      [object({ a: whole }, { required: ['a', 'b'] }), object({ a: { type: 'number' } }, { required: ['a'] })],
      [
        object({ a: text }, { additionalProperties: false }),
        object({ a: text, b: text }, { additionalProperties: false }),
      ],
      [object({ a: false }, { required: ['a'] }), false],
      [object({ a: text, b: false }), object({ a: text }, { not: { type: 'object', required: ['b'] } })],
      [{ type: 'object', required: ['toString'] }, { minProperties: 1 }],
      [{ type: 'object', properties: { __proto__: whole } }, { properties: { __proto__: { type: 'number' } } }],
    ],
    broken: [
      [object({ a: text }), object({ a: text }, { required: ['a'] })],
      [
        object({ a: text, b: text }, { additionalProperties: false }),
        object({ a: text }, { additionalProperties: false }),
      ],
      [object({ a: text }), object({ a: text, b: text })],
      [
        { type: 'object', required: ['a'] },
        { type: 'object', required: ['a'], maxProperties: 1 },
      ],
      [{ type: 'object' }, { type: 'object', required: ['toString'] }],
    ],
  },
  'patternProperties, additionalProperties and propertyNames': {
    contained: [
      [{ patternProperties: { '^x': whole } }, { properties: { x1: { type: 'number' } } }],
      [{ type: 'object', additionalProperties: whole }, { patternProperties: { '^x': whole } }],
      [
        { type: 'object', patternProperties: { '^a': true }, additionalProperties: false },
        { propertyNames: { pattern: '^a' } },
      ],
      [
        { propertyNames: { pattern: '^a' } },
        {
          type: ['null', 'boolean', 'number', 'string', 'array', 'object'],
          patternProperties: { '^a': true },
          additionalProperties: false,
        },
      ],
      [{ type: 'object', propertyNames: { enum: ['a', 'b'] } }, { maxProperties: 2 }],
      [{ type: 'object', propertyNames: { maxLength: 3 } }, { properties: { long_name: false } }],
      [{ type: 'object', propertyNames: { pattern: '^[ab]$' }, minProperties: 3 }, false],
      [{ type: 'object', patternProperties: { '^a': text, b$: whole } }, { properties: { ab: false } }],
    ],
    broken: [
      // One property meets both demands: there is room for one only.
      [
        {
          type: 'object',
          maxProperties: 1,
          allOf: [{ not: { patternProperties: { '^a': false } } }, { not: { patternProperties: { b$: false } } }],
        },
        false,
      ],

      [{ patternProperties: { '^x': whole } }, { patternProperties: { x: whole } }],
      [
        { type: 'object', properties: { a: text } },
        { type: 'object', additionalProperties: text },
      ],
      [{ type: 'object', propertyNames: { maxLength: 3 } }, { propertyNames: { maxLength: 2 } }],
      [{ type: 'object', propertyNames: { pattern: '^[ab]$' }, minProperties: 2 }, false],
    ],
  },
  'sizes of objects and dependencies': {
    contained: [
      [{ type: 'object', required: ['a', 'b'] }, { minProperties: 2 }],
      [{ minProperties: 2 }, { minProperties: 1 }],
      [{ dependentRequired: { a: ['b', 'c'] } }, { dependentRequired: { a: ['c'] } }],
      [{ dependentSchemas: { a: { required: ['b'] } } }, { dependentRequired: { a: ['b'] } }],
      [{ type: 'object', required: ['a'], dependentRequired: { a: ['b'], b: ['c'] } }, { required: ['c'] }],
      [
        object({ a: true, b: true }, { additionalProperties: false, minProperties: 2 } as never),
        { required: ['a', 'b'] },
      ],
    ],
    broken: [
      [{ type: 'object', maxProperties: 3 }, { maxProperties: 2 }],
      [{ dependentRequired: { a: ['b'] } }, { dependentRequired: { b: ['a'] } }],
      [{ type: 'object' }, { dependentSchemas: { a: { properties: { b: text } } } }],
      [object({ a: true, b: true }, { additionalProperties: false } as never), { minProperties: 1 }],
    ],
  },
  'items, prefixItems and sizes of arrays': {
    contained: [
      [{ type: 'array', items: whole }, { items: { type: 'number' } }],
      [
        { type: 'array', prefixItems: [whole, text], items: false },
        { maxItems: 2, items: { type: ['integer', 'string'] } },
      ],
      [{ type: 'array', items: false }, { const: [] }],
      [{ type: 'array', prefixItems: [true, false] }, { maxItems: 1 }],
      [{ type: 'array', minItems: 2 }, { minItems: 1 }],
      [{ type: 'array', items: false, minItems: 1 }, false],
      [{ type: 'array', minItems: 1000 }, { minItems: 500 }],
    ],
    broken: [
      [{ type: 'array' }, { type: 'array', items: true, maxItems: 3 }],
      [{ type: 'array', prefixItems: [whole] }, { items: whole }],
      [{ type: 'array', maxItems: 500 }, { maxItems: 100 }],
      [{ type: 'array', items: { type: 'number' } }, { items: whole }],
    ],
  },
  'contains and its counts': {
    contained: [
      [{ type: 'array', contains: { const: 1 } }, { minItems: 1 }],
      [
        { contains: { const: 1 }, minContains: 3 },
        { contains: whole, minContains: 2 },
      ],
      [
        { type: 'array', items: { const: 1 }, minItems: 2 },
        { contains: { const: 1 }, minContains: 2 },
      ],
      [{ type: 'array', contains: { const: 1 }, maxContains: 0 }, false],
      [{ type: 'array', allOf: [{ contains: { const: 1 } }, { contains: { const: 2 } }] }, { minItems: 2 }],
      [{ type: 'array', contains: true, minContains: 2, maxItems: 1 }, false],
      [{ contains: { const: 1 }, minContains: 0 }, true],
    ],
    broken: [
      // Every item moves the bounded counter.
      [{ type: 'array', items: { const: 1 }, minItems: 2, contains: { const: 1 }, maxContains: 3 }, false],

      [
        { type: 'array', contains: { const: 1 }, maxContains: 3 },
        { contains: { const: 1 }, maxContains: 2 },
      ],
      [{ type: 'array', minItems: 1 }, { contains: whole }],
      [{ type: 'array', allOf: [{ contains: { minimum: 1 } }, { contains: { maximum: 2 } }] }, { minItems: 2 }],
      [{ type: 'array' }, { contains: { const: 1 }, minContains: 0, maxContains: 1 }],
    ],
  },
  uniqueItems: {
    contained: [
      [{ type: 'array', uniqueItems: true, items: { type: 'boolean' } }, { maxItems: 2 }],
      [{ type: 'array', uniqueItems: true, items: { enum: [1, 2] }, minItems: 3 }, false],
      [{ type: 'array', maxItems: 1 }, { uniqueItems: true }],
      [{ type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: false }, { uniqueItems: true }],
      [
        { type: 'array', uniqueItems: true, items: { type: 'array', maxItems: 1, items: { type: 'null' } } },
        { maxItems: 2 },
      ],
    ],
    broken: [
      // The first item must make way for the second.
      [{ type: 'array', prefixItems: [{ enum: [1, 2] }, { const: 1 }], minItems: 2, uniqueItems: true }, false],

      [{ type: 'array' }, { uniqueItems: true }],
      [{ type: 'array', uniqueItems: true, items: text, maxItems: 50 }, { maxItems: 40 }],
      [{ type: 'array', uniqueItems: true, items: { type: ['boolean', 'null'] } }, { maxItems: 2 }],
      [{ type: 'array', prefixItems: [whole, { const: 2 }] }, { uniqueItems: true }],
    ],
  },
  'unevaluated properties and items': {
    contained: [
      [
        {
          type: 'object',
          allOf: [{ properties: { id: text } }],
          properties: { name: text },
          unevaluatedProperties: false,
        },
        { properties: { id: text, name: text }, additionalProperties: false },
      ],
      [
        {
          type: 'object',
          anyOf: [
            { required: ['a'], properties: { a: true } },
            { required: ['b'], properties: { b: true } },
          ],
          unevaluatedProperties: false,
        },
        { propertyNames: { enum: ['a', 'b'] }, minProperties: 1 },
      ],
      [
        {
          type: 'object',
          ...when({ required: ['a'], properties: { a: true } }, { properties: { b: true } }),
          unevaluatedProperties: false,
        },
        { dependentRequired: { b: ['a'] } },
      ],
      [{ type: 'array', allOf: [{ prefixItems: [true, true] }], unevaluatedItems: false }, { maxItems: 2 }],
      [
        {
          type: 'object',
          $ref: '#/$defs/base',
          unevaluatedProperties: false,
          $defs: { base: { properties: { a: text } } },
        },
        object({ a: text }, { additionalProperties: false }),
      ],
    ],
    broken: [
      // Only the members that accept the value mark properties.
      [
        {
          type: 'object',
          anyOf: [
            { required: ['a'], properties: { a: true } },
            { required: ['b'], properties: { b: true } },
          ],
          unevaluatedProperties: false,
        },
        { required: ['a', 'b'] },
      ],

      [
        {
          type: 'object',
          allOf: [{ properties: { id: text } }],
          properties: { name: text },
          additionalProperties: text,
        },
        {
          type: 'object',
          allOf: [{ properties: { id: text } }],
          properties: { name: text },
          unevaluatedProperties: false,
        },
      ],
      [
        { type: 'array', prefixItems: [text] },
        { type: 'array', prefixItems: [text], unevaluatedItems: false },
      ],
      [
        {
          type: 'object',
          oneOf: [{ required: ['a'], properties: { a: true, b: true } }],
          unevaluatedProperties: false,
        },
        { maxProperties: 1 },
      ],
    ],
  },
  'allOf, anyOf, oneOf, not and conditionals': {
    contained: [
      [{ allOf: [{ minimum: 1 }, { maximum: 3 }], type: 'integer' }, { enum: [1, 2, 3] }],
      [{ oneOf: [text, whole] }, { anyOf: [text, whole] }],
      [{ anyOf: [text, whole] }, { oneOf: [text, whole] }],
      [
        { anyOf: [{ minimum: 5 }, { maximum: 3 }], type: 'number' },
        { not: { exclusiveMinimum: 3, exclusiveMaximum: 5, type: 'number' } },
      ],
      [when(text, { minLength: 3 }), { anyOf: [{ not: text }, { minLength: 2 }] }],
      [
        {
          oneOf: [
            object({ kind: { const: 'a' } }, { required: ['kind'] }),
            object({ kind: { const: 'b' } }, { required: ['kind'] }),
          ],
        },
        object({ kind: { enum: ['a', 'b'] } }, { required: ['kind'] }),
      ],
      [{ not: { anyOf: [text, { type: 'null' }] } }, { not: text }],
    ],
    broken: [
      [{ anyOf: [whole, { minimum: 2 }] }, { oneOf: [whole, { minimum: 2 }] }],
      [{ type: 'string' }, when({ minLength: 2 }, { pattern: '^a' })],
      [true, { not: { const: 3 } }],
      [
        { oneOf: [object({ row: object({ score: whole }, { required: ['score'] }) }), text] },
        { oneOf: [object({ row: object({ score: whole }, { required: ['score', 'id'] }) }), text] },
      ],
    ],
  },
  'references, recursion and where definitions stand': {
    contained: [
      [
        { anyOf: [{ type: 'string', enum: ['user', 'admin'] }, { type: 'null' }] },
        {
          anyOf: [{ $ref: '#/$defs/Role' }, { type: 'null' }],
          $defs: { Role: { title: 'Role', type: 'string', enum: ['admin', 'user'] } },
        },
      ],
      [
        { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' }, value: whole }) } },
        {
          $ref: '#/$defs/other',
          $defs: { other: object({ value: { type: 'number' }, next: { $ref: '#/$defs/other' } }) },
        },
      ],
      [
        {
          $ref: '#/$defs/endless',
          $defs: { endless: object({ next: { $ref: '#/$defs/endless' } }, { required: ['next'] }) },
        },
        false,
      ],
      [
        { $anchor: 'tree', type: 'array', items: { $ref: '#tree' } },
        { type: 'array', items: { type: 'array' } },
      ],
      [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, { type: ['object', 'boolean'] }],
    ],
    broken: [
      // What is empty inside a search for itself need not be empty beside it.
      [
        {
          type: 'array',
          prefixItems: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
          minItems: 2,
          $defs: {
            a: {
              anyOf: [
                { type: 'array', minItems: 1, items: { $ref: '#/$defs/b' } },
                { type: 'object', maxProperties: 0 },
              ],
            },
            b: { type: 'array', minItems: 1, items: { $ref: '#/$defs/a' } },
          },
        },
        false,
      ],

      [
        {
          $ref: '#/$defs/node',
          $defs: { node: object({ next: { $ref: '#/$defs/node' }, value: { type: 'number' } }) },
        },
        { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' }, value: whole }) } },
      ],
      [
        { type: 'array', items: { $ref: '#' } },
        { type: 'array', items: { type: 'array', maxItems: 2 } },
      ],
      [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, { type: 'object' }],
    ],
  },
};

describe('containment by keyword family', () => {
  const prover = createProver();
  for (const [family, { contained, broken }] of Object.entries(FAMILIES)) {
    it(`proves what holds for ${family}`, () => {
      for (const [before, after] of contained) {
        assert.deepEqual(prover.contains(before, after), { verdict: 'proved' }, JSON.stringify([before, after]));
      }
    });
    it(`finds a witness both validators disagree on for ${family}`, () => {
      for (const [before, after] of broken) {
        const answer = prover.contains(before, after);
        assert.equal(answer.verdict, 'refuted', JSON.stringify([before, after, answer]));
        if (answer.verdict !== 'refuted') continue;
        const validate = (schema: JsonSchema): boolean =>
          new Ajv2020({ strict: false, ownProperties: true }).compile(schema)(answer.witness) === true;
        assert.deepEqual([validate(before), validate(after)], [true, false], JSON.stringify([before, after, answer]));
      }
    });
  }
});
