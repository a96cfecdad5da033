import type { BoundedSpan } from './span-bounds.ts';
import type { Span } from './span.ts';

/** One trace with a page of its spans in order of start. */
export interface TraceView {
  readonly traceId: string;
  readonly spanCount: number;
  readonly errorCount: number;
  readonly totalTokens?: number;
  readonly totalCost?: number;
  readonly session?: { readonly id: string; readonly externalId: string };
  /** Absent until a span without a parent is stored. */
  readonly root?: {
    readonly spanId: string;
    readonly name: string;
    readonly capabilitySlug?: string;
    readonly statusCode: number;
    readonly durationMs: number;
  };
  readonly spans: readonly BoundedSpan[];
  readonly nextCursor?: string;
}

/** A whole trace for those who make rows from traces; spans in order of start. */
export interface TraceWithSpans {
  readonly traceId: string;
  /** The span that speaks for the trace: its root, else the earliest. */
  readonly headSpanId: string;
  readonly name: string;
  readonly capabilityId?: string;
  readonly session?: string;
  readonly failed: boolean;
  readonly model?: string;
  readonly totalTokens?: number;
  readonly totalCost?: number;
  readonly startNs: string;
  readonly durationMs: number;
  readonly spans: readonly Span[];
  /** Spans that were left out because the trace has more than the reader takes. */
  readonly omittedSpans: number;
}

/** A failed trace, with what ended it. */
export interface TraceFailure {
  readonly traceId: string;
  readonly name: string;
  readonly message: string;
  readonly errorType?: string;
  readonly errorSpans: number;
  /** Names of the tools whose call failed, each once. */
  readonly tools: readonly string[];
  readonly startNs: string;
}
