import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Makers } from '../../../codegen/mock/makers.ts';
import { projectForProfile } from '../../../codegen/project/profile.ts';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import { realParts } from '../support-mock/serving.ts';
import type { Parts } from '../support-mock/serving.ts';

describe('client profiles', () => {
  let parts: Parts;
  before(async () => {
    parts = await realParts();
  });

  it('name a source and a day for every limit and every refusal', () => {
    assert.ok(parts.model.profiles.length >= 5);
    for (const { name, limits, refuses, sources } of parts.model.profiles)
      assert.deepEqual(sources.map(({ of }) => of).sort(), [...Object.keys(limits), ...refuses].sort(), name);
  });

  it('accept every value the authored input accepts', () => {
    const makers = new Makers(parts.canonical, 'profiles');
    for (const profile of parts.model.profiles) {
      const view = projectForProfile(parts.model, parts.projection, profile);
      const ajv = new Ajv2020({ strict: false });
      addFormats.default(ajv);
      for (const { name, inputSchema } of view.tools) {
        const tool = parts.model.tools.find((one) => one.name === name);
        assert.ok(tool);
        const validate = ajv.compile(inputSchema);
        const made = Array.from({ length: 20 }, (_, index) => makers.make(`${tool.typeName}Input`, String(index)));
        for (const value of [...made, ...tool.examples.map(({ input }) => input)]) {
          assert.ok(value !== undefined && value !== null && typeof value === 'object');
          // A null that may be left out is not published for anyone.
          const shown = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
          const sent = tool.context === 'project' ? { project_id: 'p', ...shown } : shown;
          assert.ok(validate(sent), `${profile.name} ${name}: ${ajv.errorsText(validate.errors)}`);
        }
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
      assert.equal((await run(folder, 'project')).code, 2);
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
});
