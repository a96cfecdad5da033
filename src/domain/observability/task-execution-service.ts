import type { Db } from '../../db/database.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import type { CapabilityService } from '../capabilities/index.ts';
import type { TaskExecution } from './task-execution.ts';
import { TaskExecutionReadModel, type TaskExecutionFilter } from './task-execution-read-model.ts';
import type { Page } from './trace-query.ts';

export interface TaskExecutionListQuery extends Omit<TaskExecutionFilter, 'capabilityId'> {
  /** Id, slug, name or former identity. */
  readonly capability?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export class TaskExecutionService {
  readonly #cursors: PageCursors;
  readonly #capabilities: CapabilityService;
  readonly #executions: TaskExecutionReadModel;

  constructor(parts: { readonly db: Db; readonly cursors: PageCursors; readonly capabilities: CapabilityService }) {
    this.#cursors = parts.cursors;
    this.#capabilities = parts.capabilities;
    this.#executions = new TaskExecutionReadModel(parts.db);
  }

  /** One page, newest start first. */
  async list(projectId: string, query: TaskExecutionListQuery): Promise<Page<TaskExecution>> {
    const { capability, limit, cursor, ...rest } = query;
    const identity = { list: 'task_executions', projectId, capability, rest };
    const after = cursor === undefined ? undefined : this.#cursors.open(identity, cursor);
    const capabilityId = capability && (await this.#capabilities.require(projectId, capability)).id;
    const filter = capabilityId === undefined ? rest : { ...rest, capabilityId };
    const found = await this.#executions.list(projectId, filter, limit + 1, after);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const hasMore = found.length > limit;
    return {
      rows,
      hasMore,
      ...(hasMore && last !== undefined && { nextCursor: this.#cursors.seal(identity, [last.startNs, last.id]) }),
      ...(!hasMore && cursor === undefined && { total: rows.length }),
    };
  }
}
