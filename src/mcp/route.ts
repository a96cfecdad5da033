import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { monotonicMs } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { statusOf } from '../http/access-log.ts';
import { drain, parseBody, readBody } from '../http/body.ts';
import { Refusal } from '../http/refusal.ts';
import { createRequestIds, type RequestIds } from '../http/request-id.ts';
import { apiHeaders } from '../http/security-headers.ts';
import type { Dispatcher } from './dispatcher.ts';
import { errorEnvelope, type RequestId } from './envelope.ts';
import { Exchange } from './exchange.ts';
import { FastLane, recognise, send } from './fast-lane.ts';
import { ContractFault } from './faults.ts';
import { Guards, refusalOf } from './guards.ts';
import type { Legs } from './legs/legs.ts';
import type { McpOptions } from './options.ts';
import type { Principal } from './ports.ts';
import {
  isObject,
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  META_PROTOCOL_VERSION,
  RPC,
  RpcError,
  SUPPORTED_VERSIONS,
  type Era,
} from './protocol.ts';

/** Answers the MCP paths: guards, body, era, lane. */
export class Route<A, P> {
  readonly #options: McpOptions<A, P>;
  readonly #dispatcher: Dispatcher<A, P>;
  readonly #guards: Guards<A>;
  readonly #legs: Legs<A>;
  readonly #lane: FastLane<A, P> | undefined;
  readonly #ids: RequestIds = createRequestIds();
  /** Whether every answer leaves a line; else only what is not answered by the fast lane can leave one. */
  readonly #logsAll: boolean;

  constructor(options: McpOptions<A, P>, dispatcher: Dispatcher<A, P>, legs: Legs<A>) {
    this.#options = options;
    this.#dispatcher = dispatcher;
    this.#guards = new Guards(options.guards, options.ports.authenticate, (exchange, denial) =>
      dispatcher.noteDenied(exchange, denial),
    );
    this.#legs = legs;
    this.#logsAll = options.accessLog?.takes(200) ?? false;
    this.#lane = options.fastLane === false ? undefined : new FastLane(dispatcher);
  }

  /** Never rejects: nobody waits for it. */
  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const requestId = this.#ids(request.headers['x-request-id']);
    const exchange = new Exchange(request, response, {
      requestId,
      clientIp: this.#guards.clientIp(request),
      path,
      answerHeaders: apiHeaders(requestId),
    });
    if (this.#logsAll) this.#log(exchange);
    let id: RequestId | null = null;
    try {
      const admission = await this.#guards.admit(exchange);
      if ('preflight' in admission) {
        response.writeHead(204, { ...exchange.answerHeaders, ...admission.preflight }).end();
        return;
      }
      const room = this.#options.ports.audit.room?.();
      if (room !== undefined) await roomOrBusy(room);
      const reading = readBody(request, this.#guards.bodyLimits);
      const parsed = parseBody(reading instanceof Promise ? await reading : reading, this.#guards.maxDepth);
      id = idOf(parsed.value);
      await this.#answer(exchange, admission.principal, parsed.value, parsed.suspicious);
    } catch (error) {
      this.#refuse(exchange, error, id);
    }
  }

  #answer(exchange: Exchange, principal: Principal<A>, body: unknown, suspicious: boolean): Promise<void> {
    if (principal.stepUp !== undefined) this.#checkGrant(exchange, principal, body);
    const lane = this.#lane;
    const plain = lane === undefined ? undefined : recognise(body, exchange.headers);
    if (lane !== undefined && plain !== undefined && lane.takes(plain)) {
      return lane.answer({ exchange, principal, era: plain.era, suspicious }, plain);
    }
    return this.#answerByLeg(exchange, principal, body, suspicious);
  }

  async #answerByLeg(exchange: Exchange, principal: Principal<A>, body: unknown, suspicious: boolean): Promise<void> {
    if (!this.#logsAll) this.#log(exchange);
    if (!isObject(body)) throw notAMessage(body);
    checkMessage(body);
    const era = await this.#eraOf(exchange, body);
    return this.#legs.answer({ exchange, principal, era, suspicious }, body, this.#needsStream(body));
  }

  /** Before any work: only an HTTP status with a challenge tells a client's library to ask the person for more. */
  #checkGrant(exchange: Exchange, principal: Principal<A>, body: unknown): void {
    const wanted = isObject(body) ? this.#dispatcher.wantedBy(body['method'], body['params']) : undefined;
    if (wanted === undefined || principal.permissions[wanted.permission]) return;
    const denial = principal.stepUp?.(wanted.permission);
    if (denial === undefined) return;
    this.#dispatcher.noteRefused(exchange, principal, { ...wanted, outcome: denial.code });
    throw refusalOf(denial);
  }

  /**
   * The SDK's own predicate decides, once the handshake revisions' rules are kept: ours are fewer than the SDK's, and
   * it takes a version it has never heard of for one of the future.
   */
  async #eraOf(exchange: Exchange, body: Record<string, unknown>): Promise<Era> {
    if (!claimsEnvelope(body)) {
      const version = exchange.headers['mcp-protocol-version'];
      const known = version === undefined || SUPPORTED_VERSIONS.includes(String(version));
      if (body['method'] === 'initialize') negotiate(exchange.request, body, known);
      else if (!known) throw unsupportedVersion();
    }
    return this.#legs.classify(exchange, body);
  }

  /** Only extensions send anything before their result. */
  #needsStream(body: Record<string, unknown>): boolean {
    const { params } = body;
    return (
      body['method'] === 'tools/call' && isObject(params) && this.#dispatcher.isExtensionTool(String(params['name']))
    );
  }

  /** A refusal that cannot be made ends here too. */
  #refuse(exchange: Exchange, error: unknown, id: RequestId | null): void {
    try {
      this.#sendRefusal(exchange, error, id);
    } catch (fault) {
      this.#options.ports.logger.error('refusal failed', { requestId: exchange.requestId, error: fault });
      exchange.response.destroy();
    }
  }

  #sendRefusal(exchange: Exchange, error: unknown, id: RequestId | null): void {
    const { response, request, requestId } = exchange;
    const { logger, metrics } = this.#options.ports;
    if (!this.#logsAll) this.#log(exchange);
    const refusal = toRefusal(error);
    if (refusal === undefined) logger.error('request failed', { requestId, error });
    metrics.refused(refusal?.status ?? 500, refusal?.code ?? 'internal_error');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (response.destroyed) return;
    Object.assign(exchange.answerHeaders, refusal?.headers);
    const envelope = errorEnvelope(id, refusal === undefined ? unexpected(error, requestId) : this.#describe(refusal));
    send(response, exchange.answerHeaders, envelope, { status: refusal?.status ?? 500 });
    drain(request);
  }

  #describe(refusal: Refusal): RpcError {
    const known = this.#options.contract.errors[refusal.code];
    const reason = refusal.fields['reason'];
    const code = reason === 'syntax' || reason === 'encoding' ? RPC.parseError : RPC.invalidRequest;
    return new RpcError(code, refusal.message, {
      code: refusal.code,
      message: refusal.message,
      retryable: known?.retryable ?? refusal.status === 429,
      fields: refusal.fields,
    });
  }

  #log(exchange: Exchange): void {
    const { accessLog } = this.#options;
    if (accessLog === undefined || exchange.isLogged) return;
    exchange.isLogged = true;
    const { requestId, method, path, clientIp, response, startMs } = exchange;
    response.once('close', () => {
      const durationMs = monotonicMs() - startMs;
      accessLog.write({ requestId, method, path, clientIp, status: statusOf(response), durationMs });
    });
  }
}

/** Whoever calls is not known before the store answers, so an outage of it is met here, before any operation begins. */
function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof AppError) || error.code !== 'unavailable') return undefined;
  return new Refusal(503, error.code, error.message, { headers: { 'retry-after': '1' } });
}

/** Nothing is done that could not be written down: requests wait while the audit is behind, whatever they ask for. */
async function roomOrBusy(room: Promise<void>): Promise<void> {
  try {
    await room;
  } catch {
    const message = 'The server cannot write down what it does at the moment. Try again in a few seconds.';
    throw new Refusal(503, 'unavailable', message, { headers: { 'retry-after': '5' } });
  }
}

/** The fault of a broken contract is told to the developer who asked for it; anything else only by request id. */
function unexpected(error: unknown, requestId: string): RpcError {
  const message =
    error instanceof ContractFault
      ? error.message
      : 'The server failed in a way it did not foresee. Report the request id to the operator.';
  return new RpcError(RPC.internalError, message, {
    code: 'internal_error',
    message,
    retryable: true,
    fields: { request_id: requestId },
  });
}

function idOf(body: unknown): RequestId | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function notAMessage(body: unknown): Refusal {
  const what = Array.isArray(body)
    ? 'Batches are not supported. Send one message per request.'
    : 'The body is not a JSON-RPC message.';
  return new Refusal(400, 'invalid_request', what);
}

/** A request, a notification or a response of JSON-RPC 2.0; what is none of them never reaches an SDK. */
function checkMessage(body: Record<string, unknown>): void {
  const { id, method } = body;
  const idIsGood = id === undefined || typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  const isMessage = typeof method === 'string' || (id !== undefined && ('result' in body || 'error' in body));
  if (body['jsonrpc'] !== '2.0' || !idIsGood || !isMessage) throw notAMessage(body);
}

/** Whether the body speaks the 2026 revision, well or badly; everything about its version is the SDK's to judge then. */
function claimsEnvelope({ params }: Record<string, unknown>): boolean {
  return isObject(params) && isObject(params['_meta']) && META_PROTOCOL_VERSION in params['_meta'];
}

/** The handshake finds a version both know: one that is not served, in header or body, must not stop it. */
function negotiate(request: IncomingMessage, body: Record<string, unknown>, known: boolean): void {
  if (!known) dropHeader(request, 'mcp-protocol-version');
  const { params } = body;
  if (isObject(params) && !LEGACY_VERSIONS.includes(String(params['protocolVersion']))) {
    params['protocolVersion'] = LATEST_LEGACY_VERSION;
  }
}

function unsupportedVersion(): Refusal {
  const message = `This protocol version is not served. Use one of ${SUPPORTED_VERSIONS.join(', ')}.`;
  return new Refusal(400, 'protocol_version_unsupported', message, { fields: { supported: SUPPORTED_VERSIONS } });
}

/** Takes a header away where Node keeps it and where the SDK's adapter reads it. */
function dropHeader(request: IncomingMessage, name: string): void {
  delete request.headers[name];
  for (let at = request.rawHeaders.length - 2; at >= 0; at -= 2) {
    if (request.rawHeaders[at]?.toLowerCase() === name) request.rawHeaders.splice(at, 2);
  }
}

/** Gives the route the requests of its paths, and all others to the listener behind it. */
export function mount<A, P>(route: Route<A, P>, paths: readonly string[], behind: RequestListener): RequestListener {
  const served = new Set(paths);
  return (request, response) => {
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    if (served.has(path)) void route.handle(request, response, path);
    else behind(request, response);
  };
}
