// Detached signatures: exactly one binary signature by the named key, whatever its date, kept in one normal form however it was spelled.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  generatePrivateKey,
  type PrivateKey,
  type PublicKey,
  readPrivateKey,
  readPublicKey,
  signDetached,
  verifyDetached,
} from '../../src/crypto/openpgp.ts';
import { armored, concat, keyPair, librarySignature, packet, unarmored } from '../support/openpgp-parts.ts';

const NOW = 1_800_000_000_000;
const YEAR_MS = 365 * 86_400_000;
const BYTES = new TextEncoder().encode('{"app":"reedbed"}');

let key: PrivateKey;
let signature: string;
let body: Uint8Array;

beforeAll(async () => {
  key = await generatePrivateKey(NOW);
  signature = await signDetached(BYTES, key, NOW);
  // Packet header: tag octet and a length of one octet (under 192) or two.
  const bytes = unarmored(signature);
  body = bytes.subarray((bytes[1] as number) < 192 ? 2 : 3);
});

const reasonOf = async (armor: string, by: PublicKey = key.publicKey, bytes = BYTES): Promise<string> => {
  const verified = await verifyDetached(bytes, armor, by);
  return verified.ok ? 'accepted' : verified.reason;
};
const wrap = (...parts: readonly Uint8Array[]): string => armored('SIGNATURE', concat(...parts));
const octets = (length: number, size: number): number[] =>
  Array.from({ length: size }, (_, at) => (length >>> (8 * (size - 1 - at))) & 255);
/** Hashed area first: its length stands at 4 and 5, the length of the unhashed one behind it. */
const withUnhashed = (area: Uint8Array): Uint8Array => {
  const at = 6 + (body[4] as number) * 256 + (body[5] as number);
  return concat(body.subarray(0, at), Uint8Array.from(octets(area.length, 2)), area, body.subarray(at + 2));
};

describe('a signature that we make', () => {
  it('verifies and is in normal form already', async () => {
    expect(await verifyDetached(BYTES, signature, key.publicKey)).toEqual({ ok: true, value: signature });
  });

  it('verifies whatever its date is', async () => {
    for (const dateMs of [NOW + 10 * YEAR_MS, Date.now() + 400 * 86_400_000, NOW - 3_600_000]) {
      expect(await reasonOf(await signDetached(BYTES, key, dateMs))).toBe('accepted');
    }
  });

  it('is not one of other bytes or by another key', async () => {
    expect(await reasonOf(signature, key.publicKey, new Uint8Array(17))).toBe('bad-signature');
    expect(await reasonOf(signature, (await generatePrivateKey(NOW)).publicKey)).toBe('bad-signature');
  });

  it('holds from within the life of a key that has ended since, and not from after it', async () => {
    const mortal = await keyPair({ keyExpirationTime: 60 });
    const read = await readPublicKey(mortal.publicArmor);
    if (!read.ok) throw new Error(read.reason);
    expect(await reasonOf(await librarySignature({ binary: BYTES }, mortal.privateKey), read.value)).toBe('accepted');
    const immortal = await readPrivateKey((await keyPair()).privateArmor);
    if (!immortal.ok) throw new Error(immortal.reason);
    await expect(signDetached(BYTES, immortal.value, NOW - 10 * YEAR_MS)).rejects.toThrow();
  });

  it('may be by the one signing subkey', async () => {
    const pair = await keyPair({ subkeys: [{ sign: true }, {}] });
    const read = await readPublicKey(pair.publicArmor);
    if (!read.ok) throw new Error(read.reason);
    expect(await reasonOf(await librarySignature({ binary: BYTES }, pair.privateKey), read.value)).toBe('accepted');
  });
});

describe('another spelling of the same signature', () => {
  it.each<[string, () => string]>([
    ['an old header', () => wrap(Uint8Array.of(0x89, ...octets(body.length, 2)), body)],
    ['a length of four octets', () => wrap(Uint8Array.of(0x8a, ...octets(body.length, 4)), body)],
    ['a length of five octets', () => wrap(Uint8Array.of(0xc2, 255, ...octets(body.length, 4)), body)],
    ['an unhashed subpacket', () => wrap(packet(2, withUnhashed(Uint8Array.of(3, 100, 1, 2))))],
    ['a comment in its armor', () => signature.replace('SIGNATURE-----\n', 'SIGNATURE-----\nComment: hello\n')],
    ['a wrong checksum', () => signature.replace(/\n=.{4}\n/, '\n=AAAA\n')],
    ['no checksum and other line ends', () => signature.replace(/\n=.{4}\n/, '\n').replaceAll('\n', '\r\n')],
  ])('with %s gives the same normal form', async (_what, spell) => {
    const spelled = spell();
    expect(spelled).not.toBe(signature);
    expect(await verifyDetached(BYTES, spelled, key.publicKey)).toEqual({ ok: true, value: signature });
  });
});

describe('what is no signature', () => {
  it('is in text mode', async () => {
    const text = await keyPair();
    const read = await readPublicKey(text.publicArmor);
    if (!read.ok) throw new Error(read.reason);
    expect(await reasonOf(await librarySignature({ text: '{"app":"reedbed"}' }, text.privateKey), read.value)).toBe('not-binary');
  });

  it.each([0x01, 0x02, 0x10, 0x13, 0x18, 0x20, 0x50])('is of type %i', async (type) => {
    const changed = body.slice();
    changed[1] = type;
    expect(await reasonOf(wrap(packet(2, changed)))).toBe('not-binary');
  });

  it('has none, two, or another packet beside it', async () => {
    expect(await reasonOf(armored('SIGNATURE', packet(60, Uint8Array.of(1))))).toBe('not-one-signature');
    expect(await reasonOf(wrap(packet(2, body), packet(2, body)))).toBe('not-one-signature');
    for (const tag of [10, 21, 40, 60, 63])
      expect(await reasonOf(wrap(packet(2, body), packet(tag, Uint8Array.of(0x50, 0x47, 0x50))))).toBe('not-one-signature');
  });

  it('expires', async () => {
    // A hashed subpacket more: the signature no longer holds, and says why it would not be taken if it did.
    const at = 6 + (body[4] as number) * 256 + (body[5] as number);
    const area = concat(body.subarray(6, at), Uint8Array.of(5, 3, 0, 0, 1, 0));
    const expiring = concat(body.subarray(0, 4), Uint8Array.from(octets(area.length, 2)), area, body.subarray(at));
    expect(await reasonOf(wrap(packet(2, expiring)))).toBe('expires');
  });

  it('is changed in any octet', async () => {
    for (let at = 0; at < body.length; at += 7) {
      const changed = body.slice();
      changed[at] = (changed[at] as number) ^ 0x40;
      const verified = await verifyDetached(BYTES, wrap(packet(2, changed)), key.publicKey);
      // Only the empty unhashed area may differ; nothing in a signature of our making is unhashed.
      expect(verified.ok).toBe(false);
    }
  });

  it('is truncated, sent in parts or longer than any armor', async () => {
    const bytes = unarmored(signature);
    for (const end of [0, 1, 2, 10, bytes.length - 1])
      expect(await reasonOf(armored('SIGNATURE', bytes.subarray(0, end)))).toBe('not-a-signature');
    expect(await reasonOf(wrap(Uint8Array.of(0xc2, 0xe5), body))).toBe('not-a-signature');
    const huge = withUnhashed(concat(Uint8Array.of(255, 0, 0, 0xea, 0x60, 100), new Uint8Array(59_999)));
    expect(await reasonOf(wrap(packet(2, huge)))).toBe('too-large');
  });

  it('has something before or behind its armor', async () => {
    for (const text of ['', 'hello', `x\n${signature}`, `${signature}x`, signature + signature, signature.replace('\n\n', '\n')]) {
      expect(await reasonOf(text)).toBe('not-a-signature');
    }
  });

  it('has a hashed area beyond 2 KiB', async () => {
    const pair = await keyPair();
    const read = await readPublicKey(pair.publicArmor);
    if (!read.ok) throw new Error(read.reason);
    const notes = [{ name: 'note@example.org', value: new Uint8Array(3_000), humanReadable: false, critical: false }];
    const long = await librarySignature({ binary: BYTES }, pair.privateKey, { signatureNotations: notes });
    expect(await reasonOf(long, read.value)).toBe('too-large');
  });
});
