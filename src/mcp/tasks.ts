import { monotonicMs, type Clock } from '../kernel/clock.ts';
import type { CatalogContract, JobContract, ToolContract } from './contract.ts';
import type { Operation } from './exchange.ts';
import type { ExtensionTasks, RawTask } from './extensions.ts';
import type { Faults } from './faults.ts';
import type { JobPort, JobState } from './ports.ts';
import { isObject, RPC, RpcError, TASKS_EXTENSION } from './protocol.ts';
import type { Recorder } from './record.ts';
import { errorAnswer, successAnswer, toResultObject, type ToolAnswer } from './result.ts';

export interface TaskParts<A> {
  readonly contract: CatalogContract;
  readonly jobs: JobPort<A> | undefined;
  readonly extension: ExtensionTasks<A> | undefined;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

export type TaskMethod = 'tasks/get' | 'tasks/cancel' | 'tasks/update';

interface JobRef {
  readonly kind: string;
  readonly id: string;
  readonly projectId: string | undefined;
}

/** Whether the client says it knows tasks. */
export function declaresTasks(clientCapabilities: unknown): boolean {
  return (
    isObject(clientCapabilities) &&
    isObject(clientCapabilities['extensions']) &&
    isObject(clientCapabilities['extensions'][TASKS_EXTENSION])
  );
}

/** The error for a method or tool that only such a client may use. */
export function tasksNeeded(): RpcError {
  return new RpcError(RPC.missingCapability, `This needs a client that declares the extension ${TASKS_EXTENSION}.`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

/**
 * Serves background jobs as tasks of the protocol extension. A task id is the job's kind, id and project, spelt so
 * that it fits a header: nothing is stored for it, and every read goes through the same authorisation as the job.
 */
export class Tasks<A> {
  readonly #parts: TaskParts<A>;
  readonly #kinds = new Map<string, JobContract>();

  constructor(parts: TaskParts<A>) {
    this.#parts = parts;
    for (const job of parts.contract.jobs) for (const kind of [job.name, ...job.aliases]) this.#kinds.set(kind, job);
  }

  get served(): boolean {
    return this.#parts.jobs !== undefined || this.#parts.extension !== undefined;
  }

  /** The task that stands for the receipt a job tool just answered; undefined when the answer holds none. */
  fromReceipt(tool: ToolContract, answer: ToolAnswer): Record<string, unknown> | undefined {
    if (this.#parts.jobs === undefined || tool.asyncMode !== 'job' || answer.isError || !isObject(answer.structured))
      return undefined;
    const receipt = answer.structured['job'];
    if (!isObject(receipt)) return undefined;
    const { kind, id, status } = receipt;
    const job = typeof kind === 'string' ? this.#kinds.get(kind) : undefined;
    if (job === undefined || typeof id !== 'string') return undefined;
    const now = this.#parts.clock.now();
    return {
      resultType: 'task',
      ...describeTask({
        taskId: encodeRef({ kind: job.name, id, projectId: answer.projectId }),
        // A receipt is about work that was just handed over; a job that has ended already shows it on the first read.
        status: 'working',
        ...(typeof status === 'string' ? { statusMessage: status } : {}),
        createdAt: now,
        lastUpdatedAt: now,
        ttlMs: job.retentionMs,
        pollIntervalMs: job.pollMs,
      }),
    };
  }

  /** Answers the three task methods. Throws `RpcError` only. */
  async handle(
    operation: Operation<A>,
    method: TaskMethod,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>> {
    const startMs = monotonicMs();
    let outcome = 'ok';
    try {
      const { taskId } = params;
      if (typeof taskId !== 'string') throw unknownTask();
      switch (method) {
        case 'tasks/get':
          return detailTask(await this.#find(operation, taskId));
        case 'tasks/cancel':
          await this.#cancel(operation, taskId);
          return {};
        case 'tasks/update':
          await this.#update(operation, taskId, isObject(params['inputResponses']) ? params['inputResponses'] : {});
          return {};
      }
    } catch (error) {
      outcome = error instanceof RpcError ? 'resource_not_found' : 'internal_error';
      throw error instanceof RpcError
        ? error
        : this.#parts.faults.toRpc(this.#parts.faults.internal(operation.exchange.requestId), operation.era);
    } finally {
      this.#parts.recorder.finish(operation, { kind: 'task', name: method, startMs }, outcome, undefined);
    }
  }

  async #find(operation: Operation<A>, taskId: string): Promise<RawTask> {
    const task =
      (await this.#parts.extension?.get(operation.principal, taskId)) ?? (await this.#jobTask(operation, taskId));
    if (task === undefined) throw unknownTask();
    return task;
  }

  async #jobTask(operation: Operation<A>, taskId: string): Promise<RawTask | undefined> {
    const { jobs } = this.#parts;
    const ref = decodeRef(taskId);
    const contract = ref === undefined ? undefined : this.#kinds.get(ref.kind);
    if (jobs === undefined || ref === undefined || contract === undefined || !operation.principal.permissions.read)
      return undefined;
    const state = await jobs.find(operation.principal, ref);
    return state === undefined ? undefined : this.#present(operation, taskId, contract, state);
  }

  #present(operation: Operation<A>, taskId: string, contract: JobContract, state: JobState): RawTask {
    const statusClass = contract.statuses[state.status] ?? 'active';
    const base = {
      taskId,
      createdAt: state.createdAt,
      lastUpdatedAt: state.updatedAt,
      ttlMs: contract.retentionMs,
      pollIntervalMs: contract.pollMs,
      statusMessage: state.statusMessage ?? state.status,
    };
    if (statusClass === 'active' || statusClass === 'waiting') return { ...base, status: 'working' };
    if (statusClass === 'succeeded')
      return { ...base, status: 'completed', result: asResult(successAnswer(state.output, [], undefined)) };
    // The work ended and said why, so the task is complete and its result is the error a tool would give.
    const { faults } = this.#parts;
    const error = state.error ?? { code: 'internal_error', message: 'The job failed.' };
    return {
      ...base,
      status: 'completed',
      result: asResult(errorAnswer(faults.make(error.code, error.message), operation.era, false)),
    };
  }

  /** Cancelling is a request: a job of the contract is acknowledged and runs on, since no tool may end work. */
  async #cancel(operation: Operation<A>, taskId: string): Promise<void> {
    if ((await this.#parts.extension?.cancel(operation.principal, taskId)) === true) return;
    if ((await this.#jobTask(operation, taskId)) === undefined) throw unknownTask();
  }

  async #update(operation: Operation<A>, taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void> {
    if ((await this.#parts.extension?.update(operation.principal, taskId, responses)) === true) return;
    if ((await this.#jobTask(operation, taskId)) === undefined) throw unknownTask();
  }
}

function asResult(answer: ToolAnswer): NonNullable<RawTask['result']> {
  // because a result object always holds content
  return toResultObject(answer) as NonNullable<RawTask['result']> & Record<string, unknown>;
}

function unknownTask(): RpcError {
  return new RpcError(RPC.invalidParams, 'There is no such task.', {
    code: 'resource_not_found',
    retryable: false,
    fields: {},
  });
}

/** The task as the protocol spells it. */
export function describeTask(task: RawTask): Record<string, unknown> {
  return {
    taskId: task.taskId,
    status: task.status,
    ...(task.statusMessage === undefined ? {} : { statusMessage: task.statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.lastUpdatedAt.toISOString(),
    ttlMs: task.ttlMs,
    ...(task.pollIntervalMs === undefined ? {} : { pollIntervalMs: task.pollIntervalMs }),
  };
}

function detailTask(task: RawTask): Record<string, unknown> {
  return {
    ...describeTask(task),
    ...(task.result === undefined ? {} : { result: { ...task.result, resultType: 'complete' } }),
    ...(task.error === undefined ? {} : { error: task.error }),
    ...(task.inputRequests === undefined ? {} : { inputRequests: task.inputRequests }),
  };
}

function encodeRef(ref: JobRef): string {
  return `j1.${Buffer.from(JSON.stringify([ref.kind, ref.id, ref.projectId ?? null])).toString('base64url')}`;
}

function decodeRef(taskId: string): JobRef | undefined {
  if (!taskId.startsWith('j1.') || taskId.length > 1024) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(taskId.slice(3), 'base64url').toString());
    if (!Array.isArray(parts)) return undefined;
    const [kind, id, projectId] = parts as readonly unknown[];
    if (typeof kind !== 'string' || typeof id !== 'string') return undefined;
    return { kind, id, projectId: typeof projectId === 'string' ? projectId : undefined };
  } catch {
    return undefined;
  }
}
