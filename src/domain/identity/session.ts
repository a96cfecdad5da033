import type { Account } from './account.ts';

/** One browser in which a person is signed in. The secret in its cookie is never stored. */
export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly clientIp: string;
  /** As the browser names itself; free of control characters and bounded. */
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** A session as a request proves it, with the account it speaks for. */
export interface SignedIn {
  readonly session: Session;
  readonly account: Account;
}

export type PasswordLinkPurpose = 'first_run' | 'invitation' | 'reset';

export interface PasswordLink {
  readonly account: Account;
  readonly purpose: PasswordLinkPurpose;
  readonly expiresAt: Date;
}

const USER_AGENT_MAX = 200;

export function plainUserAgent(text: string | undefined): string {
  const plain = (text ?? '').replace(/[\p{C}]/gu, '').slice(0, USER_AGENT_MAX);
  return plain === '' ? 'unknown browser' : plain;
}
