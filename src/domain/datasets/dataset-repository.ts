import { inTransaction, instantText, jsonb, likeText } from '../../db/database.ts';
import type { Db, Tx } from '../../db/database.ts';
import { canBecome } from './dataset.ts';
import type { Dataset, DatasetIntent, DatasetState, RankedCapability } from './dataset.ts';
import type { DatasetReference } from './dataset-reference.ts';
import { optional } from './optional.ts';
import { toContaminationReport, toPreparationContext, type StoredContext } from './preparation-context.ts';

interface DatasetRecord {
  id: string;
  project_id: string;
  name: string;
  source_kind: Dataset['sourceKind'];
  source_spec: unknown;
  landed_by: string;
  split_side: 'train' | 'eval' | null;
  landings: number;
  intent: DatasetIntent;
  capability_binding: Dataset['capabilityBinding'];
  capability_id: string | null;
  capability_rank: readonly RankedCapability[];
  preparation_context: StoredContext;
  contamination_report: StoredContext;
  active_cell_id: string | null;
  state: DatasetState;
  error: string | null;
  created_at: Date;
  updated_at: Date;
  created_text?: string;
}

export type NewDataset = Pick<
  Dataset,
  | 'id'
  | 'name'
  | 'sourceKind'
  | 'sourceSpec'
  | 'landedBy'
  | 'splitSide'
  | 'intent'
  | 'capabilityBinding'
  | 'capabilityId'
> & { readonly createdBy: string };

/** What a landing finds out about the dataset as a whole. */
export interface LandedFacts {
  readonly capabilityId?: string;
  readonly capabilityRank: readonly RankedCapability[];
  readonly intent: DatasetIntent;
  readonly preparationContext: Readonly<Record<string, unknown>>;
  readonly contaminationReport: Readonly<Record<string, unknown>>;
}

export interface DatasetPageQuery {
  readonly capabilityId?: string;
  readonly intent?: DatasetIntent;
  readonly state?: DatasetState;
  readonly search?: string;
  readonly limit: number;
  readonly after?: { readonly createdAt: string; readonly id: string };
}

export class DatasetRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): DatasetRepository {
    return new DatasetRepository(tx);
  }

  async insert(projectId: string, dataset: NewDataset): Promise<Dataset> {
    const [row]: DatasetRecord[] = await this.#db('datasets')
      .insert({
        project_id: projectId,
        id: dataset.id,
        name: dataset.name,
        source_kind: dataset.sourceKind,
        source_spec: jsonb(this.#db, dataset.sourceSpec),
        landed_by: dataset.landedBy,
        split_side: dataset.splitSide ?? null,
        intent: dataset.intent,
        capability_binding: dataset.capabilityBinding,
        capability_id: dataset.capabilityId ?? null,
        state: 'landing',
        created_by: dataset.createdBy,
      })
      .returning('*');
    if (row === undefined) throw new Error('The inserted dataset was not returned.');
    return toDataset(row);
  }

  async findInProject(projectId: string, id: string): Promise<Dataset | undefined> {
    const row: DatasetRecord | undefined = await this.#db('datasets').where({ project_id: projectId, id }).first();
    return row && toDataset(row);
  }

  /** At most two: more than one means that the name does not tell which. */
  async findByReference(projectId: string, reference: DatasetReference): Promise<readonly Dataset[]> {
    const query = this.#db('datasets').where({ project_id: projectId }).limit(2);
    const rows: DatasetRecord[] =
      'id' in reference
        ? await query.where({ id: reference.id })
        : await query.whereRaw('lower(name) = lower(?)', [reference.name]);
    return rows.map(toDataset);
  }

  /** Holds the dataset against every other change until the transaction ends. */
  async lock(projectId: string, id: string): Promise<Dataset | undefined> {
    const row: DatasetRecord | undefined = await this.#db('datasets')
      .where({ project_id: projectId, id })
      .forUpdate()
      .first();
    return row && toDataset(row);
  }

  /** Both halves of a split, or the one dataset, training half first. */
  async findLandedBy(projectId: string, id: string): Promise<readonly Dataset[]> {
    const rows: DatasetRecord[] = await this.#db('datasets')
      .where({ project_id: projectId, landed_by: id })
      .orderByRaw('id <> landed_by, id');
    return rows.map(toDataset);
  }

  /** False when the dataset was in none of these states, or may not go from there. */
  async setState(
    projectId: string,
    id: string,
    from: readonly DatasetState[],
    to: { readonly state: DatasetState; readonly error?: string },
  ): Promise<boolean> {
    const changed = await this.#db('datasets')
      .where({ project_id: projectId, id })
      .whereIn(
        'state',
        from.filter((state) => canBecome(state, to.state)),
      )
      .update({ state: to.state, error: to.error ?? null, updated_at: this.#db.fn.now() });
    return changed > 0;
  }

  /** A failed landing begins again. */
  async relaunch(projectId: string, landedBy: string): Promise<void> {
    await this.#db('datasets')
      .where({ project_id: projectId, landed_by: landedBy, state: 'error' })
      .update({ state: 'landing', error: null, landings: this.#db.raw('landings + 1'), updated_at: this.#db.fn.now() });
  }

  async recordLanding(projectId: string, id: string, facts: LandedFacts): Promise<void> {
    await this.#db('datasets')
      .where({ project_id: projectId, id })
      .update({
        intent: facts.intent,
        capability_id: facts.capabilityId ?? null,
        capability_rank: jsonb(this.#db, facts.capabilityRank),
        preparation_context: jsonb(this.#db, facts.preparationContext),
        contamination_report: jsonb(this.#db, facts.contaminationReport),
        updated_at: this.#db.fn.now(),
      });
  }

  /** For a dataset of which nobody has said yet what it is for. */
  async proposeIntent(projectId: string, id: string, intent: DatasetIntent): Promise<void> {
    await this.#db('datasets').where({ project_id: projectId, id, intent: 'pending' }).update({ intent });
  }

  /** What the dataset is for, as it is proposed until a version is used. A capability of null is none. */
  async setUse(
    projectId: string,
    id: string,
    use: { readonly intent?: DatasetIntent; readonly capabilityId?: string | null },
  ): Promise<void> {
    const { intent, capabilityId } = use;
    await this.#db('datasets')
      .where({ project_id: projectId, id })
      .update({
        ...optional('intent', intent),
        ...(capabilityId !== undefined && {
          capability_id: capabilityId,
          capability_binding: capabilityId === null ? 'none' : 'chosen',
        }),
        updated_at: this.#db.fn.now(),
      });
  }

  async activate(projectId: string, id: string, cellId: string): Promise<void> {
    await this.#db('datasets').where({ project_id: projectId, id }).update({ active_cell_id: cellId });
  }

  /** Newest first, with each row's place in the order. */
  async pageByCreated(
    projectId: string,
    query: DatasetPageQuery,
  ): Promise<readonly { readonly dataset: Dataset; readonly createdAtText: string }[]> {
    const { capabilityId, intent, state, search, after, limit } = query;
    const select = this.#db('datasets')
      .where({ project_id: projectId })
      .where({ ...optional('capability_id', capabilityId), ...optional('intent', intent), ...optional('state', state) })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit)
      .select('*', this.#db.raw(`${instantText('created_at')} as created_text`));
    if (search !== undefined) void select.whereRaw(`name ilike ? escape '\\'`, [`%${likeText(search)}%`]);
    if (after !== undefined)
      void select.whereRaw('(created_at, id) < (?::timestamptz, ?)', [after.createdAt, after.id]);
    const rows: DatasetRecord[] = await select;
    return rows.map((row) => ({ dataset: toDataset(row), createdAtText: row.created_text ?? '' }));
  }

  async namesStartingWith(projectId: string, text: string, limit: number): Promise<readonly string[]> {
    const rows: { name: string }[] = await this.#db('datasets')
      .distinct('name')
      .where({ project_id: projectId })
      .whereRaw(`lower(name) like lower(?) escape '\\'`, [`${likeText(text)}%`])
      .orderBy('name')
      .limit(limit);
    return rows.map((row) => row.name);
  }

  /** Statements that see the database as it was at one moment. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
  }

  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.#db, work);
  }
}

function toDataset(row: DatasetRecord): Dataset {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    sourceKind: row.source_kind,
    sourceSpec: row.source_spec,
    landedBy: row.landed_by,
    ...optional('splitSide', row.split_side ?? undefined),
    landings: row.landings,
    intent: row.intent,
    capabilityBinding: row.capability_binding,
    ...optional('capabilityId', row.capability_id ?? undefined),
    capabilityRank: row.capability_rank,
    ...optional('preparation', toPreparationContext(row.preparation_context)),
    ...optional('contamination', toContaminationReport(row.contamination_report)),
    ...optional('activeCellId', row.active_cell_id ?? undefined),
    state: row.state,
    ...optional('error', row.error ?? undefined),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
