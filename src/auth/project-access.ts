import type { AccountContext } from '../context/account-context.ts';
import type { ProjectContext } from '../context/project-context.ts';
import type { AccessChanges } from '../domain/identity/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { ShortCache } from './short-cache.ts';

/** The same bound as for keys: a lost membership lasts at most this long in other processes. */
const MEMORY_MS = 2_000;
const MAX_MEMBERSHIPS = 10_000;

type ProjectFacts = ProjectContext['project'];

export interface ResolvedProject {
  readonly id: string;
  readonly context: ProjectContext;
}

export type ResolveProject = (
  principal: { readonly account: AccountContext },
  projectId: string,
) => ResolvedProject | undefined | Promise<ResolvedProject | undefined>;

/**
 * Finds the project a call works in among those the account is a member of. A project key brings its project from the
 * key's own look-up; an account key costs one statement per project and memory span.
 */
export function createProjectResolver(parts: {
  readonly projects: ProjectsService;
  readonly changes: AccessChanges;
  readonly now?: () => number;
}): ResolveProject {
  const { projects, changes, now = monotonicMs } = parts;
  const memberships = new ShortCache<ProjectFacts>({ ttlMs: MEMORY_MS, max: MAX_MEMBERSHIPS, now });
  changes.onChange(() => memberships.clear());

  return ({ account }, projectId) => {
    const own = account.credential.project;
    if (own !== undefined) return own.id === projectId ? resolved(account, own) : undefined;
    const key = `${account.accountId} ${projectId}`;
    // Somebody else's program holds an OAuth token: a lost membership must stop it at once, on every process.
    const mayRemember = account.credential.kind !== 'oauth';
    const remembered = mayRemember ? memberships.peek(key) : undefined;
    if (remembered !== undefined) return resolved(account, remembered);
    const find = async (): Promise<ProjectFacts | undefined> => {
      const project = await projects.findAccessible({ accountId: account.accountId }, projectId);
      return project && { id: project.id, name: project.name, slug: project.slug };
    };
    const found = mayRemember ? memberships.load(key, find, () => true) : find();
    return found.then((project) => project && resolved(account, project));
  };
}

function resolved(account: AccountContext, project: ProjectFacts): ResolvedProject {
  return { id: project.id, context: { account, project } };
}
