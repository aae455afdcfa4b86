// From the upgrade to WELCOME: who may open a socket, who may sign in on it, and what becomes of those who do neither.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CLOSE_CODES } from '../../src/base/codes.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { fail } from '../../src/base/result.ts';
import { uuidTimeMs } from '../../src/wire/address.ts';
import { createGatewayWorld, eventually, type GatewayWorld, SERVER } from '../support/gateway-world.ts';
import { createPresenceWorld, freshId, type PresenceWorld } from '../support/presence-world.ts';

let presence: PresenceWorld;
let world: GatewayWorld;

beforeAll(async () => {
  presence = await createPresenceWorld();
});
afterAll(() => presence.close());
afterEach(() => world.close());

const open = async (options: Parameters<typeof createGatewayWorld>[1] = {}): Promise<GatewayWorld> => {
  world = await createGatewayWorld(presence, options);
  return world;
};
const online = () => presence.rows<{ user_id: string }>('select user_id from online_users');

/** The status with which an upgrade is refused. */
const refusal = async (path: string, protocols: string[], headers: Record<string, string>): Promise<number | undefined> => {
  const socket = new WebSocket(`${world.url}${path}`, protocols, { headers });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  return response.statusCode;
};

describe('opening a socket', () => {
  it('is greeted with HELLO: server, a nonce of its own, the time, the protocol', async () => {
    const { connect, node } = await open();
    const [one, two] = [await connect(), await connect()];
    const [first, second] = [await one.next('hello'), await two.next('hello')];
    expect(first.body).toMatchObject({ serverId: SERVER, serverTime: node.clock.now(), protocolMin: 1, protocolMax: 1 });
    expect(first.body.nonce).toMatch(/^[\w-]{43}$/);
    expect(second.body.nonce).not.toBe(first.body.nonce);
  });

  it('is refused to pages of another origin, and to a null origin', async () => {
    await open();
    expect(await refusal('/socket', ['reedbed.v1'], { origin: 'https://evil.example' })).toBe(403);
    expect(await refusal('/socket', ['reedbed.v1'], { origin: 'null' })).toBe(403);
    expect(world.gateway.counts.connections).toBe(0);
  });

  it('is open to pages of the own origin, and of the configured one only', async () => {
    await open();
    const own = await world.connect({ headers: { origin: `http://127.0.0.1:${world.port}` } });
    await own.next('hello');
    await world.close();
    await open({ deps: () => ({ publicOrigin: () => 'https://reeds.example' }) });
    expect(await refusal('/socket', ['reedbed.v1'], { origin: `http://127.0.0.1:${world.port}` })).toBe(403);
    await (await world.connect({ headers: { origin: 'https://reeds.example' } })).next('hello');
  });

  it('is at /socket only', async () => {
    await open();
    for (const path of ['/', '/socket/', '/socket?token=x', '/api/v1/server']) expect(await refusal(path, ['reedbed.v1'], {})).toBe(404);
  });

  it('needs our subprotocol: without it the socket closes with a code and is no connection', async () => {
    await open();
    for (const protocols of [['reedbed.v2'], ['other', 'another'], []]) {
      const client = await world.connect({ protocols });
      expect(await world.ended(client)).toEqual({
        code: CLOSE_CODES.CLOSE_UNSUPPORTED_PROTOCOL.number,
        reason: 'CLOSE_UNSUPPORTED_PROTOCOL',
      });
    }
    expect(world.gateway.counts.connections).toBe(0);
    expect((await world.connect({ protocols: ['other', 'reedbed.v1'] })).socket.protocol).toBe('reedbed.v1');
  });

  it('is limited in sockets that have not signed in', async () => {
    await open({ limits: { unauthenticatedSockets: 2 } });
    const { token } = world.enrol(1);
    const clients = [await world.connect(), await world.connect()];
    expect(await refusal('/socket', ['reedbed.v1'], {})).toBe(503);
    clients[0]?.authenticate(token);
    await clients[0]?.next('welcome');
    await (await world.connect()).next('hello');
    expect(await refusal('/socket', ['reedbed.v1'], {})).toBe(503);
    expect(world.gateway.counts).toEqual({ connections: 3, unauthenticated: 2, members: 1, pending: 0 });
  });

  it('is limited for one address, with a moment to come back', async () => {
    await open({ limits: { unauthenticatedSocketsPerAddress: 1 }, deps: () => ({ addressOf: (request) => request.headers.from ?? '' }) });
    const from = (address: string) => ({ headers: { from: address } });
    const client = await world.connect(from('192.0.2.1'));
    const socket = new WebSocket(`${world.url}/socket`, ['reedbed.v1'], from('192.0.2.1'));
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('2');
    await (await world.connect(from('192.0.2.2'))).next('hello');
    client.authenticate(world.enrol(1).token);
    await client.next('welcome');
    await (await world.connect(from('192.0.2.1'))).next('hello');
  });

  it('counts those without our subprotocol too, until they are gone, and cuts those who do not close', async () => {
    await open({ limits: { unauthenticatedSockets: 2 } });
    const stuck = await Promise.all([1, 2].map(() => world.connect({ protocols: ['reedbed.v2'] })));
    for (const { socket } of stuck) socket.pause();
    expect(world.gateway.counts).toMatchObject({ connections: 0, unauthenticated: 2 });
    expect(await refusal('/socket', ['reedbed.v1'], {})).toBe(503);
    world.node.clock.advance(DEFAULT_LIMITS.closeWaitMs + DEFAULT_LIMITS.wheelTickMs);
    await eventually(() => world.gateway.counts.unauthenticated === 0);
    await (await world.connect()).next('hello');
  });

  it('leaves nothing of those without our subprotocol when the server goes away', async () => {
    await open();
    (await world.connect({ protocols: ['reedbed.v2'] })).socket.pause();
    await world.gateway.close();
    expect(world.gateway.counts).toMatchObject({ connections: 0, unauthenticated: 0 });
    await world.node.replica.stop();
    expect(world.node.clock.timers).toBe(0);
  });

  it('that is refused does not stay half open', async () => {
    await open();
    const stream = connectTcp({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
    stream.on('error', () => undefined);
    stream.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    stream.resume();
    await once(stream, 'end');
    // Its own half still stands; whether the server's is there shows in what becomes of bytes sent to it.
    await eventually(() => {
      stream.write('x');
      return stream.destroyed;
    });
  });

  it('survives upgrades that are no WebSocket', async () => {
    await open();
    const stream = connectTcp(world.port, '127.0.0.1');
    stream.write('GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answer] = (await once(stream, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 4\d\d/);
    stream.destroy();
    await (await world.connect()).next('hello');
  });
});

describe('signing in', () => {
  it('answers a token with WELCOME: session, limits, and the signature over the client’s nonce', async () => {
    await open();
    const ann = world.enrol(1);
    const client = await world.signIn(ann.token);
    const { body } = client.welcome;
    expect(body).toMatchObject({ token: ann.token, resumed: false, pingIntervalMs: 5_000, kid: 'kid' });
    expect(body.signature).toBe(`${body.sessionId} AAAAAAAAAAAAAAAAAAAAAA`);
    expect(uuidTimeMs(body.sessionId as never)).toBe(world.node.clock.now());
    expect(body.limits).toEqual({
      frameBytes: 16_384,
      relayResponseBytes: 1_048_576,
      openRequests: 64,
      subscriptions: 50,
      holderWindow: 4,
    });
    expect(await world.frames.tells('arrived', ann.userId)).toBe(true);
    expect(await online()).toEqual([{ user_id: ann.userId }]);
  });

  it('answers a statement over this connection’s nonce with a token of its own; over another’s it is refused', async () => {
    await open();
    const ann = world.enrol(1);
    world.members.set('signed NONCE', ann);
    const [one, two] = [await world.connect(), await world.connect()];
    const { nonce } = (await one.next('hello')).body;
    const statement = new TextEncoder().encode(`signed ${nonce}`);
    const body = { statement, signature: 'x', clientNonce: 'AAAAAAAAAAAAAAAAAAAAAA', token: '' };
    two.send({ id: '', type: 'authenticate', body });
    expect((await two.next('error')).body.code).toBe('UNAUTHENTICATED');
    one.send({ id: '', type: 'authenticate', body });
    expect((await one.next('welcome')).body.token).toBe('fresh');
  });

  it('lets a client try three times, then closes', async () => {
    await open();
    const client = await world.connect();
    for (let tries = 0; tries < 3; tries++) {
      client.authenticate('wrong');
      expect((await client.next('error')).body.code).toBe('UNAUTHENTICATED');
    }
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_UNAUTHENTICATED.number);
    expect(await online()).toEqual([]);
  });

  it('lets a client that was refused try again with what is right', async () => {
    await open();
    const client = await world.connect();
    client.authenticate('wrong');
    await client.next('error');
    client.authenticate(world.enrol(1).token);
    await client.next('welcome');
  });

  it('refuses a client nonce that is none, and both or neither of token and statement', async () => {
    await open({ limits: { authenticationFrames: 10 } });
    const client = await world.connect();
    const { token } = world.enrol(1);
    for (const nonce of ['', 'short', '!'.repeat(22), 'A'.repeat(200)]) {
      client.authenticate(token, nonce);
      expect((await client.next('error')).body.code).toBe('BAD_REQUEST');
    }
    client.authenticate('');
    expect((await client.next('error')).body.code).toBe('BAD_REQUEST');
    const both = { statement: new Uint8Array(3), signature: '', clientNonce: 'AAAAAAAAAAAAAAAAAAAAAA', token };
    client.send({ id: '', type: 'authenticate', body: both });
    expect((await client.next('error')).body.code).toBe('BAD_REQUEST');
  });

  /** A sign-in by a statement that nobody signed, unless it is `signed NONCE`. */
  const state = (client: Awaited<ReturnType<GatewayWorld['connect']>>, statement: string): void => {
    const body = { statement: new TextEncoder().encode(statement), signature: 'x', clientNonce: 'AAAAAAAAAAAAAAAAAAAAAA', token: '' };
    client.send({ id: '', type: 'authenticate', body });
  };

  it('counts failures by statement by address', async () => {
    await open();
    const ann = world.enrol(1);
    world.members.set('signed NONCE', ann);
    for (let at = 0; at < 5; at++) {
      const client = await world.connect();
      state(client, 'wrong');
      await client.next('error');
    }
    const client = await world.connect();
    state(client, `signed ${(await client.next('hello')).body.nonce}`);
    expect((await client.next('error')).body).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 60_000 });
    world.node.clock.advance(9_000);
    await world.close();
  });

  it('lets everybody behind one address in again after a crash has voided all their tokens', async () => {
    await open();
    const members = Array.from({ length: 12 }, (_, at) => world.enrol(at + 1));
    for (const [at, member] of members.entries()) {
      world.members.set(`signed NONCE ${at}`, member);
      const client = await world.connect();
      const { nonce } = (await client.next('hello')).body;
      client.authenticate(`of before the crash ${at}`);
      expect((await client.next('error')).body.code).toBe('UNAUTHENTICATED');
      state(client, `signed ${nonce} ${at}`);
      await client.next('welcome');
    }
  });

  it('lets no more than five of those that fail at once reach the sessions', async () => {
    let asked = 0;
    const look = Promise.withResolvers<ReturnType<typeof fail>>();
    const authenticateStatement = () => {
      asked += 1;
      return look.promise;
    };
    await open({
      deps: () => ({
        sessions: { authenticateStatement, authenticateToken: () => Promise.reject(new Error('not asked')), endedOf: async () => [] },
      }),
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => world.connect()));
    for (const client of clients) state(client, 'wrong');
    await eventually(() => world.gateway.counts.pending === 20);
    look.resolve(fail('unauthenticated'));
    const codes = await Promise.all(clients.map(async (client) => (await client.next('error')).body.code));
    expect(asked).toBe(5);
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(5);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(15);
  });

  it('has ten seconds', async () => {
    await open();
    const client = await world.connect();
    await client.next('hello');
    world.node.clock.advance(9_750);
    expect(world.gateway.counts.unauthenticated).toBe(1);
    world.node.clock.advance(500);
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_AUTHENTICATION_TIMEOUT.number);
    await eventually(() => world.gateway.counts.connections === 0);
    expect(world.gateway.counts.unauthenticated).toBe(0);
  });

  it('comes before everything else: any other frame closes', async () => {
    await open();
    const client = await world.connect();
    client.send({ id: '', type: 'requestReed', body: { requestId: '', reedId: '', authorId: '' } });
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_UNEXPECTED_FRAME.number);
    expect(world.frames.handled).toEqual([]);
  });

  it('has 32 KiB, and a frame that never ends is not waited for', async () => {
    await open();
    const client = await world.connect();
    await client.next('hello');
    client.socket.send(Buffer.alloc(33 * 1024), { fin: false });
    expect((await world.ended(client)).code).toBe(CLOSE_CODES.CLOSE_FRAME_TOO_LARGE.number);
  });

  it('tells a second connection that presence stood, and one of another device that it took over', async () => {
    await open();
    const ann = world.enrol(1);
    const old = [await world.signIn(ann.token), await world.signIn(ann.token)];
    expect(old[1]?.welcome.body.resumed).toBe(true);
    const fresh = await world.signIn(world.enrol(1, freshId()).token);
    for (const client of old) expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_REPLACED.number);
    await fresh.echo();
    expect(world.frames.told.filter((told) => told.what === 'left')).toEqual([]);
    expect(await online()).toHaveLength(1);
  });

  it('is limited to ten connections a member', async () => {
    await open();
    const ann = world.enrol(1);
    for (let at = 0; at < 10; at++) await world.signIn(ann.token);
    const eleventh = await world.connect();
    eleventh.authenticate(ann.token);
    expect((await eleventh.closed).code).toBe(CLOSE_CODES.CLOSE_TOO_MANY_CONNECTIONS.number);
    expect((await world.signIn(world.enrol(2).token)).welcome.body.resumed).toBe(false);
  });

  it('does not let in a session that ended while it was being opened', async () => {
    await open({
      deps: (own) => ({
        signWelcome: async () => {
          own.gateway.hub.endSessions(ann.userId, { deviceId: ann.deviceId, code: 'CLOSE_SESSION_ENDED' });
          return { kid: '', signature: '' };
        },
      }),
    });
    const ann = world.enrol(1);
    const client = await world.connect();
    client.authenticate(ann.token);
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_SESSION_ENDED.number);
    await world.frames.tells('left', ann.userId);
    expect(await online()).toEqual([]);
  });

  it('leaves no presence behind when the socket goes away in the middle', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    await open({
      deps: () => ({
        signWelcome: async () => {
          client.socket.terminate();
          await gone;
          return { kid: '', signature: '' };
        },
      }),
    });
    const client = await world.connect();
    gone = client.closed;
    client.authenticate(world.enrol(1).token);
    await client.closed;
    await world.gateway.close();
    expect(await online()).toEqual([]);
  });

  it('sends clients away while the replica is not registered', async () => {
    await open();
    await presence.rows('delete from replicas');
    const client = await world.connect();
    client.authenticate(world.enrol(1).token);
    expect((await client.next('error')).body.code).toBe('UNAVAILABLE');
    await client.next('goingAway');
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_INTERNAL.number);
  });
});
