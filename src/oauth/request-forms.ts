import { canonicalResource, DEFAULT_SCOPE, type OAuthAddresses } from './settings.ts';

/** Parameters of OpenID Connect. Some clients send them to everybody; here is no identity to give, so they mean nothing. */
const OPENID_PARAMETERS = ['nonce', 'claims', 'claims_locales', 'id_token_hint', 'acr_values', 'max_age'];
const OPENID_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** U+0000, which no parameter has a use for and the database cannot hold. */
export function holdsNul(text: string): boolean {
  return text.includes('\0') || text.includes('%00');
}

/** The query of an authorization request as the library gets it. Doubled parameters stay doubled, for it to refuse. */
export function authorizationQuery(text: string, addresses: OAuthAddresses): string {
  const query = new URLSearchParams(text);
  for (const name of OPENID_PARAMETERS) query.delete(name);
  useCanonicalResource(query, addresses);
  const scopes = query.getAll('scope');
  if (scopes.length <= 1) {
    const wanted = (scopes[0] ?? '').split(' ').filter((scope) => scope !== '' && !OPENID_SCOPES.has(scope));
    query.set('scope', wanted.length === 0 ? DEFAULT_SCOPE : [...new Set(wanted)].join(' '));
  }
  return query.toString();
}

export interface FormFault {
  readonly error: 'invalid_request' | 'invalid_target';
  readonly description: string;
}

/**
 * The form of a token request. The resource is looked at before anything is spent: a code survives a request that
 * names the wrong one. A refresh may leave it out, since its grant has only one.
 */
export function tokenForm(
  text: string,
  addresses: OAuthAddresses,
): { readonly form: string } | { readonly fault: FormFault } {
  const form = new URLSearchParams(text);
  for (const name of new Set(form.keys())) {
    if (form.getAll(name).length > 1)
      return { fault: { error: 'invalid_request', description: 'A parameter may be sent once only.' } };
  }
  const resource = form.get('resource');
  const isOurs = resource !== null && canonicalResource(resource, addresses) !== undefined;
  const mayBeAbsent = form.get('grant_type') !== 'authorization_code';
  if (!isOurs && !(resource === null && mayBeAbsent)) {
    return { fault: { error: 'invalid_target', description: `resource must be ${addresses.resource}` } };
  }
  useCanonicalResource(form, addresses);
  const scope = form.get('scope');
  if (scope !== null) {
    const kept = scope.split(' ').filter((name) => name !== '' && !OPENID_SCOPES.has(name));
    if (kept.length === 0) form.delete('scope');
    else form.set('scope', kept.join(' '));
  }
  return { form: form.toString() };
}

function useCanonicalResource(parameters: URLSearchParams, addresses: OAuthAddresses): void {
  const given = parameters.getAll('resource');
  const canonical = given.length === 1 ? canonicalResource(given[0] ?? '', addresses) : undefined;
  if (canonical !== undefined) parameters.set('resource', canonical);
}
