import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SECOND_MS } from '../../kernel/duration.ts';
import { newId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/secrets.ts';
import { OAuthGrantRepository } from './oauth-grant-repository.ts';
import type {
  NewOAuthGrant,
  OAuthAccess,
  OAuthGrant,
  OAuthOwner,
  RevocationCause,
  StoredToken,
} from './oauth-grant.ts';
import { TokenSuccession } from './oauth-secrets.ts';
import { OAuthTokenRepository } from './oauth-token-repository.ts';

export const ACCESS_TOKEN_SECONDS = 3_600;
/** A grace of seconds sees one or two rotations; more than this many is a client in a loop. */
const LONGEST_SUCCESSION = 100;
/** A connection in constant use costs one small update a minute. */
const NOTE_USE_EVERY_MS = 60 * SECOND_MS;

export interface OAuthTokensServiceParts {
  readonly db: Db;
  readonly clock: Clock;
  /** 32 bytes, the same in every process of the installation. */
  readonly successionKey: Uint8Array;
  /** How long after its rotation a refresh token may come again; 0 is strict. */
  readonly graceSeconds: number;
  readonly onError: (error: unknown) => void;
}

export interface RefreshRequest {
  readonly token: string;
  readonly clientId: string;
  /** Absent: all the grant has. */
  readonly scopes?: readonly string[];
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly string[];
}

export type RefreshAnswer =
  | { readonly tokens: IssuedTokens }
  /** `reused` has just ended the whole family. The owner is there when the token was one of ours. */
  | { readonly refused: 'unknown' | 'scope' | 'reused'; readonly owner?: OAuthOwner };

/** Grants and their tokens: made, checked on every request, rotated, ended. */
export class OAuthTokensService {
  readonly #parts: OAuthTokensServiceParts;
  readonly #grants: OAuthGrantRepository;
  readonly #tokens: OAuthTokenRepository;
  readonly #succession: TokenSuccession;
  /** Rotations under way in this process, by what was asked. */
  readonly #underWay = new Map<string, Promise<RefreshAnswer>>();

  constructor(parts: OAuthTokensServiceParts) {
    this.#parts = parts;
    this.#grants = new OAuthGrantRepository(parts.db);
    this.#tokens = new OAuthTokenRepository(parts.db);
    this.#succession = new TokenSuccession(parts.successionKey);
  }

  async grant(input: NewOAuthGrant): Promise<OAuthGrant> {
    const grant = { ...input, id: newId(), createdAt: this.#parts.clock.now() };
    await this.#grants.insert(grant);
    return grant;
  }

  async findGrant(grantId: string): Promise<OAuthGrant | undefined> {
    return this.#grants.findAlive(grantId);
  }

  async revokeGrant(grantId: string, because: RevocationCause): Promise<boolean> {
    return this.#grants.revoke(grantId, { because, at: this.#parts.clock.now() });
  }

  /** Asked on every request and never from memory: a revoked grant is refused by the next one. Notes the use. */
  async findAccess(sha256OfToken: string): Promise<OAuthAccess | undefined> {
    const now = this.#parts.clock.now();
    const access = await this.#tokens.findAccess(sha256OfToken, now);
    if (access !== undefined) this.#noteUse(access, now);
    return access;
  }

  /**
   * Trades a refresh token for its successors, in one transaction under that token's row lock. A token that comes
   * again within the grace gets the newest successors and changes nothing; one that comes later has been stolen or
   * restored from a copy, and nobody can tell which side is the thief, so the family ends.
   */
  async refresh(request: RefreshRequest): Promise<RefreshAnswer> {
    const answer = await this.#rotateOnce(request);
    if ('tokens' in answer) return answer;
    const owner = await this.findOwner(sha256(request.token));
    return { ...answer, ...(owner && { owner }) };
  }

  /** Whose token this is or was; for the audit of refusals. */
  async findOwner(sha256OfToken: string): Promise<OAuthOwner | undefined> {
    return this.#tokens.findOwner(sha256OfToken);
  }

  /** Within a grace all who ask the same at once get the same answer, so one of them asks for all and nobody queues for the row. */
  #rotateOnce(request: RefreshRequest): Promise<RefreshAnswer> {
    if (this.#parts.graceSeconds === 0) return this.#rotate(request);
    const asked = JSON.stringify([sha256(request.token), request.clientId, request.scopes]);
    const before = this.#underWay.get(asked);
    if (before !== undefined) return before;
    const rotation = this.#rotate(request).finally(() => this.#underWay.delete(asked));
    this.#underWay.set(asked, rotation);
    return rotation;
  }

  #rotate(request: RefreshRequest): Promise<RefreshAnswer> {
    return this.#parts.db.transaction(async (tx) => {
      const tokens = this.#tokens.in(tx);
      const grants = this.#grants.in(tx);
      const now = this.#parts.clock.now();
      const presented = await tokens.lockRefresh(sha256(request.token));
      if (presented === undefined || presented.clientId !== request.clientId) return { refused: 'unknown' };
      if ((await grants.findAlive(presented.grantId)) === undefined) return { refused: 'unknown' };
      if (presented.consumedAt !== undefined && !this.#isWithinGrace(presented.consumedAt, now)) {
        await grants.revoke(presented.grantId, { because: 'reuse', at: now });
        return { refused: 'reused' };
      }
      const scopes = request.scopes ?? presented.scopes;
      if (scopes.length === 0 || !scopes.every((scope) => presented.scopes.includes(scope)))
        return { refused: 'scope' };
      const last = await this.#newest(tokens, request.token, presented);
      return { tokens: await this.#succeed(tokens, { ...last, scopes, now }) };
    });
  }

  /** The newest rotated token of the succession that starts here, or the token itself when it was not rotated yet. */
  async #newest(tokens: OAuthTokenRepository, token: string, row: StoredToken): Promise<Predecessor> {
    let last = { token, row };
    for (let count = 0; last.row.consumedAt !== undefined && count < LONGEST_SUCCESSION; count += 1) {
      const next = this.#succession.refreshAfter(last.token);
      const nextRow = await tokens.lockRefresh(sha256(next));
      if (nextRow?.consumedAt === undefined) break;
      last = { token: next, row: nextRow };
    }
    return last;
  }

  /** Puts the successors in and marks the token rotated; repeating it finds them there and changes nothing. */
  async #succeed(tokens: OAuthTokenRepository, from: Succession): Promise<IssuedTokens> {
    const { token, row, now } = from;
    const scopes = row.scopes.filter((scope) => from.scopes.includes(scope));
    const refreshToken = this.#succession.refreshAfter(token);
    const accessToken = this.#succession.accessAfter(token, scopes);
    const rotatedAt = row.consumedAt ?? now;
    const expiresAt = new Date(rotatedAt.getTime() + ACCESS_TOKEN_SECONDS * SECOND_MS);
    const family = { grantId: row.grantId, clientId: row.clientId, payload: {}, createdAt: now };
    await tokens.consume('refresh', row.hash, now);
    await tokens.insertOnce({ ...family, hash: sha256(refreshToken), kind: 'refresh', scopes: row.scopes });
    await tokens.insertOnce({ ...family, hash: sha256(accessToken), kind: 'access', scopes, expiresAt });
    const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / SECOND_MS));
    return { accessToken, refreshToken, expiresInSeconds, scopes };
  }

  #isWithinGrace(consumedAt: Date, now: Date): boolean {
    const elapsedMs = now.getTime() - consumedAt.getTime();
    return this.#parts.graceSeconds > 0 && elapsedMs <= this.#parts.graceSeconds * SECOND_MS;
  }

  #noteUse({ grantId, lastUsedAt }: OAuthAccess, now: Date): void {
    if (lastUsedAt !== undefined && now.getTime() - lastUsedAt.getTime() < NOTE_USE_EVERY_MS) return;
    this.#grants.touch(grantId, now).catch(this.#parts.onError);
  }
}

interface Predecessor {
  readonly token: string;
  readonly row: StoredToken;
}

interface Succession extends Predecessor {
  readonly scopes: readonly string[];
  readonly now: Date;
}
