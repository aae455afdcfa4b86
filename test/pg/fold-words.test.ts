// The word that a home is owed of holders: whichever statement drops the last copy here owes it itself, so that nothing can come between the two; and
// no end or pause of a peering forgets it.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reopen } from '../../src/ledger/answer.ts';
import { paid } from '../../src/ledger/crossing-ends.ts';
import { cutOff, dropHoldings, evict } from '../../src/ledger/ends.ts';
import { type DueNotice, holderNotices, holderTold, peerGone, peersLive } from '../../src/ledger/fold-peers.ts';
import { forwardingOf } from '../../src/ledger/foreign.ts';
import { open } from '../../src/ledger/open.ts';
import { acknowledge } from '../../src/ledger/settle.ts';
import { sentinelsArrive } from '../../src/presence/sentinels.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const PEER = 'bbbbbbbbbbbbbbbb' as ServerId;
const AUTHOR = `cccccccccccccccc@${PEER}` as UserId;
const FAR = [1, 2, 3].map((at) => `${AUTHOR}/01890000-0000-7000-8000-00000000000${at}` as ReedId);
const [HEAD, PART, LAST] = FAR as [ReedId, ReedId, ReedId];
const now = Date.now();

let world: World;
let own: ReedId;
let [holder, other] = ['', ''] as UserId[] as [UserId, UserId];

beforeEach(async () => {
  world = await World.open();
  await world.db.query({ text: "insert into servers (id, name, first_seen_at) values ($1, 'peer', now())", values: [PEER] });
  await peersLive(world.db, [PEER]);
  await sentinelsArrive(world.db.kysely, [PEER]);
  await world.db.query({
    text: `with i as (insert into identities (id, server_id, first_seen_at) values ($1, $2, now()))
      insert into reed_identities (id, server_id, author_id) select unnest($3::text[]), $2, $1`,
    values: [AUTHOR, PEER, FAR],
  });
  [holder, other] = (await world.community('holder', 'other')) as [UserId, UserId];
  own = await world.reed(other, [other, holder]);
  for (const reed of FAR) await world.hold(reed, holder);
});
afterEach(() => world.close());

const words = () => world.db.query<{ reed_id: ReedId }>({ text: 'select reed_id from holder_notices order by reed_id' });
const owed = async () => (await words()).map(({ reed_id: id }) => id);

/** An event of `holder` that a copy, or a removal, was relayed for. */
const relayedTo = async (kind: string, subject: string): Promise<string> => {
  const eventId = randomUUID();
  await world.db.query({
    text: `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at, relays)
      values ($1, $2, 'REED_REMOVED', $3, $4, 0, 3, now(), now(), 1)`,
    values: [eventId, holder, kind, subject],
  });
  return eventId;
};
const acks = async (kind: string, subject: string): Promise<void> => {
  const eventId = await relayedTo(kind, subject);
  await acknowledge(world.context, [{ eventId, requester: holder, deviceId: 'd' }], [], now);
};
/** The reeds of another server are a thread. */
const threaded = () =>
  world.db.query({
    text: `with u as (insert into users (id, role, last_signed_at, key_id, username, identity_hash, created_at)
        select $1, role, last_signed_at, key_id, 'far', identity_hash, created_at from users where id = $2 returning id, identity_hash)
      insert into reeds (id, author_id, statement_hash, registered_at, published_at, thread_head, thread_index)
      select p.id, u.id, u.identity_hash, now(), now(), $3, p.nth - 1 from u, unnest($4::text[]) with ordinality as p(id, nth)`,
    values: [AUTHOR, holder, HEAD, FAR],
  });

it('asking for a thread drops no part of it: who asks may have some of them', async () => {
  await threaded();
  const { dropped } = await open(world.context, [world.item(holder, HEAD, 'thread')], now);
  expect([await owed(), dropped]).toEqual([[], []]);
});

describe('the statement that drops the last copy here owes its home the word:', () => {
  it('asking for it again', async () => {
    await open(world.context, [world.item(holder, HEAD), world.item(holder, own)], now);
    expect(await owed()).toEqual([HEAD]);
  });

  it('acknowledging that a reed was removed', async () => {
    await acks('reed_removal', PART);
    expect(await owed()).toEqual([PART]);
  });

  it('acknowledging that a thread was removed', async () => {
    await threaded();
    await acks('thread_removal', HEAD);
    expect(await owed()).toEqual(FAR);
  });

  it('acknowledging that an account is gone', async () => {
    await acks('account_removal', AUTHOR);
    expect(await owed()).toEqual(FAR);
  });

  it('the end of the account that held it', async () => {
    const page = { user: holder, after: '', limit: 3 } as const;
    const first = await dropHoldings(world.db, page);
    const second = await dropHoldings(world.db, { ...page, after: first.at(-1) as ReedId });
    expect([[...first, ...second].sort(), await owed()]).toEqual([[own, ...FAR].sort(), FAR]);
  });

  it('an eviction', async () => {
    await evict(world.db, [
      { holder, reedId: HEAD },
      { holder, reedId: own },
    ]);
    expect(await owed()).toEqual([HEAD]);
  });

  it('a block', async () => {
    await cutOff(world.db.kysely, AUTHOR, holder);
    expect(await owed()).toEqual(FAR);
  });

  it('a miss', async () => {
    const eventId = randomUUID();
    await world.db.query({
      text: `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at, holder, attempt, dispatched_at)
        values ($1, $2, 'DATA_RESPONSE', 'reed', $3, 0, 2, now(), now(), $4, 1, now())`,
      values: [eventId, other, LAST, holder],
    });
    await reopen(world.context, [{ eventId, holder, attempt: 1, outcome: 'miss', missing: LAST }], now);
    expect(await owed()).toEqual([LAST]);
  });
});

it('of what somebody else here still has no word is owed', async () => {
  for (const reed of FAR) await world.hold(reed, other);
  await open(world.context, [world.item(holder, HEAD)], now);
  await acks('reed_removal', PART);
  await dropHoldings(world.db, { user: holder, after: '', limit: 9 });
  expect(await owed()).toEqual([]);
});

describe('an ack of a crossing that was answered', () => {
  const paidFor = async (isTold: boolean): Promise<void> => {
    const id = randomUUID();
    await world.db.query({
      text: `insert into foreign_pending_events (crossing_id, event_id, asked_server_id, subject, kind, requester, owes, due_at, created_at)
        values ($1, $1, $2, $3, 'reed', $4, 'ack', now(), now())`,
      values: [id, PEER, HEAD, holder],
    });
    await paid(world.db, id, isTold, now);
  };
  /** That somebody has it, as the ack says as well. */
  const first = (version = 0) =>
    world.db.query({
      text: "insert into holder_notices (server_id, reed_id, version, due_at) values ($1, $2, $3, now() + interval '1 hour')",
      values: [PEER, HEAD, version],
    });

  it('lets go of the word that it said itself', async () => {
    await first();
    await paidFor(true);
    expect(await owed()).toEqual([]);
  });

  it('lets go of none that another one may be on its way before', async () => {
    await first(1);
    await paidFor(true);
    expect(await owed()).toEqual([HEAD]);
  });

  it.each([true, false])('and may have overtaken the word that nobody has it any more owes that word anew (taken: %s)', async (isTold) => {
    await evict(world.db, [{ holder, reedId: HEAD }]);
    for (const word of await holderNotices(world.context, now)) await holderTold(world.db, word);
    expect(await owed()).toEqual([]);
    await paidFor(isTold);
    expect(await owed()).toEqual([HEAD]);
  });
});

it('the answer to a word ends none that was owed since, though it says the same', async () => {
  await evict(world.db, [{ holder, reedId: HEAD }]);
  const [early] = (await holderNotices(world.context, now)) as [DueNotice];
  await world.hold(HEAD, holder);
  await evict(world.db, [{ holder, reedId: HEAD }]);
  const [later] = (await holderNotices(world.context, now)) as [DueNotice];
  await holderTold(world.db, early);
  expect(await owed()).toEqual([HEAD]);
  await holderTold(world.db, later);
  expect(await owed()).toEqual([]);
});

it('the late answer to a word that was sent twice ends none that was owed after both', async () => {
  await evict(world.db, [{ holder, reedId: HEAD }]);
  const [early] = (await holderNotices(world.context, now)) as [DueNotice];
  const [again] = (await holderNotices(world.context, now + 60_000)) as [DueNotice];
  await holderTold(world.db, again);
  expect(await owed()).toEqual([]);
  await world.hold(HEAD, holder);
  await evict(world.db, [{ holder, reedId: HEAD }]);
  await holderTold(world.db, early);
  expect(await owed()).toEqual([HEAD]);
});

it('a copy that sets out to a peer makes what was known of its holders another thing than an answer of before that is about', async () => {
  const version = async () => {
    const [row] = await world.db.query<{ version: string; holding: boolean }>({
      text: 'select xmin::text as version, holding from reed_server_allocations where reed_id = $1 and server_id = $2',
      values: [own, PEER],
    });
    return row;
  };
  await world.db.query({
    text: 'insert into reed_server_allocations (reed_id, server_id, holding) values ($1, $2, true)',
    values: [own, PEER],
  });
  const before = await version();
  const eventId = randomUUID();
  await world.db.query({
    text: `with f as (insert into foreign_relay_requests (event_id, requesting_server_id, requesting_user_id, requesting_key_id, peer_request_id, subject, slot, created_at)
        values ($1, $2, $3, 'k', $1, $4, 1, now()))
      insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, is_foreign, priority, state, due_at, created_at, relays)
        values ($1, 'peer@' || $2, 'DATA_RESPONSE', 'reed', $4, true, 0, 6, now(), now(), 1)`,
    values: [eventId, PEER, AUTHOR, own],
  });
  expect(await forwardingOf(world.context, eventId)).toMatchObject({ subject: own });
  const after = await version();
  expect([after?.holding, after?.version === before?.version]).toEqual([true, false]);
});

describe('a peering that ends, or pauses', () => {
  const due = async () => (await holderNotices(world.context, now)).map(({ holding, reedId }) => ({ holding, reedId }));

  it('keeps what its home was not told, and what changes meanwhile; it is due once they are peers again, at once', async () => {
    await evict(world.db, [{ holder, reedId: HEAD }]);
    // Tried in vain, so that its date is to come.
    await world.db.query({ text: "update holder_notices set failures = 9, due_at = now() + interval '1 hour'" });
    await peerGone(world.context, PEER);
    await evict(world.db, [{ holder, reedId: PART }]);
    expect([await owed(), await due()]).toEqual([[HEAD, PART], []]);
    await peersLive(world.db, [PEER]);
    expect((await due()).sort((a, b) => a.reedId.localeCompare(b.reedId))).toEqual([
      { reedId: HEAD, holding: false },
      { reedId: PART, holding: false },
    ]);
  });

  it('leaves the words for others their turn, however many wait for it', async () => {
    const stranger = 'dddddddddddddddd' as ServerId;
    await world.db.query({
      text: `insert into holder_notices (server_id, reed_id, due_at) select $1, 'r' || g, '-infinity' from generate_series(1, 1000) g`,
      values: [stranger],
    });
    await evict(world.db, [{ holder, reedId: HEAD }]);
    expect(await due()).toEqual([{ reedId: HEAD, holding: false }]);
  });
});
