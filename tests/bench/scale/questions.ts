import { isRare, spanIdOf, traceIdOf } from './traffic.ts';

/** One way of asking: the filter or ordering it stands for, and the tool with its arguments. */
export interface Question {
  readonly name: string;
  readonly tool: 'query_traces' | 'query_task_executions' | 'inspect_capability_health';
  readonly args: Readonly<Record<string, unknown>>;
  /** Of its pages the second is asked for, whose cursor the first one gives. */
  readonly isNextPage?: true;
}

const ORDERINGS = ['start_time_ns', 'duration_ns', 'received_at', 'name', 'status_code'].flatMap((key) => [
  key,
  `-${key}`,
]);

/**
 * Every filter with values that match much and little, and every ordering, of both lists; `traces` are stored. Of what
 * is rare a page holds no more rows than the smallest project has, since a page costs what its rows cost.
 */
export function questionsFor(traces: number, startNs: bigint): readonly Question[] {
  const some = Math.floor(traces / 2);
  const rare = [...Array(traces).keys()].find(isRare) ?? 0;
  const nsOf = (trace: number): string => (startNs + BigInt(trace) * 20_000_000n).toString();
  const filters: readonly (readonly [string, Record<string, unknown>])[] = [
    ['none', {}],
    ['capability', { capability: 'support-desk-2' }],
    ['capability, rare', { limit: 2, capability: 'recalls' }],
    ['session', { session: `chat-${Math.floor(some / 20)}` }],
    ['search a name', { search: 'ticket 7' }],
    ['search, rare', { limit: 2, search: 'recall notice' }],
    ['search a trace id', { search: traceIdOf(some) }],
    ['search, nothing', { search: 'no such words' }],
    ['trace_id', { trace_id: traceIdOf(some) }],
    ['span_id', { span_id: spanIdOf(some, 0) }],
    ['name', { name: 'handle ticket 3' }],
    ['name, rare', { limit: 2, name: 'handle recall notice' }],
    ['operation', { operation: 'chat' }],
    ['operation, rare', { limit: 2, operation: 'recall' }],
    ['service_name', { service_name: 'support-agent-1' }],
    ['service_name, rare', { limit: 2, service_name: 'recall-agent' }],
    ['span_type', { span_type: 'llm_call' }],
    ['span_type, rare', { limit: 2, span_type: 'recall' }],
    ['status error', { limit: 5, status: 'error' }],
    ['status_code 0', { status_code: 0 }],
    ['has_error', { limit: 5, has_error: true }],
    ['has_error not', { has_error: false }],
    ['model', { model: 'small-model' }],
    ['model, rare', { limit: 2, model: 'rare-model' }],
    ['has_model', { has_model: true }],
    ['has_model not', { has_model: false }],
    ['start_time_ns__gte', { start_time_ns__gte: nsOf(traces - 100) }],
    ['start_time_ns__lte', { start_time_ns__lte: nsOf(100) }],
    ['min_duration_ms', { limit: 1, min_duration_ms: 30_000 }],
    ['max_duration_ms', { limit: 1, max_duration_ms: 2 }],
    ['start_after', { start_after: '2020-01-01T00:00:00Z' }],
    ['start_before', { start_before: '2120-01-01T00:00:00Z' }],
    ['start_before, nothing', { start_before: '2020-01-01T00:00:00Z' }],
    ['total_tokens_gte', { limit: 2, total_tokens_gte: 40_000 }],
    ['total_tokens_lte', { limit: 1, total_tokens_lte: 5 }],
    ['total_cost_gte', { limit: 2, total_cost_gte: 0.04 }],
    ['total_cost_lte', { limit: 1, total_cost_lte: 0.000001 }],
    ['unbound', { unbound: true }],
    ['unbound not', { unbound: false }],
    ['span of a rare trace', { trace_id: traceIdOf(rare), all_spans: true }],
  ];
  const asked: readonly (readonly [string, Record<string, unknown>])[] = [
    ...filters,
    ...ORDERINGS.map((ordering) => [`order ${ordering}`, { ordering }] as const),
  ];
  return [
    ...asked.map(([name, args]): Question => {
      return { name: `traces: ${name}`, tool: 'query_traces', args: { limit: 20, ...args } };
    }),
    ...asked.map(([name, args]): Question => {
      return { name: `spans: ${name}`, tool: 'query_traces', args: { limit: 20, all_spans: true, ...args } };
    }),
    ...NEXT_PAGES.flatMap(([name, args]): readonly Question[] => [
      { name: `traces: next page, ${name}`, tool: 'query_traces', args: { limit: 20, ...args }, isNextPage: true },
      {
        name: `spans: next page, ${name}`,
        tool: 'query_traces',
        args: { limit: 20, all_spans: true, ...args },
        isNextPage: true,
      },
    ]),
    ...runFilters(some).map(([name, args]): Question => {
      return { name: `runs: ${name}`, tool: 'query_task_executions', args: { limit: 5, ...args } };
    }),
    ...HEALTH.map(([name, args]): Question => {
      return { name: `health: ${name}`, tool: 'inspect_capability_health', args };
    }),
  ];
}

const NEXT_PAGES: readonly (readonly [string, Record<string, unknown>])[] = [
  ...ORDERINGS.map((ordering) => [`order ${ordering}`, { ordering }] as const),
  ['search a name', { limit: 5, search: 'ticket 7' }],
];

const HEALTH: readonly (readonly [string, Record<string, unknown>])[] = [
  ['of the project', {}],
  ['of the project, a day', { days: 1 }],
  ['of the project, a year', { days: 365 }],
  ['of a capability', { capability: 'support-desk-2' }],
];

/** Every tenth trace is a run of a behaviour. */
function runFilters(trace: number): readonly (readonly [string, Record<string, unknown>])[] {
  return [
    ['none', {}],
    ['capability', { capability: 'support-desk-2' }],
    ['behaviour', { behaviour: 'behaviour 10' }],
    ['binding_source', { binding_source: 'declared' }],
    ['binding_source, nothing', { binding_source: 'unbound' }],
    ['trace_id', { trace_id: traceIdOf(trace - (trace % 10)) }],
    ['status', { status: 'completed' }],
    ['status, nothing', { status: 'interrupted' }],
    ['started_after', { started_after: '2020-01-01T00:00:00Z' }],
    ['started_before', { started_before: '2120-01-01T00:00:00Z' }],
    ['min_duration_ms', { min_duration_ms: 500 }],
    ['max_duration_ms', { max_duration_ms: 300 }],
    ['has_error not', { has_error: false }],
    ['service_name', { service_name: 'support-agent-1' }],
    ['service_name, nothing', { service_name: 'nobody' }],
    ['operation', { operation: 'chat' }],
    ['operation, nothing', { operation: 'recall' }],
    ['span_type', { span_type: 'llm_call' }],
    ['status_code', { status_code: 1 }],
    ['status_code, nothing', { status_code: 0 }],
    ['model', { model: 'small-model' }],
    ['has_model', { has_model: true }],
    ['has_model not', { has_model: false }],
    ['total_tokens_gte', { total_tokens_gte: 8_000 }],
    ['total_tokens_lte', { total_tokens_lte: 5_000 }],
    ['total_cost_gte', { total_cost_gte: 0.007 }],
    ['total_cost_lte', { total_cost_lte: 0.004 }],
  ];
}
