// The two frames of an idle connection as bytes, made once: ten thousand idle sockets send and receive two thousand of each a second.
import type { Socket } from 'node:net';
import { encodeFrame } from '../wire/codec.ts';
import { headerBytes, writeHeader } from './message-header.ts';

const PING = encodeFrame({ id: '', type: 'ping', body: {} });
const PING_MESSAGE = Buffer.concat([Buffer.alloc(headerBytes(PING.length)), PING]);
writeHeader(PING_MESSAGE, PING.length);
const PONG = Buffer.from(encodeFrame({ id: '', type: 'pong', body: {} }));

/**
 * Writes a PING past the WebSocket library, which would make a dozen objects for it. Without compression the library's sender holds nothing
 * back, so this can't come into the middle of another message.
 * @returns the bytes of its payload
 */
export function writePing(stream: Socket): number {
  stream.write(PING_MESSAGE);
  return PING.length;
}

/** Whether a binary message is the plain answer to a PING of ours; known without decoding it. */
export const isPong = (data: Buffer): boolean => data.length === PONG.length && data.equals(PONG);
