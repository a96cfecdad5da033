import type Koa from 'koa';
import { pages, type PageHandlers } from '../../generated/console/pages.ts';
import type { SessionsService, SignedIn } from '../domain/identity/index.ts';
import type { Project, ProjectsService } from '../domain/projects/index.ts';
import { drain } from '../http/body.ts';
import { Refusal } from '../http/refusal.ts';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { randomToken } from '../kernel/secrets.ts';
import { addressOf, safeReturn } from './addresses.ts';
import type { Assets } from './assets.ts';
import { dropCookie, readCookie, setCookie, type CookieNames } from './cookies.ts';
import { requireSameOrigin, type Csrf } from './csrf.ts';
import { EMPTY_FORM, readForm, type Form } from './form.ts';
import { draw, type Framed } from './frame.ts';
import { joinPages, matchPage, type PageMatch } from './match.ts';
import type { Views } from './views.ts';
import type { Answer, PersonVisit, Redirect, SessionChange, View, Visits } from './visit.ts';

export interface RouterParts {
  readonly handlers: PageHandlers<Visits, Answer>;
  readonly sessions: SessionsService;
  readonly projects: ProjectsService;
  readonly views: Views;
  readonly assets: Assets;
  readonly csrf: Csrf;
  readonly cookies: CookieNames;
  readonly isHttps: boolean;
  /** Origins the Console is served from, for the check of forms. */
  readonly origins: readonly string[];
  readonly clientIp: (ctx: Koa.Context) => string;
  /** Status of an error code, from the contract's vocabulary. */
  readonly describe: (code: string) => { readonly http: number } | undefined;
  readonly logger: Logger;
}

/** Serves the pages of the contracts and passes every other path on. Mount it inside request id, log, headers and host guard. */
export function createRouter(parts: RouterParts): Koa.Middleware {
  const routes = joinPages(pages, parts.handlers);
  return async (ctx, next) => {
    if (parts.assets.serve(ctx)) return undefined;
    const match = matchPage(routes, ctx.path);
    if (match === undefined) return wantsPage(ctx) ? orMissingPage(parts, ctx, next) : next();
    ctx.set('cache-control', 'no-store');
    // Without its own origin a browser sends forms with `Origin: null`, and the check of forms would refuse them.
    ctx.set('referrer-policy', 'same-origin');
    await new PageRequest(parts, ctx, match).answer();
    return undefined;
  };
}

/** One request for a page, from its cookie to its HTML. */
class PageRequest {
  readonly #parts: RouterParts;
  readonly #ctx: Koa.Context;
  readonly #match: PageMatch;
  #framed: Framed;

  constructor(parts: RouterParts, ctx: Koa.Context, match: PageMatch) {
    this.#parts = parts;
    this.#ctx = ctx;
    this.#match = match;
    this.#framed = { page: match.route.contract.name };
  }

  async answer(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #run(): Promise<void> {
    const ctx = this.#ctx;
    const isPost = ctx.method === 'POST';
    if (!isPost && ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new Refusal(405, 'invalid_request', 'Pages answer GET and POST.', {
        headers: { allow: 'GET, HEAD, POST' },
      });
    }
    if (isPost) requireSameOrigin(ctx, this.#parts.origins);
    const token = readCookie(ctx, this.#parts.cookies.session);
    const person = token === undefined ? undefined : await this.#parts.sessions.find(token);
    const owner = this.#formOwner(person);
    const csrf = this.#parts.csrf.tokenOf(owner);
    this.#framed = { ...this.#framed, csrf, ...(person && { person }) };
    const { access } = this.#match.route.contract;
    if (access !== 'public' && person === undefined) {
      const next = isPost ? ctx.path : ctx.path + ctx.search;
      this.#redirect({ to: addressOf('sign_in', { next: next === '/' ? undefined : next }) });
      return;
    }
    const form = isPost ? await readForm(ctx.req) : EMPTY_FORM;
    if (isPost) this.#parts.csrf.check(owner, form.text('csrf'));
    const project = person && (await this.#project(person));
    if (project !== undefined) this.#framed = { ...this.#framed, project };
    if (access === 'project' && project === undefined) {
      await this.#chooseProject(person);
      return;
    }
    const visit = this.#visit({ csrf, form, ...(person && { person }), ...(project && { project }) });
    await this.#send(isPost ? await this.#act(visit, form) : await this.#show(visit));
  }

  /** Someone who is not signed in is told apart by a cookie of their own, so that their forms are theirs as well. */
  #formOwner(person: SignedIn | undefined): string {
    if (person !== undefined) return `session:${person.session.id}`;
    const { visitor } = this.#parts.cookies;
    const known = readCookie(this.#ctx, visitor);
    if (known !== undefined) return `visitor:${known}`;
    const fresh = randomToken();
    setCookie(this.#ctx, visitor, fresh, this.#parts);
    return `visitor:${fresh}`;
  }

  async #project({ account }: SignedIn): Promise<Project | undefined> {
    const named = new URLSearchParams(this.#ctx.querystring).get('projectId');
    if (named === null || named === '') return undefined;
    const project = await this.#parts.projects.findAccessible({ accountId: account.id }, named);
    if (project !== undefined) return project;
    throw new AppError('resource_not_found', 'You have no project with this id. It may have been deactivated.');
  }

  /** A project page without a project: the only one there is, or a choice. */
  async #chooseProject(person: SignedIn | undefined): Promise<void> {
    if (person === undefined) return;
    const { projects } = await this.#parts.projects.listAccessible({ accountId: person.account.id }, { limit: 100 });
    const query = new URLSearchParams(this.#ctx.querystring);
    const to = (projectId: string): string => {
      query.set('projectId', projectId);
      return `${this.#ctx.path}?${query.toString()}`;
    };
    const [only, another] = projects;
    if (only !== undefined && another === undefined) {
      this.#redirect({ to: to(only.id) });
      return;
    }
    const choices = projects.map(({ id, name, slug }) => ({ name, slug, address: to(id) }));
    await this.#draw({ view: 'choose-project', title: 'Choose a project', data: { choices } });
  }

  #visit(facts: Pick<PersonVisit, 'csrf' | 'form'> & Partial<Pick<PersonVisit, 'person' | 'project'>>): PersonVisit {
    const ctx = this.#ctx;
    const abort = new AbortController();
    ctx.res.once('close', () => abort.abort());
    // because the router has refused visitors of pages that need a person or a project
    return {
      ...facts,
      page: this.#match.route.contract.name,
      path: ctx.path,
      params: this.#match.params,
      query: new URLSearchParams(ctx.querystring),
      requestId: this.#requestId,
      clientIp: this.#parts.clientIp(ctx),
      userAgent: ctx.req.headers['user-agent'],
      signal: abort.signal,
      node: { request: ctx.req, response: ctx.res },
    } as PersonVisit;
  }

  #show(visit: PersonVisit): Promise<Answer> {
    // because `joinPages` has paired the page with code for its own kind of visit
    return this.#match.route.code.show(visit as never);
  }

  async #act(visit: PersonVisit, form: Form): Promise<Answer> {
    const { contract, code } = this.#match.route;
    const name = form.text('action');
    const action = contract.actions.find((one) => one.name === name);
    const run = action && code.actions?.[action.name];
    if (action === undefined || run === undefined) {
      throw new Refusal(400, 'invalid_request', 'This page has no such form.');
    }
    if (action.destructive && form.text('confirmed') !== 'yes') return confirmation(action.title, form, this.#ctx);
    try {
      // because `joinPages` has paired the page with code for its own kind of visit
      return await run(visit as never);
    } catch (error) {
      const status = error instanceof AppError && !(error instanceof Refusal) ? this.#statusOf(error) : 500;
      if (status >= 500 || !(error instanceof AppError)) throw error;
      this.#framed = { ...this.#framed, problem: error.message };
      const again = await this.#show({ ...visit, problem: error.message });
      return 'view' in again ? { ...again, status } : again;
    }
  }

  async #send(answer: Answer): Promise<void> {
    if (answer.session !== undefined) this.#changeSession(answer.session);
    if ('to' in answer) this.#redirect(answer);
    else await this.#draw(answer);
  }

  #changeSession(change: SessionChange): void {
    const { cookies, isHttps } = this.#parts;
    if (change === 'end') dropCookie(this.#ctx, cookies.session, isHttps);
    else setCookie(this.#ctx, cookies.session, change.token, { isHttps, expires: change.expiresAt });
  }

  #redirect({ to, notice }: Redirect): void {
    const address = safeReturn(to);
    this.#ctx.status = 303;
    this.#ctx.set('location', notice === undefined ? address : withNotice(address, notice));
    this.#ctx.body = '';
  }

  async #fail(error: unknown): Promise<void> {
    const ctx = this.#ctx;
    const status = this.#statusOf(error);
    const isKnown = error instanceof AppError && status < 500;
    const about = { requestId: this.#requestId, path: ctx.path };
    if (status >= 500) this.#parts.logger.error('page failed', { ...about, error });
    else this.#parts.logger.info('page refused', { ...about, status });
    if (error instanceof Refusal) ctx.set(error.headers);
    const message = isKnown ? error.message : 'The server failed in a way it did not foresee.';
    const data = { status, message, requestId: this.#requestId };
    await this.#draw({ view: 'error', title: titleOf(status), data, status });
    drain(ctx.req);
  }

  #statusOf(error: unknown): number {
    if (error instanceof Refusal) return error.status;
    return (error instanceof AppError ? this.#parts.describe(error.code)?.http : undefined) ?? 500;
  }

  #draw(view: View): Promise<void> {
    return draw(this.#ctx, this.#parts, view, this.#framed);
  }

  get #requestId(): string {
    return String(this.#ctx.state['requestId'] ?? '');
  }
}

function wantsPage(ctx: Koa.Context): boolean {
  return ctx.method === 'GET' && /\btext\/html\b/.test(ctx.get('accept'));
}

/** A person who mistypes an address reads a page; programs get the problem document that everybody behind here makes. */
async function orMissingPage(parts: RouterParts, ctx: Koa.Context, next: Koa.Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    ctx.set('cache-control', 'no-store');
    const data = { status: 404, message: 'There is no page at this address.' };
    await draw(ctx, parts, { view: 'error', title: titleOf(404), status: 404, data }, {});
  }
}

/** Asks before something is taken away: the same form once more, with a yes in it. */
function confirmation(title: string, form: Form, ctx: Koa.Context): View {
  const fields = form.names
    .filter((name) => name !== 'csrf' && name !== 'confirmed')
    .flatMap((name) => form.all(name).map((value) => ({ name, value })));
  const data = { question: title, subject: form.text('subject'), fields, action: ctx.path + ctx.search };
  return { view: 'confirm', title, data };
}

function withNotice(address: string, notice: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}notice=${notice}`;
}

function titleOf(status: number): string {
  if (status === 404) return 'Not found';
  return status >= 500 ? 'Something went wrong' : 'That did not work';
}
