// Protobuf by hand, as a stranger reads it in proto/reedbed/v1: field numbers and wire types, and nothing that stops anybody from writing
// them wrongly. Shares no code with the server or the SDK, and no library with them either.

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A varint, made longer than it needs to be by `extra` bytes. */
export function varint(value: number | bigint, extra = 0): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  for (let at = 0; at < extra; at += 1) {
    bytes.push((bytes.pop() as number) | 128);
    bytes.push(0);
  }
  return Buffer.from(bytes);
}

/** A field's tag with any wire type: 0 varint, 1 eight bytes, 2 length, 3 and 4 group, 5 four bytes, 6 and 7 none. */
export const tag = (number: number, wireType: number): Buffer => varint((BigInt(number) << 3n) | BigInt(wireType));

export const uint = (number: number, value: number | bigint): Buffer => Buffer.concat([tag(number, 0), varint(value)]);

/** Bytes, text or a message; `declaredBytes` may lie. */
export function bytes(number: number, value: Uint8Array | string, declaredBytes?: number): Buffer {
  const content = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([tag(number, 2), varint(declaredBytes ?? content.length), content]);
}

type Kind = 'text' | 'bytes' | 'number' | 'message';
type Fields = Readonly<Record<string, readonly [number, Kind]>>;

const asked = { requestId: [1, 'text'], reedId: [2, 'text'] } as const;
const relay = { requesterId: [2, 'text'], requesterKeyId: [3, 'text'], attempt: [4, 'number'], deadlineMs: [5, 'number'] } as const;
const delivery = { ...asked, ciphertext: [3, 'bytes'] } as const;
const reed = { reedId: [1, 'text'] } as const;
const told = { requestId: [1, 'text'], certificate: [2, 'bytes'] } as const;
const acknowledged = { userId: [1, 'text'], countersignatureHash: [2, 'text'] } as const;

/** Every body that these tests send or read: its number in Frame, and its fields. */
const BODIES = {
  hello: [
    2,
    { serverId: [1, 'text'], nonce: [2, 'text'], serverTime: [3, 'number'], protocolMin: [4, 'number'], protocolMax: [5, 'number'] },
  ],
  authenticate: [3, { statement: [1, 'bytes'], signature: [2, 'text'], clientNonce: [3, 'text'], token: [4, 'text'] }],
  welcome: [4, { sessionId: [1, 'text'], token: [2, 'text'], limits: [3, 'message'], resumed: [5, 'number'], kid: [6, 'text'] }],
  ping: [5, {}],
  pong: [6, {}],
  goingAway: [7, { retryAfterMs: [1, 'number'] }],
  error: [8, { code: [1, 'number'], detail: [2, 'text'], requestId: [3, 'text'], retryAfterMs: [4, 'number'] }],
  syncRequest: [9, { requestId: [1, 'text'] }],
  requestReed: [10, { ...asked, authorId: [3, 'text'] }],
  requestThread: [11, { requestId: [1, 'text'], threadId: [2, 'text'] }],
  cancelRequest: [12, { requestId: [1, 'text'] }],
  requestAck: [13, { ...asked, state: [3, 'number'], onlineHolders: [4, 'number'] }],
  reedNotFound: [14, asked],
  reedNotHeld: [15, asked],
  relayRequest: [16, { ...reed, ...relay }],
  relayThread: [17, { threadId: [1, 'text'], ...relay }],
  relayResponse: [18, { ciphertext: [1, 'bytes'], attempt: [2, 'number'] }],
  relayMiss: [19, { attempt: [1, 'number'], missingReedId: [2, 'text'] }],
  relayError: [20, { attempt: [1, 'number'], reason: [2, 'number'] }],
  dataResponse: [21, delivery],
  followReed: [22, delivery],
  pipeReed: [23, delivery],
  archiveReed: [24, delivery],
  reedReply: [25, delivery],
  mention: [26, delivery],
  broadcastReed: [27, { ...reed, ciphertext: [2, 'bytes'], username: [3, 'text'], skipped: [4, 'number'] }],
  dataAck: [28, {}],
  dataInvalid: [29, { reason: [1, 'number'] }],
  settled: [30, { events: [1, 'message'] }],
  reedRemoved: [31, told],
  threadRemoved: [32, told],
  accountRemoved: [33, told],
  keyRevoked: [34, told],
  publishReady: [35, { ...reed, broadcast: [2, 'number'] }],
  publishReadyAck: [36, reed],
  profilePage: [37, { userId: [1, 'text'], page: [2, 'number'] }],
  pageAck: [38, { userId: [1, 'text'], page: [2, 'number'], count: [3, 'number'], hasMore: [4, 'number'], partial: [5, 'number'] }],
  subscribeProfile: [39, { userId: [1, 'text'] }],
  subscribeReed: [41, reed],
  subscribePipe: [43, { tag: [1, 'text'] }],
  subscribeBroadcast: [45, {}],
  unsubscribeBroadcast: [46, {}],
  reedStats: [
    47,
    {
      ...reed,
      echoes: [2, 'number'],
      replies: [3, 'number'],
      likes: [4, 'number'],
      coveragePercent: [5, 'number'],
      holderServers: [6, 'number'],
    },
  ],
  eviction: [48, reed],
  evictionAck: [49, reed],
  keyEviction: [50, { keyId: [1, 'text'] }],
  keyEvictionAck: [51, { keyId: [1, 'text'] }],
  userBlocked: [52, told],
  userUnblocked: [53, told],
  userBlockedAck: [54, acknowledged],
  userUnblockedAck: [55, acknowledged],
  contentRejected: [56, { ...reed, reason: [2, 'text'] }],
  peerServerLost: [57, { serverId: [1, 'text'] }],
} as const satisfies Record<string, readonly [number, Fields]>;

export type RawType = keyof typeof BODIES;
export type RawValue = string | number | Uint8Array;
export type RawBody = Readonly<Record<string, RawValue>>;
export type RawFrame = { readonly id: string; readonly type: RawType; readonly body: Readonly<Record<string, RawValue | undefined>> };

export const RAW_TYPES = Object.keys(BODIES) as readonly RawType[];
export const numberOf = (type: RawType): number => BODIES[type][0];
const fieldsOf = (type: RawType): Fields => BODIES[type][1];

/** The codes of ERROR that mean a fault of the server itself: UNSPECIFIED and INTERNAL. */
export const SERVER_FAULTS: readonly number[] = [0, 16];
export const ERROR = {
  ...{ badRequest: 1, unauthenticated: 2, forbidden: 3, notFound: 5, invalid: 13, rateLimited: 14, tooManyOpen: 15 },
  ...{ unimplemented: 17, unavailable: 18, conflict: 7, keyRevoked: 21 },
} as const;
export const CLOSE = {
  ...{ unauthenticated: 4001, authenticationTimeout: 4002, malformed: 4003, text: 4004, tooLarge: 4005, rateLimited: 4006 },
  ...{
    slowReader: 4007,
    silent: 4008,
    replaced: 4009,
    signedOut: 4010,
    tooManyConnections: 4012,
    unsupported: 4013,
    internal: 4014,
    unexpected: 4015,
  },
} as const;
/** Every code of the published table. */
export const CLOSE_CODES: ReadonlySet<number> = new Set(Array.from({ length: 16 }, (_, at) => 4000 + at));

/** The fields of a body, in the table's order; absent where nothing is given. */
export function body(type: RawType, values: RawBody = {}): Buffer {
  const parts = Object.entries(fieldsOf(type)).flatMap(([name, [number]]) => {
    const value = values[name];
    if (value === undefined) return [];
    return [typeof value === 'number' ? uint(number, value) : bytes(number, value)];
  });
  return Buffer.concat(parts);
}

/** A whole frame. */
export const frame = (type: RawType, values: RawBody = {}, id = ''): Buffer =>
  Buffer.concat([id === '' ? Buffer.alloc(0) : bytes(1, id), bytes(numberOf(type), body(type, values))]);

/** RELAY_RESPONSE of exactly `frameBytes` in all, its ciphertext made of one letter. */
export function responseOf(id: string, frameBytes: number, attempt = 1): Buffer {
  let ciphertextBytes = frameBytes;
  for (;;) {
    const whole = frame('relayResponse', { ciphertext: Buffer.alloc(ciphertextBytes, 'r'), attempt }, id);
    if (whole.length === frameBytes) return whole;
    ciphertextBytes -= Math.max(1, whole.length - frameBytes);
  }
}

type Read = { readonly number: number; readonly value: Buffer | bigint };

/** The fields of a message in their order. @throws RangeError for what is none */
export function readFields(message: Buffer): Read[] {
  const found: Read[] = [];
  let at = 0;
  const next = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined || shift > 63n) throw new RangeError('a varint without an end');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = next();
    const number = Number(key >> 3n);
    if ((key & 7n) === 0n) found.push({ number, value: next() });
    else if ((key & 7n) === 2n) {
      const length = Number(next());
      if (at + length > message.length) throw new RangeError('a field beyond its message');
      found.push({ number, value: message.subarray(at, at + length) });
      at += length;
    } else throw new RangeError('the server writes no such wire type');
  }
  return found;
}

function fieldValue(kind: Kind, value: Buffer | bigint): RawValue {
  if (typeof value === 'bigint') return Number(value);
  return kind === 'text' ? UTF8.decode(value) : value;
}

/** Reads what a server sent. @throws if it is no frame of the published protocol, or one that no server sends to these tests */
export function readFrame(message: Buffer): RawFrame {
  let id = '';
  let type: RawType | undefined;
  let values: Record<string, RawValue> = {};
  for (const { number, value } of readFields(message)) {
    if (typeof value === 'bigint') throw new TypeError('a frame has no number at its root');
    if (number === 1) id = UTF8.decode(value);
    else {
      type = RAW_TYPES.find((name) => numberOf(name) === number);
      if (type === undefined) throw new TypeError(`the server sent body ${number}`);
      values = bodyFrom(type, value);
    }
  }
  if (type === undefined) throw new TypeError('a frame without a body');
  return { id, type, body: values };
}

function bodyFrom(type: RawType, message: Buffer): Record<string, RawValue> {
  const byNumber = new Map(Object.entries(fieldsOf(type)).map(([name, [number, kind]]) => [number, { name, kind }]));
  const values: Record<string, RawValue> = {};
  for (const { number, value } of readFields(message)) {
    const field = byNumber.get(number);
    if (field !== undefined) values[field.name] = fieldValue(field.kind, value);
  }
  return values;
}

/** Event ids and outcomes (1 held, 2 gone) of a SETTLED. */
export function settledEvents(message: Buffer): { readonly id: string; readonly outcome: number }[] {
  const root = readFields(message).find(({ number }) => number === numberOf('settled'));
  return readFields(root?.value as Buffer).map(({ value }) => {
    const [id, outcome] = readFields(value as Buffer);
    return { id: String(id?.value), outcome: Number(outcome?.value) };
  });
}
