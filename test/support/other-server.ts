// Another server as seen from its network side: an HTTP or HTTPS server on a loopback address, told what to do with each request, which
// remembers what came and leaves no connection behind.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

export type Seen = { readonly host: string | undefined; readonly serverName: string | false | null; readonly url: string | undefined };

export type OtherServer = {
  readonly port: number;
  readonly seen: Seen[];
  /** Connections that were made, and those that are open. */
  readonly connections: { made: number; open: number };
  /** Resolves with the next request. */
  next(): Promise<ServerResponse>;
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  close(): Promise<void>;
};

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** @param tls a certificate and its key; without them it speaks plain HTTP */
export async function startOther(answer: Answering, tls?: { readonly cert: string; readonly key: string }): Promise<OtherServer> {
  const seen: Seen[] = [];
  const open = new Set<Socket>();
  const connections = { made: 0, open: 0 };
  const nextOnes: ((response: ServerResponse) => void)[] = [];
  const quietOnes: (() => void)[] = [];
  const listen: RequestListener = (request, response) => {
    const { servername = null } = request.socket as TLSSocket;
    seen.push({ host: request.headers.host, serverName: servername, url: request.url });
    nextOnes.shift()?.(response);
    answer(request, response);
  };
  const server = tls === undefined ? createServer(listen) : createSecureServer({ ...tls }, listen);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    connections.made += 1;
    connections.open = open.size;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(socket);
        connections.open = open.size;
        if (open.size === 0) for (const tell of quietOnes.splice(0)) tell();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ seen, connections, port: (server.address() as AddressInfo).port },
    next: () => new Promise((resolve) => nextOnes.push(resolve)),
    quiet: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => quietOnes.push(resolve))),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
