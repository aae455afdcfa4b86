// A peer that lies in its streams: about authors, servers, numbers, certificates. It is refused, and nothing of what it says is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Called } from '../../src/federation/stream-ports.ts';
import type { ServerId, UserId } from '../../src/wire/address.ts';
import {
  decodeStreamAnswer,
  decodeStreamRequest,
  encodePositions,
  encodeStreamAnswer,
  encodeStreamRequest,
  type StreamItem,
  type StreamRequest,
} from '../../src/wire/streams.ts';
import { flush, type Home, openHome, openPeers, peer } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { makePerson, newReedId, type Person, publishReed, reedStatement, sign, signUp } from '../support/people.ts';
import { removalOf } from '../support/rotations.ts';

let a: Home;
let b: Home;
let c: Home;
let wire: PeerWire;
let close: () => Promise<void>;
let ann: Person;
/** What ann's home would send of her next publication. */
let good: StreamItem;
beforeAll(async () => {
  ({ a, b, wire, close } = await openPeers());
  c = await openHome(wire);
  await peer(c, b);
  ann = await signUp(a);
});
afterAll(async () => {
  await c.close();
  await close();
});

let number = 0;
beforeEach(async () => {
  wire.fate = () => 'lose-request';
  await publishReed(a, ann, { tags: ['reeds'] });
  number += 1;
  [good] = (await a.streams.table.build(ann.user, null, [number])) as [StreamItem];
  wire.fate = () => 'deliver';
  b.told.length = 0;
});

const TABLES = [
  'reeds',
  'reed_identities',
  'threads',
  'account_removals',
  'received_streams',
  'pending_fanout',
  'reed_tags',
  'reed_mentions',
];
const counts = async (): Promise<object[]> =>
  b.rows(`select ${TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`);

type Sent = Partial<StreamRequest> & { readonly from?: Home };
const send = async ({ from = a, ...fields }: Sent): Promise<Called> => {
  const request = {
    authorId: ann.user,
    start: 0,
    cursor: 0,
    sent: 0,
    token: 'liar',
    items: [good],
    replay: false,
    ...fields,
  };
  return wire.call({ from: from.id, to: b.id, leg: 'stream', body: encodeStreamRequest(request) });
};
const outcomes = (called: Called) => {
  const answer = called.kind === 'answer' ? decodeStreamAnswer(called.body) : null;
  return answer?.ok ? answer.value.outcomes.map(({ reason, verdict }) => `${verdict} ${reason}`.trim()) : [];
};
type Certificate = {
  statement: Record<string, unknown>;
  signatures: { key: string; signature: string }[];
  countersignature: { statement: Record<string, unknown>; signature: string };
};
/** The certificate with something in it changed. */
const altered = (change: (certificate: Certificate) => unknown): StreamItem => {
  const certificate = structuredClone(good.certificate) as Certificate;
  change(certificate);
  return { ...good, certificate };
};

/** Sends it, and proves that nothing came of it. */
const refused = async (fields: Sent): Promise<Called> => {
  const before = await counts();
  const called = await send(fields);
  expect(await counts()).toEqual(before);
  expect(b.told).toEqual([]);
  return called;
};

describe('a peer that lies', () => {
  test.each<[string, (certificate: Certificate) => unknown, string]>([
    ['another field', (it) => Object.assign(it.statement, { tags: ['lies'] }), 'refused signatures: bad-signature'],
    ['a field more', (it) => Object.assign(it.statement, { extra: 1 }), 'refused extra: unknown-field'],
    ['another type', (it) => Object.assign(it.statement, { type: 'thread' }), 'refused type: other-type'],
    ['another seq', (it) => Object.assign(it.countersignature.statement, { seq: 1 }), 'refused bad-countersignature'],
    [
      'a seq of before',
      (it) => Object.assign(it.countersignature.statement, { signedAt: '2020-01-01T00:00:00.000Z' }),
      'refused bad-countersignature',
    ],
    ['another server', (it) => Object.assign(it.countersignature.statement, { server: c.id }), 'refused countersignature: other-server'],
    [
      'another server key',
      (it) => Object.assign(it.countersignature.statement, { serverKey: c.identity.server.keyId }),
      'later serverKey: unknown-server-key',
    ],
    [
      'another hash',
      (it) => Object.assign(it.countersignature.statement, { statementHash: 'A'.repeat(43) }),
      'refused countersignature: other-statement',
    ],
    ['no countersignature', (it) => Reflect.deleteProperty(it, 'countersignature'), 'refused malformed'],
    ['no signature', (it) => Object.assign(it, { signatures: [] }), 'refused malformed'],
    [
      'its countersignature’s signature twice',
      (it) => Object.assign(it.countersignature, { signature: it.countersignature.signature.repeat(2) }),
      'refused',
    ],
  ])('with %s in a certificate is refused', async (_what, change, said) => {
    const [outcome] = outcomes(await refused({ items: [altered(change)] }));
    expect(outcome).toMatch(new RegExp(`^${said.split(' ')[0]}`));
    if (said.includes(' ')) expect(outcome?.split(' ').at(-1)).toBe(said.split(' ').at(-1));
  });

  test('about an author of a third server is forbidden', async () => {
    expect(await refused({ from: c })).toMatchObject({ status: 403 });
    const bob = await signUp(b);
    expect(await refused({ authorId: bob.user })).toMatchObject({ status: 403 });
  });

  test('with another author’s certificate is refused', async () => {
    const eve = await signUp(c);
    expect(outcomes(await refused({ from: c, authorId: eve.user, cursor: 0, sent: 0, items: [{ ...good, number: 1 }] }))[0]).toMatch(
      /other-author/,
    );
  });

  test('with an author that it made up is refused: an id proves its key', async () => {
    const forged = await makePerson(c.id, c.clock.now());
    const statement = reedStatement(c, forged);
    const signed = await sign(forged, statement, c.clock.now());
    const certificate = await c.identity.server.countersign<'reed'>(signed, 1, c.clock.now());
    const item = { ...good, number: 1, certificate };
    const called = await refused({ from: c, authorId: forged.user, cursor: 0, sent: 0, items: [item] });
    expect(outcomes(called)).toEqual(['later key: unknown-key']);
  });

  test('countersigning for another’s member is refused', async () => {
    const statement = reedStatement(a, ann, { id: newReedId(a, ann) });
    const certificate = await c.identity.server.countersign<'reed'>(await sign(ann, statement, a.clock.now()), 99, a.clock.now());
    expect(outcomes(await refused({ items: [{ ...good, certificate }] }))[0]).toMatch(/other-server/);
  });

  test.each([
    [
      'that a member who did not sign it removed their account',
      () => [a, makePerson(a.id, a.clock.now())] as const,
      /^refused .*bad-signature/,
    ],
    ['it by the word of a third server', () => [c, ann] as const, /other-server/],
  ])('saying %s is refused (F14)', async (_what, by, said) => {
    const [server, signer] = by();
    const { key } = await signer;
    const removal = await removalOf(b, { ...ann, key });
    const certificate = await server.identity.server.countersign<'account-removal'>(removal, 99, a.clock.now());
    const called = await refused({ items: [{ ...good, kind: 'account-removal', certificate, parts: [] }] });
    expect(outcomes(called)[0]).toMatch(said);
  });

  test('with a kind that is not the certificate’s is refused', async () => {
    for (const kind of ['new-thread', 'reed-removal', 'thread-removal', 'account-removal', 'key', 'key-revocation'] as const)
      expect(outcomes(await refused({ items: [{ ...good, kind, parts: [] }] }))[0]).toMatch(/^refused/);
  });

  test.each<[string, () => Partial<StreamRequest>]>([
    ['numbers that go back', () => ({ items: [good, good] })],
    ['a number before the cursor', () => ({ cursor: number + 5 })],
    ['more items than may be', () => ({ items: Array.from({ length: 101 }, (_, at) => ({ ...good, number: number + at })) })],
    ['no author', () => ({ authorId: 'nobody' as UserId })],
    ['no token', () => ({ token: '' })],
    ['a token of signs that are none', () => ({ token: 'a\nb' })],
  ])('with %s gets a bad request', async (_what, fields) => {
    expect(await refused(fields())).toMatchObject({ status: 400 });
  });

  test('with bytes that say nothing gets a bad request', async () => {
    for (const body of [new Uint8Array([255, 255, 255]), Buffer.from('{}'), new Uint8Array(1_000)])
      expect(await wire.call({ from: a.id, to: b.id, leg: 'stream', body })).toMatchObject({ status: 400 });
  });

  test('with a gap before the cursor is told what is here, and nothing is taken', async () => {
    const called = await refused({ cursor: number + 100, sent: number + 100, items: [{ ...good, number: number + 101 }] });
    expect(outcomes(called)).toEqual([]);
  });

  test('about positions of a third server’s people is forbidden', async () => {
    const eve = await signUp(c);
    const body = encodePositions([{ authorId: eve.user, number: 0 }]);
    expect(await wire.call({ from: a.id, to: b.id, leg: 'positions', body })).toMatchObject({ status: 403 });
  });

  test('about what it has of ours, without an end, has nothing looked at again', async () => {
    await flush(b);
    const eve = await signUp(b);
    wire.fate = () => ({ status: 503, retryAfterMs: 600_000 });
    await publishReed(b, eve);
    await flush(b);
    const waits = () => b.rows('select from peer_cursors where server_id = $1 and author_id = $2 and retry_at is not null', a.id, eve.user);
    expect(await waits()).toHaveLength(1);
    wire.fate = () => 'deliver';
    for (const number of [1, 2, 1_000_000])
      await wire.call({ from: a.id, to: b.id, leg: 'positions', body: encodePositions([{ authorId: eve.user, number }]) });
    await b.rest();
    expect(await waits()).toHaveLength(1);
  });

  test('and what is true still comes, once', async () => {
    await flush(a);
    expect(await b.rows('select count(*)::int as count from reeds where author_id = $1', ann.user)).toEqual([{ count: number }]);
    expect(new Set(b.told).size).toBe(b.told.length);
  });
});

describe('a peer that says again and again that it has nothing', () => {
  const sent = (): number => wire.calls.filter(({ from, leg }) => from === a.id && leg === 'stream').length;
  /** Ten times, while it says that it is back as well. */
  const asksAgain = async (author: Person): Promise<void> => {
    for (let times = 0; times < 10; times++) {
      await wire.call({ from: b.id, to: a.id, leg: 'positions', body: encodePositions([{ authorId: author.user, number: 0 }]) });
      a.streams.sender.wake(b.id);
      await a.rest();
    }
  };

  test('has everything sent again a few times, then once an hour, and everybody else’s as ever', async () => {
    const [ann, bea] = [await signUp(a), await signUp(a)];
    await publishReed(a, ann);
    await flush(a);
    wire.calls.length = 0;
    await asksAgain(ann);
    expect(sent()).toBe(a.limits.streamBacksAtOnce);
    const other = await publishReed(a, bea);
    await flush(a);
    expect(b.told.at(-1)).toBe(`published ${other}`);
    wire.calls.length = 0;
    for (let hours = 0; hours < 3; hours++) {
      for (const { clock } of [a, b]) clock.advance(a.limits.streamBackMs);
      await flush(a);
      await asksAgain(ann);
    }
    expect(sent()).toBe(3);
    for (const { clock } of [a, b]) clock.advance(a.limits.streamBackMs);
    await flush(a);
    expect(await a.rows('select cursor::int, acked::int from peer_cursors where author_id = $1', ann.user)).toEqual([
      { cursor: 1, acked: 1 },
    ]);
  });

  test('in its answers, too', async () => {
    const ann = await signUp(a);
    await publishReed(a, ann);
    await flush(a);
    await publishReed(a, ann);
    await a.rest();
    const body = encodeStreamAnswer({ have: 0, outcomes: [] });
    const liar = { limitBytes: a.limits.streamBytes, handle: async () => ({ status: 200, body }) };
    wire.join(b.id, { legs: new Map([...b.legs, ['stream', liar]]) });
    onTestFinished(() => wire.join(b.id, b));
    wire.calls.length = 0;
    for (let times = 0; times < 20; times++) {
      // As if it had taken some of it in between: what is put off does not wait any longer.
      await a.rows('update peer_cursors set cursor = 1, retry_at = null, failures = 0 where author_id = $1', ann.user);
      await flush(a);
    }
    expect(sent()).toBe(a.limits.streamBacksAtOnce + 1);
  });
});

describe('a peer that lies in its answers', () => {
  const lying = async (have: number): Promise<void> => {
    wire.join(b.id, {
      legs: new Map([
        ['stream', { limitBytes: 1e7, handle: async () => ({ status: 200, body: encodeStreamAnswer({ have, outcomes: [] }) }) }],
      ]),
    });
    for (let times = 0; times < 5; times++) {
      await flush(a);
      a.clock.advance(a.limits.streamRetryMaxMs);
    }
    wire.join(b.id, b);
  };

  test.each([0, Number.MAX_SAFE_INTEGER])('that it has %s makes it a few calls, and others lose nothing by it', async (have) => {
    const before = await a.rows('select last_number from author_streams where author_id = $1', ann.user);
    wire.calls.length = 0;
    await lying(have);
    expect(wire.calls.length).toBeLessThanOrEqual(20);
    expect(await a.rows('select last_number from author_streams where author_id = $1', ann.user)).toEqual(before);
  });
});

describe('a peer that says again and again that it has more than it was sent', () => {
  test('has the rest numbered anew and sent again a few times, then once an hour; other peers no oftener', async () => {
    const [ann, d] = [await signUp(a), await openHome(wire)];
    onTestFinished(() => d.close());
    d.clock.advance(a.clock.now() - d.clock.now());
    await peer(a, d);
    let most = 0;
    const liar = async (from: ServerId, bytes: Uint8Array) => {
      const asked = decodeStreamRequest(bytes);
      if (!asked.ok || asked.value.authorId !== ann.user) return (await b.legs.get('stream')?.handle(from, bytes)) ?? { status: 501 };
      most += 1;
      // Without an end nobody would wait for.
      if (most > 50) return { status: 503 };
      return { status: 200, body: encodeStreamAnswer({ have: (asked.value.items.at(-1)?.number ?? 0) + 1, outcomes: [] }) };
    };
    wire.join(b.id, { legs: new Map([...b.legs, ['stream', { limitBytes: a.limits.streamBytes, handle: liar }]]) });
    onTestFinished(() => wire.join(b.id, b));
    const of = (to: Home): number => wire.calls.filter((call) => call.from === a.id && call.to === to.id && call.leg === 'stream').length;
    wire.calls.length = 0;
    await publishReed(a, ann);
    for (let times = 0; times < 5; times++) {
      a.streams.sender.wake(b.id);
      await flush(a);
    }
    expect(most).toBe(a.limits.streamBacksAtOnce + 1);
    expect(of(d)).toBeLessThanOrEqual(2 * (a.limits.streamBacksAtOnce + 1) + 1);
    expect(d.told.filter((told) => told.startsWith('published'))).toHaveLength(1);
    for (const { clock } of [a, b, d]) clock.advance(a.limits.streamBackMs);
    await flush(a);
    expect(most).toBe(a.limits.streamBacksAtOnce + 2);
  });
});
