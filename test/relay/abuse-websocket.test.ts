// The WebSocket protocol itself broken by hand, before and after sign-in: each breach ends that one connection with a code of the table,
// or the upgrade with a 4xx, in bounded memory, and everybody else goes on.
import { afterEach, describe, expect, test } from 'vitest';
import { AbuseStage } from '../support/abuse-stage.ts';
import { watchBuffers } from '../support/held-memory.ts';
import { RawConnection } from '../support/raw-http.ts';
import { closePayload, OPCODE, type RawSocket, upgradeText, wsFrame } from '../support/raw-socket.ts';
import { CLOSE, ERROR, frame, responseOf } from '../support/raw-wire.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const stage = AbuseStage.forFile({ frameChunks: 1_000 });
const ping = frame('ping', {}, 'p');

const signedIn = async (): Promise<RawSocket> => stage.signIn(await stage.account());
const states = [
  ['before sign-in', () => stage.greeted()],
  ['after sign-in', signedIn],
] as const;

describe('an upgrade that is broken', () => {
  const request = (headers: Record<string, string | null>, path?: string): string =>
    upgradeText('127.0.0.1', { headers, ...(path === undefined ? {} : { path }) });

  test.each<[string, number, () => string]>([
    ['without a key', 400, () => request({ 'Sec-WebSocket-Key': null })],
    ['with a key of another length', 400, () => request({ 'Sec-WebSocket-Key': 'AAAA' })],
    ['of another version', 400, () => request({ 'Sec-WebSocket-Version': '12' })],
    ['without a version', 400, () => request({ 'Sec-WebSocket-Version': null })],
    ['to another protocol', 404, () => request({ Upgrade: 'h2c' })],
    ['with two hosts', 400, () => request({ 'X-One': '1\r\nHost: evil.example' })],
    ['without a host', 400, () => request({ Host: null })],
    ['with a body', 400, () => request({ 'Content-Length': '2' })],
    ['with a subprotocol twice', 400, () => request({ 'Sec-WebSocket-Protocol': 'reedbed.v1, reedbed.v1' })],
    ['with a list that is none', 400, () => request({ 'Sec-WebSocket-Protocol': 'reedbed.v1,,' })],
    ['by another method', 405, () => request({}).replace('GET', 'POST')],
    ['with a token in the address', 404, () => request({}, '/socket?token=x')],
    ['by way of a parent folder', 404, () => request({}, '/x/../socket')],
    ['to an absolute address', 404, () => request({}, 'http://127.0.0.1/socket')],
    ['with a fragment', 404, () => request({}, '/socket#x')],
    ['with NUL in a header', 400, () => request({ 'Sec-WebSocket-Protocol': 'reed\0bed.v1' })],
    ['with a line folded into the next', 400, () => request({ 'X-One': 'a\r\n b: c' })],
    ['with 64 KiB of headers', 431, () => request({ 'X-Large': 'x'.repeat(64 * KIB) })],
    ['from a page of another origin', 403, () => request({ Origin: 'https://evil.example' })],
  ])('%s is refused with %i, and the connection ends', async (_what, status, text) => {
    const socket = await stage.dial();
    socket.raw(text());
    const answer = await socket.upgraded;
    expect(answer.status).toBe(status);
    // What the parser of HTTP refuses is said in its own tests.
    expect(answer.head.toLowerCase()).toContain("content-security-policy: default-src 'none'");
    await socket.closed;
  });

  test('to HTTP/2, as some clients offer with any request, is passed over: the request is answered', async () => {
    const socket = await stage.dial();
    socket.raw(upgradeText('127.0.0.1', { path: '/api/v1/server', headers: { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings' } }));
    expect((await socket.upgraded).status).toBe(200);
    await socket.closed;
  });

  test('behind a request that is not answered yet is none, and the answers come in their order', async () => {
    const connection = await RawConnection.open(Number(new URL(stage.server.url).port));
    await connection.write(`GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${upgradeText('127.0.0.1')}`);
    expect((await connection.answers()).map(({ status }) => status)).toEqual([200, 404]);
  });

  test('left half open a hundred times holds nothing that others need, and may still be finished', async () => {
    const text = upgradeText('127.0.0.1');
    const sockets = await Promise.all(Array.from({ length: 100 }, () => stage.dial()));
    for (const socket of sockets) socket.raw(text.slice(0, -2));
    await stage.allIsWell();
    const slow = await stage.dial();
    for (const letter of text) slow.raw(letter);
    expect((await slow.upgraded).status).toBe(101);
    await slow.next('hello');
  });

  test('without our subprotocol is told so by a close code, and its frames are not read', async () => {
    const socket = await stage.open({ protocol: 'reedbed.v0' });
    socket.authenticate((await stage.account()).token);
    expect((await socket.closed).code).toBe(CLOSE.unsupported);
    expect(socket.frames).toEqual([]);
  });

  test('with frames in the same packet is no shortcut: they are read as if they came later', async () => {
    const { token } = await stage.account();
    const socket = await stage.open({ behind: wsFrame(frame('authenticate', { clientNonce: 'A'.repeat(22), token })) });
    await socket.next('welcome');
    const large = await stage.open({ behind: wsFrame(Buffer.alloc(40 * KIB), { declaredBytes: MIB }) });
    expect((await large.closed).code).toBe(CLOSE.tooLarge);
  });
});

/** What no client may send, and the code it gets. */
const BREACHES: [string, number, () => Buffer][] = [
  ['without a mask', CLOSE.malformed, () => wsFrame(ping, { masked: false })],
  ...([1, 2, 4, 7] as const).map((reserved): [string, number, () => Buffer] => [
    `with reserved bits ${reserved}`,
    CLOSE.malformed,
    () => wsFrame(ping, { reserved }),
  ]),
  ...([3, 7, 11, 15] as const).map((opcode): [string, number, () => Buffer] => [
    `of the unknown kind ${opcode}`,
    CLOSE.malformed,
    () => wsFrame(ping, { opcode }),
  ]),
  ['that goes on with nothing', CLOSE.malformed, () => wsFrame(ping, { opcode: OPCODE.continuation })],
  ['that begins within another', CLOSE.malformed, () => Buffer.concat([wsFrame('a', { final: false }), wsFrame(ping)])],
  ['of control in pieces', CLOSE.malformed, () => wsFrame('a', { opcode: OPCODE.ping, final: false })],
  ['of control over 125 bytes', CLOSE.malformed, () => wsFrame(Buffer.alloc(126), { opcode: OPCODE.ping })],
  ['of pong over 125 bytes', CLOSE.malformed, () => wsFrame(Buffer.alloc(126), { opcode: OPCODE.pong })],
  ['of close with half a code', CLOSE.malformed, () => wsFrame('a', { opcode: OPCODE.close })],
  ...([0, 999, 1004, 1005, 1006, 1015, 2999, 65_535] as const).map((code): [string, number, () => Buffer] => [
    `of close with the code ${code}`,
    CLOSE.malformed,
    () => wsFrame(closePayload(code), { opcode: OPCODE.close }),
  ]),
  ['of close whose reason is no UTF-8', CLOSE.malformed, () => wsFrame(closePayload(1000, Buffer.from([0xff])), { opcode: OPCODE.close })],
  ['of text', CLOSE.text, () => wsFrame('{"type":"ping"}', { opcode: OPCODE.text })],
  ['of text that is no UTF-8', CLOSE.malformed, () => wsFrame(Buffer.from([0xed, 0xa0, 0x80]), { opcode: OPCODE.text })],
  [
    'of text in pieces',
    CLOSE.text,
    () => Buffer.concat([wsFrame('{', { opcode: OPCODE.text, final: false }), wsFrame('}', { opcode: 0 })]),
  ],
  ['with nothing in it', CLOSE.malformed, () => wsFrame('')],
  ['that says 2^40 bytes', CLOSE.tooLarge, () => wsFrame('', { declaredBytes: 2n ** 40n })],
  ['that says 2^63 bytes', CLOSE.tooLarge, () => wsFrame('', { declaredBytes: 2n ** 63n })],
  ['that says a byte more than any may have', CLOSE.tooLarge, () => wsFrame('', { declaredBytes: MIB + KIB + 1 })],
];

describe('a frame', () => {
  test.each(BREACHES)('%s closes with %i', async (_what, code, act) => {
    const socket = await signedIn();
    socket.raw(act());
    expect((await socket.closed).code).toBe(code);
  });

  test('closes before sign-in with the same code', async () => {
    for (const [what, code, act] of BREACHES) {
      const socket = await stage.greeted();
      socket.raw(act());
      expect([what, (await socket.closed).code]).toEqual([what, code]);
    }
  });
});

describe.each(states)('%s, a frame', (_state, connect) => {
  test('whose length is spelt longer than it need be is read all the same', async () => {
    const socket = await connect();
    for (const lengthForm of [126, 127] as const) {
      socket.message(ping, { lengthForm });
      await socket.next('pong');
    }
  });

  test('in pieces, with control frames between them, is one frame', async () => {
    const socket = await connect();
    const pieces = [...ping].map((byte, at) =>
      wsFrame(Buffer.from([byte]), { opcode: at === 0 ? OPCODE.binary : OPCODE.continuation, final: at === ping.length - 1 }),
    );
    for (const piece of pieces) socket.raw(Buffer.concat([piece.subarray(0, 3), piece.subarray(3), wsFrame('q', { opcode: OPCODE.ping })]));
    expect((await socket.next('pong')).id).toBe('p');
    // In two writes on purpose: the answers come each with what they answer.
    await socket.echo();
    expect(socket.pongs.length).toBe(ping.length);
  });

  test('cut by the end of the connection leaves nothing behind', async () => {
    for (const end of ['fin', 'reset'] as const) {
      const socket = await connect();
      socket.raw(wsFrame(ping).subarray(0, 7));
      if (end === 'fin') socket.stream.end();
      else socket.vanish();
      await socket.closed;
    }
    await stage.server.settle();
    const online = await stage.community.rows('select distinct user_id from online_connections');
    expect(online).toHaveLength(5);
  });

  test('behind a goodbye is not carried out', async () => {
    const socket = await connect();
    socket.raw(Buffer.concat([wsFrame(closePayload(1000), { opcode: OPCODE.close }), wsFrame(ping)]));
    expect((await socket.closed).code).toBe(1000);
    expect(socket.frames).toEqual([]);
  });
});

describe('a message in pieces', () => {
  let look: (() => number) | null = null;
  const watch = (): (() => number) => {
    look = watchBuffers();
    return look;
  };
  afterEach(() => {
    expect(look?.() ?? 0).toBeLessThan(16 * MIB);
    look = null;
  });

  test('of more bytes than memory holds closes at the limit, and is not kept', async () => {
    const socket = await signedIn();
    const grown = watch();
    socket.raw(wsFrame(Buffer.alloc(64 * KIB), { final: false }));
    const piece = wsFrame(Buffer.alloc(64 * KIB), { opcode: OPCODE.continuation, final: false });
    // 512 MiB at most; each write waits for the one before, so that only the server could be keeping them.
    for (let at = 0; at < 8 * KIB && !socket.stream.destroyed && socket.stream.writable; at += 1) {
      await new Promise((resolve) => socket.stream.write(piece, resolve));
      grown();
    }
    expect((await socket.closed).code).toBe(CLOSE.tooLarge);
  });

  test.each([
    ['one byte', 1],
    ['no byte', 0],
  ])('of %s each, many thousand times, closes long before it is whole', async (_what, bytes) => {
    const socket = await signedIn();
    const grown = watch();
    socket.raw(wsFrame(Buffer.alloc(bytes), { final: false }));
    const pieces = Buffer.concat(Array<Buffer>(20_000).fill(wsFrame(Buffer.alloc(bytes), { opcode: OPCODE.continuation, final: false })));
    socket.raw(pieces);
    expect((await socket.closed).code).toBe(CLOSE.malformed);
    grown();
  });

  /** Bytes one at a time, each read by itself, until the connection is closed or so many are sent. */
  const drip = async (socket: RawSocket, most: number): Promise<void> => {
    for (let sent = 0; sent < most && !socket.stream.destroyed && socket.stream.writable; sent += 1) {
      await new Promise((resolve) => socket.stream.write('x', resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  test.each([
    ['before sign-in', CLOSE.tooLarge, () => stage.greeted()],
    ['of a member', CLOSE.malformed, signedIn],
  ] as const)('that comes a byte at a time, %s, closes long before its bytes are too many', async (_whose, code, open) => {
    const socket = await open();
    socket.raw(wsFrame('', { declaredBytes: 16 * KIB }));
    await drip(socket, 15 * KIB);
    expect(socket.stream.writable).toBe(false);
    expect((await socket.closed).code).toBe(code);
  });

  test('a RELAY_RESPONSE of 1 MiB in sixty-four pieces arrives whole', async () => {
    const [author, viewer] = [await stage.account(), await stage.account()];
    const reed = await stage.reed(author);
    const [hostile, reader] = [await stage.signIn(author), await stage.join(viewer)];
    reader.request(reed);
    const asked = await hostile.next('relayRequest');
    const whole = responseOf(asked.id, MIB);
    for (let at = 0; at < MIB; at += 16 * KIB) {
      const opcode = at === 0 ? OPCODE.binary : OPCODE.continuation;
      hostile.message(whole.subarray(at, at + 16 * KIB), { opcode, final: at + 16 * KIB === MIB });
    }
    const { body } = await reader.next('dataResponse');
    expect(Buffer.from(body.ciphertext).equals(Buffer.alloc(body.ciphertext.length, 'r'))).toBe(true);
    await reader.next('settled');
  });
});

test('PINGs with ids of 16 KiB by somebody who never reads close him when the answers fill four times his buffer', async () => {
  const account = await stage.account();
  const socket = await stage.signIn(account);
  socket.reading(false);
  const grown = watchBuffers();
  const large = wsFrame(frame('ping', {}, 'x'.repeat(16_000)));
  for (let at = 0; at < 990 && socket.stream.writable; at += 1) await new Promise((resolve) => socket.stream.write(large, resolve));
  while ((await stage.community.rows('select from online_users where user_id = $1', [account.userId])).length > 0);
  expect(grown()).toBeLessThan(48 * MIB);
});

describe('pings of the WebSocket protocol', () => {
  const flood = Buffer.concat(Array<Buffer>(2_000).fill(wsFrame('x'.repeat(125), { opcode: OPCODE.ping })));
  const pongs = Buffer.concat(Array<Buffer>(2_000).fill(wsFrame('', { opcode: OPCODE.pong })));

  test('are answered, and cost what a PING costs: who goes on is told, then closed', async () => {
    const socket = await signedIn();
    socket.raw(flood);
    const told = await socket.next('error');
    expect(told.body['code']).toBe(ERROR.rateLimited);
    expect((await socket.closed).code).toBe(CLOSE.rateLimited);
    expect(socket.pongs.length).toBeGreaterThan(999);
    expect(socket.pongs.length).toBeLessThan(1_900);
    expect(socket.pongs.every((payload) => payload.equals(Buffer.from('x'.repeat(125))))).toBe(true);
  });

  test('by somebody who never reads end with him, whatever he sends', async () => {
    const account = await stage.account();
    const socket = await stage.signIn(account);
    socket.reading(false);
    for (let at = 0; at < 20; at += 1) socket.raw(flood);
    const gone = async () => (await stage.community.rows('select from online_users where user_id = $1', [account.userId])).length === 0;
    while (!(await gone()));
    socket.reading(true);
    // The code is lost on the way if the system throws away what was not read.
    expect([0, CLOSE.rateLimited]).toContain((await socket.closed).code);
  });

  test('that answer nothing cost as much', async () => {
    const socket = await signedIn();
    socket.raw(pongs);
    expect((await socket.closed).code).toBe(CLOSE.rateLimited);
  });

  test('before sign-in are bounded by the bytes that are read then', async () => {
    const socket = await stage.greeted();
    socket.raw(flood);
    expect((await socket.closed).code).toBe(CLOSE.tooLarge);
    expect(socket.pongs.length).toBeLessThan(1_000);
  });
});
