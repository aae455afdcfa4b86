// What somebody else has locked is tried again until it is free; what is not there costs one look.
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OffsetClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { BatchLoad } from '../../src/db/batch.ts';
import type { Database, Sql } from '../../src/db/pool.ts';
import { reopen } from '../../src/ledger/answer.ts';
import { cancel, cutOff } from '../../src/ledger/ends.ts';
import { peersLive } from '../../src/ledger/fold-peers.ts';
import { createLedger, type Ledger, type LedgerEvents } from '../../src/ledger/ledger.ts';
import { type OpenItem, open } from '../../src/ledger/open.ts';
import { promote } from '../../src/ledger/promote.ts';
import { STATE } from '../../src/ledger/state.ts';
import { type ReedId, type ServerId, type UserId, userOf } from '../../src/wire/address.ts';
import { NOTHING_FOLLOWS, World } from '../support/ledger-world.ts';

const silent = pino({ level: 'silent' });

let world: World;
let ledger: Ledger;
const statements: string[] = [];
const lockedSeen: boolean[] = [];
const events: LedgerEvents = { ...NOTHING_FOLLOWS, assigned: (_events, _requesters, isDueLocked) => void lockedSeen.push(isDueLocked) };
let ran: () => void = () => undefined;

/** Resolves when the statement has run `times` times more. */
const runs = (name: string, times: number): Promise<void> =>
  new Promise((resolve) => {
    const enough = statements.filter((each) => each === name).length + times;
    ran = () => {
      if (statements.filter((each) => each === name).length >= enough) resolve();
    };
  });

/** A ledger whose statements are noted. */
const ledgerOf = (limits = world.limits): Ledger => {
  const query = async <Row>(sql: Sql): Promise<Row[]> => {
    const rows = await world.db.query<Row & object>(sql);
    statements.push(sql.name ?? '');
    ran();
    return rows;
  };
  const db = { query } as unknown as Database;
  const load = new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes);
  return createLedger({ ...world.context, limits, db, clock: new OffsetClock(), log: silent, load, events });
};

beforeEach(async () => {
  world = await World.open();
  statements.length = 0;
  lockedSeen.length = 0;
  ledger = ledgerOf();
});
afterEach(() => world.close());

const LOCK = 'select from pending_events where event_id = $1 for update';

/** Does it while somebody else has the event, and gives it free after a few tries. */
const whileHeld = async <T>(eventId: string, statement: string, work: () => Promise<T>): Promise<T> => {
  let outcome: Promise<T> | null = null;
  await world.whileLocked(LOCK, [eventId], async () => {
    const tried = runs(statement, 4);
    outcome = work();
    await tried;
  });
  return outcome as unknown as Promise<T>;
};

const dispatched = async (): Promise<{ eventId: string; author: UserId; viewer: UserId }> => {
  const [author, viewer, reed] = await world.two();
  const { eventId } = await world.opened(viewer, reed, Date.now());
  return { eventId, author, viewer };
};
const relayed = async (): Promise<{ eventId: string; author: UserId; viewer: UserId }> => {
  const made = await dispatched();
  await ledger.relayed.submit({ eventId: made.eventId, holder: made.author, sizeBytes: 1 });
  return made;
};

describe('while somebody else has the event', () => {
  it('an answer is not lost', async () => {
    const { author, eventId, viewer } = await dispatched();
    const answer = () => ledger.relayed.submit({ eventId, holder: author, sizeBytes: 1 });
    expect(await whileHeld(eventId, 'ledger_relayed', answer)).toMatchObject({ verdict: 'relayed', requester: viewer });
    expect(await world.events()).toMatchObject([{ state: STATE.relayed }]);
  });

  it.each(['miss', 'error', 'busy'] as const)('a %s is not lost', async (outcome) => {
    const { author, eventId } = await dispatched();
    const fail = () => ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome, missing: null });
    expect(await whileHeld(eventId, 'ledger_reopen', fail)).toMatchObject({ subjectKind: 'reed' });
    expect(await world.events()).toMatchObject([{ state: STATE.unassigned }]);
  });

  it('what could not be written is taken back', async () => {
    const { eventId } = await dispatched();
    const takeBack = () => ledger.undelivered.submit({ eventId, attempt: 1, relays: null });
    expect(await whileHeld(eventId, 'ledger_undelivered', takeBack)).toBe(true);
    expect(await world.events()).toMatchObject([{ state: STATE.unassigned }]);
  });

  it('an acknowledgement is not lost', async () => {
    const { eventId, viewer } = await relayed();
    const ack = () => ledger.acknowledge.submit({ eventId, requester: viewer, deviceId: 'd' });
    expect(await whileHeld(eventId, 'ledger_ack', ack)).not.toBeNull();
    expect(await world.events()).toEqual([]);
    expect(await world.db.query({ text: 'select from reed_allocations where holder_user_id = $1', values: [viewer] })).toHaveLength(1);
  });

  it('a finding that the copy is false is not lost', async () => {
    const { eventId, viewer } = await relayed();
    const find = () => ledger.invalidate.submit({ eventId, requester: viewer, reason: 'BAD_SIGNATURE' });
    expect(await whileHeld(eventId, 'ledger_invalid', find)).not.toBeNull();
    expect(await world.events()).toEqual([]);
  });

  it('a cancel is not lost', async () => {
    const { eventId, viewer } = await dispatched();
    const [event] = await world.events();
    const cancel = () => ledger.cancel.submit({ requester: viewer, requestId: event?.request_id ?? world.request(viewer) });
    expect(await whileHeld(eventId, 'ledger_cancel', cancel)).toMatchObject([{ eventId }]);
  });

  it('an event that is to be assigned is assigned afterwards', async () => {
    const { author, eventId } = await dispatched();
    await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
    await whileHeld(eventId, 'ledger_assign', () => ledger.assign.submit({ eventId }));
    expect(await world.events()).toMatchObject([{ state: STATE.dormant }]);
  });

  it.each(['due-again', 'requester'] as const)(
    'what is due, or has a place now, and nobody has named is assigned afterwards (%s)',
    async (which) => {
      const { author, eventId, viewer } = await dispatched();
      await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
      await whileHeld(eventId, 'ledger_assign', () => ledger.assign.submit(which === 'requester' ? { requester: viewer } : which));
      expect(await world.events()).toMatchObject([{ state: STATE.dormant }]);
    },
  );

  it('whoever waits for one look at what is due does not wait for it, and is told', async () => {
    const { author, eventId } = await dispatched();
    await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
    await world.whileLocked(LOCK, [eventId], async () => {
      await ledger.assign.submit('due');
    });
    expect(statements.filter((name) => name === 'ledger_assign')).toHaveLength(1);
    expect(lockedSeen).toEqual([true]);
  });

  it('for longer than it is tried, the step is UNAVAILABLE', async () => {
    const { author, eventId } = await dispatched();
    const hasty = ledgerOf({ ...world.limits, lockedTries: 3 });
    await world.whileLocked(LOCK, [eventId], async () => {
      const answer = hasty.relayed.submit({ eventId, holder: author, sizeBytes: 1 });
      await expect(answer).rejects.toThrow(AppError);
      await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
    expect(statements.filter((name) => name === 'ledger_relayed')).toHaveLength(3);
  });
});

const COMING_OR_GOING = 'select from online_users where user_id = $1 for update';

describe('while its requester comes or goes', () => {
  it.each(['due-again', 'requester'] as const)('what is due, or has a place now, is assigned afterwards (%s)', async (which) => {
    const { author, eventId, viewer } = await dispatched();
    await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
    const tried = runs('ledger_assign', 4);
    let looked: Promise<true> | null = null;
    await world.whileLocked(COMING_OR_GOING, [viewer], async () => {
      looked = ledger.assign.submit(which === 'requester' ? { requester: viewer } : which);
      await tried;
    });
    await looked;
    expect(await world.events()).toMatchObject([{ state: STATE.dormant }]);
  });

  it('and is gone in the end, one look costs one statement', async () => {
    const { author, eventId, viewer } = await dispatched();
    await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
    await world.offline(viewer);
    await ledger.assign.submit({ requester: viewer });
    await ledger.assign.submit('due-again');
    expect(statements.filter((name) => name === 'ledger_assign')).toHaveLength(2);
  });
});

describe('a line of which somebody has an event, or whose first comes or goes', () => {
  it('is named as locked, and only then', async () => {
    const peer = 'bbbbbbbbbbbbbbbb' as ServerId;
    const far = `cccccccccccccccc@${peer}/01890000-0000-7000-8000-000000000000` as ReedId;
    await world.db.query({ text: "insert into servers (id, name, first_seen_at) values ($1, 'peer', now())", values: [peer] });
    await peersLive(world.db, [peer]);
    for (const member of await world.community('one', 'other')) await world.opened(member, far, Date.now());
    const [first, second] = (await world.db.query({
      text: 'select event_id, requester_user_id from pending_events order by seq',
    })) as { event_id: string; requester_user_id: UserId }[];
    const look = async () => {
      const { crossing, locked } = await promote(world.context, [far], Date.now());
      return [crossing.length, locked];
    };
    await world.whileLocked(LOCK, [first?.event_id], async () => {
      await world.whileLocked(COMING_OR_GOING, [second?.requester_user_id], async () => {
        expect(await look()).toEqual([0, [far]]);
      });
      expect(await look()).toEqual([1, [far]]);
    });
    await world.whileLocked(COMING_OR_GOING, [first?.requester_user_id], async () => {
      expect(await look()).toEqual([0, [far]]);
    });
    await world.offline(first?.requester_user_id as UserId);
    expect(await look()).toEqual([0, []]);
  });
});

describe('one look costs', () => {
  it('what is due, if nobody has it', async () => {
    const { author, eventId } = await dispatched();
    await ledger.reopen.submit({ eventId, holder: author, attempt: 1, outcome: 'miss', missing: null });
    await ledger.assign.submit('due');
    await ledger.assign.submit('due-again');
    expect(statements.filter((name) => name === 'ledger_assign')).toHaveLength(2);
  });

  it.each(['an id of nobody', "somebody else's event", 'an event in another state'])('%s, even while the row is locked', async (which) => {
    const { author, eventId: existing, viewer } = await dispatched();
    const eventId = which === 'an id of nobody' ? randomUUID() : existing;
    const [holder, requester] = which === 'an event in another state' ? [viewer, viewer] : [viewer, author];
    await world.whileLocked(LOCK, [existing], async () => {
      expect(await ledger.relayed.submit({ eventId, holder, sizeBytes: 1 })).toBeNull();
      expect(await ledger.reopen.submit({ eventId, holder, attempt: 1, outcome: 'error', missing: null })).toBeNull();
      expect(await ledger.acknowledge.submit({ eventId, requester, deviceId: 'd' })).toBeNull();
      expect(await ledger.invalidate.submit({ eventId, requester, reason: 'BAD_SIGNATURE' })).toBeNull();
      expect(await ledger.undelivered.submit({ eventId, attempt: 7, relays: null })).toBeNull();
    });
    expect(statements).toEqual(['ledger_relayed', 'ledger_reopen', 'ledger_ack', 'ledger_invalid', 'ledger_undelivered']);
  });
});

describe('no attempt is left behind, whoever fails an event at the moment when it is ended', () => {
  const ends = {
    'by a cancel': (item: OpenItem) => cancel(world.db, [item]),
    'by a block': (item: OpenItem) => world.db.transaction((tx) => cutOff(tx, userOf(item.subject), item.requester)),
  };
  it.each(Object.entries(ends))('%s', async (_, end) => {
    const { author, eventId, viewer } = await dispatched();
    const reed = (await world.events())[0]?.subject_id as ReedId;
    await world.db.query({ text: 'delete from pending_events where event_id = $1', values: [eventId] });
    for (let round = 0; round < 200; round += 1) {
      const item = world.item(viewer, reed);
      await open(world.context, [item], Date.now());
      const failed = () =>
        reopen(world.context, [{ eventId: item.eventId, holder: author, attempt: 1, outcome: 'error', missing: null }], Date.now());
      await Promise.all(round % 2 === 0 ? [failed(), end(item)] : [end(item), failed()]);
      await end(item);
    }
    expect(await world.events()).toEqual([]);
    expect(await world.db.query({ text: 'select * from pending_event_attempts' })).toEqual([]);
  });
});
