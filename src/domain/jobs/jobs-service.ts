import type { Db, Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import type { Job, JobError, JobPolicies, JobStatus } from './job.ts';
import type { JobDelivery } from './job-delivery.ts';
import { JobRepository } from './job-repository.ts';

export interface JobRequest {
  readonly projectId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly payload: unknown;
  /** Who asked for it; absent when the system did. */
  readonly accountId?: string;
  /** Not before this long from now. */
  readonly delayMs?: number;
}

export interface JobFilter {
  readonly kind?: string;
  readonly statuses?: readonly JobStatus[];
  readonly limit: number;
  readonly cursor?: string;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  readonly nextCursor?: string;
}

/** What a receipt and `get_job` tell of the machinery; the words of a kind's own states are its domain's business. */
export interface JobDescription {
  readonly jobId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly status: JobStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly error?: JobError;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt?: Date;
  readonly completedAt?: Date;
}

export interface JobsServiceParts {
  readonly db: Db;
  readonly delivery: JobDelivery;
  readonly policies: JobPolicies;
  readonly cursors: PageCursors;
}

/** The truth about background work. Enqueue inside the transaction of the change that needs the work. */
export class JobsService {
  readonly #repository: JobRepository;
  readonly #delivery: JobDelivery;
  readonly #policies: JobPolicies;
  readonly #cursors: PageCursors;

  constructor({ db, delivery, policies, cursors }: JobsServiceParts) {
    this.#repository = new JobRepository(db);
    this.#delivery = delivery;
    this.#policies = policies;
    this.#cursors = cursors;
  }

  async enqueue(tx: Tx, request: JobRequest): Promise<Job> {
    const policy = this.#policies[request.kind];
    if (policy === undefined) throw new Error(`No job kind is declared under the name ${request.kind}.`);
    const { delayMs = 0 } = request;
    const job = await this.#repository.in(tx).insert({ ...request, maxAttempts: policy.attempts, delayMs });
    await this.#delivery.send(tx, [job.id], delayMs);
    return job;
  }

  /** The newest job of this kind on the subject; `resource_not_found` when there is none in the project. */
  async get(projectId: string, kind: string, subjectId: string): Promise<Job> {
    const job = await this.#repository.findLatest(projectId, kind, subjectId);
    if (job === undefined) {
      throw new AppError('resource_not_found', 'No such job exists in this project; check its kind and id.', {
        fields: { kind, id: subjectId },
      });
    }
    return job;
  }

  find(projectId: string, kind: string, subjectId: string): Promise<Job | undefined> {
    return this.#repository.findLatest(projectId, kind, subjectId);
  }

  /** The oldest job of this kind on the subject that has not ended; pass the transaction when the answer decides it. */
  findUnfinished(projectId: string, kind: string, subjectId: string, tx?: Tx): Promise<Job | undefined> {
    const repository = tx === undefined ? this.#repository : this.#repository.in(tx);
    return repository.findUnfinished(projectId, kind, subjectId);
  }

  async describe(projectId: string, kind: string, subjectId: string): Promise<JobDescription> {
    return describeJob(await this.get(projectId, kind, subjectId));
  }

  async list(projectId: string, filter: JobFilter): Promise<JobPage> {
    const { kind, statuses, limit, cursor } = filter;
    const query = { list: 'jobs', projectId, kind, statuses };
    const [createdAt, id] = cursor === undefined ? [] : this.#cursors.open(query, cursor);
    const rows = await this.#repository.pageByCreated(projectId, {
      ...(kind === undefined ? {} : { kind }),
      ...(statuses === undefined ? {} : { statuses }),
      ...(createdAt === undefined || id === undefined
        ? {}
        : { after: { createdAt: String(createdAt), id: String(id) } }),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      jobs: page.map((row) => row.job),
      ...(rows.length > limit && last !== undefined
        ? { nextCursor: this.#cursors.seal(query, [last.createdAtText, last.job.id]) }
        : {}),
    };
  }

  /** Forgets finished jobs past the retention of their kind; the number forgotten. Safe to run in several processes. */
  async sweepFinished(limitPerKind = 1_000): Promise<number> {
    let removed = 0;
    for (const [kind, policy] of Object.entries(this.#policies)) {
      removed += await this.#repository.deleteFinishedBefore(kind, policy.retentionDays, limitPerKind);
    }
    return removed;
  }
}

export function describeJob(job: Job): JobDescription {
  return {
    jobId: job.id,
    kind: job.kind,
    subjectId: job.subjectId,
    status: job.status,
    attempts: job.attempt,
    maxAttempts: job.maxAttempts,
    ...(job.progress === undefined ? {} : { progress: job.progress }),
    ...(job.error === undefined ? {} : { error: job.error }),
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    ...(job.startedAt === undefined ? {} : { startedAt: job.startedAt }),
    ...(job.finishedAt === undefined ? {} : { completedAt: job.finishedAt }),
  };
}
