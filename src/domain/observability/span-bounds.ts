import { clipMarked } from '../../kernel/bounded.ts';
import { createRedactor, type Redactor } from '../../kernel/redact.ts';
import type { JsonObject, Span, SpanEvent } from './span.ts';

const EVENTS_MAX = 20;
const STATUS_MESSAGE_MAX = 500;

/**
 * What one span may take of a reading: together at most 15,000 characters, which is 45 kB where
 * each takes three bytes. Values are cut and marked where they are, secrets are taken out before the cut.
 */
const ATTRIBUTES = { maxDepth: 8, maxBreadth: 100, maxString: 8_000, maxBytes: 10_000 };
const RESOURCE = { maxDepth: 4, maxBreadth: 100, maxString: 1_000, maxBytes: 2_000 };
const EVENT = { maxDepth: 4, maxBreadth: 100, maxString: 2_000, maxBytes: 3_000 };

/** A span with what was left out of it. */
export interface BoundedSpan extends Span {
  readonly omittedEvents: number;
}

/** Makes spans small and clean enough to be read by an agent. */
export class SpanBounds {
  readonly #redactor: Redactor = createRedactor();

  text(text: string): string {
    return this.#redactor.text(text);
  }

  bound(span: Span): BoundedSpan {
    let left = EVENT.maxBytes;
    const events: SpanEvent[] = [];
    for (const event of span.events.slice(0, EVENTS_MAX)) {
      const attributes = this.#object(event.attributes, { ...EVENT, maxBytes: Math.max(left, 0) });
      left -= JSON.stringify(attributes).length;
      events.push({ ...event, name: this.text(event.name), attributes });
    }
    return {
      ...span,
      name: this.text(span.name),
      statusMessage: clipMarked(this.text(span.statusMessage), STATUS_MESSAGE_MAX),
      attributes: this.#object(span.attributes, ATTRIBUTES),
      resourceAttributes: this.#object(span.resourceAttributes, RESOURCE),
      events,
      omittedEvents: Math.max(0, span.events.length - EVENTS_MAX),
    };
  }

  #object(value: JsonObject, bounds: typeof ATTRIBUTES): JsonObject {
    // because a redacted copy of a JSON object is a JSON object
    return this.#redactor.value(value, bounds) as JsonObject;
  }
}
