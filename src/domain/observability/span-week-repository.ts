import { inTransaction, type Db, type Tx } from '../../db/database.ts';
import { weekOfTable, type SpanWeek } from './span-week.ts';

/** A week that readers are in is left for the next time, so that nobody queues behind its removal. */
const LOCK_TIMEOUT = '5s';

/** The tables behind `spans`, one per week of receipt. They belong to the server, not to a project. */
export class SpanWeekRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  /** Oldest first. */
  async list(): Promise<readonly SpanWeek[]> {
    const { rows } = await this.#db.raw<{ rows: { table: string }[] }>(
      `select c.relname as table from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'spans'::regclass order by 1`,
    );
    return rows.flatMap(({ table }) => weekOfTable(table) ?? []);
  }

  /** Makes the week that holds this instant, unless it is there. */
  async ensure(at: Date): Promise<void> {
    await this.#db.raw('select ensure_span_week(?::timestamptz)', [at]);
  }

  /**
   * Moves up to `limit` spans of the week out of `spans` itself into their table; answers how many it found. One
   * statement, so a reader sees each of them once. A span that is in its week already is dropped.
   */
  async moveInto(week: SpanWeek, limit: number): Promise<number> {
    const { rows } = await this.#db.raw<{ rows: { n: number }[] }>(
      `with moved as (
         delete from only spans where ctid = any(array(
           select ctid from only spans where received_at >= ?::timestamptz and received_at < ?::timestamptz
           limit ? for update skip locked))
         returning *
       ), kept as (
         insert into ?? select * from moved on conflict (project_id, trace_id, span_id) do nothing
       )
       select count(*) as n from moved`,
      [week.from, week.until, limit, week.table],
    );
    return rows[0]?.n ?? 0;
  }

  /** Takes the week out of `spans` and drops it, whole or not at all. */
  async drop(week: SpanWeek): Promise<void> {
    await inTransaction(this.#db, async (tx) => {
      await tx.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.raw('alter table ?? no inherit spans', [week.table]);
      await tx.raw('drop table ??', [week.table]);
    });
  }

  /** Removes up to `limit` spans of no week that were received before; answers how many. */
  async removeStrays(before: Date, limit: number): Promise<number> {
    const { rows } = await this.#db.raw<{ rows: { n: number }[] }>(
      `with gone as (
         delete from only spans where ctid = any(array(
           select ctid from only spans where received_at < ?::timestamptz limit ? for update skip locked))
         returning 1
       ) select count(*) as n from gone`,
      [before, limit],
    );
    return rows[0]?.n ?? 0;
  }

  /** When the first span of no week was received, between the two instants. */
  async oldestStray(from: Date, until: Date): Promise<Date | undefined> {
    const { rows } = await this.#db.raw<{ rows: { oldest: Date | null }[] }>(
      'select min(received_at) as oldest from only spans where received_at >= ?::timestamptz and received_at < ?::timestamptz',
      [from, until],
    );
    return rows[0]?.oldest ?? undefined;
  }

  /** Removes up to `limit` traces of a project whose last span was received before, and their task executions. */
  async removeTraces(projectId: string, before: Date, limit: number): Promise<number> {
    return inTransaction(this.#db, async (tx) => {
      await lockTraffic(tx, projectId);
      const { rows } = await tx.raw<{ rows: { n: number }[] }>(
        `with gone as (
           delete from traces where project_id = ? and trace_id = any(array(
             select trace_id from traces
             where project_id = ? and received_at < ?::timestamptz and updated_at < ?::timestamptz
             limit ? for update skip locked))
           returning trace_id
         ), runs as (
           delete from task_executions where project_id = ? and trace_id in (select trace_id from gone)
         )
         select count(*) as n from gone`,
        [projectId, projectId, before, before, limit, projectId],
      );
      return rows[0]?.n ?? 0;
    });
  }

  /** Forgets the hours and days of a project that nothing is left of. */
  async removeEmptyTraffic(projectId: string, before: Date): Promise<void> {
    await inTransaction(this.#db, async (tx) => {
      await lockTraffic(tx, projectId);
      await tx.raw(
        `delete from traffic where project_id = ? and starts_at < ?::timestamptz
           and (n, errors, duration_ns, total_tokens, total_cost) = (0, 0, 0, 0, 0)`,
        [projectId, before],
      );
    });
  }

  async projectIds(): Promise<readonly string[]> {
    const { rows } = await this.#db.raw<{ rows: { id: string }[] }>('select id from projects order by id');
    return rows.map(({ id }) => id);
  }
}

/** The lock that taking traces in has before it touches their rows; whoever takes it after them waits for good. */
async function lockTraffic(tx: Tx, projectId: string): Promise<void> {
  await tx.raw('select pg_advisory_xact_lock(7301884, hashtext(?))', [projectId]);
}
