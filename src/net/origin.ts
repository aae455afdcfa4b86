// Which addresses of servers we call at all. An origin is taken in the one spelling that URL itself prints, so that what is vetted here is
// what is connected to: no login, path, default port, escaped or numeric host survives the comparison.
import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { fail, ok, type Result } from '../base/result.ts';
import { reachOf } from './addresses.ts';

/** Whether addresses in private networks, and http, are allowed: for servers in one house, and for tests. */
export type OriginRules = { readonly allowPrivate: boolean };

const MOST_CHARS = 255;
/** Below it are ports of other protocols, whose servers are to hear nothing from us. */
const FIRST_OPEN_PORT = 1_024;
/** Names of two or more labels, the last not a number: what no reader of addresses takes for one. */
const PUBLIC_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ANY_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that are this machine or this house by definition (RFC 6761, 6762, 8375, and `internal`). */
const HOUSE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Whether each international label stands for one name, which is spelled so and not otherwise. URL takes some that stand for nothing. */
const isOneName = (host: string): boolean =>
  host.split('.').every((label) => {
    const name = domainToUnicode(label);
    return !label.startsWith('xn--') || (name !== label && domainToASCII(name) === label);
  });

const bare = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/** Vets the origin of a server. @returns its parsed form, or `refused-address` with what is wrong with it */
export function vetOrigin(text: string, { allowPrivate }: OriginRules): Result<URL, 'refused-address'> {
  const refused = (why: string) => fail('refused-address', why);
  if (text.length > MOST_CHARS || !URL.canParse(text)) return refused('not an origin');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return refused('not https');
  if (url.origin !== text) return refused('not an origin as it is written');
  if (url.port === '0') return refused('no port');
  if (!allowPrivate && url.port !== '' && Number(url.port) < FIRST_OPEN_PORT) return refused('a port of another protocol');
  const host = bare(url.hostname);
  if (isIP(host) !== 0) return allowPrivate && reachOf(host) !== 'never' ? ok(url) : refused('an address in place of a name');
  if (!isOneName(host)) return refused('not a host name');
  if (allowPrivate) return ANY_NAME.test(host) ? ok(url) : refused('not a host name');
  return PUBLIC_NAME.test(host) && !HOUSE_NAME.test(host) ? ok(url) : refused('not a public host name');
}
