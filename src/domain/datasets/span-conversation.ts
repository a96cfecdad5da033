import { chatMessages, fieldsOf, listOf, toolDefinition } from './chat-message.ts';
import type { ChatMessage, ChatRole } from './chat-message.ts';
import type { Json, JsonFields, SourceSpan } from './trace-source.ts';

/** What one model call was told and what it said. */
export interface SpanConversation {
  readonly input: readonly ChatMessage[];
  readonly output: readonly ChatMessage[];
  readonly tools: readonly JsonFields[];
}

/*
 * Where instrumentation keeps messages: OpenTelemetry GenAI (attributes, and events of older versions),
 * OpenInference and OpenLLMetry (one attribute per field, with the index in the name), the Vercel AI SDK.
 */
const INPUT_LISTS = [
  'overmind.messages',
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'gen_ai.prompt',
  'llm.prompts',
];
const OUTPUT_LISTS = ['gen_ai.output.messages', 'gen_ai.completion', 'llm.completions'];
const INPUT_FIELDS = ['llm.input_messages', 'gen_ai.prompt', 'gen_ai.input.messages'];
const OUTPUT_FIELDS = ['llm.output_messages', 'gen_ai.completion', 'gen_ai.output.messages'];
const TOOL_LISTS = ['gen_ai.tool.definitions', 'gen_ai.request.tools', 'ai.prompt.tools'];
const TOOL_FIELDS = ['llm.tools', 'llm.request.functions', 'gen_ai.tool.definitions'];
const EVENT_ROLES: Readonly<Record<string, ChatRole>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
};
const INDEX_MAX = 10_000;

export function conversationOf(span: SourceSpan): SpanConversation {
  const attributes = withDetails(span);
  const system = listOf(attributes['gen_ai.system_instructions']);
  const input = firstFilled([
    () => listed(attributes, INPUT_LISTS, 'user'),
    () => numbered(attributes, INPUT_FIELDS, 'user'),
    () => inputEvents(span),
  ]);
  const output = firstFilled([
    () => listed(attributes, OUTPUT_LISTS, 'assistant'),
    () => numbered(attributes, OUTPUT_FIELDS, 'assistant'),
    () => choiceEvents(span),
    () => vercelAnswer(attributes),
  ]);
  const instructions = system.length > 0 ? chatMessages({ role: 'system', parts: system }, 'system') : [];
  return { input: [...instructions, ...input], output, tools: toolsOf(attributes) };
}

/** The newest GenAI convention may put everything into one event instead of the span. */
function withDetails(span: SourceSpan): JsonFields {
  const details = span.events.filter(
    ({ name }) => name === 'gen_ai.client.inference.operation.details' || name.startsWith('gen_ai.content.'),
  );
  return Object.assign({}, ...details.map(({ attributes }) => attributes), span.attributes);
}

function listed(attributes: JsonFields, keys: readonly string[], role: ChatRole): readonly ChatMessage[] {
  for (const key of keys) {
    const list = listOf(attributes[key]);
    const messages = list.flatMap((item) => chatMessages(item, role));
    if (messages.length > 0) return messages;
  }
  return [];
}

function numbered(attributes: JsonFields, prefixes: readonly string[], role: ChatRole): readonly ChatMessage[] {
  for (const prefix of prefixes) {
    const messages = listOf(unflatten(attributes, prefix)).flatMap((item) => chatMessages(item, role));
    if (messages.length > 0) return messages;
  }
  return [];
}

function inputEvents(span: SourceSpan): readonly ChatMessage[] {
  return span.events.flatMap(({ name, attributes }) => {
    const role = Object.hasOwn(EVENT_ROLES, name) ? EVENT_ROLES[name] : undefined;
    return role === undefined ? [] : chatMessages(eventMessage(attributes), role);
  });
}

function choiceEvents(span: SourceSpan): readonly ChatMessage[] {
  const choices = span.events.filter(({ name }) => name === 'gen_ai.choice');
  return choices.flatMap(({ attributes }) => chatMessages(eventMessage(attributes), 'assistant'));
}

function eventMessage(attributes: JsonFields): Json {
  return fieldsOf(attributes['message']) ?? fieldsOf(attributes['body']) ?? attributes;
}

function vercelAnswer(attributes: JsonFields): readonly ChatMessage[] {
  const content = attributes['ai.response.text'] ?? attributes['ai.response.object'] ?? null;
  const calls = listOf(attributes['ai.response.toolCalls']);
  return content === null && calls.length === 0 ? [] : chatMessages({ content, tool_calls: calls }, 'assistant');
}

function toolsOf(attributes: JsonFields): readonly JsonFields[] {
  const lists = [
    ...TOOL_LISTS.map((key) => listOf(attributes[key])),
    ...TOOL_FIELDS.map((prefix) => listOf(unflatten(attributes, prefix))),
  ];
  for (const list of lists) {
    const tools = list.map(toolDefinition).filter((tool) => tool !== undefined);
    if (tools.length > 0) return tools;
  }
  return [];
}

/** `prefix.0.role`, `prefix.0.content`, `prefix.1.role` … as a list of objects; undefined without such attributes. */
function unflatten(attributes: JsonFields, prefix: string): Json | undefined {
  const root: Branch = { children: new Map() };
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    let branch = root;
    for (const step of name.slice(prefix.length + 1).split('.')) {
      const next: Branch = branch.children.get(step) ?? { children: new Map() };
      branch.children.set(step, next);
      branch = next;
    }
    branch.value = value;
  }
  return root.children.size === 0 ? undefined : grown(root);
}

interface Branch {
  value?: Json;
  readonly children: Map<string, Branch>;
}

function grown(branch: Branch): Json {
  if (branch.children.size === 0) return branch.value ?? null;
  const entries = [...branch.children];
  if (!entries.every(([step]) => /^\d+$/.test(step) && Number(step) < INDEX_MAX)) {
    return Object.fromEntries(entries.map(([step, child]) => [step, grown(child)]));
  }
  return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, child]) => grown(child));
}

function firstFilled(ways: readonly (() => readonly ChatMessage[])[]): readonly ChatMessage[] {
  for (const way of ways) {
    const messages = way();
    if (messages.length > 0) return messages;
  }
  return [];
}
