import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type ServerCapabilities,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { Dispatcher } from '../dispatcher.ts';
import type { Operation } from '../exchange.ts';
import type { RawCall } from '../extensions.ts';
import type { ListMethod } from '../listings.ts';
import { RPC, RpcError } from '../protocol.ts';
import { rawCall } from './raw-call.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The server never asks a client for input here, so nothing is ever validated by it; making ajv for it would cost 160 µs a request. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not served' }),
};

export interface LegacyExchange<A> {
  readonly operation: Operation<A>;
  readonly body: unknown;
  /** The call may send notifications before its result, and the client reads streams. */
  readonly stream: boolean;
}

/** Answers one request of the handshake revisions with a server and a transport of its own: nothing is shared. */
export async function answerLegacy<A, P>(dispatcher: Dispatcher<A, P>, exchange: LegacyExchange<A>): Promise<void> {
  const server = makeServer(dispatcher, exchange.operation);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !exchange.stream });
  const { request, response } = exchange.operation.exchange;
  response.once('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, exchange.body);
}

function makeServer<A, P>(dispatcher: Dispatcher<A, P>, operation: Operation<A>): Server {
  const capabilities: ServerCapabilities = dispatcher.capabilities('legacy');
  const server = new Server(
    { ...dispatcher.identity },
    { capabilities, instructions: dispatcher.instructions, jsonSchemaValidator: NO_VALIDATOR },
  );
  const list = (method: ListMethod, params: Readonly<Record<string, unknown>> | undefined) => ({
    ...dispatcher.list(method, operation, params ?? {}).object,
  });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => list('tools/list', params));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => list('resources/list', params));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) =>
    list('resources/templates/list', params),
  );
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => list('prompts/list', params));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    return dispatcher.callToolObject(operation, params.name, params.arguments ?? {}, legacyCall(operation, extra));
  });
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) => {
    return dispatcher.readResource(operation, params.uri, legacyCall(operation, extra));
  });
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) => {
    return dispatcher.getPrompt(operation, params.name, params.arguments ?? {}, legacyCall(operation, extra));
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => dispatcher.complete(operation, params));
  if (capabilities.resources?.subscribe === true) {
    server.setRequestHandler(SubscribeRequestSchema, () => ({}));
    server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  }
  return server;
}

function legacyCall<A>(operation: Operation<A>, extra: Extra): RawCall<A> {
  return rawCall(operation, {
    clientCapabilities: undefined,
    progressToken: extra._meta?.progressToken,
    signal: extra.signal,
    notifyProgress: (params) => {
      // because the params are built by rawCall in the shape of the notification
      return extra.sendNotification({ method: 'notifications/progress', params } as ServerNotification);
    },
    log: (level, data) => {
      // because a level the protocol does not know is refused by the SDK's own schema on the client side
      return extra.sendNotification({ method: 'notifications/message', params: { level, data } } as ServerNotification);
    },
    seal: () => Promise.reject(new RpcError(RPC.invalidParams, 'This client is too old for rounds of input.')),
    listChanged: () => undefined,
  });
}
