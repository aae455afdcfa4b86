// Generated bad input on the socket of a whole server: whatever comes, it is answered or closed with the right code of the published
// table, nothing fails inside, other members go on as before, and nothing registered or under way is lost. Seeds are printed on failure.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseCode, closeCodeOf } from '../../src/base/codes.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { STATE } from '../../src/ledger/state.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { Frame, FrameOf } from '../../src/wire/frames.ts';
import { RawClient } from '../support/gateway-world.ts';
import { bytesOf, closings, damage, damaged, hostileFrame, hostileSignIn, oneOfEach, type Places } from '../support/hostile-frames.ts';
import { upTo } from '../support/length.ts';
import { type LightAccount, LightCommunity, LightMember } from '../support/light-member.ts';
import { startServer, type TestServer } from '../support/server.ts';

const HOUR_MS = 3_600_000;
const LIMITS = {
  // The ends of connections take effect in batches; one connection after the other is soon more than ten at once.
  connectionsPerMember: 1_000,
  ...{ dispatchDeadlineMs: HOUR_MS, acknowledgeMs: HOUR_MS, sameReedPerHour: 1_000_000, failedSignInsPerMinute: 1_000_000 },
  ...{ costPerMinute: 1_000_000, costBurst: 1_000_000, freeFramesPerSecond: 1_000_000, freeFramesBurst: 1_000_000 },
};
const ERROR_LEVEL = 50;
const REGISTERED = `select (select count(*) from reeds where published_at is not null) as reeds, (select count(*) from users) as users,
  (select count(*) from keys) as keys, (select count(*) from devices where unlinked_at is null) as devices,
  (select count(*) from sessions) as sessions, (select count(*) from statements) as statements`;

let server: TestServer;
let community: LightCommunity;
let hostile: LightAccount;
let pair: { readonly author: LightMember; readonly reader: LightMember; readonly reed: ReedId };
let places: Places;
let registered: unknown;
let read = 0;

beforeAll(async () => {
  server = await startServer({ limits: LIMITS });
  community = new LightCommunity(server.database.url, server.app.serverId);
  const accounts = await community.accounts(6);
  const [a, b, c, d, e, f] = accounts as [LightAccount, LightAccount, LightAccount, LightAccount, LightAccount, LightAccount];
  hostile = f;
  const [author, reader] = [await LightMember.connect(server.url, a), await LightMember.connect(server.url, b)];
  const [mute, waiting] = [await LightMember.connect(server.url, c, { answer: 'nothing' }), await LightMember.connect(server.url, d)];
  const deaf = await LightMember.connect(server.url, e, { acknowledge: 'nothing' });
  const [reed, other] = (await community.reeds(a.userId, 2)) as [ReedId, ReedId];
  const [muted] = (await community.reeds(c.userId, 1)) as [ReedId];
  const request = waiting.request(muted);
  deaf.request(other);
  const [dispatched, relayed] = [await mute.next('relayRequest'), await deaf.next('dataResponse')];
  pair = { author, reader, reed };
  places = {
    ...{ user: hostile.userId, otherUser: a.userId, reed: other, dispatched: dispatched.id, relayed: relayed.id },
    ...{ request: `${hostile.userId}/${dispatched.id}`, otherRequest: request, key: dispatched.body.requesterKeyId },
  };
  registered = await community.rows(REGISTERED);
});

afterAll(() => server.close());

const connect = async (): Promise<RawClient> => {
  const client = new RawClient(new WebSocket(`${server.url.replace('http', 'ws')}/socket`, 'reedbed.v1'));
  await client.next('hello');
  return client;
};

const signIn = async (): Promise<RawClient> => {
  const client = await connect();
  client.authenticate(hostile.token);
  await client.next('welcome');
  return client;
};

/** Sends everything and then a PING: the code of a close, or null if the connection lives and answers. */
const outcome = async (client: RawClient, sent: readonly (Buffer | string)[]): Promise<CloseCode | null> => {
  for (const data of sent) client.socket.send(data);
  client.send({ id: 'are you there', type: 'ping', body: {} });
  const alive = async (): Promise<null> => {
    while ((await client.next('pong')).id !== 'are you there');
    return null;
  };
  const answered = alive().catch(() => client.closed.then(({ code }) => codeNamed(code)));
  return Promise.race([client.closed.then(({ code }) => codeNamed(code)), answered]);
};

const codeNamed = (code: number): CloseCode => {
  const name = closeCodeOf(code);
  expect(CLOSE_CODES[name].number, 'a code of the table').toBe(code);
  return name;
};

/** What holds after anything: no failure inside, a delivery goes through, nothing is lost. */
const allIsWell = async (frames: readonly Frame[]): Promise<void> => {
  const errors = frames.filter((frame): frame is FrameOf<'error'> => frame.type === 'error');
  expect(errors.filter(({ body }) => body.code === 'INTERNAL' || body.code === 'UNSPECIFIED' || body.detail === '')).toEqual([]);
  const { reader, reed } = pair;
  const id = reader.request(reed);
  const { id: eventId } = await reader.next('dataResponse', ({ body }) => body.requestId === id);
  await reader.next('settled', ({ body }) => body.events.some((event) => event.eventId === eventId && event.outcome === 'HELD'));
  await server.settle();
  const log = server.logged();
  const lines = log.slice(read).split('\n').filter(Boolean);
  read = log.length;
  expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL)).toEqual([]);
  expect(await community.rows(REGISTERED)).toEqual(registered);
  const underWay = 'select event_id, state from pending_events where event_id = any($1::uuid[]) order by state';
  expect(await community.rows(underWay, [[places.dispatched, places.relayed]])).toEqual([
    { event_id: places.dispatched, state: STATE.dispatched },
    { event_id: places.relayed, state: STATE.relayed },
  ]);
};

/** Sends bytes over a new connection and judges what comes of it. */
const judge = async (signedIn: boolean, sent: readonly (Buffer | string)[]): Promise<void> => {
  const client = await (signedIn ? signIn() : connect());
  const frames: Frame[] = [];
  client.socket.on('message', () => frames.push(...client.frames.slice(-1)));
  const code = await outcome(client, sent);
  const may = new Set(sent.flatMap((data) => closings(data, signedIn)));
  if (!signedIn && sent.length >= DEFAULT_LIMITS.authenticationFrames - 1) may.add('CLOSE_UNAUTHENTICATED');
  if (!signedIn && sent.reduce((sum, data) => sum + data.length, 0) > DEFAULT_LIMITS.unauthenticatedBytes - 1_024)
    may.add('CLOSE_FRAME_TOO_LARGE');
  if (code !== null) expect([...may]).toContain(code);
  client.socket.close();
  await client.closed;
  await allIsWell(frames);
};

const runs = (most: number) => ({ numRuns: upTo(most), endOnFailure: true });
const sent = (frames: readonly Frame[]): Buffer[] => frames.map((frame) => bytesOf(frame, places));
const someFrames = fc.array(hostileFrame, { minLength: 1, maxLength: 8 });

describe('after sign-in', () => {
  test('frames of every kind with hostile fields are answered, or end the connection by the right code', () =>
    fc.assert(
      fc.asyncProperty(someFrames, (frames) => judge(true, sent(frames))),
      runs(60),
    ));

  test('each type of frame alone is answered, or ends the connection by the right code', () =>
    fc.assert(
      fc.asyncProperty(oneOfEach, async (frames) => {
        for (const frame of sent(frames)) {
          const client = await signIn();
          const code = await outcome(client, [frame]);
          // What is whole is never malformed, and what only the server sends, or is too large, must end the connection.
          const must = closings(frame, true).filter((name) => name !== 'CLOSE_MALFORMED_FRAME');
          expect(must.length === 0 ? [null] : must).toContain(code);
          client.socket.close();
          await client.closed;
        }
        await allIsWell([]);
      }),
      runs(2),
    ));

  test('an id too long to be one is refused by an ERROR that is not itself too long', async () => {
    const client = await signIn();
    for (const length of [16_000, 16_340, 16_350, 16_360, 16_368]) {
      const frame: Frame = { id: '', type: 'cancelRequest', body: { requestId: 'x'.repeat(length) } };
      expect(await outcome(client, [bytesOf(frame, places)])).toBe(null);
    }
    client.socket.close();
    await client.closed;
    await allIsWell([]);
  });

  test('damaged frames are answered, or end the connection by the right code', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(hostileFrame, damage), { minLength: 1, maxLength: 4 }), (items) =>
        judge(
          true,
          items.map(([frame, how]) => damaged(bytesOf(frame, places), how)),
        ),
      ),
      runs(60),
    ));

  test('random bytes and texts end the connection by the right code, or are read as frames', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.string({ maxLength: 200 })), (noise) =>
        judge(true, [typeof noise === 'string' ? noise : Buffer.from(noise)]),
      ),
      runs(30),
    ));
});

describe('before sign-in', () => {
  test('anything is answered, or ends the connection by the right code', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(hostileFrame, damage), { minLength: 1, maxLength: 3 }), (items) =>
        judge(
          false,
          items.map(([frame, how]) => damaged(bytesOf(frame, places), how)),
        ),
      ),
      runs(30),
    ));

  test('a sign-in that opens nothing is refused by name, whatever it has', () =>
    fc.assert(
      fc.asyncProperty(hostileSignIn, async (frame) => {
        const client = await connect();
        const bytes = bytesOf(frame, places);
        const must = closings(bytes, false).filter((name) => name !== 'CLOSE_MALFORMED_FRAME');
        client.socket.send(bytes);
        if (must.length > 0) expect(must).toContain(codeNamed((await client.closed).code));
        else expect(['UNAUTHENTICATED', 'BAD_REQUEST']).toContain((await client.next('error')).body.code);
        client.socket.close();
        await client.closed;
        await allIsWell([]);
      }),
      runs(30),
    ));
});
