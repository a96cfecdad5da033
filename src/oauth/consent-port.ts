import type Koa from 'koa';

/** The person whose browser this is, as the Console's session (or the fallback's own sign-in) proves it. */
export interface SignedInPerson {
  readonly accountId: string;
  readonly email: string;
  /** Names the session; part of what the consent form's CSRF token is bound to. Never the cookie's own value. */
  readonly sessionId: string;
}

/**
 * How far the client's name can be believed. `loopback`: it runs on the person's own machine and chose its name itself.
 * `self_declared`: it registered itself with a web or app address. `document`: its host publishes its description,
 * so the host is proven and the name is the host's claim.
 */
export type ClientTrust = 'loopback' | 'self_declared' | 'document';

export interface ConsentScope {
  /** As the client asked for it, such as `overmind:read`. */
  readonly name: string;
  readonly title: string;
  readonly meaning: string;
}

/** Everything a consent page shows. All texts are free of control characters and bounded; still escape them. */
export interface ConsentView {
  readonly clientName: string;
  readonly trust: ClientTrust;
  /** One sentence on how far the client can be trusted. */
  readonly trustWords: string;
  /** Where the browser goes after the decision: host, and port when there is one; the scheme for an app's own scheme. */
  readonly redirectHost: string;
  readonly redirectUri: string;
  readonly accountEmail: string;
  readonly scopes: readonly ConsentScope[];
  /** Present when the client asks to write: that this may cost money. */
  readonly costWarning?: string;
  /** That all present and future projects are covered, and that access lasts until revoked. */
  readonly reachWords: string;
  readonly form: ConsentForm;
}

/** A plain form: `method="post"`, this action, the hidden field `csrf`, and a button named `decision`. */
export interface ConsentForm {
  readonly action: string;
  readonly csrf: string;
  /** Values of the two buttons, both named `decision`. */
  readonly connect: 'connect';
  readonly cancel: 'cancel';
}

export interface ConsentProblem {
  readonly status: number;
  readonly title: string;
  /** What went wrong and that the person starts again from the client. */
  readonly message: string;
}

/**
 * What the OAuth surface asks of whoever draws pages. The routes, the protocol, the CSRF check and the content security
 * policy of these pages stay with OAuth: an implementation only fills `ctx.type` and `ctx.body` (and `ctx.status`).
 */
export interface ConsentPort {
  /** The signed-in, active person of this request, if any. */
  findPerson(ctx: Koa.Context): Promise<SignedInPerson | undefined>;
  /**
   * Nobody is signed in: send the browser to sign in, or draw the sign-in here. `returnPath` is a path of this origin
   * (`/oauth/interaction/…`) to come back to by GET.
   */
  requestSignIn(ctx: Koa.Context, returnPath: string): Promise<void>;
  /**
   * Takes a POST at `returnPath` that carries no consent decision, for an implementation that draws its own sign-in
   * there. Absent: such a POST is refused.
   */
  acceptSignIn?(ctx: Koa.Context, returnPath: string, form: ReadonlyMap<string, string>): Promise<void>;
  showConsent(ctx: Koa.Context, view: ConsentView): Promise<void>;
  showProblem(ctx: Koa.Context, problem: ConsentProblem): Promise<void>;
}

const SCOPE_WORDS: ReadonlyMap<string, Omit<ConsentScope, 'name'>> = new Map([
  [
    'overmind:read',
    { title: 'Read', meaning: 'See your projects with their traces, datasets, evaluations, models and jobs.' },
  ],
  [
    'overmind:write',
    { title: 'Write', meaning: 'Create and change datasets, evaluations, models and connectors, and start jobs.' },
  ],
]);

/** A scope as a person reads it; its own name when nobody has described it. */
export function scopeInWords(name: string): ConsentScope {
  return { name, ...(SCOPE_WORDS.get(name) ?? { title: name, meaning: name }) };
}
