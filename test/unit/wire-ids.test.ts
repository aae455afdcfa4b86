// Ids: one spelling each, made from fingerprints and times, and nothing else parses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base32, base64url, cryptoRandom, fromBase64url, fromHex, hex, uuidv7 } from '../../src/base/ids.ts';
import {
  fingerprintOf,
  inviterOf,
  makeInviteId,
  makeReedId,
  makeRequestId,
  parseFingerprint,
  parseInviteId,
  parseReedId,
  parseRequestId,
  parseServerId,
  parseServerKeyId,
  parseUserId,
  parseUserKeyId,
  parseUuid,
  ROOT_INVITE,
  serverIdFromFingerprint,
  serverKeyId,
  serverOf,
  spelled,
  userIdFromFingerprint,
  userKeyId,
  userOf,
  uuidTimeMs,
} from '../../src/wire/address.ts';

const PRINT = '48565acbfc74b378ab86e6b0379f1b5002573c10';
const UUID = '019b76da-a800-7000-8000-000000000001';
const PARSERS = [
  parseServerId,
  parseUserId,
  parseUserKeyId,
  parseServerKeyId,
  parseReedId,
  parseRequestId,
  parseInviteId,
  parseFingerprint,
  parseUuid,
];

describe('text forms of bytes', () => {
  it('are those of the platform', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
        expect(hex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(fromBase64url(base64url(bytes))).toEqual(bytes);
        expect(fromHex(hex(bytes))).toEqual(bytes);
        expect(base32(bytes)).toMatch(/^[a-z2-7]*$/);
        expect(base32(bytes).length).toBe(Math.ceil((bytes.length * 8) / 5));
      }),
    );
    expect(base32(new TextEncoder().encode('foobar'))).toBe('mzxw6ytboi');
  });

  it('have one spelling only', () => {
    for (const text of ['A', 'AB', 'AAAAA', 'AA==', 'A+/A', 'A A A', 'ÄAAA', 'AAB', 'A\n']) expect(fromBase64url(text)).toBeNull();
    for (const text of ['0', 'AA', '0x', 'zz']) expect(fromHex(text)).toBeNull();
  });
});

describe('uuids', () => {
  it('are version 7, canonical, and tell their time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
        const uuid = parseUuid(uuidv7(ms, cryptoRandom));
        expect(uuid).not.toBeNull();
        if (uuid) expect(uuidTimeMs(uuid)).toBe(ms);
      }),
    );
    expect(uuidv7(0, () => new Uint8Array(10).fill(255))).toBe('00000000-0000-7fff-bfff-ffffffffffff');
  });

  it('sort by their time and differ within a millisecond', () => {
    const made = Array.from({ length: 200 }, (_, at) => uuidv7(1_800_000_000_000 + at * 7, cryptoRandom));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(Array.from({ length: 200 }, () => uuidv7(1, cryptoRandom))).size).toBe(200);
  });
});

describe('ids', () => {
  it('show their fingerprint in capitals, in groups of four, and nothing else of it changed', () => {
    expect(spelled(PRINT)).toBe('4856 5ACB FC74 B378 AB86 E6B0 379F 1B50 0257 3C10');
    expect(spelled(spelled(PRINT).replaceAll(' ', ''))).toBe(spelled(PRINT));
    expect(spelled('')).toBe('');
  });

  it('come apart into what they were made of', async () => {
    const server = await serverIdFromFingerprint(PRINT);
    const user = await userIdFromFingerprint(PRINT, server);
    expect(parseServerId(server)).toBe(server);
    expect(parseUserId(user)).toBe(user);
    expect(user).toBe(`${server}@${server}`);
    const key = userKeyId(user, PRINT);
    const serverKey = serverKeyId(PRINT, server);
    expect([parseUserKeyId(key), userOf(key), fingerprintOf(key), serverOf(key)]).toEqual([key, user, PRINT, server]);
    expect([parseServerKeyId(serverKey), fingerprintOf(serverKey), serverOf(serverKey)]).toEqual([serverKey, PRINT, server]);
    const reed = makeReedId(user, UUID);
    expect([parseReedId(reed), userOf(reed), serverOf(reed), uuidTimeMs(reed)]).toEqual([reed, user, server, 0x019b76daa800]);
    expect(parseRequestId(makeRequestId(user, UUID))).toBe(reed);
    expect(inviterOf(makeInviteId(user, UUID))).toBe(user);
    expect(inviterOf(ROOT_INVITE)).toBeNull();
    expect(parseInviteId('root')).toBe('root');
  });

  it('differ for every fingerprint', async () => {
    await expect(serverIdFromFingerprint('abc')).rejects.toThrow(TypeError);
    const [one, two] = await Promise.all([serverIdFromFingerprint('0'.repeat(40)), serverIdFromFingerprint(`${'0'.repeat(39)}1`)]);
    expect(one).not.toBe(two);
  });

  it('parse in one spelling only', async () => {
    const server = await serverIdFromFingerprint(PRINT);
    const user = `${server}@${server}`;
    const bad = [
      '',
      'peer',
      `peer@${server}`,
      `peer@${server}/${UUID}`,
      user.toUpperCase(),
      `${user} `,
      ` ${user}`,
      `${user}\n`,
      `${user}\0`,
      `${user}@${server}`,
      user.replace('@', '＠'),
      `${user}/`,
      `${user}/${UUID.toUpperCase().replace('A', 'Å')}`,
      `${user}/${UUID.replace('-7', '-4')}`,
      `${user}/${UUID.replace('-8', '-c')}`,
      `${user}/${UUID.replaceAll('-', '')}`,
      `${user}/{${UUID}}`,
      `${user}/../${UUID}`,
      `${user}%2F${UUID}`,
      `${user}/${PRINT.toUpperCase()}`,
      `${user}/${PRINT}0`,
      `${PRINT}@${server}x`,
      `${server}0`,
      server.replace(/.$/, '0'),
      'ROOT',
    ];
    for (const text of bad) for (const parse of PARSERS) expect([text, parse(text)]).toEqual([text, null]);
  });

  it('never make a parser throw or take what it would not print', () => {
    const nearly = fc.stringMatching(/^[a-z2-7]{15,17}@[a-z2-7]{15,17}(\/[0-9a-f-]{35,41})?$/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), (text) => {
        for (const parse of PARSERS) {
          const id = parse(text);
          if (id === null) continue;
          expect(id).toBe(text);
          expect(id).toMatch(/^[a-z0-9@/-]{1,255}$/);
        }
      }),
    );
  });
});
