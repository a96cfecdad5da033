import { lookup as dnsLookup } from 'node:dns/promises';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

const TIMEOUT_MS = 2_500;

export interface FetchedDocument {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type FetchDocument = (url: URL, maxBytes: number) => Promise<FetchedDocument>;

export interface GuardedFetchParts {
  /** All addresses of a host name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly connect?: typeof request;
}

/**
 * Fetches a document from an address a stranger chose. The name is resolved first, every address it has must be
 * public, and the connection goes to the very address that was looked at, so that a name that changes its mind in
 * between gains nothing. No redirect is followed; size and time are bounded.
 */
export function createGuardedFetch(parts: GuardedFetchParts = {}): FetchDocument {
  const { resolve = resolveAll, connect = request } = parts;
  return async (url, maxBytes) => {
    if (url.protocol !== 'https:' || (url.port !== '' && url.port !== '443'))
      throw new Error('not a plain https address');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    const [address] = addresses;
    if (address === undefined || !addresses.every(isPublicAddress))
      throw new Error('the host is not on the public internet');
    return get(url, { address, maxBytes, connect });
  };
}

function get(
  url: URL,
  how: { readonly address: string; readonly maxBytes: number; readonly connect: typeof request },
): Promise<FetchedDocument> {
  const { address, maxBytes, connect } = how;
  return new Promise((resolve, reject) => {
    const family = isIP(address) === 6 ? 6 : 4;
    const outgoing = connect(url, {
      agent: false,
      headers: { accept: 'application/json', 'user-agent': 'overmind-mcp' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      lookup: (_host, options, done) => {
        if (options.all === true) done(null, [{ address, family }]);
        else done(null, address, family);
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) outgoing.destroy(new Error('the document is too large'));
        else chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () => {
        const cacheControl = response.headers['cache-control'];
        const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
        resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end();
  });
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await dnsLookup(host, { all: true })).map(({ address }) => address);
}
