import { clip } from '../../kernel/bounded.ts';
import { attributesOf, isRecord, listOf, nanosOf, SpanRefusal, textOf } from './otlp-values.ts';
import { Meaning } from './semantic-attributes.ts';
import { errorOf } from './semantic-errors.ts';
import type { JsonObject, SpanDraft, SpanEvent, SpanLink, StatusCode } from './span.ts';
import type { TextTally } from './text-policy.ts';

/** What the spans of one resource and scope have in common. */
export interface SpanSurroundings {
  readonly resourceAttributes: JsonObject;
  /** What the resource says where a span says nothing. */
  readonly resourceMeaning: Meaning;
  readonly serviceName: string | undefined;
  readonly scopeName: string;
  readonly scopeVersion: string;
  /** Stands in for a start time the exporter did not set. */
  readonly receivedNs: bigint;
}

const KINDS: Readonly<Record<string, number>> = {
  SPAN_KIND_UNSPECIFIED: 0,
  SPAN_KIND_INTERNAL: 1,
  SPAN_KIND_SERVER: 2,
  SPAN_KIND_CLIENT: 3,
  SPAN_KIND_PRODUCER: 4,
  SPAN_KIND_CONSUMER: 5,
};
const STATUSES: Readonly<Record<string, StatusCode>> = {
  STATUS_CODE_UNSET: 0,
  STATUS_CODE_OK: 1,
  STATUS_CODE_ERROR: 2,
};

/** Reads one decoded OTLP span; throws SpanRefusal with the field at fault. */
export function readSpan(raw: unknown, around: SpanSurroundings, tally: TextTally): SpanDraft {
  if (!isRecord(raw)) throw new SpanRefusal('the span must be an object');
  const spanId = idOf(raw['spanId'], 'spanId', 16);
  const start = nanosOf(raw['startTimeUnixNano'], 'startTimeUnixNano');
  const end = nanosOf(raw['endTimeUnixNano'], 'endTimeUnixNano');
  const startNs = start === 0n ? (end === 0n ? around.receivedNs : end) : start;
  const attributes = attributesOf(raw['attributes'], 'attributes', tally);
  const events = listOf(raw['events'], 'events').map((event) => readEvent(event, tally));
  const status = statusOf(raw['status'], tally);
  const meaning = new Meaning(attributes);
  return {
    traceId: idOf(raw['traceId'], 'traceId', 32),
    spanId,
    parentSpanId: parentOf(raw['parentSpanId'], spanId),
    name: clip(textOf(raw['name'], 'name', tally), 512),
    kind: kindOf(raw['kind']),
    startNs,
    endNs: end === 0n ? startNs : end,
    statusCode: status.code,
    statusMessage: status.message,
    scopeName: around.scopeName,
    scopeVersion: around.scopeVersion,
    serviceName: around.serviceName,
    attributes,
    resourceAttributes: around.resourceAttributes,
    events,
    links: listOf(raw['links'], 'links').map((link) => readLink(link, tally)),
    spanType: meaning.spanType,
    operation: meaning.operation,
    usage: meaning.usage,
    session: meaning.session ?? around.resourceMeaning.session,
    // The span's claim wins over the resource's as a whole: half of each would name a third thing.
    capability: meaning.capability ?? around.resourceMeaning.capability,
    unit: meaning.unit,
    error: status.code === 2 ? errorOf(status.message, attributes, events) : undefined,
  };
}

/** Hexadecimal text of the JSON mapping in either case, or the bytes of the binary one. All zero is no id. */
function idOf(value: unknown, field: string, digits: 16 | 32): string {
  const id = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  const wellFormed = typeof id === 'string' && id.length === digits && /^[0-9a-fA-F]+$/.test(id);
  if (!wellFormed || /^0+$/.test(id)) {
    throw new SpanRefusal(`${field} must be ${digits} hexadecimal digits, not all zero`);
  }
  return id.toLowerCase();
}

/** A parent of zeros or of itself is what some exporters write for no parent. */
function parentOf(value: unknown, spanId: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (value instanceof Uint8Array && value.every((byte) => byte === 0)) return undefined;
  if (typeof value === 'string' && /^0+$/.test(value)) return undefined;
  const parent = idOf(value, 'parentSpanId', 16);
  return parent === spanId ? undefined : parent;
}

function kindOf(value: unknown): number {
  const kind = typeof value === 'string' && Object.hasOwn(KINDS, value) ? KINDS[value] : value;
  return typeof kind === 'number' && Number.isInteger(kind) && kind >= 0 && kind <= 5 ? kind : 0;
}

function statusOf(value: unknown, tally: TextTally): { code: StatusCode; message: string } {
  if (value === undefined || value === null) return { code: 0, message: '' };
  if (!isRecord(value)) throw new SpanRefusal('status must be an object');
  const message = clip(textOf(value['message'], 'status.message', tally), 4000);
  const code = value['code'];
  if (typeof code === 'string' && Object.hasOwn(STATUSES, code)) return { code: STATUSES[code] ?? 0, message };
  return { code: code === 1 || code === 2 ? code : 0, message };
}

export function serviceNameOf(resource: JsonObject): string | undefined {
  const name = resource['service.name'];
  return typeof name === 'string' && name !== '' ? clip(name, 255) : undefined;
}

function readEvent(raw: unknown, tally: TextTally): SpanEvent {
  if (!isRecord(raw)) throw new SpanRefusal('events must hold objects');
  return {
    timeNs: nanosOf(raw['timeUnixNano'], 'events.timeUnixNano').toString(),
    name: clip(textOf(raw['name'], 'events.name', tally), 512),
    attributes: attributesOf(raw['attributes'], 'events.attributes', tally),
  };
}

function readLink(raw: unknown, tally: TextTally): SpanLink {
  if (!isRecord(raw)) throw new SpanRefusal('links must hold objects');
  return {
    traceId: idOf(raw['traceId'], 'links.traceId', 32),
    spanId: idOf(raw['spanId'], 'links.spanId', 16),
    attributes: attributesOf(raw['attributes'], 'links.attributes', tally),
  };
}
