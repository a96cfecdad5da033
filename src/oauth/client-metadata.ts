import { toWellFormed } from '../kernel/bounded.ts';
import { isAllowedRedirect } from './redirects.ts';

const MAX_REDIRECTS = 10;
const MAX_NAME = 120;
/** Pages about a client, shown nowhere without its host; kept only when they are plain https addresses. */
const PAGES = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri'] as const;

export type Metadata = Readonly<Record<string, unknown>>;

export interface MetadataFault {
  readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri';
  readonly description: string;
}

/**
 * What this server makes of a client's description. A server may replace what it does not offer as long as it answers
 * what it registered, so methods, grants and scopes it cannot give are replaced instead of refused: real clients ask
 * for a bit of everything. Only the redirect addresses are taken literally or not at all.
 */
export function acceptMetadata(
  given: unknown,
): { readonly metadata: Record<string, unknown> } | { readonly fault: MetadataFault } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return fault('invalid_client_metadata', 'The registration must be a JSON object.');
  }
  const fields = new Map<string, unknown>(Object.entries(given));
  const redirects = fields.get('redirect_uris');
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MAX_REDIRECTS) {
    return fault('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses.`);
  }
  if (!redirects.every(isAllowedRedirect)) {
    return fault(
      'invalid_redirect_uri',
      'Each redirect address must be https, http on localhost, 127.0.0.1 or [::1], or a private scheme, without fragment, user name or wildcard.',
    );
  }
  const name = fields.get('client_name');
  return {
    metadata: {
      redirect_uris: [...new Set(redirects)],
      ...(typeof name === 'string' && name.trim() !== '' && { client_name: cleanName(name) }),
      ...pagesOf(fields),
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  };
}

/** A name as it may stand on a page: one line, nothing invisible, not long. */
export function cleanName(name: string): string {
  const plain = toWellFormed(name)
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return Array.from(plain).slice(0, MAX_NAME).join('');
}

function pagesOf(fields: ReadonlyMap<string, unknown>): Record<string, string> {
  const pages: Record<string, string> = {};
  for (const key of PAGES) {
    const value = fields.get(key);
    if (typeof value !== 'string' || value.length > 2_048 || !URL.canParse(value)) continue;
    if (new URL(value).protocol === 'https:') pages[key] = value;
  }
  return pages;
}

function fault(error: MetadataFault['error'], description: string): { readonly fault: MetadataFault } {
  return { fault: { error, description } };
}
