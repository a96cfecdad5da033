import assert from 'node:assert/strict';
import { weekOf } from '../../../src/domain/observability/span-week.ts';
import { analyze } from './support/analyze.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';
import { questionsFor, type Question } from '../../bench/scale/questions.ts';
import { createProtobufExport, SPANS_PER_TRACE } from '../../bench/scale/traffic.ts';

const TRACES = 1_000;
const TRACES_PER_EXPORT = 100;
const START_NS = 1_762_500_000_000_000_000n;

interface Statement {
  readonly sql: string;
  readonly bindings: readonly string[];
  /** Of a statement that connections keep, with its name. */
  readonly options?: { readonly name: string };
}

/** A project with enough in it that reading all of it would be the wrong plan. */
async function inhabited(): Promise<World> {
  // The statements of one process are looked at.
  const world = await given.project({ server: await startServer({ processes: 1 }) });
  const exportOf = createProtobufExport();
  for (let first = 0; first < TRACES; first += TRACES_PER_EXPORT) {
    const { contentType, body } = exportOf(first, TRACES_PER_EXPORT, START_NS);
    const response = await fetch(`${world.server.origin}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': contentType, 'x-api-key': world.key },
      body,
    });
    assert.equal(response.status, 200);
  }
  await analyze(world.services.db);
  return world;
}

/** The statements on what was taken in that one call of the tool makes. */
async function statementsOf(world: World, question: Question): Promise<readonly Statement[]> {
  const { db } = world.services;
  const { tool } = question;
  const args = await argsOf(world, question);
  const statements: Statement[] = [];
  const note = (statement: Statement): void => {
    if (
      statement.bindings.includes(world.project.id) &&
      /from (traces|spans|task_executions|traffic) /.test(statement.sql)
    ) {
      statements.push(statement);
    }
  };
  db.on('query', note);
  try {
    await world.call(tool, args);
  } finally {
    db.removeListener('query', note);
  }
  return statements;
}

async function argsOf(world: World, { args, isNextPage }: Question): Promise<Question['args']> {
  if (isNextPage !== true) return args;
  const { page } = await world.call('query_traces', args);
  assert.ok(page.next_cursor !== null, 'there is a page after the first');
  return { ...args, cursor: page.next_cursor };
}

/** A project as small as a test's is searched and measured faster by reading it whole, so there that way is closed. */
async function explain(world: World, { sql, bindings }: Statement, isClosed: boolean) {
  return world.services.db.transaction(async (tx) => {
    if (isClosed) await tx.raw('set local enable_seqscan = off');
    // The driver's own marks are no marks of the query builder.
    const text = `explain ${sql.replaceAll(/\$\d+/g, '?')}`;
    const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': string }[] }>(text, bindings);
    return rows;
  });
}

/** The plan that a connection keeps of a statement, whatever the values. */
async function explainKept(world: World, { sql, bindings }: Statement): Promise<string> {
  return world.services.db.transaction(async (tx) => {
    await tx.raw('set local plan_cache_mode = force_generic_plan');
    await tx.raw(`prepare looked_at as ${sql}`);
    const values = bindings.map((value) => `'${value}'`).join(', ');
    const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain execute looked_at (${values})`);
    await tx.raw('deallocate looked_at');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

describe('the plan of every question about what was taken in', function () {
  this.timeout(120_000);
  let world: World;
  let spans = 0;

  before(async () => {
    world = await inhabited();
    const found = await world.services.db.raw<{ rows: { n: number }[] }>(
      'select count(*) as n from spans where project_id = ?',
      [world.project.id],
    );
    spans = found.rows[0]?.n ?? 0;
  });

  it('reads an index for every filter and every ordering, of traces, of spans, of runs, and for health', async () => {
    assert.equal(spans, TRACES * SPANS_PER_TRACE);
    const wrong: string[] = [];
    for (const question of questionsFor(TRACES, START_NS)) {
      const { name, tool } = question;
      const statements = await statementsOf(world, question);
      if (tool === 'inspect_capability_health') assert.ok(statements.length >= 4, name);
      else if (name === 'spans: search, nothing')
        assert.deepEqual(statements, [], 'no label, so no span is looked for');
      else assert.equal(statements.length, 1, `${name} takes one statement`);
      for (const statement of statements) {
        const rows = await explain(world, statement, /search|health/.test(name));
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        if (!readsIndex(plan, mainOf(question, statement))) wrong.push(`${name}\n${plan}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('reads an index too where the plan is kept for all values, on the first page and on the next', async () => {
    const kept = new Set<string>();
    for (const question of questionsFor(TRACES, START_NS)) {
      const [statement] = await statementsOf(world, question);
      const name = statement?.options?.name;
      if (statement === undefined || name === undefined) continue;
      kept.add(name);
      const plan = await explainKept(world, statement);
      assert.ok(readsIndex(plan, mainOf(question, statement)), `${name}\n${plan}`);
    }
    assert.ok(
      ['traces: by start_time_ns desc', 'spans: by start_time_ns desc'].every((name) => kept.has(name)),
      [...kept].join(),
    );
    assert.ok(
      [...kept].some((name) => name.endsWith(', next')),
      [...kept].join(),
    );
  });
});

/** All spans lie in the table of this week; `spans` itself and the weeks to come are empty. */
function mainOf({ tool, args }: Question, { sql }: Statement): string {
  if (tool === 'query_task_executions') return 'task_executions';
  if (tool === 'inspect_capability_health') return sql.includes('from traffic') ? 'traffic' : 'traces';
  return args['all_spans'] === true ? weekOf(new Date()).table : 'traces';
}

/**
 * Beside spans, traces are looked up for their names, and a thousand of them are read faster whole: only the table that
 * is filtered and sorted counts. Bounds that leave no week need no index either.
 */
function readsIndex(plan: string, main: string): boolean {
  if (!new RegExp(`on ${main}\\b`).test(plan)) return main.startsWith('spans_');
  if (new RegExp(`Seq Scan on ${main}\\b`).test(plan)) return false;
  return new RegExp(`(Index (Only )?Scan .*on ${main}\\b|Bitmap Heap Scan on ${main}\\b)`).test(plan);
}
