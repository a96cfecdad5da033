import type { Id } from '../../kernel/ids.ts';

export type JobId = Id<'job'>;

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Why an attempt or the whole job failed, in words meant for the caller. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** One piece of background work. `attempt` is the fence: it grows each time a worker takes the job. */
export interface Job {
  readonly id: JobId;
  readonly projectId: string;
  readonly kind: string;
  /** What the job works on; the public id of the job where its contract says so. */
  readonly subjectId: string;
  readonly accountId?: string;
  readonly payload: unknown;
  /** Never `running` without a live lease: a job whose worker fell silent reads as `queued` until it is taken up. */
  readonly status: JobStatus;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly progress?: Readonly<Record<string, unknown>>;
  /** The last attempt's error while the job waits for another, the final one once it has failed. */
  readonly error?: JobError;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
}

/** How one kind of job is run; comes from its contract. */
export interface JobPolicy {
  readonly attempts: number;
  readonly timeoutSeconds: number;
  readonly retentionDays: number;
}

/** By kind. A kind without an entry cannot be enqueued. */
export type JobPolicies = Readonly<Record<string, JobPolicy>>;

const NEXT: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  // A queued job fails without running when its attempts are used up.
  queued: ['running', 'failed'],
  // Back to queued: the attempt failed, its lease lapsed, or its worker handed it back.
  running: ['queued', 'succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export function canBecome(from: JobStatus, to: JobStatus): boolean {
  return NEXT[from].includes(to);
}

export function isFinished(status: JobStatus): boolean {
  return NEXT[status].length === 0;
}
