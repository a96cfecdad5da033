/** Which revision a request speaks, and whether it keeps the rules of it. */
import { isJsonObject } from '../canonical/json.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { JsonValue } from '../model/types.ts';
import { INVALID_PARAMS, RpcFault } from './fault.ts';
import type { Era } from './fault.ts';

export type Headers = { readonly [lowerCaseName: string]: string | undefined };

export const MODERN = '2026-07-28';
export const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export interface Request {
  readonly method: string;
  readonly params: { readonly [name: string]: JsonValue };
  readonly headers: Headers;
  readonly era: Era;
}

export function eraOf(method: string, params: Request['params'], headers: Headers): Era {
  const meta = params['_meta'];
  if (isJsonObject(meta) && VERSION in meta) return 'modern';
  if (method === 'initialize') return 'legacy';
  return headers['mcp-protocol-version'] === MODERN || method === 'server/discover' ? 'modern' : 'legacy';
}

export function checkEnvelope(request: Request, canonical: CanonicalModel): void {
  const { method, params, headers, era } = request;
  const header = headers['mcp-protocol-version'];
  if (era === 'legacy') {
    if (method !== 'initialize' && header !== undefined && !LEGACY.includes(header))
      throw new RpcFault(-32000, `Unsupported protocol version ${header.slice(0, 40)}.`, { status: 400 });
    return;
  }
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[VERSION];
  if (typeof version !== 'string' || !isJsonObject(meta[CAPABILITIES]))
    throw new RpcFault(INVALID_PARAMS, `Every request carries ${VERSION} and ${CAPABILITIES} in _meta.`, {
      status: 400,
    });
  if (header !== undefined) same('MCP-Protocol-Version', header, version);
  if (version !== MODERN)
    throw new RpcFault(UNSUPPORTED_VERSION, 'Unsupported protocol version.', {
      status: 400,
      data: { supported: [MODERN, ...LEGACY], requested: version },
    });
  same('MCP-Protocol-Version', header, version);
  same('Mcp-Method', headers['mcp-method'], method);
  const named = NAMED[method];
  const name = named === undefined ? undefined : params[named];
  if (typeof name === 'string') same('Mcp-Name', headers['mcp-name'], name);
  if (method === 'tools/call') checkMirrors(request, canonical);
}

/** Arguments that the contract mirrors in a header must stand there unchanged. */
function checkMirrors({ params, headers }: Request, { model, shapes }: CanonicalModel): void {
  const tool = model.tools.find(({ name }) => name === params['name']);
  const node = shapes.get(`${tool?.typeName ?? ''}Input`)?.node;
  const args = params['arguments'];
  if (node?.kind !== 'object' || !isJsonObject(args)) return;
  for (const { name, node: child } of node.properties) {
    const { header } = child.notes;
    const value = args[name];
    if (header === undefined || value === undefined || value === null || typeof value === 'object') continue;
    same(`Mcp-Param-${header}`, headers[`mcp-param-${header.toLowerCase()}`], String(value));
  }
}

function same(name: string, given: string | undefined, meant: string): void {
  if (given !== undefined && decodedHeader(given) === meant) return;
  const what = given === undefined ? 'is missing' : 'differs from the body';
  throw new RpcFault(HEADER_MISMATCH, `The header ${name} ${what}.`, { status: 400 });
}

/** Undefined for a value in base64 that is not written as base64 is. */
function decodedHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/u.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}
