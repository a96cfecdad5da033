import type { Tx } from '../../db/database.ts';
import { monotonicMs } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { CapabilityService } from '../capabilities/index.ts';
import type { JobRun } from '../jobs/index.ts';
import type { ModelCall, ModelFunction } from '../models/index.ts';
import { appendProposal, appendVersion, baseOf } from './cell-chain.ts';
import type { ComputedCell, NewVersion } from './cell-chain.ts';
import type { CellRepository } from './cell-repository.ts';
import { activeCell, findCell, inOrder } from './cell.ts';
import type { CellTable } from './cell.ts';
import { readArguments, schemaOf } from './dataset-agent-arguments.ts';
import type { ArgumentRules } from './dataset-agent-arguments.ts';
import { showDataset } from './dataset-agent-view.ts';
import type { DatasetEngine } from './dataset-engine.ts';
import { measureTable, proposedIntent } from './dataset-landing.ts';
import { datasetNotFound } from './dataset-reference.ts';
import type { DatasetRepository } from './dataset-repository.ts';
import type { DatasetService } from './dataset-service.ts';
import type { Dataset, DatasetIntent } from './dataset.ts';
import { judgeStep } from './mechanical-step.ts';
import { cellKey } from './object-keys.ts';
import { optional } from './optional.ts';
import type { ChatTurn, TurnCell } from './turn.ts';

/** What a function answers, and what it changes; the change is made in the transaction that keeps the answer. */
export interface FunctionOutcome {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly effect?: (tx: Tx) => Promise<void>;
  /** A version that the effect brings about. */
  readonly cell?: TurnCell;
}

export interface AgentFunctionsParts {
  readonly newId: IdMaker;
  readonly datasets: DatasetRepository;
  readonly cells: CellRepository;
  readonly service: Pick<DatasetService, 'inspect'>;
  readonly capabilities: Pick<CapabilityService, 'require'>;
  readonly engine: DatasetEngine;
}

/** The attempt that a call is made in. */
export interface AgentWork {
  readonly run: JobRun;
  readonly turn: ChatTurn;
  /** The job's, and the end of the turn's time. */
  readonly signal: AbortSignal;
}

const QUERY_ROWS = 50;
const QUERY_TEXT = 600;
const QUERY_BYTES = 12 * 1024;
/** As many as `next_actions` names. */
const PROPOSALS_MAX = 5;
const INTENTS = ['train', 'eval', 'pending'] as const;

const RULES = {
  inspect_dataset: {},
  query_dataset: {
    sql: { maxLength: 8_000, description: 'One SELECT or WITH over t, in the dialect of DuckDB.' },
    version: { maxLength: 80, isOptional: true, description: 'Id or number of a version; the one in use when absent.' },
  },
  propose_step: {
    title: { maxLength: 255, description: 'What the step does, in a few words.' },
    sql: { maxLength: 8_000, description: 'One SELECT or WITH over t, the last version. Keep source_row.' },
    note: { maxLength: 1_000, isOptional: true, description: 'Why, for the person who decides.' },
    mode: {
      oneOf: ['propose', 'run'],
      description:
        'propose leaves the decision to the person. run is for a step that the person asked for and that changes no value; it is checked, and proposed when it does more.',
    },
  },
  set_use: {
    intent: { oneOf: INTENTS, isOptional: true, description: 'What the dataset is for.' },
    capability: {
      maxLength: 255,
      isOptional: true,
      description: 'Id, slug or name of the capability it belongs to; none for no capability.',
    },
  },
} as const satisfies Readonly<Record<string, ArgumentRules>>;

const DESCRIPTIONS: Readonly<Record<keyof typeof RULES, string>> = {
  inspect_dataset: 'Shows versions, columns, contract reports with failing rows, quality findings and sample rows.',
  query_dataset: 'Runs one SELECT over the rows of a version and shows at most 50 rows.',
  propose_step: 'Adds a version made by one SELECT over the last one.',
  set_use: 'Proposes what the dataset is for. Possible until a version is used.',
};

/** What the model is told it may call. */
export const AGENT_FUNCTIONS: readonly ModelFunction[] = Object.entries(RULES).map(([name, rules]) => ({
  name,
  // because the entries are those of RULES
  description: DESCRIPTIONS[name as keyof typeof RULES],
  parameters: schemaOf(rules),
}));

/**
 * The hands of the dataset agent. They reach the one dataset of the turn and nothing else, whatever the model asks for;
 * what is wrong with a call is thrown as an AppError for the model to read.
 */
export class AgentFunctions {
  readonly #parts: AgentFunctionsParts;

  constructor(parts: AgentFunctionsParts) {
    this.#parts = parts;
  }

  async call(work: AgentWork, { name, arguments: text }: ModelCall): Promise<FunctionOutcome> {
    switch (name) {
      case 'inspect_dataset':
        readArguments(RULES.inspect_dataset, text);
        return this.#inspect(work);
      case 'query_dataset':
        return this.#query(work, readArguments(RULES.query_dataset, text));
      case 'propose_step':
        return this.#proposeStep(work, readArguments(RULES.propose_step, text));
      case 'set_use':
        return this.#setUse(work, readArguments(RULES.set_use, text));
      default:
        throw new AppError(
          'invalid_input',
          `There is no such function; the functions are ${Object.keys(RULES).join(', ')}.`,
        );
    }
  }

  async #inspect({ run, turn, signal }: AgentWork): Promise<FunctionOutcome> {
    return {
      answer: { data: showDataset(await this.#parts.service.inspect(run.projectId, turn.datasetId, { signal })) },
    };
  }

  async #query(
    { run, turn, signal }: AgentWork,
    { sql, version }: { readonly sql: string; readonly version?: string },
  ): Promise<FunctionOutcome> {
    const dataset = await this.#dataset(run.projectId, turn);
    const cells = await this.#parts.cells.ofDataset(run.projectId, turn.datasetId);
    const cell = version === undefined ? activeCell(cells, dataset.activeCellId) : findCell(cells, version);
    if (cell?.table === undefined) throw new AppError('cell_not_found', 'No version with rows has that id or number.');
    const bounds = { limit: QUERY_ROWS, maxTextLength: QUERY_TEXT, maxBytes: QUERY_BYTES };
    const { columns, rows, truncated } = await this.#parts.engine.query(cell.table.objectKey, {
      sql,
      signal,
      ...bounds,
    });
    return { answer: { data: { columns, rows, truncated } } };
  }

  async #proposeStep(
    { run, turn, signal }: AgentWork,
    step: { readonly title: string; readonly sql: string; readonly note?: string; readonly mode: 'propose' | 'run' },
  ): Promise<FunctionOutcome> {
    const { projectId } = run;
    const cells = await this.#parts.cells.ofDataset(projectId, turn.datasetId);
    const base = baseOf(cells);
    await this.#parts.engine.check(base.table.objectKey, step.sql, { signal });
    const version: NewVersion = {
      id: this.#parts.newId(),
      datasetId: turn.datasetId,
      title: step.title.trim(),
      script: step.sql,
      note: step.note ?? '',
      base,
      ...optional('accountId', turn.accountId),
    };
    if (step.mode === 'run') {
      const verdict = await judgeStep(this.#parts.engine, base, { sql: step.sql, signal });
      if (verdict.isMechanical) return this.#computed({ run, turn, signal }, version);
      return this.#proposed(run, version, `It waits for the person, because ${verdict.because}.`);
    }
    return this.#proposed(run, version, 'It waits for the person to decide.');
  }

  #proposed({ projectId }: JobRun, version: NewVersion, why: string): FunctionOutcome {
    return {
      answer: { done: `The step is proposed. ${why}`, proposal: version.id },
      cell: { id: version.id, title: version.title, action: 'proposed' },
      effect: async (tx) => {
        const cells = await this.#lockedCells(tx, projectId, version);
        if (cells.filter(({ state }) => state === 'proposed').length >= PROPOSALS_MAX) {
          throw new AppError(
            'dataset_invalid',
            `${PROPOSALS_MAX} proposals wait already; end your turn, so that they are decided.`,
          );
        }
        await appendProposal(this.#parts.cells.in(tx), projectId, cells, version);
      },
    };
  }

  /** The rows are written and measured before anything is known of them; a kill on the way leaves a file for the sweep. */
  async #computed({ run, turn, signal }: AgentWork, version: NewVersion): Promise<FunctionOutcome> {
    const { projectId } = run;
    const table = await this.#compute(run, version, signal);
    return {
      answer: {
        done: 'The step was run; it is the version in use.',
        rows: table.rows,
        fits_train: table.trainReport.ok || table.trainReport.reason,
        fits_eval: table.evalReport.ok || table.evalReport.reason,
      },
      cell: { id: version.id, title: version.title, action: 'added' },
      effect: async (tx) => {
        const cells = await this.#lockedCells(tx, projectId, version);
        const repository = this.#parts.cells.in(tx);
        await appendVersion(repository, projectId, cells, { version, state: 'running' });
        await repository.recordTable(projectId, version.id, table);
        const datasets = this.#parts.datasets.in(tx);
        await datasets.activate(projectId, turn.datasetId, version.id);
        await datasets.proposeIntent(projectId, turn.datasetId, proposedIntent('pending', table));
      },
    };
  }

  async #compute(run: JobRun, { base, datasetId, title, script }: NewVersion, signal: AbortSignal): Promise<CellTable> {
    const startedAt = monotonicMs();
    const key = cellKey(run.projectId, datasetId, this.#parts.newId());
    await run.progress({ stage: `computing ${title}`.slice(0, 64), rows: 0, total_rows: base.table.rows });
    const written = await this.#parts.engine.writeSelect(base.table.objectKey, script, key, { signal });
    return measureTable(this.#parts.engine, { key, written, startedAt, signal });
  }

  async #setUse(
    { run, turn }: AgentWork,
    { intent, capability }: { readonly intent?: DatasetIntent; readonly capability?: string },
  ): Promise<FunctionOutcome> {
    const { projectId } = run;
    if (intent === undefined && capability === undefined) {
      throw new AppError('invalid_input', 'Name an intent, a capability or both.');
    }
    const isUnbound = capability?.trim().toLowerCase() === 'none';
    const found =
      capability === undefined || isUnbound ? undefined : await this.#parts.capabilities.require(projectId, capability);
    const changes = [
      ...(intent === undefined ? [] : [`The intent is ${intent}.`]),
      ...(isUnbound ? ['The dataset belongs to no capability.'] : []),
      ...(found === undefined ? [] : [`The dataset belongs to the capability ${found.name}.`]),
    ];
    return {
      answer: { done: changes.join(' ') },
      effect: async (tx) => {
        const datasets = this.#parts.datasets.in(tx);
        if ((await datasets.lock(projectId, turn.datasetId)) === undefined) throw datasetNotFound();
        const cells = await this.#parts.cells.in(tx).ofDataset(projectId, turn.datasetId);
        if (cells.some(({ usedAt }) => usedAt !== undefined)) {
          throw new AppError('dataset_invalid', 'A version has been used, so intent and capability are fixed.');
        }
        await datasets.setUse(projectId, turn.datasetId, {
          ...optional('intent', intent),
          ...(capability !== undefined && { capabilityId: found?.id ?? null }),
        });
      },
    };
  }

  /** The chain as it is in the transaction. A person may decide a proposal while the agent thinks. */
  async #lockedCells(tx: Tx, projectId: string, { datasetId, base }: NewVersion) {
    if ((await this.#parts.datasets.in(tx).lock(projectId, datasetId)) === undefined) throw datasetNotFound();
    const cells = inOrder(await this.#parts.cells.in(tx).ofDataset(projectId, datasetId));
    const current: ComputedCell = baseOf(cells);
    if (current.id === base.id) return cells;
    throw new AppError('dataset_invalid', 'The last version is another one by now; look at the dataset again.');
  }

  async #dataset(projectId: string, { datasetId }: ChatTurn): Promise<Dataset> {
    const dataset = await this.#parts.datasets.findInProject(projectId, datasetId);
    if (dataset === undefined) throw datasetNotFound();
    return dataset;
  }
}
