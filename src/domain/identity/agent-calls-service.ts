import type { Db } from '../../db/database.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import { AgentCallRepository } from './agent-call-repository.ts';
import type { AgentCallFilter, AgentCallRow } from './agent-call.ts';

export type { AgentCallRow } from './agent-call.ts';

export interface AgentCallPage {
  readonly calls: readonly AgentCallRow[];
  readonly nextCursor?: string;
}

/** Reads the audit that `AgentCallLog` writes. Whoever asks must have checked that the project is theirs to see. */
export class AgentCallsService {
  readonly #calls: AgentCallRepository;
  readonly #cursors: PageCursors;

  constructor({ db, cursors }: { readonly db: Db; readonly cursors: PageCursors }) {
    this.#calls = new AgentCallRepository(db);
    this.#cursors = cursors;
  }

  /** Newest first. */
  async list(
    filter: AgentCallFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  ): Promise<AgentCallPage> {
    const query = { list: 'agent_calls', ...filter };
    const [at, id] = cursor === undefined ? [] : this.#cursors.open(query, cursor);
    const after = at === undefined ? undefined : { at: String(at), id: String(id) };
    const rows = await this.#calls.page(filter, { limit: limit + 1, ...(after && { after }) });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      calls: page.map(({ atText: _text, ...call }) => call),
      ...(rows.length > limit && last && { nextCursor: this.#cursors.seal(query, [last.atText, last.id]) }),
    };
  }
}
