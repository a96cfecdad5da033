import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { AccountContext } from '../context/account-context.ts';
import type { ApiKeysService } from '../domain/identity/index.ts';
import type { ProjectPosition, ProjectsService } from '../domain/projects/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { DAY_MS } from '../kernel/duration.ts';
import { AppError } from '../kernel/errors.ts';
import type { PageCursors } from '../kernel/page-cursor.ts';
import { presentProjectSummary } from '../presenters/projects.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface ProjectEndpointsParts {
  readonly projects: ProjectsService;
  readonly apiKeys: ApiKeysService;
  readonly cursors: PageCursors;
  readonly clock: Clock;
  readonly frontendUrl: string;
}

const PAGE = 100;

/** What the command line client needs to set a repository up. */
export function projectEndpoints(
  parts: ProjectEndpointsParts,
): Pick<EndpointHandlers<EndpointContexts>, 'get_projects' | 'create_project' | 'create_project_key'> {
  const { projects, apiKeys, cursors, clock, frontendUrl } = parts;
  return {
    async get_projects({ parameters: { cursor } }, { account }) {
      const reader = readerOf(account);
      const query = { list: 'rest_projects', ...reader };
      const [name, id] = cursor === undefined ? [] : cursors.open(query, cursor);
      const after: ProjectPosition | undefined =
        name === undefined ? undefined : { name: String(name), id: String(id) };
      const page = await projects.listAccessible(reader, { limit: PAGE, ...(after && { after }) });
      return {
        projects: page.projects.map((project) => presentProjectSummary(project, frontendUrl)),
        next_cursor: page.next === undefined ? null : cursors.seal(query, [page.next.name, page.next.id]),
      };
    },
    async create_project({ body: { name, slug } }, { account }) {
      requireWholeAccount(account);
      const made = await projects.create({ accountId: account.accountId, name, ...(slug !== undefined && { slug }) });
      return presentProjectSummary(made, frontendUrl);
    },
    async create_project_key({ parameters, body }, { account }) {
      requireWholeAccount(account);
      const write = body.access === 'read_write';
      // A key makes keys of its own rights at most; the permission to write alone got the caller here.
      if (!account.permissions.read) throw lacks('read');
      const { expires_in_days: days } = body;
      const { key, secret } = await apiKeys.create({
        accountId: account.accountId,
        projectId: parameters.project_id,
        name: body.name,
        permissions: { read: true, write },
        ...(days !== undefined && { expiresAt: new Date(clock.now().getTime() + days * DAY_MS) }),
      });
      return { id: key.id, name: key.name, prefix: key.prefix, project_id: parameters.project_id, key: secret };
    },
  };
}

function readerOf({ accountId, credential: { projectId } }: AccountContext) {
  return { accountId, ...(projectId !== undefined && { projectId }) };
}

/** A key that is limited to one project must not reach beyond it by making things. */
function requireWholeAccount({ credential }: AccountContext): void {
  if (credential.projectId === undefined) return;
  throw new AppError(
    'permission_denied',
    'This needs a key for the whole account; the key sent is limited to one project.',
  );
}

function lacks(permission: string): AppError {
  return new AppError('permission_denied', `This needs a key with the ${permission} permission.`, {
    fields: { permission },
  });
}
