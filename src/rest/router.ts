import { Readable } from 'node:stream';
import type Koa from 'koa';
import type { RawAnswer } from '../../generated/contracts/endpoints.ts';
import { declaresTooMuch, DEFAULT_BODY_LIMITS, readBody, tooLarge } from '../http/body.ts';
import { presentedCredential } from '../http/credential.ts';
import type { InboundCall } from '../http/inbound.ts';
import { methodNotAllowed } from '../http/method.ts';
import { rateLimited, type RateLimiter } from '../http/rate-limit.ts';
import { Refusal } from '../http/refusal.ts';
import type { EndpointContext, EndpointContract, EndpointHandler, KeyedEndpointContext } from './endpoint.ts';
import { admit, type AdmissionParts, type Admitted } from './admission.ts';
import { check, jsonBody, type EndpointValidators } from './validate.ts';
import { joinRoutes, matchPath, type Match, type Route } from './routes.ts';

export interface RouterParts extends AdmissionParts {
  readonly contracts: readonly EndpointContract[];
  readonly handlers: Readonly<Record<string, EndpointHandler>>;
  readonly validators: EndpointValidators;
  readonly clientIp: (ctx: Koa.Context) => string;
  /** Counts calls per credential, or per address without one. */
  readonly rateLimiter?: RateLimiter;
}

/**
 * Serves the REST endpoints of the contracts and passes every other path on. The guards run in the order that MCP's
 * do: method, content type, declared size, rate, credential, permission; the body is read only after them.
 */
export function createRouter(parts: RouterParts): Koa.Middleware {
  const routes = joinRoutes(parts.contracts, parts.handlers);
  return async (ctx, next) => {
    const matches = matchPath(routes, ctx.path);
    if (matches.length === 0) return next();
    const { route, params } = chooseMethod(matches, ctx.method);
    const { contract } = route;
    const contentType = checkBody(contract, ctx);
    const inbound = new Inbound(ctx, parts.clientIp(ctx));
    if (contract.auth !== 'none') await checkRate(parts.rateLimiter, inbound);
    const admitted = await admit(parts, contract, { ctx, inbound });
    const parameters = readParameters(contract, ctx, params);
    checkParameters(parts.validators, contract, parameters);
    const bytes = await bodyOf(contract, ctx);
    const schema = parts.validators.request[contract.name];
    // because the validators have made parameters and body what the contract's handler is typed to take
    const body = (schema === undefined ? { contentType, bytes } : jsonBody(schema, bytes)) as never;
    // because `admit` gives an account to every endpoint whose contract asks for one, and the others are not typed to see it
    const context = new RequestContext(inbound, admitted) as KeyedEndpointContext;
    const answer = await route.handler({ parameters: parameters as never, body }, context);
    const holds = parts.validators.response[contract.name];
    if (holds !== undefined && !holds(answer)) throw new Error(`The answer of ${contract.name} breaks its contract.`);
    send(ctx, route, answer);
    return undefined;
  };
}

function chooseMethod(matches: readonly Match[], method: string): Match {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = matches.find((match) => match.route.contract.method === wanted);
  if (found !== undefined) return found;
  throw methodNotAllowed(matches.map((match) => match.route.contract.method));
}

/** The type of the body, without its parameters. */
function checkBody({ request }: EndpointContract, ctx: Koa.Context): string {
  if (request === undefined) return '';
  const type = (ctx.get('content-type').split(';')[0] ?? '').trim().toLowerCase();
  if (!request.contentTypes.includes(type)) {
    throw new Refusal(415, 'invalid_request', `Content-Type must be ${request.contentTypes.join(' or ')}.`);
  }
  if (declaresTooMuch(ctx.req, request.maxBytes)) throw tooLarge(request.maxBytes);
  return type;
}

async function checkRate(limiter: RateLimiter | undefined, { credential, clientIp }: InboundCall): Promise<void> {
  const decision = await limiter?.consume(credential?.sha256 ?? clientIp);
  if (decision?.allowed === false) throw rateLimited(decision.retryAfterSeconds);
}

/** A class for its late signal: a getter in an object literal gives every request a shape of its own. */
class Inbound implements InboundCall {
  readonly requestId: string;
  readonly clientIp: string;
  readonly method: string;
  readonly path: string;
  readonly headers: InboundCall['headers'];
  readonly credential: InboundCall['credential'];
  readonly #response: Koa.Context['res'];
  #abort: AbortController | undefined;

  constructor(ctx: Koa.Context, clientIp: string) {
    this.requestId = String(ctx.state['requestId'] ?? '');
    this.clientIp = clientIp;
    this.method = ctx.method;
    this.path = ctx.path;
    this.headers = ctx.req.headers;
    this.credential = presentedCredential(ctx.req.headers);
    this.#response = ctx.res;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const controller = new AbortController();
      this.#response.once('close', () => {
        if (!this.#response.writableFinished) controller.abort();
      });
      this.#abort = controller;
    }
    return this.#abort.signal;
  }
}

function readParameters(
  contract: EndpointContract,
  ctx: Koa.Context,
  params: Readonly<Record<string, string>>,
): Record<string, string> {
  const query = new URLSearchParams(ctx.querystring);
  const values: Record<string, string> = {};
  for (const { name, in: place, required } of contract.parameters) {
    const value =
      place === 'path' ? params[name] : place === 'query' ? single(query, name) : ctx.get(name) || undefined;
    if (value !== undefined) values[name] = value;
    else if (required) throw invalidParameter(name, 'is required');
  }
  return values;
}

function checkParameters(
  validators: EndpointValidators,
  { name }: EndpointContract,
  parameters: Record<string, string>,
): void {
  const validate = validators.parameters[name];
  if (validate !== undefined) check(validate, parameters, 'The request');
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  if (another !== undefined) throw invalidParameter(name, 'may be given once only');
  return value;
}

function invalidParameter(name: string, why: string): Refusal {
  return new Refusal(400, 'invalid_input', `The parameter ${name} ${why}.`, { fields: { [name]: why } });
}

async function bodyOf({ request }: EndpointContract, ctx: Koa.Context): Promise<Buffer> {
  if (request === undefined) return Buffer.alloc(0);
  return readBody(ctx.req, { ...DEFAULT_BODY_LIMITS, maxBytes: request.maxBytes });
}

/** Headers a proxy adds. Their presence is enough: on this machine a proxy's own address says nothing. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

class RequestContext implements EndpointContext {
  readonly requestId: string;
  readonly clientIp: string;
  readonly isLocal: boolean;
  readonly headers: EndpointContext['headers'];
  readonly account: Admitted['account'] | undefined;
  readonly csrfToken: string | undefined;
  readonly #inbound: InboundCall;

  constructor(inbound: InboundCall, admitted: Admitted | undefined) {
    this.requestId = inbound.requestId;
    this.clientIp = inbound.clientIp;
    this.isLocal = isLoopback(inbound.clientIp) && FORWARDED.every((name) => inbound.headers[name] === undefined);
    this.headers = inbound.headers;
    this.account = admitted?.account;
    this.csrfToken = admitted?.csrfToken;
    this.#inbound = inbound;
  }

  get signal(): AbortSignal {
    return this.#inbound.signal;
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function send(ctx: Koa.Context, { contract }: Route, answer: unknown): void {
  ctx.status = contract.response.status;
  if (isRaw(answer)) {
    ctx.set('content-type', answer.contentType);
    ctx.set({ ...answer.headers });
    ctx.body = bodyOfAnswer(answer.body);
    // Koa takes the type of a stream for unknown bytes unless it is told before and after.
    ctx.set('content-type', answer.contentType);
    if (answer.headers?.['content-length'] !== undefined) ctx.set('content-length', answer.headers['content-length']);
  } else if (answer !== undefined) {
    ctx.set('content-type', contract.response.contentType ?? 'application/json');
    ctx.body = JSON.stringify(answer);
  }
}

function bodyOfAnswer(body: RawAnswer['body']): string | Buffer | Readable {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return body instanceof Readable ? body : Readable.from(body);
}

function isRaw(answer: unknown): answer is RawAnswer {
  if (typeof answer !== 'object' || answer === null || !('contentType' in answer) || !('body' in answer)) return false;
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array) return true;
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
