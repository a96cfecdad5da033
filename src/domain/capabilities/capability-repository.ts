import { instantText, likeText, type Db, type Tx } from '../../db/database.ts';
import { identityValue, type Capability, type CapabilityStatus, type Identity } from './capability.ts';

interface CapabilityRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly status: CapabilityStatus;
  readonly observed: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewCapability {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

const COLUMNS = `c.id, c.name, c.slug, c.description, c.status, c.observed,
  ${instantText('c.created_at')} as created_at, ${instantText('c.updated_at')} as updated_at`;

export class CapabilityRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): CapabilityRepository {
    return new CapabilityRepository(tx);
  }

  /** By id, else name, else slug, else an identity it once held; one statement, the strongest match wins. */
  async findByReference(projectId: string, reference: string): Promise<Capability | undefined> {
    const value = identityValue(reference);
    const { rows } = await this.#db.raw<{ rows: CapabilityRow[] }>(
      `select ${COLUMNS} from (
         select id, 0 as strength from capabilities where project_id = :projectId and id = :value
         union all
         select id, 1 from capabilities where project_id = :projectId and name_key = :value
         union all
         select id, 2 from capabilities where project_id = :projectId and slug = :value
         union all
         select capability_id, 3 from capability_aliases where project_id = :projectId and value = :value
       ) as hit
       join capabilities c on c.project_id = :projectId and c.id = hit.id
       order by hit.strength, (c.status = 'current') desc, c.created_at desc, c.id
       limit 1`,
      { projectId, value },
    );
    return rows[0] && toCapability(rows[0]);
  }

  async findById(projectId: string, id: string): Promise<Capability | undefined> {
    const { rows } = await this.#db.raw<{ rows: CapabilityRow[] }>(
      `select ${COLUMNS} from capabilities c where c.project_id = ? and c.id = ?`,
      [projectId, id],
    );
    return rows[0] && toCapability(rows[0]);
  }

  /** Everything that already answers to one of the identities. */
  async findIdentities(
    projectId: string,
    values: readonly string[],
  ): Promise<readonly (Identity & { readonly capabilityId: string })[]> {
    const { rows } = await this.#db.raw<{ rows: (Identity & { capabilityId: string })[] }>(
      `select 'id' as kind, id as value, id as "capabilityId" from capabilities
         where project_id = :projectId and id = any(:values)
       union all
       select kind, value, capability_id from capability_aliases
         where project_id = :projectId and value = any(:values)`,
      { projectId, values: [...values] },
    );
    return rows;
  }

  /**
   * Inserts the capability unless its slug is taken; either way answers the id that holds the slug. A taken slug is
   * waited for but never locked: a lock here and the foreign keys of traces would deadlock parallel batches.
   */
  async insertUnlessSlugTaken(projectId: string, capability: NewCapability): Promise<string> {
    const inserted = await this.#db.raw<{ rows: { id: string }[] }>(
      `insert into capabilities (id, project_id, name, name_key, slug, observed)
       values (:id, :projectId, :name, :nameKey, :slug, true)
       on conflict (project_id, slug) do nothing
       returning id`,
      { ...capability, projectId, nameKey: identityValue(capability.name) },
    );
    const made = inserted.rows[0];
    if (made !== undefined) return made.id;
    const { rows } = await this.#db.raw<{ rows: { id: string }[] }>(
      'select id from capabilities where project_id = ? and slug = ?',
      [projectId, capability.slug],
    );
    return rows[0]?.id ?? capability.id;
  }

  /** An identity that is already held keeps its holder. */
  async addAliases(projectId: string, capabilityId: string, identities: readonly Identity[]): Promise<void> {
    await this.#db.raw(
      `insert into capability_aliases (project_id, kind, value, capability_id)
       select :projectId, kind, value, :capabilityId
       from unnest(cast(:kinds as text[]), cast(:values as text[])) as identity(kind, value)
       order by kind, value
       on conflict (project_id, kind, value) do nothing`,
      {
        projectId,
        capabilityId,
        kinds: identities.map((identity) => identity.kind),
        values: identities.map((identity) => identity.value),
      },
    );
  }

  /** The identities it answers to, in order of kind and value; one more than `limit` shows that there are others. */
  async aliasesOf(projectId: string, capabilityId: string, limit: number): Promise<readonly Identity[]> {
    const { rows } = await this.#db.raw<{ rows: Identity[] }>(
      `select kind, value from capability_aliases where project_id = ? and capability_id = ?
       order by kind, value limit ?`,
      [projectId, capabilityId, limit],
    );
    return rows;
  }

  /** Names that begin with the text, for completion. */
  async namesStartingWith(projectId: string, text: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#db.raw<{ rows: { name: string }[] }>(
      `select distinct name, name_key from capabilities
       where project_id = ? and status <> 'deleted' and name_key like ? escape '\\'
       order by name_key, name limit ?`,
      [projectId, `${likeText(identityValue(text))}%`, limit],
    );
    return rows.map((row) => row.name);
  }
}

function toCapability(row: CapabilityRow): Capability {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    status: row.status,
    observed: row.observed,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
