import { randomBytes } from 'node:crypto';

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** A span as a test writes it; what it leaves out is random or plain. */
export interface SpanLike {
  readonly trace?: string;
  readonly id?: string;
  readonly parent?: string;
  readonly name?: string;
  readonly kind?: number | string;
  /** Nanoseconds. */
  readonly start?: string | number | bigint;
  readonly durationMs?: number;
  readonly status?: { readonly code?: number | string; readonly message?: string };
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly events?: readonly { readonly name: string; readonly attributes?: Readonly<Record<string, Value>> }[];
}

export const traceId = (): string => randomBytes(16).toString('hex');
export const spanId = (): string => randomBytes(8).toString('hex');

const START = 1_762_500_000_000_000_000n;

/** The span in the JSON mapping of OTLP. */
export function otlpSpan(span: SpanLike): Record<string, unknown> {
  const start = BigInt(span.start ?? START);
  const durationNs = BigInt(Math.round((span.durationMs ?? 5) * 1_000_000));
  return {
    traceId: span.trace ?? traceId(),
    spanId: span.id ?? spanId(),
    ...(span.parent !== undefined && { parentSpanId: span.parent }),
    name: span.name ?? 'step',
    kind: span.kind ?? 1,
    startTimeUnixNano: start.toString(),
    endTimeUnixNano: (start + durationNs).toString(),
    attributes: keyValues(span.attributes ?? {}),
    ...(span.events !== undefined && {
      events: span.events.map((event) => ({
        name: event.name,
        timeUnixNano: start.toString(),
        attributes: keyValues(event.attributes ?? {}),
      })),
    }),
    ...(span.status !== undefined && { status: span.status }),
  };
}

/** One export request around raw spans. */
export function otlpExport(
  spans: readonly unknown[],
  resource: Readonly<Record<string, Value>> = { 'service.name': 'support-agent' },
): Record<string, unknown> {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'tests', version: '1' }, spans }],
      },
    ],
  };
}

function keyValues(attributes: Readonly<Record<string, Value>>): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Value): Record<string, unknown> {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (isList(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value) } };
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
