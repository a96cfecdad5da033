/** One mock server without its transport: a JSON-RPC message and its headers in, an answer out. */
import { isJsonObject } from '../canonical/json.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { JsonValue } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import { Documents } from './documents.ts';
import { checkEnvelope, eraOf, LEGACY, MODERN, SERVER_INFO } from './envelope.ts';
import type { Headers } from './envelope.ts';
import { INVALID_PARAMS, RpcFault } from './fault.ts';
import type { Era } from './fault.ts';
import { Jobs } from './jobs.ts';
import { listPrompts, listResources, listTemplates, listTools } from './listings.ts';
import type { Shown } from './listings.ts';
import { Makers } from './makers.ts';
import { Tools, toolResult } from './tools.ts';
import type { ToolOutcome } from './tools.ts';

export interface MockOptions extends Shown {
  /** Equal seeds give equal answers. */
  readonly seed: string;
  readonly rows: number;
  readonly jobSeconds: number;
  readonly now: () => Date;
  /** Told of every tool call with what was answered. */
  readonly record?: (call: { readonly input: JsonValue; readonly outcome: ToolOutcome; readonly era: Era }) => void;
}

export interface Answer {
  readonly status: number;
  /** Absent for what is not answered: notifications and responses. */
  readonly body?: JsonValue;
}

type Params = { readonly [name: string]: JsonValue };

/** `_meta` key and header by which a caller asks for an error. */
const WANTED_META = 'mcp-contract/error';
const WANTED_HEADER = 'x-mock-error';

const CACHED: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);
const LIST_TTL_MS = 1000;

export class Mock {
  readonly #options: MockOptions;
  readonly #canonical: CanonicalModel;
  readonly #projection: Projection;
  readonly #tools: Tools;
  readonly #documents: Documents;

  constructor(canonical: CanonicalModel, projection: Projection, options: MockOptions) {
    this.#canonical = canonical;
    this.#projection = projection;
    this.#options = options;
    const makers = new Makers(canonical, options.seed);
    this.#tools = new Tools({
      makers,
      jobs: new Jobs(makers, { now: options.now, seconds: options.jobSeconds }),
      rows: options.rows,
      grant: options.grant,
      publishesOutput: options.outputSchema !== 'none',
    });
    this.#documents = new Documents(makers);
  }

  answer(message: JsonValue, headers: Headers): Answer {
    if (!isJsonObject(message) || message['jsonrpc'] !== '2.0')
      return rejected(null, new RpcFault(-32600, 'Not a JSON-RPC 2.0 message.', { status: 400 }));
    const { id, method, params } = message;
    if (typeof method !== 'string') return { status: 202 };
    if (typeof id !== 'string' && typeof id !== 'number') return { status: 202 };
    const given = isJsonObject(params) ? params : {};
    try {
      const era = eraOf(method, given, headers);
      checkEnvelope({ method, params: given, headers, era }, this.#canonical);
      const result = this.#result(method, given, { era, headers });
      return { status: 200, body: { jsonrpc: '2.0', id, result: this.#enveloped(method, result, era) } };
    } catch (error) {
      if (error instanceof RpcFault) return rejected(id, error);
      throw error;
    }
  }

  #enveloped(method: string, result: Record<string, JsonValue>, era: Era): JsonValue {
    if (era === 'legacy') return result;
    const { name, title, version } = this.#canonical.model.server;
    return {
      ...(CACHED.has(method) ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {}),
      ...result,
      resultType: 'complete',
      _meta: { [SERVER_INFO]: { name, title, version } },
    };
  }

  #result(method: string, params: Params, around: Around): Record<string, JsonValue> {
    const { model } = this.#canonical;
    switch (method) {
      case 'tools/list':
        return { tools: listTools(model, this.#projection, this.#options) };
      case 'resources/list':
        return { resources: listResources(model) };
      case 'resources/templates/list':
        return { resourceTemplates: listTemplates(model) };
      case 'prompts/list':
        return { prompts: listPrompts(model) };
      case 'tools/call':
        return this.#call(params, around);
      case 'resources/read':
        return this.#documents.read(text(params, 'uri'), { era: around.era, wanted: wanted(params, around.headers) });
      case 'prompts/get':
        return this.#documents.prompt(text(params, 'name'), argumentsOf(params), around.era);
      case 'completion/complete':
        return this.#documents.complete(params);
      default:
        return this.#lifecycle(method, params, around.era);
    }
  }

  #lifecycle(method: string, params: Params, era: Era): Record<string, JsonValue> {
    const { name, title, version, instructions } = this.#canonical.model.server;
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
    if (era === 'legacy' && method === 'initialize') {
      const asked = params['protocolVersion'];
      const protocolVersion = typeof asked === 'string' && LEGACY.includes(asked) ? asked : (LEGACY[0] ?? MODERN);
      return { protocolVersion, capabilities, serverInfo: { name, title, version }, instructions };
    }
    if (era === 'legacy' && method === 'ping') return {};
    if (era === 'modern' && method === 'server/discover')
      return { supportedVersions: [MODERN, ...LEGACY], capabilities, instructions };
    throw new RpcFault(-32601, `The mock has no method ${JSON.stringify(method.slice(0, 80))}.`, {
      status: era === 'modern' ? 404 : 200,
    });
  }

  #call(params: Params, { era, headers }: Around): Record<string, JsonValue> {
    const input = argumentsOf(params);
    const outcome = this.#tools.call({
      name: text(params, 'name'),
      arguments: input,
      era,
      wanted: wanted(params, headers),
    });
    this.#options.record?.({ input, outcome, era });
    return toolResult(outcome, era, this.#options.outputSchema !== 'none');
  }
}

interface Around {
  readonly era: Era;
  readonly headers: Headers;
}

function wanted(params: Params, headers: Headers): string | undefined {
  const meta = isJsonObject(params['_meta']) ? params['_meta'][WANTED_META] : undefined;
  return typeof meta === 'string' ? meta : headers[WANTED_HEADER];
}

function argumentsOf(params: Params): Params {
  const { arguments: given = {} } = params;
  if (isJsonObject(given)) return given;
  throw new RpcFault(INVALID_PARAMS, '`arguments` must be an object.');
}

function text(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcFault(INVALID_PARAMS, `\`${name}\` must be text.`);
}

function rejected(id: string | number | null, { code, message, data, status }: RpcFault): Answer {
  return { status, body: { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } } };
}
