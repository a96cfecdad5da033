import type { Db } from '../../db/database.ts';
import { monotonicMs } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import { ModelFault } from './chat-model.ts';
import type { ChatModel, ModelReply, ModelRequest, ModelUsage } from './chat-model.ts';
import { ModelCallRepository } from './model-call-repository.ts';
import type { ModelCallRecord, ModelSpending } from './model-call-repository.ts';

/** What a million tokens cost. */
interface ModelPrices {
  readonly input: number;
  readonly output: number;
}

interface ModelBudgets {
  /** Most tokens of one piece of work; 0 for no limit. */
  readonly workTokens: number;
  /** Most tokens of one project from midnight to midnight, UTC; 0 for no limit. */
  readonly dayTokens: number;
}

export interface ModelsServiceParts {
  readonly db: Db;
  readonly newId: IdMaker;
  /** The model, or the setting that is missing. */
  readonly provider: { readonly model: ChatModel } | { readonly missing: string };
  readonly budgets: ModelBudgets;
  readonly prices?: ModelPrices;
}

/** On whose account a call goes. */
export interface ModelWork {
  readonly projectId: string;
  readonly purpose: string;
  readonly workId: string;
}

const CHARACTERS_PER_TOKEN = 4;
const PER_MILLION = 1_000_000;
const COST_DIGITS = 9;

/** The one road to language models: nothing is asked beyond the budgets, and every call leaves a record of its cost. */
export class ModelsService {
  readonly #parts: ModelsServiceParts;
  readonly #calls: ModelCallRepository;

  constructor(parts: ModelsServiceParts) {
    this.#parts = parts;
    this.#calls = new ModelCallRepository(parts.db);
  }

  get isConfigured(): boolean {
    return 'model' in this.#parts.provider;
  }

  /** `provider_not_configured` with the name of the setting that is missing. */
  requireConfigured(): ChatModel {
    const { provider } = this.#parts;
    if ('model' in provider) return provider.model;
    throw new AppError(
      'provider_not_configured',
      `No language model is set up; the operator sets ${provider.missing}. Everything that needs no model works without.`,
      { fields: { setting: provider.missing } },
    );
  }

  /** Throws `ModelFault`, or the signal's reason when that aborts. */
  async complete(work: ModelWork, request: ModelRequest): Promise<ModelReply> {
    const model = this.requireConfigured();
    await this.#checkBudgets(work);
    const startedAt = monotonicMs();
    const record = async (outcome: ModelCallRecord['outcome'], reply?: ModelReply): Promise<void> => {
      const usage =
        reply === undefined ? { inputTokens: 0, outputTokens: 0 } : (reply.usage ?? estimate(request, reply));
      await this.#calls.insert(work.projectId, {
        id: this.#parts.newId(),
        purpose: work.purpose,
        workId: work.workId,
        model: model.name.slice(0, 255),
        outcome,
        ...usage,
        isEstimated: reply !== undefined && reply.usage === undefined,
        latencyMs: Math.round(monotonicMs() - startedAt),
        ...this.#costOf(usage),
      });
    };
    let reply: ModelReply;
    try {
      reply = await model.complete(request);
    } catch (error) {
      await record(error instanceof ModelFault ? error.kind : 'aborted');
      throw error;
    }
    await record('answered', reply);
    return reply;
  }

  spentOnWork(projectId: string, workId: string): Promise<ModelSpending> {
    return this.#calls.spentOnWork(projectId, workId);
  }

  spentToday(projectId: string): Promise<ModelSpending> {
    return this.#calls.spentToday(projectId);
  }

  async #checkBudgets({ projectId, workId }: ModelWork): Promise<void> {
    const { workTokens, dayTokens } = this.#parts.budgets;
    if (workTokens > 0 && tokensOf(await this.#calls.spentOnWork(projectId, workId)) >= workTokens) {
      throw new ModelFault('budget', `The ${workTokens} tokens that one answer may take are used up.`);
    }
    if (dayTokens > 0 && tokensOf(await this.#calls.spentToday(projectId)) >= dayTokens) {
      throw new ModelFault(
        'budget',
        `The ${dayTokens} tokens that this project may use in a day are used up; the count begins again at 00:00 UTC.`,
      );
    }
  }

  #costOf({ inputTokens, outputTokens }: ModelUsage): { readonly cost?: string } {
    const { prices } = this.#parts;
    if (prices === undefined) return {};
    const cost = (inputTokens * prices.input + outputTokens * prices.output) / PER_MILLION;
    return { cost: cost.toFixed(COST_DIGITS) };
  }
}

function tokensOf({ inputTokens, outputTokens }: ModelSpending): number {
  return inputTokens + outputTokens;
}

/** For providers that do not count: better a rough figure than a budget that never fills. */
function estimate({ messages }: ModelRequest, reply: ModelReply): ModelUsage {
  const said = messages.reduce((sum, message) => sum + message.text.length + callsLength(message), 0);
  return {
    inputTokens: Math.ceil(said / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil((reply.text.length + callsLength(reply)) / CHARACTERS_PER_TOKEN),
  };
}

function callsLength(message: object): number {
  return 'calls' in message ? JSON.stringify(message.calls).length : 0;
}
