import type { CapabilityClaim } from '../capabilities/index.ts';

/** JSON as it is stored; integers beyond 2^53 and non-finite numbers are strings. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** OTLP numbers: 0 unset, 1 ok, 2 error. */
export type StatusCode = 0 | 1 | 2;

export interface SpanEvent {
  readonly timeNs: string;
  readonly name: string;
  readonly attributes: JsonObject;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: JsonObject;
}

/** What one span says about money and models, read from its attributes. */
export interface SpanUsage {
  readonly model: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  /** US dollars. */
  readonly cost: number | undefined;
}

/** What went wrong in a span, from its status or its exception event. */
export interface SpanError {
  readonly message: string;
  readonly type?: string;
}

/** A span that is one run of a behaviour. */
export interface UnitMark {
  /** Empty when the program marks an entry point without naming the behaviour. */
  readonly behaviourKey: string;
  readonly terminalKind?: string;
  readonly interrupted: boolean;
}

/** A span as an exporter sent it, checked and understood but not yet placed in a project. Absent is `undefined`. */
export interface SpanDraft {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly statusCode: StatusCode;
  readonly statusMessage: string;
  readonly scopeName: string;
  readonly scopeVersion: string;
  readonly serviceName: string | undefined;
  readonly attributes: JsonObject;
  readonly resourceAttributes: JsonObject;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly spanType: string;
  readonly operation: string | undefined;
  readonly usage: SpanUsage;
  readonly session: { readonly externalId: string; readonly name?: string } | undefined;
  readonly capability: CapabilityClaim | undefined;
  readonly unit: UnitMark | undefined;
  readonly error: SpanError | undefined;
}

/** A stored span, as a trace shows it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly spanType: string;
  readonly operation?: string;
  readonly serviceName?: string;
  readonly statusCode: StatusCode;
  readonly statusMessage: string;
  readonly startNs: string;
  readonly endNs: string;
  readonly durationMs: number;
  readonly model?: string;
  readonly totalTokens?: number;
  readonly totalCost?: number;
  readonly attributes: JsonObject;
  readonly resourceAttributes: JsonObject;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
}
