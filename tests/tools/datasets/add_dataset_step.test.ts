import assert from 'node:assert/strict';
import { freshDatabase } from '../../support/boot.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';
import { finish, landedDataset, proposal, sendTraces, tickets } from './support.ts';

const ANSWERS = 'SELECT * REPLACE (output AS expected_output) FROM t';

describeTool('add_dataset_step', {
  succeeds: {
    'computes a new version over the last one and puts it in use': async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const added = await world.call('add_dataset_step', {
        dataset: 'TICKETS',
        title: 'Answers as references',
        sql: `${ANSWERS};`,
        note: 'They were checked by hand.',
      });
      assert.deepEqual([added.dataset.id, added.dataset.state, added.job.status], [dataset, 'running', 'running']);
      const job = await finish(world, added.job);
      assert.equal(job.status, 'idle', job.job_error);
      const second = await world.call('add_dataset_step', {
        dataset,
        title: 'First two',
        sql: 'SELECT * FROM t LIMIT 2',
      });
      await finish(world, second.job);
      const detail = await world.call('inspect_dataset', { dataset });
      assert.deepEqual(
        detail.cells.map((cell) => [cell.id, cell.version, cell.title, cell.state, cell.rows, cell.eval_report?.ok]),
        [
          [detail.cells[0]?.id, '1.0', 'Source', 'ok', 3, false],
          [added.cell, '1.1', 'Answers as references', 'ok', 3, true],
          [second.cell, '1.2', 'First two', 'ok', 2, true],
        ],
      );
      assert.deepEqual([detail.active, detail.cells[1]?.note], [second.cell, 'They were checked by hand.']);
      const { rows } = await world.call('query_dataset', { dataset, sql: 'SELECT source_row, expected_output FROM t' });
      assert.deepEqual(rows, [
        { source_row: 1, expected_output: 'Answer 1.' },
        { source_row: 2, expected_output: 'Answer 2.' },
      ]);
    },
    'leaves a proposal to a person, behind the versions that are computed': async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const before = await world.call('inspect_dataset', { dataset });
      const proposed = await world.call('add_dataset_step', { dataset, title: 'Label', sql: ANSWERS, propose: true });
      assert.deepEqual([proposed.dataset.state, proposed.job.status], ['idle', 'awaiting_approval']);
      assert.equal((await world.call('get_job', { kind: 'dataset_run', id: dataset })).status, 'awaiting_approval');
      const detail = await world.call('inspect_dataset', { dataset });
      assert.deepEqual([detail.active, detail.cells[1]?.version], [before.active, 'proposed']);
      assert.deepEqual(detail.next_actions[0]?.arguments, { dataset, proposal_cell: proposed.cell });
      const added = await world.call('add_dataset_step', { dataset, title: 'Two', sql: 'SELECT * FROM t LIMIT 2' });
      await finish(world, added.job);
      const after = await world.call('inspect_dataset', { dataset });
      assert.deepEqual(
        after.cells.map(({ id, position, version }) => [id, position, version]),
        [
          [before.active, 0, '1.0'],
          [added.cell, 1, '1.1'],
          [proposed.cell, 2, 'proposed'],
        ],
      );
    },
    'takes the place of a last version that failed': async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const wrong = await world.call('add_dataset_step', {
        dataset,
        title: 'Numbers',
        sql: 'SELECT source_row, CAST(input AS INTEGER) AS n FROM t',
      });
      const failed = await finish(world, wrong.job);
      assert.equal(failed.status, 'error');
      assert.match(failed.job_error ?? '', /^The version "Numbers" failed: .*Could not convert/);
      const right = await world.call('add_dataset_step', {
        dataset,
        title: 'Lengths',
        sql: 'SELECT source_row, length(input) AS n FROM t',
      });
      assert.equal((await finish(world, right.job)).status, 'idle');
      const detail = await world.call('inspect_dataset', { dataset });
      assert.deepEqual(
        detail.cells.map(({ id, version, state }) => [id, version, state]),
        [
          [detail.cells[0]?.id, '1.0', 'ok'],
          [right.cell, '1.1', 'ok'],
        ],
      );
    },
    'fails with a row number that tells no rows apart, and stays as it was': async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const before = await world.call('inspect_dataset', { dataset });
      for (const number of ['-source_row', '4611686018427387905', 'NULL::BIGINT', '1.5', '1']) {
        const sql = `SELECT ${number} AS source_row, '' AS input, output FROM t`;
        const { job } = await world.call('add_dataset_step', { dataset, title: 'Numbers', sql });
        const failed = await finish(world, job);
        assert.equal(failed.status, 'error', number);
        assert.match(failed.job_error ?? '', /source_row .* Leave source_row out and the rows are numbered anew\./);
        const detail = await world.call('inspect_dataset', { dataset });
        assert.equal(detail.state, 'error');
        assert.equal(detail.active, before.active);
        assert.deepEqual(await world.read(detail.resource.uri), detail);
        assert.deepEqual(detail.sample, before.sample);
      }
      const anew = { dataset, title: 'Anew', sql: "SELECT '' AS input, output FROM t UNION ALL SELECT '', '' FROM t" };
      assert.equal((await finish(world, (await world.call('add_dataset_step', anew)).job)).status, 'idle');
      const detail = await world.call('inspect_dataset', { dataset });
      assert.deepEqual(
        detail.cells.at(-1)?.eval_report?.failures.map(({ row }) => row),
        [1, 2, 3, 4, 5, 6],
      );
    },
    'adds one version for a repeated request key': async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const call = { dataset, title: 'Two', sql: 'SELECT * FROM t LIMIT 2', request_key: 'retry-0001' };
      const first = await world.call('add_dataset_step', call);
      await finish(world, first.job);
      assert.equal((await world.call('add_dataset_step', call)).cell, first.cell);
      assert.equal((await world.call('inspect_dataset', { dataset })).cells.length, 2);
    },
  },
  fails: {
    dataset_not_found: async () => {
      const world = await given.project();
      const step = { dataset: 'nope', title: 'x', sql: 'SELECT * FROM t' };
      await world.refuses('add_dataset_step', step, { code: 'dataset_not_found' });
    },
    dataset_busy: async () => {
      const world = await given.project({ server: await startServer({ database: await freshDatabase() }) });
      const trace_ids = await sendTraces(world, tickets(1));
      const { dataset } = await world.call('create_dataset_from_traces', { name: 'landing', trace_ids });
      const error = await world.refusal('add_dataset_step', {
        dataset: dataset.id,
        title: 'x',
        sql: 'SELECT * FROM t',
      });
      assert.deepEqual([error.code, error.retryable], ['dataset_busy', true]);
    },
    query_invalid: async () => {
      const world = await given.project();
      const dataset = await landedDataset(world);
      const wrong = [
        'SELECT nope FROM t',
        'DELETE FROM t',
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY t TO '/tmp/x.csv'",
        'SELECT 1; SELECT 2',
        'SELEC * FROM t',
        'INSTALL httpfs',
      ];
      for (const sql of wrong) {
        for (const propose of [false, true]) {
          const error = await world.refusal('add_dataset_step', { dataset, title: 'x', sql, propose });
          assert.equal(error.code, 'query_invalid', sql);
          assert.doesNotMatch(error.message, /\/etc|\/tmp|\.parquet/);
        }
      }
      const detail = await world.call('inspect_dataset', { dataset });
      assert.deepEqual([detail.state, detail.cells.length], ['idle', 1]);
    },
    dataset_invalid: async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(3));
      const split = { group_by: ['name'] };
      const { dataset, job } = await world.call('create_dataset_from_traces', { name: 'one group', trace_ids, split });
      assert.equal((await finish(world, job)).status, 'error');
      const step = { dataset: dataset.id, title: 'x', sql: 'SELECT * FROM t' };
      await world.refuses('add_dataset_step', step, { code: 'dataset_invalid' });
    },
  },
  staysInProject: {
    dataset: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const theirs = await landedDataset(other);
      const step = { title: 'x', sql: 'SELECT * FROM t' };
      await world.refuses('add_dataset_step', { dataset: theirs, ...step }, { code: 'dataset_not_found' });
      await proposal(other, theirs);
      assert.equal((await other.call('inspect_dataset', { dataset: theirs })).cells.length, 2);
    },
  },
});
