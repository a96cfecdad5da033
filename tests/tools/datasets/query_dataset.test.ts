import assert from 'node:assert/strict';
import { question } from '../../domain/datasets/traces.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { freshDatabase } from '../../support/boot.ts';
import { startServer } from '../../support/mcp.ts';
import { finish, landedDataset, landedFile, proposal, sendTraces, tickets } from './support.ts';

describeTool('query_dataset', {
  succeeds: {
    'answers rows of the version in use and links back': async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const answer = await world.call('query_dataset', {
        dataset: 'tickets',
        sql: 'SELECT count(*) AS n, min(input) AS first FROM t',
      });
      assert.deepEqual(answer.columns, [
        { name: 'n', type: 'BIGINT' },
        { name: 'first', type: 'VARCHAR' },
      ]);
      assert.deepEqual([answer.dataset, answer.version, answer.n, answer.truncated], [id, '1.0', 1, false]);
      assert.deepEqual(answer.rows, [{ n: 3, first: 'Question 1?' }]);
      assert.equal((await world.read(answer.resource_links[0]?.uri ?? ''))['id'], id);
    },
    'answers at most as many rows as asked for and says when there are more': async () => {
      const world = await given.project();
      await landedDataset(world, 'many', 3);
      const hundred = await world.call('query_dataset', { dataset: 'many', sql: 'SELECT * FROM range(150)' });
      assert.deepEqual([hundred.n, hundred.truncated], [100, true]);
      const exact = await world.call('query_dataset', { dataset: 'many', sql: 'SELECT source_row FROM t', limit: 3 });
      assert.deepEqual([exact.n, exact.truncated], [3, false]);
    },
    'keeps the digits of numbers beyond 2^53': async () => {
      const world = await given.project();
      const made = await world.call('create_dataset_from_traces', {
        name: 'digits',
        trace_ids: await sendTraces(world, [question('n', '{"id": 12345678901234567890}')]),
      });
      await finish(world, made.job);
      const sql = `SELECT output::JSON AS whole, (output::JSON->>'id')::UBIGINT AS id, 9007199254740993 AS big FROM t`;
      const { rows } = await world.call('query_dataset', { dataset: 'digits', sql });
      assert.deepEqual(rows, [
        { whole: { id: '12345678901234567890' }, id: '12345678901234567890', big: '9007199254740993' },
      ]);
    },
    'gives back numbers and lists of a file as they were written': async () => {
      const world = await given.project();
      const lines = ['{"id":12345678901234567890,"tags":[]}', '{"id":7,"tags":["a","b"]}'];
      const { dataset } = await landedFile(world, 'rows.jsonl', lines.join('\n'));
      const { rows } = await world.call('query_dataset', { dataset: dataset.id, sql: 'SELECT id, tags FROM t' });
      assert.deepEqual(rows, [
        { id: '12345678901234567890', tags: [] },
        { id: rows[1]?.['id'], tags: ['a', 'b'] },
      ]);
      assert.equal(Number(rows[1]?.['id']), 7);
    },
    'gives days as they are and instants in UTC, wherever the server stands': async () => {
      const world = await given.project();
      const { dataset } = await landedFile(world, 'days.csv', 'day,moment\n2026-11-30,2026-11-30T23:30:00+13:00\n');
      const before = process.env['TZ'];
      try {
        for (const zone of ['America/Los_Angeles', 'Pacific/Auckland']) {
          process.env['TZ'] = zone;
          const { columns, rows } = await world.call('query_dataset', {
            dataset: dataset.id,
            sql: `SELECT day, moment, moment::TIMESTAMP AS plain, strftime(day, '%A') AS weekday FROM t`,
          });
          assert.equal(columns[0]?.type, 'DATE');
          assert.deepEqual(rows[0]?.['day'], '2026-11-30');
          assert.match(String(rows[0]['moment']), /^2026-11-30[T ]10:30:00(\.0+)?(Z|\+00)/);
          assert.match(String(rows[0]['plain']), /^2026-11-30[T ]10:30:00/);
          assert.equal(rows[0]['weekday'], 'Monday');
          const { created_at: made } = await world.call('get_job', { kind: 'dataset_run', id: dataset.id });
          assert.match(made, /Z$/);
          assert.ok(Math.abs(Date.parse(made) - Date.now()) < 600_000, made);
        }
      } finally {
        if (before === undefined) delete process.env['TZ'];
        else process.env['TZ'] = before;
      }
    },
    'shows no credential that a program wrote into its traces': async () => {
      const world = await given.project();
      const secret = 'sk_live_51H8abcdEFGHijklMNOPqrst';
      const made = await world.call('create_dataset_from_traces', {
        name: 'leak',
        trace_ids: await sendTraces(world, [question(`401 from api: key ${secret} rejected`, 'sorry')]),
      });
      await finish(world, made.job);
      const { rows } = await world.call('query_dataset', { dataset: 'leak', sql: 'SELECT input, messages FROM t' });
      const detail = await world.call('inspect_dataset', { dataset: 'leak' });
      assert.match(String(rows[0]?.['input']), /^401 from api: key .* rejected$/);
      assert.doesNotMatch(JSON.stringify([rows, detail]), /51H8abcd/);
    },
    'reads an earlier version by id and by number': async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const approved = await world.call('run_dataset', { dataset: id, proposal_cell: await proposal(world, id) });
      await finish(world, approved.job);
      const count = async (cell?: string) =>
        (await world.call('query_dataset', { dataset: id, sql: 'SELECT count(*) AS n FROM t', ...(cell && { cell }) }))
          .rows[0]?.['n'];
      const { cells } = await world.call('inspect_dataset', { dataset: id });
      assert.deepEqual(await Promise.all([count(), count('1.0'), count('v1.1'), count(cells[0]?.id)]), [1, 3, 1, 3]);
    },
  },
  fails: {
    query_invalid: async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const wrong: readonly (readonly [string, RegExp])[] = [
        ['DELETE FROM t', /one SELECT or WITH/],
        ['SELECT 1; SELECT 2', /exactly one statement/],
        ['SELECT nope FROM t', /"nope" not found/],
        ["SELECT * FROM read_text('/etc/passwd')", /read_text is not available/],
        ["SELECT * FROM '/etc/passwd'", /Only the table t/],
      ];
      for (const [sql, message] of wrong) {
        const error = await world.refusal('query_dataset', { dataset: id, sql });
        assert.equal(error.code, 'query_invalid');
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\/etc|\n/);
      }
    },
    dataset_not_found: async () => {
      const world = await given.project();
      await world.refuses('query_dataset', { dataset: 'nope', sql: 'SELECT 1' }, { code: 'dataset_not_found' });
    },
    cell_not_found: async () => {
      const world = await given.project({ server: await startServer({ database: await freshDatabase() }) });
      const trace_ids = await sendTraces(world, tickets(1));
      const { dataset } = await world.call('create_dataset_from_traces', { name: 'landing', trace_ids });
      for (const cell of [undefined, '1.0', '9.9', '01890a5d-ac96-774b-bcce-b302099a8057']) {
        const args = { dataset: dataset.id, sql: 'SELECT 1', ...(cell && { cell }) };
        await world.refuses('query_dataset', args, { code: 'cell_not_found' });
      }
    },
  },
  staysInProject: {
    dataset: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const [mine, theirs] = [await landedDataset(world, 'mine'), await landedDataset(other, 'theirs')];
      await world.refuses('query_dataset', { dataset: theirs, sql: 'SELECT 1' }, { code: 'dataset_not_found' });
      const { cells } = await other.call('inspect_dataset', { dataset: theirs });
      await world.refuses(
        'query_dataset',
        { dataset: mine, cell: cells[0]?.id ?? '', sql: 'SELECT 1' },
        { code: 'cell_not_found' },
      );
    },
  },
});
