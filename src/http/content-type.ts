import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

/** `application/json`, in UTF-8 when a charset is named. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?;?[ \t]*$/i;

export function isJson(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  if (type === undefined) return false;
  return type === 'application/json' || JSON_TYPE.test(type);
}

/** Whether the body is sent as it is. */
export function isUnencoded(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding.toLowerCase() === 'identity';
}

export function notJson(): Refusal {
  return new Refusal(415, 'invalid_request', 'Content-Type must be application/json, in UTF-8 and not compressed.');
}
