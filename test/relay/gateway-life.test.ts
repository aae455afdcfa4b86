// How long a connection lives and what it is sent: heartbeat, slow readers, deliveries to the right connection, and going away.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLOSE_CODES } from '../../src/base/codes.ts';
import { AppError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import type { Member } from '../../src/identity/sessions.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { encodeDelivery, encodeFrame } from '../../src/wire/codec.ts';
import { createGatewayWorld, eventually, type GatewayWorld, type RawClient } from '../support/gateway-world.ts';
import { watchBuffers } from '../support/held-memory.ts';
import { createPresenceWorld, freshId, type PresenceWorld } from '../support/presence-world.ts';

let presence: PresenceWorld;
let world: GatewayWorld;
let ann: Member & { readonly token: string };
let client: RawClient;

beforeAll(async () => {
  presence = await createPresenceWorld();
});
afterAll(() => presence.close());

const open = async (limits: Partial<Limits> = {}): Promise<void> => {
  world = await createGatewayWorld(presence, { limits });
  ann = world.enrol(1);
  client = await world.signIn(ann.token);
};
beforeEach(() => open());
afterEach(() => world.close());

const MIB = 1024 * 1024;
const online = () => presence.rows<{ user_id: string; congested: boolean }>('select user_id, congested from online_users order by user_id');
const delivery = (bytes: number, id = 'event'): Uint8Array =>
  encodeDelivery('dataResponse', id, { requestId: '', reedId: 'r' }, new Uint8Array(bytes));
const turns = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
};
/** Delivers until the member takes no more; how much it took. */
const fill = async (to: Member, bytes: Uint8Array): Promise<number> => {
  let taken = 0;
  for (let refused = 0; refused < 50; ) {
    if (world.gateway.hub.deliver(to.userId, bytes, 'content')) {
      taken += bytes.length;
      refused = 0;
    } else refused += 1;
    await turns(1);
  }
  return taken;
};

describe('a connection', () => {
  it('is pinged after five seconds of silence and lives by the answer', async () => {
    for (let round = 0; round < 4; round++) {
      world.node.clock.advance(5_000);
      await client.next('ping');
      client.send({ id: '', type: 'pong', body: {} });
      await client.echo();
    }
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('is closed eight seconds after its last byte, and its presence ends', async () => {
    world.node.clock.advance(7_750);
    await client.next('ping');
    expect(world.gateway.counts.connections).toBe(1);
    world.node.clock.advance(500);
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_SILENT.number);
    await world.frames.tells('left', ann.userId);
    expect(await online()).toEqual([]);
  });

  it('that is frozen is gone by then: no handshake is waited for', async () => {
    client.socket.pause();
    world.node.clock.advance(8_250);
    await world.frames.tells('left', ann.userId);
  });

  it('lives by any byte: a slow frame on its way in is no silence, and its sender is reported', async () => {
    const bytes = encodeFrame({ id: 'e', type: 'relayResponse', body: { ciphertext: new Uint8Array(100_000), attempt: 1 } });
    const header = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(bytes.length, 6);
    const raw = (client.socket as unknown as { _socket: { write(bytes: Uint8Array): void } })._socket;
    raw.write(header);
    const step = 5_000;
    for (let at = 0; at < bytes.length; at += step) {
      raw.write(bytes.subarray(at, at + step));
      await turns(20);
      world.node.clock.advance(2_000);
    }
    await world.frames.until(() => world.frames.handled.length === 1);
    expect(world.frames.told.filter((told) => told.what === 'arriving').length).toBeGreaterThan(10);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    world.frames.told.length = 0;
    await client.echo();
    world.node.clock.advance(2_000);
    expect(world.frames.told).toEqual([]);
  });
});

describe('a delivery', () => {
  it('goes to the newest connection, and to another when that one ends', async () => {
    const newest = await world.signIn(ann.token);
    world.gateway.hub.deliver(ann.userId, delivery(10, 'one'), 'content');
    expect((await newest.next('dataResponse')).id).toBe('one');
    newest.socket.close();
    await newest.closed;
    await eventually(() => world.gateway.counts.connections === 1);
    world.gateway.hub.deliver(ann.userId, delivery(10, 'two'), 'content');
    expect((await client.next('dataResponse')).id).toBe('two');
  });

  it('is not written to somebody who is not here', () => {
    expect(world.gateway.hub.deliver(world.enrol(9).userId, delivery(10), 'content')).toBe(false);
  });

  it('reaches a member through the bus, with the bytes unchanged', async () => {
    expect(await world.bus.deliver(ann.userId, delivery(70_000), 'content')).toBe(true);
    expect((await client.next('dataResponse')).body.ciphertext.length).toBe(70_000);
  });
});

describe('a slow reader', () => {
  it('gets no more than its buffer holds, is marked, and takes nothing from others', async () => {
    const bob = world.enrol(2);
    const quick = await world.signIn(bob.token);
    client.socket.pause();
    const held = watchBuffers();
    await fill(ann, delivery(64 * 1024));
    expect(held()).toBeLessThan(16 * MIB);
    await world.frames.tells('congested', ann.userId);
    expect((await online()).find((row) => row.user_id === ann.userId)?.congested).toBe(true);
    for (let at = 0; at < 100; at++) expect(world.gateway.hub.deliver(ann.userId, delivery(64 * 1024), 'content')).toBe(false);
    for (let at = 0; at < 20; at++) {
      world.gateway.hub.deliver(bob.userId, delivery(64 * 1024, `${at}`), 'content');
      expect((await quick.next('dataResponse')).id).toBe(`${at}`);
    }
    world.node.clock.advance(2_000);
    expect(world.frames.told.filter((told) => told.what === 'buffered').map((told) => told.userId)).toEqual([ann.userId]);
  });

  it('is unmarked when it reads on, and nothing was lost', async () => {
    client.socket.pause();
    const taken = await fill(ann, delivery(64 * 1024));
    expect(await world.frames.tells('congested', ann.userId)).toBe(true);
    client.socket.resume();
    await world.frames.until(() => world.frames.told.some((told) => told.what === 'congested' && told.value === false));
    expect((await online())[0]?.congested).toBe(false);
    const bytes = () => client.frames.reduce((sum, frame) => sum + encodeFrame(frame).length, 0);
    await eventually(() => client.frames.length * delivery(64 * 1024).length >= taken);
    expect(bytes()).toBe(taken);
  });

  it('with a second connection that reads is not congested', async () => {
    const second = await world.signIn(ann.token);
    second.socket.pause();
    await eventually(() => {
      world.gateway.hub.deliver(ann.userId, delivery(64 * 1024), 'content');
      return client.frames.some((frame) => frame.type === 'dataResponse');
    });
    expect(world.frames.told.some((told) => told.what === 'congested')).toBe(false);
  });

  it('is closed when it takes not a byte for ten seconds', async () => {
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    // The link is not silent: its keep-alive arrives, but nothing that we write is taken.
    for (let at = 0; at < 7; at++) {
      client.send({ id: '', type: 'pong', body: {} });
      await turns(20);
      world.node.clock.advance(2_000);
    }
    world.node.clock.advance(DEFAULT_LIMITS.closeWaitMs + 250);
    await world.frames.tells('left', ann.userId);
    await eventually(() => world.gateway.counts.connections === 0);
  });

  it('that takes a little at a time is not closed, even in the middle of one large frame', async () => {
    await world.close();
    await open({ sendBufferFullBytes: 64 * MIB, sendBufferMaxBytes: 128 * MIB });
    client.socket.pause();
    world.gateway.hub.deliver(ann.userId, delivery(60 * MIB), 'content');
    for (let at = 0; at < 7; at++) {
      client.send({ id: '', type: 'pong', body: {} });
      client.socket.resume();
      await turns(3);
      client.socket.pause();
      await turns(3);
      world.node.clock.advance(2_000);
    }
    expect(world.gateway.counts.connections).toBe(1);
    client.socket.resume();
    await client.next('dataResponse');
  });

  it('is closed when what must be sent all the same outgrows four times its buffer', async () => {
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    world.frames.act = async (from) =>
      from.reply({ id: '', type: 'dataResponse', body: { requestId: '', reedId: '', ciphertext: new Uint8Array(MIB) } });
    for (let at = 0; at < 4; at++) client.send({ id: '', type: 'publishReady', body: { reedId: '' } });
    await eventually(() => world.gateway.hub.members === 0);
    world.node.clock.advance(DEFAULT_LIMITS.closeWaitMs + 250);
    await world.frames.tells('left', ann.userId);
  });
});

describe('a notice', () => {
  const notice = (id: string, chars = 10): Uint8Array =>
    encodeFrame({ id, type: 'error', body: { code: 'EXPIRED', detail: 'x'.repeat(chars), requestId: '', retryAfterMs: 0 } });

  it('is written though the buffer is full, and arrives; content is not', async () => {
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    expect(world.gateway.hub.deliver(ann.userId, delivery(10), 'content')).toBe(false);
    expect(await world.bus.deliver(ann.userId, notice('told'), 'notice')).toBe(true);
    client.socket.resume();
    expect((await client.next('error')).id).toBe('told');
  });

  it('goes to the newest connection, full or not, and to another when that one ends', async () => {
    const newest = await world.signIn(ann.token);
    newest.socket.pause();
    await eventually(() => {
      world.gateway.hub.deliver(ann.userId, delivery(64 * 1024), 'content');
      return client.frames.some((frame) => frame.type === 'dataResponse');
    });
    world.gateway.hub.deliver(ann.userId, notice('one'), 'notice');
    newest.socket.resume();
    expect((await newest.next('error')).id).toBe('one');
    newest.socket.terminate();
    await eventually(() => world.gateway.counts.connections === 1);
    world.gateway.hub.deliver(ann.userId, notice('two'), 'notice');
    expect((await client.next('error')).id).toBe('two');
  });

  it('that would bring the buffer over four times its size closes the reader instead of waiting in memory', async () => {
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    let written = 0;
    while (world.gateway.hub.deliver(ann.userId, notice('', 15_000), 'notice')) written += 15_000;
    expect(written).toBeGreaterThan(2 * MIB);
    expect(written).toBeLessThan(4 * MIB);
    expect(world.gateway.hub.members).toBe(0);
    world.node.clock.advance(DEFAULT_LIMITS.closeWaitMs + 250);
    await world.frames.tells('left', ann.userId);
  });
});

describe('a frame that the server fails at', () => {
  it('is logged, unless what it failed of was told to the log already', async () => {
    await world.close();
    const lines: string[] = [];
    const log = createLog('error', { write: (line) => void lines.push(line) });
    world = await createGatewayWorld(presence, { deps: () => ({ log }) });
    client = await world.signIn(world.enrol(1).token);
    const cause = new Error('one batch for all of them');
    world.frames.act = async () => {
      throw new AppError('INTERNAL', 'the step failed', { cause, isLogged: world.frames.handled.length < 3 });
    };
    for (const id of ['one', 'two', 'three']) {
      client.send({ id: '', type: 'requestReed', body: { reedId: id, authorId: '', requestId: id } });
      expect((await client.next('error')).body).toMatchObject({ code: 'INTERNAL', requestId: id });
    }
    expect(lines.filter((line) => line.includes('a frame failed'))).toHaveLength(1);
  });
});

describe('congestion that could not be written', () => {
  let warnings: string[];
  beforeEach(async () => {
    await world.close();
    warnings = [];
    const log = createLog('warn', { write: (line) => void warnings.push(line) });
    world = await createGatewayWorld(presence, { deps: () => ({ log }) });
    ann = world.enrol(1);
    client = await world.signIn(ann.token);
  });
  const failed = async (): Promise<void> => {
    await eventually(() => warnings.some((line) => line.includes('congestion could not be written')));
    await presence.rows('alter table away rename to online_users');
  };
  const toldFull = () => world.frames.told.filter((told) => told.what === 'congested').map((told) => told.value);

  it('is written by the next scan, so that nobody stays congested who reads again', async () => {
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    await world.frames.tells('congested', ann.userId);
    await presence.rows('alter table online_users rename to away');
    client.socket.resume();
    await failed();
    expect((await online())[0]?.congested).toBe(true);
    world.node.clock.advance(2_000);
    await world.frames.until(() => toldFull().at(-1) === false);
    expect((await online())[0]?.congested).toBe(false);
    expect(toldFull()).toEqual([true, false]);
  });

  it('is written as it is then: who was full and reads again is not marked', async () => {
    await presence.rows('alter table online_users rename to away');
    client.socket.pause();
    await fill(ann, delivery(64 * 1024));
    await failed();
    client.socket.resume();
    await world.frames.until(() => toldFull().at(-1) === false);
    world.node.clock.advance(2_000);
    await presence.rows('select 1');
    expect((await online())[0]?.congested).toBe(false);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('42P01');
    expect(warnings[0]).not.toContain(ann.userId);
  });
});

describe('the end of sessions', () => {
  it('closes the sockets of the device that it names, or of all others', async () => {
    world.bus.endSessions(ann.userId, { deviceId: freshId(), code: 'CLOSE_SESSION_ENDED' });
    world.bus.endSessions(ann.userId, { exceptDeviceId: ann.deviceId, code: 'CLOSE_REPLACED' });
    await client.echo();
    world.bus.endSessions(ann.userId, { deviceId: ann.deviceId, code: 'CLOSE_SESSION_ENDED' });
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_SESSION_ENDED.number);
  });
});

describe('going away', () => {
  it('tells everybody when to come back, closes, ends presence, and leaves no timer', async () => {
    const others = await Promise.all([2, 3, 4].map(async (number) => world.signIn(world.enrol(number).token)));
    const closing = world.gateway.close();
    const waits: number[] = [];
    for (const each of [client, ...others]) {
      waits.push((await each.next('goingAway')).body.retryAfterMs);
      expect((await each.closed).code).toBe(CLOSE_CODES.CLOSE_GOING_AWAY.number);
    }
    await closing;
    expect(waits.every((wait) => wait < 3_000)).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(1);
    expect(await online()).toEqual([]);
    await world.node.replica.stop();
    expect(world.node.clock.timers).toBe(0);
  });

  it('waits no longer than it may for those who do not answer', async () => {
    client.socket.pause();
    const closing = world.gateway.close();
    world.node.clock.advance(DEFAULT_LIMITS.drainMs);
    await closing;
  });

  it('lets what waits for room go on without it when the time is over', async () => {
    world.overloaded = true;
    client.send({ id: 'held', type: 'cancelRequest', body: { requestId: 'r' } });
    await eventually(() => world.gateway.counts.pending === 1);
    const closing = world.gateway.close();
    await world.ended(client);
    world.node.clock.advance(DEFAULT_LIMITS.drainMs);
    await closing;
    await eventually(() => world.gateway.idle && world.gateway.counts.connections === 0);
    expect(world.frames.handled.map((frame) => frame.id)).toEqual(['held']);
    expect(await online()).toEqual([]);
  });

  it('refuses new sockets meanwhile', async () => {
    const closing = world.gateway.close();
    await expect(world.connect()).rejects.toThrow('503');
    await closing;
  });

  it('spreads many over the time in which so many can sign in', async () => {
    await world.close();
    await open({ reconnectsPerSecond: 0.01 });
    world.gateway.presenceLost();
    const { body } = await client.next('goingAway');
    expect(body.retryAfterMs).toBeLessThan(100_000);
    expect((await client.closed).code).toBe(CLOSE_CODES.CLOSE_PRESENCE_LOST.number);
  });
});
