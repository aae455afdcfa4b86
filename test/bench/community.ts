// What a community adds to the relay: a member who comes back to tens of thousands of owed reeds, and a thousand who watch the counts of one.
import pg from 'pg';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount } from '../support/light-member.ts';
import type { Child } from './calls.ts';
import type { LoadCounts } from './load.ts';
import type { LoadApi } from './load-child.ts';
import { type Crowd, FOLLOWERS } from './spread.ts';
import { type Server, share } from './stage.ts';
import { CIPHERTEXT_BYTES } from './throughput.ts';

export type CatchupSizes = { readonly owed: number; readonly authors: number };
export type Catchup = {
  readonly owed: number;
  readonly perSecond: number;
  readonly statementsPerReed: number;
  /** Memory of the server's process while it went on, over what it was before. */
  readonly mostBytesMore: number;
  /** Rows of the ledger for this member, at most. */
  readonly mostEvents: number;
};

export type StatsSizes = { readonly changes: number; readonly everyMs: number };
export type Stats = {
  readonly watchers: number;
  readonly changes: number;
  /** REED_STATS for each watcher. */
  readonly pushes: number;
  readonly statementsPerPush: number;
  readonly cpuUsPerPush: number;
};

type Arena = { readonly server: Server; readonly loads: readonly Child<LoadApi>[] };

const clock = new OffsetClock();
const LOOK_EVERY_MS = 100;
/** Counts are told once a second. */
const QUIET_MS = 1_500;
const LONGEST_MS = 600_000;
const used = ({ server }: Arena) => server.child.call('used', undefined as never);

const connect = async ({ server, loads }: Arena, of: string, accounts: readonly LightAccount[]): Promise<void> => {
  const numbered = accounts.map((account, index) => ({ account, index }));
  const common = { of, url: server.url, library: null, ciphertextBytes: CIPHERTEXT_BYTES };
  await Promise.all(loads.map((load, index) => load.call('connect', { ...common, accounts: share(numbered, index, loads.length) })));
};

const sum = (all: readonly LoadCounts[], of: 'settled' | 'told' | 'refused'): number =>
  all.reduce((total, counts) => total + counts[of], 0);
const counts = ({ loads }: Arena, of: string) => Promise.all(loads.map((load) => load.call('counts', { of })));
const disconnect = ({ loads }: Arena, of: string) => Promise.all(loads.map((load) => load.call('disconnect', { of })));

/** A member follows some authors who wrote `owed` reeds while it was away, and comes back. */
export const measureCatchup = async (arena: Arena, { owed, authors }: CatchupSizes): Promise<Catchup> => {
  const { community } = arena.server;
  const [follower, ...writers] = (await community.accounts(authors + 1)) as [LightAccount, ...LightAccount[]];
  await community.follows(writers.map(({ userId }) => [follower.userId, userId] as const));
  for (const { userId } of writers) await community.reeds(userId, owed / authors);
  for (const table of ['reed_allocations', 'reeds', 'follows']) await community.rows(`vacuum analyze ${table}`);
  await connect(arena, 'writers', writers);
  await connect(arena, 'follower', [follower]);
  await Promise.all(arena.loads.map((load) => load.call('sync', { of: 'writers' })));
  const collected = await arena.server.child.call('collected', undefined as never);
  const before = await used(arena);
  await Promise.all(arena.loads.map((load) => load.call('sync', { of: 'follower' })));
  let [mostBytes, mostEvents] = [0, 0];
  const startedAt = performance.now();
  for (;;) {
    const [now, [{ events }]] = await Promise.all([
      used(arena),
      community.rows<{ events: number }>(EVENTS, [follower.userId]) as Promise<[{ events: number }]>,
    ]);
    mostBytes = Math.max(mostBytes, now.rssBytes);
    mostEvents = Math.max(mostEvents, events);
    const found = await counts(arena, 'follower');
    if (sum(found, 'refused') > 0) throw new Error('the catch-up was refused something');
    if (sum(found, 'settled') >= owed) break;
    if (performance.now() - startedAt > LONGEST_MS) throw new Error(`a catch-up came to rest with ${sum(found, 'settled')} of ${owed}`);
    await pause(clock, LOOK_EVERY_MS);
  }
  const passedMs = performance.now() - startedAt;
  const after = await used(arena);
  await Promise.all([disconnect(arena, 'follower'), disconnect(arena, 'writers')]);
  return {
    ...{ owed, perSecond: (owed / passedMs) * 1_000, mostEvents, mostBytesMore: mostBytes - collected.rssBytes },
    statementsPerReed:
      (after.ledgerStatements + after.applicationStatements - before.ledgerStatements - before.applicationStatements) / owed,
  };
};

const EVENTS = 'select count(*)::int as events from pending_events where requester_user_id = $1';
const LIKE = `insert into likes (user_id, target, active, seq, statement_hash)
  select u.id, $1, true, 1, u.identity_hash from users u where u.id = $2`;

/** Everybody watches one reed that is liked again and again. */
export const measureStats = async (crowd: Crowd, { changes, everyMs }: StatsSizes): Promise<Stats> => {
  const { community } = crowd.server;
  const accounts = crowd.followers;
  const watchers = accounts.length;
  const [reedId] = (await community.reeds(crowd.author.userId, 1)) as [ReedId];
  await Promise.all(crowd.loads.map((load) => load.call('watch', { of: FOLLOWERS, reedId })));
  const told = async (): Promise<number> => sum(await counts(crowd, FOLLOWERS), 'told');
  const atRest = async (): Promise<number> => {
    for (let last = -1; ; await pause(clock, QUIET_MS)) {
      const now = await told();
      if (now === last) return now;
      last = now;
    }
  };
  const [from, before] = [await atRest(), await used(crowd)];
  // One connection: to open one for each like would be most of what is measured.
  const client = new pg.Client({ connectionString: crowd.server.databaseUrl });
  await client.connect();
  for (let at = 0; at < changes; at += 1) {
    await client.query(LIKE, [reedId, accounts[at % accounts.length]?.userId]);
    await pause(clock, everyMs);
  }
  await client.end();
  const [to, after] = [await atRest(), await used(crowd)];
  const pushed = to - from;
  return {
    ...{ watchers, changes, pushes: pushed / watchers },
    statementsPerPush: (after.applicationStatements - before.applicationStatements) / Math.max(1, pushed),
    cpuUsPerPush: ((after.cpuMs + after.postgresCpuMs - before.cpuMs - before.postgresCpuMs) * 1_000) / Math.max(1, pushed),
  };
};
