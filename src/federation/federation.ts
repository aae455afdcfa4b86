// Puts the parts of the federation together, in the order in which they need one another. No decisions here. `openPeering` alone is what a command
// beside the server needs: it sends nothing that is owed, which the server does when it runs.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Identity } from '../identity/identity.ts';
import { Outbound } from '../net/outbound.ts';
import { resolverFor } from '../net/resolve.ts';
import type { ServerId } from '../wire/address.ts';
import { PeerBudgets } from './budget.ts';
import { PeerCalls } from './calls.ts';
import { PeerClient } from './client.ts';
import { connectIntroduction } from './connect.ts';
import { Directory } from './directory.ts';
import { Documents } from './documents.ts';
import { Inbound } from './inbound.ts';
import type { Leg, Legs } from './legs.ts';
import { Nonces } from './nonces.ts';
import { noticeLeg, type OnPeerChange } from './notices.ts';
import { Peering } from './peering.ts';
import { PeerSender } from './sender.ts';

export type PeeringGround = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly log: Logger;
  readonly identity: Pick<Identity, 'server' | 'adminActs'>;
  readonly allowPrivatePeers: boolean;
};

export type FederationDeps = PeeringGround & {
  readonly publicUrl: () => string;
  readonly epoch: () => string;
  readonly isAlone: () => Promise<boolean>;
  readonly onChange: OnPeerChange;
  /** What live peers may call besides `notice`; asked when they call. */
  readonly legs: () => Legs;
  /** A peer has called, and has proven that it did. */
  readonly onHeard: (server: ServerId) => void;
};

const BITS = 2 ** 32;

/** A number from 0 up to 1, of the randomness that was passed in. */
const chanceOf = (random: RandomBytes) => (): number => new DataView(random(4).buffer).getUint32(0) / BITS;

/** The peers as they stand, for whoever only looks. The caller disposes of `outbound`. */
export function openDirectory(ground: Omit<PeeringGround, 'identity'>) {
  const rules = { allowPrivate: ground.allowPrivatePeers };
  const outbound = new Outbound({ ...ground, rules, resolve: resolverFor(rules) });
  const documents = new Documents({ ...ground, outbound });
  return { outbound, documents, directory: new Directory({ ...ground, documents }) };
}

/** Peering as admins see it. The caller disposes of `outbound`. */
export function openPeering(ground: PeeringGround) {
  const { server, adminActs } = ground.identity;
  const opened = openDirectory(ground);
  const client = new PeerClient({ ...ground, ...opened, signer: () => server.transportSigner() });
  return { ...opened, client, peering: new Peering({ ...ground, ...opened, server, acts: adminActs, client }) };
}

export function openFederation(deps: FederationDeps) {
  const opened = openPeering(deps);
  const { server } = deps.identity;
  const chance = chanceOf(deps.random);
  const calls = new PeerCalls({ ...deps, ...opened, chance });
  const nonces = new Nonces(deps);
  const notice = noticeLeg({ ...deps, ...opened });
  const inbound = new Inbound({
    ...deps,
    peers: opened.directory,
    legs: { get: (name) => heard(name === 'notice' ? notice : deps.legs().get(name), deps.onHeard) },
    introductions: new Map([['connect', connectIntroduction({ ...deps, ...opened, server })]]),
    nonces,
    budgets: new PeerBudgets(deps),
    signer: () => server.transportSigner(),
  });
  const sender = new PeerSender({ ...deps, ...opened, calls, nonces, chance, document: () => server.document() });
  return { ...opened, calls, inbound, sender };
}

/** The leg, with word of who calls it. */
const heard = (leg: Leg | undefined, onHeard: FederationDeps['onHeard']): Leg | undefined =>
  leg && {
    limitBytes: leg.limitBytes,
    ...(leg.beforeLive === undefined ? {} : { beforeLive: leg.beforeLive }),
    handle: (peer, body) => {
      onHeard(peer);
      return leg.handle(peer, body);
    },
  };
