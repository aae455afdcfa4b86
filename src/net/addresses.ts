// What kind of network an address is in: the internet, somebody's own, or none that a peer can be in. IPv6 is an allowlist; addresses of
// IPv4 in the clothes of IPv6 (mapped, translated, 6to4, ISATAP) are judged by what they carry, so that no spelling reaches further than another.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** `private`: loopback, private networks, carriers' networks. `never`: metadata services, link-local, multicast, reserved, no address. */
export type Reach = 'public' | 'private' | 'never';

type Family = 'ipv4' | 'ipv6';
type Range = readonly [network: string, bits: number];

const listOf = (family: Family, ranges: readonly Range[]): BlockList => {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits, family);
  return list;
};

const PRIVATE_4 = listOf('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
]);

/** Special-purpose registry of IANA; addresses of metadata services that lie in another range. */
const NEVER_4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]);

const PRIVATE_6 = listOf('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
]);

const GLOBAL_6 = listOf('ipv6', [['2000::', 3]]);

/** Inside of the global range, and not for peers: protocols' own addresses (Teredo too) and documentation. */
const NEVER_6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['fd00:ec2::254', 128],
]);

const GROUPS = 8;

/** The eight numbers of an IPv6 address without a zone. */
function groupsOf(address: string): number[] {
  // The parser of URLs knows every spelling and prints one: hexadecimal, the longest run of zeros left out.
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const numbers = (text: string | undefined): number[] => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => 0), ...after];
}

const isZero = (groups: readonly number[]): boolean => groups.every((group) => group === 0);
const quad = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The IPv4 address that an IPv6 address only carries; null: it is its own. */
function carriedBy(address: string): string | null {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groupsOf(address);
  if (a === 0x2002) return quad(b, c);
  const isTranslated = a === 0x64 && b === 0xff9b && isZero([c, d, e, f]);
  const isMapped = isZero([a, b, c, d]) && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0));
  const isTunnelled = (e === 0 || e === 0x200) && f === 0x5efe;
  const isCompatible = isZero([a, b, c, d, e, f]) && (g !== 0 || h > 1);
  return isTranslated || isMapped || isTunnelled || isCompatible ? quad(g, h) : null;
}

function reachOf4(address: string): Reach {
  if (NEVER_4.check(address, 'ipv4')) return 'never';
  return PRIVATE_4.check(address, 'ipv4') ? 'private' : 'public';
}

/** Where an address leads. What is no address at all, or names a zone, leads nowhere. */
export function reachOf(address: string): Reach {
  if (isIPv4(address)) return reachOf4(address);
  if (!isIPv6(address) || address.includes('%')) return 'never';
  const carried = carriedBy(address);
  if (carried !== null) return reachOf4(carried);
  if (NEVER_6.check(address, 'ipv6')) return 'never';
  if (PRIVATE_6.check(address, 'ipv6')) return 'private';
  return GLOBAL_6.check(address, 'ipv6') ? 'public' : 'never';
}
