// Other servers in one process of its own, each with an origin: good ones, which answer every leg at once and note what came when, and black holes, which
// take connections and never answer. And a caller who signs requests beforehand, so that little but the answering is measured.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { cryptoRandom } from '../../src/base/ids.ts';
import { signAnswer, signRequest } from '../../src/federation/signature.ts';
import { NONCE_BYTES } from '../../src/federation/signature-form.ts';
import { encodeAnswer } from '../../src/wire/federation.ts';
import { decodeStreamRequest, encodeStreamAnswer } from '../../src/wire/streams.ts';
import { makeServerKeys, type ServerKeys } from '../support/transport-keys.ts';
import { serveCalls } from './calls.ts';
import { sharedNow } from './load.ts';
import { type Usage, usage } from './usage.ts';

/** As another server has to know it. */
export type FakePeer = { readonly id: string; readonly kid: string; readonly publicKey: string; readonly url: string };
/** An item that reached a good peer. */
export type Arrival = { readonly author: string; readonly number: number; readonly atMs: number };

const EMPTY = new Uint8Array(0);
const END_OF_HEAD = '\r\n\r\n';
const peers = new Map<string, ServerKeys>();
const servers = new Set<Server>();
const sockets = new Set<Socket>();
let arrived: Arrival[] = [];

/** What a peer says to a leg: that it took everything. */
const answerOf = (leg: string, body: Uint8Array): Uint8Array => {
  const request = leg === 'stream' ? decodeStreamRequest(body) : null;
  if (request === null || !request.ok) return EMPTY;
  const { authorId: author, items, cursor } = request.value;
  const atMs = sharedNow();
  for (const { number } of items) arrived.push({ author, number, atMs });
  const outcomes = items.map(({ number }) => ({ number, verdict: 'accepted' as const, reason: '' }));
  return encodeStreamAnswer({ have: items.at(-1)?.number ?? cursor, outcomes });
};

const answer = async (keys: ServerKeys, from: IncomingMessage, to: ServerResponse): Promise<void> => {
  const body = encodeAnswer({ epoch: 'one', body: answerOf(from.url?.split('/').at(-1) ?? '', await buffer(from)) });
  const requestSignature = String(from.headers.signature);
  const fields = signAnswer(keys.signer, { status: 200, body, now: Date.now(), requestSignature });
  to.writeHead(200, { ...fields, 'content-length': body.length }).end(body);
};

const listen = async (server: Server, keys: ServerKeys): Promise<FakePeer> => {
  servers.add(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  peers.set(keys.id, keys);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { id: keys.id, kid: keys.kid, publicKey: keys.keys.get(keys.kid) ?? '', url };
};

const open = async ({ good, holes }: { good: number; holes: number }): Promise<{ good: FakePeer[]; holes: FakePeer[] }> => {
  const some = <T>(count: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, make));
  return {
    good: await some(good, () => {
      const keys = makeServerKeys();
      return listen(
        createServer((from, to) => void answer(keys, from, to).catch(() => to.destroy())),
        keys,
      );
    }),
    holes: await some(holes, () =>
      listen(
        createTcpServer((socket) => void socket.resume()),
        makeServerKeys(),
      ),
    ),
  };
};

/** What came since the last call. */
const arrivals = (): Arrival[] => {
  const all = arrived;
  arrived = [];
  return all;
};

type Calling = { readonly from: string; readonly url: string; readonly leg: string; readonly count: number; readonly connections: number };

/** Whole requests, as they go over the wire. */
const prepared = ({ from, url, leg, count }: Calling): Buffer[] => {
  const keys = peers.get(from);
  if (keys === undefined) throw new Error('there is no such peer');
  const path = `/federation/v1/${leg}`;
  return Array.from({ length: count }, () => {
    const dated = { now: Date.now(), lifeMs: 60_000, nonce: cryptoRandom(NONCE_BYTES) };
    const fields = signRequest(keys.signer, { targetUri: `${url}${path}`, body: EMPTY, ...dated });
    const head = Object.entries({ host: new URL(url).host, 'content-length': '0', ...fields }).map(([name, value]) => `${name}: ${value}`);
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}${END_OF_HEAD}`);
  });
};

/** Sends requests one after the other over one connection. @returns how many were answered 200 */
const sendAll = (url: string, next: () => Buffer | undefined): Promise<number> =>
  new Promise((done, failed) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), noDelay: true });
    let [taken, rest] = [0, ''];
    const send = (): void => {
      const request = next();
      if (request === undefined) socket.end(() => done(taken));
      else socket.write(request);
    };
    socket.on('error', failed).on('close', () => failed(new Error('the server closed a connection of the bench')));
    socket.on('connect', send).on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      const head = rest.indexOf(END_OF_HEAD);
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0);
      if (rest.length < head + END_OF_HEAD.length + length) return;
      if (rest.startsWith('HTTP/1.1 200')) taken += 1;
      rest = '';
      send();
    });
  });

/** Calls a leg of a server as one of these peers. */
const call = async (calling: Calling): Promise<{ taken: number; perSecond: number }> => {
  const requests = prepared(calling);
  const from = performance.now();
  const each = Array.from({ length: calling.connections }, () => sendAll(calling.url, () => requests.pop()));
  const taken = (await Promise.all(each)).reduce((sum, count) => sum + count, 0);
  return { taken, perSecond: (taken / (performance.now() - from)) * 1_000 };
};

const api = { open, arrivals, call, used: (): Usage => usage() };
export type PeersApi = typeof api;

serveCalls(api, async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([...servers].map((server) => new Promise((done) => server.close(done))));
});
