import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { catalog } from '../../../generated/catalog/index.ts';
import type { Serving } from '../../../codegen/mock/serve.ts';
import { rpc, type Era, type RpcAnswer } from '../../support/mcp.ts';
import type { World } from '../../support/given.ts';
import { exampleWorld, prepare, realised } from '../support-mock/example-world.ts';
import { realParts, serveMock, type Parts } from '../support-mock/serving.ts';
import { differences, shapeOf } from '../support-mock/shapes.ts';

type Params = Readonly<Record<string, unknown>>;

interface Pair {
  readonly server: RpcAnswer;
  readonly mock: RpcAnswer;
}

const ERAS: readonly Era[] = ['legacy', 'modern'];

describe('mock and server', function () {
  // The first dataset starts the engine, which no single test should be charged with.
  this.timeout(240_000);
  let parts: Parts;
  let serving: Serving;
  let world: World;
  before(async () => {
    parts = await realParts();
    serving = await serveMock(parts, { outputSchema: 'compact' });
    world = await exampleWorld();
  });
  after(() => serving.close());

  /** The same request to both, apart from ids that only the running server knows. */
  async function ask(method: string, params: Params, { real = params, era = 'legacy' as Era } = {}): Promise<Pair> {
    const [server, mock] = await Promise.all([
      rpc(world.server.origin, { key: world.key, method, params: real, era }),
      rpc(new URL(serving.url).origin, { method, params, era }),
    ]);
    return { server, mock };
  }

  it('answer every example of every tool alike, in both revisions', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    let count = 0;
    for (const { name, examples, behaviour } of inOrder(parts)) {
      const schema = parts.projection.tools.get(name)?.outputSchema.full ?? {};
      const validate = ajv.compile(schema);
      for (const example of examples)
        // What changes something is done once: background work is slow, and its answers are the same in both.
        for (const era of behaviour.readOnly ? ERAS : (['legacy'] as const)) {
          await prepare(world, name);
          const params = { name, arguments: unrepeated(example.input) };
          const real = await realised(world, params);
          const { server, mock } = await ask('tools/call', params, { real, era });
          const what = `${name}: ${example.name}, ${era}`;
          const [ours, theirs] = [contentOf(server, what), contentOf(mock, what)];
          for (const [side, value] of Object.entries({ server: ours, mock: theirs }))
            assert.ok(validate(value), `${what}, ${side}: ${ajv.errorsText(validate.errors)}`);
          assert.deepEqual(differences(schema, ours, theirs), [], what);
          assert.deepEqual(envelopeOf(server), envelopeOf(mock), what);
          count += 1;
          await settle(world, ours);
        }
    }
    assert.ok(count >= parts.model.tools.length);
  });

  it('answer every example of every resource alike', async () => {
    for (const { name, uri, uriTemplate = '', text, examples } of parts.model.resources) {
      await prepare(world, name);
      const validate = catalog.validators.resourcePayload[name];
      for (const { variables } of examples) {
        const real = await realised(world, variables);
        const address = (values: Readonly<Record<string, string>>): string => uri ?? expanded(uriTemplate, values);
        const { server, mock } = await ask(
          'resources/read',
          { uri: address(variables) },
          { real: { uri: address(real) } },
        );
        if (text !== undefined) {
          assert.deepEqual(server.result?.['contents'], mock.result?.['contents'], name);
          continue;
        }
        const [ours, theirs] = [payloadOf(server, name), payloadOf(mock, name)];
        for (const value of [ours, theirs])
          assert.ok(validate?.(value), `${name}: ${JSON.stringify(validate?.errors)}`);
        assert.deepEqual([...shapeOf(server.result).keys()], [...shapeOf(mock.result).keys()], name);
      }
    }
  });

  it('refuse wrong arguments of every tool with the same error', async () => {
    for (const { name } of parts.model.tools)
      for (const args of [{ no_such_argument: 1 }, { limit: 'many', dataset: 7, capability: [], kind: '' }]) {
        const { server, mock } = await ask('tools/call', { name, arguments: args });
        assert.deepEqual(errorOf(server), errorOf(mock), name);
        assert.equal(errorOf(server).code, 'invalid_input');
      }
  });

  it('answer what is not found with the same codes', async () => {
    for (const { name, references, examples } of parts.model.tools)
      for (const { argument, error } of references) {
        const input = { ...(examples[0]?.input as Params), [argument]: '01912d5a-0000-7000-8000-00000000dead' };
        const { server, mock } = await ask('tools/call', {
          name,
          arguments: input,
          _meta: { 'mcp-contract/error': error },
        });
        assert.equal(errorOf(server).code, error, `${name} without its ${argument}`);
        assert.deepEqual(errorOf(server).members, errorOf(mock).members);
        assert.equal(errorOf(mock).code, error);
      }
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
        const { server, mock } = await ask(method, params, { era });
        assert.deepEqual(refusalOf(server), refusalOf(mock), `${method}, ${era}`);
      }
    }
  });

  it('list the same names', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      const { server, mock } = await ask(method, {});
      assert.deepEqual(namesOf(server), namesOf(mock), method);
    }
  });
});

/** What makes something comes before what reads it. */
function inOrder({ model }: Parts): Parts['model']['tools'] {
  const rank = (name: string): number => (name.startsWith('create_') ? 0 : name.startsWith('run_') ? 2 : 1);
  return [...model.tools].sort((left, right) => rank(left.name) - rank(right.name));
}

/** The dataset that other examples speak of has the name already. */
function unrepeated(input: unknown): Params {
  // because examples of tools are objects
  const args = input as Params;
  return typeof args['name'] === 'string' ? { ...args, name: `${args['name']} again` } : args;
}

/** Waits for work that a call started, so that the next example finds its dataset at rest. */
async function settle(world: World, output: unknown): Promise<void> {
  // because a receipt of the contracts has these two members
  const { job } = output as { job?: { kind: string; id: string } };
  if (job !== undefined) await world.finishJob(job);
}

function contentOf({ status, result, error }: RpcAnswer, what: string): unknown {
  assert.equal(status, 200, what);
  assert.notEqual(result?.['isError'], true, `${what}: ${JSON.stringify(result?.['content'] ?? error)}`);
  return result?.['structuredContent'];
}

/** Members of a result and kinds of its content, which a client reads before any schema. */
function envelopeOf({ result = {} }: RpcAnswer): unknown {
  // because every result of a call has content
  const content = result['content'] as readonly { readonly type: string }[];
  const kinds = new Set(content.map(({ type }) => type));
  return { members: Object.keys(result).sort(), kinds: [...kinds].filter((kind) => kind !== 'resource_link') };
}

function payloadOf({ result, error }: RpcAnswer, name: string): unknown {
  assert.ok(result !== undefined, `${name}: ${JSON.stringify(error)}`);
  // because a read answers one text
  const [content] = result['contents'] as readonly { readonly text: string }[];
  return JSON.parse(content?.text ?? '');
}

function errorOf({ result }: RpcAnswer): { code: unknown; members: string[]; fields: string[] } {
  assert.equal(result?.['isError'], true, JSON.stringify(result));
  // because an error result tells its error in its only text
  const [content] = result['content'] as readonly { readonly text: string }[];
  const { error } = JSON.parse(content?.text ?? '{}') as { error: Record<string, unknown> };
  return { code: error['code'], members: Object.keys(error).sort(), fields: Object.keys(error['fields'] ?? {}).sort() };
}

function refusalOf({ status, result, error }: RpcAnswer): unknown {
  if (result !== undefined) return errorOf({ status, result, headers: new Headers() });
  return { status, code: error?.code, contract: error?.data?.['code'] };
}

function namesOf({ result = {} }: RpcAnswer): unknown {
  // because each listing has one list of named things
  const [list] = Object.values(result).filter(Array.isArray) as { name: string }[][];
  return list?.map(({ name }) => name).sort();
}

function expanded(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/gu, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
