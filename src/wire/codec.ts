// Bytes to frames and back. Everything that arrives is judged by size before it is decoded, and every fault is a result.
// Ciphertext is never looked into: decoding gives a view of the frame's own bytes, encoding copies it once.
import protobuf from 'protobufjs/minimal.js';
import { fail, ok, type Result } from '../base/result.ts';
import {
  type DeliveryType,
  type FieldKind,
  FRAME_TYPES,
  FRAMES,
  type Frame,
  type FrameType,
  type MessageFields,
  type NestedKind,
} from './frames.ts';
import { reedbed } from './gen/relay.js';

export type FrameReason = 'too-large' | 'malformed' | 'unknown-body';
export type FrameLimits = { readonly frameBytes: number; readonly relayResponseBytes: number };

/** What a delivery's ids and name may add to the ciphertext of the RELAY_RESPONSE that it passes on. */
export const DELIVERY_OVERHEAD_BYTES = 1024;

type Message = Record<string, unknown>;
type Scan = { readonly type: FrameType | undefined; readonly bodies: number; readonly strange: number };

const WireFrame = reedbed.v1.Frame;
const LENGTH_DELIMITED = 2;
const ID_FIELD = 1;
const EMPTY = new Uint8Array(0);

const firstTag = (bytes: Uint8Array): number => protobuf.Reader.create(bytes).uint32();

/** Tags of the oneof, asked of the generated code itself, so that no number stands twice. */
const TAG_OF = new Map(FRAME_TYPES.map((type) => [type, firstTag(WireFrame.encode({ [type]: {} }).finish())] as const));
const TYPE_OF = new Map(FRAME_TYPES.map((type) => [(TAG_OF.get(type) ?? 0) >>> 3, type] as const));
const ciphertextTag = (type: FrameType): number => {
  const probe = protobuf.Reader.create(WireFrame.encode({ [type]: { ciphertext: new Uint8Array(1) } }).finish());
  probe.uint32();
  probe.uint32();
  return probe.uint32();
};
const CIPHERTEXT_TAG_OF = new Map<FrameType, number>(
  FRAME_TYPES.filter((type) => 'ciphertext' in FRAMES[type]).map((type) => [type, ciphertextTag(type)]),
);

/** The bytes a whole frame of this type may have, whichever way it goes. */
export function frameLimit(type: FrameType, limits: FrameLimits): number {
  if (!CIPHERTEXT_TAG_OF.has(type)) return limits.frameBytes;
  return type === 'relayResponse' ? limits.relayResponseBytes : limits.relayResponseBytes + DELIVERY_OVERHEAD_BYTES;
}

/** Looks at the outermost fields only, before anything is decoded. */
function scan(bytes: Uint8Array): Scan | null {
  const reader = protobuf.Reader.create(bytes);
  let type: FrameType | undefined;
  let ids = 0;
  let bodies = 0;
  let strange = 0;
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    const wireType = tag & 7;
    const known = wireType === LENGTH_DELIMITED ? TYPE_OF.get(tag >>> 3) : undefined;
    if (tag >>> 3 === ID_FIELD) {
      if (wireType !== LENGTH_DELIMITED) return null;
      ids++;
    } else if (known === undefined) strange++;
    else bodies++;
    type = known ?? type;
    reader.skipType(wireType, 0, tag >>> 3);
  }
  return ids > 1 || bodies > 1 ? null : { type, bodies, strange };
}

function scalar(kind: FieldKind, value: unknown): unknown {
  if (kind === 'bytes') return value instanceof Uint8Array ? value : EMPTY;
  if (kind === 'int64' && !Number.isSafeInteger(value)) throw new RangeError('not a safe integer');
  return typeof kind === 'object' ? (kind.enum[value as number] ?? kind.enum[0]) : value;
}

const isNested = (kind: FieldKind | NestedKind): kind is NestedKind => typeof kind === 'object' && 'message' in kind;

function toBody(fields: MessageFields, message: Message): Message {
  const body: Message = {};
  for (const field in fields) {
    const kind = fields[field] as FieldKind | NestedKind;
    const value = message[field];
    if (isNested(kind)) {
      body[field] = kind.repeated
        ? (value as readonly Message[]).map((item) => toBody(kind.message, item))
        : toBody(kind.message, (value as Message | null) ?? emptyOf(kind.message));
    } else if (kind !== 'optional-bool') body[field] = scalar(kind, value);
    else if (typeof value === 'boolean') body[field] = value;
  }
  return body;
}

const emptyOf = (fields: MessageFields): Message =>
  Object.fromEntries(Object.entries(fields).map(([field, kind]) => [field, kind === 'string' ? '' : kind === 'bool' ? false : 0]));

function toMessage(fields: MessageFields, body: Message): Message {
  const message: Message = {};
  for (const field in fields) {
    const kind = fields[field] as FieldKind | NestedKind;
    const value = body[field];
    if (typeof kind === 'string') message[field] = value;
    else if (!isNested(kind)) message[field] = Math.max(0, kind.enum.indexOf(value as string));
    else if (kind.repeated) message[field] = (value as readonly Message[]).map((item) => toMessage(kind.message, item));
    else message[field] = toMessage(kind.message, value as Message);
  }
  return message;
}

/**
 * Reads one socket message. Ciphertext and certificates are views of `bytes`.
 * @returns the frame; a failure `unknown-body` has the frame's id as its detail
 */
export function decodeFrame(bytes: Uint8Array, limits: FrameLimits): Result<Frame, FrameReason> {
  const most = limits.relayResponseBytes + DELIVERY_OVERHEAD_BYTES;
  if (bytes.length > most) return fail('too-large');
  try {
    const found = scan(bytes);
    if (found === null) return fail('malformed');
    const { type } = found;
    if (bytes.length > (type === undefined ? limits.frameBytes : frameLimit(type, limits))) return fail('too-large', type);
    if (type === undefined && found.strange === 0) return fail('malformed');
    const message = WireFrame.decode(bytes);
    if (type === undefined) return fail('unknown-body', message.id);
    const body = toBody(FRAMES[type], message[type] as Message);
    return ok({ id: message.id, type, body } as Frame);
  } catch {
    return fail('malformed');
  }
}

const lengthBytes = (length: number): number =>
  length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : length < 268_435_456 ? 4 : 5;

/** The frame's bytes with its ciphertext last, so that it is written straight to its place. */
function withCiphertext(frame: Frame, ciphertext: Uint8Array): Uint8Array<ArrayBuffer> {
  const tag = CIPHERTEXT_TAG_OF.get(frame.type) as number;
  const bare = protobuf.Reader.create(
    WireFrame.encode({ [frame.type]: toMessage(FRAMES[frame.type], { ...frame.body, ciphertext: EMPTY }) }).finish(),
  );
  bare.uint32();
  const rest = bare.bytes();
  const bodyBytes = rest.length + lengthBytes(tag) + lengthBytes(ciphertext.length) + ciphertext.length;
  const head = protobuf.Writer.create();
  if (frame.id !== '') head.uint32((ID_FIELD << 3) | LENGTH_DELIMITED).string(frame.id);
  head.uint32(TAG_OF.get(frame.type) as number).uint32(bodyBytes);
  const start = head.raw(rest).uint32(tag).uint32(ciphertext.length).finish(true);
  const bytes = new Uint8Array(start.length + ciphertext.length);
  bytes.set(start);
  bytes.set(ciphertext, start.length);
  return bytes;
}

/** The bytes of one socket message. Takes frames of our own making: whether they fit is for `frameLimit` to say. */
export function encodeFrame(frame: Frame): Uint8Array {
  if ('ciphertext' in frame.body) return withCiphertext(frame, frame.body.ciphertext);
  return WireFrame.encode({ id: frame.id, [frame.type]: toMessage(FRAMES[frame.type], frame.body as Message) }).finish();
}

/** A delivery of one ciphertext; `id` is the event's. Copies the ciphertext once. */
export const encodeDelivery = (
  type: DeliveryType,
  id: string,
  ids: { readonly requestId: string; readonly reedId: string },
  ciphertext: Uint8Array,
): Uint8Array => encodeFrame({ id, type, body: { ...ids, ciphertext } });
