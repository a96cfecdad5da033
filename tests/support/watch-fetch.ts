import { noteSecret } from './canary.ts';

/** Fields of forms, queries and JSON whose values nobody but their owner may see. */
const FIELDS = new Set([
  'password',
  'current',
  'next',
  'repeated',
  'code',
  'code_verifier',
  'access_token',
  'refresh_token',
  'token',
  'csrf',
]);
/** Ids of a request under way: they stand in addresses, and prove nothing without the signature beside them. */
const INNOCENT_COOKIES = /(interaction|resume)$/;
const TELLING_PAGES = /^\/(oauth\/|keys|settings|setup|account|sign-in|v1\/keys)/;

/** Notes every secret that passes a request or an answer of this process, whoever makes it. */
export function watchFetch(): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    noteHeaders(new Headers(init?.headers ?? request?.headers));
    noteFields(url.searchParams);
    noteBody(init?.body);
    const response = await original(input, init);
    for (const line of response.headers.getSetCookie()) noteCookie(line);
    const location = response.headers.get('location');
    if (location !== null && URL.canParse(location, url.href)) noteFields(new URL(location, url.href).searchParams);
    if (TELLING_PAGES.test(url.pathname)) noteText(await response.clone().text());
    return response;
  };
}

/** Notes what an answer, a page or a program's output gives out. */
export function noteText(text: string): void {
  for (const [key] of text.matchAll(/ovr_[\w-]{43}/g)) noteSecret('an API key', key);
  for (const [, name = '', value] of text.matchAll(/"(access_token|refresh_token)":"([\w-]+)"/g))
    noteSecret(`an OAuth ${name}`, value);
  for (const [, value] of text.matchAll(/token(?:=|&#x3D;)([\w-]{43})/g)) noteSecret('a one-time link', value);
  for (const [, value] of text.matchAll(/name="csrf" value="([^"]+)"/g)) noteSecret('a form token', value);
}

function noteHeaders(headers: Headers): void {
  noteSecret('an API key', headers.get('x-api-key') ?? undefined);
  noteSecret('a bearer token', /^\w+ (\S+)$/.exec(headers.get('authorization') ?? '')?.[1]);
}

function noteBody(body: unknown): void {
  if (body instanceof URLSearchParams) noteFields(body);
  else if (typeof body === 'string' && !body.startsWith('{') && body.includes('='))
    noteFields(new URLSearchParams(body));
}

function noteFields(fields: URLSearchParams): void {
  for (const [name, value] of fields) if (FIELDS.has(name) && !value.startsWith('/')) noteSecret(`a ${name}`, value);
}

function noteCookie(line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at);
  if (!INNOCENT_COOKIES.test(name)) noteSecret(`the cookie ${name}`, pair.slice(at + 1));
}
