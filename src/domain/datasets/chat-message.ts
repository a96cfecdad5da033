import { parseRecorded, recordedText } from './recorded-json.ts';
import type { Json, JsonFields } from './trace-source.ts';

export type ChatRole = 'system' | 'user' | 'assistant' | 'tool';

export interface ToolCall {
  readonly id?: string;
  readonly type: 'function';
  /** `arguments` is JSON text, as model APIs take it. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One turn in the form chat APIs and fine-tuning take. */
export interface ChatMessage {
  readonly role: ChatRole;
  /** Text, or the parts of a turn that is not only text; null when the turn only calls tools. */
  readonly content: string | readonly Json[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

const ROLES: Readonly<Record<string, ChatRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/**
 * The turns that one recorded message stands for. Libraries nest the same thing differently (`parts`, `contents`,
 * `message.content`, three spellings of a tool call); a message with several tool results becomes one turn each.
 */
export function chatMessages(recorded: Json, fallbackRole: ChatRole): readonly ChatMessage[] {
  const raw = fieldsOf(recorded);
  if (raw === undefined)
    return typeof recorded === 'string' && recorded !== '' ? [{ role: fallbackRole, content: recorded }] : [];
  const message = fieldsOf(raw['message']) ?? raw;
  const role = roleOf(message['role']) ?? fallbackRole;
  const parts = partsOf(message);
  const results = parts.flatMap(toolResult);
  const calls = [...listOf(message['tool_calls']), ...parts.filter(isToolCall)].flatMap(toolCall);
  const content = contentOf(message, parts);
  if (results.length > 0)
    return content === null && calls.length === 0 ? results : [...results, turn(role, content, calls, message)];
  return content === null && calls.length === 0 ? [] : [turn(role, content, calls, message)];
}

/** A function description as model APIs take it; undefined when it has no name. */
export function toolDefinition(recorded: Json): JsonFields | undefined {
  const outer = fieldsOf(recorded);
  if (outer === undefined) return undefined;
  const schema = fieldsOf(outer['tool']) ?? outer;
  const described = fieldsOf(schema['json_schema']) ?? schema;
  const body = fieldsOf(described['function']) ?? described;
  const name = body['name'];
  if (typeof name !== 'string' || name === '') return undefined;
  const parameters = fieldsOf(body['parameters']) ?? fieldsOf(body['input_schema']) ?? fieldsOf(body['inputSchema']);
  const description = body['description'];
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(parameters && { parameters }),
    },
  };
}

/** An object, also when an exporter sent it as JSON text. */
export function fieldsOf(value: Json | undefined): JsonFields | undefined {
  const parsed = typeof value === 'string' && value.trimStart().startsWith('{') ? parseRecorded(value) : value;
  // because an object that is no array is a record of JSON values
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as JsonFields) : undefined;
}

/** A list, also when an exporter sent it as JSON text. */
export function listOf(value: Json | undefined): readonly Json[] {
  const parsed = typeof value === 'string' && value.trimStart().startsWith('[') ? parseRecorded(value) : value;
  // because Array.isArray does not narrow readonly arrays
  return Array.isArray(parsed) ? (parsed as readonly Json[]) : [];
}

export function textOf(content: ChatMessage['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content
    .map((part) => partText(part) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

function turn(
  role: ChatRole,
  content: ChatMessage['content'],
  calls: readonly ToolCall[],
  message: JsonFields,
): ChatMessage {
  const callId = message['tool_call_id'] ?? (role === 'tool' ? message['id'] : undefined);
  const name = message['name'];
  return {
    role,
    content,
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof callId === 'string' && role === 'tool' && { tool_call_id: callId }),
  };
}

function roleOf(value: Json | undefined): ChatRole | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return Object.hasOwn(ROLES, word) ? ROLES[word] : undefined;
}

function partsOf(message: JsonFields): readonly JsonFields[] {
  const parts = [...listOf(message['parts']), ...listOf(message['contents']), ...listOf(message['content'])];
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    const fields = fieldsOf(part);
    return fields === undefined ? [] : [fieldsOf(fields['message_content']) ?? fields];
  });
}

function contentOf(message: JsonFields, parts: readonly JsonFields[]): ChatMessage['content'] {
  const said = parts.filter((part) => !isToolCall(part) && toolResult(part).length === 0);
  if (said.length > 0) {
    const texts = said.map(partText);
    return texts.every((text) => text !== undefined) ? texts.join('\n') : said;
  }
  const content = message['content'];
  if (parts.length > 0 || content === undefined || content === null || content === '') return null;
  return typeof content === 'string' ? content : recordedText(content);
}

function partText(part: Json): string | undefined {
  const fields = fieldsOf(part);
  const type = fields?.['type'] ?? 'text';
  if (fields === undefined || (type !== 'text' && type !== 'input_text' && type !== 'output_text')) return undefined;
  const text = fields['text'] ?? fields['content'];
  return typeof text === 'string' ? text : undefined;
}

function isToolCall(part: JsonFields): boolean {
  return part['type'] === 'tool_call' || part['type'] === 'tool_use' || part['type'] === 'tool-call';
}

function toolCall(recorded: Json): readonly ToolCall[] {
  const outer = fieldsOf(recorded);
  const call = fieldsOf(outer?.['tool_call']) ?? outer;
  if (call === undefined) return [];
  const body = fieldsOf(call['function']) ?? call;
  const name = body['name'] ?? body['toolName'];
  if (typeof name !== 'string' || name === '') return [];
  const id = call['id'] ?? call['toolCallId'];
  const given = body['arguments'] ?? body['input'] ?? body['args'] ?? {};
  return [
    {
      ...(typeof id === 'string' && id !== '' && { id }),
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : recordedText(given) },
    },
  ];
}

function toolResult(part: JsonFields): readonly ChatMessage[] {
  const type = part['type'];
  if (type !== 'tool_call_response' && type !== 'tool_result' && type !== 'tool-result') return [];
  const id = part['id'] ?? part['tool_use_id'] ?? part['toolCallId'];
  const given = part['response'] ?? part['result'] ?? part['content'] ?? part['output'] ?? '';
  const content = typeof given === 'string' ? given : recordedText(given);
  return [{ role: 'tool', content, ...(typeof id === 'string' && { tool_call_id: id }) }];
}
