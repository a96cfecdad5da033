import type { Tx } from '../../db/database.ts';
import { idOfName } from '../../kernel/ids.ts';
import { SessionRepository, type SessionDraft } from './session-repository.ts';
import type { SpanDraft } from './span.ts';

interface NamingSpan {
  readonly draft: Pick<SpanDraft, 'session'>;
  readonly capabilityId: string | undefined;
}

/** Another process has made a session under another id than the batch gave its spans; the batch is taken again. */
export class SessionMadeElsewhere extends Error {}

/**
 * The sessions that the spans of one batch name. Ids are known before anything is written: spans go in without waiting
 * for another batch that makes the same session, and only the short end of the transaction holds the session's row.
 */
export class BatchSessions {
  readonly #repository: SessionRepository;
  readonly #projectId: string;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #drafts: readonly SessionDraft[];

  private constructor(
    repository: SessionRepository,
    projectId: string,
    ids: ReadonlyMap<string, string>,
    drafts: readonly SessionDraft[],
  ) {
    this.#repository = repository;
    this.#projectId = projectId;
    this.#ids = ids;
    this.#drafts = drafts;
  }

  static async of(tx: Tx, projectId: string, spans: readonly NamingSpan[]): Promise<BatchSessions> {
    const repository = new SessionRepository(tx);
    const wanted = wantedBy(spans);
    if (wanted.size === 0) return new BatchSessions(repository, projectId, new Map(), []);
    const externalIds = [...wanted.keys()].sort();
    const known = await repository.findByExternalIds(projectId, externalIds);
    const ids = new Map(known.map((session) => [session.externalId, session.id]));
    const complete = new Set(
      known
        .filter((one) => one.capabilityId !== undefined || wanted.get(one.externalId)?.capabilityId === undefined)
        .map((one) => one.externalId),
    );
    const drafts = externalIds
      .filter((externalId) => !complete.has(externalId))
      .map((externalId) => {
        const id = ids.get(externalId) ?? idOfName(projectId, externalId);
        return { id, externalId, ...(wanted.get(externalId) ?? { name: externalId }) };
      });
    for (const { id, externalId } of drafts) ids.set(externalId, id);
    return new BatchSessions(repository, projectId, ids, drafts);
  }

  idOf({ session }: Pick<SpanDraft, 'session'>): string | undefined {
    return session && this.#ids.get(session.externalId);
  }

  /** Makes the sessions that are new, and gives those without a capability the one their spans name. */
  async store(at: Date): Promise<void> {
    const made = await this.#repository.insertNew(this.#projectId, this.#drafts, at);
    const others = this.#drafts.filter(({ externalId }) => !made.has(externalId));
    if (others.length === 0) return;
    const externalIds = others.map(({ externalId }) => externalId);
    const held = await this.#repository.findByExternalIds(this.#projectId, externalIds);
    if (held.some(({ id, externalId }) => this.#ids.get(externalId) !== id)) throw new SessionMadeElsewhere();
    const incomplete = new Set(held.filter((one) => one.capabilityId === undefined).map(({ id }) => id));
    const completed = others.flatMap(({ capabilityId, ...draft }) =>
      capabilityId !== undefined && incomplete.has(draft.id) ? [{ ...draft, capabilityId }] : [],
    );
    if (completed.length > 0) await this.#repository.complete(this.#projectId, completed);
  }
}

/** By the sender's id; a session has the capability of the first span that names one. */
function wantedBy(spans: readonly NamingSpan[]): ReadonlyMap<string, { name: string; capabilityId?: string }> {
  const wanted = new Map<string, { name: string; capabilityId?: string }>();
  for (const { draft, capabilityId } of spans) {
    if (draft.session === undefined) continue;
    const { externalId, name = externalId } = draft.session;
    const known = wanted.get(externalId);
    if (known === undefined) wanted.set(externalId, { name, ...(capabilityId !== undefined && { capabilityId }) });
    else if (known.capabilityId === undefined && capabilityId !== undefined) known.capabilityId = capabilityId;
  }
  return wanted;
}
