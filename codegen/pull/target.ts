/** Reads what a person says about the server to be read: its address, credentials by grant, or its command. */
import { DEFAULT_GRANT, type Grant, type Target } from './pull.ts';
import type { Headers } from './transport.ts';

/** The person asked for something that cannot be; the command line turns it into its own kind of refusal. */
export class BadTarget extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadTarget';
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** Lines that belong to the protocol or the connection and must not be set by hand. */
const OWN = /^(?:host|content-.*|transfer-encoding|connection|accept|mcp-.*)$/u;

export function httpTarget(
  address: string,
  given: { readonly header: readonly string[]; readonly grant: readonly string[] },
): Target {
  const url = addressOf(address);
  const common = Object.fromEntries(given.header.map((line) => headerOf(line)));
  return { kind: 'http', url, grants: grantsOf(given.grant, common) };
}

function addressOf(address: string): URL {
  if (!URL.canParse(address)) throw new BadTarget(`${address} is not an address. Give one like https://host/mcp.`);
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new BadTarget(`Only http and https addresses can be read, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new BadTarget('Keep credentials out of the address, where logs would show them; use --header or --grant.');
  }
  url.hash = '';
  return url;
}

/** Lines of one name belong to one grant. */
function grantsOf(lines: readonly string[], common: Headers): Grant[] {
  const grants = new Map<string, Headers>();
  for (const line of lines) {
    const [, name, rest] = /^([^=\s:][^=:]*)=(.*)$/su.exec(line) ?? [];
    if (name === undefined || rest === undefined) {
      throw new BadTarget(`A grant is written 'name=Header: value', as in --grant 'reader=X-Api-Key: …'.`);
    }
    const headers = rest === '' ? {} : Object.fromEntries([headerOf(rest)]);
    grants.set(name, { ...common, ...grants.get(name), ...headers });
  }
  if (grants.size === 0) return [{ name: DEFAULT_GRANT, headers: common }];
  return [...grants].map(([name, headers]) => ({ name, headers }));
}

/** Refusals name the header and never its value. */
function headerOf(line: string): [string, string] {
  const at = line.indexOf(':');
  const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
  if (at < 1 || !TOKEN.test(name))
    throw new BadTarget(`A header is written 'Name: value', as in --header 'X-Api-Key: …'.`);
  if (OWN.test(name)) throw new BadTarget(`The header ${name} is set by the protocol and cannot be given.`);
  const value = line.slice(at + 1).trim();
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/u.test(value) || value === '') {
    throw new BadTarget(`The value of the header ${name} is empty or holds characters that a header cannot.`);
  }
  return [name, value];
}

/** Whether credentials would cross a network in the clear. */
export function sendsInTheClear(target: Target): boolean {
  if (target.kind !== 'http' || target.url.protocol === 'https:') return false;
  const host = target.url.hostname.replace(/^\[|\]$/gu, '');
  const loopback = host === 'localhost' || host.endsWith('.localhost') || host === '::1' || host.startsWith('127.');
  return !loopback && target.grants.some(({ headers }) => Object.keys(headers).length > 0);
}
