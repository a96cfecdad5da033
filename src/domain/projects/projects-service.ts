import { inTransaction, type Db, type Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { isUuid, newId } from '../../kernel/ids.ts';
import type { AccessChanges } from '../identity/index.ts';
import { ProjectRepository } from './project-repository.ts';
import { requireProjectName, requireSlug, slugOf } from './project.ts';
import type { Project, ProjectMember, ProjectPosition, ProjectSettings } from './project.ts';

export interface ProjectsServiceParts {
  readonly db: Db | Tx;
  readonly clock: Clock;
  readonly changes: AccessChanges;
}

/** Who asks for projects: an account, perhaps through a credential that is limited to one project. */
export interface ProjectReader {
  readonly accountId: string;
  readonly projectId?: string;
}

export interface ProjectPage {
  readonly projects: readonly Project[];
  /** Where the next page starts, when there is one. */
  readonly next?: ProjectPosition;
}

/** Projects and who may use them. Membership is access; there are no roles. */
export class ProjectsService {
  readonly #parts: ProjectsServiceParts;
  readonly #projects: ProjectRepository;

  constructor(parts: ProjectsServiceParts) {
    this.#parts = parts;
    this.#projects = new ProjectRepository(parts.db);
  }

  /** The same use cases inside a transaction the caller owns. */
  in(tx: Tx): ProjectsService {
    return new ProjectsService({ ...this.#parts, db: tx });
  }

  /** Makes a project with its creator as first member. Without a slug one is made from the name. */
  async create(input: { readonly accountId: string; readonly name: string; readonly slug?: string }): Promise<Project> {
    const name = requireProjectName(input.name);
    const slug = input.slug === undefined ? undefined : requireSlug(input.slug);
    return inTransaction(this.#parts.db, async (tx) => {
      const now = this.#parts.clock.now();
      const projects = new ProjectRepository(tx);
      const candidates = slug === undefined ? slugCandidates(name) : [slug];
      for (const candidate of candidates) {
        const project = await projects.insertIfSlugFree({ id: newId(), name, slug: candidate, createdAt: now });
        if (project === undefined) continue;
        await projects.addMember(project.id, input.accountId, now);
        return project;
      }
      throw new AppError('invalid_input', 'Another project has this slug. Choose a different one.', {
        fields: { slug: 'taken' },
      });
    });
  }

  /** Active projects the reader may use, by name. */
  async listAccessible(
    reader: ProjectReader,
    page: { readonly after?: ProjectPosition; readonly limit: number },
  ): Promise<ProjectPage> {
    if (reader.projectId !== undefined) {
      const project = page.after ? undefined : await this.#projects.findForMember(reader.projectId, reader.accountId);
      return { projects: project ? [project] : [] };
    }
    const rows = await this.#projects.pageForMember(reader.accountId, { after: page.after, limit: page.limit + 1 });
    const projects = rows.slice(0, page.limit);
    const last = projects.at(-1);
    return rows.length > page.limit && last ? { projects, next: { name: last.name, id: last.id } } : { projects };
  }

  /** The project when the reader may use it. Malformed, unknown, inactive and foreign ids are one answer. */
  async getAccessible(reader: ProjectReader, projectId: string): Promise<Project> {
    const project = await this.findAccessible(reader, projectId);
    if (project !== undefined) return project;
    throw new AppError('resource_not_found', 'There is no such project among the projects of this account.');
  }

  /** The same, for callers that answer an absent project in words of their own. */
  async findAccessible(reader: ProjectReader, projectId: string): Promise<Project | undefined> {
    if (!isUuid(projectId) || (reader.projectId !== undefined && reader.projectId !== projectId)) return undefined;
    return this.#projects.findForMember(projectId, reader.accountId);
  }

  async get(projectId: string): Promise<Project> {
    return found(await this.#projects.findById(projectId));
  }

  /** By id or slug, for people at a command line. */
  async getByReference(reference: string): Promise<Project> {
    return found(await this.#projects.findByIdOrSlug(reference));
  }

  async list(): Promise<readonly Project[]> {
    return this.#projects.list(1_000);
  }

  async addMember(projectId: string, accountId: string): Promise<void> {
    await this.#projects.addMember(projectId, accountId, this.#parts.clock.now());
  }

  /** In the order they joined; a project has few members, so one bounded page is the whole list in practice. */
  async members(projectId: string): Promise<readonly ProjectMember[]> {
    return this.#projects.members(projectId, 500);
  }

  async getMember(projectId: string, accountId: string): Promise<ProjectMember> {
    const member = await this.#projects.findMember(projectId, accountId);
    if (member === undefined) throw new AppError('resource_not_found', 'There is no such member of this project.');
    return member;
  }

  /** Whether the account is a member of any other project, active or not. */
  async reachesMoreThan(accountId: string, projectId: string): Promise<boolean> {
    return this.#projects.isMemberElsewhere(accountId, projectId);
  }

  async rename(projectId: string, text: string): Promise<Project> {
    return found(await this.#projects.rename(projectId, requireProjectName(text), this.#parts.clock.now()));
  }

  /** Like `removeMember`, and refuses to leave a project that nobody could reach any more. */
  async removeMemberUnlessLast(projectId: string, accountId: string): Promise<void> {
    const removed = await inTransaction(this.#parts.db, (tx) =>
      new ProjectRepository(tx).removeUnlessLast(projectId, accountId),
    );
    if (!removed) {
      throw new AppError('invalid_input', 'The last member cannot be removed. Deactivate the project instead.', {
        fields: { member: 'is the last one' },
      });
    }
    this.#parts.changes.notify();
  }

  /** Keys of the account stop reaching the project at once in this process, within two seconds in others. */
  async removeMember(projectId: string, accountId: string): Promise<void> {
    if (await this.#projects.removeMember(projectId, accountId)) this.#parts.changes.notify();
  }

  /** An inactive project is invisible to every credential; its data stays. */
  async setActive(projectId: string, isActive: boolean): Promise<void> {
    if (!(await this.#projects.setActive(projectId, isActive, this.#parts.clock.now()))) found(undefined);
    this.#parts.changes.notify();
  }

  async saveSettings(projectId: string, settings: ProjectSettings): Promise<Project> {
    return found(await this.#projects.saveSettings(projectId, settings, this.#parts.clock.now()));
  }
}

/** The plain slug, a few readable variants, then one that nobody else has. */
function slugCandidates(name: string): readonly string[] {
  const slug = slugOf(name);
  return [slug, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${slug}-${number}`), `${slug}-${newId().slice(-12)}`];
}

function found(project: Project | undefined): Project {
  if (project === undefined) throw new AppError('resource_not_found', 'There is no such project.');
  return project;
}
