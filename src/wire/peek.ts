// What an encoded frame is, read from its first bytes without decoding it. Only for frames of our own encoder, which writes the id
// first and the body after it.
import protobuf from 'protobufjs/minimal.js';
import type { FrameType } from './frames.ts';
import { FRAME_TYPES } from './frames.ts';
import { reedbed } from './gen/relay.js';

const ID_TAG = 0x0a;

/** Types by the tag of the oneof, asked of the generated code itself. */
const TYPE_OF = new Map(
  FRAME_TYPES.map((type) => [protobuf.Reader.create(reedbed.v1.Frame.encode({ [type]: {} }).finish()).uint32(), type] as const),
);

/** Where the body's tag stands. Ids are shorter than 128 bytes, so that their length is one byte. */
const bodyAt = (bytes: Uint8Array): number => (bytes[0] === ID_TAG ? 2 + (bytes[1] ?? 0) : 0);

/** The type of an encoded frame; undefined for what our encoder does not write. */
export function peekType(bytes: Uint8Array): FrameType | undefined {
  const at = bodyAt(bytes);
  const low = bytes[at] ?? 0;
  return TYPE_OF.get(low < 0x80 ? low : (low & 0x7f) | ((bytes[at + 1] ?? 0) << 7));
}

/** The id of an encoded frame, empty if it has none. */
export function peekId(bytes: Uint8Array): string {
  if (bytes[0] !== ID_TAG) return '';
  const end = Math.min(bytes.length, 2 + (bytes[1] ?? 0));
  let id = '';
  for (let at = 2; at < end; at += 1) id += String.fromCharCode(bytes[at] ?? 0);
  return id;
}
