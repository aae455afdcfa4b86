// The kinds of values a statement's fields have. Each kind says whether a value is one and carries its TypeScript type,
// so that the table in statements.ts is the only place where a field is described.
import { fromBase64url } from '../base/ids.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { isServerName } from '../base/line.ts';
import { parseInviteId, ROOT_INVITE } from './address.ts';
import { isTag } from './claims.ts';
import { checkUsername } from './username.ts';

declare const typed: unique symbol;

/** What a field may hold; `is` never throws. */
export type Kind<T> = { readonly is: (value: unknown) => boolean; readonly optional?: boolean; readonly [typed]?: T };
export type Optional<T> = Kind<T> & { readonly optional: true };
export type Fields = Readonly<Record<string, Kind<unknown>>>;

type Value<K> = K extends Kind<infer T> ? T : never;
type OptionalNames<F> = { [N in keyof F]: F[N] extends Optional<unknown> ? N : never }[keyof F];
/** The object type that a record of kinds describes. */
export type ValueOf<F> = { readonly [N in Exclude<keyof F, OptionalNames<F>>]: Value<F[N]> } & {
  readonly [N in OptionalNames<F>]?: Value<F[N]>;
};

const kind = <T>(is: (value: unknown) => boolean): Kind<T> => ({ is });
const textual = <T extends string>(is: (value: string) => boolean): Kind<T> => kind((value) => typeof value === 'string' && is(value));

/** A field that may be absent; null and undefined are not absence. */
export const optional = <T>(inner: Kind<T>): Optional<T> => ({ is: inner.is, optional: true });

const codePoints = (value: string): number => {
  let count = 0;
  for (const _ of value) count++;
  return count;
};

/** Well-formed NFC text without NUL. */
export const isText = (value: string): boolean => value.isWellFormed() && value.normalize('NFC') === value && !value.includes('\0');

/** NFC text of `least` to `most` code points. */
export const text = (most: number, least = 0): Kind<string> =>
  textual((value) => {
    if (value.length > most * 2 || !isText(value)) return false;
    const count = codePoints(value);
    return count >= least && count <= most;
  });

/** Shown to operators and members of other servers beside fingerprints and names. */
export const serverName: Kind<string> = textual(isServerName);

/** An id, by its parser in address.ts. */
export const id = <T extends string>(parse: (value: string) => T | null): Kind<T> => textual((value) => parse(value) !== null);

/** A member's invite: `root` has no statement. */
export const ownedInvite = textual<NonNullable<ReturnType<typeof parseInviteId>>>(
  (value) => value !== ROOT_INVITE && parseInviteId(value) !== null,
);

export const oneOf = <const T extends readonly string[]>(...values: T): Kind<T[number]> => textual((value) => values.includes(value));

export const bool = kind<boolean>((value) => typeof value === 'boolean');

/** An integer from `least` to `most`, both included. */
export const integer = (least: number, most: number = Number.MAX_SAFE_INTEGER): Kind<number> =>
  kind((value) => Number.isSafeInteger(value) && !Object.is(value, -0) && (value as number) >= least && (value as number) <= most);

/** base64url, unpadded, of `least` to `most` bytes. */
export const binary = (least: number, most: number = least): Kind<string> =>
  textual((value) => {
    if (value.length > Math.ceil((most * 4) / 3)) return false;
    const bytes = fromBase64url(value);
    return bytes !== null && bytes.length >= least && bytes.length <= most;
  });

/** base64url of a SHA-256. */
export const hash = binary(32);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Milliseconds since the epoch of an RFC 3339 time in UTC with milliseconds; null for any other spelling. */
export function parseTime(value: string): number | null {
  if (!TIME.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== value ? null : ms;
}

/** RFC 3339 in UTC with milliseconds, the only spelling of a time in statements. */
export const printTime = (ms: number): string => new Date(ms).toISOString();

export const time = textual((value) => parseTime(value) !== null);

/** Printable ASCII with newlines: an armored key, 8 KiB at most. What it holds is judged by crypto/openpgp.ts. */
export const armor = textual((value) => value.length > 0 && value.length <= DEFAULT_LIMITS.armorBytes && /^[\x20-\x7e\r\n]*$/.test(value));

export const tag = textual(isTag);
export const username = textual((value) => {
  const checked = checkUsername(value);
  return checked.ok && checked.value.name === value;
});

/** An http or https origin, written as URL prints it. */
export const origin = textual((value) => {
  if (value.length > DEFAULT_LIMITS.idChars || !/^https?:\/\//.test(value)) return false;
  return URL.canParse(value) && new URL(value).origin === value;
});

/** A list of `least` to `most` different items. */
export const list = <T>(inner: Kind<T>, most: number, least = 0): Kind<readonly T[]> =>
  kind((value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    return value.every((item: unknown) => inner.is(item)) && !hasRepeats(value);
  });

const hasRepeats = (items: readonly unknown[]): boolean => new Set(items.map((item) => JSON.stringify(item))).size !== items.length;

/** An object with exactly these fields. */
export const record = <const F extends Fields>(fields: F): Kind<ValueOf<F>> => kind((value) => mismatch(value, fields) === null);

/** Own enumerable string keys of a plain object; null for everything else. */
export function plainKeys(value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  return Object.keys(value);
}

export type Mismatch = { readonly problem: 'not-an-object' | 'missing-field' | 'unknown-field' | 'wrong-field'; readonly field: string };

/** The first way in which `value` is not an object of exactly these fields; null if it is one. */
export function mismatch(value: unknown, fields: Fields): Mismatch | null {
  const keys = plainKeys(value);
  if (keys === null) return { problem: 'not-an-object', field: '' };
  const record = value as Readonly<Record<string, unknown>>;
  for (const [field, { is, optional: absent }] of Object.entries(fields)) {
    if (!Object.hasOwn(record, field)) {
      if (!absent) return { problem: 'missing-field', field };
    } else if (!is(record[field])) return { problem: 'wrong-field', field };
  }
  const unknown = keys.find((key) => !Object.hasOwn(fields, key));
  return unknown === undefined ? null : { problem: 'unknown-field', field: /^\w{1,40}$/.test(unknown) ? unknown : '?' };
}
