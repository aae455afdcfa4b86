// What the bytes of one socket tell: when it was last heard, whether a frame is on its way in, whether what was written moves.
// Numbers only; nothing here acts.
import type { Socket } from 'node:net';
import type { Heart } from './heartbeat.ts';
import { headerBytes } from './message-header.ts';

/** What the header of a client's frame has more than one of ours. */
const MASK_BYTES = 4;

/**
 * Bytes that were handed to the system and not yet taken by the network. `writableLength` counts a frame as a whole until its last
 * byte is gone; only libuv's own count moves on a slow link in the middle of one. Undefined if the runtime hides it.
 */
const queuedBytes = (stream: Socket): number | undefined =>
  (stream as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize;

export class Traffic {
  readonly heart: Heart;
  readonly #stream: Socket;
  #seenBytes: number;
  #lookedAt: number;
  #scannedBytes: number;
  /** Bytes read that belong to complete frames. */
  #consumedBytes: number;
  #pongOwed = false;
  #sentBytes = 0;
  #flushedBytes = 0;
  #queuedBytes = 0;
  #progressAt: number;

  /** `headBytes` of what the stream has read belong to the socket already, the rest to the upgrade. */
  constructor(stream: Socket, headBytes: number, now: number) {
    this.#stream = stream;
    this.#consumedBytes = stream.bytesRead - headBytes;
    this.#seenBytes = stream.bytesRead;
    this.#scannedBytes = stream.bytesRead;
    this.#lookedAt = now;
    this.#progressAt = now;
    this.heart = { heardAt: now, pingedAt: -1, sentBytes: 0 };
  }

  /** A complete frame with so many bytes of payload arrived. */
  received(payloadBytes: number, now: number): void {
    this.#consumedBytes += payloadBytes + headerBytes(payloadBytes) + MASK_BYTES;
    this.heard(now);
  }

  heard(now: number): void {
    this.heart.heardAt = Math.max(this.heart.heardAt, now);
    this.heart.pingedAt = -1;
    this.heart.sentBytes = 0;
  }

  /** A PING was sent. */
  pinged(now: number): void {
    this.heart.pingedAt = now;
    this.#pongOwed = true;
  }

  /** Whether a PONG answers a PING of ours; each does so once. */
  takePong(): boolean {
    const owed = this.#pongOwed;
    this.#pongOwed = false;
    return owed;
  }

  sent(payloadBytes: number): void {
    this.#sentBytes += payloadBytes + headerBytes(payloadBytes);
    this.heart.sentBytes += payloadBytes;
  }

  /** Takes note of bytes that arrived since the last look; they are dated back to it, so that the heart is never too young. */
  look(now: number): void {
    const bytes = this.#stream.bytesRead;
    if (bytes !== this.#seenBytes) {
      this.#seenBytes = bytes;
      this.heard(this.#lookedAt);
    }
    this.#lookedAt = now;
  }

  /** Whether bytes of an unfinished frame arrived since this was last asked. */
  arriving(): boolean {
    const bytes = this.#stream.bytesRead;
    const moved = bytes !== this.#scannedBytes;
    this.#scannedBytes = bytes;
    return moved && bytes > this.#consumedBytes;
  }

  /** For how long nothing of the `bufferedBytes` that wait has been taken; 0 if nothing waits. */
  stalledMs(bufferedBytes: number, now: number): number {
    const flushed = this.#sentBytes - bufferedBytes;
    const queued = queuedBytes(this.#stream) ?? 0;
    if (bufferedBytes === 0 || flushed > this.#flushedBytes || queued < this.#queuedBytes) this.#progressAt = now;
    this.#flushedBytes = flushed;
    this.#queuedBytes = queued;
    return now - this.#progressAt;
  }
}
