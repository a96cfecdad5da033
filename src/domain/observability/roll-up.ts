import type { SpanError, StatusCode } from './span.ts';

/** The greatest time a bigint column can hold. */
const MAX_NS = 9_223_372_036_854_775_807n;

/** What a trace's row needs to know about one of its spans, once its capability and session have ids. */
export interface RolledSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly spanType: string;
  readonly operation: string | undefined;
  readonly serviceName: string | undefined;
  readonly statusCode: StatusCode;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly model: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  readonly cost: number | undefined;
  readonly capabilityId: string | undefined;
  readonly conversationId: string | undefined;
  readonly error: SpanError | undefined;
}

/** What some spans of one trace add to its row; adding is commutative, so batches may come in any order. */
export interface TraceDelta {
  readonly traceId: string;
  readonly head: RolledSpan;
  readonly headRank: string;
  readonly capability?: Ranked;
  readonly conversation?: Ranked;
  readonly model?: Ranked;
  readonly error?: RankedError;
  /** Some of the spans name no capability. */
  readonly hasBareSpans: boolean;
  readonly spanCount: number;
  readonly errorCount: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly costs: readonly number[];
  /** By name of the model. */
  readonly calls?: ReadonlyMap<string, ModelCalls>;
  readonly firstStartNs: bigint;
  readonly lastEndNs: bigint;
}

/** The calls of one model. */
export interface ModelCalls {
  readonly calls: number;
  readonly errors: number;
  readonly totalTokens: number;
  readonly costs: readonly number[];
}

/** A value that belongs to the span with the smallest rank. */
interface Ranked {
  readonly rank: string;
  readonly value: string;
}

interface RankedError {
  readonly rank: string;
  readonly message: string;
  readonly type?: string;
}

/**
 * Who speaks for a trace: a root before any span with a parent, then the earliest, then the smallest id. Ranks
 * compare as plain text. A span of another process that joins later has a parent, so it never renames the trace.
 */
export function rankOf(span: Pick<RolledSpan, 'parentSpanId' | 'startNs' | 'spanId'>): string {
  const level = span.parentSpanId === undefined ? '0' : '1';
  return `${level}${span.startNs.toString().padStart(19, '0')}${span.spanId}`;
}

/**
 * Which error ended a trace: the root's own when it says what happened, else that of the failed span that ended last.
 * Spans without a message come after all others.
 */
function errorRankOf(span: Pick<RolledSpan, 'parentSpanId' | 'endNs' | 'spanId'>, message: string): string {
  const level = message === '' ? '2' : span.parentSpanId === undefined ? '0' : '1';
  return `${level}${(MAX_NS - span.endNs).toString().padStart(19, '0')}${span.spanId}`;
}

export function durationOf(span: Pick<RolledSpan, 'startNs' | 'endNs'>): bigint {
  return span.endNs > span.startNs ? span.endNs - span.startNs : 0n;
}

/** Groups spans by trace, in the order of trace ids so that parallel batches take row locks in one order. */
export function rollUp(spans: readonly RolledSpan[]): readonly TraceDelta[] {
  const deltas = new Map<string, MutableDelta>();
  for (const span of spans) {
    const rank = rankOf(span);
    const delta = deltas.get(span.traceId);
    if (delta === undefined) deltas.set(span.traceId, start(span, rank));
    else add(delta, span, rank);
  }
  return [...deltas.values()].sort((left, right) => (left.traceId < right.traceId ? -1 : 1));
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type MutableCalls = Mutable<ModelCalls> & { costs: number[] };
type MutableDelta = Mutable<TraceDelta> & { costs: number[]; calls?: Map<string, MutableCalls> };

function start(span: RolledSpan, rank: string): MutableDelta {
  const delta: MutableDelta = {
    traceId: span.traceId,
    head: span,
    headRank: rank,
    hasBareSpans: false,
    spanCount: 0,
    errorCount: 0,
    costs: [],
    firstStartNs: span.startNs,
    lastEndNs: span.endNs,
  };
  add(delta, span, rank);
  return delta;
}

function add(delta: MutableDelta, span: RolledSpan, rank: string): void {
  if (rank < delta.headRank) {
    delta.head = span;
    delta.headRank = rank;
  }
  const { capabilityId, conversationId, model } = span;
  if (capabilityId === undefined) delta.hasBareSpans = true;
  else if (isBefore(rank, delta.capability)) delta.capability = { rank, value: capabilityId };
  if (conversationId !== undefined && isBefore(rank, delta.conversation)) {
    delta.conversation = { rank, value: conversationId };
  }
  if (model !== undefined) {
    if (isBefore(rank, delta.model)) delta.model = { rank, value: model };
    addCall((delta.calls ??= new Map()), model, span);
  }
  if (span.error !== undefined) {
    const error = { rank: errorRankOf(span, span.error.message), ...span.error };
    if (isBefore(error.rank, delta.error)) delta.error = error;
  }
  delta.spanCount += 1;
  delta.errorCount += span.statusCode === 2 ? 1 : 0;
  if (span.inputTokens !== undefined) delta.inputTokens = (delta.inputTokens ?? 0) + span.inputTokens;
  if (span.outputTokens !== undefined) delta.outputTokens = (delta.outputTokens ?? 0) + span.outputTokens;
  if (span.totalTokens !== undefined) delta.totalTokens = (delta.totalTokens ?? 0) + span.totalTokens;
  if (span.cost !== undefined) delta.costs.push(span.cost);
  if (span.startNs < delta.firstStartNs) delta.firstStartNs = span.startNs;
  if (span.endNs > delta.lastEndNs) delta.lastEndNs = span.endNs;
}

function addCall(calls: Map<string, MutableCalls>, model: string, span: RolledSpan): void {
  const sums = calls.get(model) ?? { calls: 0, errors: 0, totalTokens: 0, costs: [] };
  calls.set(model, sums);
  sums.calls += 1;
  sums.errors += span.statusCode === 2 ? 1 : 0;
  sums.totalTokens += span.totalTokens ?? 0;
  if (span.cost !== undefined) sums.costs.push(span.cost);
}

function isBefore(rank: string, best: { readonly rank: string } | undefined): boolean {
  return best === undefined || rank < best.rank;
}
