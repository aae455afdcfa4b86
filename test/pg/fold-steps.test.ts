// The fold's statements where two of them meet, and where a bound is reached.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relayed } from '../../src/ledger/answer.ts';
import { auditCrossingEvents, dueCrossings, settleCrossings } from '../../src/ledger/crossing-ends.ts';
import { answered, arrive, oneSleeps, returned } from '../../src/ledger/crossings.ts';
import { crossingsFreed, forgetFold, holderSaid, peerAway, peerGone, peersLive } from '../../src/ledger/fold-peers.ts';
import { acknowledgeForeign, cancelForeign, compareForeign, openForeign } from '../../src/ledger/foreign.ts';
import { supersedeForeign } from '../../src/ledger/foreign-slots.ts';
import { promote } from '../../src/ledger/promote.ts';
import { sentinelsArrive } from '../../src/presence/sentinels.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const PEER = 'bbbbbbbbbbbbbbbb' as ServerId;
const FAR = `cccccccccccccccc@${PEER}/01890000-0000-7000-8000-000000000000` as ReedId;
const STRANGER = `dddddddddddddddd@${PEER}` as UserId;

let world: World;
beforeEach(async () => {
  world = await World.open({ peerAwakeEvents: 3 });
  await world.db.query({ text: "insert into servers (id, name, first_seen_at) values ($1, 'peer', now())", values: [PEER] });
  await peersLive(world.db, [PEER]);
  await sentinelsArrive(world.db.kysely, [PEER]);
});
afterEach(() => world.close());

const now = Date.now();
const line = async (names: number): Promise<UserId[]> => {
  const members = await world.community(...Array.from({ length: names }, (_, at) => `reader${at}`));
  for (const member of members) expect((await world.opened(member, FAR, now)).state).toBe(5);
  return members;
};
/** A member comes online who has it. */
const hold = async (name: string): Promise<void> => {
  const author = FAR.split('/')[0];
  await world.db.query({ text: 'insert into identities (id, server_id, first_seen_at) values ($1, $2, now())', values: [author, PEER] });
  await world.db.query({ text: 'insert into reed_identities (id, server_id, author_id) values ($1, $2, $3)', values: [FAR, PEER, author] });
  const [holder] = await world.community(name);
  await world.hold(FAR, holder as UserId);
};
/** Names that a peer gives, one after another. */
let named = 0;
const nextName = (): string => `01890000-0000-7000-8000-${(++named).toString(16).padStart(12, '0')}`;
const asked = (subject: ReedId, peerRequestId: string = nextName(), slot = 1) =>
  ({
    eventId: randomUUID(),
    server: PEER,
    peerRequestId,
    userId: STRANGER,
    keyId: `${STRANGER}/k`,
    kind: 'reed',
    subject,
    isFallback: false,
    slot,
  }) as const;

describe('a line', () => {
  it('gives out three slots and no fourth, whoever looks at the same moment', async () => {
    await line(8);
    const all = await Promise.all(Array.from({ length: 4 }, () => promote(world.context, [FAR], now)));
    const rows = await world.db.query<{ slot: number }>({ text: 'select slot from foreign_pending_events order by slot' });
    expect(rows.map(({ slot }) => slot)).toEqual([1, 2, 3]);
    expect(all.flatMap(({ crossing }) => crossing)).toHaveLength(3);
    expect((await world.events()).map(({ state }) => state).sort()).toEqual([5, 5, 5, 5, 5, 7, 7, 7]);
  });

  it('is not moved while its server does not answer', async () => {
    await line(2);
    await peerAway(world.db, PEER, now + 5_000, now);
    const { crossing, waiting } = await promote(world.context, [FAR], now);
    expect([crossing, waiting.map(({ isAway }) => isAway)]).toEqual([[], [true, true]]);
    expect((await promote(world.context, [FAR], now + 5_000)).crossing).toHaveLength(2);
  });

  it('gets the holder that came online meanwhile, and nothing crosses', async () => {
    await line(2);
    await hold('holder');
    const { crossing, roused } = await promote(world.context, [FAR], now);
    expect([crossing, roused, (await world.events()).map(({ state }) => state)]).toEqual([[], true, [4, 4]]);
  });

  it('keeps one crossing asleep when nobody is online there, and moves no further', async () => {
    await line(4);
    const { crossing } = await promote(world.context, [FAR], now);
    const outcomes = [];
    for (const { crossingId } of crossing) outcomes.push(await answered(world.context, crossingId, false, now));
    expect(outcomes.map((outcome) => [outcome?.isAsleep, outcome?.isGivenUp])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect((await promote(world.context, [FAR], now)).crossing).toEqual([]);
    expect((await world.events()).map(({ state }) => state)).toEqual([5, 5, 5, 5]);
  });

  it('keeps one crossing asleep though two fell asleep at the same moment', async () => {
    await line(4);
    const { crossing } = await promote(world.context, [FAR], now);
    for (const { crossingId } of crossing) await answered(world.context, crossingId, false, now);
    // As if none had seen another one sleep.
    await world.db.query({ text: "update foreign_pending_events set asleep = true, owes = null, reason = null, due_at = 'infinity'" });
    const of = { server: PEER, subject: FAR };
    const looks = await Promise.all([1, 2, 3].map(() => oneSleeps(world.db, of, now)));
    expect(looks).toContain(true);
    const asleep = await world.db.query<{ slot: number }>({ text: 'select slot from foreign_pending_events where asleep' });
    expect(asleep).toHaveLength(1);
    expect(await oneSleeps(world.db, of, now)).toBe(false);
    expect((await world.events()).map(({ state }) => state)).toEqual([5, 5, 5, 5]);
  });
});

describe('an answer that says that nothing crosses', () => {
  it('waits while somebody has the event, which is never left without its crossing', async () => {
    await line(1);
    const [crossing] = (await promote(world.context, [FAR], now)).crossing;
    const id = crossing?.crossingId ?? '';
    const back = () => returned(world.context, id, { wasTried: false, unheldAs: null }, now);
    await world.whileLocked('select * from pending_events for update', [], async () => void (await back()));
    expect(await world.db.query({ text: 'select from foreign_pending_events' })).toHaveLength(1);
    await back();
    expect([
      (await world.events()).map(({ state }) => state),
      await world.db.query({ text: 'select from foreign_pending_events' }),
    ]).toEqual([[5], []]);
  });

  it('and was lost on its way is found by the audit', async () => {
    await line(1);
    await promote(world.context, [FAR], now);
    await auditCrossingEvents(world.context, '00000000-0000-0000-0000-000000000000', now);
    expect((await world.events()).map(({ state }) => state)).toEqual([7]);
    await world.db.query({ text: 'delete from foreign_pending_events' });
    await auditCrossingEvents(world.context, '00000000-0000-0000-0000-000000000000', now);
    expect((await world.events()).map(({ state }) => state)).toEqual([4]);
  });
});

describe('whoever may not carry', () => {
  it('keeps nobody from carrying, and gets a holder all the same', async () => {
    const members = await line(3);
    await world.db.query({
      text: "insert into carrier_faults (subject, member, reason, at) select $1, unnest($2::text[]), 'silence', $3",
      values: [FAR, members.slice(0, 2), new Date(now)],
    });
    const context = { ...world.context, limits: { ...world.limits, linePerPromotion: 1 } };
    expect((await promote(context, [FAR], now)).crossing).toHaveLength(1);
    expect((await promote(context, [FAR], now)).crossing).toEqual([]);
    expect((await world.events()).map(({ state }) => state)).toEqual([5, 5, 7]);
    await hold('holder');
    expect((await promote(world.context, [FAR], now)).roused).toBe(true);
    expect((await world.events()).map(({ state }) => state)).toEqual([4, 4, 7]);
  });
});

describe('whoever did not acknowledge a copy', () => {
  it('carries no other one before that is written down, nor then', async () => {
    await line(1);
    const [first] = (await promote(world.context, [FAR], now)).crossing;
    const { eventId = '', crossingId = '' } = first ?? {};
    await answered(world.context, crossingId, true, now);
    expect((await arrive(world.context, { crossingId, server: PEER, parts: [] }, now)).outcome).toBe('relayed');
    // Its time is over, and its event in line again.
    await world.db.query({ text: 'update pending_events set state = 5' });
    expect((await promote(world.context, [FAR], now)).crossing).toEqual([]);
    expect((await settleCrossings(world.context, [{ eventId, reason: 'silence' }], now)).owing).toBe(true);
    expect((await promote(world.context, [FAR], now)).crossing).toEqual([]);
  });
});

describe('a reed whose copies are found false', () => {
  it('eight times within an hour crosses once a minute, for one at a time', async () => {
    await line(4);
    await world.db.query({
      text: `insert into carrier_faults (subject, member, reason, at) select $1, 'liar ' || n, 'invalid', $2 from generate_series(1, 8) as n`,
      values: [FAR, new Date(now - 30_000)],
    });
    expect((await promote(world.context, [FAR], now)).crossing).toEqual([]);
    expect((await promote(world.context, [FAR], now + 31_000)).crossing).toHaveLength(1);
    expect((await promote(world.context, [FAR], now + 31_000)).crossing).toEqual([]);
    expect((await promote(world.context, [FAR], now + 3_600_000)).crossing).toHaveLength(2);
  });
});

describe('one server', () => {
  it('is asked for so many copies at once, asleep ones not counted', async () => {
    const [member] = await world.community('eager');
    const reeds = Array.from({ length: 4 }, (_, at) => `cccccccccccccccc@${PEER}/01890000-0000-7000-8000-00000000000${at}` as ReedId);
    for (const reed of reeds) await world.opened(member as UserId, reed, now);
    const context = { ...world.context, limits: { ...world.limits, crossingsPerPeer: 3 } };
    const { crossing } = await promote(context, reeds, now);
    expect(crossing).toHaveLength(3);
    await answered(context, crossing[0]?.crossingId ?? '', false, now);
    expect((await promote(context, reeds, now)).crossing).toHaveLength(1);
  });
});

describe('a peering that ends', () => {
  it('leaves nobody waiting whose crossing was committed while it did', async () => {
    await line(1);
    await peerGone(world.context, PEER);
    await crossingsFreed(world.context, PEER, now);
    // A look at the line that began before and is committed only now.
    await peersLive(world.db, [PEER]);
    const { crossing } = await promote(world.context, [FAR], now);
    await peerGone(world.context, PEER);
    expect(await dueCrossings(world.context, now)).toEqual([]);
    expect(await dueCrossings(world.context, now + 16_000)).toEqual([
      { crossingId: crossing[0]?.crossingId, subject: FAR, outcome: 'freed' },
    ]);
    expect((await world.events()).map(({ state }) => state)).toEqual([4]);
    expect(await world.db.query({ text: 'select from foreign_pending_events' })).toEqual([]);
  });
});

describe('a copy', () => {
  it('that comes twice is delivered once', async () => {
    await line(1);
    const [crossing] = (await promote(world.context, [FAR], now)).crossing;
    const item = { crossingId: crossing?.crossingId ?? '', server: PEER, parts: [] };
    const outcomes = await Promise.all([arrive(world.context, item, now), arrive(world.context, item, now)]);
    expect(outcomes.filter(({ outcome }) => outcome === 'relayed')).toHaveLength(1);
    expect((await arrive(world.context, item, now)).outcome).toBe('repeated');
  });

  it('of another server than the one that was asked is unknown', async () => {
    await line(1);
    const [crossing] = (await promote(world.context, [FAR], now)).crossing;
    const item = { crossingId: crossing?.crossingId ?? '', server: 'eeeeeeeeeeeeeeee' as ServerId, parts: [] };
    expect((await arrive(world.context, item, now)).outcome).toBe('unknown');
  });
});

describe('a peer’s request', () => {
  it('is one event however often and at whatever moment it comes', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const id = randomUUID();
    await Promise.all(Array.from({ length: 4 }, () => openForeign(world.context, asked(reed, id), now)));
    expect((await openForeign(world.context, asked(reed, id), now)).verdict).toBe('opened');
    expect(await world.events()).toHaveLength(1);
    expect(await world.db.query({ text: 'select from foreign_relay_requests' })).toHaveLength(1);
  });

  it('is refused once the peer has as many as it may', async () => {
    const [author] = await world.community('author');
    const verdicts = [];
    for (let at = 0; at < 4; at++) {
      const reed = await world.reed(author as UserId);
      verdicts.push((await openForeign(world.context, asked(reed), now)).verdict);
    }
    expect(verdicts).toEqual(['opened', 'opened', 'opened', 'full']);
  });

  it('is refused after its cancel, for as long as that is remembered', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const id = randomUUID();
    expect((await cancelForeign(world.context, { server: PEER, peerRequestId: id, isInvalid: false }, now)).outcome).toBe('unknown');
    expect((await openForeign(world.context, asked(reed, id), now)).verdict).toBe('cancelled');
    expect((await openForeign(world.context, asked(reed, id), now + 11 * 60_000)).verdict).toBe('opened');
  });

  it('is acknowledged only once its copy was passed on', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const request = asked(reed);
    await openForeign(world.context, request, now);
    expect((await acknowledgeForeign(world.context, PEER, request.peerRequestId, now)).outcome).not.toBe('ended');
    expect(await world.db.query({ text: 'select from reed_server_allocations' })).toEqual([]);
  });

  it('ends when the peer does not name it a minute after it was made', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const kept = asked(reed);
    for (const request of [kept, asked(reed, nextName(), 2)]) await openForeign(world.context, request, now);
    const unknown = randomUUID();
    expect((await compareForeign(world.context, PEER, [kept.peerRequestId, unknown], now + 30_000)).ended).toEqual([]);
    const compared = await compareForeign(world.context, PEER, [kept.peerRequestId, unknown], now + 61_000);
    expect([compared.unknown, compared.ended.length, (await world.events()).length]).toEqual([[unknown], 1, 1]);
  });
});

describe('a slot of a peer', () => {
  const STATE_OF = 'select e.state, f.slot from foreign_relay_requests f join pending_events e using (event_id) order by f.peer_request_id';
  const rows = () => world.db.query<{ state: number; slot: number | null }>({ text: STATE_OF });
  const open = (request: ReturnType<typeof asked>) => openForeign(world.context, request, now);
  const supersede = ({ peerRequestId }: { readonly peerRequestId: string }) =>
    supersedeForeign(world.context, { server: PEER, peerRequestId }, now);
  const written = async () => {
    const [author] = await world.community('author');
    return world.reed(author as UserId);
  };
  const become = (peerRequestId: string, state: number, relays: number) =>
    world.db.query({
      text: `update pending_events set state = $2, relays = $3 where event_id = (select event_id from foreign_relay_requests where peer_request_id = $1)`,
      values: [peerRequestId, state, relays],
    });

  it('has one event of a subject that was not passed on, whoever asks at the same moment', async () => {
    const reed = await written();
    const requests = Array.from({ length: 12 }, (_, at) => asked(reed, nextName(), (at % 3) + 1));
    const opened = await Promise.all(requests.map(open));
    expect(opened.filter(({ verdict }) => verdict === 'opened')).toHaveLength(3);
    expect((await rows()).map(({ slot }) => slot).sort()).toEqual([1, 2, 3]);
  });

  it('is left to what is asked for later, and a repeat of what had it finds that it is cancelled', async () => {
    const reed = await written();
    const [stale, first, second] = [asked(reed), asked(reed), asked(reed)];
    await open(first);
    expect(await open(second)).toMatchObject({ verdict: 'taken', takenBy: first.peerRequestId });
    expect((await open(stale)).verdict).toBe('stale');
    expect(await supersede(first)).toMatchObject({ outcome: 'ended', mayHaveCome: false });
    expect([(await open(second)).verdict, (await open(first)).verdict, await world.events()]).toMatchObject(['opened', 'cancelled', [{}]]);
  });

  it('is taken from what is passed on by nobody any more, not before its replica gives that up', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const request = asked(reed);
    await open(request);
    await become(request.peerRequestId, 2, 0);
    await world.db.query({ text: 'update pending_events set holder = $1, dispatched_at = now(), attempt = 1', values: [author] });
    await relayed(world.context, [{ eventId: request.eventId, holder: author as UserId }], now);
    const [row] = await world.db.query<{ state: number; due_at: Date }>({ text: 'select state, due_at from pending_events' });
    expect(row?.state).toBe(6);
    // It begins a while after it was written that it does.
    expect(Number(row?.due_at) - now).toBeGreaterThanOrEqual(world.limits.forwardMs + 1_000);
  });

  it('is not left while a copy is being passed on', async () => {
    const reed = await written();
    const [first, second] = [asked(reed), asked(reed)];
    await open(first);
    await become(first.peerRequestId, 6, 1);
    expect((await supersede(first)).outcome).toBe('busy');
    expect((await open(second)).verdict).toBe('taken');
  });

  it.each([
    ['was passed on', 3],
    ['was passed on, for all that is known not whole', 4],
  ])('is left by what %s, which waits for its ack', async (_what, state) => {
    const reed = await written();
    const [first, second] = [asked(reed), asked(reed)];
    await open(first);
    await become(first.peerRequestId, state, 1);
    if (state !== 3) expect(await supersede(first)).toMatchObject({ outcome: 'ended', mayHaveCome: true });
    expect((await open(second)).verdict).toBe('opened');
    expect(await rows()).toEqual([
      { state: 3, slot: null },
      { state: 4, slot: 1 },
    ]);
    expect((await acknowledgeForeign(world.context, PEER, first.peerRequestId, now)).outcome).toBe('ended');
    expect(await world.db.query({ text: 'select holding from reed_server_allocations' })).toEqual([{ holding: true }]);
  });
});

describe('what is remembered for a while only', () => {
  it('is forgotten page by page, and nothing of it sooner', async () => {
    const { batchItems } = world.context.limits;
    const cancelled = (until: number, ids: readonly string[]) =>
      world.db.query({
        text: 'insert into cancelled_crossings (server_id, crossing_id, until) select $1, id, $2 from unnest($3::uuid[]) i(id)',
        values: [PEER, new Date(until), ids],
      });
    await cancelled(
      now - 1,
      Array.from({ length: batchItems + 1 }, () => randomUUID()),
    );
    await cancelled(now + 1, [randomUUID()]);
    const left = async () => (await world.db.query({ text: 'select from cancelled_crossings' })).length;
    expect([await forgetFold(world.context, now), await left()]).toEqual([true, 2]);
    expect([await forgetFold(world.context, now), await left()]).toEqual([false, 1]);
  });
});

describe('the word of a peer that it has a holder', () => {
  it('counts for nothing but what it was given once', async () => {
    const [author] = await world.community('author');
    const reed = await world.reed(author as UserId);
    const says = (holding: boolean) => holderSaid(world.db, { server: PEER, reedId: reed, holding });
    expect(await says(true)).toBe(false);
    expect(await world.db.query({ text: 'select from reed_server_allocations' })).toEqual([]);
    await world.db.query({
      text: 'insert into reed_server_allocations (reed_id, server_id, holding) values ($1, $2, true)',
      values: [reed, PEER],
    });
    expect([await says(false), await world.db.query({ text: 'select holding from reed_server_allocations' })]).toEqual([
      true,
      [{ holding: false }],
    ]);
  });
});
