import assert from 'node:assert/strict';
import { question } from '../../domain/datasets/traces.ts';
import type { TraceFixture } from '../../domain/datasets/traces.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { freshDatabase } from '../../support/boot.ts';
import { startServer } from '../../support/mcp.ts';
import { finish, landedDataset, landedFile, proposal, sendTraces, tickets } from './support.ts';

const LIMIT_BYTES = 60_000;

describeTool('inspect_dataset', {
  succeeds: {
    'shows versions, a sample and what to do next, by id, URI and name': async () => {
      const world = await given.project();
      const id = await landedDataset(world, 'Refund failures', 7);
      const detail = await world.call('inspect_dataset', { dataset: id });
      assert.deepEqual(detail, await world.call('inspect_dataset', { dataset: detail.resource.uri }));
      assert.deepEqual(detail, await world.call('inspect_dataset', { dataset: ' refund FAILURES ' }));
      assert.deepEqual(detail, await world.read(detail.resource.uri));
      assert.equal(detail.sample?.rows.length, 5);
      assert.equal(detail.sample.rows[0]?.['input'], 'Question 1?');
      const [cell] = detail.cells;
      assert.equal(cell?.columns.find(({ name }) => name === 'messages')?.type, 'JSON');
      assert.ok(!cell?.columns.some(({ name }) => name === 'source_row'));
      assert.match(cell?.fingerprint ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual(
        detail.next_actions.map(({ tool }) => tool),
        ['query_dataset'],
      );
      const links = await Promise.all(detail.resource_links.map(({ uri }) => world.read(uri)));
      assert.equal(links.length, 3);
    },
    'shows figures and findings of the version in use': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, [question('q', 'a'), question('q', 'a')]);
      const made = await world.call('create_dataset_from_traces', { name: 'repeats', trace_ids });
      await finish(world, made.job);
      const { cells } = await world.call('inspect_dataset', { dataset: made.dataset.id });
      assert.deepEqual(cells[0]?.quality, [
        { code: 'repeated_rows', message: '1 of 2 rows repeat the content of an earlier row.', rows: 1, examples: [2] },
      ]);
      assert.deepEqual([cells[0]?.stats?.has_tool_calling, cells[0]?.stats?.average_input_characters], [false, 1]);
    },
    'takes a call of a tool for an output, but not one that was made before the last answer': async () => {
      const world = await given.project();
      const call = { type: 'tool_call', id: '1', name: 'find', arguments: { id: 7 } };
      const calling = { role: 'assistant', parts: [call] };
      const asks = (words: string, before: readonly object[], answer: object): TraceFixture => ({
        name: 'chat',
        attributes: {
          'overmind.capability': 'support',
          'gen_ai.operation.name': 'chat',
          'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: words }, ...before]),
          'gen_ai.output.messages': JSON.stringify([answer]),
        },
      });
      const trace_ids = await sendTraces(world, [
        asks('calls', [], calling),
        asks('says nothing', [], { role: 'assistant', content: '' }),
        asks('called once', [calling], { role: 'assistant', content: ' ' }),
        asks('answers', [], { role: 'assistant', content: 'yes' }),
      ]);
      await finish(world, (await world.call('create_dataset_from_traces', { name: 'traces', trace_ids })).job);
      const since = '2025-10-01T00:00:00Z';
      const calls = { name: 'calls', capability: 'support', since };
      await finish(world, (await world.call('create_dataset_from_llm_calls', calls)).job);
      for (const dataset of ['traces', 'calls']) {
        const { rows } = await world.call('query_dataset', {
          dataset,
          sql: "SELECT source_row FROM t WHERE messages::VARCHAR NOT LIKE '%yes%' AND input <> 'calls'",
        });
        const { cells } = await world.call('inspect_dataset', { dataset });
        const found = cells[0]?.quality?.find(({ code }) => code === 'empty_output');
        assert.deepEqual(
          [found?.message, found?.examples],
          ['2 of 4 rows have no output.', rows.map((row) => row['source_row'])],
          dataset,
        );
      }
    },
    'tells what the rows were made from, and what the halves of a split share': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, [
        ...['one', 'two', 'two', 'one'].map((words) => question(words, 'yes', { 'session.id': 'first' })),
        { ...question('three', 'no'), error: 'refused' },
        question('four', 'no', { 'overmind.capability': 'billing' }),
      ]);
      const split = { eval_percent: 50, position: 'tail', deduplicate: false } as const;
      const made = await world.call('create_dataset_from_traces', { name: 'halves', trace_ids, split });
      await finish(world, made.job);
      for (const dataset of [made.dataset.id, made.eval_dataset?.id ?? '']) {
        const detail = await world.call('inspect_dataset', { dataset });
        assert.deepEqual(detail.preparation_context, {
          traces: 6,
          failed: 1,
          sessions: 1,
          models: [{ name: 'small-model', count: 6 }],
          capabilities: [
            { name: 'support', count: 5 },
            { name: 'billing', count: 1 },
          ],
        });
        assert.deepEqual(detail.contamination_report, { overlapping_contents: 1 });
      }
      const file = await landedFile(world, 'rows.jsonl', '{"input":"a","expected_output":"b"}\n');
      const { preparation_context, contamination_report } = await world.call('inspect_dataset', {
        dataset: file.dataset.id,
      });
      assert.deepEqual([preparation_context, contamination_report], [undefined, undefined]);
    },
    'asks to poll while rows land and to decide what is proposed': async () => {
      const idle = await given.project({ server: await startServer({ database: await freshDatabase() }) });
      const trace_ids = await sendTraces(idle, tickets(1));
      const { dataset } = await idle.call('create_dataset_from_traces', { name: 'landing', trace_ids });
      const landing = await idle.call('inspect_dataset', { dataset: dataset.id });
      assert.deepEqual([landing.state, landing.cells, landing.sample], ['landing', [], undefined]);
      assert.deepEqual(
        landing.next_actions.map(({ tool, arguments: args }) => [tool, args]),
        [['get_job', { kind: 'dataset_run', id: dataset.id }]],
      );
      const world = await given.project();
      const id = await landedDataset(world);
      const cell = await proposal(world, id);
      const proposed = await world.call('inspect_dataset', { dataset: id });
      assert.deepEqual(
        proposed.cells.map(({ version, state }) => [version, state]),
        [
          ['1.0', 'ok'],
          ['proposed', 'proposed'],
        ],
      );
      assert.deepEqual(proposed.next_actions[0]?.arguments, { dataset: id, proposal_cell: cell });
      assert.equal((await world.call('get_job', { kind: 'dataset_run', id })).status, 'awaiting_approval');
    },
    'stays readable with long values and never cuts a character in two': async () => {
      const world = await given.project();
      const fixtures = ['', 'a', 'ab'].map((prefix) => question(`${prefix}${'🎉'.repeat(3_000)}`, 'yes'));
      const made = await world.call('create_dataset_from_traces', {
        name: 'long',
        trace_ids: await sendTraces(world, fixtures),
      });
      await finish(world, made.job);
      const detail = await world.call('inspect_dataset', { dataset: 'long' });
      assert.equal(detail.sample?.truncated, true);
      for (const row of detail.sample.rows) {
        const text = String(row['input']);
        assert.ok(text.length <= 601 && text.endsWith('…') && !/\p{Surrogate}/u.test(text));
      }
      const { rows, truncated } = await world.call('query_dataset', { dataset: 'long', sql: 'SELECT * FROM t' });
      assert.ok(truncated && rows.length > 0);
      assert.ok(Buffer.byteLength(JSON.stringify(rows)) < LIMIT_BYTES);
      assert.ok(!/\p{Surrogate}/u.test(JSON.stringify(rows)));
    },
    'names no file': async () => {
      const world = await given.project();
      const detail = await world.call('inspect_dataset', { dataset: await landedDataset(world) });
      assert.doesNotMatch(JSON.stringify(detail), /parquet|objects\/|\/tmp\/|datasets\/[0-9a-f-]{36}\//);
    },
  },
  fails: {
    dataset_not_found: async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(1));
      for (const name of ['Twice', 'twice']) await world.call('create_dataset_from_traces', { name, trace_ids });
      const ambiguous = await world.refusal('inspect_dataset', { dataset: 'TWICE' });
      assert.equal(ambiguous.code, 'dataset_not_found');
      assert.match(ambiguous.message, /use the dataset id/);
      for (const dataset of [
        'nope',
        '01890a5d-ac96-774b-bcce-b302099a8057',
        'overmind://datasets/nope',
        'overmind://traces/x',
      ]) {
        await world.refuses('inspect_dataset', { dataset }, { code: 'dataset_not_found' });
      }
    },
  },
  staysInProject: {
    dataset: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const trace_ids = await sendTraces(other, tickets(1));
      const { dataset } = await other.call('create_dataset_from_traces', { name: 'theirs', trace_ids });
      const unknown = await world.refusal('inspect_dataset', { dataset: '01890a5d-ac96-774b-bcce-b302099a8057' });
      assert.deepEqual(await world.refusal('inspect_dataset', { dataset: dataset.id }), unknown);
      assert.deepEqual(await world.refusal('inspect_dataset', { dataset: 'theirs' }), unknown);
    },
  },
});
