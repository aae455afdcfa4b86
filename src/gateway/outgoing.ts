// Frames on their way out. What is written to a socket in one turn of the event loop goes out together, each short frame as one piece with its
// header: at load most of what the gateway costs are calls of the system.
import type { Socket } from 'node:net';

const FIN_BINARY = 0x82;
const SHORT = 126;
const MEDIUM = 65_536;
/** Up to this, a copy costs less than a second piece. */
const COPIED_BYTES = 16 * 1024;
/** With so much held back for one socket, it is not held back any longer. */
const HELD_BYTES = 64 * 1024;

const headerBytes = (payloadBytes: number): number => (payloadBytes < SHORT ? 2 : payloadBytes < MEDIUM ? 4 : 10);

/** Writes the header of a server's binary message: final, without a mask. */
const writeHeader = (into: Buffer, payloadBytes: number): void => {
  into[0] = FIN_BINARY;
  if (payloadBytes < SHORT) into[1] = payloadBytes;
  else if (payloadBytes < MEDIUM) {
    into[1] = SHORT;
    into.writeUInt16BE(payloadBytes, 2);
  } else {
    into[1] = SHORT + 1;
    into.writeBigUInt64BE(BigInt(payloadBytes), 2);
  }
};

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
