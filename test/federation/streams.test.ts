// What is published at one home comes to its peers: each fact once, in order, whatever the wire does; what is refused is parked and seen.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { flush, type Home, openPeers } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, sign, signUp } from '../support/people.ts';
import { heading } from '../../src/wire/statements.ts';

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
    await one.rows('delete from peer_cursors');
    const old = await publishReed(one, ann);
    await one.streams.table.begin(other.id);
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
