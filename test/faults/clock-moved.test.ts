// A clock that jumps, by an hour or a day, on or back: the database's, which the server follows, under everything that has a date. What is open comes
// to its end; nobody is signed out whose session is young; no holder is blamed for an hour that was not there.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type LightAccount, LightCommunity, LightMember } from '../support/light-member.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { PgProxy } from '../support/pg-proxy.ts';
import { startServer, type TestServer } from '../support/server.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MEASURE_MS = 20;

let database: TestDatabase;
let proxy: PgProxy;
let clock: MovedClock;
let server: TestServer;
let community: LightCommunity;
let accounts: LightAccount[];
let author: LightMember;
let viewer: LightMember;
let reeds: ReedId[];

/**
 * Moves the database's clock for whoever connects from now on: its functions are found by search path, so ours answer first. Connections are made
 * anew by cutting them, as a host that was suspended cuts them.
 */
const moveDatabase = async (byMs: number): Promise<void> => {
  await community.rows(
    `create or replace function moved.clock_timestamp() returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() + interval '${byMs} milliseconds' $$`,
  );
};

beforeEach(async () => {
  database = await createDatabase();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=moved,pg_catalog,public');
  proxy = await PgProxy.start(url.href);
  clock = new MovedClock();
  const scout = new LightCommunity(database.url, 'x');
  await scout.rows('create schema moved');
  await scout.rows(
    `create function moved.clock_timestamp() returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() $$`,
  );
  server = await startServer({
    database: { url: proxy.url, drop: () => database.drop() },
    limits: { clockMeasureEveryMs: MEASURE_MS, tokenIdleMs: 10 * DAY_MS, tokenLifeMs: 10 * DAY_MS, dispatchDeadlineMs: 60_000 },
    overrides: { clock },
  });
  community = new LightCommunity(database.url, server.app.serverId);
  accounts = await community.accounts(3);
  const [a, b] = accounts as [LightAccount, LightAccount];
  reeds = await community.reeds(a.userId, 3);
  author = await LightMember.connect(server.url, a, { answer: 'nothing' });
  viewer = await LightMember.connect(server.url, b);
});

afterEach(async () => {
  await Promise.all([author.vanish(), viewer.vanish()]);
  await server.settle();
  expect(await community.rows('select event_id from pending_events')).toEqual([]);
  await server.close();
  await proxy.close();
});

/** The server's own clock at the moment, beside the true time. */
const aheadMs = (): number => clock.now() - Date.now();
const ended = (id: string) => () =>
  viewer.frames.some(
    (frame) =>
      frame.type === 'settled' &&
      frame.body.events.some((event) =>
        viewer.frames.some((f) => f.id === event.eventId && f.type === 'dataResponse' && f.body.requestId === id),
      ),
  );

describe('the clock of the database', () => {
  it.each([
    ['on', HOUR_MS],
    ['on', DAY_MS / 2],
    ['back', -HOUR_MS],
    ['back', -DAY_MS],
  ])('put %s by %i ms: what is open is served, what is asked afterwards too, and nobody is sent away', async (_, byMs) => {
    const open = viewer.request(reeds[0] as ReedId);
    await author.next('relayRequest');
    await moveDatabase(byMs);
    // A clock put on is followed at once, one put back by running at half speed.
    if (byMs > 0) await expect.poll(aheadMs, { timeout: 30_000 }).toBeGreaterThan(byMs - 60_000);
    else await expect.poll(() => proxy.passed('clock_now'), { timeout: 30_000 }).toBeGreaterThan(9);
    expect(aheadMs()).toBeGreaterThan(byMs > 0 ? 0 : -60_000);
    author.behaviour.answer = 'bytes';
    author.answerAll();
    // Put on over its deadline, the open request may have been taken back: it is asked again after a back-off of seconds.
    await clock.passUntil(server, ended(open));
    const later = viewer.request(reeds[1] as ReedId);
    await clock.passUntil(server, ended(later));
    const third = await LightMember.connect(server.url, accounts[2] as LightAccount);
    third.request(reeds[2] as ReedId);
    await third.next('settled');
    await third.vanish();
    for (const member of [author, viewer]) expect(member.frames.filter(({ type }) => type === 'goingAway' || type === 'error')).toEqual([]);
  });

  it('put on by a day: what is open is as old as a request gets, and ends by name; what is asked afterwards is served, and nobody is sent away', async () => {
    const open = viewer.request(reeds[0] as ReedId);
    await author.next('relayRequest');
    await moveDatabase(DAY_MS);
    await expect.poll(aheadMs, { timeout: 30_000 }).toBeGreaterThan(DAY_MS - 60_000);
    // Its holder does not answer before its time is over.
    await clock.passUntil(server, () => viewer.frames.some(({ type }) => type === 'error'));
    expect(viewer.frames.flatMap((frame) => (frame.type === 'error' ? [frame.body] : []))).toMatchObject([
      { code: 'EXPIRED', requestId: open },
    ]);
    author.behaviour.answer = 'bytes';
    await clock.passUntil(server, ended(viewer.request(reeds[1] as ReedId)));
    for (const member of [author, viewer]) expect(member.frames.filter(({ type }) => type === 'goingAway')).toEqual([]);
  });
});

describe("the server's own clock", () => {
  it.each([HOUR_MS, DAY_MS / 2])('put on by %i ms between two measures fails no request that has a holder', async (byMs) => {
    const open = viewer.request(reeds[0] as ReedId);
    await author.next('relayRequest');
    clock.move(byMs);
    author.behaviour.answer = 'bytes';
    author.answerAll();
    await clock.passUntil(server, ended(open));
    expect(viewer.frames.filter(({ type }) => type === 'error')).toEqual([]);
  });
});
