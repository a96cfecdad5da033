import { isObject, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { quote, type Answer } from './message.ts';
import { Refusal } from './refusal.ts';
import type { Headers, Transport } from './transport.ts';

const PREFIX = 'io.modelcontextprotocol/';
const CLIENT = { name: 'mcp-contract', version: '1' };

/** Revisions without a handshake, newest first. */
export const MODERN = ['2026-07-28'] as const;
/** Revisions that begin with `initialize`, newest first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type Revision = (typeof MODERN)[number] | (typeof LEGACY)[number];

/** What a server says of itself. */
export interface Identity {
  readonly revision: string;
  readonly server: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string;
  readonly contractHash?: string;
}

export interface Session {
  readonly identity: Identity;
  ask(method: string, params: JsonObject): Promise<Answer>;
}

/** Opens a conversation in one revision; undefined when the server does not speak it. */
export function open(transport: Transport, revision: Revision, probeMs?: number): Promise<Session | undefined> {
  return MODERN.some((one) => one === revision)
    ? openModern(transport, revision, probeMs)
    : openLegacy(transport, revision);
}

/** Every request carries what the handshake carries elsewhere. */
async function openModern(transport: Transport, revision: string, probeMs?: number): Promise<Session | undefined> {
  const meta = {
    [`${PREFIX}protocolVersion`]: revision,
    [`${PREFIX}clientInfo`]: CLIENT,
    [`${PREFIX}clientCapabilities`]: {},
  };
  const headers = (method: string): Headers => ({ 'mcp-protocol-version': revision, 'mcp-method': method });
  const ask = (method: string, params: JsonObject): Promise<Answer> =>
    transport.ask({
      method,
      params: { ...params, _meta: meta },
      headers: headers(method),
      ...(method === 'server/discover' && probeMs !== undefined ? { timeoutMs: probeMs } : {}),
    });
  const answer = await unlessForeign(ask('server/discover', {}));
  if (answer === undefined || 'fault' in answer) return undefined;
  const { result } = answer;
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(revision)) return undefined;
  const about = objectAt(result, '_meta');
  const hash = about['contractHash'];
  return {
    ask,
    identity: {
      revision,
      server: objectAt(about, `${PREFIX}serverInfo`),
      ...common(result),
      ...(typeof hash === 'string' ? { contractHash: hash } : {}),
    },
  };
}

async function openLegacy(transport: Transport, revision: string): Promise<Session | undefined> {
  const answer = await transport.ask({
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT },
    headers: {},
  });
  if ('fault' in answer) {
    if (speaksModernOnly(answer.fault.data)) return undefined;
    throw new Refusal('failed', `It refuses to begin: ${quote(answer.fault.message)} (${answer.fault.code}).`);
  }
  const { result } = answer;
  const agreed = result['protocolVersion'];
  if (typeof agreed !== 'string' || !isObject(result['capabilities'])) {
    throw new Refusal(
      'not_mcp',
      'Its answer to initialize names no protocol revision or capabilities, so it is not MCP.',
    );
  }
  if (!LEGACY.some((one) => one === agreed)) {
    throw new Refusal('failed', `It insists on the protocol revision ${quote(agreed)}, which is not known here.`);
  }
  const headers = { 'mcp-protocol-version': agreed };
  await transport.tell({ method: 'notifications/initialized', params: {}, headers });
  return {
    ask: (method, params) => transport.ask({ method, params, headers }),
    identity: { revision: agreed, server: objectAt(result, 'serverInfo'), ...common(result) },
  };
}

/** What an older server makes of a newer question is not an error of anybody: it does not speak that revision. */
async function unlessForeign(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && ['not_mcp', 'failed', 'timeout'].includes(error.kind)) return undefined;
    throw error;
  }
}

function speaksModernOnly(data: JsonValue | undefined): boolean {
  return isObject(data) && Array.isArray(data['supported']);
}

function common(result: JsonObject): Pick<Identity, 'capabilities' | 'instructions'> {
  const { instructions } = result;
  return {
    capabilities: objectAt(result, 'capabilities'),
    instructions: typeof instructions === 'string' ? instructions : '',
  };
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const inner = value[name];
  return isObject(inner) ? inner : {};
}
