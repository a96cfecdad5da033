import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isJsonObject } from '../../../codegen/canonical/json.ts';
import { Makers } from '../../../codegen/mock/makers.ts';
import { PROFILE_NEEDS } from '../../../codegen/model/profile-needs.ts';
import { projectForProfile } from '../../../codegen/project/profile.ts';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import { compileTree, REPOSITORY, withTools } from '../support-back/workshop.ts';
import { realParts } from '../support-mock/serving.ts';
import type { Parts } from '../support-mock/serving.ts';

/** Made-up calls of each tool, for every profile. */
const VALUES = Number(process.env['PROFILE_VALUES'] ?? 20);

describe('client profiles', () => {
  let parts: Parts;
  before(async () => {
    parts = await realParts();
  });

  it('name a source and a day for every limit, refusal and need', () => {
    assert.ok(parts.model.profiles.length >= 5);
    for (const { name, limits, refuses, refusesAtRoot, needs, sources } of parts.model.profiles) {
      const said = [...Object.keys(limits), ...refuses, ...refusesAtRoot.map((keyword) => `root ${keyword}`), ...needs];
      assert.deepEqual(sources.map(({ of }) => of).sort(), said.sort(), name);
    }
  });

  it('accept every value the authored input accepts', () => {
    const makers = new Makers(parts.canonical, 'profiles');
    const calls = new Map(
      parts.model.tools.map((tool) => {
        const made = Array.from({ length: VALUES }, (_, index) => makers.make(`${tool.typeName}Input`, String(index)));
        const sent = [...made, ...tool.examples.map(({ input }) => input)].map((value) => {
          assert.ok(isJsonObject(value ?? null), tool.name);
          // A null that may be left out is not published for anyone.
          const shown = Object.entries(value ?? {}).filter(([, one]) => one !== null);
          return Object.fromEntries([...(tool.context === 'project' ? [['project_id', 'p']] : []), ...shown]);
        });
        return [tool.name, sent] as const;
      }),
    );
    for (const profile of parts.model.profiles) {
      const ajv = new Ajv2020({ strict: false });
      addFormats.default(ajv);
      for (const { name, inputSchema } of projectForProfile(parts.model, parts.projection, profile).tools) {
        const validate = ajv.compile(inputSchema);
        for (const sent of calls.get(name) ?? [])
          assert.ok(validate(sent), `${profile.name} ${name}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  });

  it('drop each refused keyword, and each drop is told', () => {
    const gemini = parts.model.profiles.find(({ name }) => name === 'gemini');
    assert.ok(gemini);
    const { tools, losses } = projectForProfile(parts.model, parts.projection, gemini);
    assert.doesNotMatch(JSON.stringify(tools), /"additionalProperties":/u);
    assert.ok(losses.some(({ keyword }) => keyword === 'additionalProperties'));
  });

  it('tell which tool a client will not see, and which text it cuts', async () => {
    const files = edited({ 'strict:/limits': { tools: 3, instructions: 20, tool_name: 48 } });
    await inProject(async (folder) => {
      assert.equal((await run(folder, 'project', '--profile', 'nobody')).code, 2);
    });
    await inProject(async (folder) => {
      assert.equal((await run(folder, 'project', '--profile', 'strict')).code, 1);
    }, files);
    const strict = {
      name: 's',
      title: 'S',
      description: '',
      limits: { tools: 3, instructions: 20 },
      refuses: [],
      refusesAtRoot: [],
      needs: [],
      sources: [],
    };
    const [any] = parts.model.profiles;
    assert.ok(any);
    const view = projectForProfile(parts.model, parts.projection, { ...strict, source: any.source });
    assert.equal(view.tools.length, 3);
    assert.equal(view.instructions.length, 20);
    assert.equal(
      view.losses.filter(({ message }) => /Only 3 tools/u.test(message)).length,
      parts.model.tools.length - 3,
    );
  });

  it('tell what a tool lacks that a client wants, with the place', async () => {
    const open = {
      properties: {
        id: { type: 'string', maxLength: 9 },
        rest: { type: 'object', open: 'Members are up to the caller.', maxProperties: 9 },
      },
      required: ['rest'],
    };
    const { canonical, projection } = await compileTree(withTools({ try_it: { input: open } }));
    const [any] = parts.model.profiles;
    assert.ok(any);
    const wants = { ...any, limits: { schema_properties: 1, schema_depth: 0, argument_description: 2 }, refuses: [] };
    const { losses } = projectForProfile(canonical.model, projection, {
      ...wants,
      refusesAtRoot: ['required'],
      needs: [...PROFILE_NEEDS],
    });
    assert.deepEqual(
      losses
        .filter(({ entity }) => entity.startsWith('tool try_it'))
        .map(({ pointer, keyword, of }) => `${pointer} ${keyword} ${of}`.trim()),
      [
        'required root required',
        'input schema_depth',
        'input schema_properties',
        '/properties/rest closed_objects closed_objects',
        'all_required all_required',
      ],
    );
  });

  it('stand in one table, and one tool can be asked for with what no client sees', async () => {
    const table = await run(REPOSITORY, 'project');
    assert.equal(table.code, 0);
    for (const { name } of parts.model.profiles) assert.match(table.out, new RegExp(`^${name} `, 'mu'));
    const one = await run(REPOSITORY, 'project', '--profile', 'gemini', '--tool', 'query_traces');
    assert.match(one.out, /additionalProperties: https:\S+, seen 2026-/u);
    assert.match(one.out, /No client sees \d+ details of query_traces/u);
    assert.doesNotMatch(one.out, /list_datasets/u);
    const { out } = await run(REPOSITORY, 'project', '--json');
    const told = JSON.parse(out) as { profiles: { losses: object[] }[]; published: object[] };
    assert.equal(told.profiles.length, parts.model.profiles.length);
    assert.ok(told.published.length > 0);
    assert.equal((await run(REPOSITORY, 'project', '--tool', 'nothing')).code, 2);
  });
});
