import type { Db, Tx } from '../../db/database.ts';
import type { ModelFaultKind } from './chat-model.ts';

/** One call of a model as it is remembered: what it took, never what was said. */
export interface ModelCallRecord {
  readonly id: string;
  /** What the call was for, such as `dataset_agent`. */
  readonly purpose: string;
  /** The piece of work that a budget may be set for. */
  readonly workId: string;
  readonly model: string;
  readonly outcome: 'answered' | ModelFaultKind | 'aborted';
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the tokens are a guess, because the provider did not count them. */
  readonly isEstimated: boolean;
  readonly latencyMs: number;
  /** In the currency of the price settings, as a decimal; absent without prices. */
  readonly cost?: string;
}

export interface ModelSpending {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: string;
}

interface SpendingRow {
  readonly calls: string | number;
  readonly input_tokens: string | number | null;
  readonly output_tokens: string | number | null;
  readonly cost: string | null;
}

const SUMS = `count(*) as calls, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
  sum(cost)::text as cost`;

export class ModelCallRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): ModelCallRepository {
    return new ModelCallRepository(tx);
  }

  async insert(projectId: string, call: ModelCallRecord): Promise<void> {
    await this.#db('model_calls').insert({
      project_id: projectId,
      id: call.id,
      purpose: call.purpose,
      work_id: call.workId,
      model: call.model,
      outcome: call.outcome,
      input_tokens: call.inputTokens,
      output_tokens: call.outputTokens,
      is_estimated: call.isEstimated,
      latency_ms: call.latencyMs,
      cost: call.cost ?? null,
    });
  }

  async spentOnWork(projectId: string, workId: string): Promise<ModelSpending> {
    const result = await this.#db.raw<{ rows: SpendingRow[] }>(
      `select ${SUMS} from model_calls where project_id = ? and work_id = ?`,
      [projectId, workId],
    );
    return toSpending(result.rows[0]);
  }

  /** Since midnight, UTC. */
  async spentToday(projectId: string): Promise<ModelSpending> {
    const result = await this.#db.raw<{ rows: SpendingRow[] }>(
      `select ${SUMS} from model_calls
       where project_id = ? and created_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`,
      [projectId],
    );
    return toSpending(result.rows[0]);
  }
}

function toSpending(row: SpendingRow | undefined): ModelSpending {
  return {
    calls: Number(row?.calls ?? 0),
    inputTokens: Number(row?.input_tokens ?? 0),
    outputTokens: Number(row?.output_tokens ?? 0),
    ...(row !== undefined && row.cost !== null && { cost: row.cost }),
  };
}
