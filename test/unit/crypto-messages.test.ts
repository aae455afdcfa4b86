// Encrypted messages and copies: to one reader, padded, opened only if they are exactly that. Bombs and crowds are refused before they cost anything.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  decryptWith,
  decryptWithPassphrase,
  encryptTo,
  encryptWithPassphrase,
  generatePrivateKey,
  type PrivateKey,
} from '../../src/crypto/openpgp.ts';
import { bodyHash, openCopy, openThread, padmeSize, sealCopy, sealThread } from '../../src/crypto/seal.ts';
import {
  armored,
  bomb,
  concat,
  encrypted,
  packet,
  repeatedSessionKey,
  smallBomb,
  smallNoBomb,
  unarmored,
} from '../support/openpgp-parts.ts';

const NOW = 1_700_000_000_000;
const BYTES = new TextEncoder().encode('hello');

let key: PrivateKey;
let other: PrivateKey;

beforeAll(async () => {
  [key, other] = await Promise.all([generatePrivateKey(NOW), generatePrivateKey(NOW)]);
});

const reasonOf = async (message: Uint8Array, keys: readonly PrivateKey[] = [key]): Promise<string> => {
  const opened = await decryptWith(message, keys);
  return opened.ok ? 'opened' : opened.reason;
};
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a message', () => {
  it('is opened by its reader, whichever of their keys it is for', async () => {
    const message = await encryptTo(BYTES, key.publicKey);
    expect(new TextDecoder().decode(message)).toMatch(/^-----BEGIN PGP MESSAGE-----\n/);
    expect(await decryptWith(message, [other, key])).toMatchObject({ ok: true, value: BYTES });
    expect(await reasonOf(message, [other])).toBe('not-for-us');
  });

  it('is fresh every time', async () => {
    const [one, two] = await Promise.all([encryptTo(BYTES, key.publicKey), encryptTo(BYTES, key.publicKey)]);
    expect(one).not.toEqual(two);
  });

  it('is refused if it is for several readers or for nobody by name', async () => {
    const armors = [key.publicKey.armor, other.publicKey.armor];
    expect(await reasonOf(await encrypted({ bytes: BYTES, to: armors }))).toBe('not-a-message');
    expect(await reasonOf(await encrypted({ bytes: BYTES, to: armors.slice(0, 1), wildcard: true }))).toBe('not-for-us');
    expect(await reasonOf(await encrypted({ bytes: BYTES, to: armors.slice(0, 1), passwords: ['x'] }))).toBe('not-a-message');
  });

  it('is refused with 4,000 session keys', async () => {
    const crowd = repeatedSessionKey(await encrypted({ bytes: BYTES, to: [key.publicKey.armor] }), 4_000);
    expect(await reasonOf(crowd)).toBe('not-a-message');
    expect(await reasonOf(repeatedSessionKey(await encrypted({ bytes: BYTES, to: [key.publicKey.armor] }), 2))).toBe('not-a-message');
  });

  it('is refused if it unpacks to more than 4 MiB', async () => {
    expect(await reasonOf(await bomb(key.publicKey.armor, 64 * 1024))).toBe('opened');
    const large = await bomb(key.publicKey.armor, 24 * 1024 * 1024);
    expect(large.length).toBeLessThan(64 * 1024);
    expect(await reasonOf(large)).toBe('undecryptable');
  });

  it('is refused if its 713 bytes unpack to 900 MiB', async () => {
    const small = await smallBomb(key.publicKey.armor);
    expect(small.length).toBeLessThan(1_500);
    expect(await reasonOf(small)).toBe('undecryptable');
    // It is its size that is refused: the same kind of message opens when it unpacks to less.
    expect(await decryptWith(await smallNoBomb(key.publicKey.armor), [key])).toEqual({ ok: true, value: new Uint8Array(64 * 1024) });
  });

  it('is refused if it is not encrypted, damaged or cut', async () => {
    const literal = packet(11, concat(Uint8Array.of(0x62, 0, 0, 0, 0, 0), BYTES));
    expect(await reasonOf(ascii(armored('MESSAGE', literal)))).toBe('not-a-message');
    const message = await encryptTo(BYTES, key.publicKey);
    const bytes = unarmored(new TextDecoder().decode(message));
    expect(await reasonOf(ascii(armored('MESSAGE', bytes.subarray(0, bytes.length - 1))))).toBe('not-a-message');
    const damaged = bytes.slice();
    damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
    expect(await reasonOf(ascii(armored('MESSAGE', damaged)))).toBe('undecryptable');
    expect(await reasonOf(new Uint8Array(0))).toBe('not-a-message');
    expect(await reasonOf(concat(message, ascii('x')))).toBe('not-a-message');
    expect(await reasonOf(new Uint8Array(1024 * 1024 + 1))).toBe('too-large');
  });

  it('never throws when it is changed, and never says anything else', async () => {
    const valid = unarmored(new TextDecoder().decode(await encryptTo(BYTES, key.publicKey)));
    const mutated = fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
      const bytes = valid.slice();
      bytes[at] = (bytes[at] as number) ^ flip;
      return bytes;
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated), async (bytes) => {
        // The same session key has more than one spelling (the bit count of a point, its unused top bit); the content has not.
        const opened = await decryptWith(ascii(armored('MESSAGE', bytes)), [key]);
        if (opened.ok) expect(opened.value).toEqual(BYTES);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a backup', () => {
  it('opens with its passphrase only', async () => {
    const backup = await encryptWithPassphrase(BYTES, 'seven words');
    expect(await decryptWithPassphrase(backup, 'seven words')).toMatchObject({ ok: true, value: BYTES });
    expect(await decryptWithPassphrase(backup, 'other words')).toMatchObject({ ok: false, reason: 'undecryptable' });
    expect(await decryptWithPassphrase('', 'seven words')).toMatchObject({ ok: false, reason: 'not-a-message' });
    const message = new TextDecoder().decode(await encryptTo(BYTES, key.publicKey));
    expect(await decryptWithPassphrase(message, 'seven words')).toMatchObject({ ok: false, reason: 'not-a-message' });
  });

  it('uses the S2K that other programs open: iterated and salted, not Argon2', async () => {
    const bytes = unarmored(await encryptWithPassphrase(BYTES, 'seven words'));
    // Symmetric-key encrypted session key, version 4: cipher AES-256, then the S2K specifier.
    expect([...bytes.subarray(2, 5)]).toEqual([4, 9, 3]);
  });
});

describe('a copy', () => {
  const body = { text: 'Reeds by the water', createdAt: '2026-01-02T03:04:05.678Z', salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
  const copy = { certificate: { statement: { id: 'x' } }, body };

  it('comes out as it went in', async () => {
    expect(await openCopy(await sealCopy(copy, key.publicKey), [key])).toEqual({ ok: true, value: copy });
    const thread = { record: { statement: {} }, parts: [copy, copy] };
    expect(await openThread(await sealThread(thread, key.publicKey), [key])).toEqual({ ok: true, value: thread });
  });

  it('has one of few sizes, whatever the text', async () => {
    const sizes = new Set<number>();
    for (let length = 0; length < 64; length++) {
      sizes.add((await sealCopy({ ...copy, body: { ...body, text: 'x'.repeat(length) } }, key.publicKey)).length);
    }
    expect(sizes.size).toBeLessThanOrEqual(8);
  });

  it('is refused if it is anything else', async () => {
    const texts = [
      '',
      'null',
      '[]',
      '{}',
      '{"certificate":{}}',
      '{"certificate":{},"body":{},"more":1}',
      '{"certificate":{},"certificate":{},"body":{}}',
      '{"certificate":{},"body":{"n":1.5}}',
      `{"certificate":${'['.repeat(5_000)}${']'.repeat(5_000)},"body":{}}`,
      '{"certificate":{},"body":{}} x',
    ];
    for (const text of texts) {
      expect(await openCopy(await encryptTo(ascii(text), key.publicKey), [key])).toMatchObject({ ok: false, reason: 'not-a-copy' });
    }
    const thread = await sealThread({ record: {}, parts: [] }, key.publicKey);
    expect(await openCopy(thread, [key])).toMatchObject({ ok: false, reason: 'not-a-copy' });
    expect(await openThread(await sealCopy(copy, key.publicKey), [key])).toMatchObject({ ok: false, reason: 'not-a-copy' });
  });

  it('names its body by a hash that covers every field', async () => {
    const hash = await bodyHash(body);
    expect(hash).toMatch(/^[A-Za-z0-9_-]{43}$/);
    for (const changed of [{ text: 'x' }, { createdAt: '2026-01-02T03:04:05.679Z' }, { salt: 'AAAAAAAAAAAAAAAAAAAAAQ' }]) {
      expect(await bodyHash({ ...body, ...changed })).not.toBe(hash);
    }
    const longest = { ...body, text: '\u0001'.repeat(5_000) };
    expect(await bodyHash(longest)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('Padmé sizes', () => {
  it('are never smaller, never more than 12 % larger, and their own size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (bytes) => {
        const size = padmeSize(bytes);
        expect(size).toBeGreaterThanOrEqual(bytes);
        expect(size).toBeLessThanOrEqual(bytes * 1.12);
        expect(padmeSize(size)).toBe(size);
      }),
    );
  });

  it('match the published examples', () => {
    for (const [bytes, size] of [
      [1, 1],
      [8, 8],
      [9, 10],
      [10, 10],
      [100, 104],
      [1_000, 1_024],
      [1_000_000, 1_015_808],
    ] as const) {
      expect(padmeSize(bytes)).toBe(size);
    }
  });
});
