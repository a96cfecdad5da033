import { activeCell, fitOf, inOrder } from './cell.ts';
import type { Cell } from './cell.ts';
import { isBusy, LANDINGS_MAX } from './dataset.ts';
import type { Dataset } from './dataset.ts';

/** A call that would move the work on. */
export interface NextAction {
  readonly tool: string;
  readonly reason: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const PROPOSALS_MAX = 5;

/** What now? The one answer for the tools, the resource, the job and the prompts. */
export function nextActions(dataset: Dataset, cells: readonly Cell[]): readonly NextAction[] {
  if (isBusy(dataset.state)) {
    return [action('get_job', 'Work is going on; ask again until it ends.', { kind: 'dataset_run', id: dataset.id })];
  }
  const proposals = inOrder(cells).filter((cell) => cell.state === 'proposed');
  if (proposals.length > 0) {
    return proposals.slice(0, PROPOSALS_MAX).map((cell) =>
      action('run_dataset', `Decide the proposal "${cell.title}" after asking the person.`, {
        dataset: dataset.id,
        proposal_cell: cell.id,
      }),
    );
  }
  if (cells.length === 0) return afterFailedLanding(dataset);
  if (cells.some((cell) => cell.state === 'queued' || cell.state === 'failed')) {
    return [action('run_dataset', 'A version is waiting to be computed.', { dataset: dataset.id })];
  }
  return afterLanding(dataset, cells);
}

function afterFailedLanding(dataset: Dataset): readonly NextAction[] {
  if (dataset.state !== 'error' || dataset.landings >= LANDINGS_MAX) return [];
  return [action('run_dataset', 'The source did not land; try it again.', { dataset: dataset.id })];
}

function afterLanding(dataset: Dataset, cells: readonly Cell[]): readonly NextAction[] {
  const active = activeCell(cells, dataset.activeCellId);
  if (active === undefined) return [];
  const fit = fitOf(active, dataset.intent);
  const look = fit.ok ? 'Check the rows before they are used.' : `The version does not fit: ${fit.reason}`;
  return [action('query_dataset', look, { dataset: dataset.id, sql: 'SELECT * FROM t LIMIT 5' })];
}

function action(tool: string, reason: string, args: Readonly<Record<string, unknown>>): NextAction {
  return { tool, reason: reason.length > 300 ? `${reason.slice(0, 299)}…` : reason, arguments: args };
}
