// What a hostile client may send, generated: frames of every type with hostile fields, and bytes that are frames no more. Judged by the
// published protocol files read at run time, not by our codec: which close codes each may rightly get.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import type { CloseCode } from '../../src/base/codes.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ROUTES } from '../../src/gateway/routes.ts';
import { encodeFrame } from '../../src/wire/codec.ts';
import { type FieldKind, FRAME_TYPES, FRAMES, type Frame, type FrameType, type NestedKind } from '../../src/wire/frames.ts';

/** Names in braces stand for ids that are only known at run time, so that a counterexample can be read and run again. */
export const PLACES = ['user', 'otherUser', 'reed', 'request', 'otherRequest', 'dispatched', 'relayed', 'key'] as const;
export type Places = Readonly<Record<(typeof PLACES)[number], string>>;

const places = fc.constantFrom(...PLACES.map((name) => `{${name}}`));
const UUID = '01890000-0000-7000-8000-000000000000';
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u202eabc\u2066',
  '\ufeff',
  '\ud83d\ude00',
  'e\u0301'.repeat(50),
  '\uffff',
  '%00',
  '../../etc/passwd',
  "'; drop table reeds; --",
  '__proto__',
  'x'.repeat(DEFAULT_LIMITS.idChars),
  'x'.repeat(DEFAULT_LIMITS.idChars + 1),
  'y'.repeat(16_000),
  UUID,
  UUID.toUpperCase(),
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
  'peer@aaaaaaaaaaaaaaaa',
];
const text = fc.oneof(
  { weight: 3, arbitrary: places },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.tuple(places, fc.constantFrom('', '\0', '/', 'x', '/x'), places).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: places.map((place) => `${place}/${UUID}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const uint32 = fc.oneof(fc.constantFrom(0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff), fc.nat(10));
const bytes = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(15_000, 17_000).map((size) => new Uint8Array(size).fill(0x5b)) },
  { weight: 1, arbitrary: fc.json().map((json) => new TextEncoder().encode(json)) },
);

const isNested = (kind: FieldKind | NestedKind): kind is NestedKind => typeof kind === 'object' && 'message' in kind;

function field(kind: FieldKind | NestedKind): fc.Arbitrary<unknown> {
  if (isNested(kind)) return kind.repeated ? fc.array(fields(kind.message), { maxLength: 3 }) : fields(kind.message);
  if (typeof kind === 'object') return fc.constantFrom(...kind.enum);
  if (kind === 'string') return text;
  if (kind === 'bytes') return bytes;
  if (kind === 'uint32') return uint32;
  if (kind === 'int64') return fc.maxSafeInteger();
  return fc.boolean();
}

const fields = (message: Readonly<Record<string, FieldKind | NestedKind>>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(message).map(([name, kind]) => [name, field(kind)])));

const frameOf = (type: FrameType): fc.Arbitrary<Frame> =>
  fc.record({ id: text, type: fc.constant(type), body: fields(FRAMES[type]) }) as fc.Arbitrary<Frame>;

const sendable = FRAME_TYPES.filter((type) => ROUTES[type] !== 'never');

/** A frame of any type; those that only the server sends are rare, since they end the connection. */
export const hostileFrame: fc.Arbitrary<Frame> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...sendable.filter((type) => type !== 'authenticate')).chain(frameOf) },
  { weight: 1, arbitrary: fc.constantFrom(...FRAME_TYPES).chain(frameOf) },
);

/** What stands where a session statement belongs: nearly one, some other JSON, or no JSON. */
const sessionBytes = fc.oneof(
  fc
    .record(
      {
        ...{
          app: fc.constantFrom('reedbed', 'other'),
          type: fc.constantFrom('session', 'reed', '__proto__'),
          v: fc.constantFrom<unknown[]>(1, 2, '1'),
        },
        ...{ user: text, server: text, key: text, device: text, nonce: text, purpose: fc.constantFrom('socket', 'token', '') },
      },
      { requiredKeys: ['app', 'type', 'v'] },
    )
    .map((statement) => new TextEncoder().encode(JSON.stringify(statement))),
  bytes,
);

/** An AUTHENTICATE that opens nothing, whatever it has. */
export const hostileSignIn: fc.Arbitrary<Frame> = fc.record({
  id: text,
  type: fc.constant('authenticate' as const),
  body: fc.record({
    statement: sessionBytes,
    signature: fc.oneof(text, fc.constant('-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n')),
    clientNonce: fc.oneof(text, fc.constant('A'.repeat(22))),
    token: fc.oneof(text, fc.constant('')),
  }),
});

/** One frame of each type. */
export const oneOfEach: fc.Arbitrary<readonly Frame[]> = fc.tuple(...FRAME_TYPES.map(frameOf));

const filled = (value: unknown, known: Places): unknown => {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (whole, name: string) => known[name as keyof Places] ?? whole);
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => filled(item, known));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, known)]));
};

/** The bytes of a generated frame, its placeholders filled in. */
export const bytesOf = (frame: Frame, known: Places): Buffer =>
  Buffer.from(encodeFrame({ ...frame, body: filled(frame.body, known), id: filled(frame.id, known) } as Frame));

/** What to do to the bytes of a frame. */
export type Damage = {
  readonly kind: 'cut' | 'flip' | 'insert' | 'remove' | 'twice' | 'surrogate' | 'none';
  /** How far into the frame, from 0 to 1. */
  readonly at: number;
  readonly value: number;
};

export const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom<Damage['kind'][]>('cut', 'flip', 'insert', 'remove', 'twice', 'surrogate', 'none'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  value: fc.integer({ min: 1, max: 255 }),
});

export function damaged(whole: Buffer, how: Damage): Buffer {
  if (how.kind === 'none') return whole;
  if (how.kind === 'twice') return Buffer.concat([whole, whole]);
  // An id that is the UTF-8 form of half a surrogate pair.
  if (how.kind === 'surrogate') return Buffer.concat([Buffer.from([0x0a, 0x03, 0xed, 0xa0, 0x80]), whole]);
  const at = Math.floor(how.at * (whole.length - 1));
  const [before, after] = [whole.subarray(0, Math.max(0, at)), whole.subarray(Math.max(0, at))];
  if (how.kind === 'cut') return before;
  if (how.kind === 'insert') return Buffer.concat([before, Buffer.from([how.value]), after]);
  if (how.kind === 'remove') return Buffer.concat([before, after.subarray(1)]);
  return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ how.value]), after.subarray(1)]);
}

const HOME = fileURLToPath(new URL('../../', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => join(HOME, target.startsWith('google/') ? 'node_modules/protobufjs' : 'proto', target);
const WireFrame = root.loadSync('reedbed/v1/relay.proto').lookupType('reedbed.v1.Frame');

type Read = { readonly type: string | undefined; readonly exact: boolean };

/** Bytes as the protocol files read them; null if they can't be. */
function read(data: Buffer): Read | null {
  try {
    const message = WireFrame.decode(data);
    const type = (message as unknown as { body?: string }).body;
    return { type, exact: Buffer.from(WireFrame.encode(message).finish()).equals(data) };
  } catch {
    return null;
  }
}

const routeOf = (type: string): string => (ROUTES as Readonly<Record<string, string>>)[type] ?? 'never';

/** The codes with which a server may answer such bytes by closing, none of them if they are nothing to close for. */
export function closings(data: Buffer | string, signedIn: boolean): CloseCode[] {
  if (typeof data === 'string') return ['CLOSE_TEXT_FRAME'];
  const found = read(data);
  const codes: CloseCode[] = [];
  if (data.length > (found?.type === 'relayResponse' ? DEFAULT_LIMITS.relayResponseBytes : DEFAULT_LIMITS.frameBytes))
    codes.push('CLOSE_FRAME_TOO_LARGE');
  if (found === null || !found.exact || data.length === 0 || found.type === undefined) codes.push('CLOSE_MALFORMED_FRAME');
  if (found === null) return codes;
  const route = found.type === undefined ? 'unknown' : routeOf(found.type);
  if (signedIn ? route === 'never' || found.type === 'authenticate' : route !== 'session') codes.push('CLOSE_UNEXPECTED_FRAME');
  return codes;
}
