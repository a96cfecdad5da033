import type Koa from 'koa';
import { declaresTooMuch, readBody } from '../http/body.ts';
import { Refusal } from '../http/refusal.ts';
import { answerFault, answerMethod, answerPreflight, answerTooMany } from './answers.ts';
import { acceptMetadata } from './client-metadata.ts';
import type { ConsentPort } from './consent-port.ts';
import type { InnerRequest } from './inner-request.ts';
import type { OAuthLimits } from './limits.ts';
import { authorizationQuery, holdsNul, tokenForm } from './request-forms.ts';
import { OAUTH_ROUTES } from './routes.ts';
import { MAX_BODY_BYTES, type OAuthAddresses } from './settings.ts';

export interface EndpointParts {
  readonly addresses: OAuthAddresses;
  readonly limits: OAuthLimits;
  readonly consent: ConsentPort;
}

/** What to hand to the library, or undefined when the request has its answer already. */
type Prepared = Promise<InnerRequest | undefined>;

const BODY = { maxBytes: MAX_BODY_BYTES, timeoutMs: 15_000 };

/**
 * Stands in front of the library's endpoints: rate, size and form first, then what real clients get wrong is set
 * right, so that the library sees requests it can judge strictly.
 */
export class Endpoints {
  readonly #parts: EndpointParts;

  constructor(parts: EndpointParts) {
    this.#parts = parts;
  }

  async register(ctx: Koa.Context): Prepared {
    const body = await this.#readPost(ctx, 'register', 'application/json');
    if (body === undefined) return undefined;
    let given: unknown;
    try {
      given = JSON.parse(body);
    } catch {
      answerFault(ctx, 400, { error: 'invalid_client_metadata', description: 'The body is not JSON.' });
      return undefined;
    }
    const accepted = acceptMetadata(given);
    if ('fault' in accepted) {
      answerFault(ctx, 400, accepted.fault);
      return undefined;
    }
    return { url: OAUTH_ROUTES.register.path, body: JSON.stringify(accepted.metadata), cookies: 'none' };
  }

  async token(ctx: Koa.Context): Prepared {
    const body = await this.#readPost(ctx, 'token', 'application/x-www-form-urlencoded');
    if (body === undefined) return undefined;
    const prepared = tokenForm(body, this.#parts.addresses);
    if ('fault' in prepared) {
      answerFault(ctx, 400, prepared.fault);
      return undefined;
    }
    return { url: OAUTH_ROUTES.token.path, body: prepared.form, cookies: 'none' };
  }

  async revoke(ctx: Koa.Context): Prepared {
    const body = await this.#readPost(ctx, 'revoke', 'application/x-www-form-urlencoded');
    if (body === undefined) return undefined;
    const form = new URLSearchParams(body);
    // A secret means nothing here, and the library would take it for another way to authenticate.
    form.delete('client_secret');
    return { url: OAUTH_ROUTES.revoke.path, body: form.toString(), cookies: 'none' };
  }

  /** A POST is the same request with its parameters in the body. */
  async authorize(ctx: Koa.Context): Prepared {
    const { limits, consent, addresses } = this.#parts;
    const wait = await limits.exceeded('authorize', ctx);
    if (wait !== undefined) {
      ctx.status = 429;
      ctx.set('Retry-After', String(wait));
      const message = `Too many requests from your address. Try again in ${wait} s.`;
      await consent.showProblem(ctx, { status: 429, title: 'Too many requests', message });
      return undefined;
    }
    if (ctx.method !== 'GET' && ctx.method !== 'POST') {
      answerMethod(ctx, 'GET, POST');
      return undefined;
    }
    const text = ctx.method === 'GET' ? ctx.querystring : (await readBody(ctx.req, BODY)).toString('utf8');
    if (holdsNul(text)) {
      ctx.status = 400;
      const message = 'The request holds a character that no parameter may hold. Start again from the client.';
      await consent.showProblem(ctx, { status: 400, title: 'This connection cannot be made', message });
      return undefined;
    }
    const query = authorizationQuery(text, addresses);
    return { method: 'GET', url: `${OAUTH_ROUTES.authorize.path}?${query}`, cookies: 'none' };
  }

  /** The way back from the consent pages. */
  resume(ctx: Koa.Context): Prepared {
    return Promise.resolve({ method: 'GET', url: ctx.path, cookies: 'interaction' });
  }

  jwks(ctx: Koa.Context): Prepared {
    return Promise.resolve({ method: ctx.method, url: OAUTH_ROUTES.jwks.path, cookies: 'none' });
  }

  async #readPost(ctx: Koa.Context, what: 'register' | 'token' | 'revoke', type: string): Promise<string | undefined> {
    if (answerPreflight(ctx, 'POST')) return undefined;
    if (ctx.method !== 'POST') {
      answerMethod(ctx, 'POST');
      return undefined;
    }
    const wait = await this.#parts.limits.exceeded(what, ctx);
    if (wait !== undefined) {
      answerTooMany(ctx, wait);
      return undefined;
    }
    if (ctx.is(type) === false || ctx.get('content-encoding') !== '') {
      answerFault(ctx, 415, { error: 'invalid_request', description: `Content-Type must be ${type}.` });
      return undefined;
    }
    const body = await readBounded(ctx);
    if (body === undefined || !holdsNul(body)) return body;
    answerFault(ctx, 400, { error: 'invalid_request', description: 'The body holds U+0000.' });
    return undefined;
  }
}

async function readBounded(ctx: Koa.Context): Promise<string | undefined> {
  const tooLarge = { error: 'invalid_request', description: `The body is larger than ${MAX_BODY_BYTES} bytes.` };
  if (declaresTooMuch(ctx.req, MAX_BODY_BYTES)) {
    answerFault(ctx, 413, tooLarge);
    return undefined;
  }
  try {
    return (await readBody(ctx.req, BODY)).toString('utf8');
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 413) throw error;
    answerFault(ctx, 413, tooLarge);
    return undefined;
  }
}
