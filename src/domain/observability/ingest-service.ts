import type { Db, Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import { claimKey, type CapabilityService } from '../capabilities/index.ts';
import { BatchSessions, SessionMadeElsewhere } from './batch-sessions.ts';
import { rollUp, type RolledSpan } from './roll-up.ts';
import type { SpanDraft } from './span.ts';
import { spanKey, SpanRepository, type PlacedSpan } from './span-repository.ts';
import type { SpanWeeks } from './span-weeks.ts';
import { TaskExecutionRepository } from './task-execution-repository.ts';
import { TraceRepository } from './trace-repository.ts';
import { totalsBelow } from './unit-roll-up.ts';

export interface IngestServiceParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly newId: IdMaker;
  readonly capabilities: CapabilityService;
  readonly weeks: SpanWeeks;
}

/** Some spans of the batch came in another week before; it is taken again without them. */
class StoredElsewhere extends Error {
  readonly keys: ReadonlySet<string>;

  constructor(keys: ReadonlySet<string>) {
    super('Some spans are stored already.');
    this.keys = keys;
  }
}

export interface IngestOutcome {
  /** Spans that were not stored before. */
  readonly stored: number;
  /** Spans that were, or that the batch holds twice; the first version of a span stays. */
  readonly duplicates: number;
}

/**
 * Takes spans into a project. One batch is one transaction: the spans, their traces' rows, capabilities, sessions and
 * task executions become visible together, or none of them. Idempotent by trace and span id, so an exporter may
 * send a batch again whenever it is unsure.
 */
export class IngestService {
  readonly #parts: IngestServiceParts;

  constructor(parts: IngestServiceParts) {
    this.#parts = parts;
  }

  async ingest(projectId: string, spans: readonly SpanDraft[]): Promise<IngestOutcome> {
    let drafts = sortedAndUnique(spans);
    for (;;) {
      if (drafts.length === 0) return { stored: 0, duplicates: spans.length };
      try {
        const stored = await this.#parts.db.transaction((tx) => this.#store(tx, projectId, drafts));
        return { stored, duplicates: spans.length - stored };
      } catch (error) {
        if (error instanceof StoredElsewhere) drafts = drafts.filter((draft) => !error.keys.has(spanKey(draft)));
        else if (!(error instanceof SessionMadeElsewhere)) throw error;
      }
    }
  }

  async #store(tx: Tx, projectId: string, drafts: readonly SpanDraft[]): Promise<number> {
    const receivedAt = this.#parts.clock.now();
    const { table, week } = await this.#parts.weeks.placeFor(tx, receivedAt);
    const { placed, sessions } = await this.#place(tx, projectId, drafts);
    const spans = new SpanRepository(tx);
    const newKeys = await spans.insertNew(projectId, placed, { table, receivedAt });
    const fresh = placed.filter(({ draft }) => newKeys.has(spanKey(draft)));
    if (fresh.length === 0) return 0;
    await sessions.store(receivedAt);
    const deltas = rollUp(fresh.map(toRolledSpan));
    const reaching = await new TraceRepository(tx).add(projectId, deltas, receivedAt, week);
    if (reaching.size > 0) {
      // The traces' rows are locked by now, so whoever stores the same span in another week is done or waits for us.
      const suspects = fresh.flatMap(({ draft }) => (reaching.has(draft.traceId) ? [draft] : []));
      const keys = await spans.storedElsewhere(projectId, suspects, table);
      if (keys.size > 0) throw new StoredElsewhere(keys);
    }
    const traceIds = deltas.map((delta) => delta.traceId);
    await this.#updateExecutions(tx, projectId, fresh, traceIds, receivedAt);
    return fresh.length;
  }

  /** Finds or makes the capability that each span names, and says which session it belongs to. */
  async #place(
    tx: Tx,
    projectId: string,
    drafts: readonly SpanDraft[],
  ): Promise<{ readonly placed: readonly PlacedSpan[]; readonly sessions: BatchSessions }> {
    const claims = drafts.flatMap((draft) => draft.capability ?? []);
    const capabilityIds = await this.#parts.capabilities.claim(tx, projectId, claims);
    const withCapability = drafts.map((draft) => ({
      draft,
      capabilityId: draft.capability && capabilityIds.get(claimKey(draft.capability)),
    }));
    const sessions = await BatchSessions.of(tx, projectId, withCapability);
    const placed = withCapability.map((span) => ({ ...span, conversationId: sessions.idOf(span.draft) }));
    return { placed, sessions };
  }

  /**
   * Makes the executions of new unit spans, and the totals of all executions whose traces grew. The trace rows are
   * locked by now, so two batches of one trace do this one after the other, and the later one sees everything.
   */
  async #updateExecutions(
    tx: Tx,
    projectId: string,
    fresh: readonly PlacedSpan[],
    traceIds: readonly string[],
    at: Date,
  ): Promise<void> {
    const executions = new TaskExecutionRepository(tx);
    const units = fresh.filter(({ draft }) => draft.unit !== undefined);
    if (units.length > 0) {
      await executions.insert(
        projectId,
        units.map(({ draft }) => ({ id: this.#parts.newId(), draft })),
        at,
      );
    }
    const stored = await executions.unitsOf(projectId, traceIds);
    if (stored.length === 0) return;
    const unknown = await executions.unknownBehaviours(projectId, stored);
    if (unknown.length > 0) {
      const behaviours = unknown.map((behaviour) => ({ id: this.#parts.newId(), ...behaviour }));
      await executions.insertBehaviours(projectId, behaviours, at);
    }
    const spans = await executions.spansOf(projectId, [...new Set(stored.map((unit) => unit.traceId))]);
    const withTotals = [...spans].flatMap(([traceId, spansOfTrace]) => {
      const unitSpanIds = stored.filter((unit) => unit.traceId === traceId).map((unit) => unit.unitSpanId);
      const totals = totalsBelow(spansOfTrace, unitSpanIds);
      return [...totals].map(([unitSpanId, unitTotals]) => ({ traceId, unitSpanId, totals: unitTotals }));
    });
    await executions.setTotals(projectId, withTotals);
  }
}

/** One order for every process, and the first version of a span that the batch holds twice. */
function sortedAndUnique(spans: readonly SpanDraft[]): readonly SpanDraft[] {
  const byKey = new Map<string, SpanDraft>();
  for (const span of spans) {
    const key = spanKey(span);
    if (!byKey.has(key)) byKey.set(key, span);
  }
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, span]) => span);
}

function toRolledSpan({ draft, capabilityId, conversationId }: PlacedSpan): RolledSpan {
  const { model, inputTokens, outputTokens, totalTokens, cost } = draft.usage;
  return {
    traceId: draft.traceId,
    spanId: draft.spanId,
    parentSpanId: draft.parentSpanId,
    name: draft.name,
    spanType: draft.spanType,
    operation: draft.operation,
    serviceName: draft.serviceName,
    statusCode: draft.statusCode,
    startNs: draft.startNs,
    endNs: draft.endNs,
    model,
    inputTokens,
    outputTokens,
    totalTokens,
    cost,
    error: draft.error,
    capabilityId,
    conversationId,
  };
}
