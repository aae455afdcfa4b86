// Too much of everything: readers that never read, senders of the largest frames, floods of every kind, sockets that never sign in. What is
// too much is refused or closed by its code after a counted amount, memory stays flat, and everybody else goes on meanwhile.
import { describe, expect, test } from 'vitest';
import { AbuseStage } from '../support/abuse-stage.ts';
import { watchBuffers } from '../support/held-memory.ts';
import type { LightAccount } from '../support/light-member.ts';
import { countOf, type RawSocket, textOf, wsFrame } from '../support/raw-socket.ts';
import { CLOSE, ERROR, frame, type RawType, responseOf } from '../support/raw-wire.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const UNAUTHENTICATED = 40;
const BURST = 120;
const stage = AbuseStage.forFile({
  unauthenticatedSockets: UNAUTHENTICATED,
  costBurst: BURST,
  freeFramesBurst: BURST,
  freeFramesPerSecond: 1,
});

const connections = async ({ userId }: LightAccount): Promise<number> =>
  (await stage.community.rows('select from online_connections where user_id = $1', [userId])).length;
const count = (socket: RawSocket, type: RawType): number => socket.frames.filter((found) => found.type === type).length;
/** Writes, and waits until the system has taken it. */
const written = (socket: RawSocket, content: Buffer): Promise<void> =>
  new Promise((resolve) => {
    if (!socket.stream.writable) resolve();
    else socket.stream.write(content, () => resolve());
  });
const state = async (id: string): Promise<number | undefined> =>
  (await stage.community.rows<{ state: number }>('select state from pending_events where event_id = $1', [id]))[0]?.state;

describe('a reader that never reads', () => {
  const REEDS = 16;
  type Pair = { readonly hostile: LightAccount; readonly asking: RawSocket; readonly deaf: RawSocket };

  /** Asks on one connection for 14 MiB that are due on the newest, which is not read, and acknowledges all of it unread. */
  const fillUp = async (): Promise<Pair> => {
    const [author, hostile] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    await stage.join(author, { bytes: 900_000 });
    const asking = await stage.signIn(hostile);
    const deaf = await stage.signIn(hostile);
    deaf.reading(false);
    for (const reed of await stage.community.reeds(author.userId, REEDS)) {
      asking.send('requestReed', { requestId: stage.requestId(hostile), reedId: reed, authorId: author.userId });
      const { id } = await asking.next('requestAck', (found) => textOf(found, 'reedId') === reed);
      while ((await state(id)) !== 3);
      asking.send('dataAck', {}, id);
      while ((await state(id)) !== undefined);
    }
    expect(await asking.echo()).toBe(null);
    // What the system's own buffers of a connection take, 1 MiB of ours, and the frame that went over it: the rest came here.
    expect(count(asking, 'dataResponse')).toBeGreaterThan(2);
    return { hostile, asking, deaf };
  };

  test('gets what its buffer holds and no more, the rest goes to its other connection, and nothing is lost', async () => {
    const { asking, deaf } = await fillUp();
    deaf.reading(true);
    expect(await deaf.echo()).toBe(null);
    expect(count(asking, 'dataResponse') + count(deaf, 'dataResponse')).toBe(REEDS);
  });

  test('is closed when it has taken nothing for ten seconds; its other connection goes on', async () => {
    const { hostile, asking } = await fillUp();
    while ((await connections(hostile)) === 2) {
      stage.clock.wind(3_000);
      await stage.allAnswer();
    }
    expect(await asking.echo()).toBe(null);
  });

  test('and sends nothing either is closed after eight seconds, and what it was asked for is asked of another', async () => {
    const [author, hostile, viewer] = (await stage.accounts(3)) as [LightAccount, LightAccount, LightAccount];
    const reed = await stage.reed(author, [author, hostile]);
    const socket = await stage.signIn(hostile, { alive: false });
    const reader = await stage.join(viewer);
    reader.request(reed);
    await socket.next('relayRequest');
    socket.reading(false);
    await stage.join(author);
    while ((await connections(hostile)) > 0) {
      stage.clock.wind(3_000);
      await stage.allAnswer();
    }
    await reader.next('settled');
  });
});

describe('a sender', () => {
  test('of the largest frames, unasked, is told after its budget and then closed; none of them is kept', async () => {
    const account = await stage.account();
    const socket = await stage.signIn(account);
    const grown = watchBuffers();
    const large = wsFrame(responseOf(stage.dispatched, MIB));
    // The budget fills by one a second meanwhile.
    for (let at = 0; at < 1_000 && socket.stream.writable; at += 1) {
      await written(socket, large);
      grown();
    }
    expect((await socket.next('error')).body['code']).toBe(ERROR.rateLimited);
    expect((await socket.closed).code).toBe(CLOSE.rateLimited);
    expect(grown()).toBeLessThan(96 * MIB);
  });

  test('of the largest frames to the one who asked for them is held back like anybody', async () => {
    const [author, viewer] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const [holder, reader] = [await stage.signIn(author), await stage.join(viewer)];
    const reeds = await stage.community.reeds(author.userId, 12);
    for (const reed of reeds) reader.request(reed);
    for (let at = 0; at < reeds.length; at += 1) {
      const asked = await holder.next('relayRequest');
      const answer = wsFrame(responseOf(asked.id, MIB, countOf(asked, 'attempt')));
      // Each is sent five times; four of them are nobody's.
      for (let times = 0; times < 5; times += 1) await written(holder, answer);
    }
    while (reader.frames.filter(({ type }) => type === 'dataResponse').length < reeds.length) await stage.server.settle();
    expect(reader.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(reeds.length);
    expect(await holder.echo()).toBe(null);
  });

  test.each<[string, number, () => Buffer]>([
    ['PING', BURST + 300, () => frame('ping')],
    ['PONG that answers nothing', BURST + 300, () => frame('pong')],
    ['bodies that nobody knows', BURST + 300, () => Buffer.from([0xd2, 0x7d, 0])],
    ['subscriptions that are not built', BURST + 300, () => frame('subscribePipe', { tag: 'x' })],
    ['EVICTION of nothing', BURST + 300, () => frame('eviction', { reedId: stage.honest.reed })],
    ['PUBLISH_READY of nothing', BURST + 300, () => frame('publishReady', { reedId: stage.honest.reed })],
    ['MISS for nobody', BURST + 300, () => frame('relayMiss', { attempt: 1 }, stage.dispatched)],
    ['acknowledgements of nothing', BURST + 300, () => frame('dataAck', {}, stage.relayed)],
    ['cancels of nothing', BURST + 300, () => frame('cancelRequest', { requestId: `${stage.honest.reader.userId}/x` })],
    ['syncs', BURST + 300, () => frame('syncRequest', { requestId: '' })],
  ])('of a flood of %s is told RATE_LIMITED with a wait, then closed', async (_what, times, sent) => {
    const socket = await stage.signIn(await stage.account());
    socket.raw(Buffer.concat(Array<Buffer>(times).fill(wsFrame(sent()))));
    const told = await socket.next('error', ({ body }) => body['code'] === ERROR.rateLimited);
    expect(countOf(told, 'retryAfterMs')).toBeGreaterThan(0);
    expect((await socket.closed).code).toBe(CLOSE.rateLimited);
  });
});

describe('requests', () => {
  test('beyond sixty-four open ones are refused by name, and those stay', async () => {
    const [absent, hostile] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const socket = await stage.signIn(hostile);
    const reeds = await stage.community.reeds(absent.userId, 80);
    for (const reed of reeds) socket.send('requestReed', { requestId: stage.requestId(hostile), reedId: reed, authorId: absent.userId });
    for (let at = 64; at < reeds.length; at += 1) {
      const told = await socket.next('error');
      expect(told.body['code']).toBe(ERROR.tooManyOpen);
      expect(countOf(told, 'retryAfterMs')).toBeGreaterThan(0);
    }
    await socket.echo();
    expect(await stage.community.rows('select from pending_events where requester_user_id = $1', [hostile.userId])).toHaveLength(64);
  });

  test('made and cancelled without an end run into the budget, and leave nothing with the holder', async () => {
    const [author, hostile] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const holder = await stage.join(author, { answer: 'nothing' });
    const reed = await stage.reed(author);
    const socket = await stage.signIn(hostile);
    for (let at = 0; at < 1_000; at += 1) {
      const requestId = stage.requestId(hostile);
      socket.send('requestReed', { requestId, reedId: reed, authorId: author.userId });
      socket.send('cancelRequest', { requestId });
    }
    expect((await socket.next('error')).body['code']).toBe(ERROR.rateLimited);
    expect((await socket.closed).code).toBe(CLOSE.rateLimited);
    await stage.server.settle();
    expect(holder.asked.size).toBeLessThan(2 * BURST);
    expect(await stage.community.rows('select from pending_events where requester_user_id = $1', [hostile.userId])).toEqual([]);
    // Its four places are free.
    const reader = await stage.join(await stage.account());
    for (const other of await stage.community.reeds(author.userId, 4)) {
      reader.request(other);
      const asked = await holder.next('relayRequest', ({ body }) => body.reedId === other);
      holder.answer(asked.id, asked.body.attempt);
      await reader.next('settled', ({ body }) => body.events.some(({ eventId }) => eventId === asked.id));
    }
  });
});

describe('sockets that never sign in', () => {
  /** Opens sockets until one more is refused; all are greeted. */
  const fill = async (protocol = 'reedbed.v1'): Promise<{ sockets: RawSocket[]; refused: { status: number; head: string } }> => {
    const sockets: RawSocket[] = [];
    for (;;) {
      const socket = await stage.open({ protocol });
      const answer = await socket.upgraded;
      if (answer.status !== 101) return { sockets, refused: answer };
      sockets.push(socket);
    }
  };

  test('are so many; the next one is told when to come again, and members go on', async () => {
    const { sockets, refused } = await fill();
    expect(sockets.length).toBeLessThanOrEqual(UNAUTHENTICATED);
    expect(refused.status).toBe(503);
    expect(refused.head).toMatch(/^Retry-After: \d+$/m);
    await stage.deliver();
    stage.clock.wind(10_500);
    for (const socket of sockets) expect((await socket.closed).code).toBe(CLOSE.authenticationTimeout);
    await stage.signIn(await stage.account());
  });

  test('have ten seconds even if bytes go on arriving', async () => {
    const { token } = await stage.account();
    const text = wsFrame(frame('authenticate', { clientNonce: 'A'.repeat(22), token }));
    const socket = await stage.greeted();
    for (const byte of text.subarray(0, 20)) {
      await written(socket, Buffer.from([byte]));
      stage.clock.wind(1_000);
    }
    expect((await socket.closed).code).toBe(CLOSE.authenticationTimeout);
  });

  test('opened and dropped five hundred times take no room from those who come after', async () => {
    for (let round = 0; round < 25; round += 1) {
      const sockets = await Promise.all(
        Array.from({ length: 20 }, () => stage.open({ protocol: round % 2 === 0 ? 'reedbed.v1' : 'other' })),
      );
      for (const [at, socket] of sockets.entries()) at % 2 === 0 ? socket.vanish() : socket.stream.end();
      await Promise.all(sockets.map((socket) => socket.closed));
    }
    // The server may learn of the last ones a little later than we do.
    for (let most = 0; most < UNAUTHENTICATED; most = (await fill()).sockets.length) await stage.allIsWell();
  });
});
