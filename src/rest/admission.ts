import type Koa from 'koa';
import type { Authenticate, AuthenticationDenial } from '../auth/authenticate.ts';
import { requirePermission } from '../auth/permissions.ts';
import type { AccountContext } from '../context/account-context.ts';
import type { InboundCall } from '../http/inbound.ts';
import { rateLimited, type RateLimiter } from '../http/rate-limit.ts';
import { Refusal } from '../http/refusal.ts';
import type { EndpointContract } from './endpoint.ts';
import type { SessionAccess, SignedInCaller } from './session-access.ts';

export interface AdmissionParts {
  readonly authenticate: Authenticate;
  /** Absent: nobody signs in here. */
  readonly sessions?: SessionAccess;
  /** Counts refused credentials per address, since each guess looks like a new caller to every other limit. */
  readonly failureLimiter?: RateLimiter;
}

export type Admitted = Pick<SignedInCaller, 'account'> & Partial<SignedInCaller>;

/** Who calls, when the endpoint wants to know. A key that is sent decides; the cookie of a browser is looked at after it. */
export async function admit(
  parts: AdmissionParts,
  contract: EndpointContract,
  { ctx, inbound }: { readonly ctx: Koa.Context; readonly inbound: InboundCall },
): Promise<Admitted | undefined> {
  const { auth, permission } = contract;
  if (auth === 'none' || permission === undefined) return undefined;
  const takesSession = auth === 'session' || (auth === 'account' && !namesCredential(inbound));
  const person = takesSession ? await parts.sessions?.admit(ctx, inbound) : undefined;
  if (person === undefined && auth === 'session') throw SIGN_IN;
  const admitted = person ?? { account: await byKey(parts, inbound) };
  requirePermission(admitted.account, permission);
  return admitted;
}

/** Also a credential of a form nobody knows: it must not be taken for an absent one. */
function namesCredential({ headers }: InboundCall): boolean {
  return headers['x-api-key'] !== undefined || headers.authorization !== undefined;
}

async function byKey({ authenticate, failureLimiter }: AdmissionParts, inbound: InboundCall): Promise<AccountContext> {
  const answer = await authenticate(inbound);
  if ('principal' in answer) return answer.principal.account;
  const decision = await failureLimiter?.consume(`ip ${inbound.clientIp}`);
  throw decision?.allowed === false ? rateLimited(decision.retryAfterSeconds) : refusalOf(answer.denial);
}

function refusalOf({ status, code, message, challenge }: AuthenticationDenial): Refusal {
  const headers = challenge === undefined ? {} : { headers: { 'www-authenticate': challenge } };
  return new Refusal(status, code, message, headers);
}

const SIGN_IN = new Refusal(401, 'authentication_required', 'This is for a person who is signed in at the Console.');
