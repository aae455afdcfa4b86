// What is published at one home comes to its peers: each fact once, in order, whatever the wire does; what is refused is parked and seen.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { beginShare, endShare } from '../../src/federation/stream-share.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { heading } from '../../src/wire/statements.ts';
import { decodeStreamAnswer, encodePositions, encodeStreamRequest, type StreamItem } from '../../src/wire/streams.ts';
import { flush, type Home, openPeers } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { newReedId, type Person, publishReed, sign, signUp } from '../support/people.ts';
import { keyAfter, recovering, removalOf, rotate, withdrawalOf, withNextKey } from '../support/rotations.ts';

const DAY = 86_400_000;

let a: Home;
let b: Home;
let wire: PeerWire;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ a, b, wire, close } = await openPeers());
});
afterAll(() => close());
beforeEach(() => {
  wire.fate = () => 'deliver';
  wire.calls.length = 0;
  a.told.length = 0;
  b.told.length = 0;
});

const pass = (ms: number): void => {
  b.clock.advance(ms);
  a.clock.advance(ms);
};
const published = async (at: Home, author: Person): Promise<string[]> =>
  (await at.rows<{ id: string }>('select id from reeds where author_id = $1 and published_at is not null order by id', author.user)).map(
    ({ id }) => id,
  );
const remove = async (home: Home, by: Person, id: ReedId) =>
  home.reeds.removal.remove(
    by.member,
    'reed-removal',
    id,
    await sign(by, { ...heading('reed-removal'), id, author: by.user, key: by.keyId }, home.clock.now()),
  );

describe('a publication', () => {
  test('comes to the peer with its author, its key and its relations, and owes its fan-out there once', async () => {
    const ann = await signUp(a);
    const first = await publishReed(a, ann, { tags: ['reeds'] });
    const reply = await publishReed(a, ann, { replyTo: first, root: first, previous: first });
    await flush(a);
    expect(await published(b, ann)).toEqual([first, reply].sort());
    expect(b.told).toEqual([`published ${first}`, `published ${reply}`]);
    expect(await b.rows('select kind, subject_id from pending_fanout order by subject_id')).toEqual(
      [first, reply].sort().map((id) => ({ kind: 'publication', subject_id: id })),
    );
    expect(await b.rows('select reply_to, root from reeds where id = $1', reply)).toEqual([{ reply_to: first, root: first }]);
    expect(await b.rows('select tag from reed_tags where reed_id = $1', first)).toEqual([{ tag: 'reeds' }]);
    expect(await b.rows('select replies from reed_stats where reed_id = $1', first)).toEqual([{ replies: 1 }]);
  });

  test('of before the peering stays at home', async () => {
    const { a: one, b: other, close: end } = await openPeers();
    const ann = await signUp(one);
    await other.rows('delete from peers');
    await endShare(one.db.kysely, other.id);
    const old = await publishReed(one, ann);
    await beginShare(one.db.kysely, other.id);
    const fresh = await publishReed(one, ann, { previous: old });
    await flush(one);
    expect(await published(other, ann)).toEqual([fresh]);
    await end();
  });

  test('that is taken back before it is sent is not told, its removal is', async () => {
    const ann = await signUp(a);
    wire.fate = () => 'lose-request';
    const gone = await publishReed(a, ann);
    await remove(a, ann, gone);
    const stays = await publishReed(a, ann, { previous: gone });
    wire.fate = () => 'deliver';
    await flush(a);
    expect(await published(b, ann)).toEqual([stays]);
    expect(await b.rows('select removed_at is not null as removed from reeds where id = $1', gone)).toEqual([{ removed: true }]);
  });
});

describe('a wire that fails', () => {
  test('brings everything once, whichever half of a call is lost', async () => {
    const ann = await signUp(a);
    const ids: ReedId[] = [];
    for (const fate of ['lose-request', 'lose-answer', 'repeat', 'lose-answer', 'deliver'] as const) {
      wire.fate = () => fate;
      ids.push(await publishReed(a, ann));
      await flush(a);
    }
    wire.fate = () => 'deliver';
    await flush(a);
    expect(b.told).toEqual(ids.map((id) => `published ${id}`));
    expect(await b.rows('select number::int from received_streams where author_id = $1', ann.user)).toEqual([{ number: 5 }]);
    expect(await a.rows('select cursor::int from peer_cursors where author_id = $1', ann.user)).toEqual([{ cursor: 5 }]);
  });

  test('keeps each author in order and to one request at a time, and others going', async () => {
    const people = await Promise.all(Array.from({ length: 3 }, () => signUp(a)));
    for (const person of people) for (let count = 0; count < 3; count++) await publishReed(a, person);
    await a.rest();
    await a.rows(
      'update peer_cursors set items = 1 where author_id = any($1)',
      people.map(({ user }) => user),
    );
    const open = new Map<string, number>();
    const most: number[] = [];
    wire.fate = async (call) => {
      const author = [...people].find(({ user }) => Buffer.from(call.body).includes(user))?.user ?? '';
      open.set(author, (open.get(author) ?? 0) + 1);
      most.push(open.get(author) ?? 0);
      await new Promise((turn) => setImmediate(turn));
      open.set(author, (open.get(author) ?? 0) - 1);
      return 'deliver' as const;
    };
    await flush(a);
    expect(Math.max(...most)).toBe(1);
    for (const { user } of people) expect(b.told.filter((line) => line.includes(user))).toHaveLength(3);
  });

  test('that refuses one author with faults of its own holds up nobody else, and parks what fails alone five times', async () => {
    const [bad, good] = [await signUp(a), await signUp(a)];
    const ids = [await publishReed(a, bad), await publishReed(a, bad)];
    wire.fate = (call) => (Buffer.from(call.body).includes(`"author":"${bad.user}"`) ? { status: 500 } : 'deliver');
    const fine = await publishReed(a, good);
    await flush(a);
    expect(b.told).toEqual([`published ${fine}`]);
    for (let tries = 0; tries < 12; tries++) {
      pass(a.limits.streamRetryMaxMs);
      await flush(a);
    }
    expect(await a.rows('select number::int, reason from parked_items where author_id = $1 order by 1', bad.user)).toEqual([
      { number: 1, reason: 'status 500' },
      { number: 2, reason: 'status 500' },
    ]);
    // The operator mends what was wrong and lets them be sent again.
    wire.fate = () => 'deliver';
    await a.rows('update parked_items set replay_at = $1', new Date(a.clock.now()));
    await flush(a);
    expect(await published(b, bad)).toEqual([...ids].sort());
    expect(await a.rows('select from parked_items')).toEqual([]);
  });

  test('that says that it is busy is asked again after what it said, and nothing is parked', async () => {
    const ann = await signUp(a);
    wire.fate = (call) => (call.leg === 'stream' ? { status: 429, retryAfterMs: 60_000 } : 'deliver');
    await publishReed(a, ann);
    await flush(a);
    wire.fate = () => 'deliver';
    pass(30_000);
    await flush(a);
    expect(b.told).toEqual([]);
    pass(60_000);
    await flush(a);
    expect(b.told).toHaveLength(1);
    expect(await a.rows('select from parked_items')).toEqual([]);
  });

  test('is tried again by a home where nobody publishes and to which nobody speaks (F40)', async () => {
    const { a: one, b: other, wire: between, close: end } = await openPeers();
    const ann = await signUp(one);
    one.streams.sender.start();
    await one.rest();
    between.fate = () => 'lose-request';
    const id = await publishReed(one, ann);
    one.streams.sender.published(ann.user);
    await one.rest();
    expect(other.told).toEqual([]);
    between.fate = () => 'deliver';
    one.clock.advance(one.limits.streamEveryMs);
    await one.rest();
    expect(other.told).toEqual([`published ${id}`]);
    one.streams.sender.stop();
    await end();
  });
});

describe('backups', () => {
  test('of the home: what it publishes anew comes to everybody once, under numbers that nobody has seen', async () => {
    const ann = await signUp(a);
    const ids = [await publishReed(a, ann)];
    await flush(a);
    const before = await a.rows('select * from peer_cursors where author_id = $1', ann.user);
    const lost = [await publishReed(a, ann), await publishReed(a, ann)];
    await flush(a);
    // As a backup of before would have it.
    await a.rows('delete from author_facts where author_id = $1 and number > 1', ann.user);
    await a.rows('update author_streams set last_number = 1 where author_id = $1', ann.user);
    await a.rows('update peer_cursors set cursor = 1, acked = 1, sent = 1 where author_id = $1', ann.user);
    expect(before).toHaveLength(1);
    b.told.length = 0;
    ids.push(await publishReed(a, ann));
    await flush(a);
    expect(b.told).toEqual([`published ${ids[1]}`]);
    expect(await a.rows('select number::int from author_facts where author_id = $1 order by 1', ann.user)).toEqual([
      { number: 1 },
      { number: 4 },
    ]);
    expect(await published(b, ann)).toEqual([...ids, ...lost].sort());
  });

  test('of the peer: what it lacks comes again, what it has is not told twice', async () => {
    const ann = await signUp(a);
    const ids = [await publishReed(a, ann), await publishReed(a, ann), await publishReed(a, ann)];
    await flush(a);
    const [kept, ...gone] = ids;
    await b.rows('delete from reeds where id = any($1)', gone);
    await b.rows(
      'delete from statements where user_id = $1 and hash not in (select statement_hash from reeds) and hash not in (select statement_hash from keys)',
      ann.user,
    );
    await b.rows('update received_streams set number = 1 where author_id = $1', ann.user);
    b.told.length = 0;
    // Nothing new is published: the daily comparison finds it.
    expect(await a.streams.positions.compare(b.id)).toBe(true);
    await a.rest();
    expect(b.told).toEqual(gone.map((id) => `published ${id}`));
    expect(await published(b, ann)).toEqual([kept, ...gone].sort());
  });

  test('a peer may compare from its side, too', async () => {
    const ann = await signUp(a);
    const id = await publishReed(a, ann);
    await flush(a);
    await b.rows('delete from reeds where id = $1', id);
    await b.rows('update received_streams set number = 0 where author_id = $1', ann.user);
    b.told.length = 0;
    await wire.call({ from: b.id, to: a.id, leg: 'positions', body: encodePositions([{ authorId: ann.user, number: 0 }]) });
    await a.rest();
    expect(b.told).toEqual([`published ${id}`]);
  });
});

describe('keys and ends', () => {
  test('a rotation comes with its revocation, and what the new key signs is taken', async () => {
    const ann = await signUp(a);
    const before = await publishReed(a, ann);
    await flush(a);
    pass(2 * DAY);
    const { next } = await rotate(a, ann);
    const after = await publishReed(a, { ...next, member: { ...ann.member, keyId: next.keyId } });
    await flush(a);
    expect(await published(b, ann)).toEqual([before, after].sort());
    expect(await b.rows('select id, predecessor from keys where user_id = $1 order by created_at', ann.user)).toEqual([
      { id: ann.keyId, predecessor: null },
      { id: next.keyId, predecessor: ann.keyId },
    ]);
    expect(await b.rows('select subject_id from pending_ends where kind = $1', 'key-revocation')).toEqual([{ subject_id: ann.keyId }]);
    expect(await b.rows('select from key_revocations where key_id = $1', ann.keyId)).toHaveLength(1);
  });

  test('a rotation of somebody who never published is told, too', async () => {
    const ann = await signUp(a);
    const { next } = await rotate(a, ann);
    await flush(a);
    expect(await b.rows('select id from keys where user_id = $1 order by predecessor nulls first', ann.user)).toEqual([
      { id: ann.keyId },
      { id: next.keyId },
    ]);
  });

  test('a rotation by the recovery key puts the key before it off the chain, with what that one signed', async () => {
    const ann = await signUp(a);
    await publishReed(a, ann);
    const { next: thief } = await rotate(a, ann);
    const stolen = await publishReed(a, thief);
    await flush(a);
    const owner = await withNextKey(a, ann);
    await a.identity.rotation.rotate(recovering(ann), { key: await keyAfter(a, ann, owner, 'recovery') });
    for (let after: number | null = 0; after !== null; ) after = (await a.reeds.voiding.page(thief.keyId, after)).next;
    await flush(a);
    expect(await b.rows('select id, void_hash is not null as void from keys where user_id = $1 order by id', ann.user)).toEqual(
      [
        { id: ann.keyId, void: false },
        { id: thief.keyId, void: true },
        { id: owner.keyId, void: false },
      ].sort((x, y) => (x.id < y.id ? -1 : 1)),
    );
    // As the debt of telling does it there.
    for (let after: number | null = 0; after !== null; ) after = (await b.reeds.voiding.page(thief.keyId, after)).next;
    expect(await b.rows('select removed_at is not null as removed from reeds where id = $1', stolen)).toEqual([{ removed: true }]);
    expect(await a.rows('select from parked_items where author_id = $1', ann.user)).toEqual([]);
  });

  test('a removed account is gone there, and is told once, to a peer that was away too (F14)', async () => {
    const ann = await signUp(a);
    const id = await publishReed(a, ann);
    await flush(a);
    await a.identity.accountRemovals.request(ann.member, await removalOf(a, ann));
    pass(2 * DAY);
    await a.identity.accountRemovals.finish();
    await a.reeds.voiding.account(ann.user, '');
    // The peer is down when it is told.
    wire.fate = () => 'lose-request';
    a.streams.sender.published(ann.user);
    await a.rest();
    expect(b.told).toEqual([`published ${id}`]);
    wire.fate = () => 'repeat';
    await flush(a);
    expect(b.told).toEqual([`published ${id}`, `account-removal ${ann.user}`]);
    expect(await b.rows('select statement_hash is not null as done from account_removals where user_id = $1', ann.user)).toEqual([
      { done: true },
    ]);
    expect(await b.rows('select kind from pending_ends where subject_id = $1', ann.user)).toEqual([{ kind: 'account-removal' }]);
    await b.reeds.voiding.account(ann.user, '');
    expect(await b.rows('select removed_at is not null as removed from reeds where author_id = $1', ann.user)).toEqual([{ removed: true }]);
  });

  test('nothing is told of an account while its removal may be taken back', async () => {
    const ann = await signUp(a);
    wire.fate = () => 'lose-request';
    await publishReed(a, ann);
    await a.identity.accountRemovals.request(ann.member, await removalOf(a, ann));
    wire.fate = () => 'deliver';
    await flush(a);
    expect(b.told).toEqual([]);
    // By itself, with no look at all authors.
    await a.identity.accountRemovals.withdraw(recovering(ann), await withdrawalOf(a, ann));
    await a.rest();
    expect(b.told).toHaveLength(1);
  });
});

describe('removals', () => {
  test('of a reed that never came are kept: they answer who asks, and the reed is not taken any more', async () => {
    const ann = await signUp(a);
    const first = await publishReed(a, ann);
    await flush(a);
    const [fact] = await a.streams.table.build(ann.user, null, [1]);
    await b.rows('delete from reeds where id = $1', first);
    await remove(a, ann, first);
    await flush(a);
    const bob = await signUp(b);
    await expect(b.reeds.reading.reed(bob.user, first)).rejects.toMatchObject({ code: 'REMOVED' });
    b.told.length = 0;
    // Its creation comes late, as after a restored cursor.
    await b.rows('update received_streams set number = 0 where author_id = $1', ann.user);
    await a.rows('update peer_cursors set cursor = 0, acked = 0, sent = 0 where author_id = $1', ann.user);
    const place = { authorId: ann.user, start: 0, cursor: 0, sent: 0 };
    const body = encodeStreamRequest({ ...place, token: 't', items: [fact as StreamItem], replay: false });
    const answer = decodeStreamAnswer(((await wire.call({ from: a.id, to: b.id, leg: 'stream', body })) as { body: Uint8Array }).body);
    expect(answer).toMatchObject({ ok: true, value: { have: 1, outcomes: [{ number: 1, verdict: 'known' }] } });
    expect(b.told).toEqual([]);
    await expect(b.reeds.reading.reed(bob.user, first)).rejects.toMatchObject({ code: 'REMOVED' });
  });

  test('of a thread that never came name its parts', async () => {
    const ann = await signUp(a);
    const head = newReedId(a, ann);
    const parts = [head, newReedId(a, ann)];
    wire.fate = () => 'lose-request';
    for (const [index, id] of parts.entries()) await publishReed(a, ann, { id, thread: { head, index } }, false);
    await a.reeds.threads.register(
      ann.member,
      await sign(ann, { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds: parts }, a.clock.now()),
    );
    await a.reeds.publish.publishReady(ann.member, head, undefined);
    await a.reeds.removal.remove(
      ann.member,
      'thread-removal',
      head,
      await sign(ann, { ...heading('thread-removal'), id: head, author: ann.user, key: ann.keyId }, a.clock.now()),
    );
    wire.fate = () => 'deliver';
    await flush(a);
    expect(b.told).toEqual([`thread-removal ${head}`]);
    expect(await b.rows('select id, thread_head, thread_index from reeds where author_id = $1 order by thread_index', ann.user)).toEqual(
      parts.map((id, index) => ({ id, thread_head: head, thread_index: index })),
    );
  });

  test('of what came are told to who has it', async () => {
    const ann = await signUp(a);
    const head = newReedId(a, ann);
    const parts = [head, newReedId(a, ann)];
    for (const [index, id] of parts.entries()) await publishReed(a, ann, { id, thread: { head, index } }, false);
    await a.reeds.threads.register(
      ann.member,
      await sign(ann, { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds: parts }, a.clock.now()),
    );
    await a.reeds.publish.publishReady(ann.member, head, false);
    const single = await publishReed(a, ann);
    await remove(a, ann, single);
    await flush(a);
    expect(b.told).toEqual([`published ${head}`, `reed-removal ${single}`]);
    expect(await b.rows('select broadcast, thread_head from reeds where id = $1', parts[1])).toEqual([
      { broadcast: false, thread_head: head },
    ]);
    const bob = await signUp(b);
    expect((await b.reeds.reading.thread(bob.user, head)).reeds).toHaveLength(2);
  });
});
