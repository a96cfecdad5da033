import type { DatasetDetail } from './dataset-service.ts';
import type { CellTable } from './cell.ts';

const VERSIONS_MAX = 10;
const COLUMNS_MAX = 100;

/** A dataset as the model is shown it. Rows and names in it are a stranger's; whoever sends it on bounds and cleans it. */
export function showDataset({
  dataset,
  capability,
  active,
  cells,
  sample,
}: DatasetDetail): Readonly<Record<string, unknown>> {
  return {
    name: dataset.name,
    intent: dataset.intent,
    ...(capability && { capability: capability.name }),
    capabilities: dataset.capabilityRank.slice(0, 5).map(({ name, score }) => ({ name, score })),
    versions: cells.slice(-VERSIONS_MAX).map(({ version, title, state, script, error, table, isFrozen }) => ({
      version,
      title,
      state,
      ...(script !== '' && { sql: script }),
      ...(error !== undefined && { error }),
      ...(table && { rows: table.rows }),
      ...(isFrozen && { frozen: true }),
    })),
    ...(active?.table && { in_use: { version: active.version, ...showTable(active.table), fits: active.fit } }),
    ...(sample && { sample: sample.rows }),
  };
}

function showTable({ rows, columns, trainReport, evalReport, stats, quality }: CellTable): object {
  return {
    rows,
    columns: columns.slice(0, COLUMNS_MAX).map(({ name, type, nullRate }) => ({ name, type, empty: nullRate })),
    train_report: trainReport,
    eval_report: evalReport,
    longest_row_tokens: stats.maxTokenEstimate,
    findings: quality.map(({ message, examples }) => ({ message, examples })),
  };
}
