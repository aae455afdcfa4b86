// Every statement of the ledger finds its rows by an index condition, whatever the tables hold: plans made while a table was empty are kept for
// ever. Read from generic plans on ledger connections; a scan of a whole table or index would be one of these nodes without a condition.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Sql } from '../../src/db/pool.ts';
import { postpone, relayed, reopen, undelivered } from '../../src/ledger/answer.ts';
import { assign, recheck } from '../../src/ledger/assign.ts';
import { dispatch, spread } from '../../src/ledger/claim.ts';
import type { LedgerContext } from '../../src/ledger/context.ts';
import { cancel, evict, lastCopiesGone, requestersGone } from '../../src/ledger/ends.ts';
import { open } from '../../src/ledger/open.ts';
import { acknowledge, invalidate } from '../../src/ledger/settle.ts';
import { forgive, holdersGone, sweep, wake } from '../../src/ledger/sweep.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
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
  await recheck(context, [eventId], now);
  await relayed(context, [{ eventId, holder: user }], now);
  await reopen(context, [{ eventId, holder: user, attempt: 1, outcome: 'miss', missing: reed }], now);
  await undelivered(context, [{ eventId, attempt: 1, relays: null }], now);
  for (const state of [2, 3] as const) await postpone(recorder, [user], { now, state, byMs: 1, atMostMs: 1 });
  await acknowledge(recorder, [{ eventId, requester: user, deviceId: 'd' }], [reed], now);
  await invalidate(recorder, [{ eventId, requester: user, reason: 'BAD_SIGNATURE' }], now);
  await cancel(recorder, [{ requester: user, requestId: world.request(user) }]);
  await evict(recorder, [{ holder: user, reedId: reed }]);
  await requestersGone(recorder, [user], 1);
  await lastCopiesGone(recorder, [reed], 1);
  await holdersGone(recorder, [user], 1, now);
  await sweep(recorder, world.limits, now);
  await wake(recorder, world.limits, [{ holder: user, cursor: null }], now);
  await forgive(recorder, [user], 8);
});
afterAll(() => world.close());

describe('the plan of', () => {
  it.each([
    'open',
    'dispatch',
    'spread',
    'assign',
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
    'holders_gone',
    'sweep',
    'wake',
    'forgive',
  ])('%s finds every row by an index condition', async (name) => {
    const sql = statements.find((statement) => statement.name === `ledger_${name}`);
    const [row] = await world.db.query<{ 'QUERY PLAN': { Plan: Node }[] }>({ text: `explain (generic_plan, format json) ${sql?.text}` });
    expect(row?.['QUERY PLAN'].flatMap(({ Plan }) => unbounded(Plan))).toEqual([]);
  });
});
