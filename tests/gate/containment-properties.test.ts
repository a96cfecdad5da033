import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { createProver } from '../../codegen/contain/contains.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';
import { mutated, schema, value } from './random-schemas.ts';

/** How many pairs: `GATE_PAIRS=10000 npx mocha tests/gate/containment-properties.test.ts` for the long run. */
const PAIRS = Number(process.env['GATE_PAIRS'] ?? 600);
const SEED = Number(process.env['GATE_SEED'] ?? 20_261_130);
const SAMPLES = fc.sample(value, { numRuns: 400, seed: SEED });

/**
 * What a second opinion says. Rarely the validator breaks on a schema of its own making (`contains` beside
 * `unevaluatedItems` in branches): it says nothing then, and how often that happens is told and bounded.
 */
function validator(of: JsonSchema, broken: Set<JsonSchema>): (candidate: JsonValue) => boolean | undefined {
  const options = { strict: false, validateSchema: false, ownProperties: true, validateFormats: false } as const;
  const validate = new Ajv2020(options).compile(of);
  return (candidate) => {
    try {
      return validate(candidate);
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      broken.add(of);
      return undefined;
    }
  };
}

describe('containment on random pairs', () => {
  const prover = createProver();
  const tally = { proved: 0, refuted: 0, unknown: 0 };
  const reasons = new Map<string, number>();
  const broken = new Set<JsonSchema>();

  function judge(before: JsonSchema, after: JsonSchema): void {
    const answer = prover.contains(before, after);
    tally[answer.verdict] += 1;
    if (answer.verdict === 'unknown') {
      const reason = `${answer.keyword}: ${answer.reason.slice(0, 60)}`;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return;
    }
    const accepts = validator(before, broken);
    const stillAccepts = validator(after, broken);
    if (answer.verdict === 'refuted') {
      const said = [accepts(answer.witness), stillAccepts(answer.witness)];
      if (!said.includes(undefined))
        assert.deepEqual(said, [true, false], JSON.stringify([before, after, answer.witness]));
      return;
    }
    const counter = SAMPLES.find((sample) => accepts(sample) === true && stillAccepts(sample) === false);
    assert.equal(
      counter,
      undefined,
      `proved, yet ${JSON.stringify(counter)} tells ${JSON.stringify([before, after])} apart`,
    );
  }

  it('never contradicts a sampled payload on unrelated schemas', function () {
    this.timeout(PAIRS * 200 + 20_000);
    fc.assert(fc.property(schema, schema, judge), { numRuns: Math.ceil(PAIRS / 2), seed: SEED });
  });

  it('never contradicts a sampled payload on edited schemas', function () {
    this.timeout(PAIRS * 200 + 20_000);
    fc.assert(
      fc.property(mutated, ([before, after]) => judge(before, after)),
      { numRuns: Math.ceil(PAIRS / 2), seed: SEED },
    );
  });

  it('proves every schema contained in itself however it is wrapped', function () {
    this.timeout(PAIRS * 200 + 20_000);
    fc.assert(
      fc.property(schema, (given) => {
        const wrapped: JsonSchema = { $defs: { moved: given }, allOf: [{ $ref: '#/$defs/moved' }], title: 'moved' };
        assert.notEqual(prover.contains(given, wrapped).verdict, 'refuted');
        assert.notEqual(prover.contains(wrapped, given).verdict, 'refuted');
      }),
      { numRuns: Math.ceil(PAIRS / 4), seed: SEED },
    );
  });

  after(() => {
    const total = tally.proved + tally.refuted + tally.unknown;
    const share = ((100 * tally.unknown) / Math.max(1, total)).toFixed(1);
    console.log(
      `    ${total} pairs: ${tally.proved} proved, ${tally.refuted} refuted, ${tally.unknown} unknown (${share} %)`,
    );
    for (const [reason, count] of reasons) console.log(`      ${count} × ${reason}`);
    if (broken.size > 0) console.log(`      ${broken.size} schemas break the validator that gives the second opinion`);
    assert.ok(broken.size <= Math.ceil(total / 1_000), 'too many pairs went without a second opinion');
  });
});
