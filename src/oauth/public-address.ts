import { BlockList, isIP } from 'node:net';

/** Everything that is not the public internet: this host, private networks, link-local with the metadata services, special uses. */
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const NOT_PUBLIC = blockList();

/**
 * Whether a connection to this address leaves for the public internet. Of IPv6 only 2000::/3 is given out; parts of it
 * that wrap an IPv4 address or serve documentation are refused too.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  if (family !== 6) return false;
  const firstWord = Number.parseInt(new URL(`http://[${address}]`).hostname.slice(1).split(':')[0] ?? '', 16);
  return firstWord >= 0x2000 && firstWord <= 0x3fff && !NOT_PUBLIC.check(address, 'ipv6');
}

function blockList(): BlockList {
  const list = new BlockList();
  for (const range of V4) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), 'ipv4');
  }
  list.addSubnet('2001::', 23, 'ipv6');
  list.addSubnet('2001:db8::', 32, 'ipv6');
  list.addSubnet('2002::', 16, 'ipv6');
  list.addSubnet('3fff::', 20, 'ipv6');
  return list;
}
