// An HTTP/1.1 client that can break the protocol: bytes go out as they are given, answers are read by RFC 9112 alone. Imports nothing of ours,
// so that a mistake about the protocol can't be on both sides.
import { connect, type Socket } from 'node:net';

export type RawAnswer = {
  readonly status: number;
  /** Names in lower case; of a repeated field all values, joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*$/;

type Head = { readonly status: number; readonly headers: Map<string, string> };

/** @throws SyntaxError for an answer that is none */
function parseHead(text: string): Head {
  const [first = '', ...fields] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new SyntaxError(`no status line: ${JSON.stringify(first.slice(0, 80))}`);
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    if (name === '') throw new SyntaxError(`no header field: ${JSON.stringify(field.slice(0, 80))}`);
    const key = name.toLowerCase();
    headers.set(key, headers.has(key) ? `${headers.get(key)}, ${value}` : value);
  }
  return { status, headers };
}

/** The chunks of a body; null while its end has not come. */
function parseChunks(bytes: Buffer, from: number): { readonly body: Buffer; readonly end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new SyntaxError('no chunk size');
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(chunks), end: start + 2 };
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

const hasNoBody = ({ status }: Head): boolean => status < 200 || status === 204 || status === 304;

/** The first answer in `bytes` and where it ends; null while it is not whole. `isOver`: nothing will follow. */
function parseAnswer(bytes: Buffer, isOver: boolean, toHead: boolean): { readonly answer: RawAnswer; readonly end: number } | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = parseHead(bytes.toString('latin1', 0, headEnd));
  const start = headEnd + HEAD_END.length;
  const give = (body: Buffer, end: number) => ({ answer: { ...head, body: body.toString() }, end });
  if (toHead || hasNoBody(head)) return give(Buffer.alloc(0), start);
  if (head.headers.get('transfer-encoding') === 'chunked') {
    const chunked = parseChunks(bytes, start);
    return chunked && give(chunked.body, chunked.end);
  }
  const length = head.headers.get('content-length');
  if (length === undefined) return isOver ? give(bytes.subarray(start), bytes.length) : null;
  const end = start + Number(length);
  return bytes.length < end ? null : give(bytes.subarray(start, end), end);
}

/** One connection. Nothing is sent but what `write` is given; it is never closed by itself. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isOver = false;
  #waiting: (() => void)[] = [];
  /** When the connection is gone, in whatever way. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A server that has had enough may reset the connection; what it said before that has arrived or not.
    socket.on('error', () => undefined);
    socket.on('end', () => this.#over());
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#over();
        resolve();
      });
    });
  }

  /** @throws the error of a connection that can't be made */
  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      // Half open: the server's end does not make this side end.
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawConnection(socket));
      });
    });
  }

  /** Bytes that have left this process. */
  get sentBytes(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  /** What came and was not read as an answer. */
  get rest(): string {
    return this.#received.toString('latin1');
  }

  /** Sends bytes as they are. @returns whether the connection still takes any; waits while the other side does not read */
  async write(bytes: string | Uint8Array): Promise<boolean> {
    const socket = this.#socket;
    if (socket.destroyed || !socket.writable) return false;
    if (socket.write(bytes)) return true;
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), this.closed]);
    return !socket.destroyed;
  }

  /**
   * The next answer; null if the connection ended without one.
   * @param toHead it is one to HEAD, whose length is that of no body
   */
  async answer(toHead = false): Promise<RawAnswer | null> {
    for (;;) {
      const parsed = parseAnswer(this.#received, this.#isOver, toHead);
      if (parsed !== null) {
        this.#received = this.#received.subarray(parsed.end);
        return parsed.answer;
      }
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** All answers until the connection ends. */
  async answers(): Promise<RawAnswer[]> {
    const all: RawAnswer[] = [];
    for (let answer = await this.answer(); answer !== null; answer = await this.answer()) all.push(answer);
    return all;
  }

  /** Reads no more: what the server sends from now on stays in its buffers. */
  pause(): void {
    this.#socket.pause();
  }

  /** Says that nothing more will be sent, and goes on reading. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #over(): void {
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Sends bytes on a connection of their own. @returns the first answer, or null; the connection is destroyed after it */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawAnswer | null> {
  const connection = await RawConnection.open(port);
  try {
    await connection.write(bytes);
    return await connection.answer(String(bytes).startsWith('HEAD '));
  } finally {
    connection.destroy();
  }
}
