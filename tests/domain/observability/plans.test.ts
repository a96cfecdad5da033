import assert from 'node:assert/strict';
import { weekOf } from '../../../src/domain/observability/span-week.ts';
import { analyze } from './support/analyze.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';
import { questionsFor } from '../../bench/scale/questions.ts';
import { createProtobufExport, SPANS_PER_TRACE } from '../../bench/scale/traffic.ts';

const TRACES = 1_000;
const TRACES_PER_EXPORT = 100;
const START_NS = 1_762_500_000_000_000_000n;

interface Statement {
  readonly sql: string;
  readonly bindings: readonly string[];
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

/** The statements on traces and spans that one call of the tool makes. */
async function statementsOf(world: World, args: Readonly<Record<string, unknown>>): Promise<readonly Statement[]> {
  const { db } = world.services;
  const statements: Statement[] = [];
  const note = (statement: Statement): void => {
    if (statement.bindings.includes(world.project.id) && /from (traces|spans) /.test(statement.sql)) {
      statements.push(statement);
    }
  };
  db.on('query', note);
  try {
    await world.call('query_traces', args);
  } finally {
    db.removeListener('query', note);
  }
  return statements;
}

/** A project as small as a test's is searched faster by reading it whole, so for searches that way is closed. */
async function explain(world: World, { sql, bindings }: Statement, isSearch: boolean) {
  return world.services.db.transaction(async (tx) => {
    if (isSearch) await tx.raw('set local enable_seqscan = off');
    // The driver's own marks are no marks of the query builder.
    const text = `explain ${sql.replaceAll(/\$\d+/g, '?')}`;
    const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': string }[] }>(text, bindings);
    return rows;
  });
}

describe('the plan of query_traces', function () {
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

  it('reads an index for every filter and every ordering, of traces and of spans', async () => {
    assert.equal(spans, TRACES * SPANS_PER_TRACE);
    const wrong: string[] = [];
    const week = weekOf(new Date()).table;
    for (const { name, args } of questionsFor(TRACES, START_NS)) {
      const statements = await statementsOf(world, args);
      assert.equal(statements.length, 1, `${name} takes one statement`);
      for (const { sql, bindings } of statements) {
        const rows = await explain(world, { sql, bindings }, name.includes('search'));
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        // All spans lie in the table of this week; `spans` itself and the weeks to come are empty. Beside spans, traces
        // are looked up for their names, and a thousand of them are read faster whole.
        const main = args['all_spans'] === true ? week : 'traces';
        // Bounds that leave no week need no index either.
        const isExcluded = args['all_spans'] === true && !plan.includes(week);
        const usesIndex = new RegExp(`(Index (Only )?Scan .*on ${main}|Bitmap Index Scan on ${main})`).test(plan);
        if ((!usesIndex && !isExcluded) || new RegExp(`Seq Scan on ${main}\\b`).test(plan))
          wrong.push(`${name}\n${plan}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});
