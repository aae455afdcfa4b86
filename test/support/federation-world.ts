// A server's way in for other servers, listening on a loopback address, with peers and legs that a test sets; and callers with keys of their own.
import type { AddressInfo } from 'node:net';
import { cryptoRandom } from '../../src/base/ids.ts';
import { PeerBudgets } from '../../src/federation/budget.ts';
import { PeerClient } from '../../src/federation/client.ts';
import { Inbound } from '../../src/federation/inbound.ts';
import type { Introduction, KnownPeer, Leg } from '../../src/federation/legs.ts';
import { Nonces } from '../../src/federation/nonces.ts';
import { signRequest } from '../../src/federation/signature.ts';
import { Outbound } from '../../src/net/outbound.ts';
import { resolverFor } from '../../src/net/resolve.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { makeHttp } from './http.ts';
import { makeWorld, silent, type WorldOptions } from './people.ts';
import { makeServerKeys, type ServerKeys } from './transport-keys.ts';

export type FederationWorld = Awaited<ReturnType<typeof makeFederation>>;

const RULES = { allowPrivate: true };

export async function makeFederation(options: WorldOptions = {}) {
  // A clock that stands still gives no further call its turn.
  const world = await makeWorld({ ...options, limits: { peerCallsPerSecond: 1_000_000, ...options.limits } });
  const { clock, limits, db } = world;
  const own = makeServerKeys();
  const peers = new Map<ServerId, KnownPeer>();
  const legs = new Map<string, Leg>();
  const introductions = new Map<string, Introduction>();
  const epoch = { now: 'first' };
  let url = '';
  const inbound = () =>
    new Inbound({
      ...{ clock, limits, legs, introductions, log: silent, publicUrl: () => url, epoch: () => epoch.now, signer: () => own.signer },
      peers: { find: async (id) => peers.get(id) ?? null },
      nonces: new Nonces({ db, clock, limits }),
      budgets: new PeerBudgets({ clock, limits }),
    });
  const state = { inbound: inbound() };
  const http = await makeHttp(world, { federation: { answer: (call) => state.inbound.answer(call) } });
  await http.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  const outbound = new Outbound({ clock, limits, rules: RULES, resolve: resolverFor(RULES) });
  return {
    ...{ world, clock, limits, own, legs, introductions, epoch, outbound, url },
    /** This server as others know it. */
    self: { id: own.id, baseUrl: url, keys: own.keys },
    /** A new peer. */
    peer: (isLive = true): ServerKeys => {
      const keys = makeServerKeys();
      peers.set(keys.id, { id: keys.id, isLive, keys: keys.keys });
      return keys;
    },
    clientOf: ({ signer }: ServerKeys): PeerClient =>
      new PeerClient({ outbound, clock, limits, random: cryptoRandom, signer: () => signer }),
    /** Forgets everything that is not in the database. */
    restart: () => {
      state.inbound = inbound();
    },
    close: async () => {
      await outbound[Symbol.asyncDispose]();
      await http.close();
      await world.close();
    },
  };
}

/** The fields of a request to a leg, as a peer would sign it. */
export const signedFields = (
  { url, clock, limits }: FederationWorld,
  { signer }: ServerKeys,
  request: { leg: string; body?: Uint8Array; aheadMs?: number; targetUri?: string },
) =>
  signRequest(signer, {
    targetUri: request.targetUri ?? `${url}/federation/v1/${request.leg}`,
    body: request.body ?? new Uint8Array(),
    now: clock.now() + (request.aheadMs ?? 0),
    lifeMs: limits.peerSignatureMs,
    nonce: cryptoRandom(16),
  });
