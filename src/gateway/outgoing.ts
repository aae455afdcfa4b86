// Frames on their way out. What is written to a socket in one turn of the event loop goes out together, each short frame as one piece with its
// header: at load most of what the gateway costs are calls of the system.
import type { Socket } from 'node:net';
import { headerBytes, writeHeader } from './message-header.ts';

/** Up to this, a copy costs less than a second piece. */
const COPIED_BYTES = 16 * 1024;
/** With so much held back for one socket, it is not held back any longer. */
const HELD_BYTES = 64 * 1024;

export class Outgoing {
  #held: Socket[] = [];

  /** Sends one message on a socket that is open; `flushed` is called when the system has taken it. */
  write(stream: Socket, payload: Uint8Array, flushed: (() => void) | null): void {
    if (stream.writableCorked === 0) this.#hold(stream);
    const header = headerBytes(payload.length);
    if (payload.length <= COPIED_BYTES) {
      const frame = Buffer.allocUnsafe(header + payload.length);
      writeHeader(frame, payload.length);
      frame.set(payload, header);
      stream.write(frame, flushed ?? undefined);
    } else {
      const first = Buffer.allocUnsafe(header);
      writeHeader(first, payload.length);
      stream.write(first);
      stream.write(payload, flushed ?? undefined);
    }
    if (stream.writableLength > HELD_BYTES) stream.uncork();
  }

  #hold(stream: Socket): void {
    stream.cork();
    if (this.#held.push(stream) === 1) setImmediate(() => this.#release());
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const stream of held) stream.uncork();
  }
}
