// The public address of a server of the demo, for its peers: an HTTP proxy on a loopback port that passes everything on and counts the copies that it
// sees. What is on the wire to a server that is gone is answered as any proxy would.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeFoldDelivery, decodeFoldRequest } from '../../wire/fold.ts';
import type { Carried, CopyCount } from './copy-count.ts';

const LEG = /^\/federation\/v1\/([a-z-]+)$/;
const BAD_GATEWAY = 502;
const OK = 200;

export class Way {
  readonly url: string;
  readonly #server: Server;
  readonly #port: number;
  readonly #copies: CopyCount;

  private constructor(server: Server, port: number, copies: CopyCount) {
    this.#server = server;
    this.#port = port;
    this.#copies = copies;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (from: IncomingMessage, to: ServerResponse) => void this.#pass(from, to).catch(() => to.destroy()));
  }

  /** @param port where the server itself listens */
  static async open(port: number, copies: CopyCount): Promise<Way> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Way(server, port, copies);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = await buffer(from);
    const carried = this.#see(LEG.exec(from.url ?? '')?.[1], body);
    const gone = new AbortController();
    to.once('close', () => gone.abort());
    try {
      const sent = request({
        ...{ host: '127.0.0.1', port: this.#port, method: from.method, path: from.url, headers: from.headers, signal: gone.signal },
      });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const answered = await buffer(answer);
      if (answer.statusCode === OK) carried?.taken();
      to.writeHead(answer.statusCode ?? BAD_GATEWAY, answer.headers).end(answered);
    } catch {
      if (!to.headersSent) to.writeHead(BAD_GATEWAY).end();
    } finally {
      carried?.ended();
    }
  }

  /** @returns the copy that this call brings, if it does */
  #see(leg: string | undefined, body: Uint8Array): Carried | null {
    const asked = leg === 'request' || leg === 'fallback' ? decodeFoldRequest(body) : null;
    if (asked !== null) this.#copies.asked(asked);
    const brought = leg === 'deliver' ? decodeFoldDelivery(body) : null;
    return brought && this.#copies.carried(brought.peerRequestId);
  }
}
