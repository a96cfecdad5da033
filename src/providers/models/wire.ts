import type { ModelCall, ModelMessage, ModelReply, ModelRequest, ModelUsage } from '../../domain/models/index.ts';
import { ModelFault } from '../../domain/models/index.ts';
import type { OpenAI } from 'openai';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** The request as the chat-completions protocol has it. */
export function toBody(model: string, request: ModelRequest): Body {
  return {
    model,
    messages: request.messages.map(toMessage),
    max_completion_tokens: request.maxOutputTokens,
    ...(request.functions.length > 0 && {
      tools: request.functions.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
  };
}

function toMessage(message: ModelMessage): Body['messages'][number] {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
    case 'function':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text === '' ? null : message.text,
        ...(message.calls.length > 0 && {
          tool_calls: message.calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
      };
  }
}

/** Reads what came back, whatever it is: a server that only claims to speak the protocol may send anything. */
export function toReply(answer: unknown): ModelReply {
  const choice = fields(list(fields(answer)?.['choices'])[0]);
  const message = fields(choice?.['message']);
  if (choice === undefined || message === undefined) throw unreadable();
  const { content, refusal } = message;
  const isRefused = (typeof refusal === 'string' && refusal !== '') || choice['finish_reason'] === 'content_filter';
  const text = typeof content === 'string' ? content : partsText(content);
  return {
    text,
    calls: isRefused ? [] : list(message['tool_calls']).flatMap(toCall),
    ending: isRefused ? 'refused' : choice['finish_reason'] === 'length' ? 'cut' : 'complete',
    ...usageOf(fields(answer)?.['usage']),
  };
}

export function unreadable(cause?: unknown): ModelFault {
  return new ModelFault('unreadable', 'The model provider answered with something that is no chat completion.', {
    cause,
  });
}

function toCall(raw: unknown): readonly ModelCall[] {
  const call = fields(raw);
  const called = fields(call?.['function']);
  const name = called?.['name'];
  if (typeof name !== 'string') return [];
  const id = call?.['id'];
  const given = called?.['arguments'];
  return [
    {
      id: typeof id === 'string' ? id : '',
      name,
      // Some servers send the arguments as an object instead of its text.
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    },
  ];
}

function usageOf(raw: unknown): { readonly usage?: ModelUsage } {
  const usage = fields(raw);
  const [input, output] = [usage?.['prompt_tokens'], usage?.['completion_tokens']];
  return isCount(input) && isCount(output) ? { usage: { inputTokens: input, outputTokens: output } } : {};
}

function partsText(content: unknown): string {
  return list(content)
    .map((part) => fields(part)?.['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function fields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // because an object that is no array is a record of unknown values
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
