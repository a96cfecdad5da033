import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { Observability, TraceListQuery } from '../../domain/observability/index.ts';
import { addressOf } from '../addresses.ts';
import type { Answer, ProjectVisit, View, Visits } from '../visit.ts';
import { waterfallOf } from '../waterfall.ts';

/** OpenTelemetry's word for it. A trace whose root came through has not failed, whatever it had to try again. */
const FAILED = 2;
const LISTED = 50;
const BY_START = { key: 'start_time_ns', descending: true } as const;
const SLOWEST = { key: 'duration_ns', descending: true } as const;
const FILTERS = ['search', 'capability', 'session', 'model', 'status', 'min_ms', 'order'] as const;
const HEALTH_DAYS = 7;
const FAILURES = 10;

export function tracePages({
  observability,
}: {
  readonly observability: Observability;
}): Pick<PageHandlers<Visits, Answer>, 'traces' | 'observability' | 'trace' | 'capability'> {
  const { traces, health, capabilities } = observability;
  return {
    traces: { show: (visit) => listTraces(observability, visit) },
    observability: {
      async show({ project }) {
        return { to: addressOf('traces', { projectId: project.id }) };
      },
    },
    trace: {
      async show({ project, params, query }) {
        const cursor = query.get('cursor') ?? '';
        const id = params['trace_id'] ?? '';
        const trace = await traces.read(project.id, id, cursor === '' ? undefined : cursor);
        return {
          view: 'trace',
          title: trace.root?.name ?? 'Trace',
          current: 'traces',
          data: {
            trace,
            isLater: cursor !== '',
            ...waterfallOf(trace.spans),
          },
        };
      },
    },
    capability: {
      async show({ project, params }) {
        const capability = await capabilities.require(project.id, params['capability'] ?? '');
        const [figures, found] = await Promise.all([
          health.inspect(project.id, { capability: capability.id, days: HEALTH_DAYS }),
          traces.failures(project.id, { capability: capability.id, sinceDays: HEALTH_DAYS, limit: FAILURES }),
        ]);
        return {
          view: 'capability',
          title: capability.name,
          current: 'traces',
          data: { capability, health: figures.health, failures: found.failures, truncated: found.truncated },
        };
      },
    },
  };
}

async function listTraces(
  { traces, feed, capabilities }: Observability,
  { project, query }: ProjectVisit,
): Promise<View> {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, (query.get(name) ?? '').slice(0, 200)]));
  const cursor = query.get('cursor') ?? '';
  const known = await capabilities.complete(project.id, '');
  // Taken before the list is read, so that a trace is on the page, in the stream, or in both.
  const end = cursor === '' ? await feed.end(project.id) : undefined;
  const page = await traces.list(project.id, { ...toQuery(filter), ...(cursor !== '' && { cursor }) });
  // Oldest first, as a chart is read.
  const points = page.rows.toReversed().map((row) => ({
    at: Number(BigInt(row.startNs) / 1_000_000n),
    name: row.name,
    tokens: row.totalTokens ?? 0,
    cost: row.totalCost ?? 0,
  }));
  return {
    view: 'traces',
    title: 'Traces',
    data: {
      rows: page.rows.map((row) => ({ ...row, startedAt: startOf(row.startNs), failed: row.statusCode === FAILED })),
      nextCursor: page.nextCursor,
      filter,
      capabilities: known.map((name) => ({ name, isChosen: name === filter['capability'] })),
      isFiltered: FILTERS.some((name) => filter[name] !== ''),
      isLater: cursor !== '',
      ...(end !== undefined && {
        live: `/api/v1/projects/${project.id}/traces/live?after=${encodeURIComponent(end)}`,
      }),
      points,
      totalTokens: points.reduce((sum, { tokens }) => sum + tokens, 0),
      totalCost: points.reduce((sum, { cost }) => sum + cost, 0),
    },
  };
}

function toQuery(filter: Readonly<Record<string, string | undefined>>): TraceListQuery {
  const { search, capability, session, model, status, min_ms: minMs, order } = filter;
  const minDurationMs = /^\d{1,9}$/.test(minMs ?? '') ? Number(minMs) : undefined;
  return {
    allSpans: false,
    ordering: order === 'slowest' ? SLOWEST : BY_START,
    limit: LISTED,
    ...(search && { search }),
    ...(capability && { capability }),
    ...(session && { session }),
    ...(model && { model }),
    ...(status === 'failed' && { hasError: true }),
    ...(status === 'ok' && { hasError: false }),
    ...(minDurationMs !== undefined && { minDurationMs }),
  };
}

function startOf(ns: string): string {
  return new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
}
