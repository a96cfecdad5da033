/** A span as the roll-up of a unit needs it. */
export interface UnitSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly rank: string;
  readonly model?: string;
  readonly totalTokens?: number;
  readonly cost?: number;
}

export interface UnitTotals {
  readonly model?: string;
  readonly totalTokens?: number;
  readonly cost?: number;
}

/**
 * What the work under one span cost: the sums over the span and everything below it, and the model that was called
 * first. Made anew from all stored spans of the trace, so late children and late parents count like early ones.
 */
export function totalsBelow(
  spans: readonly UnitSpan[],
  unitSpanIds: readonly string[],
): ReadonlyMap<string, UnitTotals> {
  const children = new Map<string, UnitSpan[]>();
  const byId = new Map<string, UnitSpan>();
  for (const span of spans) {
    byId.set(span.spanId, span);
    if (span.parentSpanId === undefined) continue;
    const siblings = children.get(span.parentSpanId);
    if (siblings === undefined) children.set(span.parentSpanId, [span]);
    else siblings.push(span);
  }
  const totals = new Map<string, UnitTotals>();
  for (const id of unitSpanIds) {
    const unit = byId.get(id);
    if (unit !== undefined) totals.set(id, sum(below(unit, children)));
  }
  return totals;
}

/** Walks without recursion and visits each span once: parents that form a ring must neither hang nor overflow. */
function below(unit: UnitSpan, children: ReadonlyMap<string, readonly UnitSpan[]>): readonly UnitSpan[] {
  const seen = new Set([unit.spanId]);
  const found = [unit];
  for (let at = 0; at < found.length; at += 1) {
    for (const child of children.get(found[at]?.spanId ?? '') ?? []) {
      if (seen.has(child.spanId)) continue;
      seen.add(child.spanId);
      found.push(child);
    }
  }
  // One order of adding, so that floating point gives one sum.
  return found.sort((left, right) => (left.rank < right.rank ? -1 : 1));
}

function sum(spans: readonly UnitSpan[]): UnitTotals {
  const model = spans.find((span) => span.model !== undefined)?.model;
  const tokens = spans.flatMap((span) => span.totalTokens ?? []);
  const costs = spans.flatMap((span) => span.cost ?? []);
  return {
    ...(model !== undefined && { model }),
    ...(tokens.length > 0 && { totalTokens: tokens.reduce((left, right) => left + right) }),
    ...(costs.length > 0 && { cost: costs.reduce((left, right) => left + right) }),
  };
}
