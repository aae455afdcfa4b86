// The ledger's statements one at a time, on real Postgres: what each does to the rows, and what it refuses to do.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCKED } from '../../src/db/batch.ts';
import { relayed, reopen, undelivered } from '../../src/ledger/answer.ts';
import { dispatch } from '../../src/ledger/claim.ts';
import { cancel } from '../../src/ledger/ends.ts';
import { type Opened, type OpenOutcome, open } from '../../src/ledger/open.ts';
import { acknowledge, invalidate } from '../../src/ledger/settle.ts';
import { STATE } from '../../src/ledger/state.ts';
import { sweep } from '../../src/ledger/sweep.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
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

describe('OPEN', () => {
  it('claims an online holder at once', async () => {
    const [author, viewer, reed] = await world.two();
    const event = await opened(viewer, reed);
    expect(event).toMatchObject({
      fresh: true,
      state: STATE.dispatched,
      holder: author,
      owner: world.replicaId,
      onlineHolders: 1,
      full: false,
    });
    expect(event.requesterKeyId).toContain(viewer);
  });

  it('goes dormant when no holder is online', async () => {
    const [author, viewer, reed] = await world.two();
    await world.offline(author);
    expect(await opened(viewer, reed)).toMatchObject({ state: STATE.dormant, holder: null, onlineHolders: 0 });
  });

  it('waits in the queue of a holder whose window is full, and never claims more than W in one batch', async () => {
    const [author, ...viewers] = (await community('author', ...Array.from({ length: 30 }, (_, i) => `viewer${i}`))) as [
      UserId,
      ...UserId[],
    ];
    const reed = await world.reed(author);
    const items = viewers.map((requester) => world.item(requester, reed));
    const { outcomes } = await open(world.context, items, now);
    const states = outcomes.map((outcome) => (outcome as Opened).state);
    expect(states.filter((state) => state === STATE.dispatched)).toHaveLength(4);
    expect(states.filter((state) => state === STATE.waiting)).toHaveLength(26);
  });

  it('keeps a holder within W over several reeds of one batch', async () => {
    const [author, ...viewers] = (await community('author', ...Array.from({ length: 9 }, (_, i) => `viewer${i}`))) as [UserId, ...UserId[]];
    const items = [];
    for (const requester of viewers) {
      items.push(world.item(requester, await world.reed(author)));
    }
    const { outcomes } = await open(world.context, items, now);
    expect(outcomes.filter((outcome) => (outcome as Opened).state === STATE.dispatched)).toHaveLength(4);
    expect(outcomes.filter((outcome) => (outcome as Opened).state === STATE.waiting)).toHaveLength(5);
  });

  it('joins an open event instead of making a second one, under the newest request id', async () => {
    const [, viewer, reed] = await world.two();
    const first = await opened(viewer, reed);
    const second = await opened(viewer, reed);
    expect(second).toMatchObject({ fresh: false, eventId: first.eventId, state: STATE.dispatched, onlineHolders: 1 });
    expect(await world.events()).toHaveLength(1);
  });

  it('refuses what is unknown, unpublished, removed, blocked, held by nobody, or asked by somebody who left', async () => {
    const [author, viewer, reed] = await world.two();
    const refusal = async (requester: UserId, subject: ReedId) => ((await world.ask(requester, subject, now)) as OpenOutcome).refusal;
    expect(await refusal(viewer, `${author}/01890000-0000-7000-8000-000000000000` as ReedId)).toBe('not-found');
    const unpublished = await world.reed(author);
    await world.db.query({ text: 'update reeds set published_at = null where id = $1', values: [unpublished] });
    expect(await refusal(viewer, unpublished)).toBe('not-found');
    const removed = await world.reed(author);
    await world.db.query({ text: 'update reeds set removed_at = now() where id = $1', values: [removed] });
    expect(await refusal(viewer, removed)).toBe('removed');
    expect(await refusal(viewer, await world.reed(author, []))).toBe('not-held');
    await world.db.query({
      text: 'insert into blocks (user_id, target, active, seq, statement_hash) select $1, $2, true, 1, identity_hash from users where id = $1',
      values: [author, viewer],
    });
    expect(await refusal(viewer, reed)).toBe('blocked');
    expect(await refusal(author, await world.reed(viewer))).toBe('blocked');
    await world.offline(viewer);
    expect(await refusal(viewer, await world.reed(viewer))).toBe('gone');
    expect(await world.events()).toHaveLength(0);
  });

  it('takes a holder whose buffers are full for one without a place', async () => {
    const [author, other, viewer] = (await community('author', 'other', 'viewer')) as [UserId, UserId, UserId];
    await world.db.query({ text: 'update online_users set congested = true where user_id = $1', values: [author] });
    for (let i = 0; i < 4; i += 1) {
      expect(await opened(viewer, await world.reed(author, [author, other]))).toMatchObject({ state: STATE.dispatched, holder: other });
    }
    const { eventId } = await opened(viewer, await world.reed(author));
    expect((await world.events()).at(-1)).toMatchObject({ event_id: eventId, state: STATE.waiting });
    expect(await dispatch(world.context, [author], now)).toEqual({ claims: [], more: [], locked: [] });
    await world.db.query({ text: 'update online_users set congested = false', values: [] });
    expect(await dispatch(world.context, [author], now)).toMatchObject({ claims: [{ eventId, holder: author }] });
  });

  it('leaves what nobody online has dormant, whether its requester has a place or not', async () => {
    const [author, viewer] = await world.two();
    await world.offline(author);
    const items = [];
    for (let i = 0; i < 20; i += 1) items.push(world.item(viewer, await world.reed(author)));
    const { outcomes } = await open(world.context, items, now);
    expect(outcomes.map((outcome) => (outcome as Opened).state)).toEqual(Array(20).fill(STATE.dormant));
  });

  it("drops the asker's own allocation, and says that nobody holds it if that was the last", async () => {
    const [author, , reed] = await world.two();
    expect(await world.ask(author, reed, now)).toEqual({ refusal: 'not-held' });
    expect(await world.db.query({ text: 'select * from reed_allocations' })).toHaveLength(0);
  });

  it('holds more than 64 open requests back, and leaves those over 16 awake unassigned', async () => {
    const [author, viewer] = await world.two();
    const states: (number | string | null)[] = [];
    for (let i = 0; i < 66; i += 1) {
      const outcome = (await world.ask(viewer, await world.reed(author), now)) as OpenOutcome;
      states.push(outcome.refusal ?? outcome.state);
    }
    expect(states.filter((state) => state === STATE.dispatched)).toHaveLength(4);
    expect(states.filter((state) => state === STATE.waiting)).toHaveLength(12);
    expect(states.filter((state) => state === STATE.unassigned)).toHaveLength(48);
    expect(states.filter((state) => state === 'too-many')).toHaveLength(2);
  });

  it('only queues with a holder whose newest connection is on another replica', async () => {
    const [author, viewer, reed] = await world.two();
    const other = randomUUID();
    await world.db.query({ text: 'update online_users set owner = $1 where user_id = $2', values: [other, author] });
    expect(await opened(viewer, reed)).toMatchObject({ state: STATE.waiting, holder: author, owner: other });
  });

  it('gives a new request for an open event its whole day', async () => {
    const [author, viewer, reed] = await world.two();
    await world.offline(author);
    await opened(viewer, reed);
    const day = 86_400_000;
    await world.opened(viewer, reed, now + day - 1_000);
    expect(await sweep(world.db, world.limits, now + day)).toMatchObject([{ outcome: 'reopened' }]);
  });

  it('says neither yes nor no while the requester signs in or out', async () => {
    const [, viewer, reed] = await world.two();
    await world.whileLocked('select from online_users where user_id = $1 for update', [viewer], async () => {
      expect(await world.ask(viewer, reed, now)).toBe(LOCKED);
    });
    expect(await world.ask(viewer, reed, now)).toMatchObject({ state: STATE.dispatched });
  });

  it('says neither yes nor no of a cancel whose event is moved on just then', async () => {
    const [, viewer, reed] = await world.two();
    const item = world.item(viewer, reed);
    await open(world.context, [item], now);
    const given = [{ requester: viewer, requestId: item.requestId }];
    await world.whileLocked('select from pending_events where event_id = $1 for update', [item.eventId], async () => {
      expect(await cancel(world.db, given)).toEqual([LOCKED]);
    });
    expect(await cancel(world.db, given)).toMatchObject([[{ eventId: item.eventId }]]);
    expect(await cancel(world.db, given)).toEqual([[]]);
  });

  it('refuses a request id that stands for another subject', async () => {
    const [author, viewer, reed] = await world.two();
    const requestId = world.request(viewer);
    const item = { eventId: randomUUID(), requestId, requester: viewer, kind: 'reed' as const, subject: reed };
    await open(world.context, [item], now);
    const again = { ...item, eventId: randomUUID(), subject: await world.reed(author) };
    expect((await open(world.context, [again], now)).outcomes).toEqual([{ refusal: 'conflict' }]);
  });

  it('asks for a thread only a holder of all its parts', async () => {
    const [author, half, whole, viewer] = (await community('author', 'half', 'whole', 'viewer')) as [UserId, UserId, UserId, UserId];
    const head = await world.reed(author, [half, whole]);
    const part = await world.reed(author, [whole]);
    await world.db.query({
      text: 'update reeds set thread_head = $1, thread_index = (id <> $1)::int where id in ($1, $2)',
      values: [head, part],
    });
    const item = world.item(viewer, head, 'thread');
    const { outcomes } = await open(world.context, [item], now);
    expect(outcomes[0]).toMatchObject({ state: STATE.dispatched, holder: whole, onlineHolders: 1 });
  });
});

describe('the answers', () => {
  it('relays an answer of the holder asked, and of nobody else', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    expect(await relayed(world.context, [{ eventId, holder: viewer }], now)).toEqual([null]);
    expect(
      await relayed(
        world.context,
        [
          { eventId: randomUUID(), holder: author },
          { eventId, holder: author },
        ],
        now,
      ),
    ).toEqual([null, expect.objectContaining({ verdict: 'relayed', requester: viewer, subjectId: reed, relays: 1 })]);
    expect(await relayed(world.context, [{ eventId, holder: author }], now)).toEqual([null]);
  });

  it('ends the event instead when the reed was removed or a block came in between', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    await world.db.query({ text: 'update reeds set removed_at = now() where id = $1', values: [reed] });
    expect(await relayed(world.context, [{ eventId, holder: author }], now)).toMatchObject([{ verdict: 'removed', explicit: true }]);
    expect(await world.events()).toHaveLength(0);
  });

  it('acknowledged by its requester once relayed, an event ends and makes a holder', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    const ack = async (requester: UserId) => (await acknowledge(world.context, [{ eventId, requester, deviceId: 'd' }], [], now)).outcomes;
    expect(await ack(viewer)).toEqual([null]);
    await relayed(world.context, [{ eventId, holder: author }], now);
    expect(await ack(author)).toEqual([null]);
    expect(await ack(viewer)).toEqual([{ subjectId: reed, isContent: true }]);
    expect(await ack(viewer)).toEqual([null]);
    const rows = await world.db.query({
      text: 'select holder_user_id from reed_allocations where reed_id = $1 order by 1',
      values: [reed],
    });
    expect(rows).toHaveLength(2);
    expect(await world.events()).toHaveLength(0);
  });

  it('a miss drops the allocation; another holder is asked', async () => {
    const [author, other, viewer] = (await community('author', 'other', 'viewer')) as [UserId, UserId, UserId];
    const reed = await world.reed(author, [author, other]);
    const { eventId, holder } = await opened(viewer, reed);
    const failure = { eventId, holder: holder as UserId, attempt: 1, outcome: 'miss' as const, missing: reed };
    expect(await reopen(world.context, [{ ...failure, attempt: 2 }], now)).toEqual([null]);
    expect(await reopen(world.context, [failure], now)).toEqual([{ subjectId: reed, subjectKind: 'reed' }]);
    const [assigned] = await assignEvents(world.context, targets(eventId), now);
    expect(assigned).toMatchObject({ state: STATE.dispatched, attempt: 2, explicit: true });
    expect(assigned?.holder).not.toBe(holder);
    expect(await world.db.query({ text: 'select * from reed_allocations' })).toHaveLength(1);
  });

  it('an erring holder backs off longer each time and is given up after eight failures', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    let at = now;
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await reopen(world.context, [{ eventId, holder: author, attempt, outcome: 'error', missing: reed }], at);
      const [held] = await assignEvents(world.context, targets(eventId), at);
      if (attempt === 8) {
        expect(held).toMatchObject({ state: STATE.dormant, failing: true, onlineHolders: 0 });
        break;
      }
      expect(held).toMatchObject({ state: STATE.unassigned, failing: true });
      const [row] = await world.events();
      const due = row?.due_at.getTime() ?? 0;
      waits.push(due - at);
      at = due;
      expect(await assignEvents(world.context, targets(), at)).toMatchObject([{ state: STATE.dispatched, holder: author }]);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]);
  });

  it('busy backs off without counting as a failure', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    let at = now;
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await reopen(world.context, [{ eventId, holder: author, attempt, outcome: 'busy', missing: reed }], at);
      await assignEvents(world.context, targets(eventId), at);
      const due = (await world.events())[0]?.due_at.getTime() ?? 0;
      waits.push(due - at);
      at = due;
      expect(await assignEvents(world.context, targets(), at)).toMatchObject([{ state: STATE.dispatched, attempt: attempt + 1 }]);
    }
    expect(waits.slice(0, 4)).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(Math.max(...waits)).toBe(300_000);
  });

  it('busy for a day, the only holder lets an explicit request expire', async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    const late = now + 86_400_000;
    await reopen(world.context, [{ eventId, holder: author, attempt: 1, outcome: 'busy', missing: reed }], late);
    expect(await assignEvents(world.context, targets(eventId), late)).toMatchObject([{ state: STATE.dormant }]);
    expect(await sweep(world.db, world.limits, late)).toMatchObject([{ eventId, outcome: 'expired' }]);
  });

  it("what could not be written is re-opened a second later at nobody's charge", async () => {
    const [author, viewer, reed] = await world.two();
    const { eventId } = await opened(viewer, reed);
    expect(await undelivered(world.context, [{ eventId, attempt: 9, relays: null }], now)).toEqual([null]);
    await relayed(world.context, [{ eventId, holder: author }], now);
    expect(await undelivered(world.context, [{ eventId, attempt: null, relays: 1 }], now)).toEqual([true]);
    expect(await assignEvents(world.context, targets(), now + 999)).toEqual([]);
    expect(await assignEvents(world.context, targets(), now + 1_000)).toMatchObject([{ state: STATE.dispatched }]);
    expect(await world.db.query({ text: 'select * from pending_event_attempts' })).toEqual([]);
  });

  it('an accusing DATA_INVALID strikes the holder for this viewer, and for all once the viewer acknowledged another copy', async () => {
    const [author, liar, viewer, second] = (await community('author', 'liar', 'viewer', 'second')) as [UserId, UserId, UserId, UserId];
    const reed = await world.reed(author, [author, liar]);
    await world.offline(author);
    const { eventId, holder } = await opened(viewer, reed);
    expect(holder).toBe(liar);
    await relayed(world.context, [{ eventId, holder: liar }], now);
    expect(await invalidate(world.db, [{ eventId, requester: liar, reason: 'BAD_SIGNATURE' }], now)).toEqual([null]);
    expect(await invalidate(world.db, [{ eventId, requester: viewer, reason: 'BAD_SIGNATURE' }], now)).toEqual([
      { subjectId: reed, isContent: true },
    ]);
    const again = await opened(viewer, reed);
    expect(again).toMatchObject({ state: STATE.dormant, onlineHolders: 0 });
    await world.online(author);
    const [assigned] = await assignEvents(world.context, targets(again.eventId), now);
    expect(assigned).toMatchObject({ state: STATE.dispatched, holder: author });
    await relayed(world.context, [{ eventId: again.eventId, holder: author }], now);
    await acknowledge(world.context, [{ eventId: again.eventId, requester: viewer, deviceId: 'd' }], [], now);
    await world.offline(viewer);
    expect(await world.db.query({ text: 'select holder from holder_strikes where counted_at is not null' })).toEqual([{ holder: liar }]);
    for (let i = 0; i < 3; i += 1) {
      const chosen = await opened(second, reed);
      expect(chosen.holder).toBe(author);
      await cancel(world.db, [{ requester: second, requestId: (await world.events())[0]?.request_id as RequestId }]);
    }
  });
});
