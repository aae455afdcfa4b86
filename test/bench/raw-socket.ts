// A WebSocket client that costs as little as it can, so that the load is not what is measured: one read buffer for the whole process, frames
// prepared with their headers, a mask of zeros. Binary messages in one frame only, which is all that both servers send.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const READ_BYTES = 256 * 1024;
const SHORT = 126;
const MEDIUM = 65_536;
const FIN_BINARY = 0x82;
const CLOSE = 8;
const MASK = 0x80;
const SHARED = Buffer.alloc(READ_BYTES);
const END_OF_HEAD = '\r\n\r\n';

/** Where the payload starts in a client's frame of so many bytes. */
export const headBytes = (payloadBytes: number): number => (payloadBytes < SHORT ? 6 : payloadBytes < MEDIUM ? 8 : 14);

/** A client's frame around `payload`: header, a mask of zeros, the payload. */
export const framed = (payload: Uint8Array): Buffer => {
  const head = headBytes(payload.length);
  const frame = Buffer.alloc(head + payload.length);
  frame[0] = FIN_BINARY;
  if (payload.length < SHORT) frame[1] = MASK | payload.length;
  else if (payload.length < MEDIUM) {
    frame[1] = MASK | SHORT;
    frame.writeUInt16BE(payload.length, 2);
  } else throw new RangeError('the bench has no such frames');
  frame.set(payload, head);
  return frame;
};

export type RawTarget = { readonly url: string; readonly path: string; readonly protocol?: string };

/** The payload is overwritten after the call. */
export type OnFrame = (payload: Buffer, socket: RawSocket) => void;

export class RawSocket {
  /** Resolves when the connection is gone, with the close code if there was one. */
  readonly closed: Promise<number>;
  readonly #socket: Socket;
  readonly #onFrame: OnFrame;
  #rest: Buffer | null = null;
  #isOpen = false;
  #code = 1006;
  readonly #opened = Promise.withResolvers<void>();

  private constructor(target: RawTarget, onFrame: OnFrame) {
    const { hostname, port } = new URL(target.url);
    this.#onFrame = onFrame;
    this.#socket = connect({
      ...{ host: hostname, port: Number(port), noDelay: true },
      onread: {
        buffer: SHARED,
        callback: (count, buffer) => {
          this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve(this.#code)));
    this.#socket.on('error', (error) => this.#opened.reject(error));
    this.#socket.once('close', () => this.#opened.reject(new Error(`${target.url} closed the connection`)));
    const lines = [`GET ${target.path} HTTP/1.1`, `Host: ${hostname}:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'];
    lines.push('Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`);
    if (target.protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${target.protocol}`);
    this.#socket.write(`${lines.join('\r\n')}${END_OF_HEAD}`);
  }

  /** Opens a socket. Frames may come before this resolves. */
  static async open(target: RawTarget, onFrame: OnFrame): Promise<RawSocket> {
    const socket = new RawSocket(target, onFrame);
    await socket.#opened.promise;
    return socket;
  }

  /** Sends one frame made by `framed`; it must not be changed any more. */
  write(frame: Buffer): void {
    this.#socket.write(frame);
  }

  cut(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    if (!this.#isOpen) {
      const end = bytes.indexOf(END_OF_HEAD);
      if (end === -1) return void this.#keep(bytes);
      if (!bytes.toString('latin1', 0, 12).endsWith('101'))
        return void this.#opened.reject(new Error(bytes.toString('latin1', 0, bytes.indexOf('\r'))));
      this.#isOpen = true;
      this.#opened.resolve();
      bytes = bytes.subarray(end + END_OF_HEAD.length);
    }
    this.#frames(bytes);
  }

  #frames(bytes: Buffer): void {
    let at = 0;
    while (at + 2 <= bytes.length) {
      const length = (bytes[at + 1] as number) & 0x7f;
      if (length === SHORT && at + 4 > bytes.length) break;
      if (length > SHORT) throw new RangeError('the bench expects no such frames');
      const start = length === SHORT ? at + 4 : at + 2;
      const end = start + (length === SHORT ? bytes.readUInt16BE(at + 2) : length);
      if (end > bytes.length) break;
      if (((bytes[at] as number) & 0x0f) === CLOSE) this.#code = end - start >= 2 ? bytes.readUInt16BE(start) : 1005;
      else this.#onFrame(bytes.subarray(start, end), this);
      at = end;
    }
    if (at < bytes.length) this.#keep(bytes.subarray(at));
  }

  #keep(bytes: Buffer): void {
    this.#rest = Buffer.from(bytes);
  }
}
