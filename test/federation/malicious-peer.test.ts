// A peer that was made one by the whole ceremony and lies in its calls: about itself, in how it signs and sends, and in each leg about whom and what
// it speaks of. It speaks HTTP and signs by code of its own. Every lie is refused, and the server's tables are as they were.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { MaliciousStage } from '../support/malicious-stage.ts';
import { makeMember } from '../support/members.ts';
import { RawConnection } from '../support/raw-http.ts';
import { chainOf, digestOf, type Inhabitant, type Lie, type Lines, RawPeer } from '../support/raw-peer.ts';
import { uuid } from '../support/raw-person.ts';
import { bytes, uint } from '../support/raw-wire.ts';

let folder: string;
let stage: MaliciousStage;
let liar: RawPeer;
/** A peer that does nothing. */
let other: RawPeer;
let author: Member;
let ours: string;
let reed: string;
let theirs: Inhabitant;
beforeAll(async () => {
  folder = await makeDataFolder();
  stage = await MaliciousStage.open(folder, { limits: { peerRequestsPerSecond: 10_000, sweepEveryMs: 3_600_000 } });
  author = await makeMember(stage.server);
  ours = String(author.account?.user);
  const { reedId, published } = await author.publish({ text: 'ours' });
  await published;
  reed = reedId;
  // What was published before a peering is not of it: nothing is on its way to them.
  [liar, other] = [await stage.peer(), await stage.peer()];
  theirs = await liar.inhabitant();
  await stage.server.settle();
  // A key that is not known has their documents asked for, once in a while.
  for (const peer of [liar, other]) await peer.call(stage.origin, 'crossings', EMPTY, { parameters: { keyid: `"${peer.id}#none"` } });
  await stage.server.settle();
});
afterAll(async () => {
  await author.close();
  await stage.close();
  await removeFolder(folder);
});

const EMPTY = Buffer.alloc(0);
const now = (): number => Math.floor(Date.now() / 1_000);
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const statusOf = (leg: string, body: Uint8Array, lie: Lie = {}): Promise<number | undefined> => stage.statusOf(liar, leg, body, lie);

const twice =
  (name: string, value?: string) =>
  (lines: Lines): Lines =>
    lines.flatMap((line) => (line[0] === name ? [line, [name, value ?? line[1]] as const] : [line]));
const instead =
  (name: string, change: (value: string) => string) =>
  (lines: Lines): Lines =>
    lines.map(([given, value]) => [given, given === name ? change(value) : value] as const);
const also =
  (name: string, value: string) =>
  (lines: Lines): Lines => [...lines, [name, value]];

test('what it says truly is taken', async () => {
  expect(await statusOf('crossings', EMPTY)).toBe(200);
});

describe('a call that', () => {
  const [method, target, type, digest] = ['"@method"', '"@target-uri"', '"content-type"', '"content-digest"'] as const;
  test.each<[string, () => Lie, number]>([
    ['does not sign its digest', () => ({ components: [method, target, type] }), 403],
    ['does not sign its target', () => ({ components: [method, type, digest] }), 403],
    ['signs nothing', () => ({ components: [] }), 403],
    ['signs in another order', () => ({ components: [target, method, type, digest] }), 403],
    ['signs a part twice', () => ({ components: [method, target, type, digest, digest] }), 403],
    ['signs more', () => ({ components: [method, target, type, digest, '"host"'] }), 403],
    ['names no key', () => ({ parameters: { keyid: null } }), 403],
    ['names a key that it does not have', () => ({ parameters: { keyid: `"${liar.id}#${randomBytes(6).toString('hex')}"` } }), 403],
    ['names another peer', () => ({ parameters: { keyid: `"${other.id}#${other.kid}"` } }), 403],
    ['names the key of another peer', () => ({ parameters: { keyid: `"${liar.id}#${other.kid}"` } }), 403],
    ['names us', () => ({ parameters: { keyid: `"${stage.id}#${liar.kid}"` } }), 403],
    ['names two keys', () => ({ parameters: { keyid: `"${liar.id}#${liar.kid}#${liar.kid}"` } }), 403],
    ['another peer has signed', () => ({ by: other }), 403],
    ['names an algorithm', () => ({ parameters: { alg: '"ed25519"' } }), 403],
    ['has another tag', () => ({ parameters: { tag: '"reedbed-federation-2"' } }), 403],
    ['has no nonce', () => ({ parameters: { nonce: null } }), 403],
    ['has a nonce of 15 bytes', () => ({ parameters: { nonce: `"${randomBytes(15).toString('base64url')}"` } }), 403],
    ['has a nonce of 400 bytes', () => ({ parameters: { nonce: `"${randomBytes(400).toString('base64url')}"` } }), 403],
    ['has no date', () => ({ parameters: { created: null } }), 403],
    ['has a date that is text', () => ({ parameters: { created: `"${now()}"` } }), 403],
    ['is good for an hour', () => ({ parameters: { expires: `${now() + 3_600}` } }), 403],
    ['ended before it began', () => ({ parameters: { expires: `${now() - 1}` } }), 403],
    ['is of before', () => ({ parameters: { created: `${now() - 400}`, expires: `${now() - 340}` } }), 401],
    ['is of the future', () => ({ parameters: { created: `${now() + 400}`, expires: `${now() + 460}` } }), 401],
    ['is signed for another leg', () => ({ signedUri: `${stage.origin}/federation/v1/request` }), 403],
    ['is signed for another server', () => ({ signedUri: 'https://reeds.example/federation/v1/crossings' }), 403],
    [
      'has a query that was not signed',
      () => ({ target: '/federation/v1/crossings?x', signedUri: `${stage.origin}/federation/v1/crossings` }),
      403,
    ],
    ['is of another type', () => ({ lines: instead('content-type', () => 'application/json') }), 403],
    ['is said to be packed', () => ({ lines: also('content-encoding', 'identity') }), 403],
    ['is packed', () => ({ lines: also('content-encoding', 'gzip'), sent: () => gzipSync(Buffer.alloc(1_000_000)) }), 403],
    ['has two labels', () => ({ lines: instead('signature-input', (value) => `${value}, other=()`) }), 403],
    ['has two signatures', () => ({ lines: instead('signature', (value) => `other=:AAAA:, ${value}`) }), 403],
    ['has a digest by another hash', () => ({ lines: instead('content-digest', (value) => value.replace('sha-256', 'sha-512')) }), 403],
    ['has its digest without an end', () => ({ lines: instead('content-digest', (value) => value.slice(0, -1)) }), 403],
    ...['content-type', 'content-digest', 'signature-input', 'signature'].flatMap((name): [string, () => Lie, number][] => [
      [`has ${name} twice`, () => ({ lines: twice(name) }), 403],
      [`has another ${name} behind it`, () => ({ lines: twice(name, name === 'content-digest' ? digestOf(randomBytes(4)) : 'x') }), 403],
    ]),
    ['has another body than it signed', () => ({ signedBody: randomBytes(4) }), 400],
    ['has two lengths', () => ({ lines: twice('content-length', '7') }), 400],
    ['has a length and chunks', () => ({ lines: also('transfer-encoding', 'chunked') }), 400],
    ['has a length that is none', () => ({ lines: instead('content-length', () => '-1') }), 400],
    ['asks for something else', () => ({ method: 'GET' }), 405],
    ['is signed as POST, and is none', () => ({ method: 'PUT' }), 405],
  ])('%s is refused', async (_what, lie, status) => {
    expect(await statusOf('crossings', EMPTY, lie())).toBe(status);
  });

  test('was taken before is refused, for another leg too, and by whoever sends it', async () => {
    const request = liar.request(stage.origin, 'crossings', EMPTY);
    const send = async (given: Uint8Array): Promise<number | undefined> => {
      const connection = await RawConnection.open(Number(new URL(stage.origin).port));
      await connection.write(given);
      const answer = await connection.answer();
      connection.destroy();
      return answer?.status;
    };
    expect(await send(request)).toBe(200);
    stage.moved();
    expect(await stage.unchanged(() => Promise.all([send(request), send(request), send(request)]))).toEqual([401, 401, 401]);
    expect(await send(Buffer.from(String(request).replace('/crossings', '/request')))).toBe(403);
  });

  test('says that more follows than does, or ends too soon, reaches nobody', async () => {
    const body = bytes(1, uuid());
    for (const length of [body.length + 10, 1_000_000_000]) {
      const request = liar.request(stage.origin, 'ack', body, { lines: instead('content-length', () => `${length}`) });
      await stage.unchanged(async () => {
        const connection = await RawConnection.open(Number(new URL(stage.origin).port));
        await connection.write(request);
        connection.end();
        const answer = await connection.answer();
        expect(answer?.status ?? 400).toBe(400);
        connection.destroy();
      });
    }
    expect(await statusOf('ack', body, { lines: instead('content-length', () => `${body.length - 5}`) })).toBe(400);
  });

  test('goes on for longer than its leg allows is cut off', async () => {
    const body = Buffer.alloc(70_000);
    for (const leg of ['request', 'fallback', 'ack', 'cancel', 'not-held', 'holder-notify', 'notice', 'key', 'profile'])
      expect([leg, await statusOf(leg, body)]).toEqual([leg, 413]);
    expect(await statusOf('deliver', Buffer.alloc(2 * 1024 * 1024 + 1))).toBe(413);
  });
});

/** A request for a reed, right but for what is said otherwise. */
const asking = (
  said: { id?: string; reed?: string; isThread?: boolean; user?: string; key?: string; chain?: unknown; slot?: number } = {},
): Buffer =>
  Buffer.concat([
    bytes(1, said.id ?? uuid()),
    bytes(2, said.reed ?? reed),
    ...(said.isThread ? [uint(3, 1)] : []),
    bytes(4, said.user ?? theirs.user),
    bytes(5, said.key ?? theirs.key),
    bytes(6, json(said.chain ?? theirs.chain)),
    uint(7, said.slot ?? 1),
  ]);
const publication = async (by: Inhabitant, fields: Record<string, string> = {}): Promise<object> =>
  by.certify('reed', { id: `${by.user}/${uuid()}`, bodyHash: 'A'.repeat(43), tags: [], mentions: [], ...fields });
const streaming = (authorId: string, item: object): Buffer =>
  Buffer.concat([bytes(1, authorId), bytes(4, Buffer.concat([uint(1, 1), uint(2, 2), bytes(3, json(item))])), bytes(7, 'token')]);

describe('a leg of a peer that lies about', () => {
  test.each<[string, string, () => Buffer | Promise<Buffer>, number]>([
    ['a requester of ours', 'request', () => asking({ user: ours, key: `${ours}/${'0'.repeat(40)}` }), 400],
    [
      'a requester of a third server',
      'request',
      async () => {
        const third = await other.inhabitant();
        return asking({ user: third.user, key: third.key, chain: third.chain });
      },
      400,
    ],
    ['whose key it is', 'request', async () => asking({ key: (await liar.inhabitant()).key }), 400],
    ['the keys of a requester', 'request', async () => asking({ chain: (await liar.inhabitant()).chain }), 400],
    [
      'a requester that it made up',
      'request',
      async () => {
        const made = await other.inhabitant(liar.id);
        return asking({ user: made.user, key: made.key, chain: made.chain });
      },
      400,
    ],
    ['a requester by a name that is none', 'request', () => asking({ user: `peer@${liar.id}`, key: `peer@${liar.id}/x` }), 400],
    ['a chain that is no list', 'request', () => asking({ chain: { length: 1 } }), 400],
    ['a chain of nonsense', 'request', () => asking({ chain: [[[[[[]]]]], null] }), 400],
    ['a reed of a third server', 'request', () => asking({ reed: `${ours.split('@')[0]}@${other.id}/${uuid()}` }), 404],
    ['a reed that never was', 'request', () => asking({ reed: `${ours}/${uuid()}` }), 404],
    ['a reed of nobody', 'request', async () => asking({ reed: `${(await liar.inhabitant(stage.id)).user}/${uuid()}` }), 404],
    ['the name of its request', 'request', () => asking({ id: 'x' }), 400],
    ['how many copies may cross', 'request', () => asking({ slot: 4 }), 400],
    ['whether any copy crosses', 'request', () => asking({ slot: 0 }), 400],
    ['what a thread is', 'request', () => asking({ isThread: true, user: 'x' }), 400],
    ['a reed of ours as its own', 'fallback', () => asking(), 400],
    [
      'a requester of ours, to ours',
      'fallback',
      () => asking({ reed: `${theirs.user}/${uuid()}`, user: ours, key: `${ours}/${'0'.repeat(40)}` }),
      422,
    ],
    [
      'a requester of nobody, to ours',
      'fallback',
      async () => {
        const nobody = await RawPeer.start();
        const third = await nobody.inhabitant();
        await nobody.close();
        return asking({ reed: `${theirs.user}/${uuid()}`, user: third.user, key: third.key, chain: third.chain });
      },
      422,
    ],
    ['what we hold of its reeds', 'fallback', () => asking({ reed: `${theirs.user}/${uuid()}` }), 409],
    ['a crossing that never was, with a copy', 'deliver', () => Buffer.concat([bytes(1, uuid()), bytes(2, randomBytes(100))]), 404],
    ['a copy that is empty', 'deliver', () => Buffer.concat([bytes(1, uuid()), bytes(2, '')]), 400],
    ['the record of a thread', 'deliver', () => Buffer.concat([bytes(1, uuid()), bytes(2, 'x'), bytes(3, 'no json')]), 400],
    ['the name of a crossing', 'deliver', () => Buffer.concat([bytes(1, `${uuid()}' or true`), bytes(2, 'x')]), 400],
    ['what it took', 'ack', () => bytes(1, uuid()), 404],
    ['what it wants no more', 'cancel', () => bytes(1, uuid()), 404],
    ['words that are none', 'cancel', () => Buffer.from([255, 255, 255]), 400],
    ['its crossings', 'crossings', () => Buffer.concat([bytes(1, uuid()), bytes(1, 'x')]), 400],
    ['more crossings than can be answered', 'crossings', () => Buffer.concat(Array.from({ length: 27_590 }, () => bytes(1, uuid()))), 400],
    ['holding what it was never given', 'holder-notify', () => Buffer.concat([bytes(1, reed), uint(2, 1)]), 404],
    ['holding what is not ours', 'holder-notify', () => Buffer.concat([bytes(1, `${theirs.user}/${uuid()}`), uint(2, 1)]), 404],
    ['an author of ours', 'stream', async () => streaming(ours, await publication(theirs)), 403],
    ['an author of a third server', 'stream', async () => streaming((await other.inhabitant()).user, await publication(theirs)), 403],
    [
      'positions of a third server',
      'positions',
      async () => bytes(1, Buffer.concat([bytes(1, (await other.inhabitant()).user), uint(2, 9)])),
      403,
    ],
    [
      'more positions than may be',
      'positions',
      () => Buffer.concat(Array.from({ length: 1_001 }, () => bytes(1, bytes(1, theirs.user)))),
      400,
    ],
    [
      'a follower of a third server',
      'follow',
      async () => bytes(1, json(await (await other.inhabitant()).certify('follow', { target: ours, createdAt: new Date().toISOString() }))),
      403,
    ],
    [
      'whom one of its own follows',
      'follow',
      async () =>
        bytes(1, json(await theirs.certify('follow', { target: (await other.inhabitant()).user, createdAt: new Date().toISOString() }))),
      404,
    ],
    [
      'an act that is another',
      'like',
      async () => bytes(1, json(await theirs.certify('follow', { target: ours, createdAt: new Date().toISOString() }))),
      422,
    ],
    ['an act without a date', 'block', async () => bytes(1, json(await theirs.certify('block', { target: ours }))), 422],
    ['an act of nobody', 'unfollow', () => bytes(1, json({ statement: { user: 'x' } })), 422],
    ['a person of ours', 'profile', () => bytes(1, `${'a'.repeat(16)}@${stage.id}`), 404],
    ['a key of ours', 'key', () => bytes(1, `${ours}/x`), 400],
    ['a reed that it wants to see', 'certificate', () => bytes(1, `${ours}/${uuid()}`), 404],
    ['how it is', 'notice', () => uint(1, 9), 400],
    [
      'a key of another server',
      'notice',
      async () => {
        const statement = {
          app: 'reedbed',
          type: 'server-key-revocation',
          v: 1,
          server: other.id,
          key: other.keyId,
          reason: '',
          compromised: true,
        };
        return Buffer.concat([uint(1, 5), bytes(2, json(await liar.signed(statement)))]);
      },
      422,
    ],
    [
      'a key of ours, to end it',
      'notice',
      async () => {
        const statement = {
          app: 'reedbed',
          type: 'server-key-revocation',
          v: 1,
          server: stage.id,
          key: `${stage.server.app.fingerprint}@${stage.id}`,
          reason: '',
          compromised: true,
        };
        return Buffer.concat([uint(1, 5), bytes(2, json(await liar.signed(statement)))]);
      },
      422,
    ],
    ['a leg that is not there', 'everything', () => EMPTY, 501],
  ])('%s (%s) is refused', async (_what, leg, body, status) => {
    const given = await body();
    expect(await statusOf(leg, given)).toBe(status);
  });

  test('what is held no more ends nothing', async () => {
    expect(await statusOf('not-held', bytes(1, uuid()))).toBe(200);
  });

  test('requests that it cancelled before leaves as much as it may cancel in ten minutes', async () => {
    const before = await stage.rows('select from cancelled_crossings');
    for (let turn = 0; turn < 5; turn += 1) await statusOf('cancel', bytes(1, uuid()));
    expect((await stage.rows('select from cancelled_crossings')).length - before.length).toBe(5);
  });

  test('keys that a request would not hold is asked for them at its own address, and believed no more than before', async () => {
    liar.calls.length = 0;
    const truly = liar.answering;
    const stranger = await other.inhabitant(liar.id);
    for (const chain of [[], stranger.chain]) {
      liar.answering = ({ request, response }) => liar.answer(request, response, { envelope: { body: chainOf(chain) } });
      expect(await statusOf('request', asking({ user: stranger.user, key: stranger.key, chain: [] }))).toBe(400);
    }
    // Places in streams are compared by the server's own time, whatever is asked of it.
    expect(liar.calls.flatMap(({ leg }) => (leg === 'positions' ? [] : [leg]))).toEqual(['key', 'key']);
    liar.answering = truly;
  });
});
