import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type ClientIp = (request: IncomingMessage) => string;

/**
 * Who is at the other end. Without trusted proxies that is the peer, whatever headers claim. With them,
 * `X-Forwarded-For` is read from right to left while the address it was received from is trusted: the first
 * address that is not is the client, and what stands left of it is only what that client wrote.
 */
export function createClientIp(trustedProxies: readonly string[] = []): ClientIp {
  const trusted = trustedList(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    const forwarded = request.headers['x-forwarded-for'];
    if (trusted === undefined || forwarded === undefined || !includes(trusted, peer)) return peer;
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',');
    let client = peer;
    for (const hop of hops.toReversed()) {
      const address = plainAddress(withoutPort(hop.trim()));
      if (isIP(address) === 0) break;
      client = address;
      if (!includes(trusted, address)) break;
    }
    return client;
  };
}

/** Throws on an entry that is neither an address nor a CIDR range: a proxy list with a typo must not go unnoticed. */
function trustedList(entries: readonly string[]): BlockList | undefined {
  if (entries.length === 0) return undefined;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const widest = family === 6 ? 128 : 32;
    const badBits = bits !== undefined && !(Number.isInteger(bits) && bits >= 0 && bits <= widest && prefix !== '');
    if (family === 0 || badBits) throw new RangeError(`not an address or CIDR range: ${entry}`);
    if (bits === undefined) list.addAddress(address, family === 6 ? 'ipv6' : 'ipv4');
    else list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function includes(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** IPv4 that arrived on an IPv6 socket is IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^\d{1,3}(?:\.\d{1,3}){3}:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop;
}
