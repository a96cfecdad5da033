/** What an attribute can tell about its span. */
export type Role =
  | 'model'
  | 'inputTokens'
  | 'outputTokens'
  | 'totalTokens'
  | 'cost'
  | 'inputCost'
  | 'outputCost'
  | 'session'
  | 'sessionName'
  | 'capabilityId'
  | 'capabilityName'
  | 'capabilitySlug'
  | 'behaviour'
  | 'terminalKind'
  | 'operation'
  | 'spanType'
  | 'spanKind'
  | 'operationKind';

/*
 * What instrumentation libraries call the same thing. Ours comes first, then the OpenTelemetry GenAI conventions,
 * then OpenInference and OpenLLMetry, then bare names. The first usable value wins.
 */
const KEYS: Readonly<Record<Role, readonly string[]>> = {
  model: [
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
  ],
  inputTokens: [
    'overmind.input_tokens',
    'genai.input_tokens',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'llm.usage.input_tokens',
  ],
  outputTokens: [
    'overmind.output_tokens',
    'genai.output_tokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'llm.usage.output_tokens',
  ],
  totalTokens: [
    'overmind.total_tokens',
    'genai.total_tokens',
    'gen_ai.usage.total_tokens',
    'llm.token_count.total',
    'llm.usage.total_tokens',
  ],
  cost: [
    'overmind.cost',
    'genai.cost',
    'gen_ai.usage.cost',
    'gen_ai.usage.total_cost',
    'llm.cost.total',
    'llm.usage.cost',
    'response_cost',
    'cost',
  ],
  inputCost: ['llm.cost.prompt'],
  outputCost: ['llm.cost.completion'],
  session: [
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
  ],
  sessionName: ['overmind.session.name', 'conversation.name', 'session.name'],
  capabilityId: ['overmind.capability.id', 'overmind.capability_id', 'gen_ai.agent.id'],
  capabilityName: [
    'overmind.capability.name',
    'overmind.capability_name',
    'overmind.capability',
    'traceloop.association.properties.capability',
    'gen_ai.agent.name',
    'agent.name',
    'traceloop.workflow.name',
  ],
  capabilitySlug: ['overmind.capability.slug', 'overmind.capability_slug'],
  behaviour: [
    'overmind.behaviour',
    'overmind.behaviour.key',
    'overmind.behavior',
    'overmind.behavior.key',
    'traceloop.association.properties.behaviour',
  ],
  terminalKind: ['overmind.terminal_kind', 'overmind.behaviour.terminal_kind'],
  operation: ['overmind.operation', 'gen_ai.operation.name', 'llm.request.type'],
  spanType: ['overmind.span_type', 'overmind.span.type', 'span_type'],
  spanKind: ['openinference.span.kind', 'traceloop.span.kind'],
  operationKind: ['gen_ai.operation.name', 'llm.request.type'],
};

/** Where one attribute key stands in the list of a role; a smaller place wins. */
export interface Place {
  readonly role: Role;
  readonly place: number;
}

/** Roles by attribute key: a span has few attributes and there are many keys, so spans are walked and not the keys. */
export const PLACES: ReadonlyMap<string, readonly Place[]> = placesByKey();

/** Longest text of a role that is text, in UTF-16 units. */
export const TEXT_MAX: Readonly<Partial<Record<Role, number>>> = {
  model: 255,
  session: 512,
  sessionName: 255,
  capabilityId: 255,
  capabilityName: 255,
  capabilitySlug: 255,
  behaviour: 255,
  terminalKind: 64,
  operation: 512,
  spanType: 40,
  spanKind: 40,
  operationKind: 40,
};

/** Kinds of other conventions in our words; a kind not listed is kept as it is, in lower case. */
export const SPAN_TYPES: ReadonlyMap<string, string> = new Map([
  ['llm', 'llm_call'],
  ['tool', 'tool_call'],
  ['retriever', 'retrieval'],
  ['reranker', 'retrieval'],
  ['chain', 'workflow'],
  ['agent', 'workflow'],
  ['workflow', 'workflow'],
  ['task', 'function'],
  ['guardrail', 'function'],
  ['evaluator', 'function'],
  ['prompt', 'function'],
]);

export const OPERATION_TYPES: ReadonlyMap<string, string> = new Map([
  ['chat', 'llm_call'],
  ['completion', 'llm_call'],
  ['text_completion', 'llm_call'],
  ['generate_content', 'llm_call'],
  ['embeddings', 'embedding'],
  ['embedding', 'embedding'],
  ['rerank', 'retrieval'],
  ['retrieval', 'retrieval'],
  ['execute_tool', 'tool_call'],
  ['invoke_agent', 'workflow'],
  ['create_agent', 'workflow'],
  ['invoke_workflow', 'workflow'],
]);

function placesByKey(): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  // because Object.entries forgets that the keys are roles
  for (const [role, keys] of Object.entries(KEYS) as [Role, readonly string[]][]) {
    keys.forEach((key, place) => places.set(key, [...(places.get(key) ?? []), { role, place }]));
  }
  return places;
}
