import type { ChatTurn } from '../../generated/contracts/models/chat_turn.ts';
import type { DatasetBrief } from '../../generated/contracts/models/dataset_brief.ts';
import type { DatasetCell } from '../../generated/contracts/models/dataset_cell.ts';
import type { DatasetDetail } from '../../generated/contracts/models/dataset_detail.ts';
import type { DatasetItem } from '../../generated/contracts/models/dataset_item.ts';
import type { DatasetMutation } from '../../generated/contracts/models/dataset_mutation.ts';
import type { DatasetRunDetails, DatasetRunStatus } from '../../generated/contracts/jobs/dataset_run.ts';
import type { NextAction } from '../../generated/contracts/models/next_action.ts';
import type { Upload } from '../../generated/contracts/models/upload.ts';
import type { QueryDatasetOutput } from '../../generated/contracts/tools/datasets/query_dataset.ts';
import { clip } from '../kernel/bounded.ts';
import { createRedactor } from '../kernel/redact.ts';
import { UPLOAD_CHUNK_BYTES } from '../domain/datasets/index.ts';
import type * as Domain from '../domain/datasets/index.ts';
import type { JobDescription } from '../domain/jobs/index.ts';
import type { JobView } from './jobs.ts';
import { linkCapability, linkDataset, linkJob } from './links.ts';

/** Rows are what a program recorded; a credential it wrote down must not reach an agent. */
const redactor = createRedactor();

const CELLS_MAX = 20;
const COLUMNS_MAX = 100;
const COUNTS_MAX = 20;
const SUMMARY_MAX = 240;
const REASON_MAX = 500;
const TURN_TEXT_MAX = 8_000;

/** How much is told of the version in use, and of each other one: an answer must stay readable with many versions. */
const FULL = { columns: COLUMNS_MAX, script: 8_000, failures: 10, review: true };
const BRIEF = { columns: 10, script: 500, failures: 1, review: false };

export function presentUpload(upload: Domain.Upload): Upload {
  return {
    id: upload.id,
    file_name: upload.fileName,
    size_bytes: upload.sizeBytes,
    received_bytes: upload.receivedBytes,
    complete: upload.receivedBytes === upload.sizeBytes,
    chunk_bytes: UPLOAD_CHUNK_BYTES,
    created_at: upload.createdAt.toISOString(),
  };
}

export function presentDatasetItem({ dataset, capability, active }: Domain.DatasetOverview): DatasetItem {
  return {
    id: dataset.id,
    name: clip(dataset.name, 255),
    intent: dataset.intent,
    source_kind: dataset.sourceKind,
    state: dataset.state,
    ...(capability && { capability: presentCapabilityRef(capability) }),
    ...(active?.table && {
      active: {
        id: active.id,
        version: active.version,
        title: clip(active.title, 255),
        rows: active.table.rows,
        fingerprint: active.table.fingerprint,
        fits: presentFit(active.fit),
      },
    }),
    created_at: dataset.createdAt.toISOString(),
    resource: linkDataset(dataset),
  };
}

export function presentDatasetDetail(detail: Domain.DatasetDetail): DatasetDetail {
  const { dataset, capability, active, cells, sample } = detail;
  const kept = cells.slice(-CELLS_MAX);
  return {
    summary: summarise(detail),
    id: dataset.id,
    name: clip(dataset.name, 255),
    intent: dataset.intent,
    source_kind: dataset.sourceKind,
    state: dataset.state,
    ...(dataset.error !== undefined && { error: clip(dataset.error, 1_000) }),
    ...(capability && { capability: presentCapabilityRef(capability) }),
    capability_rank: dataset.capabilityRank.map((ranked) => ({
      capability_id: ranked.capabilityId,
      name: clip(ranked.name, 255),
      score: ranked.score,
      reason: clip(ranked.reason, 300),
    })),
    ...presentSource(dataset),
    ...(active && { active: active.id }),
    cells: kept.map((cell) => presentCell(cell, dataset, cell.id === active?.id ? FULL : BRIEF)),
    cells_truncated: kept.length < cells.length,
    ...(sample &&
      active && {
        sample: {
          cell_id: active.id,
          version: active.version,
          rows: sample.rows.map((row) => redactor.strings(row)),
          truncated: sample.truncated,
        },
      }),
    recent_chat: detail.chat.map(presentTurn),
    next_actions: detail.nextActions.map(presentNextAction),
    created_at: dataset.createdAt.toISOString(),
    resource: linkDataset(dataset),
    resource_links: [linkDataset(dataset), ...(capability ? [linkCapability(capability)] : []), linkRun(dataset)],
  };
}

function presentSource({
  preparation,
  contamination,
}: Domain.Dataset): Pick<DatasetDetail, 'preparation_context' | 'contamination_report'> {
  return {
    ...(preparation && {
      preparation_context: {
        [preparation.unit]: preparation.count,
        failed: preparation.failed,
        sessions: preparation.sessions,
        models: presentCounts(preparation.models),
        capabilities: presentCounts(preparation.capabilities),
      },
    }),
    ...(contamination && { contamination_report: { overlapping_contents: contamination.overlappingContents } }),
  };
}

function presentCounts(counts: readonly { readonly name: string; readonly count: number }[]) {
  return counts.slice(0, COUNTS_MAX).map(({ name, count }) => ({ name: clip(name, 255), count }));
}

export function presentDatasetMutation(made: {
  readonly summary: string;
  readonly dataset: Domain.Dataset;
  readonly evalDataset?: Domain.Dataset;
  readonly traces?: number;
  readonly calls?: number;
  /** The version that was added. */
  readonly cellId?: string;
  readonly awaitsApproval?: boolean;
}): DatasetMutation {
  const { dataset, evalDataset, traces, calls, cellId } = made;
  const status: DatasetRunStatus = made.awaitsApproval === true ? 'awaiting_approval' : dataset.state;
  const job = linkRun(dataset);
  return {
    summary: clip(made.summary, SUMMARY_MAX),
    dataset: presentDatasetBrief(dataset),
    ...(evalDataset && { eval_dataset: presentDatasetBrief(evalDataset) }),
    job: { kind: 'dataset_run', id: dataset.id, status, resource: job },
    ...(traces !== undefined && { traces }),
    ...(calls !== undefined && { calls }),
    ...(cellId !== undefined && { cell: cellId }),
    resource_links: [linkDataset(dataset), ...(evalDataset ? [linkDataset(evalDataset)] : []), job],
  };
}

export function presentQueryAnswer(
  dataset: Domain.Dataset,
  cell: Domain.CellView,
  answer: Domain.QueryAnswer,
): QueryDatasetOutput {
  const n = answer.rows.length;
  const cut = answer.truncated ? '; more or longer values were left out' : '';
  return {
    summary: clip(
      `${n} ${n === 1 ? 'row' : 'rows'} from version ${cell.version} of ${dataset.name}${cut}.`,
      SUMMARY_MAX,
    ),
    dataset: dataset.id,
    cell_id: cell.id,
    version: cell.version,
    columns: answer.columns.map(({ name, type }) => ({ name, type })),
    rows: answer.rows.map((row) => redactor.strings(row)),
    n,
    truncated: answer.truncated,
    resource_links: [linkDataset(dataset)],
  };
}

/** The job of a dataset is told by the dataset's own state; the machinery adds times, progress and what went wrong. */
export function presentDatasetRun(progress: Domain.DatasetProgress, job: JobDescription | undefined): JobView {
  const { dataset, active } = progress;
  const status: DatasetRunStatus = progress.isAwaitingApproval ? 'awaiting_approval' : dataset.state;
  const isBusy = dataset.state === 'landing' || dataset.state === 'running' || dataset.state === 'diagnosing';
  const details: DatasetRunDetails = {
    name: clip(dataset.name, 255),
    state: dataset.state,
    intent: dataset.intent,
    source_kind: dataset.sourceKind,
    ...(active && { active: active.version }),
    cells: progress.cells,
    ...(progress.turn && { latest_turn: presentTurn(progress.turn) }),
    next_actions: progress.nextActions.map(presentNextAction),
  };
  return {
    id: dataset.id,
    status,
    label: runLabel(dataset),
    ...(dataset.error !== undefined && {
      error: { code: job?.error?.code ?? 'dataset_invalid', message: dataset.error },
    }),
    createdAt: job?.createdAt ?? dataset.createdAt,
    updatedAt: dataset.updatedAt,
    ...(!isBusy && job?.completedAt && { completedAt: job.completedAt }),
    ...(isBusy && job?.progress && { progress: job.progress }),
    details: { ...details },
    makes: [linkDataset(dataset)],
  };
}

function presentTurn(turn: Domain.ChatTurn): ChatTurn {
  const { error, progress, createdAt, endedAt } = turn;
  return {
    id: turn.id,
    role: turn.role,
    text: clip(redactor.text(turn.text), TURN_TEXT_MAX),
    ...(error !== undefined && { error: clip(error, 1_000) }),
    cells: turn.cells.slice(0, CELLS_MAX).map(({ id, title, action }) => ({ id, title: clip(title, 255), action })),
    status: turn.status,
    ...(progress && { progress: { stage: clip(progress.stage, 64), detail: clip(progress.detail, 200) } }),
    at: createdAt.toISOString(),
    ...(endedAt && { ms: Math.max(0, endedAt.getTime() - createdAt.getTime()) }),
  };
}

function presentNextAction(action: Domain.NextAction): NextAction {
  return { tool: action.tool, reason: action.reason, arguments: { ...action.arguments } };
}

function linkRun(dataset: Domain.Dataset): ReturnType<typeof linkJob> {
  return linkJob({ kind: 'dataset_run', id: dataset.id, label: runLabel(dataset) });
}

function runLabel({ name }: Domain.Dataset): string {
  return `Dataset ${name}`;
}

function presentDatasetBrief(dataset: Domain.Dataset): DatasetBrief {
  return { id: dataset.id, name: clip(dataset.name, 255), state: dataset.state, resource: linkDataset(dataset) };
}

function presentCapabilityRef(
  capability: NonNullable<Domain.DatasetOverview['capability']>,
): DatasetItem['capability'] & object {
  return {
    id: capability.id,
    name: clip(capability.name, 255),
    slug: clip(capability.slug, 255),
    resource: linkCapability(capability),
  };
}

function presentCell(cell: Domain.CellView, dataset: Domain.Dataset, room: typeof FULL): DatasetCell {
  const { table, error } = cell;
  const script = clip(cell.script, room.script);
  return {
    id: cell.id,
    position: cell.position,
    version: cell.version,
    title: clip(cell.title, 255),
    ...(cell.script !== '' && { script, script_truncated: script.length < cell.script.length }),
    ...(cell.note !== '' && { note: clip(cell.note, 1_000) }),
    state: cell.state,
    ...(error !== undefined && { error: clip(error, 1_000) }),
    frozen: cell.isFrozen,
    rows: table?.rows ?? 0,
    columns: (table?.columns ?? []).slice(0, room.columns).map((column) => ({
      name: clip(column.name, 255),
      type: clip(column.type, 255),
      null_rate: column.nullRate,
    })),
    columns_truncated: (table?.columns.length ?? 0) > room.columns,
    ...(table && {
      fingerprint: table.fingerprint,
      train_report: presentReport(table.trainReport, room.failures),
      eval_report: presentReport(table.evalReport, room.failures),
      ...(room.review && presentReview(table)),
      seconds: table.seconds,
    }),
    fits: presentFit(cell.fit),
    ...(cell.usedAt && { used_at: cell.usedAt.toISOString() }),
    resource: linkDataset(dataset),
  };
}

function presentReview({ stats, quality }: Domain.CellTable): Pick<DatasetCell, 'stats' | 'quality'> {
  return {
    stats: {
      has_tool_calling: stats.hasToolCalling,
      has_multi_turn_tool_calls: stats.hasMultiTurnToolCalls,
      max_token_estimate: stats.maxTokenEstimate,
      average_input_characters: stats.averageInputCharacters,
      average_output_characters: stats.averageOutputCharacters,
    },
    quality: quality.map(({ code, message, rows, examples }) => ({ code, message, rows, examples: [...examples] })),
  };
}

function presentReport(report: Domain.ContractReport, failures: number): DatasetCell['train_report'] & object {
  return {
    ok: report.ok,
    reason: clip(report.reason, REASON_MAX),
    failures: report.failures.slice(0, failures).map(({ row, reason }) => ({ row, reason: clip(reason, 300) })),
  };
}

function presentFit({ ok, reason }: Domain.Fit): DatasetCell['fits'] {
  return { ok, reason: clip(reason, REASON_MAX) };
}

function summarise({ dataset, active, cells }: Domain.DatasetDetail): string {
  const proposals = cells.filter(({ state }) => state === 'proposed').length;
  const waiting =
    proposals === 0
      ? ''
      : ` ${proposals} proposed ${proposals === 1 ? 'version waits' : 'versions wait'} for a decision.`;
  const name = clip(dataset.name, 80);
  if (dataset.state === 'error') return clip(`${name} is in error: ${dataset.error ?? ''}`, SUMMARY_MAX);
  if (active?.table === undefined)
    return clip(`${name} is ${dataset.state} and has no rows yet.${waiting}`, SUMMARY_MAX);
  const fit = active.fit.ok ? `fits ${dataset.intent}` : `does not fit ${dataset.intent}`;
  return clip(
    `${name} is ${dataset.state}: version ${active.version} with ${active.table.rows} rows ${fit}.${waiting}`,
    SUMMARY_MAX,
  );
}
