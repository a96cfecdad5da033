import type { Db, Tx } from '../../db/database.ts';
import { MINUTE_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobRun } from '../jobs/index.ts';
import { ModelFault } from '../models/index.ts';
import type { ModelCall, ModelMessage, ModelReply, ModelsService } from '../models/index.ts';
import { answerText, briefing, cleanText } from './dataset-agent-briefing.ts';
import { AGENT_FUNCTIONS, AgentFunctions } from './dataset-agent-functions.ts';
import type { AgentFunctionsParts, AgentWork, FunctionOutcome } from './dataset-agent-functions.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { TurnRepository } from './turn-repository.ts';
import { statusAfter } from './turn.ts';
import type { ChatTurn, TurnEnding } from './turn.ts';

/** Where a turn stops, however the model behaves. */
export interface TurnLimits {
  /** Times the model is asked. */
  readonly rounds: number;
  readonly ms: number;
}

export interface AgentTurnsParts extends AgentFunctionsParts {
  readonly db: Db;
  readonly newId: IdMaker;
  readonly models: ModelsService;
  readonly limits?: Partial<TurnLimits>;
}

const LIMITS: TurnLimits = { rounds: 12, ms: 10 * MINUTE_MS };
const CALLS_AT_ONCE = 8;
const OUTPUT_TOKENS = 4_096;
/** Characters of function answers in one turn; later ones are left out. */
const ANSWERS_MAX = 160_000;
const HISTORY_TURNS = 12;
const NAME_MAX = 64;
const ARGUMENTS_MAX = 20_000;
const NUDGE = 'Your last answer was empty. Answer the person, or call a function.';

/**
 * Carries out turns of the agent. What the model said and what its functions answered is kept message by message, each
 * effect in one transaction with its answer and with the proof that the attempt holds the job: an attempt that takes a
 * turn over goes on behind the last message, so that no effect happens twice.
 */
export class AgentTurns {
  readonly #parts: AgentTurnsParts;
  readonly #turns: TurnRepository;
  readonly #datasets: DatasetRepository;
  readonly #functions: AgentFunctions;
  readonly #limits: TurnLimits;

  constructor(parts: AgentTurnsParts) {
    this.#parts = parts;
    this.#turns = new TurnRepository(parts.db);
    this.#datasets = new DatasetRepository(parts.db);
    this.#functions = new AgentFunctions(parts);
    this.#limits = { ...LIMITS, ...parts.limits };
  }

  async run(run: JobRun, turnId: string): Promise<void> {
    const turn = await this.#turns.find(run.projectId, turnId);
    // An earlier attempt committed the end and died before the job was marked as done.
    if (turn?.status !== 'running') return;
    const ending = await this.#carryOut(run, turn);
    await run.complete((tx) => this.#end(tx, run.projectId, turn, ending));
  }

  async #carryOut(run: JobRun, turn: ChatTurn): Promise<TurnEnding> {
    const time = AbortSignal.timeout(this.#limits.ms);
    try {
      return await this.#converse({ run, turn, signal: AbortSignal.any([run.signal, time]) });
    } catch (error) {
      // The job is somebody else's, or goes back: nothing is said about the turn.
      run.signal.throwIfAborted();
      if (time.aborted) return failed(`The turn took longer than ${this.#limits.ms / MINUTE_MS} minutes.`);
      if (error instanceof ModelFault) return failed(error.message);
      if (error instanceof AppError && error.code === 'provider_not_configured') return failed(error.message);
      throw error;
    }
  }

  async #converse(work: AgentWork): Promise<TurnEnding> {
    const { run, turn } = work;
    const { projectId } = run;
    const chat = await this.#turns.recent(projectId, turn.datasetId, HISTORY_TURNS);
    const opening = briefing(turn, chat);
    const transcript = [...(await this.#turns.transcript(projectId, turn.id))];
    for (;;) {
      await this.#answerCalls(work, transcript);
      const round = transcript.filter(({ role }) => role !== 'function').length;
      if (round >= this.#limits.rounds) return failed(`The agent came to no end within ${round} rounds.`);
      const reply = await this.#ask(work, [...opening, ...transcript], round);
      if (reply.ending === 'refused') return { text: cleanText(reply.text), error: 'The model declined to answer.' };
      if (reply.calls.length === 0) {
        const text = cleanText(reply.text);
        if (text !== '') return { text: withChanges(reply.ending === 'cut' ? `${text} …` : text, transcript) };
        if (transcript.some(({ role }) => role === 'user')) return failed('The model gave an empty answer, twice.');
        await this.#append(work, transcript, { role: 'user', text: NUDGE });
        continue;
      }
      await this.#append(work, transcript, asMessage(reply, round));
    }
  }

  async #ask({ run, turn, signal }: AgentWork, messages: readonly ModelMessage[], round: number): Promise<ModelReply> {
    await run.progress({ stage: `asking the model, round ${round + 1}` });
    return this.#parts.models.complete(
      { projectId: run.projectId, purpose: 'dataset_agent', workId: turn.id },
      { messages, functions: AGENT_FUNCTIONS, maxOutputTokens: OUTPUT_TOKENS, signal },
    );
  }

  /** Answers the calls of the last thing the model said that have no answer yet. */
  async #answerCalls(work: AgentWork, transcript: ModelMessage[]): Promise<void> {
    const asked = transcript.findLast((message) => message.role === 'assistant');
    const answered = new Set(transcript.flatMap((message) => (message.role === 'function' ? [message.callId] : [])));
    for (const call of asked?.calls ?? []) {
      if (answered.has(call.id)) continue;
      work.signal.throwIfAborted();
      const outcome = await this.#call(work, transcript, call);
      await this.#keep(work, transcript, call, outcome);
    }
  }

  async #call(work: AgentWork, transcript: readonly ModelMessage[], call: ModelCall): Promise<FunctionOutcome> {
    const said = transcript.reduce((sum, message) => sum + (message.role === 'function' ? message.text.length : 0), 0);
    if (said > ANSWERS_MAX) return refused('There is no room for more in this turn; answer the person.');
    try {
      return await this.#functions.call(work, call);
    } catch (error) {
      return refused(forModel(error));
    }
  }

  /** The effect, the answer and what the turn shows of it, together or not at all. */
  async #keep(
    work: AgentWork,
    transcript: ModelMessage[],
    call: ModelCall,
    { answer, effect, cell }: FunctionOutcome,
  ): Promise<void> {
    const { projectId } = work.run;
    const message: ModelMessage = { role: 'function', callId: call.id, text: answerText(answer) };
    if (effect === undefined) return this.#append(work, transcript, message);
    try {
      await this.#append(work, transcript, message, async (tx) => {
        await effect(tx);
        if (cell === undefined) return;
        const turns = this.#turns.in(tx);
        const current = await turns.find(projectId, work.turn.id);
        await turns.note(projectId, work.turn.id, { cells: [...(current?.cells ?? []), cell] });
      });
    } catch (error) {
      const text = answerText(refused(forModel(error)).answer);
      await this.#append(work, transcript, { role: 'function', callId: call.id, text });
    }
  }

  async #append(
    { run, turn }: AgentWork,
    transcript: ModelMessage[],
    message: ModelMessage,
    effect?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    await run.commit(async (tx) => {
      await effect?.(tx);
      const turns = this.#turns.in(tx);
      await turns.append(run.projectId, turn.id, transcript.length, message);
      await turns.note(run.projectId, turn.id, { progress: progressOf(message) });
    });
    transcript.push(message);
  }

  async #end(tx: Tx, projectId: string, turn: ChatTurn, ending: TurnEnding): Promise<void> {
    const datasets = this.#datasets.in(tx);
    const turns = this.#turns.in(tx);
    await datasets.lock(projectId, turn.datasetId);
    // Read behind the lock: a person may have decided a proposal while the agent went on.
    const cells = (await turns.find(projectId, turn.id))?.cells ?? [];
    await turns.end(projectId, turn.id, { ...ending, status: statusAfter(ending, cells) });
    await datasets.setState(projectId, turn.datasetId, ['diagnosing'], { state: 'idle' });
  }
}

function failed(error: string): TurnEnding {
  return { text: '', error };
}

function refused(message: string): FunctionOutcome {
  return { answer: { error: message } };
}

/** The sentence of an error that the model can do something about; every other one is thrown on. */
function forModel(error: unknown): string {
  // What is down at the moment is worth another attempt at the job, not a word to the model.
  if (error instanceof AppError && error.code !== 'unavailable') return error.message;
  throw error;
}

/** What the model said, as it is kept: bounded, and with ids of ours, since servers repeat theirs or leave them out. */
function asMessage(reply: ModelReply, round: number): ModelMessage {
  return {
    role: 'assistant',
    text: cleanText(reply.text),
    calls: reply.calls.slice(0, CALLS_AT_ONCE).map((call, index) => ({
      id: `call_${round}_${index}`,
      name:
        cleanText(call.name)
          .replaceAll(/[^\w-]/g, '_')
          .slice(0, NAME_MAX) || 'unnamed',
      arguments: cleanText(call.arguments, ARGUMENTS_MAX),
    })),
  };
}

function progressOf(message: ModelMessage): { readonly stage: string; readonly detail: string } {
  if (message.role === 'assistant') {
    return {
      stage: 'working',
      detail: message.calls
        .map(({ name }) => name)
        .join(', ')
        .slice(0, 200),
    };
  }
  return { stage: 'asking the model', detail: '' };
}

/** Says what was set on the way even when the model does not. */
function withChanges(text: string, transcript: readonly ModelMessage[]): string {
  const names = new Map(
    transcript.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map((call) => [call.id, call.name]) : [],
    ),
  );
  const set = transcript.flatMap((message) =>
    message.role === 'function' && names.get(message.callId) === 'set_use' ? doneOf(message.text) : [],
  );
  return set.length === 0 ? text : `${text}\n\n${set.join(' ')}`;
}

function doneOf(text: string): readonly string[] {
  // because answers are JSON objects of ours, as `answerText` wrote them
  const { done } = JSON.parse(text) as { readonly done?: unknown };
  return typeof done === 'string' ? [done] : [];
}
