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
const MESSAGE_MAX = 1_000;

/** What now? The one answer for the tools, the resource, the job and the prompts. */
export function nextActions(dataset: Dataset, cells: readonly Cell[], hasModel: boolean): readonly NextAction[] {
  if (isBusy(dataset.state)) {
    return [action('get_job', 'Work is going on; ask again until it ends.', { kind: 'dataset_run', id: dataset.id })];
  }
  if (cells.length === 0) return afterFailedLanding(dataset);
  const unfinished = inOrder(cells).find((cell) => cell.state === 'queued' || cell.state === 'failed');
  const run = unfinished === undefined ? [] : [runAction(dataset, unfinished)];
  if (dataset.state === 'error') {
    return [prepare(dataset, `The last step failed: ${dataset.error ?? ''}`, hasModel), ...run];
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
  if (unfinished === undefined) return afterLanding(dataset, cells, hasModel);
  if (unfinished.state === 'queued') return run;
  return [prepare(dataset, `The version "${unfinished.title}" failed: ${unfinished.error ?? ''}`, hasModel), ...run];
}

/** A failed version fails again unless what it failed of has changed; another step takes its place. */
function runAction(dataset: Dataset, { state, title }: Cell): NextAction {
  const reason =
    state === 'queued'
      ? 'A version is waiting to be computed.'
      : `The version "${title}" failed; try it again only when the cause is gone.`;
  return action('run_dataset', reason, { dataset: dataset.id });
}

function afterFailedLanding(dataset: Dataset): readonly NextAction[] {
  if (dataset.state !== 'error' || dataset.landings >= LANDINGS_MAX) return [];
  const reason =
    dataset.sourceKind === 'file'
      ? 'The files did not land. Where they are at fault, make another dataset of corrected ones; else try it again.'
      : 'The source did not land; try it again.';
  return [action('run_dataset', reason, { dataset: dataset.id })];
}

function afterLanding(dataset: Dataset, cells: readonly Cell[], hasModel: boolean): readonly NextAction[] {
  const active = activeCell(cells, dataset.activeCellId);
  if (active === undefined) return [];
  const fit = fitOf(active, dataset.intent);
  if (!fit.ok) return [prepare(dataset, `The version does not fit: ${fit.reason}`, hasModel)];
  const sql = 'SELECT * FROM t LIMIT 5';
  return [action('query_dataset', 'Check the rows before they are used.', { dataset: dataset.id, sql })];
}

/** The agent where a model can be asked, else a step that whoever reads this writes. */
function prepare(dataset: Dataset, reason: string, hasModel: boolean): NextAction {
  if (!hasModel) return action('add_dataset_step', reason, { dataset: dataset.id });
  return action('message_dataset_agent', reason, {
    dataset: dataset.id,
    message: `${reason.slice(0, MESSAGE_MAX)} Propose the steps that put this right.`,
  });
}

function action(tool: string, reason: string, args: Readonly<Record<string, unknown>>): NextAction {
  return { tool, reason: reason.length > 300 ? `${reason.slice(0, 299)}…` : reason, arguments: args };
}
