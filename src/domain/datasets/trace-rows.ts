import { clip } from '../../kernel/bounded.ts';
import { textOf } from './chat-message.ts';
import type { ChatMessage } from './chat-message.ts';
import type { DatasetRow } from './dataset-engine.ts';
import { recordedText } from './recorded-json.ts';
import { conversationOf } from './span-conversation.ts';
import type { SpanConversation } from './span-conversation.ts';
import type { Json, JsonFields, SourceSpan, SourceTrace } from './trace-source.ts';

/**
 * One row per trace. `source_row`, the row identity, stands before these columns and counts from 1.
 *
 * - `input`, `output`: what went into the trace and came out of it, as text; objects are JSON text. From the root span
 *   where it says so, else the last user turn and the answer of the main model call.
 * - `messages`: the whole conversation as chat turns, from the model call that saw most of it, its answer included.
 * - `tools`: function descriptions that call was given.
 * - `expected_output`: only what the program recorded as such. A recorded answer is no reference by itself; a step
 *   such as `SELECT * REPLACE (output AS expected_output) FROM t` makes it one on purpose.
 * - `metadata`: further facts about the trace.
 */
export const TRACE_COLUMNS: Readonly<Record<string, string>> = {
  trace_id: 'VARCHAR',
  name: 'VARCHAR',
  capability: 'VARCHAR',
  session: 'VARCHAR',
  input: 'VARCHAR',
  output: 'VARCHAR',
  messages: 'JSON',
  tools: 'JSON',
  expected_output: 'VARCHAR',
  model: 'VARCHAR',
  total_tokens: 'BIGINT',
  cost: 'DOUBLE',
  status: 'VARCHAR',
  started_at: 'TIMESTAMP WITH TIME ZONE',
  duration_ms: 'DOUBLE',
  metadata: 'JSON',
};

const INPUT = [
  'overmind.input',
  'input.value',
  'traceloop.entity.input',
  'langfuse.trace.input',
  'langfuse.observation.input',
  'ai.prompt',
  'input',
];
const OUTPUT = [
  'overmind.output',
  'output.value',
  'traceloop.entity.output',
  'langfuse.trace.output',
  'langfuse.observation.output',
  'ai.response.text',
  'output',
];
const EXPECTED = [
  'overmind.expected_output',
  'expected_output',
  'overmind.expected',
  'reference_output',
  'langfuse.expected_output',
];
const TEXT_MAX = 1_000_000;

export function traceRow(trace: SourceTrace): DatasetRow {
  const root = rootOf(trace.spans);
  const main = mainConversation(trace.spans);
  const messages = [...main.input, ...main.output];
  return {
    trace_id: trace.traceId,
    name: trace.name,
    capability: trace.capability?.slug,
    session: trace.session,
    input: recorded(root, INPUT) ?? spoken(messages, 'user'),
    output: recorded(root, OUTPUT) ?? spoken(main.output, 'assistant'),
    messages: messages.length > 0 ? messages : undefined,
    tools: main.tools.length > 0 ? main.tools : undefined,
    expected_output: recorded(root, EXPECTED) ?? firstRecorded(trace.spans, EXPECTED),
    model: trace.model,
    total_tokens: trace.totalTokens,
    cost: trace.totalCost,
    status: trace.failed ? 'error' : 'ok',
    started_at: instantOf(trace.startNs),
    duration_ms: trace.durationMs,
    metadata: metadataOf(trace),
  };
}

/** Spans arrive in any order and roots may be missing, so the head is the root if there is one, else the earliest. */
function rootOf(spans: readonly SourceSpan[]): SourceSpan | undefined {
  return spans.find((span) => span.parentSpanId === undefined) ?? spans[0];
}

/** The model call with most turns saw most of the conversation; among equals the last one. */
export function mainConversation(spans: readonly SourceSpan[]): SpanConversation {
  let main: SpanConversation = { input: [], output: [], tools: [] };
  for (const span of spans) {
    const found = conversationOf(span);
    if (found.input.length + found.output.length >= main.input.length + main.output.length)
      main = withTools(found, main);
  }
  return main;
}

function withTools(found: SpanConversation, before: SpanConversation): SpanConversation {
  return found.tools.length > 0 || before.input.length + before.output.length === 0
    ? found
    : { ...found, tools: before.tools };
}

function recorded(span: SourceSpan | undefined, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = asText(span?.attributes[key]);
    if (text !== undefined) return text;
  }
  return undefined;
}

function firstRecorded(spans: readonly SourceSpan[], keys: readonly string[]): string | undefined {
  for (const span of spans) {
    const text = recorded(span, keys);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What was said last in a role. */
export function spoken(messages: readonly ChatMessage[], role: ChatMessage['role']): string | undefined {
  const last = messages.findLast((message) => message.role === role && textOf(message.content) !== '');
  return last === undefined ? undefined : clip(textOf(last.content), TEXT_MAX);
}

function asText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return clip(typeof value === 'string' ? value : recordedText(value), TEXT_MAX);
}

function metadataOf(trace: SourceTrace): JsonFields {
  return {
    span_count: trace.spanCount,
    tool_calls: trace.spans.filter((span) => span.spanType === 'tool_call').map((span) => span.name),
    ...(trace.serviceName !== undefined && { service_name: trace.serviceName }),
    ...(trace.errorMessage !== undefined && { error_message: clip(trace.errorMessage, 1_000) }),
    ...(trace.spans.length < trace.spanCount && { spans_read: trace.spans.length }),
  };
}

function instantOf(ns: bigint): string {
  const micros = (ns % 1_000_000_000n) / 1_000n;
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1_000).toISOString().slice(0, 19);
  return `${seconds}.${micros.toString().padStart(6, '0')}Z`;
}
