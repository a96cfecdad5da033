import { context, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

export type Encoding = 'JSON' | 'protobuf';

interface Ticket {
  readonly question: string;
  readonly answer: string;
  readonly order: string;
  readonly fault?: string;
}

const TICKETS: readonly Ticket[] = [
  { question: 'Where is my parcel?', order: 'A-1001', answer: 'It left the depot this morning and arrives tomorrow.' },
  {
    question: 'Please refund order A-1002.',
    order: 'A-1002',
    answer: '',
    fault: 'refund service answered 504 after 30 s',
  },
  {
    question: 'Can I change the address?',
    order: 'A-1003',
    answer: 'Yes, until it is shipped. I changed it to the new street.',
  },
  { question: 'The invoice is wrong.', order: 'A-1004', answer: 'I sent a corrected invoice to your mailbox.' },
  {
    question: 'I want my money back for A-1005!',
    order: 'A-1005',
    answer: '',
    fault: 'refund service answered 504 after 30 s',
  },
  { question: 'Do you ship to Norway?', order: 'A-1006', answer: 'We do, in five working days.' },
];

/** One turn of a support agent: a root span, a tool call and a model call, as an instrumented program records them. */
function handleTicket(tracer: Tracer, ticket: Ticket, session: string): void {
  const root = tracer.startSpan('handle ticket', {
    kind: SpanKind.SERVER,
    attributes: {
      'overmind.capability': 'support-triage',
      'session.id': session,
      'input.value': ticket.question,
      ...(ticket.fault ? {} : { 'output.value': ticket.answer }),
    },
  });
  context.with(trace.setSpan(context.active(), root), () => {
    const tool = tracer.startSpan(
      'execute_tool look_up_order',
      {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': ticket.fault ? 'refund_order' : 'look_up_order',
          'gen_ai.tool.call.arguments': JSON.stringify({ order: ticket.order }),
        },
      },
      trace.setSpan(context.active(), root),
    );
    if (ticket.fault) tool.setStatus({ code: SpanStatusCode.ERROR, message: ticket.fault });
    tool.end();
    const model = tracer.startSpan(
      'chat small-model',
      {
        kind: SpanKind.CLIENT,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'small-model',
          'gen_ai.response.model': 'small-model-2026-10',
          'gen_ai.usage.input_tokens': 180 + ticket.question.length,
          'gen_ai.usage.output_tokens': 20 + ticket.answer.length,
          'gen_ai.usage.cost': 0.0004,
          'gen_ai.input.messages': JSON.stringify([
            { role: 'user', parts: [{ type: 'text', content: ticket.question }] },
          ]),
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: ticket.answer }], finish_reason: 'stop' },
          ]),
        },
      },
      trace.setSpan(context.active(), root),
    );
    model.end();
  });
  root.setStatus(
    ticket.fault
      ? { code: SpanStatusCode.ERROR, message: `could not answer: ${ticket.fault}` }
      : { code: SpanStatusCode.OK },
  );
  root.end();
}

/** Sends the day's tickets through a real OpenTelemetry SDK and exporter; resolves when the server took them. */
export async function sendTraffic(server: string, apiKey: string, encoding: Encoding): Promise<number> {
  const settings = { url: `${server}/v1/traces`, headers: { 'x-api-key': apiKey } };
  const exporter = encoding === 'JSON' ? new JsonExporter(settings) : new ProtobufExporter(settings);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'support-agent', 'service.version': '4.2.0' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('support-agent');
  TICKETS.forEach((ticket, index) =>
    handleTicket(tracer, ticket, `${encoding.toLowerCase()}-chat-${String(Math.floor(index / 2))}`),
  );
  await provider.forceFlush();
  await provider.shutdown();
  return TICKETS.length;
}
