import { generateKeyPairSync } from 'node:crypto';
import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/duration.ts';
import { newId } from '../../kernel/ids.ts';
import { decrypt, encrypt, randomToken } from '../../kernel/secrets.ts';
import { OAuthKeyRepository, type OAuthKeyPurpose, type SealedKey } from './oauth-key-repository.ts';

/** Longer than anything lives that a retired key has signed: interactions take minutes, tokens an hour. */
const RETIRED_KEPT_MS = DAY_MS;
const PURPOSES: readonly OAuthKeyPurpose[] = ['signing', 'cookies'];

export interface OAuthKeys {
  /** Changes with every rotation. */
  readonly version: string;
  /** Private ES256 keys in JWK form, the one in use first. */
  readonly signing: readonly Readonly<Record<string, unknown>>[];
  /** Secrets that sign cookies, the one in use first. */
  readonly cookies: readonly string[];
}

/**
 * The keys of the authorization server: made when first asked for, stored encrypted under the installation's secret,
 * the same for every process. Rotation keeps the last ones for a day, so that sign-ins under way end well.
 */
export class OAuthKeysService {
  readonly #db: Db;
  readonly #keys: OAuthKeyRepository;
  readonly #clock: Clock;
  readonly #sealingKey: Uint8Array;

  constructor(parts: { readonly db: Db; readonly clock: Clock; readonly sealingKey: Uint8Array }) {
    this.#db = parts.db;
    this.#keys = new OAuthKeyRepository(parts.db);
    this.#clock = parts.clock;
    this.#sealingKey = parts.sealingKey;
  }

  async getOrCreate(): Promise<OAuthKeys> {
    const stored = await this.#keys.list();
    const missing = PURPOSES.filter((purpose) => stored.every((key) => key.purpose !== purpose));
    if (missing.length === 0) return this.#open(stored);
    for (const purpose of missing) await this.#keys.insertIfNone(this.#make(purpose));
    return this.#open(await this.#keys.list());
  }

  /** Running processes take the new keys up within a minute. */
  async rotate(): Promise<void> {
    const now = this.#clock.now();
    await this.#db.transaction(async (tx) => {
      const keys = this.#keys.in(tx);
      for (const purpose of PURPOSES) {
        await keys.retire(purpose, now);
        await keys.insertIfNone(this.#make(purpose));
      }
      await keys.removeRetiredBefore(new Date(now.getTime() - RETIRED_KEPT_MS));
    });
  }

  #make(purpose: OAuthKeyPurpose): SealedKey {
    const id = newId();
    const secret = purpose === 'cookies' ? randomToken() : JSON.stringify(newSigningKey(id));
    return { id, purpose, sealed: encrypt(this.#sealingKey, secret, id), createdAt: this.#clock.now() };
  }

  #open(stored: readonly SealedKey[]): OAuthKeys {
    const open = (purpose: OAuthKeyPurpose): string[] =>
      stored.filter((key) => key.purpose === purpose).map((key) => decrypt(this.#sealingKey, key.sealed, key.id));
    return {
      version: stored.map(({ id }) => id).join(' '),
      signing: open('signing').map((text) => JSON.parse(text)),
      cookies: open('cookies'),
    };
  }
}

function newSigningKey(kid: string): Readonly<Record<string, unknown>> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
}
