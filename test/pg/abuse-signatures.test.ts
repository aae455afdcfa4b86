// Signatures that are none, or of something else, in every place of every route that takes one, found by the OpenAPI document. Names that only look like
// names, properly signed. A re-encoded signature is the same one and is taken.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Statement } from '../../src/wire/statements.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { type ApiRoute, readRoutes } from '../support/openapi-input.ts';
import { armored, concat, keyPair, packet, smallBomb, unarmored } from '../support/openpgp-parts.ts';
import { identityStatement, keyStatement, makePerson, type Person, sign, signUp, signUpBody } from '../support/people.ts';
import { type RightRequest, rightRequests } from '../support/right-requests.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

let siege: Siege;
let routes: ApiRoute[];
let right: Readonly<Record<string, RightRequest>>;
let bomb: string;
let stranger: Person;
beforeAll(async () => {
  siege = await besiege();
  routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json()).filter(({ body }) => body !== null);
  right = await rightRequests(siege.world, siege.ann);
  bomb = Buffer.from(await smallBomb((await keyPair()).publicArmor)).toString('latin1');
  stranger = await makePerson(siege.world.identity.server.id, siege.world.clock.now());
});
afterEach(() => siege.stillServes());
afterAll(() => siege.end());

type Signed = { statement: Statement; signature?: string; signatures?: { key: string; signature: string }[] };
type Change = (signature: string, signed: Signed) => string | Promise<string>;

/** The body with every signature in it, one after the other, changed. */
async function* changedOnce(body: object, change: Change): AsyncGenerator<object> {
  const isSigned = (value: unknown): boolean => typeof value === 'object' && value !== null && 'statement' in value;
  const parts = isSigned(body) ? [null] : Object.keys(body).filter((key) => isSigned((body as Record<string, unknown>)[key]));
  for (const part of parts) {
    const copy = structuredClone(body) as Record<string, unknown>;
    const signed = (part === null ? copy : copy[part]) as Signed;
    if (signed.signature === undefined)
      for (const entry of signed.signatures ?? []) entry.signature = await change(entry.signature, signed);
    else signed.signature = await change(signed.signature, signed);
    yield copy;
  }
}

const content = (signature: string): Uint8Array => {
  const bytes = unarmored(signature);
  return bytes.subarray((bytes[1] as number) < 192 ? 2 : 3);
};
const typed = (type: number) => (signature: string) => armored('SIGNATURE', packet(2, content(signature).with(1, type)));
const flipped = (at: number) => (signature: string) => {
  const bytes = unarmored(signature);
  return armored('SIGNATURE', bytes.with(at, (bytes.at(at) as number) ^ 1));
};

const FALSE: readonly (readonly [string, Change])[] = [
  ['in text mode', typed(0x01)],
  ['standalone', typed(0x02)],
  ['a certification', typed(0x13)],
  ['a revocation', typed(0x20)],
  ['of no known type', typed(0x99)],
  ['twice', (signature) => armored('SIGNATURE', concat(unarmored(signature), unarmored(signature)))],
  ['in two blocks', (signature) => signature + signature],
  ['with an unknown packet beside it', (signature) => armored('SIGNATURE', concat(unarmored(signature), packet(60, Uint8Array.of(1))))],
  ['of no packet', () => armored('SIGNATURE', new Uint8Array())],
  ['of an unknown packet', () => armored('SIGNATURE', packet(60, Uint8Array.of(1)))],
  ['of nothing', () => ''],
  ['of version 3', (signature) => armored('SIGNATURE', packet(2, content(signature).with(0, 3)))],
  ['of version 6', (signature) => armored('SIGNATURE', packet(2, content(signature).with(0, 6)))],
  ['of another algorithm', (signature) => armored('SIGNATURE', packet(2, content(signature).with(2, 1)))],
  ['with its date changed', flipped(8)],
  ['with its last bit changed', flipped(-1)],
  ['cut off', (signature) => armored('SIGNATURE', unarmored(signature).subarray(0, -9))],
  [
    'by somebody else',
    async (_signature, { statement }) => (await sign(stranger, statement, siege.world.clock.now())).signatures[0]?.signature ?? '',
  ],
  [
    'of another statement',
    async () => (await sign(siege.ann, keyStatement(siege.ann), siege.world.clock.now())).signatures[0]?.signature ?? '',
  ],
  ['that unpacks to 900 MiB', () => bomb],
  ['that says it is one and unpacks to 900 MiB', () => armored('SIGNATURE', unarmored(bomb))],
  ['of 4,000 packets', () => armored('SIGNATURE', concat(...Array.from({ length: 2_000 }, () => packet(2, new Uint8Array()))))],
  ['of 8,192 signs', () => `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(8_000)}\n-----END PGP SIGNATURE-----\n`],
];

/** Whose session may send the route's right request. */
const asker = (path: string) => ({ token: right[path]?.token ?? siege.ann.token });

describe('on every route that takes a statement, a signature', () => {
  test('has a place in most of them', () => {
    const unsigned = routes.filter(({ path }) => !JSON.stringify(right[path]?.body).includes('PGP SIGNATURE'));
    expect(unsigned.map(({ path }) => path).sort()).toEqual(['/api/v1/admin/peers/read', '/api/v1/invites/check']);
  });

  test.each(FALSE)('%s is refused', async (_name, change) => {
    const { used_challenges: _before, ...before } = await siege.stored();
    for (const { path } of routes)
      for await (const body of changedOnce(right[path]?.body ?? {}, change)) {
        if (JSON.stringify(body) === JSON.stringify(right[path]?.body)) continue;
        const code = isRefusal(await siege.post(right[path]?.url ?? path, body, asker(path)), path);
        expect([path, ['INVALID', 'UNAUTHENTICATED', 'BAD_REQUEST'].includes(code)]).toEqual([path, true]);
      }
    expect(await siege.stored()).toMatchObject(before);
  });

  test('re-encoded is the same, and what is stored of it is the one spelling', async () => {
    const old = (signature: string): string => {
      const bytes = content(signature);
      return armored('SIGNATURE', concat(Uint8Array.of(0x89, bytes.length >> 8, bytes.length & 255), bytes));
    };
    // The last asks a server that does not answer, once it has found the act signed.
    const unanswered = ['/api/v1/invites/check', '/api/v1/admin/peers/accept'];
    for (const { path } of routes.filter((route) => !unanswered.includes(route.path))) {
      let body = right[path]?.body ?? {};
      for await (const changed of changedOnce(body, old)) body = { ...changed };
      const answer = await siege.post(right[path]?.url ?? path, body, asker(path));
      expect([path, answer.status < 300 ? 'taken' : answer.body]).toEqual([path, 'taken']);
    }
    const rows = await siege.world.db.query<{ spelling: string }>({
      text: `select s->>'signature' as spelling from statements, jsonb_array_elements(certificate->'signatures') s`,
    });
    // A header of the old format begins with i, of the new one with w.
    for (const { spelling } of rows) expect(spelling).toMatch(/^-----BEGIN PGP SIGNATURE-----\n\nw/);
  });
});

describe('a name', () => {
  const NAMES = [
    'a\0b',
    '\0',
    '\ud800ab',
    'ab\udfff',
    'ab\u202edc',
    'ab\u2066dc',
    'ab\u200fdc',
    'ab\u061cdc',
    'a\u200bb',
    'a\u200db',
    'a\u00adb',
    'a\ufeffb',
    'ab\ufe0f',
    'a\u034fb',
    'a\u115fb',
    'a\u3164b',
    'a\u{e0041}b',
    '\u0440aypal',
    'g\u043eogle',
    'admin\u0456',
    '\u0391lpha',
    'ab\u4e00',
    'ａｄｍｉｎ',
    'ad\u0301\u0302\u0303\u0304min',
    '\u0301ab',
    'ab cd',
    'ab\tcd',
    'ab\ncd',
    'ab\u2028cd',
    'ab\u00a0cd',
    '<b>ab</b>',
    "ab'--",
    'ab@cd',
    'ab/cd',
    '../ab',
    'ab..cd',
    '.ab',
    '12345',
    '🌾🌾',
    'x',
    'x'.repeat(31),
    'x'.repeat(100_000).slice(0, 9_000),
    '',
    ' ',
  ];
  test.each(NAMES.map((name) => [JSON.stringify(name).slice(0, 40), name]))(
    'like %s is no name, at sign-up and later',
    async (_shown, username) => {
      const { world, ann } = siege;
      const statement = identityStatement(ann, world.clock.now(), username);
      const signable = username.isWellFormed();
      const signatures = signable ? (await sign(ann, statement, world.clock.now())).signatures : [{ key: ann.keyId, signature: 'none' }];
      const before = await siege.stored();
      const code = isRefusal(await siege.post('/api/v1/users/me/identity', { statement, signatures }, ann), username);
      expect(code).toBe(signable ? 'INVALID' : 'BAD_REQUEST');
      const right = await signUpBody(world, stranger);
      const named = { ...right.identity.statement, username };
      const identity = {
        statement: named,
        signatures: signable ? (await sign(stranger, named as Statement, world.clock.now())).signatures : signatures,
      };
      expect(isRefusal(await siege.post('/api/v1/users', { ...right, identity }), username)).toBe(code);
      expect(await siege.stored()).toEqual(before);
    },
  );

  test.each([
    ['Admin', 'admin'],
    ['straße', 'STRASSE'],
    ['pаvеl'.replace(/[a-z]/g, ''), 'ае'],
    ['modern', 'modem'],
    ['clover', 'dover'],
    ['wave', 'vvave'],
    ['O0lI', 'o01l'],
    ['раура', 'paypa'],
    ['a.b.c', 'abc'],
  ])('%s leaves none for %s', async (taken, like) => {
    const { world } = siege;
    await signUp(world, { username: taken });
    const second = await signUpBody(world, await makePerson(world.identity.server.id, world.clock.now(), like));
    const before = await siege.stored();
    expect(isRefusal(await siege.post('/api/v1/users', second), like)).toBe('USERNAME_TAKEN');
    expect(await siege.stored()).toEqual(before);
  });
});
