import type { AccountContext } from '../context/account-context.ts';
import { CallerAccount } from '../context/caller-account.ts';
import {
  claimsToBeAccessToken,
  compileIpRanges,
  looksLikeSecret,
  refuseKey,
  UNKNOWN_KEY,
} from '../domain/identity/index.ts';
import type {
  AccessChanges,
  ApiKeyRecord,
  ApiKeysService,
  IpTest,
  KeyRefusal,
  KeyUsage,
} from '../domain/identity/index.ts';
import type { InboundCall } from '../http/inbound.ts';
import { monotonicMs, type Clock } from '../kernel/clock.ts';
import { API_KEY_CHALLENGE } from './challenge.ts';
import { ShortCache } from './short-cache.ts';

/**
 * How long a key that was good may still be taken from memory. A revoked key, a deactivated account or a lost
 * membership therefore works for at most this long in other processes; in the process that changed it, not at all.
 */
const MEMORY_MS = 2_000;
const MAX_KEYS = 10_000;

export interface AuthenticatorParts {
  readonly apiKeys: ApiKeysService;
  readonly changes: AccessChanges;
  readonly keyUsage: KeyUsage;
  readonly clock: Clock;
  readonly now?: () => number;
}

export interface AuthenticatedCaller {
  readonly account: AccountContext;
  readonly subject: string;
  readonly credentialId: string;
  readonly permissions: { readonly read: boolean; readonly write: boolean };
  readonly projectId?: string;
  /** What to answer to an operation that needs this permission and lacks it, when more can be granted. */
  readonly stepUp?: (permission: 'read' | 'write') => AuthenticationDenial;
}

export interface AuthenticationDenial {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
  readonly challenge?: string;
  /** Whose credential it was, when it is known though refused. */
  readonly about?: { readonly subject: string; readonly credentialId: string };
}

export type AuthenticationResult =
  { readonly principal: AuthenticatedCaller } | { readonly denial: AuthenticationDenial };

export type Authenticate = (call: InboundCall) => AuthenticationResult | Promise<AuthenticationResult>;

interface KnownKey {
  readonly record: ApiKeyRecord;
  readonly credential: AccountContext['credential'];
  readonly isAllowedFrom: IpTest;
}

/** Turns the credential of a request into a caller: from memory when it was good a moment ago, else by one statement. */
export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { apiKeys, changes, keyUsage, clock, now = monotonicMs } = parts;
  const known = new ShortCache<KnownKey>({ ttlMs: MEMORY_MS, max: MAX_KEYS, now });
  changes.onChange(() => known.clear());

  const isGood = ({ record }: KnownKey) => refuseKey(record, true, clock.now()) === undefined;
  const find = async (hash: string): Promise<KnownKey | undefined> => {
    const record = await apiKeys.findByHash(hash);
    return (
      record && { record, credential: credentialOf(record), isAllowedFrom: compileIpRanges(record.key.allowedIps) }
    );
  };
  const decide = (key: KnownKey | undefined, call: InboundCall): AuthenticationResult => {
    if (key === undefined) return deny(UNKNOWN_KEY);
    const at = clock.now();
    const refusal = refuseKey(key.record, key.isAllowedFrom(call.clientIp), at);
    if (refusal !== undefined) return deny(refusal, key.record.key);
    keyUsage.touch(key.record.key.id, at);
    return { principal: toCaller(key, call) };
  };

  return (call) => {
    const { credential } = call;
    if (credential === undefined) return MISSING;
    if (!looksLikeSecret(credential.token))
      return claimsToBeAccessToken(credential.token) ? OAUTH_TOKEN : deny(UNKNOWN_KEY);
    const remembered = known.peek(credential.sha256);
    if (remembered !== undefined) return decide(remembered, call);
    return known.load(credential.sha256, () => find(credential.sha256), isGood).then((key) => decide(key, call));
  };
}

const MISSING: AuthenticationResult = {
  denial: {
    status: 401,
    code: 'authentication_required',
    message: 'This endpoint needs an API key. Send it in the X-Api-Key header or as Authorization: Bearer.',
    challenge: API_KEY_CHALLENGE,
  },
};

/** Tokens are for agents; what people and programs administer with takes none. */
const OAUTH_TOKEN: AuthenticationResult = {
  denial: {
    status: 401,
    code: 'authentication_failed',
    message: 'OAuth access tokens work at the MCP endpoint only. Send an API key in the X-Api-Key header.',
    challenge: API_KEY_CHALLENGE,
  },
};

function deny({ about, code, message }: KeyRefusal, key?: ApiKeyRecord['key']): AuthenticationResult {
  const known = key && { about: { subject: key.accountId, credentialId: key.id } };
  return about === 'credential'
    ? { denial: { status: 401, code, message, challenge: API_KEY_CHALLENGE, ...known } }
    : { denial: { status: 403, code, message, ...known } };
}

function credentialOf({ key, project }: ApiKeyRecord): AccountContext['credential'] {
  return { kind: 'api_key', id: key.id, ...(project !== undefined && { projectId: project.id, project }) };
}

function toCaller({ record, credential }: KnownKey, call: InboundCall): AuthenticatedCaller {
  const { id: credentialId, accountId: subject, permissions } = record.key;
  const account = new CallerAccount(call, { accountId: subject, credential, permissions });
  const { projectId } = credential;
  return projectId === undefined
    ? { account, subject, credentialId, permissions }
    : { account, subject, credentialId, permissions, projectId };
}
