import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type {
  AccountsService,
  AgentCallsService,
  ConnectionsService,
  SessionsService,
} from '../domain/identity/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import { AppError } from '../kernel/errors.ts';
import { presentAgentCall, presentConnection, presentPermissions, presentSession } from '../presenters/identity.ts';
import { readerOf, requireWholeAccount } from './caller.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface AccountEndpointsParts {
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly connections: ConnectionsService;
  readonly audit: AgentCallsService;
  readonly projects: ProjectsService;
}

type AccountEndpoint =
  | 'get_account'
  | 'get_browser_sessions'
  | 'end_browser_session'
  | 'get_connections'
  | 'revoke_connection'
  | 'get_agent_calls';

const PAGE = 100;

/** Who the caller is, and what acts for this person: browsers, connected agents, and what agents did. */
export function accountEndpoints(
  parts: AccountEndpointsParts,
): Pick<EndpointHandlers<EndpointContexts>, AccountEndpoint> {
  const { accounts, sessions, connections, audit, projects } = parts;
  return {
    async get_account(_request, { account: { accountId, credential, permissions }, csrfToken }) {
      const account = await accounts.get(accountId);
      return {
        id: account.id,
        email: account.email,
        has_password: account.hasPassword,
        created_at: account.createdAt.toISOString(),
        credential: {
          kind: credential.kind === 'session' ? 'session' : 'api_key',
          id: credential.id,
          project_id: credential.projectId ?? null,
        },
        permissions: presentPermissions(permissions),
        csrf_token: csrfToken ?? null,
      };
    },
    async get_browser_sessions(_request, { account }) {
      const alive = await sessions.list(account.accountId);
      return { sessions: alive.map((session) => presentSession(session, account.credential.id)) };
    },
    async end_browser_session({ parameters }, { account }) {
      if (await sessions.revoke(account.accountId, parameters.session_id)) return;
      throw new AppError('resource_not_found', 'There is no such session among those of this account.');
    },
    async get_connections(_request, { account }) {
      requireWholeAccount(account);
      return { connections: (await connections.list(account.accountId)).map(presentConnection) };
    },
    async revoke_connection({ parameters }, { account }) {
      requireWholeAccount(account);
      await connections.revoke(account.accountId, parameters.connection_id);
    },
    async get_agent_calls({ parameters: { project_id: named, name, outcome, cursor } }, { account }) {
      const projectId = named ?? account.credential.projectId;
      const whose =
        projectId === undefined
          ? { accountId: account.accountId }
          : { projectId: (await projects.getAccessible(readerOf(account), projectId)).id };
      const filter = { ...whose, ...(name !== undefined && { name }), ...(outcome !== undefined && { outcome }) };
      const { calls, nextCursor } = await audit.list(filter, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
      return { calls: calls.map(presentAgentCall), next_cursor: nextCursor ?? null };
    },
  };
}
