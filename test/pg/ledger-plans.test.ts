// Every statement of the ledger finds its rows by an index condition, whatever the tables hold: plans made while a table was empty are kept for
// ever. Read from generic plans on ledger connections; a scan of a whole table or index would be one of these nodes without a condition.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Sql } from '../../src/db/pool.ts';
import { postpone, relayed, reopen, undelivered } from '../../src/ledger/answer.ts';
import { assign, missedBy, recheck } from '../../src/ledger/assign.ts';
import { dispatch, spread } from '../../src/ledger/claim.ts';
import type { LedgerContext } from '../../src/ledger/context.ts';
import {
  auditCrossingEvents,
  auditCrossings,
  carrierEnds,
  crossingsOf,
  dueCrossings,
  linesOf,
  owedToPeers,
  paid,
  reedEnds,
  settleCrossings,
  sweepLine,
  unknownThere,
} from '../../src/ledger/crossing-ends.ts';
import { answered, arrive, crossersOf, returned, sendingOf, subjectOf, unarrived } from '../../src/ledger/crossings.ts';
import { cancel, evict, lastCopiesGone, requestersGone, subjectsGone } from '../../src/ledger/ends.ts';
import { crossingsFreed, peerEventsEnd, rouseLines } from '../../src/ledger/fold-peers.ts';
import {
  acknowledgeForeign,
  auditForeign,
  cancelForeign,
  compareForeign,
  forwarded,
  forwardingOf,
  notHeldTold,
  openForeign,
  owedNotHeld,
  oweNotHeld,
} from '../../src/ledger/foreign.ts';
import { supersedeForeign } from '../../src/ledger/foreign-slots.ts';
import { open } from '../../src/ledger/open.ts';
import { owe } from '../../src/ledger/owe.ts';
import { promote } from '../../src/ledger/promote.ts';
import { serve, serveTo, unserved } from '../../src/ledger/serve.ts';
import { acknowledge, invalidate } from '../../src/ledger/settle.ts';
import { forgive, holdersGone, leftOf, sweep, wake } from '../../src/ledger/sweep.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: Node[];
};

const TABLES = new Set([
  'pending_events',
  'pending_event_attempts',
  'holder_strikes',
  'reed_allocations',
  'reeds',
  'online_users',
  'blocks',
  'users',
  'foreign_pending_events',
  'foreign_relay_requests',
  'reed_server_allocations',
  'carrier_faults',
  'cancelled_crossings',
]);

/** Scans without a condition: of a table, or of a whole index. */
const unbounded = (node: Node): string[] => {
  const isScan = node['Node Type'] === 'Seq Scan' || (node['Node Type'].startsWith('Index') && node['Index Cond'] === undefined);
  // A bitmap of a whole index names no table.
  const isBitmap = node['Node Type'] === 'Bitmap Index Scan' && node['Index Cond'] === undefined;
  const own =
    isBitmap || (isScan && TABLES.has(node['Relation Name'] ?? ''))
      ? [`${node['Node Type']} ${node['Index Name'] ?? ''} on ${node['Relation Name'] ?? 'some table'}`]
      : [];
  return [...own, ...(node.Plans ?? []).flatMap(unbounded)];
};

/** Indexes by which an event row is locked, or an allocation is read without a bound on how many. */
const indexes = (
  node: Node,
  under: { readonly locks: boolean; readonly isBounded: boolean },
): { locked: string[]; unboundedRing: string[] } => {
  const type = node['Node Type'];
  const index = node['Index Name'];
  const own = {
    locked: under.locks && node['Relation Name'] === 'pending_events' && index !== undefined ? [index] : [],
    unboundedRing: !under.isBounded && index === 'reed_allocations_ring' ? [index] : [],
  };
  const below = { locks: type === 'LockRows', isBounded: under.isBounded || type === 'Limit' };
  const found = (node.Plans ?? []).map((plan) => indexes(plan, below));
  return {
    locked: [...own.locked, ...found.flatMap(({ locked }) => locked)],
    unboundedRing: [...own.unboundedRing, ...found.flatMap(({ unboundedRing }) => unboundedRing)],
  };
};

const TOP = { locks: false, isBounded: false };

const recordFold = async (context: LedgerContext, of: { user: UserId; reed: ReedId; eventId: string; now: number }): Promise<void> => {
  const { eventId, now, reed, user } = of;
  const { db } = context;
  const server = 's' as ServerId;
  await promote(context, [reed], now);
  await answered(context, eventId, true, now);
  await returned(context, eventId, { wasTried: true, unheldAs: '1' }, now);
  await arrive(context, { crossingId: eventId, server, parts: [reed] }, now);
  await unarrived(context, eventId, now);
  await sendingOf(db, eventId);
  await subjectOf(db, eventId, server);
  await settleCrossings(context, [{ eventId, reason: 'gone' }], now);
  await auditCrossings(context, eventId, now);
  await auditCrossingEvents(context, eventId, now);
  await owedToPeers(context, now);
  await paid(db, eventId, true, now);
  await dueCrossings(context, now);
  await crossingsOf(db, server);
  await unknownThere(context, server, [eventId], now);
  await carrierEnds(db, eventId);
  await reedEnds(context, { subject: reed, kind: 'reed' }, now);
  await sweepLine(context, now);
  await linesOf(context, server, '');
  await crossersOf(context, server);
  const asked = {
    eventId,
    server,
    peerRequestId: eventId,
    userId: user,
    keyId: 'k',
    kind: 'reed',
    subject: reed,
    isFallback: false,
    slot: 1,
  } as const;
  await openForeign(context, asked, now);
  await supersedeForeign(context, { server, peerRequestId: eventId }, now);
  await forwardingOf(context, eventId);
  await forwarded(context, { eventId, relays: 1, outcome: 'relayed' }, now);
  await acknowledgeForeign(context, server, eventId, now);
  await cancelForeign(context, { server, peerRequestId: eventId, isInvalid: true }, now);
  await compareForeign(context, server, [eventId], now);
  await auditForeign(context, eventId, now);
  await oweNotHeld(context, [eventId], now);
  await owedNotHeld(context, now);
  await notHeldTold(context, eventId);
  await peerEventsEnd(context, server);
  await crossingsFreed(context, server, now);
  await rouseLines(context, [reed], now);
};

let world: World;
const statements: Sql[] = [];
beforeAll(async () => {
  world = await World.open();
  const record = async (sql: Sql): Promise<never[]> => {
    statements.push(sql);
    return [];
  };
  const recorder = { query: record } as unknown as Database;
  const context: LedgerContext = { db: recorder, limits: world.limits, replicaId: () => world.replicaId };
  const [user, reed, eventId, now] = ['a' as UserId, 'a/b' as ReedId, randomUUID(), Date.now()];
  await open(context, [world.item(user, reed)], now);
  await dispatch(context, [user], now);
  await spread(context, [{ holder: user, subject: reed }], now);
  await assign(context, { events: [{ eventId }], requesters: [user] }, now);
  await missedBy(context, { events: [{ eventId }], requesters: [] }, []);
  await recheck(context, [eventId], now);
  await relayed(context, [{ eventId, holder: user }], now);
  await reopen(context, [{ eventId, holder: user, attempt: 1, outcome: 'miss', missing: reed }], now);
  await undelivered(context, [{ eventId, attempt: 1, relays: null }], now);
  for (const state of [2, 3] as const) await postpone(recorder, [user], { now, state, byMs: 1, atMostMs: 1 });
  await acknowledge(context, [{ eventId, requester: user, deviceId: 'd' }], [reed], now);
  await invalidate(recorder, [{ eventId, requester: user, reason: 'BAD_SIGNATURE' }], now);
  await cancel(recorder, [{ requester: user, requestId: world.request(user) }]);
  await evict(recorder, [{ holder: user, reedId: reed }]);
  await requestersGone(recorder, [user], 1);
  await lastCopiesGone(recorder, [reed], 1);
  await subjectsGone(recorder, [reed], 1);
  const owed = { eventId, requester: user, eventName: 'FOLLOW_REED', kind: 'reed', subject: reed, priority: 2, holder: user } as const;
  await owe(context, [owed], now);
  const notice = { kind: 'reed_removal', eventName: 'REED_REMOVED', subject: reed } as const;
  await serve(context, notice, { after: '', limit: 1 }, now);
  await serve(context, { kind: 'thread_removal', eventName: 'THREAD_REMOVED', subject: reed }, { after: '', limit: 1 }, now);
  await serveTo(context, user, [notice], now);
  await unserved(context, [{ eventId, requester: user, relays: 1 }], now);
  await holdersGone(recorder, [user], 1, now);
  await leftOf(recorder, [user]);
  await sweep(recorder, world.limits, now);
  await wake(recorder, world.limits, [{ holder: user, cursor: null }], now);
  await forgive(recorder, [user], 8);
  await recordFold(context, { user, reed, eventId, now });
});
afterAll(() => world.close());

const planOf = async (name: string): Promise<Node[]> => {
  const sql = statements.find((statement) => statement.name === `ledger_${name}`);
  const [row] = await world.db.query<{ 'QUERY PLAN': { Plan: Node }[] }>({ text: `explain (generic_plan, format json) ${sql?.text}` });
  return row?.['QUERY PLAN'].map(({ Plan }) => Plan) ?? [];
};

describe('the plan of', () => {
  it.each(['relayed', 'reopen', 'undelivered', 'ack', 'invalid', 'cancel', 'assign', 'unserved'])(
    '%s locks events by their key, not by an index in which a busy member leaves many dead entries',
    async (name) => {
      const locked = (await planOf(name)).flatMap((plan) => indexes(plan, TOP).locked);
      expect(new Set(locked)).toEqual(new Set(['pending_events_pkey']));
    },
  );

  it.each([
    'open',
    'dispatch',
    'spread',
    'assign',
    'assign_missed',
    'recheck',
    'relayed',
    'reopen',
    'undelivered',
    'postpone_2',
    'postpone_3',
    'ack',
    'invalid',
    'cancel',
    'evict',
    'requesters_gone',
    'last_copies',
    'subjects_gone',
    'owe',
    'serve_reed_removal',
    'serve_thread_removal',
    'serve_to',
    'unserved',
    'holders_gone',
    'left_of',
    'sweep',
    'wake',
    'forgive',
    'promote',
    'crossing_answered',
    'crossing_returned',
    'crossing_arrived',
    'crossing_unarrived',
    'crossing_sending',
    'crossing_subject',
    'crossings_settle',
    'crossings_audit',
    'crossing_events_audit',
    'crossings_owed',
    'crossing_paid',
    'crossings_due',
    'crossings_of',
    'crossings_unknown',
    'crossing_carrier_ends',
    'crossings_reed_ends',
    'sweep_line',
    'lines_of',
    'crossers_of',
    'foreign_open',
    'forwarding_of',
    'forwarded',
    'foreign_ack',
    'foreign_cancel',
    'foreign_compare',
    'foreign_audit',
    'foreign_owe_not_held',
    'foreign_owed',
    'foreign_told',
    'peer_events_end',
    'crossings_freed',
    'rouse_lines',
  ])('%s finds every row by an index condition', async (name) => {
    expect((await planOf(name)).flatMap(unbounded)).toEqual([]);
  });
});

describe('where most reeds have one holder, the plan of', () => {
  // By the statistics an index of reeds is then as good as the key; for a reed that everybody holds it is not.
  beforeAll(async () => {
    const [author] = await world.community('prolific');
    await world.db.query({
      text: `with r as (select $1 || '/' || gen_random_uuid() as id from generate_series(1, 3000)),
        i as (insert into reed_identities (id, server_id, author_id) select id, split_part($1, '@', 2), $1 from r)
        insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select $1, id, 'd', current_date from r`,
      values: [author],
    });
    await world.db.query({ text: 'vacuum analyze reed_allocations' });
  });

  it.each(['open', 'assign', 'reopen', 'evict', 'recheck', 'spread'])('%s never reads all holders of a reed', async (name) => {
    expect((await planOf(name)).flatMap((plan) => indexes(plan, TOP).unboundedRing)).toEqual([]);
  });
});
