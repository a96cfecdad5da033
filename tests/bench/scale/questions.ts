import { isRare, spanIdOf, traceIdOf } from './traffic.ts';

/** One way of asking for traces: the filter or ordering it stands for, and the arguments of `query_traces`. */
export interface Question {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const ORDERINGS = ['start_time_ns', 'duration_ns', 'received_at', 'name', 'status_code'].flatMap((key) => [
  key,
  `-${key}`,
]);

/** Every filter with values that match much and little, and every ordering, of both lists; `traces` are stored. */
export function questionsFor(traces: number, startNs: bigint): readonly Question[] {
  const some = Math.floor(traces / 2);
  const rare = [...Array(traces).keys()].find(isRare) ?? 0;
  const nsOf = (trace: number): string => (startNs + BigInt(trace) * 20_000_000n).toString();
  const filters: readonly (readonly [string, Record<string, unknown>])[] = [
    ['none', {}],
    ['capability', { capability: 'support-desk-2' }],
    ['capability, rare', { capability: 'recalls' }],
    ['session', { session: `chat-${Math.floor(some / 20)}` }],
    ['search a name', { search: 'ticket 7' }],
    ['search, rare', { search: 'recall notice' }],
    ['search a trace id', { search: traceIdOf(some) }],
    ['search, nothing', { search: 'no such words' }],
    ['trace_id', { trace_id: traceIdOf(some) }],
    ['span_id', { span_id: spanIdOf(some, 0) }],
    ['name', { name: 'handle ticket 3' }],
    ['name, rare', { name: 'handle recall notice' }],
    ['operation', { operation: 'chat' }],
    ['operation, rare', { operation: 'recall' }],
    ['service_name', { service_name: 'support-agent-1' }],
    ['service_name, rare', { service_name: 'recall-agent' }],
    ['span_type', { span_type: 'llm_call' }],
    ['span_type, rare', { span_type: 'recall' }],
    ['status error', { status: 'error' }],
    ['status_code 0', { status_code: 0 }],
    ['has_error', { has_error: true }],
    ['has_error not', { has_error: false }],
    ['model', { model: 'small-model' }],
    ['model, rare', { model: 'rare-model' }],
    ['has_model', { has_model: true }],
    ['has_model not', { has_model: false }],
    ['start_time_ns__gte', { start_time_ns__gte: nsOf(traces - 100) }],
    ['start_time_ns__lte', { start_time_ns__lte: nsOf(100) }],
    ['min_duration_ms', { min_duration_ms: 30_000 }],
    ['max_duration_ms', { max_duration_ms: 2 }],
    ['start_after', { start_after: '2020-01-01T00:00:00Z' }],
    ['start_before', { start_before: '2120-01-01T00:00:00Z' }],
    ['start_before, nothing', { start_before: '2020-01-01T00:00:00Z' }],
    ['total_tokens_gte', { total_tokens_gte: 40_000 }],
    ['total_tokens_lte', { total_tokens_lte: 5 }],
    ['total_cost_gte', { total_cost_gte: 0.04 }],
    ['total_cost_lte', { total_cost_lte: 0.000001 }],
    ['unbound', { unbound: true }],
    ['unbound not', { unbound: false }],
    ['span of a rare trace', { trace_id: traceIdOf(rare), all_spans: true }],
  ];
  const asked = [
    ...filters.map(([name, args]): Question => ({ name, args })),
    ...ORDERINGS.map((ordering): Question => ({ name: `order ${ordering}`, args: { ordering } })),
  ];
  return [
    ...asked.map(({ name, args }) => ({ name: `traces: ${name}`, args: { limit: 20, ...args } })),
    ...asked.map(({ name, args }) => ({ name: `spans: ${name}`, args: { limit: 20, all_spans: true, ...args } })),
  ];
}
