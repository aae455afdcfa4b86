// The database away for half a minute, standing still for a while, or losing one answer, seen from members: what they ask is refused by name or
// waits, presence that nobody denied stands, and nothing is taken twice. The network between is a proxy; the server's clock is moved over the time.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { FrameOf } from '../../src/wire/frames.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { LightCommunity, LightMember } from '../support/light-member.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { PgProxy } from '../support/pg-proxy.ts';
import { startServer, type TestServer } from '../support/server.ts';

let database: TestDatabase;
let proxy: PgProxy;
let server: TestServer;
let clock: MovedClock;
let community: LightCommunity;
let author: LightMember;
let viewer: LightMember;
let reeds: ReedId[];

beforeEach(async () => {
  database = await createDatabase();
  proxy = await PgProxy.start(database.url);
  clock = new MovedClock();
  server = await startServer({ database: { url: proxy.url, drop: () => database.drop() }, overrides: { clock } });
  community = new LightCommunity(database.url, server.app.serverId);
  const [a, b] = await community.accounts(2);
  if (a === undefined || b === undefined) throw new Error('no accounts');
  reeds = await community.reeds(a.userId, 3);
  author = await LightMember.connect(server.url, a, { answer: 'nothing' });
  viewer = await LightMember.connect(server.url, b);
});

afterEach(async () => {
  await Promise.all([author.vanish(), viewer.vanish()]);
  proxy.resume();
  proxy.accept();
  proxy.disarm();
  await server.settle();
  expect(await community.rows('select event_id from pending_events')).toEqual([]);
  await server.close();
  await proxy.close();
});

const about = (id: string) => (frame: FrameOf<'error'>) => frame.body.requestId === id;
const [reed, other] = [() => reeds[0] as ReedId, () => reeds[1] as ReedId];

describe('a database that is away', () => {
  it('for half a minute: what is asked meanwhile is refused by name, what was open goes on, and nobody is sent away', async () => {
    viewer.request(reed());
    const asked = await author.next('relayRequest');
    proxy.refuse();
    const refused = viewer.request(other());
    expect((await viewer.next('error', about(refused))).body).toMatchObject({ code: 'UNAVAILABLE' });
    // An answer that can't be licensed is told as such, and is not kept: the event has its date.
    author.answer(asked.id, 1);
    expect((await author.next('error')).body).toMatchObject({ code: 'UNAVAILABLE' });
    clock.move(30_000);
    proxy.accept();
    author.behaviour.answer = 'bytes';
    await clock.passUntil(server, () => viewer.frames.some((frame) => frame.type === 'settled'));
    expect((await viewer.next('settled')).body.events).toEqual([{ eventId: asked.id, outcome: 'HELD' }]);
    viewer.request(other());
    await viewer.next('dataResponse', ({ body }) => body.reedId === other());
    for (const member of [author, viewer]) expect(member.frames.filter((frame) => frame.type === 'goingAway')).toEqual([]);
  });

  it('when somebody signs in: they are told to come back later, and can', async () => {
    const [c] = await community.accounts(1);
    if (c === undefined) throw new Error('no account');
    proxy.refuse();
    await expect(LightMember.connect(server.url, c)).rejects.toThrow(/UNAVAILABLE|4014/);
    proxy.accept();
    const back = await LightMember.connect(server.url, c);
    await back.vanish();
  });

  it('when somebody leaves: their end is written when it is back', async () => {
    const id = viewer.request(reed());
    await author.next('relayRequest');
    proxy.refuse();
    await viewer.vanish();
    proxy.accept();
    await expect
      .poll(() => community.rows('select from online_users where user_id = $1', [viewer.userId]), { timeout: 30_000 })
      .toEqual([]);
    await expect.poll(() => community.rows('select from pending_events where request_id = $1', [id]), { timeout: 30_000 }).toEqual([]);
  });

  it('that stands still delays everything and loses nothing', async () => {
    viewer.request(reed());
    const asked = await author.next('relayRequest');
    proxy.stall();
    author.answer(asked.id, 1);
    viewer.request(other());
    viewer.send({ id: 'still', type: 'ping', body: {} });
    await viewer.next('pong', ({ id }) => id === 'still');
    expect(viewer.frames.filter(({ type }) => type === 'dataResponse' || type === 'error')).toEqual([]);
    proxy.resume();
    await viewer.next('settled');
    await viewer.next('requestAck', ({ body }) => body.reedId === other());
  });
});

describe('an answer of the database that is lost', () => {
  it.each([
    { statement: /^ledger_open/, what: 'an open' },
    { statement: /^ledger_relayed/, what: 'a delivery' },
    { statement: /^ledger_ack/, what: 'an acknowledgement' },
  ])('after the commit of $what is told as UNAVAILABLE, and the request comes to its end all the same', async ({ statement }) => {
    const lost = proxy.at({ statement, side: 'after' });
    author.behaviour.answer = 'bytes';
    const id = viewer.request(reed());
    (await lost).cut();
    const told = Promise.race([viewer.next('error'), author.next('error')]);
    expect((await told).body.code).toBe('UNAVAILABLE');
    // What a client does: it asks again under the same id.
    viewer.request(reed(), id);
    const isHeld = () =>
      viewer.frames.some((frame) => frame.type === 'settled' && frame.body.events.some(({ outcome }) => outcome === 'HELD'));
    await clock.passUntil(server, isHeld);
    const allocated = await community.rows('select from reed_allocations where reed_id = $1', [reed()]);
    expect(allocated).toHaveLength(2);
    expect(viewer.frames.flatMap((frame) => (frame.type === 'settled' ? frame.body.events : []))).toHaveLength(1);
  });
});
