// Random bytes, uuids and the two binary-to-text forms that ids and hashes are written in.
// Everything here is deterministic but for `cryptoRandom`, the one place that asks the platform for randomness.

/** `count` random bytes. Passed in wherever randomness is needed, so that tests can replay it. */
export type RandomBytes = (count: number) => Uint8Array<ArrayBuffer>;

/** The platform's cryptographic randomness (WebCrypto, in Node and browsers alike). */
export const cryptoRandom: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const MAX_TIME_MS = 2 ** 48 - 1;

/** Lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Bytes of lower-case hexadecimal of even length; null for anything else. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

/** A canonical lower-case version 7 uuid of RFC 9562 for `nowMs` (milliseconds since the epoch). */
export function uuidv7(nowMs: number, random: RandomBytes): string {
  const time = Math.min(Math.max(0, Math.floor(nowMs)), MAX_TIME_MS);
  const bytes = new Uint8Array(16);
  bytes.set(random(10), 6);
  for (let at = 5, rest = time; at >= 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = hex(bytes);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Digits of `bits` bits each, the last one filled up with zero bits, without padding signs. */
function digits(bytes: Uint8Array, bits: number, alphabet: string): string {
  let text = '';
  let held = 0;
  let count = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    count += 8;
    while (count >= bits) {
      count -= bits;
      text += alphabet[held >> count];
      held &= (1 << count) - 1;
    }
  }
  return count === 0 ? text : text + alphabet[held << (bits - count)];
}

/** Lower-case base32 (RFC 4648 alphabet) without padding. */
export const base32 = (bytes: Uint8Array): string => digits(bytes, 5, BASE32);

/** base64url (RFC 4648) without padding. */
export const base64url = (bytes: Uint8Array): string => digits(bytes, 6, BASE64URL);

const SEXTETS = new Map(Array.from(BASE64URL, (sign, value) => [sign, value]));

/** Bytes of unpadded base64url; null unless `text` is exactly what `base64url` would print for them. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let held = 0;
  let count = 0;
  let at = 0;
  for (const sign of text) {
    const value = SEXTETS.get(sign);
    if (value === undefined) return null;
    held = (held << 6) | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = held >> count;
    held &= (1 << count) - 1;
  }
  return held === 0 ? bytes : null;
}

/** SHA-256 of `bytes`. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
