import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { checkValue } from '../../../codegen/grammar/check-value.ts';
import { isObject } from '../../../codegen/grammar/value-kinds.ts';
import { FORMATS } from '../../../codegen/grammar/formats.ts';
import { GRAMMAR, publishedGrammar } from '../../../codegen/grammar/index.ts';
import type { JsonSchema, JsonValue } from '../../../codegen/model/types.ts';

const PUBLISHED = new URL('../../../schemas/meta/', import.meta.url);

function published(): Map<string, JsonValue> {
  return new Map([...publishedGrammar()].map(([file, text]) => [file, JSON.parse(text) as JsonValue]));
}

/** An independent validator of the same dialect. */
function ajv(): Ajv2020 {
  return new Ajv2020({
    strict: false,
    allErrors: false,
    ownProperties: true,
    multipleOfPrecision: 9,
    formats: { ...FORMATS },
  });
}

function schemaArbitrary(): fc.Arbitrary<JsonSchema> {
  const small = fc.integer({ min: 0, max: 4 });
  const scalar = fc.oneof(
    fc.integer({ min: -3, max: 5 }),
    fc.constantFrom('', 'a', 'ab', 'abc'),
    fc.boolean(),
    fc.constant(null),
  );
  const name = fc.constantFrom('a', 'b', 'c');
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array', 'null'),
            fc.constant(['string', 'null']),
          ),
          enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
          minLength: small,
          maxLength: small,
          pattern: fc.constantFrom('^a', 'b$', '^[a-c]+$'),
          minimum: small,
          exclusiveMaximum: small,
          multipleOf: fc.constantFrom(1, 2, 0.5),
          minItems: small,
          maxItems: small,
          uniqueItems: fc.boolean(),
          minProperties: small,
          maxProperties: small,
          required: fc.uniqueArray(name, { maxLength: 2 }),
          dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), { maxKeys: 1 }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          dependentSchemas: fc.dictionary(name, tie('schema'), { maxKeys: 1 }),
          unevaluatedProperties: tie('schema'),
          items: tie('schema'),
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          unevaluatedItems: tie('schema'),
        },
        { requiredKeys: [] },
      ),
      // Apart from prefixItems: beside those the other validator accepts an empty list that must contain something.
      fc.record({ contains: tie('schema'), minContains: small, maxContains: small }, { requiredKeys: ['contains'] }),
      fc.record(
        {
          allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          not: tie('schema'),
          if: tie('schema'),
          // oxlint-disable-next-line unicorn/no-thenable -- the JSON Schema keyword
          then: tie('schema'),
          else: tie('schema'),
        },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<JsonSchema>,
  }));
  return schema;
}

function valueArbitrary(): fc.Arbitrary<JsonValue> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(null, true, false, -1, 0, 1, 2, 2.5, 4, '', 'a', 'ab', 'abc', 'b', 'x'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
    ) as fc.Arbitrary<JsonValue>,
  }));
  return value;
}

describe('the published grammar', () => {
  it('equals what the compiler checks by', () => {
    const files = new Map(
      readdirSync(PUBLISHED).map((file) => [
        file,
        JSON.parse(readFileSync(new URL(file, PUBLISHED), 'utf8')) as JsonValue,
      ]),
    );
    assert.deepEqual([...files.keys()].sort(), [...published().keys()].sort());
    for (const [file, value] of published()) assert.deepEqual(files.get(file), value, `${file} is stale`);
  });

  it('is valid JSON Schema 2020-12 for every kind', () => {
    for (const [file, schema] of published()) assert.doesNotThrow(() => ajv().compile(schema as object), file);
    assert.equal(published().size, Object.keys(GRAMMAR).length);
  });

  it('describes every key of every map', () => {
    const bare: string[] = [];
    const walk = (node: JsonValue | undefined, place: string): void => {
      if (!isObject(node)) return;
      const members = isObject(node['properties']) ? node['properties'] : {};
      for (const [name, one] of Object.entries(members)) {
        if (!isObject(one) || one['description'] === undefined) bare.push(`${place}/${name}`);
        walk(one, `${place}/${name}`);
      }
      walk(node['items'], `${place}/items`);
      walk(node['additionalProperties'], `${place}/*`);
      const definitions = isObject(node['$defs']) ? node['$defs'] : {};
      for (const [name, one] of Object.entries(definitions)) walk(one, `${place}/${name}`);
    };
    for (const [file, schema] of published()) walk(schema, file);
    assert.deepEqual(bare, []);
  });
});

describe('checkValue', () => {
  it('agrees with an independent validator on random schemas and values', () => {
    fc.assert(
      fc.property(schemaArbitrary(), fc.array(valueArbitrary(), { minLength: 5, maxLength: 5 }), (schema, values) => {
        const validate = ajv().compile(schema as object | boolean);
        for (const value of values) {
          const faults = checkValue(schema, value, { resolve: () => undefined });
          assert.equal(faults.length === 0, validate(value), JSON.stringify({ schema, value, faults }));
        }
      }),
      { numRuns: 150, seed: 20261130 },
    );
  });

  it('counts decimal multiples by their decimal digits', () => {
    const cost: JsonSchema = { type: 'number', multipleOf: 0.01 };
    assert.deepEqual(checkValue(cost, 8.69, { resolve: () => undefined }), []);
    assert.equal(checkValue(cost, 8.695, { resolve: () => undefined }).length, 1);
  });

  it('does not take inherited names for members', () => {
    const schema: JsonSchema = { type: 'object', required: ['toString'] };
    assert.deepEqual(
      checkValue(schema, {}, { resolve: () => undefined }).map(({ keyword }) => keyword),
      ['required'],
    );
  });

  it('stops at a schema that refers to itself for ever', () => {
    const endless: JsonSchema = { $ref: '#/$defs/Endless' };
    assert.equal(checkValue(endless, 1, { resolve: () => endless }).length, 1);
  });
});
