import {
  CLIENT_CAPABILITIES_META_KEY,
  classifyInboundRequest,
  createMcpHandler,
  createRequestStateCodec,
  McpServer,
  ProtocolError,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Ambient } from '../../kernel/ambient.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { Operation } from '../exchange.ts';
import type { RawCall } from '../extensions.ts';
import type { ListMethod } from '../listings.ts';
import { isObject, RpcError } from '../protocol.ts';
import type { TaskMethod } from '../tasks.ts';
import { rawCall } from './raw-call.ts';

export { classifyInboundRequest };

const LIST_METHODS = [
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
] as const satisfies readonly ListMethod[];
const TASK_METHODS = ['tasks/get', 'tasks/cancel', 'tasks/update'] as const satisfies readonly TaskMethod[];
const DISCOVER_TTL_MS = 3_600_000;
const STATE_TTL_SECONDS = 600;

/** Takes any params; the dispatcher looks at them itself. */
const ANY_PARAMS: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-runtime', validate: (value) => ({ value }) },
};

export interface ModernLeg<A> {
  /** Answers one request of the 2026 revision, streams included. */
  answer(operation: Operation<A>, body: unknown): Promise<void>;
  close(): Promise<void>;
}

interface LegParts<A, P> {
  readonly dispatcher: Dispatcher<A, P>;
  readonly stateKey: Uint8Array;
  readonly logger: Logger;
}

/** The SDK makes one server per request through a factory that knows nothing of ours, so the operation travels beside it. */
export function createModernLeg<A, P>(parts: LegParts<A, P>): ModernLeg<A> {
  const current = new Ambient<{ readonly operation: Operation<A>; readonly bound: string }>();
  const state = createRequestStateCodec({
    key: parts.stateKey,
    ttlSeconds: STATE_TTL_SECONDS,
    // State is worth nothing to another caller, for another tool or with other arguments.
    bind: () => current.get()?.bound ?? '',
  });
  const handler = createMcpHandler(
    () => {
      const operation = current.get()?.operation;
      if (operation === undefined) throw new Error('no operation for this request');
      return makeServer(parts, operation, state, (list) => {
        if (list === 'tools') handler.notify.toolsChanged();
        else if (list === 'prompts') handler.notify.promptsChanged();
        else handler.notify.resourcesChanged();
      });
    },
    { legacy: 'reject', onerror: (error) => parts.logger.debug('modern leg', { error }) },
  );
  const listener = toNodeHandler(handler);
  const listen = ({ request, response }: Operation<A>['exchange'], body: unknown): Promise<void> => {
    // because the adapter's own request type says the same without exactOptionalPropertyTypes
    return listener(request as Parameters<typeof listener>[0], response, body);
  };
  return {
    answer: (operation, body) =>
      current.run({ operation, bound: boundTo(operation, body) }, () => listen(operation.exchange, body)),
    close: () => handler.close(),
  };
}

/** What sealed state is good for: this caller, method, target and arguments. */
function boundTo({ principal }: Operation<unknown>, body: unknown): string {
  const { method, params } = isObject(body) ? body : {};
  const { name, uri, arguments: args } = isObject(params) ? params : {};
  return canonicalJson([principal.subject, method, name, uri, args ?? {}]);
}

type StateCodec = ReturnType<typeof createRequestStateCodec>;
type ListChanged = RawCall<unknown>['listChanged'];

/** Publishes its schemas to the SDK's header checks, which it only makes for this class. */
class ContractServer extends McpServer {
  readonly #schemaOf: (name: string) => Readonly<Record<string, unknown>> | undefined;

  constructor(
    schemaOf: (name: string) => Readonly<Record<string, unknown>> | undefined,
    ...rest: ConstructorParameters<typeof McpServer>
  ) {
    super(...rest);
    this.#schemaOf = schemaOf;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const schema = this.#schemaOf(name);
    return schema === undefined ? undefined : { ...schema };
  }
}

function makeServer<A, P>(
  parts: LegParts<A, P>,
  operation: Operation<A>,
  state: StateCodec,
  listChanged: ListChanged,
): McpServer {
  const { dispatcher } = parts;
  const contract = new ContractServer(
    (name) => dispatcher.inputSchemaOf(name),
    { ...dispatcher.identity },
    {
      capabilities: dispatcher.capabilities('modern'),
      instructions: dispatcher.instructions,
      requestState: { verify: (value, context) => state.verify(value, context) },
      cacheHints: { 'server/discover': { ttlMs: DISCOVER_TTL_MS, cacheScope: 'private' } },
    },
  );
  const { server } = contract;
  stampDiscovery(server, dispatcher.contractHash);
  const on = (method: string, answer: (params: Record<string, unknown>, call: RawCall<A>) => unknown): void => {
    // because the SDK types each method's result, while the dispatcher has checked its own
    server.setRequestHandler(method as 'tools/call', async (request, context) => {
      const params = isObject(request.params) ? request.params : {};
      return (await translate(() => answer(params, modernCall(operation, context, state, listChanged)))) as never;
    });
  };
  for (const method of LIST_METHODS) on(method, (params) => ({ ...dispatcher.list(method, operation, params).object }));
  on('tools/call', (params, call) =>
    dispatcher.callToolObject(
      operation,
      String(params['name']),
      isObject(params['arguments']) ? params['arguments'] : {},
      call,
    ),
  );
  on('resources/read', (params, call) => dispatcher.readResource(operation, String(params['uri']), call));
  on('prompts/get', (params, call) =>
    dispatcher.getPrompt(
      operation,
      String(params['name']),
      isObject(params['arguments']) ? params['arguments'] : {},
      call,
    ),
  );
  on('completion/complete', (params) => dispatcher.complete(operation, params));
  if (isObject(dispatcher.capabilities('modern')['extensions'])) {
    for (const method of TASK_METHODS) {
      server.setRequestHandler(method, { params: ANY_PARAMS }, (params, context) => {
        const merged = {
          ...(isObject(params) ? params : {}),
          ...(context.mcpReq.inputResponses === undefined ? {} : { inputResponses: context.mcpReq.inputResponses }),
        };
        return translate(() =>
          dispatcher.handleTask(operation, method, merged, clientCapabilities(context)),
        ) as Promise<never>;
      });
    }
  }
  return contract;
}

/** The SDK puts in its own discovery after the factory has run; this adds the contract's hash to whatever it answers. */
function stampDiscovery(server: McpServer['server'], contractHash: string): void {
  const original = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const stamped = (method: string, ...rest: unknown[]): void => {
    const [first] = rest;
    if (method !== 'server/discover' || typeof first !== 'function') {
      original(method, ...rest);
      return;
    }
    original(method, async (...args: unknown[]) => {
      const result: unknown = await first(...args);
      return isObject(result) ? { ...result, _meta: { contractHash } } : result;
    });
  };
  // because the replacement takes and gives exactly what the original does
  server.setRequestHandler = stamped as typeof server.setRequestHandler;
}

async function translate<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RpcError ? new ProtocolError(error.code, error.message, error.data) : error;
  }
}

function clientCapabilities(context: ServerContext): unknown {
  const envelope: unknown = context.mcpReq.envelope;
  return isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

function modernCall<A>(
  operation: Operation<A>,
  context: ServerContext,
  state: StateCodec,
  listChanged: ListChanged,
): RawCall<A> {
  const { mcpReq } = context;
  return rawCall(operation, {
    clientCapabilities: clientCapabilities(context),
    inputResponses: mcpReq.inputResponses,
    state: mcpReq.requestState(),
    progressToken: mcpReq._meta?.progressToken,
    signal: mcpReq.signal,
    // because the params are built by rawCall in the shape of the notification
    notifyProgress: (params) =>
      mcpReq.notify({ method: 'notifications/progress', params } as Parameters<typeof mcpReq.notify>[0]),
    log: (level, data) => mcpReq.log(level as Parameters<typeof mcpReq.log>[0], data),
    seal: (value) => state.mint(value, context),
    listChanged,
  });
}
