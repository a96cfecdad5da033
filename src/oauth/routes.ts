/** Paths of the authorization server, each with why it is no tool for agents: consent is for people, the rest for programs. */
export const OAUTH_ROUTES = {
  authorize: route('/oauth/authorize', 'A person decides about access in the browser.'),
  token: route('/oauth/token', 'Clients trade codes and refresh tokens; a protocol endpoint.'),
  register: route('/oauth/register', 'Clients register themselves; a protocol endpoint.'),
  revoke: route('/oauth/revoke', 'Clients end their own access; a protocol endpoint.'),
  jwks: route('/oauth/jwks', 'Public keys for programs.'),
  interaction: route('/oauth/interaction', 'A person signs in and decides about access in the browser.'),
  serverMetadata: route('/.well-known/oauth-authorization-server', 'Discovery for programs.'),
  resourceMetadata: route('/.well-known/oauth-protected-resource', 'Discovery for programs.'),
} as const;

export interface OAuthRoute {
  readonly path: string;
  readonly mcpImpact: { readonly class: 'frontend_only'; readonly reason: string };
}

function route(path: string, reason: string): OAuthRoute {
  return { path, mcpImpact: { class: 'frontend_only', reason } };
}
