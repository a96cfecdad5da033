import type { Knex } from 'knex';
import { endWithClient, jsonb, type Db, type Tx } from '../../db/database.ts';
import type { Job, JobError, JobId } from './job.ts';
import { toJob, type JobRow } from './job-repository.ts';

/** What a worker holds after it took a job: enough to run it and to prove that the attempt is its own. */
export interface ClaimedJob {
  readonly id: JobId;
  readonly projectId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly payload: unknown;
  readonly attempt: number;
  readonly maxAttempts: number;
}

export interface Lease {
  readonly id: JobId;
  readonly attempt: number;
}

interface ClaimedRow {
  readonly id: JobId;
  readonly project_id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly payload: unknown;
  readonly attempt: number;
  readonly max_attempts: number;
}

/** Another attempt holds the job: whatever this one still wants to write must not be written. */
export class LostLease extends Error {
  constructor() {
    super('The lease on this job is lost: another attempt has taken it over.');
    this.name = 'LostLease';
  }
}

/** The row is still this attempt's. The database's clock alone says what time it is: workers' clocks differ and stop. */
const MINE = `id = ? and attempt = ? and status = 'running'`;

/**
 * What workers do to jobs. Each claim raises `attempt`; every later write names the attempt it was claimed with and
 * changes nothing once a newer one exists.
 */
export class JobLeaseRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): JobLeaseRepository {
    return new JobLeaseRepository(tx);
  }

  /** Takes those of the jobs that are of these kinds, due and free. Rows another process is deciding on are left to it. */
  async claim(
    ids: readonly string[],
    claim: { readonly kinds: readonly string[]; readonly worker: string; readonly leaseMs: number },
  ): Promise<ClaimedJob[]> {
    const { kinds, worker, leaseMs } = claim;
    const result = await this.#db.raw<{ rows: ClaimedRow[] }>(
      `with due as (
         select id from jobs where id = any(?) and kind = any(?) and attempt < max_attempts and ((status = 'queued' and run_at <= now())
           or (status = 'running' and lease_until <= clock_timestamp())) order by id for update skip locked)
       update jobs set status = 'running', attempt = attempt + 1, worker = ?, updated_at = now(),
         lease_until = clock_timestamp() + ? * interval '1 ms', started_at = coalesce(started_at, now())
       from due where jobs.id = due.id
       returning jobs.id, project_id, kind, subject_id, payload, attempt, max_attempts`,
      [[...ids], [...kinds], worker, leaseMs],
    );
    return result.rows.map((row) => ({
      id: row.id,
      projectId: row.project_id,
      kind: row.kind,
      subjectId: row.subject_id,
      payload: row.payload,
      attempt: row.attempt,
      maxAttempts: row.max_attempts,
    }));
  }

  /**
   * Those of the jobs whose message must go on although nobody took them with it: their row was locked at that moment,
   * or, during a roll-out, they are of a kind that only an older or a newer process knows.
   */
  async findUnclaimed(ids: readonly string[], kinds: readonly string[]): Promise<readonly JobId[]> {
    const result = await this.#db.raw<{ rows: { id: JobId }[] }>(
      `select id from jobs where id = any(?) and (status = 'queued' or (status = 'running' and not kind = any(?)))`,
      [[...ids], [...kinds]],
    );
    return result.rows.map((row) => row.id);
  }

  /** Extends the leases that are still held; answers which. */
  async renew(leases: readonly Lease[], leaseMs: number): Promise<Set<JobId>> {
    const result = await this.#db.raw<{ rows: { id: JobId }[] }>(
      `update jobs set lease_until = clock_timestamp() + ? * interval '1 ms'
       from unnest(?::text[], ?::int[]) as held (id, attempt)
       where jobs.id = held.id and jobs.attempt = held.attempt and status = 'running' returning jobs.id`,
      [leaseMs, leases.map((lease) => lease.id), leases.map((lease) => lease.attempt)],
    );
    return new Set(result.rows.map((row) => row.id));
  }

  /**
   * Bounds what a stopped or killed process can hold up: a transaction that sits idle for longer is ended by the server,
   * and so is one whose process is gone.
   */
  async boundTransaction(tx: Tx, idleMs: number): Promise<void> {
    await tx.raw(`select set_config('idle_in_transaction_session_timeout', ?, true)`, [String(idleMs)]);
    await endWithClient(tx);
  }

  /**
   * The fence: renews the lease inside the transaction that carries the effects, or throws `LostLease`. It comes last
   * in the transaction, so that the row is locked for no longer than the commit takes.
   */
  async hold(lease: Lease, leaseMs: number): Promise<void> {
    await this.#write(
      `update jobs set lease_until = clock_timestamp() + ? * interval '1 ms', updated_at = now() where ${MINE}`,
      [leaseMs, lease.id, lease.attempt],
    );
  }

  async progress(lease: Lease, progress: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#write(`update jobs set progress = ?, updated_at = now() where ${MINE}`, [
      jsonb(this.#db, progress),
      lease.id,
      lease.attempt,
    ]);
  }

  async succeed(lease: Lease): Promise<void> {
    await this.#write(
      `update jobs set status = 'succeeded', lease_until = null, worker = null, error_code = null,
         error_message = null, updated_at = now(), finished_at = now() where ${MINE}`,
      [lease.id, lease.attempt],
    );
  }

  async fail(lease: Lease, error: JobError): Promise<Job> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `update jobs set status = 'failed', lease_until = null, worker = null, error_code = ?, error_message = ?,
         updated_at = now(), finished_at = now() where ${MINE} returning *`,
      [error.code, error.message, lease.id, lease.attempt],
    );
    const [row] = result.rows;
    if (row === undefined) throw new LostLease();
    return toJob(row);
  }

  /** Queues the job for another attempt after the wait, keeping this one's error for whoever looks. */
  async requeue(lease: Lease, error: JobError, delayMs: number): Promise<void> {
    await this.#write(
      `update jobs set status = 'queued', lease_until = null, worker = null, error_code = ?, error_message = ?,
         run_at = now() + ? * interval '1 ms', sent_at = now(), updated_at = now() where ${MINE}`,
      [error.code, error.message, delayMs, lease.id, lease.attempt],
    );
  }

  /** Gives an unfinished job back when its worker stops. The attempt is not held against the job. */
  async handBack(lease: Lease): Promise<void> {
    await this.#write(
      `update jobs set status = 'queued', lease_until = null, worker = null, max_attempts = max_attempts + 1,
         run_at = now(), sent_at = now(), updated_at = now() where ${MINE}`,
      [lease.id, lease.attempt],
    );
  }

  /** Jobs whose worker fell silent on their last attempt. */
  async findExhausted(limit: number): Promise<JobId[]> {
    const result = await this.#db.raw<{ rows: { id: JobId }[] }>(
      `select id from jobs where status = 'running' and lease_until <= clock_timestamp()
         and attempt >= max_attempts order by lease_until limit ?`,
      [limit],
    );
    return result.rows.map((row) => row.id);
  }

  /** Ends such a job; undefined when another process did, or is about to. */
  async failExhausted(id: JobId, error: JobError): Promise<Job | undefined> {
    const result = await this.#db.raw<{ rows: JobRow[] }>(
      `with lapsed as (
         select id from jobs where id = ? and status = 'running' and lease_until <= clock_timestamp()
           and attempt >= max_attempts for update skip locked)
       update jobs set status = 'failed', lease_until = null, worker = null, error_code = ?, error_message = ?,
         updated_at = now(), finished_at = now() from lapsed where jobs.id = lapsed.id returning jobs.*`,
      [id, error.code, error.message],
    );
    return result.rows.map(toJob)[0];
  }

  /** Queues the jobs whose worker fell silent and that may be tried again; they need a message each. */
  async releaseLapsed(limit: number): Promise<JobId[]> {
    const result = await this.#db.raw<{ rows: { id: JobId }[] }>(
      `with lapsed as (
         select id from jobs where status = 'running' and lease_until <= clock_timestamp()
           and attempt < max_attempts limit ? for update skip locked)
       update jobs set status = 'queued', lease_until = null, worker = null, run_at = now(), sent_at = now(),
         updated_at = now() from lapsed where jobs.id = lapsed.id returning jobs.id`,
      [limit],
    );
    return result.rows.map((row) => row.id);
  }

  /** Jobs that have been due for long although nobody took them, as when a message was lost; they need a new one. */
  async markForgotten(afterMs: number, limit: number): Promise<JobId[]> {
    const result = await this.#db.raw<{ rows: { id: JobId }[] }>(
      `with forgotten as (
         select id from jobs where status = 'queued' and greatest(run_at, sent_at) <= now() - ? * interval '1 ms'
         order by run_at limit ? for update skip locked)
       update jobs set sent_at = now() from forgotten where jobs.id = forgotten.id returning jobs.id`,
      [afterMs, limit],
    );
    return result.rows.map((row) => row.id);
  }

  async #write(sql: string, bindings: readonly Knex.RawBinding[]): Promise<void> {
    const result = await this.#db.raw<{ rowCount: number }>(sql, [...bindings]);
    if (result.rowCount !== 1) throw new LostLease();
  }
}
