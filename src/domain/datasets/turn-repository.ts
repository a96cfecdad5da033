import { jsonb } from '../../db/database.ts';
import type { Db, Tx } from '../../db/database.ts';
import type { ModelMessage } from '../models/index.ts';
import { optional } from './optional.ts';
import type { ChatTurn, TurnCell, TurnProgress, TurnStatus } from './turn.ts';

interface TurnRecord {
  id: string;
  dataset_id: string;
  role: ChatTurn['role'];
  text: string;
  error: string | null;
  cells: readonly TurnCell[];
  status: TurnStatus;
  progress: TurnProgress | null;
  continues: string | null;
  account_id: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export type NewTurn = Pick<ChatTurn, 'id' | 'datasetId' | 'role' | 'accountId' | 'continues'> & {
  /** What a person says; the agent begins with nothing. */
  readonly text?: string;
};

/** The chats of datasets. A turn of the agent that runs has a transcript, which ends with it. */
export class TurnRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): TurnRepository {
    return new TurnRepository(tx);
  }

  async insert(projectId: string, turn: NewTurn): Promise<void> {
    const isSaid = turn.role === 'user';
    await this.#db('dataset_turns').insert({
      project_id: projectId,
      id: turn.id,
      dataset_id: turn.datasetId,
      role: turn.role,
      text: turn.text ?? '',
      status: isSaid ? 'complete' : 'running',
      continues: turn.continues ?? null,
      account_id: turn.accountId ?? null,
      ended_at: isSaid ? this.#db.fn.now() : null,
    });
  }

  async find(projectId: string, id: string): Promise<ChatTurn | undefined> {
    const row: TurnRecord | undefined = await this.#db('dataset_turns').where({ project_id: projectId, id }).first();
    return row && toTurn(row);
  }

  /** The newest turns, oldest first. */
  async recent(projectId: string, datasetId: string, limit: number): Promise<readonly ChatTurn[]> {
    const rows: TurnRecord[] = await this.#db('dataset_turns')
      .where({ project_id: projectId, dataset_id: datasetId })
      .orderBy('id', 'desc')
      .limit(limit);
    return rows.toReversed().map(toTurn);
  }

  async findRunning(projectId: string, datasetId: string): Promise<ChatTurn | undefined> {
    const row: TurnRecord | undefined = await this.#db('dataset_turns')
      .where({ project_id: projectId, dataset_id: datasetId, status: 'running' })
      .first();
    return row && toTurn(row);
  }

  /** The turns that proposed this version; one at most. */
  async findProposing(projectId: string, datasetId: string, cellId: string): Promise<ChatTurn | undefined> {
    const row: TurnRecord | undefined = await this.#db('dataset_turns')
      .where({ project_id: projectId, dataset_id: datasetId, role: 'agent' })
      .whereRaw('cells @> ?', [jsonb(this.#db, [{ id: cellId, action: 'proposed' }])])
      .first();
    return row && toTurn(row);
  }

  /** What a running turn has brought about so far, and what it is at. */
  async note(
    projectId: string,
    id: string,
    facts: { readonly cells?: readonly TurnCell[]; readonly progress?: TurnProgress },
  ): Promise<void> {
    await this.#db('dataset_turns')
      .where({ project_id: projectId, id })
      .update({
        ...(facts.cells && { cells: jsonb(this.#db, facts.cells) }),
        ...(facts.progress && { progress: jsonb(this.#db, facts.progress) }),
        updated_at: this.#db.fn.now(),
      });
  }

  /** Ends a running turn and forgets its transcript; false when it had ended before. */
  async end(
    projectId: string,
    id: string,
    { status, text, error }: { readonly status: TurnStatus; readonly text: string; readonly error?: string },
  ): Promise<boolean> {
    const changed = await this.#db('dataset_turns')
      .where({ project_id: projectId, id, status: 'running' })
      .update({
        status,
        text,
        error: error ?? null,
        progress: null,
        updated_at: this.#db.fn.now(),
        ended_at: this.#db.fn.now(),
      });
    await this.#db('dataset_turn_messages').where({ project_id: projectId, turn_id: id }).delete();
    return changed > 0;
  }

  /** The proposals of a waiting turn as they are decided; it is resolved with the last one. */
  async decide(projectId: string, id: string, cells: readonly TurnCell[], isResolved: boolean): Promise<void> {
    await this.#db('dataset_turns')
      .where({ project_id: projectId, id })
      .update({ cells: jsonb(this.#db, cells), updated_at: this.#db.fn.now() });
    if (!isResolved) return;
    await this.#db('dataset_turns')
      .where({ project_id: projectId, id, status: 'awaiting_approval' })
      .update({ status: 'resolved' });
  }

  async transcript(projectId: string, turnId: string): Promise<readonly ModelMessage[]> {
    const rows: { message: ModelMessage }[] = await this.#db('dataset_turn_messages')
      .where({ project_id: projectId, turn_id: turnId })
      .orderBy('position')
      .select('message');
    return rows.map(({ message }) => message);
  }

  /** `position` is the number of messages before it: a message that is there already is not written twice. */
  async append(projectId: string, turnId: string, position: number, message: ModelMessage): Promise<void> {
    await this.#db('dataset_turn_messages').insert({
      project_id: projectId,
      turn_id: turnId,
      position,
      message: jsonb(this.#db, message),
    });
  }
}

function toTurn(row: TurnRecord): ChatTurn {
  return {
    id: row.id,
    datasetId: row.dataset_id,
    role: row.role,
    text: row.text,
    ...optional('error', row.error ?? undefined),
    cells: row.cells,
    status: row.status,
    ...optional('progress', row.progress ?? undefined),
    ...optional('continues', row.continues ?? undefined),
    ...optional('accountId', row.account_id ?? undefined),
    createdAt: row.created_at,
    ...optional('endedAt', row.ended_at ?? undefined),
  };
}
