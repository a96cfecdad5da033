import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { CapabilityService } from '../capabilities/index.ts';
import type { JobsService } from '../jobs/index.ts';
import { checkCalls, isEvalCall, noCalls, oneSided } from './call-spec.ts';
import type { CallSpec, CreateFromCalls } from './call-spec.ts';
import { contradiction } from './contradiction.ts';
import { insertSource } from './dataset-insertion.ts';
import type { NewSource } from './dataset-insertion.ts';
import type { Dataset } from './dataset.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { NewDataset } from './dataset-repository.ts';
import type { FileSpec } from './file-spec.ts';
import { optional } from './optional.ts';
import { checkSplit } from './split.ts';
import type { SplitOptions } from './split.ts';
import { TRACE_COLUMNS } from './trace-rows.ts';
import type { TraceFilters, TraceSelection, TraceSource } from './trace-source.ts';
import type { TraceSpec } from './trace-spec.ts';
import type { UploadService } from './upload-service.ts';

export interface CreateFromTraces {
  readonly name: string;
  readonly accountId: string;
  /** In row order; excludes the other ways to select. */
  readonly traceIds?: readonly string[];
  /** With `capability` as a reference instead of an id. */
  readonly filters?: Omit<TraceFilters, 'capabilityId' | 'search'> & { readonly capability?: string };
  readonly search?: string;
  readonly limit?: number;
  readonly intent?: 'train' | 'eval';
  /** A reference; null for none; absent to infer it from the rows. */
  readonly capability?: string | null;
  readonly split?: SplitOptions;
}

export interface CreateFromFiles extends Pick<
  CreateFromTraces,
  'name' | 'accountId' | 'intent' | 'capability' | 'split'
> {
  /** Ids of complete uploads, in row order. */
  readonly uploads: readonly string[];
}

export interface CreatedDatasets {
  readonly dataset: Dataset;
  /** The second dataset of a split. */
  readonly evalDataset?: Dataset;
}

const MATCHES_MAX = 1_000_000;
const IDS_KEPT = 10_000;
const SPLIT_ROWS_MIN = 2;
const EVAL_PERCENT = 20;

interface DatasetCreationParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly newId: IdMaker;
  readonly jobs: Pick<JobsService, 'enqueue'>;
  readonly capabilities: Pick<CapabilityService, 'require'>;
  readonly traces: TraceSource;
  readonly uploads: Pick<UploadService, 'use'>;
  /**
   * Selections of up to this many traces keep the ids themselves, so the rows are exactly the traces that were counted.
   * Larger ones keep the conditions and read them again with an end in time; 10,000 by default.
   */
  readonly idsKept?: number;
}

/** Makes datasets; their rows land in the background. */
export class DatasetCreation {
  readonly #datasets: DatasetRepository;
  readonly #parts: DatasetCreationParts;

  constructor(parts: DatasetCreationParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
  }

  async fromTraces(
    projectId: string,
    request: CreateFromTraces,
  ): Promise<CreatedDatasets & { readonly traces: number }> {
    checkRequest(request);
    if (request.split !== undefined) checkSplit(request.split, Object.keys(TRACE_COLUMNS));
    const capability = await this.#capabilityOf(projectId, request.capability);
    const { selection, selected } = await this.#select(projectId, request);
    if (selected === 0) {
      throw new AppError(
        'no_traces',
        'No trace of this project is selected; try the selection with query_traces first.',
      );
    }
    if (request.split !== undefined && selected < SPLIT_ROWS_MIN) {
      throw new AppError('dataset_invalid', 'A split needs at least two traces; select more, or leave split out.');
    }
    const spec: TraceSpec = { kind: 'traces', selection, selected, ...optional('split', request.split) };
    const made = await this.#insert(projectId, {
      name: request.name,
      accountId: request.accountId,
      ...capability,
      sourceKind: 'traces',
      sourceSpec: spec,
      intent: request.intent ?? 'pending',
      ...(request.split && { evalSpec: { kind: 'traces', selected } }),
    });
    return { ...made, traces: selected };
  }

  /** The rows of uploaded files, in order, with the columns of all of them. */
  async fromFiles(projectId: string, request: CreateFromFiles): Promise<CreatedDatasets> {
    const { name, accountId, uploads, intent, split } = request;
    if (split !== undefined && intent !== undefined) throw splitHasNoIntent();
    if (new Set(uploads).size < uploads.length) throw contradiction('uploads', 'Each upload stands in uploads once.');
    const capability = await this.#capabilityOf(projectId, request.capability);
    const spec: FileSpec = { kind: 'file', uploads, ...optional('split', split) };
    return this.#datasets.inTransaction(async (tx) => {
      await this.#parts.uploads.use(tx, projectId, uploads);
      return insertSource(this.#parts, tx, projectId, {
        name,
        accountId,
        ...capability,
        sourceKind: 'file',
        sourceSpec: spec,
        intent: intent ?? 'pending',
        ...(split && { evalSpec: { kind: 'file', uploads: [] } satisfies FileSpec }),
      });
    });
  }

  /** One row per model call of a capability, newest first. */
  async fromCalls(projectId: string, request: CreateFromCalls): Promise<CreatedDatasets & { readonly calls: number }> {
    checkCalls(request);
    const { capability, since, until, model } = request;
    const evalPercent = request.isSplit ? (request.evalPercent ?? EVAL_PERCENT) : undefined;
    const { id: capabilityId } = await this.#parts.capabilities.require(projectId, capability);
    const calls = await this.#parts.traces.selectCalls(projectId, {
      capabilityId,
      since,
      ...optional('until', until),
      ...optional('model', model),
      limit: request.limit,
    });
    if (calls.length === 0) throw noCalls();
    if (evalPercent !== undefined) {
      const forEval = calls.filter((call) => isEvalCall(call, evalPercent)).length;
      if (forEval === 0 || forEval === calls.length) throw oneSided();
    }
    const spec: CallSpec = { kind: 'llm_calls', calls, ...optional('evalPercent', evalPercent) };
    const made = await this.#insert(projectId, {
      name: request.name,
      accountId: request.accountId,
      capabilityBinding: 'chosen',
      capabilityId,
      sourceKind: 'llm_calls',
      sourceSpec: spec,
      intent: request.intent ?? 'eval',
      ...(evalPercent !== undefined && { evalSpec: { kind: 'llm_calls', calls: [] } }),
    });
    return { ...made, calls: calls.length };
  }

  #insert(projectId: string, source: NewSource): Promise<CreatedDatasets> {
    return this.#datasets.inTransaction((tx) => insertSource(this.#parts, tx, projectId, source));
  }

  async #capabilityOf(
    projectId: string,
    reference: string | null | undefined,
  ): Promise<Pick<NewDataset, 'capabilityBinding' | 'capabilityId'>> {
    if (reference === undefined) return { capabilityBinding: 'automatic' };
    if (reference === null) return { capabilityBinding: 'none' };
    const capability = await this.#parts.capabilities.require(projectId, reference);
    return { capabilityBinding: 'chosen', capabilityId: capability.id };
  }

  async #select(
    projectId: string,
    request: CreateFromTraces,
  ): Promise<{ readonly selection: TraceSelection; readonly selected: number }> {
    if (request.traceIds !== undefined) {
      const traceIds = await this.#parts.traces.existing(projectId, request.traceIds);
      return { selection: { kind: 'ids', traceIds }, selected: traceIds.length };
    }
    const filters = await this.#filtersOf(projectId, request);
    const limit = request.limit ?? MATCHES_MAX;
    const { idsKept = IDS_KEPT } = this.#parts;
    const traceIds: string[] = [];
    let selected = 0;
    for await (const batch of this.#parts.traces.matching(projectId, filters, limit)) {
      selected += batch.length;
      if (selected <= idsKept) traceIds.push(...batch);
    }
    if (selected <= idsKept) return { selection: { kind: 'ids', traceIds }, selected };
    return { selection: { kind: 'matching', filters, limit }, selected };
  }

  async #filtersOf(projectId: string, { filters = {}, search }: CreateFromTraces): Promise<TraceFilters> {
    const { capability, ...rest } = filters;
    const capabilityId =
      capability === undefined ? undefined : (await this.#parts.capabilities.require(projectId, capability)).id;
    const now = this.#parts.clock.now().toISOString();
    return {
      ...rest,
      ...optional('capabilityId', capabilityId),
      ...optional('search', search),
      receivedTo: rest.receivedTo ?? now,
    };
  }
}

function checkRequest(request: CreateFromTraces): void {
  const { traceIds, filters, search, limit, intent, split } = request;
  const byQuery = filters !== undefined || search !== undefined;
  if ((traceIds !== undefined) === byQuery) {
    throw contradiction(
      'trace_ids',
      'Select the traces by trace_ids, or by filters and search; one of the two, not both.',
    );
  }
  if (traceIds !== undefined && limit !== undefined) {
    throw contradiction('limit', 'limit belongs to filters and search; with trace_ids the list itself says how many.');
  }
  if (split !== undefined && intent !== undefined) throw splitHasNoIntent();
  if (filters?.unbound === true && filters.capability !== undefined) {
    throw contradiction(
      'filters.unbound',
      'unbound selects traces without a capability; leave out filters.capability.',
    );
  }
}

function splitHasNoIntent(): AppError {
  return contradiction(
    'intent',
    'A split makes a training and an evaluation dataset, so intent has no meaning; leave it out.',
  );
}
