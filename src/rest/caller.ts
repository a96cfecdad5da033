import type { AccountContext } from '../context/account-context.ts';
import type { KeyPermissions } from '../domain/identity/index.ts';
import type { ProjectReader } from '../domain/projects/index.ts';
import { AppError } from '../kernel/errors.ts';

/** What the credential sees: all projects of its account, or the one it is limited to. */
export function readerOf({ accountId, credential: { projectId } }: AccountContext): ProjectReader {
  return { accountId, ...(projectId !== undefined && { projectId }) };
}

/** A key that is limited to one project must not reach beyond it by making things, nor decide who else may use it. */
export function requireWholeAccount({ credential }: AccountContext): void {
  if (credential.projectId === undefined) return;
  throw new AppError(
    'permission_denied',
    'This needs a credential for the whole account; the key sent is limited to one project.',
  );
}

/** A credential makes keys of its own rights at most. */
export function grantable(
  { permissions }: Pick<AccountContext, 'permissions'>,
  access: 'read' | 'write' | 'read_write',
): KeyPermissions {
  const wanted = { read: access !== 'write', write: access !== 'read' };
  for (const permission of ['read', 'write'] as const) {
    if (!wanted[permission] || permissions[permission]) continue;
    throw new AppError('permission_denied', `This needs a credential with the ${permission} permission.`, {
      fields: { permission },
    });
  }
  return wanted;
}

/** A key hands its own limits on; a person at the Console has none. */
export function makerOf({ credential }: AccountContext): { readonly madeWith?: string } {
  return credential.kind === 'api_key' ? { madeWith: credential.id } : {};
}
