import assert from 'node:assert/strict';
import { catalog } from '../../generated/catalog/index.ts';
import type { ToolName } from '../../generated/contracts/index.ts';
import type { Db } from '../../src/db/database.ts';
import { newId } from '../../src/kernel/ids.ts';
import { exportSpans } from '../domain/observability/support/export.ts';
import { spanId, traceId } from '../domain/observability/support/otlp.ts';
import { freshDatabase } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { given, type World } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';

/** Ids of one project, by what they are ids of. */
interface Ids {
  readonly capability: string;
  readonly session: string;
  readonly trace: string;
  readonly span: string;
  readonly dataset: string;
  readonly cell: string;
  readonly run: string;
}

type Call = (ids: Ids, own: Ids) => object;
/** What is asked with ids of another project, one argument at a time. */
type Questions = { readonly [N in ToolName]: readonly Call[] };

const SINCE = '2020-01-01T00:00:00Z';
const QUESTIONS: Questions = {
  list_projects: [],
  get_job: [({ dataset }) => ({ kind: 'dataset_run', id: dataset })],
  inspect_capability_health: [({ capability }) => ({ capability })],
  query_failures: [({ capability }) => ({ capability })],
  query_traces: [
    ({ capability }) => ({ capability }),
    ({ session }) => ({ session }),
    ({ trace }) => ({ trace_id: trace }),
    ({ span }) => ({ span_id: span, all_spans: true }),
    ({ trace }) => ({ search: trace }),
  ],
  query_task_executions: [
    ({ capability }) => ({ capability }),
    ({ trace }) => ({ trace_id: trace }),
    ({ run }) => ({ behaviour: run }),
  ],
  list_datasets: [({ capability }) => ({ capability }), ({ dataset }) => ({ search: dataset })],
  inspect_dataset: [({ dataset }) => ({ dataset }), ({ dataset }) => ({ dataset: `overmind://datasets/${dataset}` })],
  query_dataset: [
    ({ dataset }) => ({ dataset, sql: 'SELECT 1' }),
    ({ cell }, own) => ({ dataset: own.dataset, cell, sql: 'SELECT 1' }),
  ],
  add_dataset_step: [({ dataset }) => ({ dataset, title: 'All', sql: 'SELECT * FROM t' })],
  message_dataset_agent: [({ dataset }) => ({ dataset, message: 'Remove all rows.' })],
  run_dataset: [({ dataset }) => ({ dataset }), ({ cell }, own) => ({ dataset: own.dataset, proposal_cell: cell })],
  create_dataset_from_traces: [
    ({ trace }) => ({ name: 'taken', trace_ids: [trace] }),
    ({ capability }) => ({ name: 'taken', filters: { capability } }),
    ({ session }) => ({ name: 'taken', filters: { session } }),
    ({ capability }, own) => ({ name: 'taken', trace_ids: [own.trace], capability }),
  ],
  create_dataset_from_llm_calls: [({ capability }) => ({ name: 'taken', capability, since: SINCE })],
};
// because the keys of a record of this type are the tools
const NAMES = Object.keys(QUESTIONS) as ToolName[];

const UNKNOWN: Ids = {
  capability: newId(),
  session: newId(),
  trace: traceId(),
  span: spanId(),
  dataset: newId(),
  cell: newId(),
  run: newId(),
};

/** A project with one of everything, and their ids. */
async function inhabited(world: World): Promise<Ids> {
  const [trace, span] = [traceId(), spanId()];
  const attributes = {
    'overmind.capability': 'Desk',
    'session.id': 'chat',
    'overmind.behaviour': 'answer',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'small',
  };
  await exportSpans(world, [{ trace, id: span, attributes, status: { code: 2 } }]);
  const made = await world.call('create_dataset_from_traces', { name: 'pile', trace_ids: [trace] });
  assert.equal((await world.finishJob(made.job)).status, 'idle');
  const step = { title: 'One', sql: 'SELECT * FROM t', propose: true };
  const { cell } = await world.call('add_dataset_step', { dataset: made.dataset.id, ...step });
  const { task_executions: runs } = await world.call('query_task_executions', {});
  const read = async (uri: string) => String((await world.read(uri))['id']);
  return {
    capability: await read('overmind://capabilities/desk'),
    session: await read('overmind://sessions/chat'),
    trace,
    span,
    dataset: made.dataset.id,
    cell: cell ?? assert.fail('nothing is proposed'),
    run: runs[0]?.behaviour_id ?? runs[0]?.id ?? assert.fail('no run'),
  };
}

/** Every row of the project, whatever the table. */
async function rowsOf(db: Db, projectId: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.raw<{ rows: { table: string }[] }>(
    `select table_name as table from information_schema.columns
     where table_schema = 'public' and column_name = 'project_id' and table_name not in ('agent_calls', 'api_keys') order by 1`,
  );
  const found = new Map<string, string>();
  for (const { table } of rows) {
    const all = await db.raw<{ rows: { row: string }[] }>(
      'select row_to_json(t)::text as row from ?? t where project_id = ? order by 1',
      [table, projectId],
    );
    found.set(table, all.rows.map(({ row }) => row).join('\n'));
  }
  return found;
}

describe('ids of another project', function () {
  this.timeout(120_000);
  let world: World;
  let other: World;
  let own: Ids;
  let theirs: Ids;

  before(async () => {
    const server = await startServer({ database: await freshDatabase(), processes: 1 });
    [world, other] = [await given.project({ server }), await given.project({ server })];
    [own, theirs] = [await inhabited(world), await inhabited(other)];
  });

  it('are asked for with every argument that the contract calls a reference', () => {
    for (const { name, inputSchema } of catalog.tools) {
      // because a published schema of arguments has properties
      const names = Object.keys(inputSchema.project['properties'] as object);
      // because the catalog and the types are made from one contract
      const asked = QUESTIONS[name as ToolName].map((call) => JSON.stringify(call(UNKNOWN, own))).join();
      const wanted = names.filter((argument) =>
        /^(capability|dataset|session|trace_id|trace_ids|span_id|cell|proposal_cell|id)$/.test(argument),
      );
      for (const argument of wanted)
        assert.ok(asked.includes(`"${argument}"`), `${name} is not asked with ${argument}`);
    }
  });

  it('are answered word for word as ids of nothing, by the same statements, and change nothing there', async () => {
    const { db } = world.services;
    const before = await rowsOf(db, other.project.id);
    assert.ok([...before.values()].filter((rows) => rows !== '').length >= 6);
    let statements: string[] = [];
    const note = ({ sql }: { readonly sql: string }) => {
      if (!/agent_calls|api_keys|pgboss|request_keys/.test(sql)) statements.push(sql);
    };
    const ask = async (name: ToolName, args: object, ids: Ids): Promise<readonly [string, readonly string[]]> => {
      statements = [];
      const { result, error } = await world.rpc('tools/call', { name, arguments: args });
      const text = JSON.stringify([result, error]);
      return [Object.values(ids).reduce((rest, id) => rest.replaceAll(String(id), 'ID'), text), statements];
    };
    db.on('query', note);
    try {
      for (const name of NAMES)
        for (const question of QUESTIONS[name]) {
          const [foreign, absent] = [question(theirs, own), question(UNKNOWN, own)];
          // Several times where need be: a worker sweeps now and then.
          await eventually(async () => {
            const [unknown, plain] = await ask(name, absent, UNKNOWN);
            const [shown, taken] = await ask(name, foreign, theirs);
            assert.equal(shown, unknown, `${name} ${JSON.stringify(foreign)}`);
            assert.deepEqual(taken, plain, `${name} ${JSON.stringify(foreign)}`);
          });
        }
    } finally {
      db.removeListener('query', note);
    }
    assert.deepEqual(await rowsOf(db, other.project.id), before);
    assert.deepEqual(
      (await world.call('list_datasets', {})).datasets.map(({ id }) => id),
      [own.dataset],
    );
  });

  it('are read as ids of nothing by every resource', async () => {
    const addresses = (ids: Ids): readonly string[] => [
      `overmind://capabilities/${ids.capability}`,
      `overmind://sessions/${ids.session}`,
      `overmind://traces/${ids.trace}`,
      `overmind://datasets/${ids.dataset}`,
      `overmind://jobs/dataset_run/${ids.dataset}`,
    ];
    const mine = addresses(own);
    for (const { name, uriTemplate } of catalog.resources) {
      const prefix = uriTemplate?.slice(0, uriTemplate.indexOf('{'));
      if (prefix !== undefined)
        assert.ok(
          mine.some((uri) => uri.startsWith(prefix)),
          `${name} is not read`,
        );
    }
    const [foreign, absent] = [addresses(theirs), addresses(UNKNOWN)];
    for (const [index, uri] of foreign.entries()) {
      await world.read(mine[index] ?? '');
      const answers = [];
      for (const address of [uri, absent[index] ?? '']) {
        const { error } = await world.rpc('resources/read', { uri: address });
        assert.ok(error !== undefined, address);
        answers.push(JSON.stringify(error).replaceAll(address, 'URI'));
      }
      assert.equal(answers[0], answers[1], uri);
    }
  });
});
