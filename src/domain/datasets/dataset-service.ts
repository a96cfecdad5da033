import type { Db } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import type { Capability, CapabilityService } from '../capabilities/index.ts';
import { activeCell, findCell, fitOf, inOrder, isFrozen, versionsOf } from './cell.ts';
import type { Cell, CellTable, Fit } from './cell.ts';
import { CellRepository } from './cell-repository.ts';
import { ROW_IDENTITY } from './dataset-engine.ts';
import type { DatasetEngine, QueryAnswer } from './dataset-engine.ts';
import { ambiguousName, datasetNotFound, parseReference } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { Dataset, DatasetIntent, DatasetState } from './dataset.ts';
import { nextActions } from './next-actions.ts';
import type { NextAction } from './next-actions.ts';
import { ObjectMissing } from './object-store.ts';
import { optional } from './optional.ts';
import { TurnRepository } from './turn-repository.ts';
import type { ChatTurn } from './turn.ts';

/** A version with what follows from its place in the chain. */
export interface CellView extends Cell {
  readonly version: string;
  readonly isFrozen: boolean;
  readonly fit: Fit;
}

export interface DatasetOverview {
  readonly dataset: Dataset;
  readonly capability?: Capability;
  /** The version in use. */
  readonly active?: CellView;
}

export interface DatasetDetail extends DatasetOverview {
  /** Oldest first. */
  readonly cells: readonly CellView[];
  /** The newest turns, oldest first; as many as were asked for. */
  readonly chat: readonly ChatTurn[];
  readonly sample?: QueryAnswer;
  readonly nextActions: readonly NextAction[];
}

/** The state of a dataset's background work, for those who poll it. */
export interface DatasetProgress {
  readonly dataset: Dataset;
  readonly active?: CellView;
  readonly cells: number;
  /** The newest turn of the chat. */
  readonly turn?: ChatTurn;
  readonly isAwaitingApproval: boolean;
  readonly nextActions: readonly NextAction[];
}

export interface DatasetListQuery {
  /** Id, slug or name. */
  readonly capability?: string;
  readonly intent?: DatasetIntent;
  readonly state?: DatasetState;
  readonly search?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface DatasetPage {
  readonly datasets: readonly DatasetOverview[];
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  /** Known only when all matches are on this page. */
  readonly total?: number;
}

export interface DatasetQuery {
  readonly sql: string;
  /** Id or version; the one in use by default. */
  readonly cell?: string;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

export interface DatasetServiceParts {
  readonly db: Db;
  readonly cursors: PageCursors;
  readonly capabilities: Pick<CapabilityService, 'find' | 'require'>;
  readonly engine: DatasetEngine;
  /** Whether a language model can be asked. */
  readonly hasModel: boolean;
}

const SAMPLE_ROWS = 5;
const SAMPLE_TEXT = 600;
const SAMPLE_BYTES = 24 * 1024;
const SAMPLE_COLUMNS = 100;
const COMPLETIONS_MAX = 100;

/** Reads datasets. Nothing in here changes one. */
export class DatasetService {
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;
  readonly #cursors: PageCursors;
  readonly #capabilities: Pick<CapabilityService, 'find' | 'require'>;
  readonly #engine: DatasetEngine;
  readonly #turns: TurnRepository;
  readonly #hasModel: boolean;

  constructor({ db, cursors, capabilities, engine, hasModel }: DatasetServiceParts) {
    this.#datasets = new DatasetRepository(db);
    this.#cells = new CellRepository(db);
    this.#cursors = cursors;
    this.#capabilities = capabilities;
    this.#engine = engine;
    this.#turns = new TurnRepository(db);
    this.#hasModel = hasModel;
  }

  /** By id, URI or a name that only one dataset has; `dataset_not_found` otherwise. */
  async require(projectId: string, reference: string): Promise<Dataset> {
    return requireOne(this.#datasets, projectId, reference);
  }

  async list(projectId: string, query: DatasetListQuery): Promise<DatasetPage> {
    const { capability, limit, cursor, ...filter } = query;
    const identity = { list: 'datasets', projectId, capability, filter };
    const [createdAt, id] = cursor === undefined ? [] : this.#cursors.open(identity, cursor);
    const capabilityId = capability && (await this.#capabilities.require(projectId, capability)).id;
    const { found, cells } = await this.#datasets.snapshot(async (tx) => {
      const found = await this.#datasets.in(tx).pageByCreated(projectId, {
        ...filter,
        ...optional('capabilityId', capabilityId),
        limit: limit + 1,
        ...(cursor !== undefined && { after: { createdAt: String(createdAt), id: String(id) } }),
      });
      const ids = found.map(({ dataset }) => dataset.id);
      return { found, cells: await this.#cells.in(tx).ofDatasets(projectId, ids) };
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const hasMore = found.length > limit;
    return {
      datasets: await this.#overviews(
        page.map(({ dataset }) => dataset),
        cells,
      ),
      hasMore,
      ...(hasMore &&
        last !== undefined && { nextCursor: this.#cursors.seal(identity, [last.createdAtText, last.dataset.id]) }),
      ...(!hasMore && cursor === undefined && { total: page.length }),
    };
  }

  async inspect(
    projectId: string,
    reference: string,
    { signal, chatTurns = 0 }: { readonly signal?: AbortSignal; readonly chatTurns?: number } = {},
  ): Promise<DatasetDetail> {
    const { dataset, cells, chat } = await this.#load(projectId, reference, chatTurns);
    const overview = await this.#overview(dataset, cells);
    return {
      ...overview,
      cells: viewsOf(dataset, cells),
      chat,
      ...optional('sample', await this.#sample(overview.active?.table, signal)),
      nextActions: nextActions(dataset, cells, this.#hasModel),
    };
  }

  /** Runs one SELECT over the rows of a version. */
  async query(
    projectId: string,
    reference: string,
    { sql, cell, limit, signal }: DatasetQuery,
  ): Promise<{ readonly dataset: Dataset; readonly cell: CellView; readonly answer: QueryAnswer }> {
    const { dataset, cells } = await this.#load(projectId, reference);
    const wanted = requireRows(viewsOf(dataset, cells), dataset, cell);
    const answer = await this.#read(wanted.table, { sql, limit, ...optional('signal', signal) });
    return { dataset, cell: wanted, answer };
  }

  /** A version with its rows; the one in use when none is named. */
  async version(
    projectId: string,
    reference: string,
    cell?: string,
  ): Promise<{ readonly dataset: Dataset; readonly cell: CellView & { readonly table: CellTable } }> {
    const { dataset, cells } = await this.#load(projectId, reference);
    return { dataset, cell: requireRows(viewsOf(dataset, cells), dataset, cell) };
  }

  /** By id only: this is what is polled, often and by machines. */
  async findProgress(projectId: string, id: string): Promise<DatasetProgress | undefined> {
    const found = await this.#datasets.snapshot(async (tx) => {
      const dataset = await this.#datasets.in(tx).findInProject(projectId, id.toLowerCase());
      if (dataset === undefined) return undefined;
      const [turn] = await this.#turns.in(tx).recent(projectId, dataset.id, 1);
      return { dataset, turn, cells: await this.#cells.in(tx).ofDataset(projectId, dataset.id) };
    });
    if (found === undefined) return undefined;
    const { dataset, cells, turn } = found;
    return {
      dataset,
      ...optional('active', activeView(dataset, cells)),
      cells: cells.length,
      ...optional('turn', turn),
      isAwaitingApproval: dataset.state === 'idle' && cells.some(({ state }) => state === 'proposed'),
      nextActions: nextActions(dataset, cells, this.#hasModel),
    };
  }

  async complete(projectId: string, text: string): Promise<readonly string[]> {
    return this.#datasets.namesStartingWith(projectId, text, COMPLETIONS_MAX);
  }

  /** The dataset and its versions as they were at one moment: between two statements a landing may commit. */
  #load(
    projectId: string,
    reference: string,
    chatTurns = 0,
  ): Promise<{
    readonly dataset: Dataset;
    readonly cells: readonly Cell[];
    readonly chat: readonly ChatTurn[];
  }> {
    return this.#datasets.snapshot(async (tx) => {
      const dataset = await requireOne(this.#datasets.in(tx), projectId, reference);
      const cells = await this.#cells.in(tx).ofDataset(projectId, dataset.id);
      const chat = chatTurns === 0 ? [] : await this.#turns.in(tx).recent(projectId, dataset.id, chatTurns);
      return { dataset, cells, chat };
    });
  }

  async #overviews(datasets: readonly Dataset[], cells: readonly Cell[]): Promise<readonly DatasetOverview[]> {
    const ofEach = new Map<string, Cell[]>(datasets.map(({ id }) => [id, []]));
    for (const cell of cells) ofEach.get(cell.datasetId)?.push(cell);
    return Promise.all(datasets.map((dataset) => this.#overview(dataset, ofEach.get(dataset.id) ?? [])));
  }

  async #overview(dataset: Dataset, cells: readonly Cell[]): Promise<DatasetOverview> {
    const { capabilityId, projectId } = dataset;
    const capability = capabilityId === undefined ? undefined : await this.#capabilities.find(projectId, capabilityId);
    return { dataset, ...optional('capability', capability), ...optional('active', activeView(dataset, cells)) };
  }

  async #sample(table: CellTable | undefined, signal: AbortSignal | undefined): Promise<QueryAnswer | undefined> {
    if (table === undefined) return undefined;
    const names = table.columns.slice(0, SAMPLE_COLUMNS).map(({ name }) => `"${name.replaceAll('"', '""')}"`);
    return this.#read(table, {
      sql: `SELECT ${[ROW_IDENTITY, ...names].join(', ')} FROM t LIMIT ${SAMPLE_ROWS}`,
      limit: SAMPLE_ROWS,
      maxTextLength: SAMPLE_TEXT,
      maxBytes: SAMPLE_BYTES,
      ...optional('signal', signal),
    });
  }

  async #read(table: CellTable, request: Parameters<DatasetEngine['query']>[1]): Promise<QueryAnswer> {
    try {
      return await this.#engine.query(table.objectKey, request);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      throw new AppError('unavailable', 'The rows of this version cannot be read at the moment; try again later.', {
        cause: error,
      });
    }
  }
}

async function requireOne(datasets: DatasetRepository, projectId: string, reference: string): Promise<Dataset> {
  const [dataset, another] = await datasets.findByReference(projectId, parseReference(reference));
  if (dataset === undefined) throw datasetNotFound();
  if (another !== undefined) throw ambiguousName();
  return dataset;
}

/** The versions of a dataset, oldest first, with numbers and whether they fit. */
export function viewsOf(dataset: Dataset, cells: readonly Cell[]): readonly CellView[] {
  const versions = versionsOf(cells);
  return inOrder(cells).map((cell) => ({
    ...cell,
    version: versions.get(cell.id) ?? '',
    isFrozen: isFrozen(cell, cells),
    fit: fitOf(cell, dataset.intent),
  }));
}

function activeView(dataset: Dataset, cells: readonly Cell[]): CellView | undefined {
  const active = activeCell(cells, dataset.activeCellId);
  return viewsOf(dataset, cells).find(({ id }) => id === active?.id);
}

/** The version that is meant, with its rows; the one in use when none is named. */
export function requireRows(
  cells: readonly CellView[],
  dataset: Dataset,
  reference: string | undefined,
): CellView & { readonly table: CellTable } {
  const wanted = reference === undefined ? activeCell(cells, dataset.activeCellId) : findCell(cells, reference);
  const view = cells.find(({ id }) => id === wanted?.id);
  if (view?.table !== undefined) return { ...view, table: view.table };
  if (reference !== undefined && view === undefined) {
    throw new AppError(
      'cell_not_found',
      'The dataset has no version with that id or number; inspect_dataset lists them.',
    );
  }
  const message =
    dataset.state === 'landing'
      ? 'The rows are still landing; poll get_job with kind dataset_run until it is idle.'
      : 'That version has no rows; inspect_dataset shows which versions do.';
  throw new AppError('cell_not_found', message);
}
