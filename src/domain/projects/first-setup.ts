import type { Db } from '../../db/database.ts';
import type { Account, AccountsService, ApiKey, ApiKeysService } from '../identity/index.ts';
import type { Project } from './project.ts';
import type { ProjectsService } from './projects-service.ts';

export interface FirstSetupParts {
  readonly db: Db;
  readonly accounts: AccountsService;
  readonly apiKeys: ApiKeysService;
  readonly projects: ProjectsService;
}

export interface FirstThings {
  readonly account: Account;
  readonly project: Project;
  readonly key: ApiKey;
  readonly secret: string;
}

/**
 * Makes the first account, project and project key of an installation that has none, once, however many processes
 * start on it. `keep` stores the secret where the operator finds it and runs before the commit: a crash in between
 * leaves a note about a key that does not exist, which the next start overwrites, never a key that nobody has.
 */
export async function setUpFirst(
  parts: FirstSetupParts,
  input: {
    readonly email: string;
    readonly projectName: string;
    readonly keep: (things: FirstThings) => Promise<void>;
  },
): Promise<FirstThings | undefined> {
  return parts.db.transaction(async (tx) => {
    if (!(await parts.accounts.in(tx).lockWhileEmpty())) return undefined;
    const account = await parts.accounts.in(tx).create({ email: input.email });
    const project = await parts.projects.in(tx).create({ accountId: account.id, name: input.projectName });
    const { key, secret } = await parts.apiKeys.in(tx).create({
      accountId: account.id,
      projectId: project.id,
      name: 'First key',
      permissions: { read: true, write: true },
    });
    const things = { account, project, key, secret };
    await input.keep(things);
    return things;
  });
}
