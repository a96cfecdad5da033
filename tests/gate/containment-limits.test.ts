import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contains, createProver } from '../../codegen/contain/contains.ts';
import { SchemaFault } from '../../codegen/contain/stop.ts';
import type { JsonSchema } from '../../codegen/model/types.ts';

const branches = (count: number): JsonSchema => ({
  oneOf: Array.from({ length: count }, (_, at) => ({
    type: 'object',
    required: [`p${at}`],
    properties: { [`p${at}`]: { type: 'string', minLength: at + 1 }, [`p${(at + 1) % count}`]: { type: 'integer' } },
  })),
});

describe('the bounds of the prover', () => {
  it('give unknown with the reason, the keyword and its place, and never a verdict', () => {
    const changed = {
      ...(branches(9) as Record<string, JsonSchema>),
      title: 'changed',
      minProperties: 1,
    } as JsonSchema;
    const answer = contains(branches(9), changed, { limits: { steps: 3 } });
    assert.deepEqual(answer, { verdict: 'unknown', keyword: 'oneOf', path: '/oneOf', reason: 'budget' });
  });

  it('hold for deep nesting, long lists and large numbers', () => {
    const deep = Array.from({ length: 300 }).reduce<JsonSchema>((inner) => ({ type: 'array', items: inner }), {
      type: 'string',
    });
    const deeper = Array.from({ length: 300 }).reduce<JsonSchema>((inner) => ({ type: 'array', items: inner }), {
      type: 'number',
    });
    assert.notEqual(contains(deep, deeper).verdict, 'proved');
    const long = { enum: Array.from({ length: 4000 }, (_, at) => `member ${at}`) };
    assert.equal(contains({ enum: long.enum.slice(1) }, long).verdict, 'proved');
    assert.deepEqual(contains(long, { enum: long.enum.slice(1) }), { verdict: 'refuted', witness: 'member 0' });
    assert.equal(contains({ type: 'integer', minimum: 1e300 }, { minimum: 1e299 }).verdict, 'proved');
    assert.equal(contains({ type: 'string', minLength: 1_000_000 }, { minLength: 999_999 }).verdict, 'proved');
  });

  it('name the pattern that is no regular language', () => {
    const around = { type: 'string', pattern: '^(?=.*[0-9]).{3,8}$' };
    const answer = contains(around, { type: 'string', pattern: '[0-9].*|.{9}' });
    assert.equal(answer.verdict, 'unknown');
    assert.ok(answer.verdict === 'unknown' && answer.keyword === 'pattern' && answer.path === '/pattern');
    assert.equal(contains(around, { type: 'string', maxLength: 2 }).verdict, 'refuted');
    assert.deepEqual(contains({ type: 'string' }, around), { verdict: 'refuted', witness: '' });
  });
});

describe('what the prover reads', () => {
  it('is never fetched', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('true');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    // because a listening TCP server has an address with a port
    const { port } = server.address() as AddressInfo;
    const remote: JsonSchema = { properties: { a: { $ref: `http://127.0.0.1:${port}/common.json` } } };
    const answer = contains({ type: 'object' }, remote);
    await new Promise((done) => server.close(done));
    assert.equal(asked, 0);
    assert.ok(answer.verdict === 'unknown' && answer.keyword === '$ref' && answer.path === '/properties/a/$ref');
  });

  it('is refused when it is no schema', () => {
    assert.throws(() => contains({ type: 'interger' }, true), SchemaFault);
    assert.throws(() => contains(true, { required: 'name' }), SchemaFault);
    // because a caller without types can pass anything
    assert.throws(() => contains([] as unknown as JsonSchema, true), SchemaFault);
  });

  it('may name an older dialect as long as both read it alike', () => {
    const draft = { $schema: 'http://json-schema.org/draft-07/schema#' };
    const before = { ...draft, type: 'object', properties: { a: { type: 'integer', maximum: 9 } } };
    assert.equal(contains(before, { type: 'object', properties: { a: { type: 'integer' } } }).verdict, 'proved');
    assert.deepEqual(
      contains(before, { ...draft, type: 'object', properties: { a: { type: 'integer', maximum: 8 } } }),
      {
        verdict: 'refuted',
        witness: { a: 9 },
      },
    );
    const tuple = contains({ ...draft, items: [{ type: 'string' }], additionalItems: false }, true);
    assert.ok(tuple.verdict === 'unknown' && tuple.keyword === '$schema' && tuple.path === '/additionalItems');
    const unheard = contains({ $schema: 'https://example.com/own' }, true);
    assert.ok(unheard.verdict === 'unknown' && unheard.keyword === '$schema');
  });

  it('may be named like a keyword or like a member every object has', () => {
    const named = (type: string): JsonSchema => ({
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        ['$ref', 'enum', 'type', 'toString', '__proto__', 'constructor'].map((name) => [name, { type }]),
      ),
    });
    assert.equal(contains(named('integer'), named('number')).verdict, 'proved');
    assert.equal(contains(named('number'), named('integer')).verdict, 'refuted');
  });

  it('counts as an annotation when the standard says so', () => {
    for (const note of [
      { default: 1 },
      { examples: [1] },
      { contentEncoding: 'base64' },
      { format: 'email' },
      { readOnly: true },
    ]) {
      assert.deepEqual(contains({ type: 'string' }, { type: 'string', ...note }), { verdict: 'proved' });
    }
  });

  it('decides nothing where validators and the standard part ways', () => {
    for (const schema of [{ dependencies: { a: ['b'] } }, { type: 'string', nullable: true }] as JsonSchema[]) {
      assert.equal(contains({ type: ['string', 'object', 'null'] }, schema).verdict === 'proved', false);
      assert.equal(contains(schema, schema).verdict, 'proved');
    }
  });
});

describe('asserted formats', () => {
  const prover = createProver({ formats: 'assert' });
  const text = (format: string): JsonSchema => ({ type: 'string', format });

  it('refuse values, and are proved against patterns that hold them', () => {
    assert.equal(prover.contains({ type: 'string' }, text('date')).verdict, 'refuted');
    assert.equal(prover.contains(text('uuid'), { pattern: '^[0-9a-fA-FurnidURNID:-]+$' }).verdict, 'proved');
    assert.equal(prover.contains(text('date-time'), { minLength: 20 }).verdict, 'proved');
    assert.equal(prover.contains(text('ipv4'), { maxLength: 15 }).verdict, 'proved');
    assert.equal(prover.contains(text('ipv4'), { maxLength: 14 }).verdict, 'refuted');
    assert.equal(prover.contains(text('email'), text('date')).verdict, 'refuted');
    assert.equal(prover.contains({ const: 'a@example.com' }, text('email')).verdict, 'proved');
  });

  it('stay undecided where nobody here knows the format', () => {
    const answer = prover.contains(text('idn-hostname'), { type: 'string', maxLength: 9 });
    assert.ok(answer.verdict === 'unknown' && answer.keyword === 'format');
  });
});

describe('answers', () => {
  it('are the same every time, in any order of keys, on a used prover or a new one', () => {
    const before: JsonSchema = {
      type: 'object',
      properties: { a: { enum: [3, 1, 2] }, b: { type: 'string' } },
      required: ['a', 'b'],
    };
    const after: JsonSchema = {
      required: ['b', 'a'],
      properties: { b: { type: 'string', pattern: '^x' }, a: { enum: [2, 3] } },
      type: 'object',
    };
    const reversed = JSON.parse(JSON.stringify(before), (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as JsonSchema;
    const used = createProver();
    const answers = [
      contains(before, after),
      used.contains(before, after),
      used.contains(before, after),
      used.contains(reversed, after),
    ];
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.verdict, 'refuted');
  });
});
