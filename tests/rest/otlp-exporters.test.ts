import assert from 'node:assert/strict';
import { ROOT_CONTEXT, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readTrace } from '../resources/support/readings.ts';
import { given, type World } from '../support/given.ts';

const EXPORTERS = { JSON: JsonExporter, protobuf: ProtobufExporter };

interface Run {
  span(name: string, attributes: Record<string, string | number>, work?: (run: Run, span: Span) => void): void;
}

/** Runs an instrumented program with a real exporter; resolves when everything was sent. */
async function record(world: World, kind: keyof typeof EXPORTERS, gzip: boolean, program: (run: Run) => void) {
  const exporter = new EXPORTERS[kind]({
    url: `${world.server.origin}/v1/traces`,
    headers: { 'x-api-key': world.key },
    // because the exporters' option is an enum of their own package, and this is its value
    ...(gzip && { compression: 'gzip' as never }),
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'parcel-agent', 'session.id': 'resource-session' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('agent', '2.0');
  const runIn = (context: Context): Run => ({
    span(name, attributes, work) {
      const span = tracer.startSpan(name, { attributes }, context);
      work?.(runIn(trace.setSpan(context, span)), span);
      span.end();
    },
  });
  program(runIn(ROOT_CONTEXT));
  await provider.forceFlush();
  await provider.shutdown();
}

function agent(run: Run): void {
  run.span(
    'invoke_agent parcels',
    { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'Parcel help' },
    (inner) => {
      inner.span('chat large', {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'large',
        'gen_ai.usage.input_tokens': 30,
        'gen_ai.usage.output_tokens': 12,
      });
      inner.span(
        'execute_tool track',
        { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'track' },
        (_, span) => {
          span.recordException(new TypeError('carrier says no'));
          span.setStatus({ code: SpanStatusCode.ERROR, message: '' });
        },
      );
    },
  );
}

describe('OpenTelemetry exporters', () => {
  for (const kind of ['JSON', 'protobuf'] as const) {
    for (const gzip of [false, true]) {
      it(`are understood in ${kind}${gzip ? ' with gzip' : ''}`, async () => {
        const world = await given.project();
        await record(world, kind, gzip, agent);
        const { traces } = await world.call('query_traces', {});
        assert.equal(traces.length, 1);
        const [row] = traces;
        assert.deepEqual(
          {
            name: row?.name,
            capability: row?.capability,
            session: row?.session,
            type: row?.span_type,
            service: row?.service_name,
            spans: row?.span_count,
            errors: row?.error_count,
            tokens: row?.total_tokens,
            model: row?.model,
            status: row?.trace_status,
          },
          {
            name: 'invoke_agent parcels',
            capability: 'parcel-help',
            session: 'resource-session',
            type: 'workflow',
            service: 'parcel-agent',
            spans: 3,
            errors: 1,
            tokens: 42,
            model: 'large',
            status: 'complete',
          },
        );
        const spans = (await world.call('query_traces', { all_spans: true, ordering: 'name' })).traces;
        assert.deepEqual(
          spans.map((span) => [span.name, span.span_type, span.status_code]),
          [
            ['chat large', 'llm_call', 0],
            ['execute_tool track', 'tool_call', 2],
            ['invoke_agent parcels', 'workflow', 0],
          ],
        );
        const { failures } = await world.call('query_failures', { capability: 'parcel help' });
        assert.deepEqual(
          failures.map(({ summary, error_type, tools }) => [summary, error_type, tools]),
          [['carrier says no', 'TypeError', ['track']]],
        );
      });
    }
  }

  it('send the same spans in both encodings, to the last attribute', async () => {
    const world = await given.project();
    await record(world, 'JSON', false, agent);
    await record(world, 'protobuf', false, agent);
    const { traces } = await world.call('query_traces', {});
    const readings = await Promise.all(
      traces.map(async ({ resource }) => {
        const { spans } = await readTrace(world, resource.uri.slice('overmind://traces/'.length));
        // Both may start within one tick of the program's clock, and then the random ids decide their order.
        const byName = spans.toSorted((left, right) => (left.name < right.name ? -1 : 1));
        return byName.map(({ name, attributes, resource_attributes, span_type, operation }) => ({
          name,
          attributes,
          resource_attributes,
          span_type,
          operation,
        }));
      }),
    );
    assert.equal(readings.length, 2);
    assert.deepEqual(readings[0], readings[1]);
  });
});
