import { clip } from '../../kernel/bounded.ts';
import type { CapabilityClaim } from '../capabilities/index.ts';
import type { JsonObject, SpanUsage, UnitMark } from './span.ts';

/*
 * What instrumentation libraries call the same thing. Ours comes first, then the OpenTelemetry GenAI conventions,
 * then OpenInference and OpenLLMetry, then bare names. The first usable value wins.
 */
const MODEL = [
  'overmind.model',
  'genai.model',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.model_name',
  'llm.request.model',
  'llm.response.model',
  'embedding.model_name',
  'reranker.model_name',
  'llm.model',
  'model',
];
const INPUT_TOKENS = [
  'overmind.input_tokens',
  'genai.input_tokens',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'llm.usage.prompt_tokens',
  'llm.usage.input_tokens',
];
const OUTPUT_TOKENS = [
  'overmind.output_tokens',
  'genai.output_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'llm.usage.completion_tokens',
  'llm.usage.output_tokens',
];
const TOTAL_TOKENS = [
  'overmind.total_tokens',
  'genai.total_tokens',
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'llm.usage.total_tokens',
];
const COST = [
  'overmind.cost',
  'genai.cost',
  'gen_ai.usage.cost',
  'gen_ai.usage.total_cost',
  'llm.cost.total',
  'llm.usage.cost',
  'response_cost',
  'cost',
];
const SESSION = [
  'conversation.id',
  'overmind.session',
  'overmind.session.id',
  'overmind.conversation.id',
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.conversation_id',
  'traceloop.association.properties.thread_id',
  'langfuse.session.id',
];
const SESSION_NAME = ['overmind.session.name', 'conversation.name', 'session.name'];
const CAPABILITY_ID = ['overmind.capability.id', 'overmind.capability_id', 'gen_ai.agent.id'];
const CAPABILITY_NAME = [
  'overmind.capability.name',
  'overmind.capability_name',
  'overmind.capability',
  'traceloop.association.properties.capability',
  'gen_ai.agent.name',
  'agent.name',
  'traceloop.workflow.name',
];
const CAPABILITY_SLUG = ['overmind.capability.slug', 'overmind.capability_slug'];
const BEHAVIOUR = [
  'overmind.behaviour',
  'overmind.behaviour.key',
  'overmind.behavior',
  'overmind.behavior.key',
  'traceloop.association.properties.behaviour',
];
const TERMINAL_KIND = ['overmind.terminal_kind', 'overmind.behaviour.terminal_kind'];
const OPERATION = ['overmind.operation', 'gen_ai.operation.name', 'llm.request.type'];

/** Kinds of other conventions in our words; a kind not listed is kept as it is, in lower case. */
const SPAN_TYPES: Readonly<Record<string, string>> = {
  llm: 'llm_call',
  tool: 'tool_call',
  retriever: 'retrieval',
  reranker: 'retrieval',
  chain: 'workflow',
  agent: 'workflow',
  workflow: 'workflow',
  task: 'function',
  guardrail: 'function',
  evaluator: 'function',
  prompt: 'function',
};
const OPERATION_TYPES: Readonly<Record<string, string>> = {
  chat: 'llm_call',
  completion: 'llm_call',
  text_completion: 'llm_call',
  generate_content: 'llm_call',
  embeddings: 'embedding',
  embedding: 'embedding',
  rerank: 'retrieval',
  retrieval: 'retrieval',
  execute_tool: 'tool_call',
  invoke_agent: 'workflow',
  create_agent: 'workflow',
  invoke_workflow: 'workflow',
};
const OWN_SPAN_TYPE = ['overmind.span_type', 'overmind.span.type', 'span_type'];
const FOREIGN_SPAN_KIND = ['openinference.span.kind', 'traceloop.span.kind'];

const MAX_COST = 1_000_000_000;

export function usageOf(attributes: JsonObject): SpanUsage {
  const model = firstText(attributes, MODEL, 255);
  const inputTokens = firstTokens(attributes, INPUT_TOKENS);
  const outputTokens = firstTokens(attributes, OUTPUT_TOKENS);
  const totalTokens = firstTokens(attributes, TOTAL_TOKENS) ?? sumOf(inputTokens, outputTokens);
  const cost =
    firstCost(attributes, COST) ??
    sumOf(costOf(attributes, 'llm.cost.prompt'), costOf(attributes, 'llm.cost.completion'));
  return {
    ...(model !== undefined && { model }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
    ...(cost !== undefined && { cost }),
  };
}

export function spanTypeOf(attributes: JsonObject, usage: SpanUsage): string {
  const own = firstText(attributes, OWN_SPAN_TYPE, 40);
  if (own !== undefined) return own;
  const kind = firstText(attributes, FOREIGN_SPAN_KIND, 40)?.toLowerCase();
  if (kind !== undefined && kind !== 'unknown') return wordFor(SPAN_TYPES, kind) ?? kind;
  const operation = firstText(attributes, ['gen_ai.operation.name', 'llm.request.type'], 40)?.toLowerCase();
  if (operation !== undefined) return wordFor(OPERATION_TYPES, operation) ?? 'function';
  return usage.model === undefined ? 'span' : 'llm_call';
}

export function operationOf(attributes: JsonObject): string | undefined {
  return firstText(attributes, OPERATION, 512);
}

export function sessionOf(
  attributes: JsonObject,
  resource: JsonObject,
): { externalId: string; name?: string } | undefined {
  const externalId = firstText(attributes, SESSION, 512) ?? firstText(resource, SESSION, 512);
  if (externalId === undefined) return undefined;
  const name = firstText(attributes, SESSION_NAME, 255) ?? firstText(resource, SESSION_NAME, 255);
  return name === undefined ? { externalId } : { externalId, name };
}

/** The span's own words win over the resource's, as a whole: half a claim of each would name a third thing. */
export function capabilityOf(attributes: JsonObject, resource: JsonObject): CapabilityClaim | undefined {
  return claimIn(attributes) ?? claimIn(resource);
}

function claimIn(attributes: JsonObject): CapabilityClaim | undefined {
  const id = firstText(attributes, CAPABILITY_ID, 255);
  const name = firstText(attributes, CAPABILITY_NAME, 255);
  const slug = firstText(attributes, CAPABILITY_SLUG, 255);
  if (id === undefined && name === undefined && slug === undefined) return undefined;
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug }),
  };
}

/** A span is a unit when it names a behaviour or calls itself an entry point. */
export function unitOf(attributes: JsonObject, spanType: string): UnitMark | undefined {
  const behaviourKey = firstText(attributes, BEHAVIOUR, 255) ?? '';
  if (behaviourKey === '' && spanType !== 'entry_point') return undefined;
  const terminalKind = firstText(attributes, TERMINAL_KIND, 64);
  return {
    behaviourKey,
    ...(terminalKind !== undefined && { terminalKind }),
    interrupted: attributes['overmind.interrupted'] === true || terminalKind === 'interrupted',
  };
}

function wordFor(words: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}

function firstText(attributes: JsonObject, keys: readonly string[], max: number): string | undefined {
  for (const key of keys) {
    const value = attributes[key];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = String(value).trim();
    if (text !== '') return clip(text, max);
  }
  return undefined;
}

function firstTokens(attributes: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = numberIn(attributes, key);
    if (value !== undefined && Number.isSafeInteger(Math.trunc(value))) return Math.trunc(value);
  }
  return undefined;
}

function firstCost(attributes: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = costOf(attributes, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function costOf(attributes: JsonObject, key: string): number | undefined {
  const value = numberIn(attributes, key);
  return value !== undefined && value <= MAX_COST ? value : undefined;
}

/** Non-negative finite numbers; some exporters send figures as strings. */
function numberIn(attributes: JsonObject, key: string): number | undefined {
  const value = attributes[key];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

function sumOf(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}
