// Which OpenPGP keys are accepted: Curve25519 in two encodings with one encryption subkey. Everything else is refused by name and at once.
import { beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, protectPrivateKey, readPrivateKey, readPublicKey, unprotectPrivateKey } from '../../src/crypto/openpgp.ts';
import { isWeakPoint, readPackets } from '../../src/crypto/packets.ts';
import { armored, changedKey, concat, keyPair, packet, revokedArmor, unarmored, withPoint } from '../support/openpgp-parts.ts';

const NOW = 1_800_000_000_000;
const FIELD = 2n ** 255n - 19n;

const reasonOf = async (armor: string): Promise<string> => {
  const read = await readPublicKey(armor);
  return read.ok ? 'accepted' : read.reason;
};

const littleEndian = (value: bigint): Uint8Array => Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  for (let b = ((base % FIELD) + FIELD) % FIELD, e = exponent; e > 0n; e >>= 1n, b = (b * b) % FIELD)
    if (e & 1n) result = (result * b) % FIELD;
  return result;
};
const inverse = (value: bigint): bigint => power(value, FIELD - 2n);

describe('accepted keys', () => {
  it('are those that we make', async () => {
    const key = await generatePrivateKey(NOW);
    expect(await reasonOf(key.publicKey.armor)).toBe('accepted');
    expect(key.fingerprint).toMatch(/^[0-9a-f]{40}$/);
    expect(key.armor).toContain('PRIVATE KEY BLOCK');
  });

  it.each([
    ['the newer encoding', { type: 'curve25519' as const }],
    ['a signing subkey', { subkeys: [{ sign: true }, {}] }],
    ['an end', { keyExpirationTime: 3_600 }],
    ['any user id', { userIDs: [{ name: 'Ada', email: 'ada@example.org' }] }],
  ])('may have %s', async (_what, options) => {
    expect(await reasonOf((await keyPair(options)).publicArmor)).toBe('accepted');
  });

  it('may come with line ends of another kind and a comment', async () => {
    const { publicArmor } = await keyPair();
    const commented = publicArmor.replace('BLOCK-----\n', 'BLOCK-----\nComment: mine\n');
    expect(await reasonOf(commented.replaceAll('\n', '\r\n'))).toBe('accepted');
  });
});

describe('refused keys', () => {
  let good: Awaited<ReturnType<typeof keyPair>>;
  beforeAll(async () => {
    good = await keyPair();
  });

  it.each([
    ['RSA', { type: 'rsa' as const, rsaBits: 2048 }, 'algorithm'],
    ['NIST P-256', { curve: 'nistP256' as const }, 'algorithm'],
    ['Curve448', { type: 'curve448' as const }, 'algorithm'],
    ['version 6', { type: 'curve25519' as const, config: { v6Keys: true } }, 'algorithm'],
    ['an RSA subkey', { subkeys: [{ type: 'rsa' as const, rsaBits: 2048 }] }, 'algorithm'],
    ['two encryption subkeys', { subkeys: [{}, {}] }, 'subkeys'],
    ['no encryption subkey', { subkeys: [{ sign: true }] }, 'subkeys'],
    ['two signing subkeys', { subkeys: [{ sign: true }, { sign: true }, {}] }, 'subkeys'],
    ['two user ids', { userIDs: [{ name: 'one' }, { name: 'two' }] }, 'user-ids'],
  ])('have %s', async (_what, options, reason) => {
    expect(await reasonOf((await keyPair(options)).publicArmor)).toBe(reason);
  });

  it('are on a Brainpool curve', async () => {
    const brainpool = [4, 0, 0, 0, 1, 19, 9, 0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07, 0x02, 0x03, 4, ...new Array(64).fill(7)];
    const changed = await changedKey(good.publicArmor, ({ tag, body }) => [packet(tag, tag === 6 ? Uint8Array.from(brainpool) : body)]);
    expect(await reasonOf(changed)).toBe('algorithm');
  });

  it('are private', async () => {
    expect(await reasonOf(good.privateArmor)).toBe('private');
    expect(await reasonOf(good.privateArmor.replaceAll('PRIVATE', 'PUBLIC'))).toBe('private');
  });

  it('are key rings', async () => {
    const other = await keyPair();
    const ring = concat(unarmored(good.publicArmor), unarmored(other.publicArmor));
    expect(await reasonOf(armored('PUBLIC KEY BLOCK', ring))).toMatch(/not-one-key|not-a-key/);
  });

  it('are two armored blocks', async () => {
    expect(await reasonOf(good.publicArmor + good.publicArmor)).toBe('not-a-key');
  });

  it('carry a revocation', async () => {
    expect(await reasonOf(await revokedArmor(good.privateKey))).toMatch(/revoked|not-one-key/);
  });

  it('have a bad self-signature', async () => {
    const flipped = await changedKey(good.publicArmor, ({ tag, body }, at) => {
      const changed = body.slice();
      if (at === 2) changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
      return [packet(tag, changed)];
    });
    expect(await reasonOf(flipped)).toBe('self-signature');
  });

  it('have the subkey of somebody else', async () => {
    const parts = unarmored((await keyPair()).publicArmor);
    const theirs = readPackets(parts)?.find(({ tag }) => tag === 14)?.body as Uint8Array;
    const swapped = await changedKey(good.publicArmor, ({ tag, body }) => [packet(tag, tag === 14 ? theirs : body)]);
    expect(await reasonOf(swapped)).toBe('self-signature');
  });

  it.each([
    ['200 bindings', 200],
    ['three bindings', 3],
  ])('have %s', async (_what, times) => {
    const many = await changedKey(good.publicArmor, ({ tag, body }, at) =>
      Array.from({ length: at === 4 ? times : 1 }, () => packet(tag, body)),
    );
    expect(await reasonOf(many)).toMatch(/too-large|not-a-key|not-one-key/);
  });

  it('have a user attribute', async () => {
    const more = await changedKey(good.publicArmor, ({ tag, body }, at) =>
      at === 3 ? [packet(17, Uint8Array.of(2, 1, 0)), packet(tag, body)] : [packet(tag, body)],
    );
    expect(await reasonOf(more)).not.toBe('accepted');
  });

  it('are over 8 KiB', async () => {
    const padded = good.publicArmor.replace('BLOCK-----\n', `BLOCK-----\nComment: ${'x'.repeat(8_192)}\n`);
    expect(await reasonOf(padded)).toBe('too-large');
  });

  it('are no keys at all', async () => {
    for (const text of ['', 'hello', good.publicArmor.slice(0, -40), `junk\n${good.publicArmor}`, `${good.publicArmor}junk\n`]) {
      expect(await reasonOf(text)).toBe('not-a-key');
    }
    const bytes = unarmored(good.publicArmor);
    expect(await reasonOf(armored('PUBLIC KEY BLOCK', bytes.subarray(0, 90)))).toBe('not-a-key');
    expect(await reasonOf(armored('PUBLIC KEY BLOCK', concat(bytes, Uint8Array.of(0))))).toBe('not-a-key');
  });
});

describe('points of small order', () => {
  const D = (FIELD - 121665n) * inverse(121666n);

  /** y of every Edwards point P with 8·P = 0: the neutral one, (0, −1), those with y = 0, and those where x² = y² (order 8 doubles to order 4). */
  const edwards = (): bigint[] => {
    // Order 8: 2P has y = 0, so y² + x² = 0 by the doubling formula; with −x² + y² = 1 + d·x²·y² this gives d·t² + 2·t − 1 = 0 for t = y².
    const root = (value: bigint): bigint | null => {
      let candidate = power(value, (FIELD + 3n) / 8n);
      if ((candidate * candidate - value) % FIELD !== 0n) candidate = (candidate * power(2n, (FIELD - 1n) / 4n)) % FIELD;
      return (candidate * candidate - value) % FIELD === 0n ? candidate : null;
    };
    const d = ((D % FIELD) + FIELD) % FIELD;
    const discriminant = root((1n + d) % FIELD) as bigint;
    const roots = [discriminant, FIELD - discriminant].map((sign) => (((sign - 1n + FIELD) % FIELD) * inverse(d)) % FIELD);
    const order8 = roots.map(root).filter((y) => y !== null);
    return [1n, FIELD - 1n, 0n, ...order8.flatMap((y) => [y, FIELD - y])];
  };

  it('of Ed25519 are refused, both signs, as the curve equation gives them', () => {
    const ys = edwards();
    expect(new Set(ys).size).toBe(5);
    for (const y of ys) {
      const point = littleEndian(y);
      expect(isWeakPoint({ use: 'sign', point })).toBe(true);
      point[31] = (point[31] as number) | 0x80;
      expect(isWeakPoint({ use: 'sign', point })).toBe(true);
    }
  });

  it('of X25519 are refused: those that share the same secret with everyone', () => {
    // Birational map of the Edwards points above: u = (1 + y) / (1 − y).
    const us = edwards()
      .filter((y) => y !== 1n)
      .map((y) => (((1n + y) % FIELD) * inverse(1n - y)) % FIELD);
    expect(new Set(us).size).toBe(4);
    // On the twist, whose points the ladder takes as well, u = −1 has order 4.
    for (const u of [...us, FIELD - 1n]) expect(isWeakPoint({ use: 'encrypt', point: littleEndian(u) })).toBe(true);
  });

  it('are refused in spellings beyond the field, and honest points are not', async () => {
    for (const extra of [0n, 1n, 5n, 18n]) {
      expect(isWeakPoint({ use: 'sign', point: littleEndian(FIELD + extra) })).toBe(true);
      expect(isWeakPoint({ use: 'encrypt', point: littleEndian(FIELD + extra) })).toBe(true);
    }
    expect(isWeakPoint({ use: 'encrypt', point: littleEndian(9n) })).toBe(false);
  });

  it('make a key refused before any signature is looked at', async () => {
    const { publicArmor } = await keyPair();
    expect(await reasonOf(await withPoint(publicArmor, 6, littleEndian(1n)))).toBe('small-order');
    expect(await reasonOf(await withPoint(publicArmor, 14, littleEndian(0n)))).toBe('small-order');
    const newer = (await keyPair({ type: 'curve25519' })).publicArmor;
    const zeroed = await changedKey(newer, ({ tag, body }) => {
      const changed = body.slice();
      if (tag === 6) changed.fill(0, 6);
      return [packet(tag, changed)];
    });
    expect(await reasonOf(zeroed)).toBe('small-order');
  });
});

describe('private keys', () => {
  it('are read back, under a passphrase or without', async () => {
    const key = await generatePrivateKey(NOW);
    const plain = await readPrivateKey(key.armor);
    expect(plain.ok && plain.value.fingerprint).toBe(key.fingerprint);
    const guarded = await protectPrivateKey(key, 'seven words');
    expect(await readPrivateKey(guarded)).toMatchObject({ ok: false, reason: 'protected' });
    expect(await unprotectPrivateKey(guarded, 'other words')).toMatchObject({ ok: false, reason: 'passphrase' });
    const opened = await unprotectPrivateKey(guarded, 'seven words');
    expect(opened.ok && opened.value.armor).toContain('PRIVATE KEY BLOCK');
    expect(opened.ok && opened.value.fingerprint).toBe(key.fingerprint);
  });

  it('are held to the rules of public ones', async () => {
    expect(await readPrivateKey((await keyPair({ curve: 'nistP256' })).privateArmor)).toMatchObject({ ok: false, reason: 'algorithm' });
    expect(await readPrivateKey((await keyPair()).publicArmor)).toMatchObject({ ok: false, reason: 'not-a-key' });
    expect(await readPrivateKey('')).toMatchObject({ ok: false, reason: 'not-a-key' });
  });
});
