import type { Db, Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { AccessChanges } from './access-changes.ts';
import { ApiKeyRepository } from './api-key-repository.ts';
import type { ApiKeyFilter } from './api-key-repository.ts';
import { newSecret } from './api-key-secret.ts';
import { checkNewKey } from './api-key.ts';
import type { ApiKey, ApiKeyRecord, NewApiKey } from './api-key.ts';

export interface ApiKeysServiceParts {
  readonly db: Db | Tx;
  readonly clock: Clock;
  readonly changes: AccessChanges;
}

/** API keys: made, listed, found by their secret, revoked. */
export class ApiKeysService {
  readonly #parts: ApiKeysServiceParts;
  readonly #keys: ApiKeyRepository;

  constructor(parts: ApiKeysServiceParts) {
    this.#parts = parts;
    this.#keys = new ApiKeyRepository(parts.db);
  }

  /** The same use cases inside a transaction the caller owns. */
  in(tx: Tx): ApiKeysService {
    return new ApiKeysService({ ...this.#parts, db: tx });
  }

  /** The secret is in this answer and nowhere else, ever again. */
  async create(wanted: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }> {
    const now = this.#parts.clock.now();
    checkNewKey(wanted, now);
    const input = wanted.madeWith === undefined ? wanted : await this.#within(wanted, wanted.madeWith);
    const { secret, hash, prefix } = newSecret();
    const key = await this.#keys.insertForMember(
      {
        id: newId(),
        accountId: input.accountId,
        ...(input.projectId !== undefined && { projectId: input.projectId }),
        name: input.name.trim(),
        prefix,
        permissions: input.permissions,
        allowedIps: (input.allowedIps ?? []).map((range) => range.trim()),
        ...(input.expiresAt !== undefined && { expiresAt: input.expiresAt }),
        createdAt: now,
      },
      hash,
    );
    if (key === undefined) {
      throw new AppError('resource_not_found', 'There is no such project among the projects of this account.');
    }
    return { key, secret };
  }

  /** A key that a key makes outlives it not and works from nowhere else: a limit must not be shed by making another. */
  async #within(wanted: NewApiKey, makerId: string): Promise<NewApiKey> {
    const [maker] = await this.#keys.findByIdOrPrefix(makerId);
    if (maker === undefined) throw new AppError('resource_not_found', 'The key that was sent is not there any more.');
    const ends = [wanted.expiresAt, maker.expiresAt].flatMap((moment) => moment?.getTime() ?? []);
    return {
      ...wanted,
      ...(maker.allowedIps.length > 0 && { allowedIps: maker.allowedIps }),
      ...(ends.length > 0 && { expiresAt: new Date(Math.min(...ends)) }),
    };
  }

  async list(filter: ApiKeyFilter = {}): Promise<readonly ApiKey[]> {
    return this.#keys.list(filter, 1_000);
  }

  /** Takes the id or the display prefix. Revoking twice is fine and keeps the first time. */
  async revoke(reference: string): Promise<ApiKey> {
    const [key, another] = await this.#keys.findByIdOrPrefix(reference);
    if (another !== undefined) {
      throw new AppError('invalid_input', 'Several keys have this prefix. Use the id of the key.', {
        fields: { key: 'ambiguous prefix' },
      });
    }
    const revoked = key && (await this.#keys.revoke(key.id, this.#parts.clock.now()));
    if (revoked === undefined) throw new AppError('resource_not_found', 'There is no key with this id or prefix.');
    this.#parts.changes.notify();
    return revoked;
  }

  /** Revokes a key of this person, or of a project they are a member of. Every other id is one answer. */
  async revokeFor(accountId: string, keyId: string): Promise<ApiKey> {
    if (!(await this.#keys.isVisibleTo(accountId, keyId))) {
      throw new AppError('resource_not_found', 'There is no such key among those of this account and its projects.');
    }
    return this.revoke(keyId);
  }

  /** What is known about the key with this hash; whether it may be used is `refuseKey`'s answer. */
  async findByHash(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#keys.findRecordByHash(hash);
  }
}
