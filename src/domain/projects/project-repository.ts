import { jsonb, type Db, type Tx } from '../../db/database.ts';
import type { Project, ProjectMember, ProjectPosition, ProjectSettings } from './project.ts';

interface ProjectRow {
  id: string;
  name: string;
  slug: string;
  integration_type: string;
  is_active: boolean;
  settings: { repository_snapshot?: Record<string, unknown>; last_synced_at?: string };
  created_at: Date;
  updated_at: Date;
}

interface MemberRow {
  id: string;
  email: string;
  password_hash: string | null;
  is_active: boolean;
  created_at: Date;
}

const MEMBER_COLUMNS = ['a.id', 'a.email', 'a.password_hash', 'a.is_active', 'm.created_at'] as const;

export class ProjectRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  async insertIfSlugFree(project: Pick<Project, 'id' | 'name' | 'slug' | 'createdAt'>): Promise<Project | undefined> {
    const rows: ProjectRow[] = await this.#db('projects')
      .insert({
        id: project.id,
        name: project.name,
        slug: project.slug,
        created_at: project.createdAt,
        updated_at: project.createdAt,
      })
      .onConflict('slug')
      .ignore()
      .returning('*');
    return rows[0] && toProject(rows[0]);
  }

  async findById(projectId: string): Promise<Project | undefined> {
    const row: ProjectRow | undefined = await this.#db('projects').where({ id: projectId }).first();
    return row && toProject(row);
  }

  async findByIdOrSlug(reference: string): Promise<Project | undefined> {
    const row: ProjectRow | undefined = await this.#db('projects')
      .where({ id: reference })
      .orWhere({ slug: reference })
      .first();
    return row && toProject(row);
  }

  /** The active project, when the account is a member of it. */
  async findForMember(projectId: string, accountId: string): Promise<Project | undefined> {
    const row: ProjectRow | undefined = await this.#members()
      .where({ 'p.id': projectId, 'm.account_id': accountId, 'p.is_active': true })
      .first('p.*');
    return row && toProject(row);
  }

  /** Active projects of the account by name; letters compare without case, equal names by id. */
  async pageForMember(
    accountId: string,
    page: { readonly after: ProjectPosition | undefined; readonly limit: number },
  ): Promise<readonly Project[]> {
    const query = this.#members()
      .where({ 'm.account_id': accountId, 'p.is_active': true })
      .orderByRaw('lower(p.name) collate "C", p.id')
      .limit(page.limit);
    if (page.after !== undefined) {
      void query.whereRaw('(lower(p.name) collate "C", p.id) > (lower(?) collate "C", ?)', [
        page.after.name,
        page.after.id,
      ]);
    }
    const rows: ProjectRow[] = await query.select('p.*');
    return rows.map(toProject);
  }

  /** All projects, for the operator's command line. */
  async list(limit: number): Promise<readonly Project[]> {
    const rows: ProjectRow[] = await this.#db('projects').orderByRaw('lower(name) collate "C", id').limit(limit);
    return rows.map(toProject);
  }

  async setActive(projectId: string, isActive: boolean, now: Date): Promise<boolean> {
    const changed = await this.#db('projects')
      .where({ id: projectId })
      .update({ is_active: isActive, updated_at: now });
    return changed === 1;
  }

  async rename(projectId: string, name: string, now: Date): Promise<Project | undefined> {
    const rows: ProjectRow[] = await this.#db('projects')
      .where({ id: projectId })
      .update({ name, updated_at: now })
      .returning('*');
    return rows[0] && toProject(rows[0]);
  }

  /** In the order they joined. */
  async members(projectId: string, limit: number): Promise<readonly ProjectMember[]> {
    const rows: MemberRow[] = await this.#memberRows(projectId)
      .orderBy(['m.created_at', 'a.id'])
      .limit(limit)
      .select(MEMBER_COLUMNS);
    return rows.map(toMember);
  }

  async findMember(projectId: string, accountId: string): Promise<ProjectMember | undefined> {
    const row: MemberRow | undefined = await this.#memberRows(projectId)
      .where({ 'a.id': accountId })
      .first(MEMBER_COLUMNS);
    return row && toMember(row);
  }

  async isMemberElsewhere(accountId: string, projectId: string): Promise<boolean> {
    const row: unknown = await this.#db('memberships')
      .where({ account_id: accountId })
      .whereNot({ project_id: projectId })
      .first('project_id');
    return row !== undefined;
  }

  /** Removes the membership unless it is the last one; answers whether it was removed. */
  async removeUnlessLast(projectId: string, accountId: string): Promise<boolean> {
    // Locked in a fixed order, so that two members who remove each other cannot both succeed.
    const rows: { account_id: string }[] = await this.#db('memberships')
      .where({ project_id: projectId })
      .orderBy('account_id')
      .forUpdate()
      .select('account_id');
    if (rows.length < 2) return false;
    return this.removeMember(projectId, accountId);
  }

  async saveSettings(projectId: string, settings: ProjectSettings, now: Date): Promise<Project | undefined> {
    const rows: ProjectRow[] = await this.#db('projects')
      .where({ id: projectId })
      .update({
        settings: jsonb(this.#db, {
          repository_snapshot: settings.repositorySnapshot,
          last_synced_at: settings.lastSyncedAt,
        }),
        updated_at: now,
      })
      .returning('*');
    return rows[0] && toProject(rows[0]);
  }

  /** Adding a member twice is one membership. */
  async addMember(projectId: string, accountId: string, now: Date): Promise<void> {
    await this.#db('memberships')
      .insert({ project_id: projectId, account_id: accountId, created_at: now })
      .onConflict(['account_id', 'project_id'])
      .ignore();
  }

  async removeMember(projectId: string, accountId: string): Promise<boolean> {
    return (await this.#db('memberships').where({ project_id: projectId, account_id: accountId }).delete()) === 1;
  }

  #memberRows(projectId: string) {
    return this.#db('memberships as m')
      .join('accounts as a', 'a.id', 'm.account_id')
      .where({ 'm.project_id': projectId });
  }

  #members() {
    return this.#db('projects as p').join('memberships as m', 'm.project_id', 'p.id');
  }
}

function toMember(row: MemberRow): ProjectMember {
  return {
    accountId: row.id,
    email: row.email,
    isActive: row.is_active,
    hasSignedUp: row.password_hash !== null,
    since: row.created_at,
  };
}

function toProject(row: ProjectRow): Project {
  const { repository_snapshot: repositorySnapshot, last_synced_at: lastSyncedAt } = row.settings;
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    integrationType: row.integration_type,
    isActive: row.is_active,
    settings: {
      ...(repositorySnapshot !== undefined && { repositorySnapshot }),
      ...(lastSyncedAt !== undefined && { lastSyncedAt }),
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
