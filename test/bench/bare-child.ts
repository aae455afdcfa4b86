// The bare relay: a `ws` server that passes the same frames on by a fixed-size address and decodes nothing. No ids, no ledger, no database.
// What the server sends of its own in answer to a request or an acknowledgement, this one sends as prepared bytes of the same length.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { ADDRESS_BYTES, BARE_OP, type BareSizes, KIND_AT } from './bare-frames.ts';
import { serveCalls } from './calls.ts';
import { type Usage, usage } from './usage.ts';

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false, maxPayload: 2 ** 20 + 2 ** 10 });
const members: (WebSocket | undefined)[] = [];
let taken: Buffer = Buffer.alloc(0);
let settled: Buffer = Buffer.alloc(0);

server.on('connection', (socket, request) => {
  members[Number(request.url?.slice(1))] = socket;
  socket.on('message', (data: Buffer) => {
    const kind = data[KIND_AT];
    if (kind === BARE_OP.acknowledge) return void socket.send(settled);
    if (kind === BARE_OP.request) socket.send(taken);
    members[data.readUInt32LE(0)]?.send(data);
  });
});

const prepared = (bytes: number, kind: number): Buffer => {
  const frame = Buffer.alloc(Math.max(bytes, ADDRESS_BYTES + 1));
  frame[KIND_AT] = kind;
  return frame;
};

const api = {
  start: async (sizes: BareSizes): Promise<{ url: string }> => {
    taken = prepared(sizes.requestAck, BARE_OP.taken);
    settled = prepared(sizes.settled, BARE_OP.settled);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
  },
  used: (): Usage => usage(),
  collected: (): Usage => {
    for (let round = 0; round < 3; round += 1) globalThis.gc?.();
    return usage();
  },
};
export type BareApi = typeof api;

serveCalls(api, async () => undefined);
