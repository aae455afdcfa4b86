// Everybody is cut off at the same moment and comes back at the same moment, each from an address of its own: everybody is let in, every
// open request is driven again and answered, nothing is lost, and it costs statements by the batch, not by the member.
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { Child } from '../bench/calls.ts';
import { share } from '../bench/stage.ts';
import { type LightAccount, LightCommunity, LightMember } from '../support/light-member.ts';
import { startServer, type TestServer } from '../support/server.ts';
import type { Entry, Person } from '../support/storm.ts';
import type { StormApi } from '../support/storm-child.ts';

/** So long that a loaded machine does not reach it by itself. */
const NEVER_MS = 3_600_000;
const PATIENT = {
  dispatchDeadlineMs: NEVER_MS,
  authenticationMs: NEVER_MS,
  pongWaitMs: NEVER_MS,
  pongWaitMaxMs: NEVER_MS,
  httpRequestMs: 600_000,
};
/** So few may be signing in that some of so many are turned away, however slowly they come. */
const NARROW = { unauthenticatedSockets: 250 };
const SILENT = { answer: 'nothing' } as const;
const ANSWERING = { answer: 'bytes' } as const;

let server: TestServer;
let community: LightCommunity;
let parts: Child<StormApi>[] = [];

const open = async (limits: Partial<Limits> = {}): Promise<void> => {
  server = await startServer({ config: { trustProxy: 1 }, limits: { ...PATIENT, ...limits } });
  community = new LightCommunity(server.database.url, server.app.serverId);
};

afterEach(async () => {
  for (const part of parts.splice(0)) await part.stop();
  await server.close();
});

/** Members in so many processes; each has a reed of its own, and the first `asking` want that of the next. */
const gather = async (members: number, asking: number, processes: number): Promise<void> => {
  const accounts = await community.accounts(members);
  const reeds = await community.reedOfEach(accounts);
  const people = accounts.map((account, at): Person => {
    const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    return { account, address, wants: at < asking ? (reeds[(at + 1) % members] ?? null) : null };
  });
  parts = await Promise.all(Array.from({ length: processes }, () => Child.start<StormApi>('../support/storm-child.ts')));
  await all((part, at) => part.call('begin', { url: server.url, people: share(people, at, processes) }));
};
const all = <T>(act: (part: Child<StormApi>, at: number) => Promise<T>): Promise<T[]> => Promise.all(parts.map(act));
const sum = (numbers: readonly number[]): number => numbers.reduce((so, number) => so + number, 0);
const ask = async (): Promise<number> => sum(await all((part) => part.call('ask', null)));
const served = async (): Promise<number> => sum(await all((part) => part.call('served', null)));
const cut = (): Promise<unknown> => all((part) => part.call('cut', null));
const come = async (behaviour: typeof SILENT | typeof ANSWERING, together: number): Promise<Entry> => {
  const entries = await all((part) => part.call('come', { behaviour, together: Math.ceil(together / parts.length) }));
  return {
    turnedAway: sum(entries.map((entry) => entry.turnedAway)),
    longestWaitMs: Math.max(...entries.map((entry) => entry.longestWaitMs)),
    resumed: sum(entries.map((entry) => entry.resumed)),
    asked: sum(entries.map((entry) => entry.asked)),
  };
};
const counted = async (what: string): Promise<number> =>
  (await community.rows<{ count: number }>(`select count(*)::int as count from ${what}`))[0]?.count ?? -1;
const statements = (): number => server.app.statements().application;
/** What is true once everybody is back and served. */
const expectNothingLost = async (members: number, asking: number): Promise<void> => {
  await server.settle();
  expect(await counted('online_users')).toBe(members);
  expect(await counted('online_connections')).toBe(members);
  expect(await counted('pending_events')).toBe(0);
  expect(await counted('reed_allocations')).toBe(members + asking);
};

describe('a holder who is cut off and comes back', () => {
  it('is asked again at once, though it was back before its leaving was looked at', async () => {
    await open();
    const [holder, viewer] = (await community.accounts(2)) as [LightAccount, LightAccount];
    const [reed] = (await community.reedOfEach([holder])) as [ReedId];
    const first = await LightMember.connect(server.url, holder, SILENT);
    const reader = await LightMember.connect(server.url, viewer);
    reader.request(reed);
    await first.next('relayRequest');
    const ledger = new pg.Client({ connectionString: server.database.url });
    await ledger.connect();
    await ledger.query('begin');
    // Presence goes on; looks at what it left or brings have to wait.
    await ledger.query('lock table pending_events in access exclusive mode');
    await first.vanish();
    await expect.poll(() => counted('online_users'), { timeout: 60_000 }).toBe(1);
    const second = await LightMember.connect(server.url, holder, ANSWERING);
    await ledger.query('rollback');
    await ledger.end();
    await reader.next('settled');
    expect(second.frames.filter(({ type }) => type === 'relayRequest')).toHaveLength(1);
  });
});

describe('members who are cut off together and come back together', () => {
  it('are let in at once, a thousand of them, and get what they had asked for', async () => {
    const members = 1_000;
    await open();
    await gather(members, members, 1);
    await come(SILENT, members);
    expect(await ask()).toBe(members);
    await server.settle();
    expect(await counted('pending_events where state in (1, 2)')).toBe(members);

    const before = statements();
    await cut();
    const back = await come(ANSWERING, members);
    expect(back.turnedAway).toBe(0);
    expect(back.asked + back.resumed).toBe(members);
    expect(await served()).toBe(members);
    // Each of them left, came, asked, answered and was answered. A busy machine makes small batches; ten thousand come below.
    expect(statements() - before).toBeLessThan(2 * members);
    await expectNothingLost(members, members);
  });

  it('are let in by turns, ten thousand of them, each by the moment that it was told', async () => {
    const [members, asking] = [10_000, 1_000];
    await open(NARROW);
    await gather(members, asking, 2);
    await come(SILENT, 200);
    expect(await ask()).toBe(asking);

    const before = statements();
    await cut();
    const back = await come(ANSWERING, members);
    expect(back.turnedAway).toBeGreaterThan(0);
    expect(back.turnedAway).toBeLessThan(4 * members);
    expect(back.longestWaitMs).toBeLessThanOrEqual(60_000);
    expect(await served()).toBe(asking);
    expect(statements() - before).toBeLessThan(members);
    await expectNothingLost(members, asking);
  }, 600_000);
});
