// Frames: what goes in comes out, ciphertext is neither copied nor looked at, and every bad frame is a result with its reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { DELIVERY_OVERHEAD_BYTES, decodeFrame, encodeDelivery, encodeFrame, frameLimit } from '../../src/wire/codec.ts';
import { DELIVERY_TYPES, FRAME_TYPES, FRAMES, type Frame, type FrameType, type MessageFields } from '../../src/wire/frames.ts';
import { reedbed } from '../../src/wire/gen/relay.js';

const LIMITS = { frameBytes: 16_384, relayResponseBytes: 1_048_576 };
const ID = '01234567-89ab-7def-8123-456789abcdef';
const REED = 'aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb/019b76da-a800-7000-8000-000000000001';

const reasonOf = (bytes: Uint8Array): string => {
  const frame = decodeFrame(bytes, LIMITS);
  return frame.ok ? frame.value.type : `${frame.reason}${frame.detail && ` ${frame.detail}`}`;
};

function valuesOf(kind: MessageFields[string]): fc.Arbitrary<unknown> {
  if (kind === 'string') return fc.string({ unit: 'grapheme', maxLength: 80 });
  if (kind === 'bytes') return fc.uint8Array({ maxLength: 300 });
  if (kind === 'uint32') return fc.integer({ min: 0, max: 2 ** 32 - 1 });
  if (kind === 'int64') return fc.maxSafeNat();
  if (kind === 'bool' || kind === 'optional-bool') return fc.boolean();
  if (!('message' in kind)) return fc.constantFrom(...kind.enum);
  return kind.repeated ? fc.array(bodyOf(kind.message), { maxLength: 5 }) : bodyOf(kind.message);
}

const bodyOf = (fields: MessageFields): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, valuesOf(kind)])), {
    requiredKeys: Object.keys(fields).filter((name) => fields[name] !== 'optional-bool'),
    noNullPrototype: true,
  });

const anyFrame: fc.Arbitrary<Frame> = fc
  .constantFrom(...FRAME_TYPES)
  .chain((type) =>
    fc.record({ id: fc.constantFrom('', ID), type: fc.constant(type), body: bodyOf(FRAMES[type]) }, { noNullPrototype: true }),
  ) as fc.Arbitrary<Frame>;

/** Bytes as text, whatever class holds them. */
const comparable = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparable(inner)]));
};

describe('the table of frames', () => {
  const root = new protobuf.Root();
  for (const name of ['common', 'relay']) {
    const source = readFileSync(join(import.meta.dirname, `../../proto/reedbed/v1/${name}.proto`), 'utf8');
    protobuf.parse(source.replace(/^extend [^}]*}/gm, ''), root, { keepCase: false });
  }
  const proto = root.resolveAll();

  const described = (type: protobuf.Type): unknown =>
    Object.fromEntries(
      type.fieldsArray.map((field) => {
        if (field.resolvedType instanceof protobuf.Enum) {
          const { values } = field.resolvedType;
          return [field.name, { enum: Object.keys(values).toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0)) }];
        }
        if (field.resolvedType instanceof protobuf.Type)
          return [field.name, { message: described(field.resolvedType), repeated: field.repeated }];
        return [field.name, field.options?.proto3_optional === true ? 'optional-bool' : field.type];
      }),
    );

  it('says what the proto says: every body, every field, every enum', () => {
    const frame = proto.lookupType('reedbed.v1.Frame');
    const bodies = frame.oneofsArray[0]?.fieldsArray ?? [];
    expect(bodies.map(({ name }) => name)).toEqual(FRAME_TYPES);
    for (const field of bodies)
      expect([field.name, FRAMES[field.name as FrameType]]).toEqual([field.name, described(field.resolvedType as protobuf.Type)]);
  });

  it('covers every delivery with the same fields', () => {
    for (const type of DELIVERY_TYPES) expect(Object.keys(FRAMES[type])).toEqual(['requestId', 'reedId', 'ciphertext']);
  });
});

describe('a frame', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const decoded = decodeFrame(encodeFrame(frame), LIMITS);
        expect(decoded.ok && comparable(decoded.value)).toEqual(comparable(frame));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is what the generated code would write and read', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const message = reedbed.v1.Frame.decode(encodeFrame(frame));
        expect(message.id).toBe(frame.id);
        expect(message.body).toBe(frame.type);
      }),
    );
  });

  it('tells absent from false where the protocol does', () => {
    for (const broadcast of [true, false, undefined]) {
      const body = broadcast === undefined ? { reedId: REED } : { reedId: REED, broadcast };
      expect(decodeFrame(encodeFrame({ id: '', type: 'publishReady', body }), LIMITS)).toEqual({
        ok: true,
        value: { id: '', type: 'publishReady', body },
      });
    }
  });

  it('reads unknown enum numbers as the zero name, and ignores unknown fields beside what it knows', () => {
    const strange = reedbed.v1.Frame.encode({ id: ID, dataInvalid: { reason: 99 as 1 } }).finish();
    expect(decodeFrame(strange, LIMITS)).toMatchObject({ ok: true, value: { body: { reason: 'INVALID_REASON_UNSPECIFIED' } } });
    const more = Buffer.concat([encodeFrame({ id: ID, type: 'ping', body: {} }), Buffer.from([0xfa, 0x7f, 0x01, 0x00])]);
    expect(reasonOf(more)).toBe('ping');
  });

  it('has names for fields that are missing', () => {
    expect(decodeFrame(reedbed.v1.Frame.encode({ welcome: {} }).finish(), LIMITS)).toEqual({
      ok: true,
      value: {
        id: '',
        type: 'welcome',
        body: {
          sessionId: '',
          token: '',
          limits: { frameBytes: 0, relayResponseBytes: 0, openRequests: 0, subscriptions: 0, holderWindow: 0 },
          pingIntervalMs: 0,
          resumed: false,
          kid: '',
          signature: '',
        },
      },
    });
    const bare = decodeFrame(reedbed.v1.Frame.encode({ relayResponse: {} }).finish(), LIMITS);
    expect(bare.ok && comparable(bare.value.body)).toEqual({ ciphertext: '', attempt: 0 });
  });
});

describe('ciphertext', () => {
  const ciphertext = new Uint8Array(200_000).map((_, at) => at % 251);

  it('is a view of the bytes that arrived', () => {
    for (const bytes of [
      encodeFrame({ id: ID, type: 'relayResponse', body: { ciphertext, attempt: 1 } }),
      Buffer.from(encodeDelivery('mention', ID, { requestId: '', reedId: REED }, ciphertext)),
    ]) {
      const frame = decodeFrame(bytes, LIMITS);
      if (!frame.ok || !('ciphertext' in frame.value.body)) throw new Error('no ciphertext');
      const read = frame.value.body.ciphertext;
      expect(read.buffer).toBe(bytes.buffer);
      expect(Buffer.compare(read, ciphertext)).toBe(0);
    }
  });

  it('is written once: the frame is one allocation of its exact size', () => {
    for (const type of DELIVERY_TYPES) {
      const bytes = encodeDelivery(type, ID, { requestId: REED, reedId: REED }, ciphertext);
      expect(bytes.buffer.byteLength).toBe(bytes.length);
      expect(bytes.length - ciphertext.length).toBeLessThan(300);
      const plain = reedbed.v1.Frame.encode({ id: ID, [type]: { requestId: REED, reedId: REED, ciphertext } }).finish();
      expect(bytes.length).toBe(plain.length);
      expect(decodeFrame(bytes, LIMITS)).toMatchObject({ ok: true, value: { id: ID, type, body: { requestId: REED, reedId: REED } } });
    }
  });

  it('may be of any length around the edges of its length prefix', () => {
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 1_000_000]) {
      const decoded = decodeFrame(
        encodeDelivery(
          'dataResponse',
          ID,
          { requestId: '', reedId: REED },
          ciphertext.length < length ? new Uint8Array(length) : ciphertext.subarray(0, length),
        ),
        LIMITS,
      );
      expect(decoded.ok && 'ciphertext' in decoded.value.body && decoded.value.body.ciphertext.length).toBe(length);
    }
  });
});

describe('sizes', () => {
  const padded = (type: FrameType, bytes: number): Uint8Array => {
    const field = Object.entries(FRAMES[type]).find(([, kind]) => kind === 'string' || kind === 'bytes')?.[0] ?? '';
    const body = { [field]: FRAMES[type][field as never] === 'string' ? 'x'.repeat(bytes) : new Uint8Array(bytes).fill(120) };
    return reedbed.v1.Frame.encode({ [type]: body }).finish();
  };

  it('are bounded per type', () => {
    for (const type of FRAME_TYPES) {
      const carries = 'ciphertext' in FRAMES[type];
      const most =
        type === 'relayResponse'
          ? LIMITS.relayResponseBytes
          : carries
            ? LIMITS.relayResponseBytes + DELIVERY_OVERHEAD_BYTES
            : LIMITS.frameBytes;
      expect([type, frameLimit(type, LIMITS)]).toEqual([type, most]);
      if (!Object.values(FRAMES[type]).some((kind) => kind === 'string' || kind === 'bytes')) continue;
      let fits = most;
      while (padded(type, fits).length > most) fits--;
      expect(reasonOf(padded(type, fits))).toBe(type);
      expect(reasonOf(padded(type, fits + 1))).toMatch(/^too-large/);
    }
  });

  it('let a delivery pass on whatever RELAY_RESPONSE could bring', () => {
    const empty = encodeFrame({ id: '', type: 'relayResponse', body: { ciphertext: new Uint8Array(0), attempt: 0 } }).length;
    const most = new Uint8Array(LIMITS.relayResponseBytes - empty - 4);
    const longest = 'x'.repeat(255);
    expect(reasonOf(encodeDelivery('followReed', ID, { requestId: longest, reedId: longest }, most))).toBe('followReed');
    const broadcast = { reedId: longest, ciphertext: most, username: 'x'.repeat(30), skipped: 1 };
    expect(reasonOf(encodeFrame({ id: '', type: 'broadcastReed', body: broadcast }))).toBe('broadcastReed');
  });

  it('of anything unknown are those of a small frame', () => {
    const unknown = (length: number) =>
      Buffer.concat([
        Buffer.from([0xfa, 0x3f, ...[length & 127, length >> 7].map((byte, at) => (at === 0 ? byte | 0x80 : byte))]),
        Buffer.alloc(length),
      ]);
    expect(reasonOf(unknown(1_000))).toBe('unknown-body');
    expect(reasonOf(Buffer.concat([unknown(16_000), unknown(16_000)]))).toBe('too-large');
    expect(reasonOf(new Uint8Array(2 * LIMITS.relayResponseBytes))).toBe('too-large');
  });
});

describe('a bad frame', () => {
  const id = Buffer.concat([Buffer.from([0x0a, ID.length]), Buffer.from(ID)]);

  it.each<[string, Uint8Array, string]>([
    ['empty', new Uint8Array(0), 'malformed'],
    ['an id alone', id, 'malformed'],
    ['two ids', Buffer.concat([id, id, encodeFrame({ id: '', type: 'ping', body: {} })]), 'malformed'],
    [
      'two bodies',
      Buffer.concat([encodeFrame({ id: '', type: 'ping', body: {} }), encodeFrame({ id: '', type: 'pong', body: {} })]),
      'malformed',
    ],
    [
      'the same body twice',
      Buffer.concat([encodeFrame({ id: '', type: 'ping', body: {} }), encodeFrame({ id: '', type: 'ping', body: {} })]),
      'malformed',
    ],
    ['a body of another wire type', Buffer.from([0x28, 0x01]), 'unknown-body'],
    ['an id of another wire type', Buffer.from([0x08, 0x01, 0x2a, 0x00]), 'malformed'],
    ['field number zero', Buffer.from([0x00, 0x00]), 'malformed'],
    ['an unknown body', Buffer.concat([id, Buffer.from([0xfa, 0x3f, 0x00])]), `unknown-body ${ID}`],
    ['a length beyond the end', Buffer.from([0x2a, 0x7f]), 'malformed'],
    ['text', Buffer.from('{"type":"ping"}'), 'malformed'],
    ['an id that is no UTF-8', Buffer.from([0x0a, 0x02, 0xff, 0xfe, 0x2a, 0x00]), 'malformed'],
    ['a field that is no UTF-8', Buffer.from([0x4a, 0x04, 0x0a, 0x02, 0xc0, 0x80]), 'malformed'],
    ['a time beyond safe integers', Buffer.from([0x12, 0x0b, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), 'malformed'],
    ['16,000 nested groups', Buffer.alloc(16_000, 0xbb), 'malformed'],
    ['nested messages', Buffer.from([0x1a, 0x04, 0x1b, 0x1b, 0x1b, 0x1b]), 'malformed'],
  ])('%s', (_what, bytes, reason) => {
    expect(reasonOf(bytes)).toBe(reason);
  });

  it('is any frame cut short', () => {
    const whole = encodeFrame({ id: ID, type: 'requestReed', body: { requestId: REED, reedId: REED, authorId: REED } });
    for (let length = 0; length < whole.length; length++) expect(reasonOf(whole.subarray(0, length))).toBe('malformed');
  });

  it('never throws', () => {
    const mutated = fc.tuple(anyFrame, fc.nat(), fc.nat(255)).map(([frame, at, value]) => {
      const bytes = encodeFrame(frame).slice();
      if (bytes.length > 0) bytes[at % bytes.length] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), mutated), (bytes) => {
        const frame = decodeFrame(bytes, LIMITS);
        if (frame.ok) expect(FRAME_TYPES).toContain(frame.value.type);
        else expect(['malformed', 'unknown-body', 'too-large']).toContain(frame.reason);
      }),
      { numRuns: 3_000 },
    );
  });
});
