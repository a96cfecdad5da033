import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { AccessChanges } from './access-changes.ts';
import { OAuthGrantRepository } from './oauth-grant-repository.ts';
import type { OAuthGrant } from './oauth-grant.ts';

/** What a person sees of one connected client. */
export type Connection = Omit<OAuthGrant, 'accountId' | 'resource'>;

/** A person has few clients; one bounded page is the whole list in practice. */
const MAX_LISTED = 500;

/** The clients a person has let in, and the way to put them out. */
export class ConnectionsService {
  readonly #grants: OAuthGrantRepository;
  readonly #clock: Clock;
  readonly #changes: AccessChanges;

  constructor(parts: { readonly db: Db; readonly clock: Clock; readonly changes: AccessChanges }) {
    this.#grants = new OAuthGrantRepository(parts.db);
    this.#clock = parts.clock;
    this.#changes = parts.changes;
  }

  /** Newest first. A client that was let in twice, from two devices say, is there twice. */
  async list(accountId: string): Promise<readonly Connection[]> {
    const grants = await this.#grants.listAlive(accountId, MAX_LISTED);
    return grants.map(({ accountId: _owner, resource: _resource, ...connection }) => connection);
  }

  /** Ends the grant with all its tokens; the next request with any of them is refused. */
  async revoke(accountId: string, connectionId: string): Promise<void> {
    const at = this.#clock.now();
    if (!(await this.#grants.revoke(connectionId, { because: 'person', at, accountId }))) {
      throw new AppError('resource_not_found', 'There is no connection with this id.');
    }
    this.#changes.notify();
  }
}
