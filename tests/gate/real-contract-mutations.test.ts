/** The whole gate on single edits of the real contracts, held against payloads that validators are asked about. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { callable, promised, whole } from '../../codegen/diff/compare/promise.ts';
import { compare } from '../../codegen/diff/diff.ts';
import type { LoadedSurface } from '../../codegen/diff/loaded.ts';
import type { Surface, ToolSurface } from '../../codegen/diff/surface/types.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';
import { knownEdit, picker, rewrite } from './contract-edits.ts';
import { loaded, realTree, surfaceOf, TODAY } from './support/trees.ts';
import { samplesOf } from './support/samples.ts';

/** How many edits: `GATE_MUTATIONS=500 …` for the long run. */
const EDITS = Number(process.env['GATE_MUTATIONS'] ?? 30);
const REWRITES = Math.ceil(EDITS / 5);
const SAMPLES = 200;
const SEED = 20_261_201;

describe('the gate on single edits of the real contracts', function () {
  this.timeout(EDITS * 3000 + 30_000);
  let base: LoadedSurface;

  before(async () => {
    base = await surfaceOf(realTree(), 'contracts');
  });

  function withBody(name: string, end: 'input' | 'output', schema: JsonSchema): LoadedSurface {
    const { surface } = base;
    const tool = surface.tools[name];
    assert.ok(tool !== undefined);
    const edited: ToolSurface = { ...tool, [end]: schema };
    return loaded({ ...surface, tools: { ...surface.tools, [name]: edited } }, 'edited');
  }

  function pickBody(pick: (below: number) => number): { name: string; end: 'input' | 'output'; schema: JsonSchema } {
    const names = Object.keys(base.surface.tools);
    const name = names[pick(names.length)] ?? '';
    const end = pick(2) === 0 ? 'input' : 'output';
    const tool = base.surface.tools[name];
    assert.ok(tool !== undefined);
    return { name, end, schema: whole((end === 'input' ? tool.input : tool.output) ?? true, base.surface.definitions) };
  }

  it('misses no break that a payload shows, and shows a payload for every break', async () => {
    const pick = picker(SEED);
    const tally = { edits: 0, breaking: 0, shown: 0, unknown: 0, asked: 0 };
    while (tally.edits < EDITS) {
      const { name, end, schema } = pickBody(pick);
      const edit = knownEdit(schema, pick);
      if (edit === undefined) continue;
      tally.edits += 1;
      const { report, effort } = await compare(base, withBody(name, end, edit.schema), { today: TODAY });
      tally.asked += effort.asked;
      tally.unknown += effort.undecided;
      const [accepts, refuses] =
        end === 'input'
          ? [compile(callable(schema)), compile(callable(edit.schema))]
          : [compile(edit.schema), compile(promised(schema))];
      const broken = report.findings.filter(({ verdict }) => verdict === 'breaking' || verdict === 'unknown');
      const source = end === 'input' ? schema : edit.schema;
      const shown = samplesOf(source, pick, SAMPLES).some((value) => accepts(value) && !refuses(value));
      const label = `${name} ${end}: ${edit.what}`;
      if (shown) assert.ok(broken.length > 0, `${label} was missed`);
      // A member with a default may be left out although it is required: the server fills it in.
      const certain = edit.narrows && !edit.what.startsWith('optional property becomes required');
      if (end === 'input' && certain) assert.ok(broken.length > 0, `${label} narrows and was missed`);
      tally.shown += shown ? 1 : 0;
      for (const { verdict, witness, rule } of broken) {
        if (verdict !== 'breaking' || !/^(?:in|out)-/u.test(rule)) continue;
        tally.breaking += 1;
        assert.ok(witness !== undefined, label);
        assert.ok(accepts(witness.value) && !refuses(witness.value), `${label}: the witness proves nothing`);
      }
    }
    const share = (100 * tally.unknown) / Math.max(1, tally.asked);
    console.log(
      `    ${tally.edits} edits, ${tally.breaking} breaks shown by a witness, ${tally.shown} seen by sampling, ${share.toFixed(1)} % unknown`,
    );
    assert.ok(share < 5);
  });

  it('says nothing of rewrites that change no accepted value', async () => {
    const pick = picker(SEED + 1);
    let count = 0;
    while (count < REWRITES) {
      const { name, end, schema } = pickBody(pick);
      const same = rewrite(schema, pick);
      // Taking a default away leaves the accepted values alone and still changes what a call means.
      if (defaults(same) !== defaults(schema)) continue;
      count += 1;
      const { report } = await compare(base, withBody(name, end, same), { today: TODAY });
      const loud = report.findings.filter(
        ({ verdict, rule }) => verdict !== 'notice' && !rule.endsWith('description-changed'),
      );
      assert.deepEqual(
        loud.map(({ rule, path }) => `${rule} ${path}`),
        [],
        `${name} ${end}`,
      );
    }
  });

  it('does not find a difference between a surface and itself', async () => {
    const copy: Surface = structuredClone(base.surface);
    const { report } = await compare(base, loaded(copy, 'copy'), { today: TODAY, rules: 'source' });
    assert.deepEqual(report.findings, []);
  });
});

function defaults(schema: JsonSchema): number {
  return JSON.stringify(schema).split('"default":').length;
}

function compile(schema: JsonSchema): (value: JsonValue) => boolean {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}
