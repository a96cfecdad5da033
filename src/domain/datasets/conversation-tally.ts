import { fieldsOf, listOf } from './chat-message.ts';
import { EXAMPLES_MAX } from './row-facts.ts';
import type { ConversationFacts, RowFailure, RowTally } from './row-facts.ts';
import type { Json } from './trace-source.ts';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** How a stored span says that a text did not fit, see `clipMarked`. */
const CUT_MARK = /… \[cut \d+ characters\]/;

/** Judges the conversations of rows one after the other, in constant memory. Loads nothing else of the domain. */
export class ConversationTally {
  readonly #failures: RowFailure[] = [];
  readonly #unanswered: number[] = [];
  #unansweredRows = 0;
  #failed = 0;
  #callingRows = 0;
  #multiTurnRows = 0;

  /** `messages` and `tools` are JSON texts, or null where the row has none; `hasOutput` tells of its output as text. */
  add(row: number, messages: string | null, tools: string | null, hasOutput: boolean): void {
    const turns = listOf(messages);
    const callingTurns = turns.filter(isCalling).length;
    if (!hasOutput && !answersWithCall(turns)) this.#addUnanswered(row);
    if (callingTurns > 0) this.#callingRows += 1;
    if (callingTurns > 1) this.#multiTurnRows += 1;
    const reason = turnsFault(turns) ?? toolsFault(tools);
    if (reason === undefined) return;
    this.#failed += 1;
    if (this.#failures.length < EXAMPLES_MAX) this.#failures.push({ row, reason });
  }

  /** Rows without an output. One whose last answer calls a tool has that for its output. */
  unanswered(): RowTally {
    return { count: this.#unansweredRows, examples: this.#unanswered };
  }

  close(): ConversationFacts {
    return {
      failed: this.#failed,
      failures: this.#failures,
      callingRows: this.#callingRows,
      multiTurnRows: this.#multiTurnRows,
    };
  }

  #addUnanswered(row: number): void {
    this.#unansweredRows += 1;
    if (this.#unanswered.length < EXAMPLES_MAX) this.#unanswered.push(row);
  }
}

function isCalling(turn: Json): boolean {
  return listOf(fieldsOf(turn)?.['tool_calls']).length > 0;
}

function answersWithCall(turns: readonly Json[]): boolean {
  const answer = turns.findLast((turn) => fieldsOf(turn)?.['role'] === 'assistant');
  return answer !== undefined && isCalling(answer);
}

/** What keeps a row from being a training example. */
function turnsFault(turns: readonly Json[]): string | undefined {
  if (turns.length === 0) return 'messages is not a list of turns';
  for (const [index, turn] of turns.entries()) {
    const fault = turnFault(turn);
    if (fault !== undefined) return `messages[${index}] ${fault}`;
  }
  if (!turns.some((turn) => fieldsOf(turn)?.['role'] === 'assistant')) return 'messages has no assistant turn';
  return turns.some(isCut) ? 'messages was cut when the trace was stored' : undefined;
}

function turnFault(turn: Json): string | undefined {
  const fields = fieldsOf(turn);
  if (fields === undefined) return 'is not an object';
  if (!ROLES.has(fields['role'])) return 'has no known role';
  const content = fields['content'];
  if (typeof content === 'string' || Array.isArray(content)) return undefined;
  return listOf(fields['tool_calls']).length > 0 ? undefined : 'has neither content nor tool_calls';
}

function isCut(value: Json): boolean {
  if (typeof value === 'string') return CUT_MARK.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut);
}

function toolsFault(tools: string | null): string | undefined {
  if (tools === null) return undefined;
  const list = listOf(tools);
  if (list.length === 0 && !/^\s*\[\s*\]\s*$/.test(tools)) return 'tools is not a list';
  for (const [index, tool] of list.entries()) {
    const described = fieldsOf(fieldsOf(tool)?.['function']) ?? fieldsOf(tool);
    if (typeof described?.['name'] !== 'string') return `tools[${index}] has no name`;
    const parameters = described['parameters'];
    if (parameters !== undefined && parameters !== null && fieldsOf(parameters) === undefined) {
      return `tools[${index}] has parameters that are not an object`;
    }
  }
  return undefined;
}
