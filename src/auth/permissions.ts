import type { AccountContext } from '../context/account-context.ts';
import { AppError } from '../kernel/errors.ts';

export type Permission = 'read' | 'write';

/** Refuses a caller whose credential does not carry the permission. */
export function requirePermission(account: Pick<AccountContext, 'permissions'>, permission: Permission): void {
  if (account.permissions[permission]) return;
  throw new AppError('permission_denied', `This needs a credential with the ${permission} permission.`, {
    fields: { permission },
  });
}
