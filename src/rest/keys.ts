import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { ApiKeysService } from '../domain/identity/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { DAY_MS } from '../kernel/duration.ts';
import { presentKey } from '../presenters/identity.ts';
import { grantable, makerOf, readerOf, requireWholeAccount } from './caller.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface KeyEndpointsParts {
  readonly projects: ProjectsService;
  readonly apiKeys: ApiKeysService;
  readonly clock: Clock;
}

type KeyEndpoint = 'get_keys' | 'create_account_key' | 'create_project_key' | 'revoke_key';

/** API keys: listed, made and ended by whoever answers for them. */
export function keyEndpoints({
  projects,
  apiKeys,
  clock,
}: KeyEndpointsParts): Pick<EndpointHandlers<EndpointContexts>, KeyEndpoint> {
  const expiry = (days: number | undefined) =>
    days === undefined ? {} : { expiresAt: new Date(clock.now().getTime() + days * DAY_MS) };
  return {
    async get_keys({ parameters: { project_id: named } }, { account }) {
      const projectId = named ?? account.credential.projectId;
      if (projectId === undefined) {
        return { keys: (await apiKeys.list({ accountId: account.accountId })).map(presentKey) };
      }
      const project = await projects.getAccessible(readerOf(account), projectId);
      return { keys: (await apiKeys.list({ projectId: project.id })).map(presentKey) };
    },
    async create_account_key({ body }, { account }) {
      requireWholeAccount(account);
      const { key, secret } = await apiKeys.create({
        accountId: account.accountId,
        ...makerOf(account),
        name: body.name,
        permissions: grantable(account, body.access),
        allowedIps: body.allowed_ips,
        ...expiry(body.expires_in_days),
      });
      return { key: presentKey(key), secret };
    },
    async create_project_key({ parameters, body }, { account }) {
      requireWholeAccount(account);
      const permissions = grantable(account, body.access);
      const project = await projects.getAccessible(readerOf(account), parameters.project_id);
      const { key, secret } = await apiKeys.create({
        accountId: account.accountId,
        ...makerOf(account),
        projectId: project.id,
        name: body.name,
        permissions,
        ...expiry(body.expires_in_days),
      });
      return { id: key.id, name: key.name, prefix: key.prefix, project_id: project.id, key: secret };
    },
    async revoke_key({ parameters }, { account }) {
      requireWholeAccount(account);
      return presentKey(await apiKeys.revokeFor(account.accountId, parameters.key_id));
    },
  };
}
