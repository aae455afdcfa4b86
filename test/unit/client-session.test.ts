// Connection and session against a socket whose server is the test: who is believed, how it signs in, when it comes back and when it stops.
import { beforeEach, describe, expect, test } from 'vitest';
import { CLOSE_CODES, type CloseCode } from '../../src/base/codes.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Api } from '../../src/client/api.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { Session } from '../../src/client/session.ts';
import type { Account, ConnectionState } from '../../src/client/types.ts';
import { parseServerId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { countingSource, FakeSockets, turns, until } from '../support/sdk-parts.ts';

const SERVER = 's'.repeat(16);
const NONCE = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const TOKEN = 'a token';

const setUp = async () => {
  const clock = new ManualClock();
  const time = new ServerTime(clock);
  const sockets = new FakeSockets();
  const keyRing = await openKeyRing(memoryKeySafe());
  const keys = await keyRing.make(clock.now());
  const server = parseServerId(SERVER);
  if (!server) throw new Error('no server id');
  const user = await userIdFromFingerprint(keys.fingerprint, server);
  const key = userKeyId(user, keys.fingerprint);
  const device = '01890000-0000-7000-8000-000000000001';
  const account: Account = { server, user, key, device, username: 'me', serverKeys: [], backedUp: true };
  const states: ConnectionState[] = [];
  const waits: (number | undefined)[] = [];
  const frames: Frame[] = [];
  let genuine: boolean | Error = true;
  const session = new Session({
    api: new Api('http://server.test', () => Promise.reject(new TypeError('offline')), time),
    socket: sockets.factory,
    time,
    // Its own: how long the pauses are must not depend on what ran before.
    random: countingSource(),
    limits: DEFAULT_LIMITS,
    keyRing,
    account,
    isGenuine: async () => {
      if (genuine instanceof Error) throw genuine;
      return genuine;
    },
    changed: (state, { retryInMs }) => {
      states.push(state);
      waits.push(retryInMs);
    },
    welcomed: () => undefined,
    frame: (frame) => frames.push(frame),
  });
  return {
    ...{ clock, time, sockets, session, states, waits, frames, account },
    genuine: (next: boolean | Error) => {
      genuine = next;
    },
  };
};

type Scene = Awaited<ReturnType<typeof setUp>>;
let on: Scene;
beforeEach(async () => {
  on = await setUp();
});

const hello = (change: Partial<Extract<Frame, { type: 'hello' }>['body']> = {}): Frame => ({
  id: '',
  type: 'hello',
  body: { serverId: SERVER, nonce: NONCE, serverTime: on.clock.now(), protocolMin: 1, protocolMax: 1, ...change },
});

const welcome = (change: Partial<Extract<Frame, { type: 'welcome' }>['body']> = {}): Frame => ({
  id: '',
  type: 'welcome',
  body: {
    sessionId: 'session',
    token: TOKEN,
    limits: { frameBytes: 0, relayResponseBytes: 0, openRequests: 64, subscriptions: 0, holderWindow: 4 },
    pingIntervalMs: 5_000,
    resumed: false,
    kid: 'kid',
    signature: 'signature',
    ...change,
  },
});

const refusal = (code: Extract<Frame, { type: 'error' }>['body']['code'], retryAfterMs = 0): Frame => ({
  id: '',
  type: 'error',
  body: { code, detail: '', requestId: '', retryAfterMs },
});

/** HELLO arrives, and the answer to it goes out. */
const greet = async (frame: Frame = hello()): Promise<void> => {
  const socket = on.sockets.last;
  const before = socket.sentOf('authenticate').length;
  socket.receive(frame);
  await until(() => socket.sentOf('authenticate').length > before);
};

const handshake = async (): Promise<void> => {
  await greet();
  on.sockets.last.receive(welcome());
  await turns();
};

/** Its pause is over, and not more: an attempt that hangs is given up after a while, too. */
const comeBack = (): void => on.clock.advance(on.waits.at(-1) ?? 0);

const goOnline = async (): Promise<void> => {
  on.session.connect();
  await handshake();
  expect(on.session.state).toBe('online');
};

describe('signing in', () => {
  test('is by a statement over the nonce of HELLO, with the time learned from it', async () => {
    on.session.connect();
    expect(on.sockets.last).toMatchObject({ url: 'ws://server.test/socket', protocol: 'reedbed.v1' });
    await greet(hello({ serverTime: on.clock.now() + 86_400_000 }));
    const [frame] = on.sockets.last.sentOf('authenticate');
    const statement = JSON.parse(new TextDecoder().decode(frame?.body.statement)) as object;
    expect(statement).toMatchObject({ type: 'session', server: SERVER, user: on.account.user, nonce: NONCE, purpose: 'socket' });
    expect(frame?.body.signature).toContain('BEGIN PGP SIGNATURE');
    expect(on.time.now()).toBe(on.clock.now() + 86_400_000);
  });

  test('is by token the next time, and by a statement again on the same connection when the token has run out', async () => {
    await goOnline();
    on.sockets.last.drop(1006);
    comeBack();
    await greet();
    expect(on.sockets.last.sentOf('authenticate').map(({ body }) => body.token)).toEqual([TOKEN]);
    on.sockets.last.receive(refusal('UNAUTHENTICATED'));
    await until(() => on.sockets.last.sentOf('authenticate').length > 1);
    expect(on.sockets.last.sentOf('authenticate').map(({ body }) => body.token)).toEqual([TOKEN, '']);
    on.sockets.last.receive(welcome());
    await turns();
    expect(on.session.state).toBe('online');
  });

  test('stops after three refusals of a statement, and not before', async () => {
    on.session.connect();
    for (let round = 1; round <= 3; round++) {
      expect(on.session.state).toBe('connecting');
      await greet();
      on.sockets.last.receive(refusal('UNAUTHENTICATED'));
      if (round < 3) comeBack();
    }
    expect(on.session.state).toBe('stopped');
    await expect(on.session.online()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('stops at once for a revoked key, and waits out a full server', async () => {
    on.session.connect();
    await greet();
    on.sockets.last.receive(refusal('RATE_LIMITED', 9_000));
    expect(on.session.state).toBe('offline');
    expect(on.waits.at(-1)).toBeGreaterThanOrEqual(9_000);
    on.clock.advance(9_500);
    await greet();
    on.sockets.last.receive(refusal('KEY_REVOKED'));
    expect(on.session.state).toBe('stopped');
  });
});

describe('the server', () => {
  test.each([
    ['another server', { serverId: 't'.repeat(16) }],
    ['another protocol', { protocolMin: 2, protocolMax: 3 }],
  ])('that says it is %s gets no signature', async (_name, change) => {
    on.session.connect();
    on.sockets.last.receive(hello(change));
    await turns();
    expect(on.sockets.last.sent).toEqual([]);
    expect(on.session.state).toBe('stopped');
  });

  test('that can not prove who it is gets no frame and hands on none', async () => {
    on.genuine(false);
    on.session.connect();
    await greet();
    on.sockets.last.receive(welcome());
    on.sockets.last.receive({ id: 'event', type: 'evictionAck', body: { reedId: 'reed' } });
    await turns();
    expect(on.session.state).toBe('stopped');
    expect(on.frames).toEqual([]);
    expect(on.session.send({ id: '', type: 'ping', body: {} })).toBe(false);
  });

  test('is tried again when its document could not be fetched', async () => {
    on.genuine(new Error('no network'));
    on.session.connect();
    await handshake();
    expect(on.session.state).toBe('offline');
    on.genuine(true);
    comeBack();
    await handshake();
    expect(on.session.state).toBe('online');
  });

  test('is dropped when it sends without end before it is believed', async () => {
    on.session.connect();
    await greet();
    const socket = on.sockets.last;
    socket.receive(welcome());
    for (let sent = 0; sent <= DEFAULT_LIMITS.pendingFrames; sent++)
      socket.receive({ id: `${sent}`, type: 'evictionAck', body: { reedId: '' } });
    expect(socket.closedWith).toBe(CLOSE_CODES.CLOSE_RATE_LIMITED.number);
    await turns();
    expect([on.session.state, on.frames]).toEqual(['offline', []]);
  });

  test('is believed before what it sent right after WELCOME is handed on, in its order', async () => {
    on.session.connect();
    await greet();
    on.sockets.last.receive(welcome());
    on.sockets.last.receive({ id: 'one', type: 'evictionAck', body: { reedId: '' } });
    expect(on.frames).toEqual([]);
    await turns();
    on.sockets.last.receive({ id: 'two', type: 'evictionAck', body: { reedId: '' } });
    expect(on.frames.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test.each([
    ['text', (): void => on.sockets.last.receiveText('{}')],
    ['broken bytes', (): void => on.sockets.last.receiveBytes(new Uint8Array([0xff, 0xff, 0xff]))],
  ])('that sends %s is left and tried again', async (_name, send) => {
    await goOnline();
    send();
    expect(on.session.state).toBe('offline');
    expect(on.sockets.last.closedWith).not.toBe(null);
  });
});

describe('silence', () => {
  test('is asked about after a ping interval, and ends the connection when nothing comes', async () => {
    await goOnline();
    on.clock.advance(5_000);
    expect(on.sockets.last.sentOf('ping')).toHaveLength(1);
    on.clock.advance(7_999);
    expect(on.session.state).toBe('online');
    on.clock.advance(1);
    expect(on.session.state).toBe('offline');
    expect(on.sockets.last.closedWith).toBe(CLOSE_CODES.CLOSE_SILENT.number);
  });

  test('is broken by anything that arrives, and a PING is answered', async () => {
    await goOnline();
    for (let round = 0; round < 10; round++) {
      on.clock.advance(6_000);
      on.sockets.last.receive({ id: '', type: 'ping', body: {} });
    }
    expect(on.session.state).toBe('online');
    expect(on.sockets.last.sentOf('pong')).toHaveLength(10);
  });

  test('before WELCOME ends the attempt', () => {
    on.session.connect();
    on.clock.advance(DEFAULT_LIMITS.authenticationMs);
    expect(on.session.state).toBe('offline');
  });
});

describe('coming back', () => {
  test.each(Object.keys(CLOSE_CODES) as CloseCode[])('after %s goes by the table', async (name) => {
    await goOnline();
    const { number, clientPolicy } = CLOSE_CODES[name];
    if (number === 0) return;
    on.sockets.last.drop(number);
    expect(on.session.state).toBe(clientPolicy === 'stop' ? 'stopped' : 'offline');
    on.clock.advance(600_000);
    expect(on.sockets.opened).toHaveLength(clientPolicy === 'stop' ? 1 : on.sockets.opened.length);
    if (clientPolicy === 'stop') return;
    expect(on.sockets.opened.length).toBeGreaterThan(1);
    on.session.connect();
    await greet();
    const [frame] = on.sockets.last.sentOf('authenticate');
    expect(frame?.body.token).toBe(clientPolicy === 'sign-in' ? '' : TOKEN);
  });

  test('waits longer after each failure, within bounds', () => {
    on.session.connect();
    for (let failure = 0; failure < 12; failure++) {
      on.sockets.last.drop(1006);
      on.clock.advance(on.waits.at(-1) ?? 0);
    }
    const waits = on.waits.filter((wait) => wait !== undefined);
    expect(waits).toHaveLength(12);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(waits.at(-1)).toBeGreaterThan(waits[0] ?? 0);
  });

  test('after GOING_AWAY waits as long as the server asked', async () => {
    await goOnline();
    on.sockets.last.receive({ id: '', type: 'goingAway', body: { retryAfterMs: 20_000 } });
    on.sockets.last.drop(CLOSE_CODES.CLOSE_GOING_AWAY.number);
    on.clock.advance(19_999);
    expect(on.sockets.opened).toHaveLength(1);
    on.clock.advance(1_000);
    expect(on.sockets.opened).toHaveLength(2);
  });

  test('is at once when asked for by hand, and never after close', async () => {
    await goOnline();
    on.sockets.last.drop(1006);
    on.session.connect();
    expect(on.sockets.opened).toHaveLength(2);
    on.session.close();
    on.clock.advance(600_000);
    expect(on.sockets.opened).toHaveLength(2);
    expect(on.clock.timers).toBe(0);
  });
});

describe('a person who waits', () => {
  test('has it tried now, whether it paused or hung, and the pauses begin short again', async () => {
    await goOnline();
    for (let times = 0; times < 8; times++) {
      on.sockets.last.drop(1006);
      comeBack();
    }
    const long = Math.max(...on.waits.map((wait) => wait ?? 0));
    on.sockets.last.drop(1006);
    const hung = on.sockets.opened.length;
    on.session.connectNow();
    expect(on.sockets.opened.length).toBe(hung + 1);
    // It hangs: what comes of it does not count any more.
    const before = on.sockets.last;
    on.session.connectNow();
    expect(on.sockets.opened.length).toBe(hung + 2);
    before.drop(1006);
    on.sockets.last.drop(1006);
    expect(on.waits.at(-1)).toBeLessThan(long / 4);
    on.session.connectNow();
    await handshake();
    expect(on.session.state).toBe('online');
    const count = on.sockets.opened.length;
    on.session.connectNow();
    expect([on.sockets.opened.length, on.session.state]).toEqual([count, 'online']);
  });
});
