// Signing up with what is not one's own, or not what it says: over HTTP, each refused with a 4xx, and nothing of it stored. The library's view of keys
// and signatures has tests of its own in test/unit/crypto-keys.test.ts and crypto-signatures.test.ts; here the server's whole path is attacked.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { generatePrivateKey, readPrivateKey, readPublicKey } from '../../src/crypto/openpgp.ts';
import { userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import { canonicalBytes } from '../../src/wire/canonical.ts';
import type { Statement, StatementOf } from '../../src/wire/statements.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import {
  armored,
  bomb,
  changedKey,
  concat,
  keyPair,
  librarySignature,
  packet,
  packetsOf,
  repeatedSessionKey,
  smallBomb,
  unarmored,
  withPoint,
} from '../support/openpgp-parts.ts';
import {
  identityStatement,
  keyStatement,
  makePerson,
  type Person,
  type Post,
  type SignUpBody,
  sessionStatement,
  sign,
  signUpBody,
} from '../support/people.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

const MOST_ARMOR = 8_192;

let siege: Siege;
beforeAll(async () => {
  siege = await besiege();
});
afterEach(() => siege.stillServes());
afterAll(() => siege.end());

const now = (): number => siege.world.clock.now();
const somebody = (): Promise<Person> => makePerson(siege.world.identity.server.id, now());
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Refused, with nothing stored, and the same person may still sign up as they should. */
const refused = async (person: Person, change: (body: SignUpBody) => object | Promise<object>): Promise<string> => {
  const right = await signUpBody(siege.world, person);
  const before = await siege.stored();
  const code = isRefusal(await siege.post('/api/v1/users', { ...right, ...(await change(right)) }), 'sign-up');
  expect(await siege.stored()).toEqual(before);
  expect((await siege.post('/api/v1/users', right)).status).toBe(201);
  return code;
};
const signed = <T extends Statement>(person: Person, statement: T): Promise<Post> => sign(person, statement, now());
/** A key statement with any armor, signed by the person's own key. */
const withArmor = (person: Person, armor: string) => async (right: SignUpBody) => {
  const statement = { ...keyStatement(person), armor };
  // What is too long to be signed is sent with the signature of what it should be.
  return { key: armor.length > MOST_ARMOR ? { ...right.key, statement } : await signed(person, statement) };
};

describe('a key', () => {
  const good = keyPair();
  const rsa = keyPair({ type: 'rsa', rsaBits: 2048 } as never);

  const ARMORS: readonly (readonly [string, (own: string, person: Person) => Promise<string> | string])[] = [
    ['of small order', (own) => withPoint(own, 6, Uint8Array.of(1, ...new Uint8Array(31)))],
    ['whose subkey is of small order', (own) => withPoint(own, 14, new Uint8Array(32))],
    ['of all zeros', (own) => withPoint(own, 6, new Uint8Array(32))],
    ['with a private block', (_own, person) => person.key.armor],
    ['with a private block that says it is public', (_own, person) => person.key.armor.replaceAll('PRIVATE', 'PUBLIC')],
    ['with the armor of somebody else', async () => (await good).publicArmor],
    ['with two keys', async (own) => armored('PUBLIC KEY BLOCK', concat(unarmored(own), unarmored((await good).publicArmor)))],
    ['with two blocks', (own) => own + own],
    ['of RSA', async () => (await rsa).publicArmor],
    [
      'with an RSA subkey',
      async (own) => {
        const sub = (await packetsOf((await rsa).publicArmor)).filter(({ tag }) => tag === 14);
        return changedKey(own, ({ tag, body }) => (tag === 14 ? [packet(14, sub[0]?.body ?? body)] : [packet(tag, body)]));
      },
    ],
    [
      'with 200 bindings',
      (own) => {
        let last = 0;
        return changedKey(own, ({ tag, body }) => {
          const isBinding = tag === 2 && last === 14;
          last = tag;
          return Array.from({ length: isBinding ? 200 : 1 }, () => packet(tag, body));
        });
      },
    ],
    [
      'with 200 subkeys',
      (own) => changedKey(own, ({ tag, body }) => Array.from({ length: tag === 14 ? 200 : 1 }, () => packet(tag, body))),
    ],
    [
      'with 200 user ids',
      (own) => changedKey(own, ({ tag, body }) => Array.from({ length: tag === 13 ? 200 : 1 }, () => packet(tag, body))),
    ],
    ['without its self-signature', (own) => changedKey(own, ({ tag, body }, at) => (tag === 2 && at === 2 ? [] : [packet(tag, body)]))],
    [
      'with a signature of another key',
      async (own) => {
        const other = (await packetsOf((await good).publicArmor)).filter(({ tag }) => tag === 2);
        let at = 0;
        return changedKey(own, ({ tag, body }) => [packet(tag, tag === 2 ? (other[at++]?.body ?? body) : body)]);
      },
    ],
    ['that is a message', async () => text(await bomb((await good).publicArmor, 1_024))],
    [
      'that is a message of 4,000 session keys',
      async () => text(repeatedSessionKey(await bomb((await good).publicArmor, 16), 4_000)).slice(0, 8_000),
    ],
    ['that is a message of under 1 KiB which unpacks to 900 MiB', async () => text(await smallBomb((await good).publicArmor))],
    [
      'that is such a message and says it is a key',
      async () => armored('PUBLIC KEY BLOCK', unarmored(text(await smallBomb((await good).publicArmor)))),
    ],
    [
      'followed by compressed data that unpacks to 900 MiB',
      async (own) => armored('PUBLIC KEY BLOCK', concat(unarmored(own), unarmored(text(await smallBomb((await good).publicArmor))))),
    ],
    ['with a comment', (own) => own.replace('BLOCK-----\n', 'BLOCK-----\nComment: \u202e\n')],
    ['of 9,000 signs', (own) => own.replace('BLOCK-----\n', `BLOCK-----\nComment: ${'x'.repeat(9_000)}\n`)],
    ['that is empty', () => ''],
  ];

  test.each(ARMORS)('%s makes no member', async (_name, make) => {
    const person = await somebody();
    const armor = await make(person.key.publicKey.armor, person);
    expect(armor).not.toBe(person.key.publicKey.armor);
    expect(await refused(person, withArmor(person, armor))).toBe('INVALID');
  });

  test('under the id of another key makes no member', async () => {
    const [person, other] = [await somebody(), await somebody()];
    const stolen = { user: other.user, key: userKeyId(other.user, person.key.fingerprint) };
    expect(
      await refused(person, async () => ({
        key: await signed(person, { ...keyStatement(person), ...stolen }),
        identity: await signed(person, { ...identityStatement(person, now()), ...stolen }),
      })),
    ).toBe('INVALID');
  });

  test('that is a second first key for an id makes no member, and the first one stays', async () => {
    const person = await somebody();
    expect((await siege.post('/api/v1/users', await signUpBody(siege.world, person))).status).toBe(201);
    const second: Person = { ...person, key: await generatePrivateKey(now()) };
    const keyId = userKeyId(person.user, second.key.fingerprint);
    const posing: Person = { ...second, keyId };
    const before = await siege.stored();
    for (const change of [{}, { recovery: person.recovery.fingerprint }]) {
      const body = {
        ...(await signUpBody(siege.world, posing)),
        key: await signed(posing, { ...keyStatement(posing), ...change } as Statement),
      };
      expect(isRefusal(await siege.post('/api/v1/users', body), 'second first key')).toBe('INVALID');
    }
    expect(await siege.stored()).toEqual(before);
    const { recovery: _other, ...rest } = keyStatement(person);
    const other = { ...rest, recovery: (await somebody()).recovery.fingerprint } as StatementOf<'key'>;
    const body = { ...(await signUpBody(siege.world, person)), key: await signed(person, other) };
    expect(isRefusal(await siege.post('/api/v1/users', body), 'another statement of the first key')).toBe('CONFLICT');
    expect(await siege.stored()).toEqual(before);
  });
});

/** A key that messages can be encrypted to, whatever the clock of the test. */
const dated = keyPair();

/** The person's key in the library's hands. */
const pairFor = async () => {
  const pair = await keyPair();
  const read = await readPublicKey(pair.publicArmor);
  if (!read.ok) throw new Error(read.reason);
  return { pair, publicKey: read.value };
};

describe('a signature', () => {
  /** Somebody whose key the library has too, to sign with as it likes. */
  const withLibrary = async () => {
    const { pair, publicKey } = await pairFor();
    const person = await somebody();
    const user = await userIdFromFingerprint(publicKey.fingerprint, siege.world.identity.server.id);
    const key = await readPrivateKey(pair.privateArmor);
    if (!key.ok) throw new Error(key.reason);
    const own: Person = { ...person, user, key: key.value, keyId: userKeyId(user, publicKey.fingerprint) };
    return { own, library: pair.privateKey };
  };
  const bytesOf = (statement: Statement): Uint8Array => {
    const bytes = canonicalBytes(statement);
    if (!bytes.ok) throw new Error(bytes.reason);
    return bytes.value;
  };
  const body = (signature: string): Uint8Array => unarmored(signature);
  /** The content of the one packet in a signature of ours: a new header of one or two octets, then it. */
  const content = (signature: string): Uint8Array => {
    const bytes = body(signature);
    return bytes.subarray((bytes[1] as number) < 192 ? 2 : 3);
  };
  const old = (bytes: Uint8Array): Uint8Array => concat(Uint8Array.of(0x89, bytes.length >> 8, bytes.length & 255), bytes);

  const FALSE: readonly (readonly [
    string,
    (right: string, statement: Statement, library: Parameters<typeof librarySignature>[1]) => Promise<string> | string,
  ])[] = [
    ['in text mode', (_right, statement, library) => librarySignature({ text: Buffer.from(bytesOf(statement)).toString() }, library)],
    ['of another type', (right) => armored('SIGNATURE', packet(2, content(right).with(1, 0x10)))],
    ['of a standalone type', (right) => armored('SIGNATURE', packet(2, content(right).with(1, 0x02)))],
    ['twice', (right) => armored('SIGNATURE', concat(body(right), body(right)))],
    ['in two blocks', (right) => right + right],
    ['of none', () => armored('SIGNATURE', packet(60, Uint8Array.of(1)))],
    ['of nothing', () => ''],
    ['with a marker beside it', (right) => armored('SIGNATURE', concat(packet(10, Buffer.from('PGP')), body(right)))],
    ['of other bytes', (_right, _statement, library) => librarySignature({ binary: Uint8Array.of(1) }, library)],
    ['with one bit changed', (right) => armored('SIGNATURE', body(right).with(-1, (body(right).at(-1) as number) ^ 1))],
    ['cut off', (right) => armored('SIGNATURE', body(right).subarray(0, -1))],
    ['that is a message which unpacks to 900 MiB', async () => text(await smallBomb((await dated).publicArmor))],
    [
      'that says it is a signature and unpacks to 900 MiB',
      async () => armored('SIGNATURE', unarmored(text(await smallBomb((await dated).publicArmor)))),
    ],
    [
      'followed by what unpacks to 900 MiB',
      async (right) => armored('SIGNATURE', concat(body(right), unarmored(text(await smallBomb((await dated).publicArmor))))),
    ],
    ['of 8,000 signs', (right) => right.replace('SIGNATURE-----\n', `SIGNATURE-----\nComment: ${'x'.repeat(8_000)}\n`).slice(0, 8_192)],
  ];
  test.each(FALSE)('%s makes no member', async (_name, make) => {
    const { own, library } = await withLibrary();
    expect(
      await refused(own, async (right) => {
        const signature = await make(right.key.signatures[0]?.signature ?? '', right.key.statement, library);
        return { key: { ...right.key, signatures: [{ key: own.keyId, signature }] } };
      }),
    ).toBe('INVALID');
  });

  test.each([
    ['with an old header', (right: string) => armored('SIGNATURE', old(content(right)))],
    [
      'with a long length',
      (right: string) =>
        armored(
          'SIGNATURE',
          concat(Uint8Array.of(0xc2, 255, 0, 0, content(right).length >> 8, content(right).length & 255), content(right)),
        ),
    ],
    ['with a comment', (right: string) => right.replace('SIGNATURE-----\n', 'SIGNATURE-----\nComment: mine\n')],
    ['without a checksum', (right: string) => armored('SIGNATURE', body(right))],
  ])('re-encoded %s gets the certificate of the first, in its spelling', async (_name, encode) => {
    const person = await somebody();
    const right = await signUpBody(siege.world, person);
    const first = (await siege.post('/api/v1/users', right)).json();
    const before = await siege.stored();
    const again = await signUpBody(siege.world, person);
    const signature = encode(right.key.signatures[0]?.signature ?? '');
    expect(signature).not.toBe(right.key.signatures[0]?.signature);
    const answer = await siege.post('/api/v1/users', {
      ...right,
      session: again.session,
      key: { ...right.key, signatures: [{ key: person.keyId, signature }] },
    });
    expect([answer.status, answer.json()['key'], answer.json()['identity']]).toEqual([201, first['key'], first['identity']]);
    const { sessions: _sessions, used_challenges: _used, ...rest } = before;
    expect(await siege.stored()).toMatchObject(rest);
  });

  test.each(['identity', 'key', 'session'] as const)(
    'of %s by another, under another name, twice, or beside another makes no member',
    async (part) => {
      const [person, other] = [await somebody(), await somebody()];
      const change = async (right: SignUpBody, signatures: (right: Post['signatures'], theirs: Post['signatures']) => unknown) => ({
        [part]: { ...right[part], signatures: signatures(right[part].signatures, (await signed(other, right[part].statement)).signatures) },
      });
      for (const signatures of [
        (_own: Post['signatures'], theirs: Post['signatures']) => theirs,
        (own: Post['signatures'], theirs: Post['signatures']) => [{ ...own[0], signature: theirs[0]?.signature }],
        (own: Post['signatures'], theirs: Post['signatures']) => [{ ...own[0], key: theirs[0]?.key }],
        (own: Post['signatures']) => [...own, ...own],
        (own: Post['signatures'], theirs: Post['signatures']) => [...theirs, ...own],
      ]) {
        const fresh = await somebody();
        const right = await signUpBody(siege.world, fresh);
        const theirs = (await signed(other, right[part].statement)).signatures;
        const before = await siege.stored();
        const lie = { ...right, [part]: { ...right[part], signatures: signatures(right[part].signatures, theirs) } };
        expect(['INVALID', 'UNAUTHENTICATED']).toContain(isRefusal(await siege.post('/api/v1/users', lie), part));
        expect(await siege.stored()).toEqual(before);
      }
      await refused(person, (right) => change(right, (_own, theirs) => theirs));
    },
  );
});

describe('a sign-up of somebody else', () => {
  test('replayed as it was, or made of their public certificates, buys nothing', async () => {
    const { world } = siege;
    const [person, thief] = [await somebody(), await somebody()];
    const right = await signUpBody(world, person);
    const made = (await siege.post('/api/v1/users', right)).json() as Record<'identity' | 'key', Post>;
    const strip = ({ statement, signatures }: Post) => ({ statement, signatures });
    const certificates = { identity: strip(made.identity), key: strip(made.key) };
    const { nonce } = await world.identity.challenges.make();
    const statement = sessionStatement(person, world.identity.server.id, nonce, 'signup');
    const forged = [{ key: person.keyId, signature: (await signed(thief, statement)).signatures[0]?.signature }];
    const own = (await signUpBody(world, thief)).session;
    const before = await siege.stored();
    for (const [body, code] of [
      [right, 'UNAUTHENTICATED'],
      [{ ...right, session: right.session }, 'UNAUTHENTICATED'],
      [{ ...certificates, session: { statement, signatures: forged } }, 'UNAUTHENTICATED'],
      [{ ...certificates, session: own }, 'UNAUTHENTICATED'],
      [{ ...certificates, session: right.session }, 'UNAUTHENTICATED'],
      [{ ...made, session: own }, 'BAD_REQUEST'],
      [{ ...certificates, session: made.identity }, 'BAD_REQUEST'],
      [{ ...certificates, session: certificates.identity }, 'UNAUTHENTICATED'],
      [{ ...certificates, session: { statement, signatures: certificates.identity.signatures } }, 'UNAUTHENTICATED'],
    ] as const)
      expect(isRefusal(await siege.post('/api/v1/users', body), 'replay')).toBe(code);
    expect(await siege.stored()).toEqual(before);
  });
});
