// What the frames of a signed-in member do: in order, charged, answered, and every kind of wrong one with its code.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLOSE_CODES, type CloseCode } from '../../src/base/codes.ts';
import { AppError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { createGatewayWorld, eventually, type GatewayWorld, type RawClient } from '../support/gateway-world.ts';
import { createPresenceWorld, type PresenceWorld } from '../support/presence-world.ts';

let presence: PresenceWorld;
let world: GatewayWorld;
let client: RawClient;

beforeAll(async () => {
  presence = await createPresenceWorld();
});
afterAll(() => presence.close());

const open = async (limits: Partial<Limits> = {}): Promise<void> => {
  world = await createGatewayWorld(presence, { limits });
  client = await world.signIn(world.enrol(1).token);
};
const reopen = async (limits: Partial<Limits>): Promise<void> => {
  await world.close();
  await open(limits);
};
beforeEach(() => open());
afterEach(() => world.close());

const request = (reedId: string, requestId = reedId): Frame => ({
  id: '',
  type: 'requestReed',
  body: { requestId, reedId, authorId: '' },
});
const response = (id: string, bytes: number): Frame => ({
  id,
  type: 'relayResponse',
  body: { ciphertext: new Uint8Array(bytes), attempt: 1 },
});
const ack = (id: string): Frame => ({ id, type: 'dataAck', body: {} });
const closes = async (code: CloseCode): Promise<void> => expect((await world.ended(client)).code).toBe(CLOSE_CODES[code].number);
const handled = (): string[] => world.frames.handled.map((frame) => frame.id || frame.type);

describe('a frame that is wrong', () => {
  it.each<[string, CloseCode, (send: (bytes: Buffer | string) => void) => void]>([
    ['text', 'CLOSE_TEXT_FRAME', (send) => send('hello')],
    ['noise', 'CLOSE_MALFORMED_FRAME', (send) => send(Buffer.from([0xff, 0xff, 0xff, 0xff]))],
    ['nothing', 'CLOSE_MALFORMED_FRAME', (send) => send(Buffer.alloc(0))],
    ['cut short', 'CLOSE_MALFORMED_FRAME', (send) => send(Buffer.from(encodeFrame(request('a reed')).subarray(0, 9)))],
    ['two bodies', 'CLOSE_MALFORMED_FRAME', (send) => send(Buffer.concat([encodeFrame(ack('')), encodeFrame(request('a'))]))],
    ['no text where text belongs', 'CLOSE_MALFORMED_FRAME', (send) => send(Buffer.from([0x0a, 0x02, 0xff, 0xfe, 0x2a, 0x00]))],
    ['an ordinary frame over 16 KiB', 'CLOSE_FRAME_TOO_LARGE', (send) => send(Buffer.from(encodeFrame(request('x'.repeat(17_000)))))],
    ['a response over 1 MiB', 'CLOSE_FRAME_TOO_LARGE', (send) => send(Buffer.from(encodeFrame(response('', 1_048_576))))],
    ['more than any frame may have', 'CLOSE_FRAME_TOO_LARGE', (send) => send(Buffer.alloc(3_000_000))],
  ])('closes: %s', async (_, code, act) => {
    act((bytes) => client.socket.send(bytes));
    await closes(code);
    expect(world.frames.handled).toEqual([]);
    expect(await world.frames.tells('left')).toBeUndefined();
  });

  it('closes if only the server may send it, or if it signs in a second time', async () => {
    client.send({ id: '', type: 'settled', body: { events: [] } });
    await closes('CLOSE_UNEXPECTED_FRAME');
    client = await world.signIn(world.enrol(2).token);
    client.authenticate('again');
    await closes('CLOSE_UNEXPECTED_FRAME');
  });

  it('is answered UNIMPLEMENTED if its body is unknown, and the connection lives', async () => {
    const id = 'some-event';
    client.socket.send(Buffer.concat([encodeFrame({ id, type: 'ping', body: {} }).subarray(0, 12), Buffer.from([0xd2, 0x7d, 0x00])]));
    expect(await client.next('error')).toMatchObject({ id, body: { code: 'UNIMPLEMENTED' } });
    await client.echo();
  });

  it('is read in spite of fields that we do not know yet', async () => {
    client.socket.send(Buffer.concat([encodeFrame(ack('e1')), Buffer.from([0xd0, 0x7d, 0x05])]));
    await world.frames.until(() => world.frames.handled.length === 1);
    expect(handled()).toEqual(['e1']);
  });

  it('closes when the WebSocket protocol itself is broken', async () => {
    const raw = (client.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
    raw.write(Buffer.from([0x82, 0x01, 0x00]));
    await closes('CLOSE_MALFORMED_FRAME');
  });
});

describe('frames of a connection', () => {
  it('answer a PING with its id', async () => {
    client.send({ id: 'mine', type: 'ping', body: {} });
    expect((await client.next('pong')).id).toBe('mine');
  });

  it('go to the relay with who sent them, and its answer comes back on the same connection', async () => {
    world.frames.act = async (from, frame) => from.reply({ id: frame.id, type: 'publishReadyAck', body: { reedId: from.member.userId } });
    client.send({ id: 'p', type: 'publishReady', body: { reedId: 'x' } });
    expect((await client.next('publishReadyAck')).body.reedId).toBe(world.enrol(1).userId);
  });

  it('are answered with the code that the relay throws, and INTERNAL without a word for anything else', async () => {
    world.frames.act = async () => {
      throw new AppError('TOO_MANY_OPEN', 'as many as may be', { retryAfterMs: 1_500.4 });
    };
    client.send(request('one', 'r1'));
    expect((await client.next('error')).body).toEqual({
      code: 'TOO_MANY_OPEN',
      detail: 'as many as may be',
      requestId: 'r1',
      retryAfterMs: 1_501,
    });
    world.frames.act = async () => {
      throw new Error('secret');
    };
    client.send(request('two', 'r2'));
    const { body } = await client.next('error');
    expect(body).toMatchObject({ code: 'INTERNAL', requestId: 'r2' });
    expect(body.detail).not.toContain('secret');
  });

  it('take effect in order: one type at once, another type after all before it, the end last', async () => {
    const gates = new Map<string, () => void>();
    world.frames.act = (_, frame) => new Promise((resolve) => gates.set(frame.id || frame.type, resolve));
    for (const id of ['a1', 'a2']) client.send(ack(id));
    client.send(request('reed'));
    client.send(ack('a3'));
    await client.echo();
    expect(handled()).toEqual(['a1', 'a2']);
    client.socket.close();
    await client.closed;
    gates.get('a1')?.();
    gates.get('a2')?.();
    await world.frames.until(() => handled().length === 3);
    gates.get('requestReed')?.();
    await world.frames.until(() => handled().length === 4);
    expect(handled()).toEqual(['a1', 'a2', 'requestReed', 'a3']);
    expect(world.gateway.idle).toBe(false);
    expect(world.frames.told.some((told) => told.what === 'left')).toBe(false);
    gates.get('a3')?.();
    await world.frames.tells('left');
    await eventually(() => world.gateway.idle);
  });

  it('are held back while too much is queued, and the socket is not read', async () => {
    world.overloaded = true;
    for (let at = 0; at < 3; at++) client.send(request(`reed-${at}`));
    await eventually(() => client.socket.bufferedAmount === 0);
    world.node.clock.advance(1_000);
    expect(handled()).toEqual([]);
    world.overloaded = false;
    world.node.clock.advance(250);
    await world.frames.until(() => world.frames.handled.length === 3);
  });

  it('stop being read when too many wait, and none is lost', async () => {
    await reopen({ costBurst: 10_000 });
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    world.frames.act = () => gate;
    client.send(request('first'));
    const ids = Array.from({ length: 8_000 }, (_, at) => `event-${at}-${'x'.repeat(90)}`);
    for (const id of ids) client.send(ack(id));
    await eventually(() => world.gateway.counts.pending > DEFAULT_LIMITS.pendingFrames);
    for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve));
    // What one chunk off the network held, and no more.
    expect(world.gateway.counts.pending).toBeLessThan(1_500);
    open();
    await world.frames.until(() => world.frames.handled.length === 8_001);
    expect(handled()).toEqual(['requestReed', ...ids]);
  });
});

describe('the budget', () => {
  it('refuses what is over it, says when to come back, and does not hand it on', async () => {
    await reopen({ costBurst: 2, costPerMinute: 60 });
    for (const reed of ['a', 'b', 'c']) client.send(request(reed));
    expect((await client.next('error')).body).toEqual({
      code: 'RATE_LIMITED',
      detail: 'over the budget',
      requestId: 'c',
      retryAfterMs: 1_000,
    });
    world.node.clock.advance(1_000);
    client.send(request('d'));
    await client.echo();
    expect(world.frames.handled.map((frame) => frame.type === 'requestReed' && frame.body.reedId)).toEqual(['a', 'b', 'd']);
  });

  it('is one for all connections of a member', async () => {
    await reopen({ costBurst: 1 });
    const other = await world.signIn(world.enrol(1, [...world.members.values()][0]?.deviceId).token);
    client.send(request('a'));
    await client.echo();
    other.send(request('b'));
    expect((await other.next('error')).body.code).toBe('RATE_LIMITED');
  });

  it('closes who goes on all the same', async () => {
    await reopen({ costBurst: 1, rateLimitedFramesBeforeClose: 5 });
    for (let at = 0; at < 20; at++) client.send(request(`reed-${at}`));
    await closes('CLOSE_RATE_LIMITED');
    expect(world.frames.handled).toHaveLength(1);
  });

  it('lets what was asked be answered for nothing, once; forged and repeated answers cost', async () => {
    await reopen({ costBurst: 1 });
    const { userId } = world.enrol(1);
    const ask = { reedId: 'r', requesterId: 'u', requesterKeyId: 'k', attempt: 1, deadlineMs: 5_000 };
    for (const id of ['e1', 'e2', 'e3']) world.gateway.hub.deliver(userId, encodeFrame({ id, type: 'relayRequest', body: ask }), 'content');
    for (const id of ['e1', 'e2', 'e3', 'forged', 'e1']) client.send(response(id, 10));
    expect(await client.next('error')).toMatchObject({ id: 'e1', body: { code: 'RATE_LIMITED' } });
    expect(handled()).toEqual(['e1', 'e2', 'e3', 'forged']);
  });

  it('bounds even frames without a cost', async () => {
    await reopen({ freeFramesBurst: 3, freeFramesPerSecond: 1 });
    for (let at = 0; at < 4; at++) client.send({ id: `${at}`, type: 'ping', body: {} });
    expect(await client.next('error')).toMatchObject({ id: '3', body: { code: 'RATE_LIMITED', retryAfterMs: 1_000 } });
  });
});
