import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { AccountContext } from '../context/account-context.ts';
import type { Invitations, ProjectPosition, ProjectsService } from '../domain/projects/index.ts';
import type { PageCursors } from '../kernel/page-cursor.ts';
import { presentMember } from '../presenters/identity.ts';
import { presentProjectSummary } from '../presenters/projects.ts';
import { readerOf, requireWholeAccount } from './caller.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface ProjectEndpointsParts {
  readonly projects: ProjectsService;
  readonly invitations: Invitations;
  readonly cursors: PageCursors;
  readonly frontendUrl: string;
  /** Where the person who got this token sets a password. */
  readonly passwordLinkUrl: (token: string) => string;
}

type ProjectEndpoint =
  | 'get_projects'
  | 'create_project'
  | 'rename_project'
  | 'deactivate_project'
  | 'get_members'
  | 'add_member'
  | 'remove_member';

const PAGE = 100;

/** Projects and who may use them. Whatever the caller cannot reach is not there, in the words of absent. */
export function projectEndpoints(
  parts: ProjectEndpointsParts,
): Pick<EndpointHandlers<EndpointContexts>, ProjectEndpoint> {
  const { projects, invitations, cursors, frontendUrl, passwordLinkUrl } = parts;
  const mine = async (account: AccountContext, projectId: string): Promise<string> => {
    requireWholeAccount(account);
    return (await projects.getAccessible(readerOf(account), projectId)).id;
  };
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
    async rename_project({ parameters, body }, { account }) {
      const renamed = await projects.rename(await mine(account, parameters.project_id), body.name);
      return presentProjectSummary(renamed, frontendUrl);
    },
    async deactivate_project({ parameters }, { account }) {
      await projects.setActive(await mine(account, parameters.project_id), false);
    },
    async get_members({ parameters }, { account }) {
      const project = await projects.getAccessible(readerOf(account), parameters.project_id);
      return { members: (await projects.members(project.id)).map(presentMember) };
    },
    async add_member({ parameters, body }, { account }) {
      const { member, link } = await invitations.invite(await mine(account, parameters.project_id), body.email);
      return {
        member: presentMember(member),
        invitation:
          link === undefined ? null : { url: passwordLinkUrl(link.token), expires_at: link.expiresAt.toISOString() },
      };
    },
    async remove_member({ parameters }, { account }) {
      const projectId = await mine(account, parameters.project_id);
      await projects.getMember(projectId, parameters.account_id);
      await projects.removeMemberUnlessLast(projectId, parameters.account_id);
    },
  };
}
