import { instantText, likeText, type Db, type Tx } from '../../db/database.ts';
import { prepared } from '../../db/prepared.ts';
import { isUuid } from '../../kernel/ids.ts';

/** A conversation: traces that share the sender's session id. */
export interface Session {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  /** Of the first trace that had one. */
  readonly capabilityId?: string;
  readonly createdAt: string;
}

export interface SessionDraft {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly capabilityId?: string;
}

/** A session as a list shows it. */
export interface SessionRowView extends Session {
  readonly traceCount: number;
}

export interface SessionPosition {
  readonly createdAt: string;
  readonly id: string;
}

interface SessionRow {
  readonly id: string;
  readonly external_id: string;
  readonly name: string;
  readonly capability_id: string | null;
  readonly created_at: string;
}

const COLUMNS = `id, external_id, name, capability_id, ${instantText('created_at')} as created_at`;

export class SessionRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  async findByExternalIds(projectId: string, externalIds: readonly string[]): Promise<readonly Session[]> {
    const rows = await prepared<SessionRow>(
      this.#db,
      'sessions: by external ids',
      `select ${COLUMNS} from conversations where project_id = ? and external_id = any(?::text[])`,
      [projectId, [...externalIds]],
    );
    return rows.map(toSession);
  }

  /**
   * Adds the sessions that nobody has made, and answers their external ids. The caller sorts them. No index is named
   * to look for the others in: two servers that make one session at once meet in either.
   */
  async insertNew(projectId: string, drafts: readonly SessionDraft[], at: Date): Promise<ReadonlySet<string>> {
    if (drafts.length === 0) return new Set();
    const rows = await prepared<Pick<Session, 'externalId'>>(
      this.#db,
      'sessions: insert new',
      `insert into conversations (project_id, id, external_id, name, capability_id, created_at)
       select ?, id, external_id, name, capability_id, ?::timestamptz
       from unnest(?::text[], ?::text[], ?::text[], ?::text[]) as draft(id, external_id, name, capability_id)
       on conflict do nothing
       returning external_id as "externalId"`,
      [
        projectId,
        at,
        drafts.map(({ id }) => id),
        drafts.map(({ externalId }) => externalId),
        drafts.map(({ name }) => name),
        // because the query builder's types know no array with gaps, and the driver writes one as null
        drafts.map(({ capabilityId }) => capabilityId ?? null) as string[],
      ],
    );
    return new Set(rows.map(({ externalId }) => externalId));
  }

  /** Gives a capability to those of these sessions that have none; in one order, so that two batches do not block. */
  async complete(projectId: string, drafts: readonly Required<SessionDraft>[]): Promise<void> {
    await this.#db.raw(
      `with held as materialized (
         select id from conversations where project_id = ? and id = any(?::text[]) and capability_id is null
         order by external_id for no key update
       )
       update conversations c set capability_id = draft.capability_id
       from held join unnest(?::text[], ?::text[]) as draft(id, capability_id) using (id)
       where c.project_id = ? and c.id = held.id`,
      [
        projectId,
        drafts.map(({ id }) => id),
        drafts.map(({ id }) => id),
        drafts.map(({ capabilityId }) => capabilityId),
        projectId,
      ],
    );
  }

  /** By the sender's id first, then by ours. */
  async findByReference(projectId: string, reference: string): Promise<Session | undefined> {
    const { rows } = await this.#db.raw<{ rows: SessionRow[] }>(
      `select ${COLUMNS} from conversations where project_id = ? and (external_id = ? or id = ?)
       order by (external_id = ?) desc limit 1`,
      [projectId, reference, isUuid(reference) ? reference : '', reference],
    );
    return rows[0] && toSession(rows[0]);
  }

  /** Newest first, with the number of traces in each. */
  async page(
    projectId: string,
    { search, limit, after }: { readonly search?: string; readonly limit: number; readonly after?: SessionPosition },
  ): Promise<readonly SessionRowView[]> {
    const matches = search === undefined ? '' : `and (external_id ilike ? escape '\\' or name ilike ? escape '\\')`;
    const pattern = search === undefined ? [] : [`%${likeText(search)}%`, `%${likeText(search)}%`];
    const beyond = after === undefined ? '' : 'and (created_at, id) < (?::timestamptz, ?)';
    const { rows } = await this.#db.raw<{ rows: (SessionRow & { trace_count: string })[] }>(
      `select ${COLUMNS},
         (select count(*) from traces t where t.project_id = c.project_id and t.conversation_id = c.id) as trace_count
       from conversations c where project_id = ? ${matches} ${beyond}
       order by c.created_at desc, c.id desc limit ?`,
      [projectId, ...pattern, ...(after === undefined ? [] : [after.createdAt, after.id]), limit],
    );
    return rows.map((row) => ({ ...toSession(row), traceCount: Number(row.trace_count) }));
  }

  async externalIdsStartingWith(projectId: string, text: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#db.raw<{ rows: { external_id: string }[] }>(
      `select external_id from conversations
       where project_id = ? and external_id like ? escape '\\' order by external_id limit ?`,
      [projectId, `${likeText(text)}%`, limit],
    );
    return rows.map((row) => row.external_id);
  }
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    ...(row.capability_id !== null && { capabilityId: row.capability_id }),
    createdAt: row.created_at,
  };
}
