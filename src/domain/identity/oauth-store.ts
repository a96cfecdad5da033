import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS, SECOND_MS } from '../../kernel/duration.ts';
import { sha256 } from '../../kernel/secrets.ts';
import type { OAuthTokenKind, StoredToken } from './oauth-grant.ts';
import { OAuthRecordRepository, type OAuthPayload } from './oauth-record-repository.ts';
import { OAuthTokenRepository } from './oauth-token-repository.ts';

const SWEEP_EVERY_MS = 600 * SECOND_MS;
/** Longer than any clock is off, so that what is swept is over everywhere. */
const TOKENS_KEPT_MS = DAY_MS;
/** Rotated tokens and ended grants stay this long: reuse of an older copy is answered as unknown. */
const HISTORY_KEPT_MS = 30 * DAY_MS;

/**
 * Where the authorization server keeps its things. Values of codes and tokens, and the ids of cookies, come in and are
 * hashed here; nothing below this class and nothing in the database has seen them.
 */
export class OAuthStore {
  readonly #records: OAuthRecordRepository;
  readonly #tokens: OAuthTokenRepository;
  readonly #clock: Clock;
  #sweepAfterMs = 0;

  constructor(parts: { readonly db: Db; readonly clock: Clock }) {
    this.#records = new OAuthRecordRepository(parts.db);
    this.#tokens = new OAuthTokenRepository(parts.db);
    this.#clock = parts.clock;
  }

  saveClient(id: string, metadata: OAuthPayload): Promise<void> {
    return this.#records.saveClient(id, metadata, this.#clock.now());
  }

  findClient(id: string): Promise<OAuthPayload | undefined> {
    return this.#records.findClient(id);
  }

  removeClient(id: string): Promise<void> {
    return this.#records.removeClient(id);
  }

  saveRecord(record: {
    readonly model: string;
    readonly id: string;
    readonly uid: string | undefined;
    readonly payload: OAuthPayload;
    readonly ttlSeconds: number;
  }): Promise<void> {
    const { model, id, uid, payload, ttlSeconds } = record;
    return this.#records.save({ model, key: sha256(id), uid, payload, expiresAt: this.#after(ttlSeconds) });
  }

  findRecord(model: string, id: string): Promise<OAuthPayload | undefined> {
    return this.#records.find(model, sha256(id), this.#clock.now());
  }

  findRecordByUid(model: string, uid: string): Promise<OAuthPayload | undefined> {
    return this.#records.findByUid(model, uid, this.#clock.now());
  }

  removeRecord(model: string, id: string): Promise<void> {
    return this.#records.remove(model, sha256(id));
  }

  saveToken(token: {
    readonly kind: OAuthTokenKind;
    readonly value: string;
    readonly grantId: string;
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly payload: OAuthPayload;
    readonly ttlSeconds?: number;
  }): Promise<void> {
    const { value, ttlSeconds, ...stored } = token;
    return this.#tokens.insertOnce({
      ...stored,
      hash: sha256(value),
      createdAt: this.#clock.now(),
      ...(ttlSeconds !== undefined && { expiresAt: this.#after(ttlSeconds) }),
    });
  }

  findToken(kind: OAuthTokenKind, value: string): Promise<StoredToken | undefined> {
    return this.#tokens.findAlive(kind, sha256(value), this.#clock.now());
  }

  consumeToken(kind: OAuthTokenKind, value: string): Promise<boolean> {
    return this.#tokens.consume(kind, sha256(value), this.#clock.now());
  }

  removeToken(kind: OAuthTokenKind, value: string): Promise<void> {
    return this.#tokens.remove(kind, sha256(value));
  }

  /** Removes what is over, at most every ten minutes per process; safe in any number of processes. */
  async sweepWhenDue(): Promise<void> {
    const nowMs = this.#clock.now().getTime();
    if (nowMs < this.#sweepAfterMs) return;
    this.#sweepAfterMs = nowMs + SWEEP_EVERY_MS;
    await this.#records.sweep({
      now: new Date(nowMs),
      token: new Date(nowMs - TOKENS_KEPT_MS),
      client: new Date(nowMs - HISTORY_KEPT_MS),
    });
  }

  #after(seconds: number): Date {
    return new Date(this.#clock.now().getTime() + seconds * SECOND_MS);
  }
}
