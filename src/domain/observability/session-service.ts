import type { Db } from '../../db/database.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import { AppError } from '../../kernel/errors.ts';
import { SessionRepository, type Session, type SessionRowView } from './session-repository.ts';
import { SpanBounds } from './span-bounds.ts';
import { TraceReadModel } from './trace-read-model.ts';

const TRACES_MAX = 50;
const COMPLETIONS_MAX = 100;

/** A session with links to its newest traces. */
export interface SessionView extends Session {
  readonly traceCount: number;
  readonly traces: readonly { readonly traceId: string; readonly name: string }[];
}

export class SessionService {
  readonly #sessions: SessionRepository;
  readonly #traces: TraceReadModel;
  readonly #cursors: PageCursors;
  readonly #bounds = new SpanBounds();

  constructor(deps: { readonly db: Db; readonly cursors: PageCursors }) {
    this.#cursors = deps.cursors;
    this.#sessions = new SessionRepository(deps.db);
    this.#traces = new TraceReadModel(deps.db);
  }

  /** Newest first. */
  async list(
    projectId: string,
    query: { readonly search?: string; readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly sessions: readonly SessionRowView[]; readonly nextCursor?: string }> {
    const { limit, cursor, ...rest } = query;
    const identity = { list: 'sessions', projectId, ...rest };
    const [createdAt, id] = cursor === undefined ? [] : this.#cursors.open(identity, cursor);
    const after = createdAt === undefined ? undefined : { createdAt: String(createdAt), id: String(id) };
    const rows = await this.#sessions.page(projectId, { ...rest, limit: limit + 1, ...(after && { after }) });
    const sessions = rows.slice(0, limit).map((row) => ({ ...row, name: this.#bounds.text(row.name) }));
    const last = sessions.at(-1);
    return {
      sessions,
      ...(rows.length > limit && last && { nextCursor: this.#cursors.seal(identity, [last.createdAt, last.id]) }),
    };
  }

  /** By the sender's id or ours. */
  async read(projectId: string, reference: string): Promise<SessionView> {
    const session = await this.#sessions.findByReference(projectId, reference);
    if (session === undefined) {
      throw new AppError('resource_not_found', 'This project has no session with that id.', {
        fields: { field: 'session' },
      });
    }
    const traceCount = await this.#traces.countOfSession(projectId, session.id);
    const traces = await this.#traces.ofSession(projectId, session.id, TRACES_MAX);
    return {
      ...session,
      name: this.#bounds.text(session.name),
      traceCount,
      traces: traces.map(({ traceId, name }) => ({ traceId, name: this.#bounds.text(name) })),
    };
  }

  /** Sender's ids that begin with the text. */
  async complete(projectId: string, text: string): Promise<readonly string[]> {
    return this.#sessions.externalIdsStartingWith(projectId, text, COMPLETIONS_MAX);
  }
}
