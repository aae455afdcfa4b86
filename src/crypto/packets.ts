// OpenPGP as far as it must be judged before the library sees it: armor, packet framing, the points of keys.
// Everything here is bounded by the length of its input and answers null for what it does not know; nothing is decrypted or verified.

export type ArmorLabel = 'PUBLIC KEY BLOCK' | 'PRIVATE KEY BLOCK' | 'SIGNATURE' | 'MESSAGE';

/** One packet; `body` of one sent in partial lengths is its first part. */
export type Packet = { readonly tag: number; readonly body: Uint8Array };

export const TAG = {
  encryptedSessionKey: 1,
  signature: 2,
  passwordSessionKey: 3,
  secretKey: 5,
  publicKey: 6,
  secretSubkey: 7,
  userId: 13,
  publicSubkey: 14,
  integrityProtected: 18,
} as const;

const HEADER = /^[A-Za-z]+: [\x20-\x7e]*$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MOST_PACKETS = 16;

/** The bytes of exactly one armored block with nothing before or behind it. The checksum line is optional and not believed. */
export function dearmor(label: ArmorLabel, text: string): Uint8Array<ArrayBuffer> | null {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  if (lines[0] !== `-----BEGIN PGP ${label}-----` || lines.at(-1) !== `-----END PGP ${label}-----`) return null;
  const blank = lines.indexOf('');
  if (blank < 0 || !lines.slice(1, blank).every((line) => HEADER.test(line))) return null;
  const last = lines.at(-2)?.startsWith('=') ? -2 : -1;
  const base64 = lines.slice(blank + 1, last).join('');
  if (!BASE64.test(base64)) return null;
  try {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}

type Extent = { readonly start: number; readonly end: number; readonly next: number };

function oldExtent(bytes: Uint8Array, at: number): Extent | null {
  const octets = 1 << ((bytes[at] as number) & 3);
  if (octets === 8 || at + 1 + octets > bytes.length) return null;
  let length = 0;
  for (let octet = 1; octet <= octets; octet++) length = length * 256 + (bytes[at + octet] as number);
  const start = at + 1 + octets;
  return { start, end: start + length, next: start + length };
}

type Length = { readonly bytes: number; readonly octets: number; readonly partial: boolean };

function newLength(bytes: Uint8Array, at: number): Length | null {
  const [first, second = 0, third = 0, fourth = 0, fifth = 0] = bytes.subarray(at, at + 5);
  if (first === undefined) return null;
  if (first < 192) return { bytes: first, octets: 1, partial: false };
  if (first < 224) return { bytes: (first - 192) * 256 + second + 192, octets: 2, partial: false };
  if (first < 255) return { bytes: 2 ** (first & 31), octets: 1, partial: true };
  return { bytes: second * 2 ** 24 + third * 2 ** 16 + fourth * 256 + fifth, octets: 5, partial: false };
}

function newExtent(bytes: Uint8Array, at: number, tag: number): Extent | null {
  const first = newLength(bytes, at + 1);
  if (first === null || (first.partial && tag !== TAG.integrityProtected)) return null;
  const start = at + 1 + first.octets;
  let next = start + first.bytes;
  for (let part: Length | null = first; part.partial; next += part.octets + part.bytes) {
    part = newLength(bytes, next);
    if (part === null) return null;
  }
  return { start, end: start + first.bytes, next };
}

/** The outermost packets, 16 at most; null if the bytes are not exactly a row of them. */
export function readPackets(bytes: Uint8Array): readonly Packet[] | null {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = bytes[at] as number;
    if ((header & 0x80) === 0 || packets.length === MOST_PACKETS) return null;
    const isNew = (header & 0x40) !== 0;
    const tag = isNew ? header & 63 : (header >> 2) & 15;
    const extent = isNew ? newExtent(bytes, at, tag) : oldExtent(bytes, at);
    if (extent === null || extent.next > bytes.length) return null;
    packets.push({ tag, body: bytes.subarray(extent.start, extent.end) });
    at = extent.next;
  }
  return packets;
}

export type KeyMaterial = { readonly use: 'sign' | 'encrypt'; readonly point: Uint8Array };

const ED25519_LEGACY = [22, 9, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01];
const CURVE25519_LEGACY = [18, 10, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x97, 0x55, 0x01, 0x05, 0x01];
const X25519 = 25;
const ED25519 = 27;
const POINT_BYTES = 32;
const POINT_BITS = 263;
/** ECDH parameters follow the point: their length, a reserved 1, a hash and a cipher. */
const KDF_BYTES = 4;

/** The point of a version 4 key on Curve25519 in either encoding; null for every other key. */
export function materialOf(body: Uint8Array): KeyMaterial | null {
  if (body[0] !== 4) return null;
  const key = body.subarray(5);
  const use = key[0] === ED25519 || key[0] === ED25519_LEGACY[0] ? 'sign' : 'encrypt';
  if (key[0] === ED25519 || key[0] === X25519) {
    return key.length === 1 + POINT_BYTES ? { use, point: key.subarray(1) } : null;
  }
  const form = use === 'sign' ? ED25519_LEGACY : CURVE25519_LEGACY;
  if (!form.every((byte, at) => key[at] === byte)) return null;
  const [high = 0, low = 0, prefix] = key.subarray(form.length, form.length + 3);
  if (high * 256 + low !== POINT_BITS || prefix !== 0x40) return null;
  const point = key.subarray(form.length + 3, form.length + 3 + POINT_BYTES);
  const trailing = use === 'sign' ? 0 : KDF_BYTES;
  return key.length === form.length + 3 + POINT_BYTES + trailing ? { use, point } : null;
}

/** u or y coordinates (little endian, sign bit cleared) of points whose order divides 8; a test derives them from the curves. */
const SMALL_ORDER = {
  sign: [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ],
  encrypt: [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ],
} as const;

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);

const FIELD = 2n ** 255n - 19n;
const SMALL = {
  sign: new Set(SMALL_ORDER.sign.map((point) => coordinate(fromDigits(point)))),
  encrypt: new Set(SMALL_ORDER.encrypt.map((point) => coordinate(fromDigits(point)))),
};

function fromDigits(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function coordinate(point: Uint8Array): bigint {
  return littleEndian(point) % 2n ** 255n;
}

/** Whether a public point could sign or share secrets for anyone: of small order, or not in its one canonical spelling. */
export function isWeakPoint({ use, point }: KeyMaterial): boolean {
  const value = coordinate(point);
  return value >= FIELD || SMALL[use].has(value % FIELD);
}
