import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { hasOnlyAscii } from '../kernel/json.ts';
import type { Dispatcher } from './dispatcher.ts';
import { errorEnvelope, resultHead, type RequestId } from './envelope.ts';
import type { Operation } from './exchange.ts';
import type { ListMethod } from './listings.ts';
import {
  isObject,
  LEGACY_VERSIONS,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  MODERN_VERSION,
  RpcError,
  type Era,
} from './protocol.ts';
import { toResultJson, type WireText } from './result.ts';
import { declaresTasks } from './tasks.ts';

/** A request that is plain enough to be answered here: everything about it is as the protocol says. */
export interface PlainRequest {
  readonly era: Era;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const LEGACY: ReadonlySet<string> = new Set(LEGACY_VERSIONS);
const BODY_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const MODERN_META: ReadonlySet<string> = new Set([
  META_PROTOCOL_VERSION,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  'traceparent',
  'tracestate',
  'baggage',
]);
const KNOWN_CAPABILITIES: ReadonlySet<string> = new Set([
  'roots',
  'sampling',
  'elicitation',
  'experimental',
  'extensions',
]);
const CLIENT_INFO: ReadonlySet<string> = new Set(['name', 'title', 'version', 'description', 'websiteUrl']);

/**
 * Recognises plain requests of either era. It never refuses anything: whatever is unusual, wrong or needs more than
 * one JSON answer is left to the SDK leg, which knows the right refusal.
 */
export function recognise(body: unknown, headers: IncomingHttpHeaders): PlainRequest | undefined {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || !onlyKeys(body, BODY_KEYS)) return undefined;
  const { id, method, params = {} } = body;
  if (typeof method !== 'string' || !isRequestId(id) || !isObject(params)) return undefined;
  const meta = params['_meta'];
  if (meta !== undefined && !isObject(meta)) return undefined;
  const version = headers['mcp-protocol-version'];
  if (meta === undefined || meta[META_PROTOCOL_VERSION] === undefined) {
    if (version !== undefined && !(typeof version === 'string' && LEGACY.has(version))) return undefined;
    if (
      meta !== undefined &&
      (meta['progressToken'] !== undefined ||
        Object.keys(meta).some((key) => key.startsWith('io.modelcontextprotocol/')))
    )
      return undefined;
    return hasShape('legacy', method, params) ? { era: 'legacy', id, method, params } : undefined;
  }
  if (version !== MODERN_VERSION || meta[META_PROTOCOL_VERSION] !== MODERN_VERSION || headers['mcp-method'] !== method)
    return undefined;
  if (!onlyKeys(meta, MODERN_META) || !isPlainClient(meta) || !hasShape('modern', method, params)) return undefined;
  const mirrored = mirroredName(method, params);
  return mirrored === undefined || headers['mcp-name'] === mirrored ? { era: 'modern', id, method, params } : undefined;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

function onlyKeys(value: Record<string, unknown>, known: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!known.has(key)) return false;
  return true;
}

function isPlainClient(meta: Record<string, unknown>): boolean {
  const capabilities = meta[META_CLIENT_CAPABILITIES];
  const info = meta[META_CLIENT_INFO];
  if (!isObject(capabilities) || !onlyKeys(capabilities, KNOWN_CAPABILITIES)) return false;
  for (const value of Object.values(capabilities)) {
    if (!isObject(value) || !Object.values(value).every((part) => isObject(part))) return false;
  }
  if (info === undefined) return true;
  return (
    isObject(info) &&
    onlyKeys(info, CLIENT_INFO) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    Object.values(info).every((value) => typeof value === 'string')
  );
}

/** The parameters a plain request of this method has, of the right types, and no others. */
function hasShape(era: Era, method: string, params: Record<string, unknown>): boolean {
  switch (method) {
    case 'tools/list':
    case 'resources/list':
    case 'resources/templates/list':
    case 'prompts/list':
      return hasOnly(params, 'cursor') && (params['cursor'] === undefined || typeof params['cursor'] === 'string');
    case 'tools/call':
      return (
        hasOnly(params, 'name', 'arguments') &&
        typeof params['name'] === 'string' &&
        (params['arguments'] === undefined || isObject(params['arguments']))
      );
    case 'prompts/get':
      return hasOnly(params, 'name', 'arguments') && typeof params['name'] === 'string' && isTexts(params['arguments']);
    case 'resources/read':
      return hasOnly(params, 'uri') && typeof params['uri'] === 'string';
    case 'ping':
      return era === 'legacy' && hasOnly(params);
    default:
      return false;
  }
}

function hasOnly(params: Record<string, unknown>, ...names: string[]): boolean {
  for (const key of Object.keys(params)) if (key !== '_meta' && !names.includes(key)) return false;
  return true;
}

function isTexts(value: unknown): boolean {
  return value === undefined || (isObject(value) && Object.values(value).every((text) => typeof text === 'string'));
}

function mirroredName(method: string, params: Record<string, unknown>): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return params['name'];
  return method === 'resources/read' ? params['uri'] : undefined;
}

/** Answers plain requests: the envelope is written around a result that was serialised once, or long ago. */
export class FastLane<A, P> {
  readonly #dispatcher: Dispatcher<A, P>;
  readonly #serverInfo: string;
  readonly #mirroring = new Map<string, boolean>();

  constructor(dispatcher: Dispatcher<A, P>) {
    this.#dispatcher = dispatcher;
    this.#serverInfo = JSON.stringify(dispatcher.identity);
  }

  /** Whether nothing beyond a plain answer can be meant: extensions, tasks and mirrored headers go to the SDK leg. */
  takes(request: PlainRequest): boolean {
    switch (request.method) {
      case 'tools/call': {
        const name = String(request.params['name']);
        if (this.#dispatcher.isExtensionTool(name)) return false;
        return request.era === 'legacy' || !(this.#mirrorsHeaders(name) || this.#mayBecomeTask(name, request));
      }
      case 'resources/read':
        return !this.#dispatcher.hasExtensionResources;
      case 'prompts/get':
        return !this.#dispatcher.isExtensionPrompt(String(request.params['name']));
      default:
        return true;
    }
  }

  #mirrorsHeaders(name: string): boolean {
    const tool = this.#dispatcher.findTool(name);
    if (tool === undefined) return false;
    const before = this.#mirroring.get(tool.name);
    if (before !== undefined) return before;
    const mirrors = JSON.stringify(tool.inputSchema.project).includes('"x-mcp-header"');
    this.#mirroring.set(tool.name, mirrors);
    return mirrors;
  }

  #mayBecomeTask(name: string, request: PlainRequest): boolean {
    if (this.#dispatcher.findTool(name)?.asyncMode !== 'job') return false;
    const meta = request.params['_meta'];
    return isObject(meta) && declaresTasks(meta[META_CLIENT_CAPABILITIES]);
  }

  async answer(operation: Operation<A>, request: PlainRequest): Promise<void> {
    const { response, answerHeaders } = operation.exchange;
    try {
      const work = this.#result(operation, request);
      const result = work instanceof Promise ? await work : work;
      const head = resultHead(request.id);
      if (Buffer.isBuffer(result)) sendBytes(response, answerHeaders, head, result);
      else if (typeof result === 'string') send(response, answerHeaders, `${head}${result}}`);
      else send(response, answerHeaders, `${head}${result.text}}`, { isAscii: result.isAscii && hasOnlyAscii(head) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      send(response, answerHeaders, errorEnvelope(request.id, error));
    }
  }

  /** The result as JSON text, or as bytes made before. */
  #result(operation: Operation<A>, request: PlainRequest): Buffer | string | Promise<string | WireText> {
    const { method, params, era } = request;
    switch (method) {
      case 'tools/call':
        return this.#call(operation, String(params['name']), argumentsOf(params));
      case 'resources/read':
        return this.#completed(this.#dispatcher.readResource(operation, String(params['uri']), undefined), era);
      case 'prompts/get':
        return this.#completed(
          this.#dispatcher.getPrompt(operation, String(params['name']), argumentsOf(params), undefined),
          era,
        );
      case 'ping':
        return '{}';
      default:
        // because hasShape lets only the four lists come this far
        return this.#dispatcher.list(method as ListMethod, operation, params).bytes;
    }
  }

  async #call(operation: Operation<A>, name: string, args: Record<string, unknown>): Promise<WireText> {
    return toResultJson(await this.#dispatcher.callTool(operation, name, args), operation.era, this.#serverInfo);
  }

  async #completed(work: Promise<Record<string, unknown>>, era: Era): Promise<string> {
    return this.#complete(await work, era);
  }

  #complete(result: Record<string, unknown>, era: Era): string {
    if (era === 'legacy') return JSON.stringify(result);
    const { _meta: own, ...rest } = result;
    const meta = isObject(own) && Object.keys(own).length > 0 ? `${JSON.stringify(own).slice(1, -1)},` : '';
    return `${JSON.stringify(rest).slice(0, -1)},"resultType":"complete","_meta":{${meta}"${META_SERVER_INFO}":${this.#serverInfo}}}`;
  }
}

function argumentsOf(params: Record<string, unknown>): Record<string, unknown> {
  return isObject(params['arguments']) ? params['arguments'] : {};
}

/**
 * Writes a JSON answer. A text of plain ASCII goes out as it is, in one write with its headers; only other texts are
 * encoded first. Whoever knows that a text is one spares looking at each of its characters.
 */
export function send(
  response: ServerResponse,
  headers: Record<string, string>,
  json: string,
  { status = 200, isAscii = false }: { readonly status?: number; readonly isAscii?: boolean } = {},
): void {
  const size = isAscii ? json.length : Buffer.byteLength(json);
  headers['content-type'] = 'application/json';
  headers['content-length'] = String(size);
  response.writeHead(status, headers);
  if (size === json.length) response.end(json, 'latin1');
  else response.end(json, 'utf8');
}

/** The head is text, which leaves together with the headers; the bytes are not copied. */
function sendBytes(response: ServerResponse, headers: Record<string, string>, head: string, bytes: Buffer): void {
  headers['content-type'] = 'application/json';
  headers['content-length'] = String(Buffer.byteLength(head) + bytes.length);
  response.writeHead(200, headers);
  response.write(head);
  response.end(bytes);
}
