// Servers that can become peers: each with identity, federation and HTTP on a loopback address of its own, on clocks that move together. One may
// be ended and started again on its database, under its address.
import type { AddressInfo } from 'node:net';
import { base64url, cryptoRandom } from '../../src/base/ids.ts';
import { openFederation } from '../../src/federation/federation.ts';
import type { PeerChange } from '../../src/federation/notices.ts';
import type { Moving } from '../../src/federation/peering.ts';
import type { Act } from '../../src/identity/admin-acts.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import type { Role } from '../../src/wire/roles.ts';
import { heading } from '../../src/wire/statements.ts';
import { makeHttp } from './http.ts';
import { makeWorld, type Person, sign, signUp, silent, type World, type WorldOptions } from './people.ts';

export type Admin = Person & { readonly token: string };
export type PeerServer = Awaited<ReturnType<typeof startPeerServer>>;
type Options = { readonly allowPrivate?: boolean; readonly limits?: WorldOptions['limits'] };

async function open(options: Options, before: { going?: WorldOptions['going']; port: number; epoch: string }) {
  const address = { port: before.port };
  const url = (): string => `http://127.0.0.1:${address.port}`;
  const { going } = before;
  const world = await makeWorld({
    publicUrl: url,
    ...(going === undefined ? {} : { going }),
    // A clock that stands still gives no further call its turn.
    limits: { peerCallsPerSecond: 1_000_000, ...options.limits },
  });
  const changes: [ServerId, PeerChange][] = [];
  const federation = openFederation({
    ...{ ...world, random: cryptoRandom, log: silent, allowPrivatePeers: options.allowPrivate ?? true, publicUrl: url },
    ...{
      epoch: () => before.epoch,
      isAlone: async () => true,
      onChange: (server, change) => void changes.push([server, change]),
      legs: () => new Map(),
      onHeard: () => undefined,
    },
  });
  const { inbound, peering, directory } = federation;
  const http = await makeHttp(world, { federation: inbound, peering, peers: directory });
  await http.listen({ host: '127.0.0.1', port: address.port });
  address.port = (http.server.address() as AddressInfo).port;
  const end = async (): Promise<void> => {
    await federation.outbound[Symbol.asyncDispose]();
    await http.close();
    await world.db.close();
  };
  return { world, federation, http, changes, url: url(), port: address.port, end };
}

/** A server of its own. What it says of itself is issued at once, as a running server's is. */
export async function startPeerServer(options: Options = {}) {
  let running = await open(options, { port: 0, epoch: 'first' });
  let isUp = true;
  let isFresh = true;
  await running.world.identity.server.document();
  const { database, clock } = running.world;
  const id = running.world.identity.server.id;
  return {
    id,
    clock,
    get world(): World {
      return running.world;
    },
    get federation() {
      return running.federation;
    },
    get changes() {
      return running.changes;
    },
    get http() {
      return running.http;
    },
    url: running.url,
    /** Ends it as a crash does: nobody is told. */
    crash: async (): Promise<void> => {
      [isUp, isFresh] = [false, false];
      await running.end();
    },
    /** Starts it again, on its database and address. */
    start: async (epoch = 'first'): Promise<void> => {
      running = await open(options, { going: { database, clock }, port: running.port, epoch });
      isUp = true;
      await running.federation.sender.start();
    },
    /** As if it had never met a server nor had an admin; what it is itself stays. */
    forget: async (): Promise<void> => {
      if (!isFresh) {
        if (isUp) await running.end();
        running = await open(options, { going: { database, clock }, port: running.port, epoch: 'first' });
        [isUp, isFresh] = [true, true];
      }
      running.changes.length = 0;
      const { db, identity } = running.world;
      for (const table of ['admin_requests', 'admin_acts', 'peer_invitations', 'owed_peer_notices', 'peer_cursors', 'peers'])
        await db.query({ text: `delete from ${table}` });
      await db.query({ text: 'delete from server_keys where server_id <> $1', values: [identity.server.id] });
      await db.query({ text: 'delete from servers where id <> $1', values: [identity.server.id] });
      await db.query({ text: "update users set role = 'user'" });
    },
    close: async (): Promise<void> => {
      if (isUp) await running.end();
      await database.drop();
    },
  };
}

/** Lets everything that is due at any of them be told, and what follows from it. */
export async function settlePeers(...servers: readonly PeerServer[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) for (const { federation } of servers) await federation.sender.round();
}

export function advance(ms: number, ...servers: readonly PeerServer[]): void {
  for (const { clock } of servers) clock.advance(ms);
}

export const stateAt = async (server: PeerServer, peer: ServerId): Promise<string | null> =>
  (await server.federation.directory.details(peer))[0]?.state ?? null;

export const keyOf = async ({ world }: PeerServer): Promise<string> => world.identity.server.sealedTo.at(-1)?.publicKey.armor ?? '';

/** Somebody with a role, given by the database alone. */
export async function makeAdmin(server: PeerServer, role: Role = 'admin'): Promise<Admin> {
  const admin = await signUp(server.world);
  await server.world.db.query({ text: 'update users set role = $2 where id = $1', values: [admin.user, role] });
  return { ...admin, member: { ...admin.member, role } };
}

/** A signed act. */
export const actOf = (server: PeerServer, admin: Person, said: { act: Act; target: string; nonce?: string; createdAt?: string }) => {
  const now = server.clock.now();
  const { act, target, nonce = base64url(cryptoRandom(24)), createdAt = printTime(now) } = said;
  return sign(admin, { ...heading('admin-act'), user: admin.user, key: admin.keyId, act, target, nonce, createdAt }, now);
};

/** One request of an admin's to the API. */
export async function post(
  server: PeerServer,
  admin: Admin,
  path: string,
  body: object,
): Promise<{ status: number; body: Record<string, string> }> {
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
  const answer = await server.http.inject({ method: 'POST', url: `/api/v1/admin/${path}`, headers, payload: JSON.stringify(body) });
  return { status: answer.statusCode, body: answer.json() };
}

export const moveBy = async (server: PeerServer, admin: Admin, moving: Moving, target: string) =>
  post(server, admin, `peers/${target}/${moving}`, await actOf(server, admin, { act: `peer-${moving}`, target }));

/** Makes peers of two servers, by their operators. */
export async function makePeers(a: PeerServer, b: PeerServer): Promise<void> {
  const { connection } = await a.federation.peering.invite('operator', await keyOf(b));
  await b.federation.peering.accept('operator', connection);
  await a.federation.peering.move('operator', 'approve', b.id);
  await b.federation.peering.move('operator', 'approve', a.id);
  await settlePeers(a, b);
}
