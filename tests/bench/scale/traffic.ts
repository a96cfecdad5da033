import protobuf from 'protobufjs';

export const SPANS_PER_TRACE = 10;

const NAMES = ['chat small-model', 'look up order', 'rank passages', 'write reply', 'check policy', 'call courier'];
const TYPES = ['llm_call', 'tool_call', 'retrieval', 'llm_call', 'function', 'tool_call'];
const OPERATIONS = ['chat', 'execute_tool', 'retrieval', 'chat', 'invoke', 'execute_tool'];
const MODELS = ['small-model', 'medium-model', 'large-model', 'small-model-2'];
/** One trace of this many has the rare capability, model, service and words. */
const RARE_EVERY = 500;

interface Field {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

const text = (key: string, value: string): Field => ({ key, value: { stringValue: value } });
const whole = (key: string, value: number): Field => ({ key, value: { intValue: String(value) } });
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Spreads a counter over 32 bits, so that ids and figures are as scattered as real ones and the same on every run. */
function scatter(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

export const traceIdOf = (trace: number): string => hex(scatter(trace), 8) + hex(trace + 1, 24);
export const spanIdOf = (trace: number, index: number): string =>
  hex(scatter(trace * SPANS_PER_TRACE + index), 8) + hex(trace * SPANS_PER_TRACE + index + 1, 8);
export const isRare = (trace: number): boolean => trace % RARE_EVERY === 7;

function spanOf(trace: number, index: number, startNs: bigint): Record<string, unknown> {
  const luck = scatter(trace * SPANS_PER_TRACE + index);
  const rare = isRare(trace);
  const begin = startNs + BigInt(trace) * 20_000_000n + BigInt(index) * 1_000_000n;
  const length = BigInt(1_000_000 + (luck % 900_000_000)) * (luck % 1_000 === 0 ? 60n : 1n);
  const callsModel = index % 3 === 1;
  const tokens = rare ? 40_000 + (luck % 1_000) : luck % 4_000;
  return {
    traceId: traceIdOf(trace),
    spanId: spanIdOf(trace, index),
    ...(index > 0 && { parentSpanId: spanIdOf(trace, 0) }),
    name: index === 0 ? (rare ? 'handle recall notice' : `handle ticket ${trace % 20}`) : NAMES[index % NAMES.length],
    kind: 1,
    startTimeUnixNano: begin.toString(),
    endTimeUnixNano: (begin + length).toString(),
    attributes: [
      text('overmind.span_type', rare && index === 0 ? 'recall' : (TYPES[index % TYPES.length] ?? 'span')),
      text('overmind.operation', rare && index === 0 ? 'recall' : (OPERATIONS[index % OPERATIONS.length] ?? 'invoke')),
      ...(trace % 10 === 3 ? [] : [text('overmind.capability', rare ? 'recalls' : `support desk ${trace % 6}`)]),
      text('session.id', `chat-${Math.floor(trace / 20)}`),
      ...(callsModel
        ? [
            text('gen_ai.request.model', rare ? 'rare-model' : (MODELS[luck % MODELS.length] ?? '')),
            whole('gen_ai.usage.input_tokens', tokens),
            whole('gen_ai.usage.output_tokens', luck % 300),
            { key: 'gen_ai.usage.cost', value: { doubleValue: tokens / 1_000_000 } },
          ]
        : []),
      ...(index === 0 && trace % 10 === 0 ? [text('overmind.behaviour', `behaviour ${trace % 30}`)] : []),
      text('input.value', 'Where is my parcel? It was to come on Monday and has not.'),
    ],
    status: luck % 211 === 0 ? { code: 2, message: 'the courier did not answer' } : { code: 1 },
  };
}

/** One export of whole traces, the first of them with this number. */
function exportOf(firstTrace: number, traces: number, startNs: bigint): Record<string, unknown> {
  const services = new Map<string, Record<string, unknown>[]>();
  for (let trace = firstTrace; trace < firstTrace + traces; trace += 1) {
    const service = isRare(trace) ? 'recall-agent' : `support-agent-${trace % 3}`;
    const spans = services.get(service) ?? [];
    services.set(service, spans);
    for (let index = 0; index < SPANS_PER_TRACE; index += 1) spans.push(spanOf(trace, index, startNs));
  }
  return {
    resourceSpans: [...services].map(([service, spans]) => ({
      resource: { attributes: [text('service.name', service)] },
      scopeSpans: [{ scope: { name: 'scale', version: '1' }, spans }],
    })),
  };
}

interface ExportBody {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Exports of the traffic in one encoding. */
type ExportMaker = (firstTrace: number, traces: number, startNs: bigint) => ExportBody;

export const jsonExport: ExportMaker = (...range) => ({
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(exportOf(...range))),
});

const PROTO = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Scope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; double double_value = 4; } }
`;

/** Makes the encoder once; it writes what the official exporters write. */
export function createProtobufExport(): ExportMaker {
  const request = protobuf.parse(PROTO).root.lookupType('Request');
  const withBytes = (key: string, value: unknown): unknown =>
    typeof value === 'string' && /^(traceId|spanId|parentSpanId)$/.test(key)
      ? Buffer.from(value, 'hex').toString('base64')
      : value;
  return (...range) => {
    const plain: unknown = JSON.parse(JSON.stringify(exportOf(...range), withBytes));
    // because the object was written by this file
    const message = request.fromObject(plain as Record<string, unknown>);
    return { contentType: 'application/x-protobuf', body: Buffer.from(request.encode(message).finish()) };
  };
}
