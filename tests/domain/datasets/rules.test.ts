import assert from 'node:assert/strict';
import { activeCell, canCellBecome, findCell, fitOf, isFrozen, versionsOf } from '../../../src/domain/datasets/cell.ts';
import type { Cell, CellState, CellTable } from '../../../src/domain/datasets/cell.ts';
import { canBecome, DATASET_STATES, isBusy } from '../../../src/domain/datasets/dataset.ts';
import type { Dataset, DatasetState } from '../../../src/domain/datasets/dataset.ts';
import { parseReference } from '../../../src/domain/datasets/dataset-reference.ts';
import { nextActions } from '../../../src/domain/datasets/next-actions.ts';

const TABLE: CellTable = {
  objectKey: 'k',
  sha256: '',
  sizeBytes: 1,
  rows: 1,
  columns: [],
  fingerprint: 'f',
  trainReport: { ok: true, reason: '', failures: [] },
  evalReport: { ok: false, reason: 'No row has an expected_output.', failures: [] },
  stats: {
    numExamples: 1,
    hasToolCalling: false,
    hasMultiTurnToolCalls: false,
    maxTokenEstimate: 1,
    averageInputCharacters: 1,
    averageOutputCharacters: 1,
  },
  quality: [],
  seconds: 0,
};

/** Cells at the positions 0, 1, 2 …, by state; `used` marks a good one that was used. */
function chain(...states: (CellState | 'used')[]): Cell[] {
  return states.map((state, position) => ({
    id: `0000000${position}-0000-7000-8000-000000000000`,
    datasetId: 'd',
    position,
    title: `cell ${position}`,
    script: '',
    note: '',
    state: state === 'used' ? 'ok' : state,
    ...(state === 'failed' && { error: 'no' }),
    ...(state === 'used' && { usedAt: new Date(0) }),
    ...((state === 'ok' || state === 'used') && { table: TABLE }),
  }));
}

function dataset(state: DatasetState, more: Partial<Dataset> = {}): Dataset {
  return {
    id: 'd',
    projectId: 'p',
    name: 'set',
    sourceKind: 'traces',
    sourceSpec: {},
    landedBy: 'd',
    landings: 1,
    intent: 'train',
    capabilityBinding: 'none',
    capabilityRank: [],
    state,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...more,
  };
}

describe('the rules of datasets', () => {
  it('lets a dataset change state only along its table', () => {
    const allowed = [
      'landing>idle',
      'landing>error',
      'diagnosing>idle',
      'diagnosing>error',
      'running>idle',
      'running>error',
      'idle>running',
      'idle>diagnosing',
      'error>landing',
      'error>running',
      'error>diagnosing',
    ];
    for (const from of DATASET_STATES) {
      for (const to of DATASET_STATES)
        assert.equal(canBecome(from, to), allowed.includes(`${from}>${to}`), `${from}>${to}`);
    }
    assert.deepEqual(DATASET_STATES.filter(isBusy), ['landing', 'diagnosing', 'running']);
  });

  it('lets a cell change state only along its table', () => {
    const states: readonly CellState[] = ['proposed', 'queued', 'running', 'ok', 'failed'];
    const allowed = [
      'proposed>queued',
      'queued>running',
      'queued>failed',
      'running>ok',
      'running>failed',
      'failed>queued',
    ];
    for (const from of states) {
      for (const to of states)
        assert.equal(canCellBecome(from, to), allowed.includes(`${from}>${to}`), `${from}>${to}`);
    }
  });

  it('numbers versions: minors along the chain, a major at each first use, none for proposals', () => {
    const numbers = (...states: (CellState | 'used')[]) => [...versionsOf(chain(...states)).values()];
    assert.deepEqual(numbers('ok', 'ok', 'failed', 'proposed'), ['1.0', '1.1', '1.2', 'proposed']);
    assert.deepEqual(numbers('used', 'ok', 'used', 'ok', 'queued'), ['1.0', '1.1', '2.0', '2.1', '2.2']);
    assert.deepEqual(numbers('used'), ['1.0']);
  });

  it('freezes what is used and all it was made from', () => {
    const cells = chain('ok', 'used', 'ok');
    assert.deepEqual(
      cells.map((cell) => isFrozen(cell, cells)),
      [true, true, false],
    );
  });

  it('takes the chosen version while it is good, else the last good one', () => {
    const cells = chain('ok', 'ok', 'failed', 'proposed');
    assert.equal(activeCell(cells, cells[0]?.id)?.position, 0);
    assert.equal(activeCell(cells, cells[2]?.id)?.position, 1);
    assert.equal(activeCell(cells, undefined)?.position, 1);
    assert.equal(activeCell(chain('failed'), undefined), undefined);
  });

  it('finds a version by id or number', () => {
    const cells = chain('ok', 'ok', 'proposed');
    assert.equal(findCell(cells, ' V1.1 ')?.position, 1);
    assert.equal(findCell(cells, cells[2]?.id ?? '')?.position, 2);
    assert.equal(findCell(cells, 'proposed'), undefined);
    assert.equal(findCell(cells, '2.0'), undefined);
  });

  it('says why a version does not fit', () => {
    const [cell] = chain('ok');
    assert.ok(cell !== undefined);
    assert.deepEqual(fitOf(cell, 'train'), { ok: true, reason: '' });
    assert.deepEqual(fitOf(cell, 'eval'), { ok: false, reason: 'No row has an expected_output.' });
    assert.match(fitOf(cell, 'pending').reason, /not decided/);
    assert.match(fitOf({ ...cell, table: undefined } as unknown as Cell, 'train').reason, /not been computed/);
  });

  it('says what to do next in every state', () => {
    const next = (state: DatasetState, cells: readonly Cell[], more: Partial<Dataset> = {}, hasModel = false) =>
      nextActions(dataset(state, more), cells, hasModel).map((action) => [
        action.tool,
        action.arguments['proposal_cell'],
      ]);
    for (const state of ['landing', 'diagnosing', 'running'] as const)
      assert.deepEqual(next(state, chain('ok', 'proposed')), [['get_job', undefined]]);
    assert.deepEqual(next('error', []), [['run_dataset', undefined]]);
    assert.deepEqual(next('error', [], { landings: 5 }), []);
    assert.deepEqual(next('idle', chain('ok', 'proposed', 'proposed')), [
      ['run_dataset', chain('ok', 'proposed')[1]?.id],
      ['run_dataset', chain('ok', 'ok', 'proposed')[2]?.id],
    ]);
    assert.equal(next('idle', chain('ok', ...Array<CellState>(9).fill('proposed'))).length, 5);
    assert.deepEqual(next('idle', chain('ok', 'queued')), [['run_dataset', undefined]]);
    assert.deepEqual(next('idle', chain('ok')), [['query_dataset', undefined]]);
    for (const [hasModel, tool] of [
      [true, 'message_dataset_agent'],
      [false, 'add_dataset_step'],
    ] as const) {
      assert.deepEqual(next('error', chain('ok', 'failed'), {}, hasModel), [
        [tool, undefined],
        ['run_dataset', undefined],
      ]);
      assert.deepEqual(next('error', chain('ok'), {}, hasModel), [[tool, undefined]]);
      assert.deepEqual(next('idle', chain('ok'), { intent: 'eval' }, hasModel), [[tool, undefined]]);
      assert.deepEqual(next('idle', chain('ok'), { intent: 'pending' }, hasModel), [[tool, undefined]]);
    }
  });

  it('reads references: ids, resource URIs, names', () => {
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    assert.deepEqual(parseReference(` ${id.toUpperCase()} `), { id });
    assert.deepEqual(parseReference(`overmind://datasets/${id}?project_id=x`), { id });
    assert.deepEqual(parseReference('overmind://datasets/my%20set'), { name: 'my set' });
    assert.deepEqual(parseReference('My set'), { name: 'My set' });
    assert.deepEqual(parseReference('overmind://datasets/%E0%A4%A'), { name: '%E0%A4%A' });
  });
});
