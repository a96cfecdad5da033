import assert from 'node:assert/strict';
import { ACCOUNT, datasetsWorld } from './datasets-world.ts';
import type { DatasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

/** What a step makes of a single source row, and what the reports must say of it. */
const TRAIN: readonly (readonly [string, RegExp | undefined])[] = [
  [`[{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]`, undefined],
  [`[{'role': 'user', 'content': 'q'}]`, /no assistant turn/],
  [`[]`, /not a list of turns/],
  [`NULL`, /not a list of turns/],
  [`'text'`, /not a list of turns/],
  [`[{'role': 'robot', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]`, /messages\[0\] has no known role/],
  [`[{'role': 'assistant', 'content': NULL}]`, /neither content nor tool_calls/],
  [`[{'role': 'assistant', 'content': 'a… [cut 12 characters]'}]`, /was cut/],
];

describe('contract reports', function () {
  this.timeout(90_000);
  let world: DatasetsWorld;
  let projectId: string;
  let dataset: string;
  before(async () => {
    world = await datasetsWorld();
    projectId = await world.project();
    const traceIds = await world.ingest(projectId, [question('q', 'a'), question('q', 'a'), { name: 'empty' }]);
    const made = await world.datasets.creation.fromTraces(projectId, { name: 'source', accountId: ACCOUNT, traceIds });
    await world.settled(made.dataset);
    dataset = made.dataset.id;
  });
  after(() => world.close());

  /** The version that a script makes of the source. */
  const versionOf = async (script: string) => {
    const { cellId } = await world.datasets.preparation.addStep(projectId, dataset, {
      title: 'step',
      script,
      note: '',
      accountId: ACCOUNT,
      isProposal: false,
    });
    const settled = await world.settled({ projectId, id: dataset });
    assert.equal(settled.state, 'idle', settled.error);
    const detail = await world.datasets.service.inspect(projectId, dataset);
    const table = detail.active?.table;
    assert.ok(table !== undefined && detail.active?.id === cellId);
    return table;
  };

  it('name the rows that fail, and what they lack', async () => {
    const source = (await world.datasets.service.inspect(projectId, dataset)).active?.table;
    assert.deepEqual(source?.trainReport, {
      ok: false,
      reason: '1 of 3 rows fail, the first because messages is not a list of turns.',
      failures: [{ row: 3, reason: 'messages is not a list of turns' }],
    });
    assert.equal(source.evalReport.ok, false);
    assert.deepEqual(source.evalReport.failures, [{ row: 3, reason: 'input is empty' }]);
    assert.deepEqual(
      source.quality.map(({ code, rows, examples }) => [code, rows, examples]),
      [
        ['repeated_rows', 1, [2]],
        ['empty_output', 1, [3]],
      ],
    );
    assert.deepEqual(source.stats, {
      numExamples: 3,
      hasToolCalling: false,
      hasMultiTurnToolCalls: false,
      maxTokenEstimate: source.stats.maxTokenEstimate,
      averageInputCharacters: 1,
      averageOutputCharacters: 1,
    });
  });

  it('propose what the dataset is for as soon as a step makes it serve for something', async () => {
    const traceIds = await world.ingest(projectId, [question('q', 'a'), { name: 'empty' }]);
    const { dataset: made } = await world.datasets.creation.fromTraces(projectId, {
      name: 'pending',
      accountId: ACCOUNT,
      traceIds,
    });
    assert.equal((await world.settled(made)).intent, 'pending');
    const step = { title: 'step', note: '', accountId: ACCOUNT, isProposal: false };
    for (const [script, intent] of [
      ['SELECT * FROM t WHERE true', 'pending'],
      ['SELECT * FROM t WHERE len(messages) > 0', 'train'],
      ['SELECT * REPLACE (output AS expected_output) FROM t', 'train'],
    ] as const) {
      await world.datasets.preparation.addStep(projectId, made.id, { ...step, script });
      assert.equal((await world.settled(made)).intent, intent, script);
    }
  });

  it('judge messages', async () => {
    const rows = TRAIN.map(([value], index) => `SELECT ${index + 1} AS source_row, to_json(${value}) AS messages`).join(
      ' UNION ALL ',
    );
    const { trainReport } = await versionOf(`SELECT * FROM (${rows}) ORDER BY source_row`);
    const reasons = new Map(trainReport.failures.map(({ row, reason }) => [row, reason]));
    for (const [index, [value, fault]] of TRAIN.entries()) {
      const reason = reasons.get(index + 1);
      if (fault === undefined) assert.equal(reason, undefined, value);
      else assert.match(reason ?? 'no fault', fault, value);
    }
  });

  it('keep the first ten failures and count the rest', async () => {
    const { trainReport, evalReport } = await versionOf(
      `SELECT range AS source_row, '' AS input, 'x' AS expected_output FROM range(1, 26)`,
    );
    assert.deepEqual([trainReport.ok, trainReport.reason], [false, 'There is no messages column.']);
    assert.deepEqual(
      evalReport.failures.map(({ row }) => row),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.match(evalReport.reason, /^25 of 25 rows fail/);
  });

  it('want an input in every row and a reference in at least one for evaluation', async () => {
    const good = await versionOf(
      `SELECT 1 AS source_row, 'q' AS input, 'a' AS expected_output UNION ALL SELECT 2, 'q2', NULL`,
    );
    assert.deepEqual(good.evalReport, { ok: true, reason: '', failures: [] });
    const none = await versionOf(`SELECT source_row, input, NULL::VARCHAR AS expected_output FROM t`);
    assert.match(none.evalReport.reason, /SELECT \* REPLACE \(output AS expected_output\)/);
    const noInput = await versionOf('SELECT source_row, 1 AS other FROM t');
    assert.equal(noInput.evalReport.reason, 'There is no input column.');
    const noRows = await versionOf('SELECT * FROM t WHERE false');
    assert.deepEqual(
      [noRows.rows, noRows.trainReport.reason, noRows.evalReport.reason],
      [0, 'There are no rows.', 'There are no rows.'],
    );
  });
});
