import assert from 'node:assert/strict';
import { createProver, type Containment } from '../../codegen/contain/contains.ts';
import { bundleDefs } from '../../codegen/model/bundle.ts';
import { loadModel } from '../../codegen/model/load-model.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';
import { knownEdit, picker, rewrite } from './contract-edits.ts';

/** How many edits and rewrites: `GATE_EDITS=500 …` for the long run. */
const EDITS = Number(process.env['GATE_EDITS'] ?? 120);
const SEED = 20_261_130;

describe('single edits of the real contracts', function () {
  this.timeout(EDITS * 400 + 20_000);
  const prover = createProver();
  let schemas: readonly { readonly name: string; readonly schema: JsonSchema }[] = [];

  before(async () => {
    const { model } = await loadModel('schemas');
    assert.ok(model !== undefined);
    const definitions = bundleDefs(model);
    schemas = model.tools.flatMap(({ name, input, output }) =>
      Object.entries({ input, output }).map(([side, schema]) => ({
        name: `${name} ${side}`,
        schema: withDefinitions(schema, definitions),
      })),
    );
    assert.ok(schemas.length >= 10);
  });

  it('are never called compatible when they break, and never breaking when they do not', () => {
    const pick = picker(SEED);
    const tally = { asked: 0, unknown: 0 };
    for (let count = 0; count < EDITS; count += 1) {
      const chosen = schemas[pick(schemas.length)];
      const edit = chosen === undefined ? undefined : knownEdit(chosen.schema, pick);
      if (chosen === undefined || edit === undefined) continue;
      const judge = (answer: Containment, breaks: boolean, way: string): void => {
        tally.asked += 1;
        if (answer.verdict === 'unknown') tally.unknown += 1;
        else assert.equal(answer.verdict, breaks ? 'refuted' : 'proved', `${chosen.name}: ${edit.what}, ${way}`);
      };
      judge(prover.contains(chosen.schema, edit.schema), edit.narrows, 'as an input');
      judge(prover.contains(edit.schema, chosen.schema), edit.widens, 'as an output');
    }
    const share = (100 * tally.unknown) / tally.asked;
    console.log(`    ${tally.asked} questions, ${tally.unknown} unknown (${share.toFixed(1)} %)`);
    assert.ok(share < 5);
  });

  it('are silent when they only say the same in another way', () => {
    const pick = picker(SEED + 1);
    for (let count = 0; count < Math.ceil(EDITS / 5); count += 1) {
      const chosen = schemas[pick(schemas.length)];
      if (chosen === undefined) continue;
      const same = rewrite(chosen.schema, pick);
      for (const [from, to] of [
        [chosen.schema, same],
        [same, chosen.schema],
      ] as const) {
        assert.deepEqual(prover.contains(from, to), { verdict: 'proved' }, chosen.name);
      }
    }
  });
});

/** Only the definitions a schema leads to: a validator compiles them all. */
function withDefinitions(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const needed = new Map<string, JsonSchema>();
  const visit = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) visit(inner);
    const reference = Array.isArray(value) ? undefined : Object.entries(value).find(([key]) => key === '$ref')?.[1];
    const name = typeof reference === 'string' ? reference.slice('#/$defs/'.length) : '';
    const found = definitions[name];
    if (found === undefined || needed.has(name)) return;
    needed.set(name, found);
    visit(found);
  };
  visit(schema);
  return typeof schema === 'boolean' ? schema : { ...schema, $defs: Object.fromEntries(needed) };
}
