import { randomBytes } from 'node:crypto';

type Attribute = string | number | boolean;

export interface SpanFixture {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly events?: readonly { readonly name: string; readonly attributes: Readonly<Record<string, Attribute>> }[];
  readonly error?: string;
}

/** One trace: its root span and the spans below it. */
export interface TraceFixture extends SpanFixture {
  readonly traceId?: string;
  readonly children?: readonly SpanFixture[];
  /** Of the root, in nanoseconds; later traces are newer. */
  readonly startNs?: bigint;
}

/** A trace of a support agent that answers a question with one model call. */
export function question(input: string, output: string, more: Readonly<Record<string, Attribute>> = {}): TraceFixture {
  return {
    name: 'handle ticket',
    attributes: { 'overmind.capability': 'support', 'input.value': input, 'output.value': output, ...more },
    children: [
      {
        name: 'chat',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'small-model',
          'gen_ai.usage.input_tokens': 10,
          'gen_ai.usage.output_tokens': 5,
          'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: input }] }]),
          'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: output }] }]),
        },
      },
    ],
  };
}

/** The traces as an OTLP/JSON export request, as an exporter would send it. */
export function exportOf(fixtures: readonly TraceFixture[]): {
  readonly request: unknown;
  readonly traceIds: readonly string[];
} {
  const traceIds: string[] = [];
  let clockNs = 1_760_000_000_000_000_000n + BigInt(Math.floor(Math.random() * 1e9));
  const spans = fixtures.flatMap((fixture) => {
    const traceId = fixture.traceId ?? randomBytes(16).toString('hex');
    traceIds.push(traceId);
    clockNs += 1_000_000_000n;
    const startNs = fixture.startNs ?? clockNs;
    const rootId = randomBytes(8).toString('hex');
    return [
      toSpan(fixture, { traceId, spanId: rootId, startNs }),
      ...(fixture.children ?? []).map((child, index) =>
        toSpan(child, {
          traceId,
          spanId: randomBytes(8).toString('hex'),
          parentSpanId: rootId,
          startNs: startNs + BigInt(index + 1) * 1_000_000n,
        }),
      ),
    ];
  });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'support-agent' } }] };
  return { request: { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tests' }, spans }] }] }, traceIds };
}

function toSpan(
  fixture: SpanFixture,
  place: {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly startNs: bigint;
  },
): Record<string, unknown> {
  const { startNs, ...ids } = place;
  return {
    ...ids,
    name: fixture.name ?? 'work',
    kind: 1,
    startTimeUnixNano: startNs.toString(),
    endTimeUnixNano: (startNs + 500_000_000n).toString(),
    attributes: toAttributes(fixture.attributes ?? {}),
    events: (fixture.events ?? []).map((event, index) => ({
      name: event.name,
      timeUnixNano: (startNs + BigInt(index)).toString(),
      attributes: toAttributes(event.attributes),
    })),
    status: fixture.error === undefined ? { code: 1 } : { code: 2, message: fixture.error },
  };
}

function toAttributes(attributes: Readonly<Record<string, Attribute>>): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: Attribute): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
