import { BlockList, isIP } from 'node:net';

export type IpTest = (address: string) => boolean;

/**
 * Compiles the address list of a key. An empty list admits every address. An entry that cannot be read admits nothing
 * at all: a half-understood list must never be wider than its owner meant it.
 */
export function compileIpRanges(entries: readonly string[]): IpTest {
  if (entries.length === 0) return () => true;
  const list = new BlockList();
  if (!entries.every((entry) => addRange(list, entry))) return () => false;
  return (address) => {
    const plain = withoutZone(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}

export function isIpRange(entry: string): boolean {
  return addRange(new BlockList(), entry);
}

/** Host bits below the prefix are allowed: `203.0.113.7/24` is the whole `203.0.113.0/24`. */
function addRange(list: BlockList, entry: string): boolean {
  const [address = '', bits, ...rest] = entry.trim().split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) {
    list.addAddress(address, type);
    return true;
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), type);
  return true;
}

/** Link-local addresses arrive as `fe80::1%eth0`; the zone is not part of the address. */
function withoutZone(address: string): string {
  const zone = address.indexOf('%');
  return zone === -1 ? address : address.slice(0, zone);
}
