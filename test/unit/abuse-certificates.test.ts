// Certificates put together from parts of others, and messages made to hurt whoever opens them: every single swap is refused, for every type of statement,
// and no message of a few bytes costs seconds or megabytes. Works on devices and servers alike: both use these functions.
import { beforeAll, describe, expect, test } from 'vitest';
import { checkCopy } from '../../src/client/check-copy.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { decryptWith, decryptWithPassphrase, type PrivateKey, readPrivateKey } from '../../src/crypto/openpgp.ts';
import { openCopy, openThread } from '../../src/crypto/seal.ts';
import { countersign, signStatement, verifyCertificate } from '../../src/crypto/statement.ts';
import { makeReedId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Certificate } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import type { StatementOf, UserStatementType } from '../../src/wire/statements.ts';
import {
  armored,
  bomb,
  concat,
  encrypted,
  keyPair,
  packet,
  repeatedSessionKey,
  smallBomb,
  smallNoBomb,
  unarmored,
} from '../support/openpgp-parts.ts';
import { examples, makeKeys, makeWorld, UUIDS, type World } from '../support/statements.ts';

const NOW = Date.UTC(2026, 0, 1);
const TYPES = [
  'identity',
  'reed',
  'thread',
  'reed-removal',
  'follow',
  'like',
  'block',
  'invite',
  'session',
  'account-removal',
  'admin-act',
] as const;
type Type = (typeof TYPES)[number];

let world: World;
let one: Record<Type, Certificate<never>>;
let two: Record<Type, Certificate<never>>;

/** Certificates of every type, by `member` or `other`, with sequence numbers from `seq` on. */
async function certificates(who: 'member' | 'other', seq: number): Promise<Record<Type, Certificate<never>>> {
  const key = world.keys[who];
  const user = await userIdFromFingerprint(key.fingerprint, world.server);
  const keyId = userKeyId(user, key.fingerprint);
  const mine = (text: string): string => text.replaceAll(world.user, '<me>').replaceAll(world.other, '<them>').replaceAll('<me>', user);
  const them = who === 'member' ? world.other : world.user;
  const all = examples(world);
  const made = TYPES.map(async (type, at) => {
    const text = mine(JSON.stringify(all[type])).replaceAll('<them>', them).replaceAll(world.keys.member.fingerprint, key.fingerprint);
    const signed = await signStatement(JSON.parse(text) as StatementOf<UserStatementType>, [{ key, keyId }], NOW);
    const by = {
      serverKey: world.keys.server,
      serverKeyId: world.serverKey,
      server: world.server,
      seq: seq + at,
      signedAt: printTime(NOW),
    };
    return [type, await countersign(signed, by)] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as unknown as Record<Type, Certificate<never>>;
}

const judge = async (certificate: unknown, type: Type): Promise<string> => {
  const accepted = await verifyCertificate(certificate, type, { keys: world.lookup, now: NOW });
  return accepted.ok ? 'accepted' : accepted.reason;
};

beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
  one = await certificates('member', 10);
  two = await certificates('other', 10);
});

type Path = readonly string[];
const leaves = (value: unknown, path: Path = []): Path[] =>
  typeof value !== 'object' || value === null ? [path] : Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
const nodes = (value: unknown, path: Path = []): Path[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, inner]) => nodes(inner, [...path, key]))];
const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
const put = (value: unknown, [key, ...rest]: Path, part: unknown): unknown => {
  if (key === undefined) return part;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = put(copy[key], rest, part);
  return copy;
};

describe('a certificate', () => {
  test.each(TYPES)('of %s is accepted, and refused with any part swapped for that of another', async (type) => {
    expect([await judge(one[type], type), await judge(two[type], type)]).toEqual(['accepted', 'accepted']);
    const sources = [
      two[type],
      one[TYPES[(TYPES.indexOf(type) + 1) % TYPES.length] as Type],
      two[TYPES[(TYPES.indexOf(type) + 2) % TYPES.length] as Type],
    ];
    let swaps = 0;
    for (const path of nodes(one[type]).filter((node) => node.length > 0))
      for (const source of sources) {
        const part = at(source, path);
        if (part === undefined || JSON.stringify(part) === JSON.stringify(at(one[type], path))) continue;
        swaps++;
        expect([path.join('.'), await judge(put(one[type], path, part), type)]).not.toEqual([path.join('.'), 'accepted']);
      }
    expect(swaps).toBeGreaterThan(10);
  });

  test.each(TYPES)('of %s is refused with any value in it changed a little', async (type) => {
    for (const path of leaves(one[type])) {
      const value = at(one[type], path);
      const others =
        typeof value === 'number' ? [value + 1, value - 1, 0, String(value)] : typeof value === 'boolean' ? [!value, 'true'] : [];
      const texts = typeof value === 'string' ? [`${value}x`, value.slice(1), value.toUpperCase(), ''] : [];
      for (const other of [...others, ...texts, null]) {
        if (other === value || (path.at(-1) === 'signature' && other === `${value}x`)) continue;
        expect([path.join('.'), other, await judge(put(one[type], path, other), type)]).not.toEqual([path.join('.'), other, 'accepted']);
      }
    }
  });

  test('is of the type that was asked for', async () => {
    for (const type of TYPES) for (const other of TYPES) expect((await judge(one[type], other)) === 'accepted').toBe(type === other);
  });
});

describe('a message made to hurt', () => {
  const SPARE_BYTES = 64 * 1_024 * 1_024;
  let key: PrivateKey;
  let armor: string;
  beforeAll(async () => {
    const pair = await keyPair();
    const read = await readPrivateKey(pair.privateArmor);
    if (!read.ok) throw new Error(read.reason);
    [key, armor] = [read.value, pair.publicArmor];
  });

  const MESSAGES: readonly (readonly [string, () => Promise<Uint8Array>])[] = [
    ['of under 1 KiB that unpacks to 900 MiB', () => smallBomb(armor)],
    ['that unpacks to 64 MiB', () => bomb(armor, SPARE_BYTES)],
    ['of 4,000 session keys', async () => repeatedSessionKey(await encrypted({ bytes: new Uint8Array(9), to: [armor] }), 4_000)],
    [
      'of 4,000 session keys for nobody by name',
      async () => repeatedSessionKey(await encrypted({ bytes: new Uint8Array(9), to: [armor], wildcard: true }), 4_000),
    ],
    ['of 15 session keys', async () => repeatedSessionKey(await encrypted({ bytes: new Uint8Array(9), to: [armor] }), 15)],
    [
      'of 4,000 empty packets',
      async () => Buffer.from(armored('MESSAGE', concat(...Array.from({ length: 4_000 }, () => packet(1, new Uint8Array()))))),
    ],
    ['over 1 MiB', async () => Buffer.from(armored('MESSAGE', packet(18, new Uint8Array(1_100_000))))],
    ['that says it is longer than it is', async () => Buffer.from(armored('MESSAGE', Uint8Array.of(0xc1, 255, 255, 255, 255, 255, 3)))],
    [
      'in parts without an end',
      async () =>
        Buffer.from(
          armored(
            'MESSAGE',
            concat(
              unarmored(Buffer.from(await encrypted({ bytes: new Uint8Array(9), to: [armor] })).toString('latin1')).subarray(0, 96),
              Uint8Array.of(0xd2, 0xef),
              new Uint8Array(9_000),
            ),
          ),
        ),
    ],
  ];

  test.each(MESSAGES)('%s opens as nothing, for reed, thread and backup, and is not unpacked', async (_name, make) => {
    const message = await make();
    const before = process.memoryUsage();
    expect((await decryptWith(message, [key])).ok).toBe(false);
    expect((await openCopy(message, [key])).ok).toBe(false);
    expect((await openThread(message, [key])).ok).toBe(false);
    expect((await decryptWithPassphrase(Buffer.from(message).toString('latin1'), 'seven words')).ok).toBe(false);
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(SPARE_BYTES);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(SPARE_BYTES);
  });

  test('is told from one that is only packed', async () => {
    expect((await decryptWith(await smallNoBomb(armor), [key])).ok).toBe(true);
  });

  test('accuses the holder who sent it to a viewer', async () => {
    const ring = await openKeyRing(memoryKeySafe());
    const { armor: own } = await ring.make(Date.UTC(2020, 0, 1));
    const deps = { keyRing: ring, context: { keys: world.lookup, now: NOW } };
    for (const message of [await smallBomb(own), repeatedSessionKey(await encrypted({ bytes: new Uint8Array(9), to: [own] }), 4_000)])
      expect(await checkCopy(message, makeReedId(world.user, UUIDS[0]), deps)).toMatchObject({ ok: false, reason: 'UNDECRYPTABLE' });
  });
});
