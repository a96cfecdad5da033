import { exportSpans } from '../../domain/observability/support/export.ts';
import { spanId } from '../../domain/observability/support/otlp.ts';
import { freshDatabase } from '../../support/boot.ts';
import { ModelServer, says } from '../../support/fakes/model-server.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';

/** The trace and the job that the examples of the contracts name. */
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const JOB = '01912d5a-0000-7000-8000-000000000001';
const PROPOSAL = '01912d5a-0000-7000-8000-000000000002';

/** The chat of a model as an exporter writes it. */
const CHAT = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'small-model',
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 5,
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Refund?' }] }]),
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Yes.' }] }]),
};

export interface ExampleWorld {
  readonly world: World;
  readonly close: () => Promise<void>;
}

/** A project in which every example of the contracts finds what it names, on a server that has a language model. */
export async function exampleWorld(): Promise<ExampleWorld> {
  const model = await ModelServer.start();
  model.willAlways(() => says('Done.'));
  const environment = { MODEL_PROVIDER_URL: model.url, MODEL_PROVIDER_MODEL: 'some-model' };
  const server = await startServer({ database: await freshDatabase(), environment, processes: 1 });
  const world = await given.project({ server });
  await exportExamples(world);
  const close = async (): Promise<void> => {
    await server.stop();
    await model.stop();
  };
  return { world, close };
}

async function exportExamples(world: World): Promise<void> {
  for (const [capability, trace] of [
    ['refunds', TRACE],
    ['support-triage', undefined],
  ] as const) {
    const root = spanId();
    const named = { ...(trace === undefined ? {} : { trace }), attributes: { 'overmind.capability': capability } };
    const start = BigInt(world.services.clock.now().getTime()) * 1_000_000n;
    await exportSpans(world, [
      {
        trace: TRACE,
        ...named,
        id: root,
        name: 'checkout',
        start,
        durationMs: 4_000,
        status: { code: 2, message: 'checkout failed' },
        attributes: {
          ...named.attributes,
          'overmind.behaviour': 'refund_request',
          'session.id': 'chat-42',
          'input.value': 'Refund?',
          'output.value': 'Yes.',
        },
      },
      { trace: trace ?? TRACE, parent: root, name: 'chat', start, durationMs: 3_000, attributes: CHAT },
    ]);
  }
}

/** Examples that want a state, with the calls that make it; the others find all they need. */
const BEFORE: Readonly<Record<string, (world: World) => Promise<void>>> = {
  add_dataset_step: landed,
  inspect_dataset: landed,
  query_dataset: landed,
  list_datasets: landed,
  get_job: landed,
  dataset: landed,
  job: landed,
  message_dataset_agent: landed,
  run_dataset: proposed,
};

const proposals = new WeakMap<World, string>();
const landings = new WeakMap<World, Promise<string>>();

async function landed(world: World): Promise<void> {
  const landing = landings.get(world) ?? land(world);
  landings.set(world, landing);
  await landing;
}

/** A version that waits for a decision, new each time: a decision is made once. */
async function proposed(world: World): Promise<void> {
  await landed(world);
  const step = { dataset: 'refund failures', title: 'Keep one', sql: 'SELECT * FROM t LIMIT 1', propose: true };
  proposals.set(world, (await world.call('add_dataset_step', step)).cell ?? '');
}

async function land(world: World): Promise<string> {
  const made = await world.call('create_dataset_from_traces', { name: 'refund failures', trace_ids: [TRACE] });
  await world.finishJob(made.job);
  return made.job.id;
}

/** Makes the state that an example of this tool or resource speaks of. */
export async function prepare(world: World, name: string): Promise<void> {
  await BEFORE[name]?.(world);
}

/** An example's values with the ids that only the running server knows. */
export async function realised<T>(world: World, values: T): Promise<T> {
  const text = JSON.stringify(values);
  const [job = JOB, proposal = PROPOSAL] = [await landings.get(world), proposals.get(world)];
  // because a replaced id is text like the one before it
  return JSON.parse(text.replaceAll(JOB, job).replaceAll(PROPOSAL, proposal)) as T;
}
