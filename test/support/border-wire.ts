// The way to a server for its peers: an HTTP proxy on a loopback address, which is the server's public one. It reads what passes, counts the copies
// on the wire, and does with each call what a test says: lets it pass, loses it or its answer, repeats it, holds it, or stops in the middle.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { CopyCount } from '../../src/ops/demo/copy-count.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { decodeFoldDelivery, decodeFoldRequest } from '../../src/wire/fold.ts';

/** A call as it is seen on the wire. */
export type Seen = {
  readonly from: ServerId;
  /** Its leg; of anything else the whole target. */
  readonly leg: string;
  readonly body: Buffer;
  /** Of a copy: of what and for whom it is, if it was seen asked for. */
  readonly copy: { readonly reed: ReedId; readonly taker: UserId } | null;
};

/** What becomes of a call. held: until `release`. */
export type BorderFate = 'pass' | 'lose-request' | 'lose-answer' | 'repeat' | 'hold';

/** What one or more ways share: what was seen, and what becomes of it. */
export class Border {
  readonly copies: CopyCount;
  /** Every call that came, in order. */
  readonly calls: Seen[] = [];
  /** Copies whose last byte was passed on; one that was sent twice is there twice. */
  readonly arrived: NonNullable<Seen['copy']>[] = [];
  fate: (call: Seen) => BorderFate | Promise<BorderFate> = () => 'pass';
  /** Half of the body has been passed on. */
  midway: (call: Seen) => void | Promise<void> = () => undefined;
  readonly #asked = new Map<string, NonNullable<Seen['copy']>>();
  readonly #held: (() => void)[] = [];

  constructor(copies: CopyCount) {
    this.copies = copies;
  }

  count(leg: string): number {
    return this.calls.filter((call) => call.leg === leg).length;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Lets all held calls go on, the last one first. */
  release(): void {
    for (const go of this.#held.splice(0).reverse()) go();
  }

  hold(): Promise<void> {
    return new Promise((go) => this.#held.push(go));
  }

  reset(): void {
    this.calls.length = 0;
    this.arrived.length = 0;
    this.copies.reset();
  }

  /** Reads what came. */
  see(from: ServerId, leg: string, body: Buffer): Seen {
    const asked = leg === 'request' || leg === 'fallback' ? decodeFoldRequest(body) : null;
    if (asked !== null) {
      this.copies.asked(asked);
      this.#asked.set(asked.peerRequestId, { reed: asked.reedId, taker: asked.requesterId });
    }
    const crossing = leg === 'deliver' ? (decodeFoldDelivery(body)?.peerRequestId ?? '') : '';
    const seen = { from, leg, body, copy: this.#asked.get(crossing) ?? null };
    this.calls.push(seen);
    return seen;
  }
}

const LEG = /^\/federation\/v1\/([a-z-]+)$/;
const KEY_ID = /keyid="([^"#]+)#/;

/** The public address of one server. */
export class BorderWay {
  readonly url: string;
  /** Where the server itself is to listen. */
  readonly port: number;
  readonly #server: Server;
  readonly #border: Border;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, border: Border) {
    this.#server = server;
    this.#border = border;
    this.port = port;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (from: IncomingMessage, to: ServerResponse) => void this.#answer(from, to).catch(() => to.destroy()));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async open(border: Border): Promise<BorderWay> {
    const server = createServer({ keepAliveTimeout: 0 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BorderWay(server, await freePort(), border);
  }

  /** The server's own address, for its members. */
  get direct(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const target = from.url ?? '/';
    const body = await buffer(from);
    const leg = LEG.exec(target)?.[1] ?? target;
    const caller = KEY_ID.exec(String(from.headers['signature-input']))?.[1] ?? '';
    const call = this.#border.see(caller as ServerId, leg, body);
    const carried = leg === 'deliver' ? this.#border.copies.carried(decodeFoldDelivery(body)?.peerRequestId ?? '') : null;
    const gone = new AbortController();
    to.once('close', () => gone.abort());
    try {
      const answer = await this.#pass(call, { method: from.method ?? 'GET', target, headers: from.headers, signal: gone.signal });
      if (answer === null) return void to.destroy();
      if (answer.status >= 200 && answer.status < 300) carried?.taken();
      to.writeHead(answer.status, answer.headers);
      to.end(answer.body);
    } finally {
      carried?.ended();
    }
  }

  async #pass(call: Seen, as: Passing): Promise<Answer | null> {
    const fate = await this.#border.fate(call);
    if (fate === 'hold') await Promise.race([this.#border.hold(), once(as.signal, 'abort')]);
    if (fate === 'lose-request' || as.signal.aborted) return null;
    const [answer] = await Promise.all([this.#send(call, as), fate === 'repeat' ? this.#send(call, as).catch(() => null) : null]);
    return fate === 'lose-answer' ? null : answer;
  }

  async #send(call: Seen, { headers, method, signal, target }: Passing): Promise<Answer> {
    const sent = request({ host: '127.0.0.1', port: this.port, method, path: target, headers, agent: false, signal });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    answered.catch(() => undefined);
    const half = call.body.length >> 1;
    sent.write(call.body.subarray(0, half));
    await this.#border.midway(call);
    sent.end(call.body.subarray(half));
    const { copy } = call;
    if (copy !== null) sent.once('finish', () => this.#border.arrived.push(copy));
    const [answer] = await answered;
    const body = await buffer(answer);
    return { status: answer.statusCode ?? 502, headers: answer.headers, body };
  }
}

type Passing = { readonly method: string; readonly target: string; readonly headers: IncomingHttpHeaders; readonly signal: AbortSignal };
type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** A port that nobody listens on just now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
