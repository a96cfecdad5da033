import type { BoundedSpan } from '../domain/observability/index.ts';

/** Units across one bar; the drawing scales to whatever room there is. */
const WIDTH = 1_000;
/** A span too short to be seen still gets this much. */
const NARROWEST = 4;
const DEEPEST = 8;

export interface WaterfallRow {
  readonly span: BoundedSpan;
  /** Steps below the root, at most `DEEPEST`. */
  readonly depth: number;
  readonly x: number;
  readonly width: number;
  readonly failed: boolean;
  /** Since the first span of the page. */
  readonly offsetMs: number;
}

export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  readonly totalMs: number;
}

/** Bars of the spans on one time axis, children under their parents in order of start. */
export function waterfallOf(spans: readonly BoundedSpan[]): Waterfall {
  const first = spans.reduce((least, span) => minOf(least, BigInt(span.startNs)), BigInt(spans[0]?.startNs ?? 0));
  const last = spans.reduce((most, span) => maxOf(most, BigInt(span.endNs)), first);
  const totalNs = Number(last - first);
  const scale = totalNs === 0 ? 0 : WIDTH / totalNs;
  const rows = inTreeOrder(spans).map(({ span, depth }): WaterfallRow => {
    const offsetNs = Number(BigInt(span.startNs) - first);
    const width = Math.max(NARROWEST, Math.round(Number(BigInt(span.endNs) - BigInt(span.startNs)) * scale));
    return {
      span,
      depth: Math.min(depth, DEEPEST),
      x: Math.min(WIDTH - NARROWEST, Math.round(offsetNs * scale)),
      width: Math.min(width, WIDTH),
      failed: span.statusCode === 2,
      offsetMs: offsetNs / 1_000_000,
    };
  });
  return { rows, totalMs: totalNs / 1_000_000 };
}

/** Spans whose parent is missing, or that name each other as parents, still appear, once each. */
function inTreeOrder(spans: readonly BoundedSpan[]): readonly { readonly span: BoundedSpan; readonly depth: number }[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, BoundedSpan[]>();
  const roots: BoundedSpan[] = [];
  for (const span of spans) {
    const parent = span.parentSpanId;
    if (parent === undefined || !ids.has(parent) || parent === span.spanId) roots.push(span);
    else children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const ordered: { span: BoundedSpan; depth: number }[] = [];
  const seen = new Set<string>();
  const stack = roots.toReversed().map((span) => ({ span, depth: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next.span.spanId)) continue;
    seen.add(next.span.spanId);
    ordered.push(next);
    const { depth } = next;
    for (const child of (children.get(next.span.spanId) ?? []).toReversed())
      stack.push({ span: child, depth: depth + 1 });
  }
  return [...ordered, ...spans.filter(({ spanId }) => !seen.has(spanId)).map((span) => ({ span, depth: 0 }))];
}

function minOf(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function maxOf(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
