import type { Provider } from 'oidc-provider';
import type Koa from 'koa';
import type { OAuthTokensService } from '../domain/identity/index.ts';
import { readBody } from '../http/body.ts';
import type { ConsentPort, SignedInPerson } from './consent-port.ts';
import { consentView, type AskedClient } from './consent-view.ts';
import { innerRequest } from './inner-request.ts';
import { isFromOwnPage, type FormTokens } from './interaction-guard.ts';
import { formActionSource, redirectHost } from './redirects.ts';
import { interactionPath } from './routes.ts';
import { MAX_BODY_BYTES, type OAuthAddresses } from './settings.ts';

export interface InteractionParts {
  readonly addresses: OAuthAddresses;
  readonly consent: ConsentPort;
  readonly tokens: OAuthTokensService;
  readonly formTokens: FormTokens;
}

const PATH = new RegExp(`^${interactionPath('([A-Za-z0-9_-]{20,64})')}$`);

/** What the person is asked about. */
interface Question {
  readonly uid: string;
  readonly path: string;
  readonly client: AskedClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly isAnswered: boolean;
}

/** The pages on which a person signs in and decides. A GET only ever shows; a decision is a form post of this origin. */
export class Interaction {
  readonly #parts: InteractionParts;

  constructor(parts: InteractionParts) {
    this.#parts = parts;
  }

  serves(ctx: Koa.Context): boolean {
    return PATH.test(ctx.path);
  }

  async handle(ctx: Koa.Context, provider: Provider): Promise<void> {
    setPageHeaders(ctx);
    if (ctx.method !== 'GET' && ctx.method !== 'POST') {
      ctx.set('Allow', 'GET, POST');
      return this.#problem(ctx, 405, 'This page takes a form and nothing else');
    }
    const question = await this.#findQuestion(ctx, provider);
    if (question === undefined || question.isAnswered)
      return this.#problem(ctx, 400, 'This request has expired or was answered already');
    if (ctx.method === 'POST') return this.#answer(ctx, provider, question);
    const person = await this.#parts.consent.findPerson(ctx);
    if (person === undefined) return this.#parts.consent.requestSignIn(ctx, question.path);
    return this.#show(ctx, question, person);
  }

  async #show(ctx: Koa.Context, question: Question, person: SignedInPerson): Promise<void> {
    allowFormTarget(ctx, formActionSource(question.redirectUri));
    const csrf = this.#parts.formTokens.make(question.uid, person.accountId, person.sessionId);
    return this.#parts.consent.showConsent(ctx, consentView({ ...question, person, csrf }));
  }

  async #answer(ctx: Koa.Context, provider: Provider, question: Question): Promise<void> {
    const { consent, formTokens, addresses } = this.#parts;
    if (!isFromOwnPage(ctx.req.headers, addresses.origin))
      return this.#problem(ctx, 403, 'This form was sent from a foreign page');
    const form = await readForm(ctx);
    if (form === undefined) return this.#problem(ctx, 400, 'The form could not be read');
    if (!form.has('decision') && consent.acceptSignIn !== undefined)
      return consent.acceptSignIn(ctx, question.path, form);
    const person = await consent.findPerson(ctx);
    if (person === undefined) return this.#problem(ctx, 401, 'Nobody is signed in');
    if (!formTokens.isGood(form.get('csrf'), question.uid, person.accountId, person.sessionId))
      return this.#problem(ctx, 403, 'This form is not the one that was shown to you');
    const decision = form.get('decision');
    if (decision === 'connect') return this.#finish(ctx, provider, await this.#connect(question, person));
    if (decision !== 'cancel') return this.#problem(ctx, 400, 'The form holds no decision');
    const refused = { error: 'access_denied', error_description: 'The person did not agree.' };
    return this.#finish(ctx, provider, refused);
  }

  async #connect({ client, redirectUri, scopes }: Question, { accountId }: SignedInPerson) {
    const grant = await this.#parts.tokens.grant({
      accountId,
      clientId: client.id,
      clientName: client.name,
      clientKind: client.kind,
      redirectHost: redirectHost(redirectUri),
      resource: this.#parts.addresses.resource,
      scopes,
    });
    return { login: { accountId, remember: false }, consent: { grantId: grant.id } };
  }

  /** Stores the answer with the library and sends the browser back to it. */
  async #finish(ctx: Koa.Context, provider: Provider, result: Record<string, unknown>): Promise<void> {
    const returnTo = await provider.interactionResult(this.#inner(ctx), ctx.res, result);
    ctx.status = 303;
    ctx.redirect(returnTo);
    ctx.body = '';
  }

  async #findQuestion(ctx: Koa.Context, provider: Provider): Promise<Question | undefined> {
    const uid = PATH.exec(ctx.path)?.[1] ?? '';
    // The library throws when the cookie of the interaction is missing, forged or old.
    const details = await provider.interactionDetails(this.#inner(ctx), ctx.res).catch(() => undefined);
    if (details === undefined || details.uid !== uid) return undefined;
    const { client_id: clientId, redirect_uri: redirectUri, scope } = details.params;
    if (typeof clientId !== 'string' || typeof redirectUri !== 'string' || typeof scope !== 'string') return undefined;
    const client = await provider.Client.find(clientId);
    if (client === undefined) return undefined;
    return {
      uid,
      path: interactionPath(uid),
      client: {
        id: clientId,
        name: client.clientName ?? 'MCP client',
        kind: clientId.startsWith('https://') ? 'document' : 'registered',
      },
      redirectUri,
      scopes: scope.split(' '),
      isAnswered: details.result !== undefined,
    };
  }

  #inner(ctx: Koa.Context) {
    return innerRequest(ctx, { url: ctx.url, method: 'GET', cookies: 'interaction' }, this.#parts.addresses);
  }

  #problem(ctx: Koa.Context, status: number, what: string): Promise<void> {
    ctx.status = status;
    const message = `${what}. Start again from the client.`;
    return this.#parts.consent.showProblem(ctx, { status, title: 'This connection cannot be made', message });
  }
}

/**
 * The pages are nobody else's to frame or keep. The referrer policy differs from the other pages': under no-referrer
 * a browser sends `Origin: null` with a form, and the origin is one of the things that prove the form is ours.
 */
function setPageHeaders(ctx: Koa.Context): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'same-origin');
  allowFormTarget(ctx);
}

function allowFormTarget(ctx: Koa.Context, target?: string): void {
  const targets = target === undefined ? "'self'" : `'self' ${target}`;
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
  );
}

async function readForm(ctx: Koa.Context): Promise<ReadonlyMap<string, string> | undefined> {
  if (ctx.is('application/x-www-form-urlencoded') === false) return undefined;
  const body = await readBody(ctx.req, { maxBytes: MAX_BODY_BYTES, timeoutMs: 15_000 });
  const parameters = new URLSearchParams(body.toString('utf8'));
  const form = new Map(parameters);
  return form.size === [...parameters].length ? form : undefined;
}
