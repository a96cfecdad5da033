import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../kernel/logger.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { Exchange, Operation } from '../exchange.ts';
import type { ModernLeg } from './v2.ts';

export interface Legs<A> {
  /** The SDK's own judgement: `legacy`, or everything the 2026 leg answers, refusals included. */
  classify(exchange: Exchange, body: unknown): Promise<'legacy' | 'modern'>;
  answer(operation: Operation<A>, body: unknown, stream: boolean): Promise<void>;
  /** Loads both SDKs. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Both SDK legs, loaded when a request first needs one: together they take most of a second to import, which a start
 * need not wait for.
 */
export function createLegs<A, P>(
  dispatcher: Dispatcher<A, P>,
  options: { readonly stateKey: Uint8Array; readonly logger: Logger },
): Legs<A> {
  let modern: Promise<ModernLeg<A>> | undefined;
  const loadModern = (): Promise<ModernLeg<A>> => {
    modern ??= import('./v2.ts').then(({ createModernLeg }) => createModernLeg({ dispatcher, ...options }));
    return modern;
  };
  return {
    async classify({ headers }, body) {
      const { classifyInboundRequest } = await import('./v2.ts');
      const version = single(headers['mcp-protocol-version']);
      const method = single(headers['mcp-method']);
      const route = classifyInboundRequest({
        httpMethod: 'POST',
        ...(version === undefined ? {} : { protocolVersionHeader: version }),
        ...(method === undefined ? {} : { mcpMethodHeader: method }),
        body,
      });
      return route.kind === 'legacy' ? 'legacy' : 'modern';
    },
    async answer(operation, body, stream) {
      const { exchange, era } = operation;
      for (const [name, value] of Object.entries(exchange.answerHeaders)) exchange.response.setHeader(name, value);
      if (era === 'modern') {
        await (await loadModern()).answer(operation, body);
        return;
      }
      const { answerLegacy } = await import('./v1.ts');
      const readsStreams = /text\/event-stream|\*\/\*/i.test(exchange.headers.accept ?? '*/*');
      acceptBoth(exchange.request);
      await answerLegacy(dispatcher, { operation, body, stream: stream && readsStreams });
    },
    async warm() {
      await Promise.all([loadModern(), import('./v1.ts')]);
    },
    async close() {
      await (await modern)?.close();
    },
  };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** The older SDK insists on a client that lists both media types; which one it gets is decided here. */
function acceptBoth(request: IncomingMessage): void {
  const both = 'application/json, text/event-stream';
  request.headers.accept = both;
  const { rawHeaders } = request;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]?.toLowerCase() === 'accept') rawHeaders.splice(at, 2);
  rawHeaders.push('Accept', both);
}
