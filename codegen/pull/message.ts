import { isObject, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { oneLine, clip } from '../report/text.ts';
import { Refusal } from './refusal.ts';

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

export type Answer = { readonly result: JsonObject } | { readonly fault: RpcFault };

export function readJson(text: string, depth: number): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('not_mcp', `It answered something that is not JSON: ${quote(text)}`);
  }
  if (deeperThan(value, depth)) throw new Refusal('too_large', `It answered JSON nested deeper than ${depth} levels.`);
  return value;
}

/** The answer to the request `id`, or undefined when the message is another one: a notification or a request. */
export function answerTo(id: number, message: JsonValue): Answer | undefined {
  if (!isObject(message)) return undefined;
  const { error, result } = message;
  const about = message['id'];
  if (about !== id && !(about === null && isObject(error))) return undefined;
  if (isObject(error)) {
    const { code, data } = error;
    return {
      fault: {
        code: typeof code === 'number' ? code : 0,
        message: typeof error['message'] === 'string' ? error['message'] : 'no message',
        ...(data === undefined ? {} : { data }),
      },
    };
  }
  if (!isObject(result))
    throw new Refusal('not_mcp', 'It answered a JSON-RPC message that has neither result nor error.');
  return { result };
}

export function quote(text: string): string {
  return `“${clip(oneLine(text.trim()), 200)}”`;
}

/** Walks without recursion, because depth is what is in question. */
function deeperThan(value: JsonValue, depth: number): boolean {
  let level: readonly JsonValue[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return true;
    const next: JsonValue[] = [];
    for (const one of level) {
      if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) next.push(inner);
    }
    level = next;
  }
  return false;
}
