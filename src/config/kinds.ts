// The kinds of value a setting may have: how each is read from the environment's text and from TOML, and how it is named to people.
// Reading answers null for what it doesn't accept; nothing falls back to a default in silence.
import { isIP } from 'node:net';
import { isServerName } from '../base/line.ts';

export type Kind<T> = {
  /** What is accepted, as a phrase that ends "must be …". */
  readonly expects: string;
  readonly fromText: (text: string) => T | null;
  readonly fromToml: (value: unknown) => T | null;
};

const textual = <T>(expects: string, fromText: (text: string) => T | null): Kind<T> => ({
  expects,
  fromText,
  fromToml: (value) => (typeof value === 'string' && value !== '' ? fromText(value) : null),
});

export const integer = (least: number, most: number = Number.MAX_SAFE_INTEGER): Kind<number> => {
  const check = (value: number): number | null => (Number.isSafeInteger(value) && value >= least && value <= most ? value : null);
  return {
    expects: most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`,
    fromText: (text) => (/^\d{1,16}$/.test(text) ? check(Number(text)) : null),
    fromToml: (value) => (typeof value === 'number' ? check(value) : null),
  };
};

export const toggle: Kind<boolean> = {
  expects: 'on or off (in TOML true or false)',
  fromText: (text) => ({ on: true, true: true, '1': true, off: false, false: false, '0': false })[text] ?? null,
  fromToml: (value) => (typeof value === 'boolean' ? value : null),
};

export const choice = <const T extends string>(...words: readonly T[]): Kind<T> =>
  textual(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text) ?? null);

const MAX_TEXT = 1_024;
const HAS_CONTROL = /\p{Cc}/u;

export const text = (expects = 'a text without control characters'): Kind<string> =>
  textual(expects, (value) => (value.length <= MAX_TEXT && !HAS_CONTROL.test(value) ? value : null));

const HOST = /^[\w.-]{1,253}$/;

/** A name as a resolver takes it, or an address; whether anybody has it is for the system to say. */
export const host: Kind<string> = textual('a host name or address', (value) => (isIP(value) !== 0 || HOST.test(value) ? value : null));

export const serverName: Kind<string> = textual('a name of 1 to 80 characters on one line, none of them invisible', (value) => {
  const name = value.normalize('NFC');
  return isServerName(name) ? name : null;
});

const parseUrl = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);

/** An origin; kept without a slash at its end. */
export const origin: Kind<string> = textual('an address like https://reeds.example, without path, query or user', (value) => {
  const url = parseUrl(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '' ? url.origin : null;
});

export const databaseUrl: Kind<string> = textual('an address like postgres://user:password@host:5432/database', (value) => {
  const url = parseUrl(value);
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol) ? value : null;
});

export type TrustedProxies = false | number | readonly string[];

const MAX_HOPS = 16;

const isNetwork = (value: string): boolean => {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

const proxies = (value: string): TrustedProxies | null => {
  if (value === 'none') return false;
  if (/^\d{1,2}$/.test(value)) return Number(value) >= 1 && Number(value) <= MAX_HOPS ? Number(value) : null;
  const networks = value.split(',').map((part) => part.trim());
  return networks.every(isNetwork) ? networks : null;
};

export const trustedProxies: Kind<TrustedProxies> = {
  expects: `none, a number of hops from 1 to ${MAX_HOPS}, or addresses and networks separated by commas`,
  fromText: proxies,
  fromToml: (value) =>
    Array.isArray(value)
      ? proxies(value.join(','))
      : typeof value === 'string' || typeof value === 'number'
        ? proxies(String(value))
        : null,
};
