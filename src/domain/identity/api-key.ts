import { AppError } from '../../kernel/errors.ts';
import { isIpRange } from './ip-ranges.ts';

/** A credential of one account: for all its projects, or for one. The secret itself is never stored. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  /** Present on a project key, which works in this project only. */
  readonly projectId?: string;
  readonly name: string;
  /** First characters of the secret, to tell keys apart in a list. */
  readonly prefix: string;
  readonly permissions: KeyPermissions;
  /** Addresses or CIDR ranges; empty admits every address. */
  readonly allowedIps: readonly string[];
  readonly expiresAt?: Date;
  readonly lastUsedAt?: Date;
  readonly revokedAt?: Date;
  readonly createdAt: Date;
}

export interface KeyPermissions {
  readonly read: boolean;
  readonly write: boolean;
}

/** A project as access checks see it. */
export interface GrantedProject {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

/** Everything one lookup knows about a presented key: what `refuseKey` decides on. */
export interface ApiKeyRecord {
  readonly key: ApiKey;
  readonly accountActive: boolean;
  /** Of a project key: its project, when that is active and the account is still a member. */
  readonly project?: GrantedProject;
}

export interface NewApiKey {
  readonly accountId: string;
  readonly projectId?: string;
  readonly name: string;
  readonly permissions: KeyPermissions;
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: Date;
  /** Id of the key it is made with, whose limits it then has. */
  readonly madeWith?: string;
}

const MAX_ALLOWED_IPS = 64;

export function checkNewKey(input: NewApiKey, now: Date): void {
  const name = input.name.trim();
  if (name.length === 0 || name.length > 120 || /\p{Cc}/u.test(name)) {
    throw invalid('name', 'The name of a key has 1 to 120 characters and no control characters.');
  }
  if (!input.permissions.read && !input.permissions.write) {
    throw invalid('permissions', 'A key needs the read permission, the write permission, or both.');
  }
  if (input.expiresAt !== undefined && input.expiresAt.getTime() <= now.getTime()) {
    throw invalid('expires_at', 'The expiry of a key must lie in the future.');
  }
  const ranges = input.allowedIps ?? [];
  if (ranges.length > MAX_ALLOWED_IPS)
    throw invalid('allowed_ips', `A key has at most ${MAX_ALLOWED_IPS} address ranges.`);
  if (!ranges.every(isIpRange)) {
    throw invalid('allowed_ips', 'Every allowed address must be an IP address or a CIDR range such as 10.0.0.0/8.');
  }
}

/** Why a key is refused. `credential` can be mended by another credential, `address` and `project` cannot. */
export interface KeyRefusal {
  readonly about: 'credential' | 'address' | 'project';
  readonly code: 'authentication_failed' | 'project_required';
  readonly message: string;
}

export const UNKNOWN_KEY: KeyRefusal = credential('This API key is not known here. Check that it is complete.');

/**
 * Why a stored key may not be used from this address now, or nothing. The order is fixed: a caller learns about the
 * key before anything about projects.
 */
export function refuseKey(record: ApiKeyRecord, isAddressAllowed: boolean, now: Date): KeyRefusal | undefined {
  const { key } = record;
  if (key.revokedAt !== undefined) return credential('This API key has been revoked. Use another key.');
  if (isExpired(key, now)) return credential('This API key has expired. Create a new one.');
  if (!record.accountActive) return credential('The account of this API key is not active.');
  if (!isAddressAllowed) {
    const message = 'This API key may not be used from this network address.';
    return { about: 'address', code: 'authentication_failed', message };
  }
  if (key.projectId !== undefined && record.project === undefined) {
    const message = 'The project of this API key is no longer available to its account.';
    return { about: 'project', code: 'project_required', message };
  }
  return undefined;
}

function isExpired(key: Pick<ApiKey, 'expiresAt'>, now: Date): boolean {
  return key.expiresAt !== undefined && key.expiresAt.getTime() <= now.getTime();
}

function credential(message: string): KeyRefusal {
  return { about: 'credential', code: 'authentication_failed', message };
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } });
}
