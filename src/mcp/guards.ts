import type { IncomingMessage } from 'node:http';
import { DEFAULT_BODY_LIMITS, declaresTooMuch, tooLarge, type BodyLimits } from '../http/body.ts';
import { createClientIp, type ClientIp } from '../http/client-ip.ts';
import { isJson, isUnencoded, notJson } from '../http/content-type.ts';
import { corsHeaders, preflightHeaders } from '../http/cors.ts';
import { presentedCredential } from '../http/credential.ts';
import { createHostCheck, misdirected, type HostCheck } from '../http/host-guard.ts';
import { methodNotAllowed } from '../http/method.ts';
import { createOriginCheck, foreignOrigin, type OriginCheck } from '../http/origin-guard.ts';
import { rateLimited, type RateLimiter } from '../http/rate-limit.ts';
import { Refusal } from '../http/refusal.ts';
import type { Exchange } from './exchange.ts';
import type { McpGuards } from './options.ts';
import type { Authenticator, Denial, Principal } from './ports.ts';

const METHODS = ['POST', 'OPTIONS'];

/** A good credential's way through the guards, or a preflight that needs none. */
export type Admission<A> = { readonly principal: Principal<A> } | { readonly preflight: Record<string, string> };

/** Told of each refused credential that was within the limit. */
export type OnDenied = (exchange: Exchange, denial: Denial) => void;

/**
 * All guards as one function in their fixed order: host, origin, method, content type, declared size, rate limit,
 * credential. Ten middlewares would cost ten promises a request. A request from a bad host is told so whatever
 * its credential is. Throws `Refusal`.
 */
export class Guards<A> {
  readonly bodyLimits: BodyLimits;
  readonly maxDepth: number;
  readonly clientIp: ClientIp;
  readonly #host: HostCheck;
  readonly #origin: OriginCheck;
  readonly #limiter: RateLimiter | undefined;
  readonly #failures: RateLimiter | undefined;
  readonly #authenticate: Authenticator<A>;
  readonly #onDenied: OnDenied;

  constructor(options: McpGuards, authenticate: Authenticator<A>, onDenied: OnDenied) {
    this.bodyLimits = {
      maxBytes: options.maxBodyBytes ?? DEFAULT_BODY_LIMITS.maxBytes,
      timeoutMs: options.bodyTimeoutMs ?? DEFAULT_BODY_LIMITS.timeoutMs,
    };
    this.maxDepth = options.maxDepth ?? 64;
    this.clientIp = createClientIp(options.trustedProxies);
    this.#host = createHostCheck(options.allowedHosts);
    this.#origin = createOriginCheck(options.allowedOrigins);
    this.#limiter = options.rateLimiter;
    this.#failures = options.failureLimiter;
    this.#authenticate = authenticate;
    this.#onDenied = onDenied;
  }

  async admit(exchange: Exchange): Promise<Admission<A>> {
    const { request } = exchange;
    const { headers } = request;
    if (!this.#host(headers.host)) throw misdirected();
    const { origin } = headers;
    if (origin !== undefined) {
      if (!this.#origin(origin)) throw foreignOrigin();
      Object.assign(exchange.answerHeaders, corsHeaders(origin));
    }
    if (request.method !== 'POST') return { preflight: answerOptions(request, origin) };
    if (!isJson(headers) || !isUnencoded(headers)) throw notJson();
    checkAccept(headers.accept);
    if (declaresTooMuch(request, this.bodyLimits.maxBytes)) throw tooLarge(this.bodyLimits.maxBytes);
    exchange.credential = presentedCredential(headers);
    if (this.#limiter !== undefined) {
      const { credential, clientIp } = exchange;
      const use = credential === undefined ? `ip ${clientIp}` : `key ${credential.sha256}`;
      const decision = await this.#limiter.consume(use);
      if (!decision.allowed) throw rateLimited(decision.retryAfterSeconds);
    }
    const answer = this.#authenticate(exchange);
    const authentication = answer instanceof Promise ? await answer : answer;
    if ('denial' in authentication) throw await this.#denied(authentication.denial, exchange);
    return authentication;
  }

  /** Wrong credentials count against the address: each guess looks like a new caller to the limiter above. */
  async #denied(denial: Denial, exchange: Exchange): Promise<Refusal> {
    const decision = await this.#failures?.consume(`ip ${exchange.clientIp}`);
    if (decision?.allowed === false) return rateLimited(decision.retryAfterSeconds);
    this.#onDenied(exchange, denial);
    return refusalOf(denial);
  }
}

export function refusalOf(denial: Denial): Refusal {
  return new Refusal(denial.status, denial.code, denial.message, {
    ...(denial.fields === undefined ? {} : { fields: denial.fields }),
    ...(denial.challenge === undefined ? {} : { headers: { 'www-authenticate': denial.challenge } }),
  });
}

function answerOptions(request: IncomingMessage, origin: string | undefined): Record<string, string> {
  if (request.method !== 'OPTIONS') throw methodNotAllowed(METHODS);
  const { headers } = request;
  if (origin === undefined || headers['access-control-request-method'] === undefined)
    return { allow: METHODS.join(', ') };
  const requested = headers['access-control-request-headers'];
  return preflightHeaders(origin, ['POST'], requested);
}

/** JSON answers every plain call, so JSON alone is enough; a client that takes neither gets 406. */
function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '' || /(?:^|[\s,])(?:application\/(?:json|\*)|\*\/\*)/i.test(accept)) return;
  throw new Refusal(406, 'invalid_request', 'Accept must allow application/json.');
}
