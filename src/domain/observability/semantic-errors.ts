import { clip } from '../../kernel/bounded.ts';
import type { JsonObject, SpanError, SpanEvent } from './span.ts';

const MESSAGE_MAX = 500;
const TYPE_MAX = 255;

/** The error of a failed span: its status message, else its last exception; the type by the general conventions. */
export function errorOf(statusMessage: string, attributes: JsonObject, events: readonly SpanEvent[]): SpanError {
  const exception = events.findLast((event) => event.name === 'exception')?.attributes ?? {};
  const message = statusMessage.trim() || textOf(exception['exception.message']) || textOf(attributes['error.message']);
  const type = textOf(attributes['error.type']) || textOf(exception['exception.type']);
  return { message: clip(message, MESSAGE_MAX), ...(type !== '' && { type: clip(type, TYPE_MAX) }) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
