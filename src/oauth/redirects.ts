const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that a browser acts on itself, or that carry a page or a script. */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'mailto:',
  'resource:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);
const MAX_LENGTH = 2_048;

/**
 * Whether a client may register this address to be sent codes to: https, http on the person's own machine, or an
 * app's private scheme. Wildcards, fragments, user names and dot segments have no place in it.
 */
export function isAllowedRedirect(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || /[\s\\*<>"'`\p{C}]/u.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (text.includes('#') || url.username !== '' || url.password !== '') return false;
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(text.split('?')[0] ?? '')) return false;
  if (url.protocol === 'https:') return url.hostname !== '' && /^https:\/\/[^/]/i.test(text);
  if (url.protocol === 'http:') return LOOPBACK_HOSTS.has(url.hostname) && /^http:\/\/[^/]/i.test(text);
  return /^[a-z][a-z0-9+.-]*:$/.test(url.protocol) && !FORBIDDEN_SCHEMES.has(url.protocol);
}

export function isLoopbackRedirect(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && LOOPBACK_HOSTS.has(hostname);
}

/** What a person reads about where they are sent: the host, or the scheme of an app. */
export function redirectHost(text: string): string {
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

/** What a form may lead to, as a content security policy names it: browsers apply it to the whole redirect chain. */
export function formActionSource(text: string): string {
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}
