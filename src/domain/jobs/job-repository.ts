import { instantText, jsonb, type Db, type Tx } from '../../db/database.ts';
import { newIdOf } from '../../kernel/ids.ts';
import type { Job, JobId, JobStatus } from './job.ts';

export interface NewJob {
  readonly projectId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly accountId?: string;
  readonly payload: unknown;
  readonly maxAttempts: number;
  readonly delayMs: number;
}

export interface JobsQuery {
  readonly kind?: string;
  readonly statuses?: readonly JobStatus[];
  readonly limit: number;
  /** The last job of the page before: its creation instant with all digits, and its id. */
  readonly after?: { readonly createdAt: string; readonly id: string };
}

export interface JobRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly account_id: string | null;
  readonly payload: unknown;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly progress: Readonly<Record<string, unknown>> | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** A job whose lease has lapsed is nobody's: it reads as queued from that instant, not from when a sweep notices. */
const STATUS = `case when status = 'running' and lease_until <= clock_timestamp() then 'queued' else status end`;
const COLUMNS = `id, project_id, kind, subject_id, account_id, payload, ${STATUS} as status, attempt, max_attempts,
  progress, error_code, error_message, created_at, updated_at, started_at, finished_at`;

/** Reads of jobs and the birth of one; what a worker does to a job is in `JobLeaseRepository`. */
export class JobRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): JobRepository {
    return new JobRepository(tx);
  }

  async insert(job: NewJob): Promise<Job> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `insert into jobs (id, project_id, kind, subject_id, account_id, payload, max_attempts, run_at)
       values (?, ?, ?, ?, ?, ?, ?, now() + ? * interval '1 ms') returning ${COLUMNS}`,
      [
        newIdOf<'job'>(),
        job.projectId,
        job.kind,
        job.subjectId,
        job.accountId ?? null,
        jsonb(this.#db, job.payload),
        job.maxAttempts,
        job.delayMs,
      ],
    );
    const [row] = result.rows;
    if (row === undefined) throw new Error('The insert of a job returned no row.');
    return toJob(row);
  }

  async findInProject(projectId: string, jobId: string): Promise<Job | undefined> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `select ${COLUMNS} from jobs where project_id = ? and id = ?`,
      [projectId, jobId],
    );
    return result.rows.map(toJob)[0];
  }

  async findLatest(projectId: string, kind: string, subjectId: string): Promise<Job | undefined> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `select ${COLUMNS} from jobs where project_id = ? and kind = ? and subject_id = ?
       order by created_at desc, id desc limit 1`,
      [projectId, kind, subjectId],
    );
    return result.rows.map(toJob)[0];
  }

  async findUnfinished(projectId: string, kind: string, subjectId: string): Promise<Job | undefined> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `select ${COLUMNS} from jobs where project_id = ? and kind = ? and subject_id = ? and finished_at is null
       order by created_at, id limit 1`,
      [projectId, kind, subjectId],
    );
    return result.rows.map(toJob)[0];
  }

  /** Newest first; each with its creation instant as text for the cursor. */
  async pageByCreated(projectId: string, query: JobsQuery): Promise<{ job: Job; createdAtText: string }[]> {
    const result = await this.#db.raw<{ rows: (JobRow & { created_at_text: string })[] }>(
      `select * from (select ${COLUMNS}, ${instantText('created_at')} as created_at_text from jobs
         where project_id = :projectId
           and (:kind::text is null or kind = :kind)
           and (:afterId::text is null or (created_at, id) < (:afterAt::timestamptz, :afterId))) as page
       where :statuses::text[] is null or status = any(:statuses)
       order by created_at desc, id desc limit :limit`,
      {
        projectId,
        kind: query.kind ?? null,
        statuses: query.statuses === undefined ? null : [...query.statuses],
        afterAt: query.after?.createdAt ?? null,
        afterId: query.after?.id ?? null,
        limit: query.limit,
      },
    );
    return result.rows.map((row) => ({ job: toJob(row), createdAtText: row.created_at_text }));
  }

  /** Removes finished jobs of a kind that are older than its retention; the number removed. */
  async deleteFinishedBefore(kind: string, retentionDays: number, limit: number): Promise<number> {
    const result = await this.#db.raw<{ rowCount: number }>(
      `delete from jobs where id in (select id from jobs where kind = ?
         and finished_at < now() - ? * interval '1 day' order by finished_at limit ?)`,
      [kind, retentionDays, limit],
    );
    return result.rowCount;
  }
}

export function toJob(row: JobRow): Job {
  return {
    // because ids of this table are made by `insert` alone
    id: row.id as JobId,
    projectId: row.project_id,
    kind: row.kind,
    subjectId: row.subject_id,
    ...(row.account_id === null ? {} : { accountId: row.account_id }),
    payload: row.payload,
    status: row.status,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    ...(row.progress === null ? {} : { progress: row.progress }),
    ...(row.error_message === null
      ? {}
      : { error: { code: row.error_code ?? 'internal_error', message: row.error_message } }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
  };
}
