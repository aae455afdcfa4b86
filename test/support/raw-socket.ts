// A hostile client over plain TCP: its own upgrade, its own WebSocket framing, its own protobuf, written from the specifications. It can
// break each of them, and imports nothing of the server, the SDK or a WebSocket library (a rule of dependency-cruiser).
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { frame, type RawBody, type RawFrame, type RawType, type RawValue, readFrame } from './raw-wire.ts';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export type FrameOptions = {
  readonly opcode?: number;
  readonly final?: boolean;
  /** The three reserved bits, as a number from 0 to 7. */
  readonly reserved?: number;
  /** false: unmasked, which no client may be. */
  readonly masked?: boolean;
  /** What the header says of the length, whatever follows. */
  readonly declaredBytes?: number | bigint;
  /** Writes the length in 2 or 8 bytes though it fits into fewer. */
  readonly lengthForm?: 126 | 127;
};

/** One frame of the WebSocket protocol as a client sends it, or as it must not. */
export function wsFrame(payload: Uint8Array | string, options: FrameOptions = {}): Buffer {
  const { opcode = OPCODE.binary, final = true, reserved = 0, masked = true } = options;
  const content = Buffer.from(payload);
  const length = BigInt(options.declaredBytes ?? content.length);
  const form = options.lengthForm ?? (length < 126n ? Number(length) : length < 65_536n ? 126 : 127);
  const head = [(final ? 128 : 0) | (reserved << 4) | opcode, (masked ? 128 : 0) | form];
  const size = Buffer.alloc(form === 126 ? 2 : form === 127 ? 8 : 0);
  if (form === 126) size.writeUInt16BE(Number(length));
  if (form === 127) size.writeBigUInt64BE(length);
  if (!masked) return Buffer.concat([Buffer.from(head), size, content]);
  const mask = randomBytes(4);
  for (let at = 0; at < content.length; at += 1) content[at] = (content[at] as number) ^ (mask[at & 3] as number);
  return Buffer.concat([Buffer.from(head), size, mask, content]);
}

export const closePayload = (code: number, reason: Uint8Array | string = ''): Buffer => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
};

export type UpgradeOptions = {
  readonly path?: string;
  readonly protocol?: string | null;
  /** Lines beside or instead of the usual ones; null leaves a line out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Follows the upgrade in the same packet. */
  readonly behind?: Uint8Array;
  /** Answers PING frames, which keeps a connection alive; true unless told otherwise. */
  readonly alive?: boolean;
};

type Closed = {
  /** The code in the server's close frame; 0: the connection ended without one. */
  readonly code: number;
  readonly reason: string;
};

/** The text of an upgrade request. */
export function upgradeText(host: string, { path = '/socket', protocol = 'reedbed.v1', headers = {} }: UpgradeOptions = {}): string {
  const lines: Record<string, string | null> = {
    ...{ Host: host, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' },
    ...{ 'Sec-WebSocket-Key': randomBytes(16).toString('base64'), 'Sec-WebSocket-Protocol': protocol },
    ...headers,
  };
  const text = Object.entries(lines).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  return `GET ${path} HTTP/1.1\r\n${text.join('')}\r\n`;
}

const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class RawSocket {
  /** Status line and headers of the answer to the upgrade. */
  readonly upgraded: Promise<{ readonly status: number; readonly head: string }>;
  readonly closed: Promise<Closed>;
  /** Frames of the server in their order, but for PINGs; `next` takes from it. */
  readonly frames: RawFrame[] = [];
  /** All messages as they came, but for PINGs. */
  readonly messages: Buffer[] = [];
  /** Payloads of the WebSocket protocol's own pongs. */
  readonly pongs: Buffer[] = [];
  readonly stream: Socket;
  alive: boolean;
  #input: Buffer = Buffer.alloc(0);
  /** What came after `#input`, and how much of both together would be worth a look. */
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  #neededBytes = 0;
  #parts: Buffer[] = [];
  #code = 0;
  #reason = '';
  #ended = false;
  #wake: (() => void)[] = [];
  readonly #open = Promise.withResolvers<{ status: number; head: string }>();
  readonly #closed = Promise.withResolvers<Closed>();
  #isOpen = false;

  private constructor(stream: Socket, alive: boolean) {
    this.stream = stream;
    this.alive = alive;
    this.upgraded = this.#open.promise;
    this.closed = this.#closed.promise;
    this.#open.promise.catch(() => undefined);
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', () => undefined);
    stream.on('close', () => this.#finish());
  }

  /** Opens a TCP connection and writes nothing. */
  static async dial(url: string, alive = true): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const stream = connect(Number(port), hostname);
    stream.setNoDelay(true);
    const socket = new RawSocket(stream, alive);
    await new Promise<void>((resolve, reject) => stream.once('connect', resolve).once('error', reject));
    return socket;
  }

  /** Upgrades; resolves when the server has answered, whatever it says. */
  static async open(url: string, options: UpgradeOptions = {}): Promise<RawSocket> {
    const socket = await RawSocket.dial(url, options.alive ?? true);
    const key = options.headers?.['Sec-WebSocket-Key'] ?? randomBytes(16).toString('base64');
    const text = upgradeText(new URL(url).host, { ...options, headers: { 'Sec-WebSocket-Key': key, ...options.headers } });
    socket.raw(Buffer.concat([Buffer.from(text), options.behind ?? Buffer.alloc(0)]));
    const { status, head } = await socket.upgraded;
    const accept = createHash('sha1').update(`${key}${ACCEPT_GUID}`).digest('base64');
    if (status === 101 && !head.includes(accept)) throw new Error('the server accepted another key');
    return socket;
  }

  /** Bytes on the wire, whatever they mean. */
  raw(content: Uint8Array | string): void {
    if (!this.stream.destroyed) this.stream.write(content);
  }

  /** A message in one WebSocket frame. */
  message(payload: Uint8Array | string, options: FrameOptions = {}): void {
    this.raw(wsFrame(payload, options));
  }

  /** A frame of the protocol. */
  send(type: RawType, values: RawBody = {}, id = ''): void {
    this.message(frame(type, values, id));
  }

  authenticate(token: string, clientNonce = 'A'.repeat(22)): void {
    this.send('authenticate', { clientNonce, token });
  }

  /** The next frame of a type that matches, which is taken; frames before it stay. @throws if the connection ends first */
  next(type: RawType, matches: (found: RawFrame) => boolean = () => true): Promise<RawFrame> {
    return this.take((found) => found.type === type && matches(found), type);
  }

  /** The next frame of any type that matches, which is taken. @throws if the connection ends first */
  async take(matches: (found: RawFrame) => boolean, what = 'a frame'): Promise<RawFrame> {
    for (;;) {
      const at = this.frames.findIndex(matches);
      if (at >= 0) return this.frames.splice(at, 1)[0] as RawFrame;
      if (this.#ended) throw new Error(`closed with ${this.#code} ${this.#reason} before ${what}`);
      await this.changed();
    }
  }

  /** Resolves when something arrives, or the connection ends. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  /** A PING's way there and back, after which all before it has been read; the code if the server closed instead. */
  async echo(): Promise<number | null> {
    const id = randomBytes(8).toString('hex');
    this.send('ping', {}, id);
    return this.next('pong', (found) => found.id === id).then(
      () => null,
      () => this.#code,
    );
  }

  /** Stops or resumes reading. */
  reading(on: boolean): void {
    if (on) this.stream.resume();
    else this.stream.pause();
  }

  /** Says goodbye and waits for the end. */
  async leave(): Promise<Closed> {
    this.reading(true);
    this.message(closePayload(1000), { opcode: OPCODE.close });
    return this.closed;
  }

  /** Cuts the connection without a word. */
  vanish(): void {
    // A stream that is ending can't be reset any more.
    if (this.stream.writableEnded) this.stream.destroy();
    else this.stream.resetAndDestroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (this.#input.length + this.#chunkBytes < this.#neededBytes) return;
    this.#input = Buffer.concat([this.#input, ...this.#chunks]);
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#neededBytes = 0;
    if (!this.#isOpen && !this.#readHead()) return;
    while (this.#readFrame());
    this.#look();
  }

  #readHead(): boolean {
    const end = this.#input.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.#input.subarray(0, end).toString('latin1');
    this.#input = this.#input.subarray(end + 4);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    this.#open.resolve({ status, head });
    this.#isOpen = status === 101;
    return this.#isOpen;
  }

  #readFrame(): boolean {
    const input = this.#input;
    if (input.length < 2) return false;
    const [first, second] = [input[0] as number, input[1] as number];
    if (second & 128) throw new Error('a server masks nothing');
    const form = second & 127;
    const start = form === 126 ? 4 : form === 127 ? 10 : 2;
    if (input.length < start) return false;
    const length = form === 126 ? input.readUInt16BE(2) : form === 127 ? Number(input.readBigUInt64BE(2)) : form;
    this.#neededBytes = start + length;
    if (input.length < this.#neededBytes) return false;
    this.#neededBytes = 0;
    this.#input = input.subarray(start + length);
    this.#frame(first & 15, Buffer.from(input.subarray(start, start + length)), (first & 128) !== 0);
    return true;
  }

  #frame(opcode: number, payload: Buffer, final: boolean): void {
    if (opcode === OPCODE.close) {
      this.#code = payload.length >= 2 ? payload.readUInt16BE() : 1005;
      this.#reason = payload.subarray(2).toString();
      this.message(payload, { opcode: OPCODE.close });
      this.stream.end();
    } else if (opcode === OPCODE.ping) this.message(payload, { opcode: OPCODE.pong });
    else if (opcode === OPCODE.pong) this.pongs.push(payload);
    else {
      this.#parts.push(payload);
      if (!final) return;
      const message = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#message(message);
    }
  }

  #message(message: Buffer): void {
    const found = readFrame(message);
    if (found.type === 'ping') {
      if (this.alive) this.send('pong', {}, found.id);
      return;
    }
    this.messages.push(message);
    this.frames.push(found);
  }

  #look(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }

  #finish(): void {
    this.#ended = true;
    this.#open.reject(new Error('the connection ended before an answer'));
    this.#closed.resolve({ code: this.#code, reason: this.#reason });
    this.#look();
  }
}

/** A text field of a frame, '' if it has none. */
export const textOf = (found: RawFrame, name: string): string => String((found.body[name] ?? '') satisfies RawValue);
/** A number of a frame, 0 if it has none. */
export const countOf = (found: RawFrame, name: string): number => Number(found.body[name] ?? 0);
