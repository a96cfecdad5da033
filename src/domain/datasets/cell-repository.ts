import { jsonb } from '../../db/database.ts';
import type { Db, Tx } from '../../db/database.ts';
import { canCellBecome } from './cell.ts';
import type { Cell, CellState, CellTable } from './cell.ts';
import { optional } from './optional.ts';

interface CellRecord {
  id: string;
  dataset_id: string;
  position: number;
  title: string;
  script: string;
  note: string;
  state: CellState;
  error: string | null;
  row_count: string | number | null;
  columns: CellTable['columns'];
  fingerprint: string | null;
  input_fingerprint: string | null;
  train_report: CellTable['trainReport'] | null;
  eval_report: CellTable['evalReport'] | null;
  stats: CellTable['stats'] | null;
  quality_report: CellTable['quality'] | null;
  seconds: number | null;
  object_key: string | null;
  object_sha256: string | null;
  object_bytes: string | number | null;
  used_at: Date | null;
}

export type NewCell = Pick<Cell, 'id' | 'datasetId' | 'position' | 'title' | 'script' | 'note' | 'inputFingerprint'> & {
  /** The source is born running: it is inserted by the landing that has just written it. */
  readonly state: 'proposed' | 'queued' | 'running';
  readonly createdBy?: string;
};

export class CellRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): CellRepository {
    return new CellRepository(tx);
  }

  async ofDataset(projectId: string, datasetId: string): Promise<readonly Cell[]> {
    return this.ofDatasets(projectId, [datasetId]);
  }

  async ofDatasets(projectId: string, datasetIds: readonly string[]): Promise<readonly Cell[]> {
    const rows: CellRecord[] = await this.#db('dataset_cells')
      .where({ project_id: projectId })
      .whereIn('dataset_id', [...datasetIds])
      .orderBy(['dataset_id', 'position']);
    return rows.map(toCell);
  }

  async insert(projectId: string, cell: NewCell): Promise<void> {
    await this.#db('dataset_cells').insert({
      project_id: projectId,
      id: cell.id,
      dataset_id: cell.datasetId,
      position: cell.position,
      title: cell.title,
      script: cell.script,
      note: cell.note,
      state: cell.state,
      input_fingerprint: cell.inputFingerprint ?? null,
      created_by: cell.createdBy ?? null,
    });
  }

  /** False when the cell is in none of these states, or may not go from there. */
  async setState(
    projectId: string,
    id: string,
    from: readonly CellState[],
    to: 'queued' | 'running',
  ): Promise<boolean> {
    const changed = await this.#db('dataset_cells')
      .where({ project_id: projectId, id })
      .whereIn(
        'state',
        from.filter((state) => canCellBecome(state, to)),
      )
      .update({ state: to, error: null, updated_at: this.#db.fn.now() });
    return changed > 0;
  }

  async fail(projectId: string, id: string, error: string): Promise<void> {
    await this.#db('dataset_cells')
      .where({ project_id: projectId, id })
      .whereIn('state', ['queued', 'running'])
      .update({ state: 'failed', error, updated_at: this.#db.fn.now() });
  }

  /** The version that was being computed when its job failed for good; those after it go on waiting. */
  async failRunning(projectId: string, datasetId: string, error: string): Promise<void> {
    await this.#db('dataset_cells')
      .where({ project_id: projectId, dataset_id: datasetId, state: 'running' })
      .update({ state: 'failed', error, updated_at: this.#db.fn.now() });
  }

  /** The cell as it was computed. */
  async recordTable(projectId: string, id: string, table: CellTable): Promise<void> {
    await this.#db('dataset_cells')
      .where({ project_id: projectId, id, state: 'running' })
      .update({
        state: 'ok',
        error: null,
        row_count: table.rows,
        columns: jsonb(this.#db, table.columns),
        fingerprint: table.fingerprint,
        train_report: jsonb(this.#db, table.trainReport),
        eval_report: jsonb(this.#db, table.evalReport),
        stats: jsonb(this.#db, table.stats),
        quality_report: jsonb(this.#db, table.quality),
        seconds: table.seconds,
        object_key: table.objectKey,
        object_sha256: table.sha256,
        object_bytes: table.sizeBytes,
        updated_at: this.#db.fn.now(),
      });
  }

  /** The first use counts; later ones change nothing. */
  async markUsed(projectId: string, id: string, at: Date): Promise<void> {
    await this.#db('dataset_cells')
      .where({ project_id: projectId, id, state: 'ok' })
      .whereNull('used_at')
      .update({ used_at: at, updated_at: this.#db.fn.now() });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#db('dataset_cells').where({ project_id: projectId, id }).delete();
  }

  /** Gives the cells the positions 0, 1, 2 … in this order. */
  async renumber(projectId: string, ids: readonly string[]): Promise<void> {
    for (const [position, id] of ids.entries()) {
      await this.#db('dataset_cells').where({ project_id: projectId, id }).update({ position });
    }
  }

  /** Of these object keys, the ones that a cell points to. */
  async keysInUse(projectId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows: { object_key: string }[] = await this.#db('dataset_cells')
      .where({ project_id: projectId })
      .whereIn('object_key', [...keys])
      .select('object_key');
    return new Set(rows.map((row) => row.object_key));
  }
}

function toCell(row: CellRecord): Cell {
  return {
    id: row.id,
    datasetId: row.dataset_id,
    position: row.position,
    title: row.title,
    script: row.script,
    note: row.note,
    state: row.state,
    ...optional('error', row.error ?? undefined),
    ...optional('inputFingerprint', row.input_fingerprint ?? undefined),
    ...optional('usedAt', row.used_at ?? undefined),
    ...optional('table', toTable(row)),
  };
}

function toTable(row: CellRecord): CellTable | undefined {
  const { object_key: objectKey, fingerprint, train_report: trainReport, eval_report: evalReport, stats } = row;
  if (objectKey === null || fingerprint === null || trainReport === null || evalReport === null || stats === null) {
    return undefined;
  }
  return {
    objectKey,
    fingerprint,
    trainReport,
    evalReport,
    stats,
    sha256: row.object_sha256 ?? '',
    sizeBytes: Number(row.object_bytes ?? 0),
    rows: Number(row.row_count ?? 0),
    columns: row.columns,
    quality: row.quality_report ?? [],
    seconds: row.seconds ?? 0,
  };
}
