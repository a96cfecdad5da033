import type { Db } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import { SessionRepository, type Session } from './session-repository.ts';
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
  readonly #bounds = new SpanBounds();

  constructor(deps: { readonly db: Db }) {
    this.#sessions = new SessionRepository(deps.db);
    this.#traces = new TraceReadModel(deps.db);
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
