import { fieldsOf, listOf } from './chat-message.ts';
import { ROW_IDENTITY } from './dataset-engine.ts';
import type { DatasetRow } from './dataset-engine.ts';
import { QualityReview } from './quality.ts';
import type { QualityFinding } from './quality.ts';
import type { Json } from './trace-source.ts';

export interface RowFailure {
  readonly row: number;
  readonly reason: string;
}

/** Whether every row has what an intent needs. */
export interface ContractReport {
  readonly ok: boolean;
  /** Empty when nothing is missing. */
  readonly reason: string;
  /** The first ten. */
  readonly failures: readonly RowFailure[];
}

export interface RowStats {
  readonly numExamples: number;
  readonly hasToolCalling: boolean;
  readonly hasMultiTurnToolCalls: boolean;
  /** Of the longest row, at four characters a token. */
  readonly maxTokenEstimate: number;
  readonly averageInputCharacters: number;
  readonly averageOutputCharacters: number;
}

export interface Measurements {
  readonly trainReport: ContractReport;
  readonly evalReport: ContractReport;
  readonly stats: RowStats;
  readonly quality: readonly QualityFinding[];
}

const FAILURES_MAX = 10;
const CHARACTERS_PER_TOKEN = 4;
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** How a stored span says that a text did not fit, see `clipMarked`. */
const CUT_MARK = /… \[cut \d+ characters\]/;

/** Reads all rows of a version once, in constant memory, and tells what they are good for. */
export async function measureRows(
  batches: AsyncIterable<readonly DatasetRow[]>,
  columns: readonly string[],
): Promise<Measurements> {
  const train = new Report();
  const evaluation = new Report();
  const stats = new StatsTally();
  const quality = new QualityReview();
  const hasMessages = columns.includes('messages');
  const hasInput = columns.includes('input');
  let references = 0;
  let rows = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      rows += 1;
      const at = Number(row[ROW_IDENTITY] ?? rows);
      if (hasMessages) train.add(at, trainFault(row));
      if (hasInput) evaluation.add(at, isEmpty(row['input']) ? 'input is empty' : undefined);
      if (!isEmpty(row['expected_output'])) references += 1;
      stats.add(row);
      quality.add(at, row);
    }
  }
  return {
    trainReport: train.close(rows, hasMessages ? undefined : 'There is no messages column.'),
    evalReport: evaluation.close(rows, evalGap(hasInput, references)),
    stats: stats.close(rows),
    quality: quality.close(rows),
  };
}

/** What keeps a row from being a training example. */
function trainFault(row: DatasetRow): string | undefined {
  // because rows come from the engine, which speaks JSON
  const messages = listOf(row['messages'] as Json);
  if (messages.length === 0) return 'messages is not a list of turns';
  for (const [index, message] of messages.entries()) {
    const fault = messageFault(message);
    if (fault !== undefined) return `messages[${index}] ${fault}`;
  }
  if (!messages.some((message) => fieldsOf(message)?.['role'] === 'assistant')) return 'messages has no assistant turn';
  if (CUT_MARK.test(JSON.stringify(messages))) return 'messages was cut when the trace was stored';
  return toolsFault(row['tools'] as Json);
}

function messageFault(message: Json): string | undefined {
  const fields = fieldsOf(message);
  if (fields === undefined) return 'is not an object';
  if (!ROLES.has(fields['role'])) return 'has no known role';
  const calls = fields['tool_calls'];
  const content = fields['content'];
  if (typeof content === 'string' || Array.isArray(content)) return undefined;
  return listOf(calls).length > 0 ? undefined : 'has neither content nor tool_calls';
}

function toolsFault(tools: Json | undefined): string | undefined {
  if (tools === undefined || tools === null) return undefined;
  const list = listOf(tools);
  if (list.length === 0 && !(Array.isArray(tools) && tools.length === 0)) return 'tools is not a list';
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

function evalGap(hasInput: boolean, references: number): string | undefined {
  if (!hasInput) return 'There is no input column.';
  if (references > 0) return undefined;
  return (
    'No row has an expected_output. To take recorded answers as the reference, add a version with ' +
    'SELECT * REPLACE (output AS expected_output) FROM t.'
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

class Report {
  readonly #failures: RowFailure[] = [];
  #failed = 0;

  add(row: number, reason: string | undefined): void {
    if (reason === undefined) return;
    this.#failed += 1;
    if (this.#failures.length < FAILURES_MAX) this.#failures.push({ row, reason });
  }

  close(rows: number, gap: string | undefined): ContractReport {
    const failures = this.#failures;
    if (rows === 0) return { ok: false, reason: 'There are no rows.', failures };
    if (gap !== undefined) return { ok: false, reason: gap, failures };
    if (this.#failed === 0) return { ok: true, reason: '', failures };
    const first = failures[0]?.reason ?? '';
    return { ok: false, reason: `${this.#failed} of ${rows} rows fail, the first because ${first}.`, failures };
  }
}

class StatsTally {
  #toolRows = 0;
  #multiTurnRows = 0;
  #longest = 0;
  #input = 0;
  #output = 0;

  add(row: DatasetRow): void {
    const messages = listOf(row['messages'] as Json);
    const callingTurns = messages.filter((message) => listOf(fieldsOf(message)?.['tool_calls']).length > 0).length;
    if (callingTurns > 0) this.#toolRows += 1;
    if (callingTurns > 1) this.#multiTurnRows += 1;
    const input = lengthOf(row['input']);
    const output = lengthOf(row['output']);
    this.#input += input;
    this.#output += output;
    this.#longest = Math.max(this.#longest, lengthOf(row['messages']), input + output);
  }

  close(rows: number): RowStats {
    return {
      numExamples: rows,
      hasToolCalling: this.#toolRows > 0,
      hasMultiTurnToolCalls: this.#multiTurnRows > 0,
      maxTokenEstimate: Math.ceil(this.#longest / CHARACTERS_PER_TOKEN),
      averageInputCharacters: rows === 0 ? 0 : Math.round(this.#input / rows),
      averageOutputCharacters: rows === 0 ? 0 : Math.round(this.#output / rows),
    };
  }
}

function lengthOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}
