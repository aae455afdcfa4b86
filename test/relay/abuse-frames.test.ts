// Frames written by hand to be wrong: cut, too large, not UTF-8, nested, with fields twice, unknown or of another kind. A connection is
// answered or ended by the published code; a RELAY_RESPONSE of exactly 1 MiB passes, and nothing that a socket brings reaches the log.
import { describe, expect, test } from 'vitest';
import { AbuseStage } from '../support/abuse-stage.ts';
import { uuid } from '../support/raw-person.ts';
import { closePayload, OPCODE, type RawSocket, textOf } from '../support/raw-socket.ts';
import {
  body,
  bytes,
  CLOSE,
  ERROR,
  frame,
  numberOf,
  type RawType,
  readFields,
  responseOf,
  tag,
  uint,
  varint,
} from '../support/raw-wire.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const stage = AbuseStage.forFile();
const ping = frame('ping', {}, 'p');
const signedIn = async (): Promise<RawSocket> => stage.signIn(await stage.account());

/** Nested messages or groups, `levels` deep. */
const messages = (levels: number): Buffer => {
  let inner: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels && inner.length < 15_000; level += 1) inner = bytes(3, inner);
  return inner;
};
const unUtf8 = [
  ['a stray byte', Buffer.from([0xff])],
  ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
  ['an overlong NUL', Buffer.from([0xc0, 0x80])],
  ['a cut sign', Buffer.from([0xe2, 0x82])],
  ['a sign beyond Unicode', Buffer.from([0xf4, 0x90, 0x80, 0x80])],
] as const;

describe('a frame that is none', () => {
  test.each<[string, Buffer]>([
    ['an id alone', bytes(1, 'x')],
    ['two ids', Buffer.concat([bytes(1, 'x'), bytes(1, 'x'), frame('ping')])],
    ['one body twice', Buffer.concat([frame('ping'), frame('ping')])],
    ['two bodies', Buffer.concat([frame('dataAck', {}, uuid()), frame('relayMiss', { attempt: 1 })])],
    ['a body and an unknown one with two ids', Buffer.concat([bytes(1, 'a'), bytes(60, ''), bytes(1, 'b')])],
    ['an id that is a number', Buffer.concat([uint(1, 7), frame('ping')])],
    ['field number zero', Buffer.concat([tag(0, 2), varint(0)])],
    ['a wire type that does not exist', Buffer.concat([tag(5, 6), varint(0)])],
    ['a group without an end', Buffer.concat([ping, tag(90, 3)])],
    ['an end without a group', Buffer.concat([ping, tag(90, 4)])],
    ['16,000 groups in one another', Buffer.alloc(16_000, tag(7, 3))],
    ['a length beyond the frame', bytes(numberOf('ping'), '', 40)],
    ['a length of 2^63', Buffer.concat([tag(5, 2), varint(2n ** 63n)])],
    ['a length below zero', Buffer.concat([tag(5, 2), varint(2n ** 64n - 1n)])],
    ['a varint of eleven bytes', Buffer.concat([tag(5, 2), varint(0, 10)])],
    ['a field that goes beyond its body', bytes(numberOf('requestReed'), bytes(1, 'x', 9))],
    ['JSON', Buffer.from('{"id":"","ping":{}}')],
  ])('%s, closes', async (_what, sent) => {
    const socket = await signedIn();
    socket.message(sent);
    expect((await socket.closed).code).toBe(CLOSE.malformed);
  });

  test.each(unUtf8)('with text that is no UTF-8, in its id or in a field, closes: %s', async (_what, text) => {
    for (const sent of [Buffer.concat([bytes(1, text), frame('ping')]), bytes(numberOf('cancelRequest'), bytes(1, text))]) {
      const socket = await signedIn();
      socket.message(sent);
      expect((await socket.closed).code).toBe(CLOSE.malformed);
    }
  });

  test('cut anywhere, closes and does nothing of what it said', async () => {
    const account = await stage.account();
    const reed = await stage.reed(account);
    const whole = frame('eviction', { reedId: reed });
    for (const length of [1, 2, 3, 4, 20, whole.length - 1]) {
      const socket = await stage.signIn(account);
      socket.message(whole.subarray(0, length));
      expect((await socket.closed).code).toBe(CLOSE.malformed);
    }
    await stage.server.settle();
    expect(await stage.community.rows('select from reed_allocations where reed_id = $1', [reed])).toHaveLength(1);
  });

  test('that only a server sends, closes, as a second sign-in does', async () => {
    const account = await stage.account();
    const numbers = [2, 4, 7, 8, 13, 14, 15, 16, 17, 21, 22, 23, 24, 25, 26, 27, 30, 31, 32, 33, 34, 36, 38, 47, 49, 51, 52, 53, 57];
    for (const number of [...numbers, numberOf('authenticate')]) {
      const socket = await stage.signIn(account);
      socket.message(Buffer.concat([bytes(1, uuid()), bytes(number, '')]));
      expect([number, (await socket.closed).code]).toEqual([number, CLOSE.unexpected]);
    }
  });

  test('other than AUTHENTICATE, PING and PONG, closes before sign-in', async () => {
    for (const number of [9, 10, 11, 12, 18, 19, 20, 28, 29, 35, 37, 39, 48, 50, 54, 56, 58, 99]) {
      const socket = await stage.greeted();
      socket.message(bytes(number, ''));
      expect([number, (await socket.closed).code]).toEqual([number, CLOSE.unexpected]);
    }
  });
});

describe('a frame that is strange', () => {
  test('of a body that nobody knows is answered UNIMPLEMENTED with its id, and the connection lives', async () => {
    const socket = await signedIn();
    for (const number of [58, 1_000, 2 ** 29 - 1]) {
      socket.message(Buffer.concat([bytes(1, `n${number}`), bytes(number, messages(2_000))]));
      const { id, body: told } = await socket.next('error');
      expect([id, told['code']]).toEqual([`n${number}`, ERROR.unimplemented]);
    }
    expect(await socket.echo()).toBe(null);
  });

  test.each<[string, (known: Buffer) => Buffer]>([
    ['at its root', (known) => Buffer.concat([bytes(1, 'q'), bytes(5, known), uint(99, 1), bytes(98, 'x')])],
    ['in its body', (known) => Buffer.concat([bytes(1, 'q'), bytes(5, Buffer.concat([known, uint(9, 2n ** 64n - 1n), bytes(8, 'x')]))])],
    ['in closed groups', (known) => Buffer.concat([bytes(1, 'q'), bytes(5, known), tag(9, 3), tag(9, 4)])],
    ['5,000 messages deep', (known) => Buffer.concat([bytes(1, 'q'), bytes(5, Buffer.concat([known, messages(5_000)]))])],
    ['before its id', (known) => Buffer.concat([uint(99, 1), bytes(5, known), bytes(1, 'q')])],
  ])('with fields that nobody knows is read without them: %s', async (_where, act) => {
    const socket = await signedIn();
    socket.message(act(Buffer.alloc(0)));
    expect((await socket.next('pong')).id).toBe('q');
  });

  test('with a field twice is read as its last value says, once', async () => {
    const [author, asker] = (await stage.accounts(2)) as [Account, Account];
    const [first, second] = [await stage.reed(author), await stage.reed(author)];
    const socket = await stage.signIn(asker);
    const requestId = stage.requestId(asker);
    const ask = { requestId, reedId: second, authorId: author.userId };
    const twice = Buffer.concat([bytes(1, 'not this'), bytes(2, first), body('requestReed', ask)]);
    socket.message(bytes(numberOf('requestReed'), twice));
    expect(textOf(await socket.next('requestAck'), 'reedId')).toBe(second);
    // The other way round the last value is somebody else's, and that is what counts.
    socket.message(bytes(numberOf('requestReed'), Buffer.concat([body('requestReed', ask), bytes(1, stage.requestId(author))])));
    expect((await socket.next('error')).body['code']).toBe(ERROR.invalid);
    await socket.echo();
    expect(await stage.community.rows('select subject_id from pending_events where requester_user_id = $1', [asker.userId])).toEqual([
      { subject_id: second },
    ]);
  });

  test('with numbers in more bytes than they need means the same', async () => {
    const socket = await signedIn();
    const overlong = Buffer.concat([varint((1n << 3n) | 2n, 3), varint(1, 4), Buffer.from('z'), varint((5n << 3n) | 2n, 2), varint(0, 4)]);
    socket.message(overlong);
    expect((await socket.next('pong')).id).toBe('z');
  });

  test('with a reason that does not exist accuses nobody', async () => {
    const [author, holder, viewer] = (await stage.accounts(3)) as [Account, Account, Account];
    const reed = await stage.reed(author, [holder]);
    await stage.join(holder);
    const socket = await stage.signIn(viewer);
    socket.send('requestReed', { requestId: stage.requestId(viewer), reedId: reed, authorId: author.userId });
    const { id } = await socket.next('dataResponse');
    socket.send('dataInvalid', { reason: 99 }, id);
    await socket.next('settled');
    expect(await stage.community.rows('select from holder_strikes where reed_id = $1', [reed])).toEqual([]);
  });
});

type Account = Awaited<ReturnType<typeof stage.account>>;

describe('sizes', () => {
  /** A frame of exactly so many bytes, filled up in one of its text fields. */
  const sized = (type: RawType, field: string, total: number): Buffer => {
    for (let fill = total; ; fill -= 1) {
      const whole = frame(type, { [field]: 'x'.repeat(fill) });
      if (whole.length <= total) return whole;
    }
  };

  test.each<[RawType, string]>([
    ['requestReed', 'requestId'],
    ['requestThread', 'threadId'],
    ['cancelRequest', 'requestId'],
    ['syncRequest', 'requestId'],
    ['publishReady', 'reedId'],
    ['eviction', 'reedId'],
    ['keyEviction', 'keyId'],
    ['profilePage', 'userId'],
    ['subscribePipe', 'tag'],
    ['contentRejected', 'reason'],
    ['relayMiss', 'missingReedId'],
  ])('%s of 16 KiB is read and refused by name; a byte more closes', async (type, field) => {
    const whole = sized(type, field, 16 * KIB);
    expect(whole).toHaveLength(16 * KIB);
    const socket = await signedIn();
    socket.message(whole);
    expect([ERROR.invalid, ERROR.unimplemented]).toContain((await socket.next('error')).body['code']);
    socket.message(sized(type, field, 16 * KIB + 1));
    expect((await socket.closed).code).toBe(CLOSE.tooLarge);
  });

  test('of what nobody knows are those of a small frame', async () => {
    const socket = await signedIn();
    socket.message(bytes(60, Buffer.alloc(16 * KIB)));
    expect((await socket.closed).code).toBe(CLOSE.tooLarge);
  });

  test('RELAY_RESPONSE of exactly 1 MiB passes, to the last byte', async () => {
    const [author, viewer] = (await stage.accounts(2)) as [Account, Account];
    const reed = await stage.reed(author);
    const [holder, reader] = [await stage.signIn(author), await stage.signIn(viewer)];
    reader.send('requestReed', { requestId: stage.requestId(viewer), reedId: reed, authorId: author.userId });
    const asked = await holder.next('relayRequest');
    const response = responseOf(asked.id, MIB);
    expect(response).toHaveLength(MIB);
    holder.message(response);
    const { id, body: delivered } = await reader.next('dataResponse');
    const sent = readFields(readFields(response)[1]?.value as Buffer)[0]?.value as Buffer;
    expect(Buffer.compare(delivered['ciphertext'] as Buffer, sent)).toBe(0);
    reader.send('dataAck', {}, id);
    await reader.next('settled');
  });

  test('RELAY_RESPONSE of 1 MiB and a byte closes its sender, and the reed comes from somebody else', async () => {
    const [author, other, viewer] = (await stage.accounts(3)) as [Account, Account, Account];
    const reed = await stage.reed(author, [author, other]);
    const holder = await stage.signIn(author);
    const reader = await stage.join(viewer);
    reader.request(reed);
    const asked = await holder.next('relayRequest');
    await stage.join(other);
    holder.message(responseOf(asked.id, MIB + 1));
    expect((await holder.closed).code).toBe(CLOSE.tooLarge);
    await reader.next('settled');
  });
});

describe('the log', () => {
  const MARKER = 'reedmarker';
  const HOSTILE = [
    `${MARKER}\n{"level":60,"msg":"forged"}`,
    `\u001b[2J${MARKER}\u001b[31m`,
    `"},${MARKER}\r\n\0`,
    `%s%d ${MARKER} \${env}`,
  ];

  test('holds nothing that a socket brings, in whatever string', async () => {
    const account = await stage.account();
    const texts: [RawType, readonly string[]][] = [
      ['requestReed', ['requestId', 'reedId', 'authorId']],
      ['requestThread', ['requestId', 'threadId']],
      ['cancelRequest', ['requestId']],
      ['syncRequest', ['requestId']],
      ['publishReady', ['reedId']],
      ['profilePage', ['userId']],
      ['subscribePipe', ['tag']],
      ['eviction', ['reedId']],
      ['keyEviction', ['keyId']],
      ['contentRejected', ['reedId', 'reason']],
      ['relayMiss', ['missingReedId']],
      ['relayResponse', ['ciphertext']],
    ];
    for (const hostile of HOSTILE) {
      const socket = await stage.signIn(account, {
        headers: {
          'User-Agent': hostile.replace(/[^ -~]/g, ' '),
          'X-Forwarded-For': MARKER,
          Cookie: `a=${MARKER}`,
          Referer: MARKER,
        },
      });
      for (const [type, fields] of texts) {
        for (const values of [{}, ...fields.map((name) => ({ [name]: hostile }))]) socket.send(type, values, hostile);
        socket.send(type, Object.fromEntries(fields.map((name) => [name, `${account.userId}/${hostile}`])), uuid());
      }
      socket.message(hostile.slice(0, 100), { opcode: OPCODE.ping });
      await socket.echo();
      socket.message(closePayload(4000, hostile.slice(0, 100)), { opcode: OPCODE.close });
      await socket.closed;
      const stranger = await stage.greeted();
      for (const name of ['statement', 'signature', 'token'])
        stranger.send('authenticate', { clientNonce: 'A'.repeat(22), [name]: hostile }, hostile);
      await stranger.closed;
      (await stage.open({ protocol: MARKER })).vanish();
      const page = await stage.open({ headers: { Origin: `https://${MARKER}.example` } });
      expect((await page.upgraded).status).toBe(403);
      expect((await (await stage.open({ path: `/${MARKER}` })).upgraded).status).toBe(404);
      const text = await stage.signIn(account);
      text.message(hostile, { opcode: OPCODE.text });
      await text.closed;
    }
    await stage.server.settle();
    expect(stage.server.logged()).not.toContain(MARKER);
    expect(stage.server.logged()).not.toContain('forged');
  });
});
