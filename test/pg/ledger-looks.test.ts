// The ledger's looks one at a time, on real Postgres: what is handed out, woken, swept and ended.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relayed, reopen } from '../../src/ledger/answer.ts';
import { recheck } from '../../src/ledger/assign.ts';
import { dispatch, spread } from '../../src/ledger/claim.ts';
import { lastCopiesGone, requestersGone } from '../../src/ledger/ends.ts';
import { type Opened, open } from '../../src/ledger/open.ts';
import { acknowledge } from '../../src/ledger/settle.ts';
import { STATE } from '../../src/ledger/state.ts';
import { absentHolders, holdersGone, sweep, type WakeCursor, wake } from '../../src/ledger/sweep.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { assignEvents, World } from '../support/ledger-world.ts';

let world: World;
const now = 1_800_000_000_000;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

const community = (...names: string[]) => world.community(...names);
const opened = (requester: UserId, subject: ReedId) => world.opened(requester, subject, now);
const targets = (...eventIds: string[]) => ({ events: eventIds.map((eventId) => ({ eventId })), requesters: [] });

describe('DISPATCH and SPREAD', () => {
  it('hand a freed place to the oldest waiting event', async () => {
    const [author, ...viewers] = (await community('author', 'v0', 'v1', 'v2', 'v3', 'v4', 'v5')) as [UserId, ...UserId[]];
    const reed = await world.reed(author);
    const events: Opened[] = [];
    for (const viewer of viewers) events.push(await opened(viewer, reed));
    expect(await dispatch(world.context, [author], now)).toEqual({ claims: [], more: [author], locked: [] });
    await relayed(world.context, [{ eventId: events[0]?.eventId as string, holder: author }], now);
    const second = events[5]?.eventId;
    expect(await dispatch(world.context, [author], now)).toMatchObject({
      claims: [{ eventId: events[4]?.eventId, holder: author, attempt: 1, explicit: true, onlineHolders: 1 }],
      more: [author],
    });
    await relayed(world.context, [{ eventId: events[1]?.eventId as string, holder: author }], now);
    expect(await dispatch(world.context, [author], now)).toMatchObject({ claims: [{ eventId: second }], more: [] });
  });

  it('an acknowledgement tells on the way which subjects are waited for', async () => {
    const [author, viewer, reed] = await world.two();
    const other = await world.reed(author);
    await world.offline(author);
    await opened(viewer, reed);
    expect(
      (await acknowledge(world.context, [{ eventId: randomUUID(), requester: viewer, deviceId: 'd' }], [reed, other], now)).wanted,
    ).toEqual([reed]);
  });

  it('spread a reed from its new holder, W at a time, never to itself', async () => {
    const [author, holder, ...viewers] = (await community('author', 'holder', ...Array.from({ length: 12 }, (_, i) => `v${i}`))) as [
      UserId,
      UserId,
      ...UserId[],
    ];
    const reed = await world.reed(author);
    for (const viewer of viewers) await opened(viewer, reed);
    await world.hold(reed, holder);
    const { claims } = await spread(world.context, [{ holder, subject: reed }], now);
    expect(claims).toHaveLength(4);
    expect(claims.every((claim) => claim.holder === holder)).toBe(true);
    expect(await spread(world.context, [{ holder, subject: reed }], now)).toEqual({ claims: [], roused: false });
  });

  it('hand nothing to a holder that answered for a copy and gave it up', async () => {
    const [author, other, ...viewers] = (await community('author', 'other', 'v0', 'v1', 'v2', 'v3', 'v4')) as [UserId, UserId, ...UserId[]];
    const reed = await world.reed(author);
    for (const viewer of viewers) await opened(viewer, reed);
    const pairs = [{ holder: other, subject: reed }];
    expect(await spread(world.context, pairs, now)).toEqual({ claims: [], roused: false });
    await world.hold(reed, other);
    expect((await spread(world.context, pairs, now)).claims).toHaveLength(1);
  });

  it('a hundred new holders in one batch take four each', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `v${i}`);
    const [author, ...rest] = (await community('author', ...names)) as [UserId, ...UserId[]];
    const reed = await world.reed(author);
    const [holders, viewers] = [rest.slice(0, 100), rest.slice(100)];
    const items = viewers.map((requester) => world.item(requester, reed));
    for (let i = 0; i < items.length; i += 200) await open(world.context, items.slice(i, i + 200), now);
    await world.hold(reed, ...holders);
    const { claims } = await spread(
      world.context,
      holders.map((holder) => ({ holder, subject: reed })),
      now,
    );
    expect(claims).toHaveLength(396);
    const perHolder = Map.groupBy(claims, (claim) => claim.holder);
    expect(Math.max(...[...perHolder.values()].map((of) => of.length))).toBe(4);
  });
});

describe('presence', () => {
  it('gone, a holder leaves nothing in its queue or hands', async () => {
    const [author, ...viewers] = (await community('author', 'v0', 'v1', 'v2', 'v3', 'v4', 'v5')) as [UserId, ...UserId[]];
    const reed = await world.reed(author);
    for (const viewer of viewers) await opened(viewer, reed);
    expect(await holdersGone(world.db, [author], 256, now)).toBe(0);
    await world.offline(author);
    expect(await absentHolders(world.db)).toEqual([author]);
    expect(await holdersGone(world.db, [author], 4, now)).toBe(4);
    expect(await holdersGone(world.db, [author], 4, now)).toBe(2);
    const events = await assignEvents(world.context, targets(), now);
    expect(events.map((event) => event.state)).toEqual(Array(6).fill(STATE.dormant));
  });

  it('gone, a requester is owed nothing more, and its holders are told whose place is free', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    expect(await requestersGone(world.db, [viewer], 10)).toEqual([]);
    await world.offline(viewer);
    expect(await requestersGone(world.db, [viewer], 10)).toMatchObject([{ eventId, freed: author }]);
  });

  it('back, a holder finds what is dormant for its reeds, a step at a time', async () => {
    const small = await World.open({ wakeReedsPerStep: 2, wakeEventsPerStep: 3 });
    const [author, viewer] = (await small.members(['author', 'viewer'])) as [UserId, UserId];
    await small.online(viewer);
    for (let i = 0; i < 7; i += 1) {
      const item = small.item(viewer, await small.reed(author));
      await open(small.context, [item], now);
    }
    await small.online(author);
    let cursor: WakeCursor | null = null;
    const woken: number[] = [];
    do {
      const [step] = await wake(small.db, small.limits, [{ holder: author, cursor }], now);
      woken.push(step?.woken ?? 0);
      cursor = step?.cursor ?? null;
    } while (cursor !== null);
    expect(woken).toEqual([2, 2, 2, 1]);
    expect((await small.events()).map((event) => event.state)).toEqual(Array(7).fill(STATE.unassigned));
    await small.close();
  });

  it('back, or new to a reed, a holder brings nobody over the sixteen places', async () => {
    const [author, other, viewer] = (await community('author', 'other', 'viewer')) as [UserId, UserId, UserId];
    await world.offline(author);
    const reeds: ReedId[] = [];
    for (let i = 0; i < 40; i += 1) {
      const reed = await world.reed(author);
      reeds.push(reed);
      await opened(viewer, reed);
    }
    await world.online(author);
    await world.hold(reeds[0] as ReedId, other);
    expect(await spread(world.context, [{ holder: other, subject: reeds[0] as ReedId }], now)).toEqual({ claims: [], roused: true });
    await wake(world.db, world.limits, [{ holder: author, cursor: null }], now);
    await assignEvents(world.context, targets(), now);
    const awake = (await world.events()).filter((event) => event.state === STATE.waiting || event.state === STATE.dispatched);
    expect(awake).toHaveLength(16);
  });
});

describe('SWEEP', () => {
  it('re-opens what is overdue with a holder and makes it back off', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    expect(await sweep(world.db, world.limits, now + 4_999)).toEqual([]);
    expect(await sweep(world.db, world.limits, now + 5_000)).toMatchObject([{ eventId, outcome: 'reopened', freed: author }]);
    expect(await assignEvents(world.context, targets(), now + 5_000)).toMatchObject([{ state: STATE.unassigned, failing: true }]);
  });

  it('sends an unacknowledged delivery once more, then ends it', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    await relayed(world.context, [{ eventId, holder: author }], now);
    expect(await sweep(world.db, world.limits, now + 30_000)).toMatchObject([{ outcome: 'reopened' }]);
    await assignEvents(world.context, targets(), now + 30_000);
    await relayed(world.context, [{ eventId, holder: author }], now + 30_000);
    expect(await sweep(world.db, world.limits, now + 60_000)).toMatchObject([{ eventId, outcome: 'not-acknowledged', explicit: true }]);
    expect(await world.events()).toEqual([]);
  });

  it('looks at the dormant every ten minutes and lets an explicit request expire after a day', async () => {
    const [author, viewer, reed] = await world.two();
    await world.offline(author);
    await opened(viewer, reed);
    expect(await sweep(world.db, world.limits, now + 600_000)).toMatchObject([{ outcome: 'reopened' }]);
    expect(await assignEvents(world.context, targets(), now + 600_000)).toMatchObject([{ state: STATE.dormant }]);
    expect(await sweep(world.db, world.limits, now + 86_400_000)).toMatchObject([{ outcome: 'expired', explicit: true }]);
  });

  it('assigns a waiting event again after 5 s, then after twice as long', async () => {
    const [author, ...viewers] = (await community('author', 'v0', 'v1', 'v2', 'v3', 'v4')) as [UserId, ...UserId[]];
    const reed = await world.reed(author);
    for (const viewer of viewers) await opened(viewer, reed);
    const due = async () => {
      const event = (await world.events()).find((row) => row.state === STATE.waiting);
      return event?.due_at.getTime() ?? 0;
    };
    let at = now;
    const waits: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      waits.push((await due()) - at);
      at = await due();
      await world.db.query({ text: `update pending_events set due_at = to_timestamp($1) where state = 2`, values: [at / 1000 + 1000] });
      await sweep(world.db, world.limits, at);
      await assignEvents(world.context, targets(), at);
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it("a deadline ends a holder's row of busy answers: the next one backs off from the start", async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    const busy = (attempt: number, at: number) =>
      reopen(world.context, [{ eventId, holder: author, attempt, outcome: 'busy', missing: reed }], at);
    await busy(1, now);
    await assignEvents(world.context, targets(eventId), now + 2_000);
    await sweep(world.db, world.limits, now + 7_000);
    await assignEvents(world.context, targets(eventId), now + 9_000);
    await busy(3, now + 9_000);
    expect(await world.db.query({ text: 'select failures, busy, not_before from pending_event_attempts' })).toEqual([
      { failures: 1, busy: 1, not_before: new Date(now + 11_000) },
    ]);
  });
});

describe('the second look at a dormant event', () => {
  it('finds nobody whom ASSIGN would not take: the two never hand an event back and forth', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `liar${i}`);
    const [author, viewer, ...liars] = (await community('author', 'viewer', ...names)) as [UserId, UserId, ...UserId[]];
    const reed = await world.reed(author, [author, ...liars]);
    await world.db.query({
      text: "insert into holder_strikes (reed_id, holder, viewer, reason, at) select $1, unnest($2::text[]), $3, 'BAD_SIGNATURE', now()",
      values: [reed, liars, viewer],
    });
    const { eventId } = await opened(viewer, reed);
    await assignEvents(world.context, targets(eventId), now);
    const [event] = await world.events();
    expect(event?.state).toBe(STATE.dispatched);
    // The only honest holder backs off: forty liars online hide neither it nor the time at which it may be asked.
    await reopen(world.context, [{ eventId, holder: author, attempt: 1, outcome: 'error', missing: reed }], now);
    expect(await assignEvents(world.context, targets(eventId), now)).toMatchObject([
      { state: STATE.unassigned, failing: true, onlineHolders: 1 },
    ]);
    await world.offline(author);
    expect(await assignEvents(world.context, targets(eventId), now + 2_000)).toMatchObject([
      { state: STATE.dormant, failing: true, onlineHolders: 0 },
    ]);
    expect(await recheck(world.context, [eventId], now + 2_000)).toMatchObject([{ found: false, held: true }]);
    expect(await recheck(world.context, [eventId], now + 86_400_000)).toEqual([null]);
  });
});

describe('an exact search', () => {
  it('gives an event a holder that no look at the ring would find', async () => {
    const small = await World.open({ allocationsSampled: 2 });
    const names = Array.from({ length: 30 }, (_, i) => `holder${i}`);
    const [author, viewer, ...holders] = (await small.members(['author', 'viewer', ...names])) as [UserId, UserId, ...UserId[]];
    await small.online(viewer);
    const reed = await small.reed(author, [author, ...holders]);
    const { eventId } = await small.opened(viewer, reed, now);
    expect(await recheck(small.context, [eventId], now)).toEqual([{ event_id: eventId, found: false, held: true, sampled: true }]);
    const rare = holders[17] as UserId;
    await small.online(rare);
    const events = [{ eventId, holders: [rare, viewer] }];
    expect(await assignEvents(small.context, { events, requesters: [] }, now)).toMatchObject([{ state: STATE.dispatched, holder: rare }]);
    await small.close();
  });
});

describe('the last copy', () => {
  it('gone, ends every event that waits for it', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    await reopen(world.context, [{ eventId, holder: author, attempt: 1, outcome: 'miss', missing: reed }], now);
    expect(await lastCopiesGone(world.db, [reed], 10)).toMatchObject([{ eventId, explicit: true }]);
  });
});
