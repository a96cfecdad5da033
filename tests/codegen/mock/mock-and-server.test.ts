import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { catalog } from '../../../generated/catalog/index.ts';
import { Makers } from '../../../codegen/mock/makers.ts';
import type { Serving } from '../../../codegen/mock/serve.ts';
import type { JsonValue, ToolSpec } from '../../../codegen/model/types.ts';
import type { Era } from '../../support/mcp.ts';
import {
  Both,
  contentOf,
  eachOf,
  envelopeOf,
  ERAS,
  errorOf,
  expanded,
  namesOf,
  payloadOf,
  refusalOf,
  type Params,
} from '../support-mock/asking.ts';
import { exampleWorld, prepare, realised, type ExampleWorld } from '../support-mock/example-world.ts';
import { PROVOKED } from '../support-mock/provoked.ts';
import { realParts, serveMock, type Parts } from '../support-mock/serving.ts';
import { differences, shapeOf } from '../support-mock/shapes.ts';

interface Asked {
  readonly tool: ToolSpec;
  readonly index: number;
  readonly era: Era;
}

describe('mock and server', function () {
  // The first dataset starts the engine, which no single test should be charged with.
  this.timeout(240_000);
  let parts: Parts;
  let serving: Serving;
  let examples: ExampleWorld;
  let both: Both;
  before(async () => {
    const starting = exampleWorld();
    parts = await realParts();
    serving = await serveMock(parts, { outputSchema: 'compact' });
    examples = await starting;
    both = new Both(examples.world, serving);
  });
  after(async () => {
    await serving.close();
    await examples.close();
  });

  it('answer every example of every tool alike, in both revisions', async () => {
    const checks = new Map<string, ValidateFunction>();
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    // Nothing else speaks of the datasets that these make, so that nothing waits for them.
    const makes = (name: string): boolean => name.startsWith('create_');
    const compare = async ({ tool, index, era }: Asked): Promise<void> => {
      const { name } = tool;
      const schema = parts.projection.tools.get(name)?.outputSchema.full ?? {};
      const validate = checks.get(name) ?? ajv.compile(schema);
      checks.set(name, validate);
      await prepare(both.world, name);
      const example = tool.examples[index];
      const params = { name, arguments: unrepeated(example?.input, `${index} ${era}`) };
      const { server, mock } = await both.ask('tools/call', params, { real: await realised(both.world, params), era });
      const what = `${name}: ${example?.name}, ${era}`;
      const [ours, theirs] = [contentOf(server, what), contentOf(mock, what)];
      for (const [side, value] of Object.entries({ server: ours, mock: theirs }))
        assert.ok(validate(value), `${what}, ${side}: ${ajv.errorsText(validate.errors)}`);
      assert.deepEqual(differences(schema, ours, theirs), [], what);
      assert.deepEqual(envelopeOf(server), envelopeOf(mock), what);
      if (!makes(name)) await settle(both, ours);
    };
    const every = parts.model.tools.flatMap((tool) =>
      tool.examples.flatMap((_, index) => ERAS.map((era) => ({ tool, index, era }))),
    );
    assert.ok(every.length >= 2 * parts.model.tools.length);
    await Promise.all(every.filter(({ tool }) => makes(tool.name)).map(compare));
    // What changes a dataset waits until nothing else does.
    for (const one of every) if (!makes(one.tool.name) && !one.tool.behaviour.readOnly) await compare(one);
    await eachOf(
      every.filter(({ tool }) => tool.behaviour.readOnly),
      compare,
    );
  });

  it('answer every example of every resource alike, in both revisions', async () => {
    const compare = async ({ name, uri, uriTemplate = '', text, examples }: Resource, era: Era): Promise<void> => {
      await prepare(both.world, name);
      const validate = catalog.validators.resourcePayload[name];
      for (const { variables } of examples) {
        const address = (values: Readonly<Record<string, string>>): string => uri ?? expanded(uriTemplate, values);
        const real = { uri: address(await realised(both.world, variables)) };
        const { server, mock } = await both.ask('resources/read', { uri: address(variables) }, { real, era });
        assert.deepEqual([...shapeOf(server.result).keys()], [...shapeOf(mock.result).keys()], `${name}, ${era}`);
        if (text !== undefined) {
          assert.deepEqual(server.result?.['contents'], mock.result?.['contents'], name);
          continue;
        }
        for (const side of [server, mock])
          assert.ok(validate?.(payloadOf(side, name)), `${name}, ${era}: ${JSON.stringify(validate?.errors)}`);
      }
    };
    await Promise.all(parts.model.resources.flatMap((one) => ERAS.map((era) => compare(one, era))));
  });

  it('render every prompt alike and complete the same arguments, in both revisions', async () => {
    for (const era of ERAS)
      for (const { name, arguments: declared } of parts.model.prompts) {
        const args = Object.fromEntries(declared.map((one) => [one.name, 'two`words']));
        const { server, mock } = await both.ask('prompts/get', { name, arguments: args }, { era });
        assert.deepEqual(mock.result?.['messages'], server.result?.['messages'], `${name}, ${era}`);
        assert.deepEqual(Object.keys(mock.result ?? {}).sort(), Object.keys(server.result ?? {}).sort());
        const wrong = await both.ask('prompts/get', { name, arguments: { no_such: 'x' } }, { era });
        assert.deepEqual(refusalOf(wrong.mock), refusalOf(wrong.server), `${name} with a wrong argument, ${era}`);
      }
    const completed = completions(parts);
    assert.ok(completed.length >= 4);
    for (const era of ERAS)
      await Promise.all(
        completed.map(async ({ ref, argument }) => {
          const params = { ref, argument: { name: argument, value: '' } };
          const { server, mock } = await both.ask('completion/complete', params, { era });
          const kinds = [server, mock].map(({ result }) =>
            [...shapeOf(result).keys()].filter((key) => !key.endsWith('*')),
          );
          assert.deepEqual(kinds[0], kinds[1], `${JSON.stringify(params)}, ${era}`);
        }),
      );
  });

  it('tell every kind of job alike, in both revisions', async () => {
    await prepare(both.world, 'get_job');
    const makers = new Makers(parts.canonical, 'job states');
    for (const era of ERAS)
      for (const { name, typeName, aliases } of parts.model.jobs)
        for (const kind of [name, ...aliases]) {
          const input = { kind, id: '01912d5a-0000-7000-8000-000000000001' };
          const params = { name: 'get_job', arguments: input };
          const { server, mock } = await both.ask('tools/call', params, {
            real: await realised(both.world, params),
            era,
          });
          // because the state of a job has these members
          const states = [server, mock].map((side) => contentOf(side, kind) as { kind: string; details: JsonValue });
          assert.deepEqual(states[0]?.kind, states[1]?.kind);
          for (const { details } of states) assert.deepEqual(makers.faults(`${typeName}Details`, details), {}, kind);
        }
  });

  it('refuse wrong arguments of every tool with the same error, in both revisions', async () => {
    const wrong = [{ no_such_argument: 1 }, { limit: 'many', dataset: 7, capability: [], kind: '' }];
    const every = parts.model.tools.flatMap(({ name }) =>
      wrong.flatMap((args) => ERAS.map((era) => ({ name, args, era }))),
    );
    await eachOf(every, async ({ name, args, era }) => {
      const { server, mock } = await both.ask('tools/call', { name, arguments: args }, { era });
      assert.deepEqual(errorOf(server), errorOf(mock), name);
      assert.equal(errorOf(server).code, 'invalid_input');
    });
  });

  it('answer every declared error of every tool alike, in both revisions', async () => {
    await prepare(both.world, 'query_dataset');
    const every = parts.model.tools.flatMap((tool) =>
      tool.errors.flatMap((code) => ERAS.map((era) => ({ tool, code, era }))),
    );
    const tried = new Set<string>();
    await eachOf(every, async ({ tool, code, era }) => {
      const what = `${tool.name} ${code}`;
      const known = provoking(tool, code);
      const params = { name: tool.name, arguments: {} };
      const { server, mock } = await both.ask('tools/call', params, { real: known ?? params, era, wanted: code });
      const told = errorOf(mock, what);
      assert.equal(told.code, code);
      assert.equal(told.retryable, parts.model.errors.find((error) => error.code === code)?.retryable, what);
      assert.deepEqual(told.members, ['code', 'fields', 'message', 'retryable'], what);
      if (known === undefined) return;
      tried.add(what);
      const { fields: _named, ...answered } = errorOf(server, what);
      const { fields: _made, ...mocked } = told;
      assert.deepEqual(mocked, answered, what);
    });
    assert.deepEqual(
      Object.keys(PROVOKED).filter((what) => !tried.has(what)),
      [],
    );
  });

  it('refuse what the protocol does not have in the same way', async () => {
    for (const era of ERAS) {
      const unknown = [
        ['tools/call', { name: 'no_such_tool', arguments: {} }],
        ['prompts/get', { name: 'no-such-prompt' }],
        ['resources/read', { uri: 'overmind://nothing/here' }],
        ['no/such/method', {}],
      ] as const;
      for (const [method, params] of unknown) {
        const { server, mock } = await both.ask(method, params, { era });
        assert.deepEqual(refusalOf(server), refusalOf(mock), `${method}, ${era}`);
      }
    }
  });

  it('list the same names', async () => {
    for (const era of ERAS)
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
        const { server, mock } = await both.ask(method, {}, { era });
        assert.deepEqual(namesOf(server), namesOf(mock), method);
      }
  });
});

type Resource = Parts['model']['resources'][number];

/** The call by which the running server answers an error; undefined when none is known. */
function provoking({ name, references, examples }: ToolSpec, code: string): Params | undefined {
  const known = PROVOKED[`${name} ${code}`];
  if (known !== undefined) return { name, arguments: known };
  const reference = references.find(({ error }) => error === code);
  if (reference === undefined) return undefined;
  const input = { ...(examples[0]?.input as Params), [reference.argument]: '01912d5a-0000-7000-8000-00000000dead' };
  return { name, arguments: input };
}

/** Every argument and variable that the contracts say is completed. */
function completions({ model }: Parts): { readonly ref: Params; readonly argument: string }[] {
  const ofPrompts = model.prompts.flatMap(({ name, arguments: declared }) =>
    declared.flatMap((one) =>
      one.completion === undefined ? [] : [{ ref: { type: 'ref/prompt', name }, argument: one.name }],
    ),
  );
  const ofResources = model.resources.flatMap(({ uriTemplate, variables, query }) =>
    [...variables, ...query].flatMap((one) =>
      one.completion === undefined ? [] : [{ ref: { type: 'ref/resource', uri: uriTemplate }, argument: one.name }],
    ),
  );
  return [...ofPrompts, ...ofResources];
}

/** A dataset's name is taken once; every call that makes one has its own. */
function unrepeated(input: unknown, nth: string): Params {
  // because examples of tools are objects
  const args = input as Params;
  return typeof args['name'] === 'string' ? { ...args, name: `${args['name']} ${nth}` } : args;
}

/** Waits for work that a call started, so that the next example finds its dataset at rest. */
async function settle({ world }: Both, output: unknown): Promise<void> {
  // because a receipt of the contracts has these two members
  const { job } = output as { job?: { kind: string; id: string } };
  if (job !== undefined) await world.finishJob(job);
}
