// Two homes that are peers over a wire: identity, reeds and streams of each on a database of its own, without sockets. What is told to members
// after a commit is written down.
import { cryptoRandom } from '../../src/base/ids.ts';
import { untilIdle } from '../../src/base/rest.ts';
import { StoredPeers } from '../../src/federation/stored-peers.ts';
import type { Leg, PeerCalls } from '../../src/federation/stream-ports.ts';
import { beginShare } from '../../src/federation/stream-share.ts';
import { openStreams, type Streams } from '../../src/federation/streams.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { approve, PeerWire } from './peer-wire.ts';
import { makeWorld, type World, type WorldOptions } from './people.ts';

export type Home = World & {
  readonly id: ServerId;
  readonly streams: Streams;
  readonly legs: ReadonlyMap<string, Leg>;
  /** What members would be told of. */
  readonly told: string[];
  /** Lets everything that is under way end. */
  rest(): Promise<void>;
  rows<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]>;
};

type Through = (world: World, calls: PeerCalls) => PeerCalls;

/** @param through what a home's calls go through on their way to the wire; as they are without it */
export async function openHome(wire: PeerWire, options: WorldOptions = {}, through?: Through): Promise<Home> {
  let home: Home | null = null;
  const world = await makeWorld({
    ...options,
    learnPerson: async (user) => home?.streams.persons.learnPerson(user),
    learnKey: async (key) => home?.streams.persons.learnKey(key),
    onRemovalWithdrawn: (user) => home?.streams.factOf(user),
    learnReed: async (id) => home?.streams.learnReed(id) ?? false,
  });
  home = homeOf(world, wire, through);
  return home;
}

function homeOf(world: World, wire: PeerWire, through: Through = (_world, calls) => calls): Home {
  const { id } = world.identity.server;
  const told: string[] = [];
  const streams = openStreams({
    ...{
      ...world,
      random: cryptoRandom,
      calls: through(
        world,
        wire.callsOf(() => id),
      ),
      peers: new StoredPeers(world.db),
    },
    log: { warn: (details, message) => void told.push(`warning: ${message} ${JSON.stringify(details)}`) },
    told: {
      published: (reed) => void told.push(`published ${reed}`),
      removed: (kind, subject) => void told.push(`${kind} ${subject}`),
      accountRemoved: (user) => void told.push(`account-removal ${user}`),
    },
  });
  wire.join(id, streams);
  const rest = (): Promise<void> => untilIdle(() => streams.idle);
  return { ...world, id, streams, legs: streams.legs, told, rest, rows: (text, ...values) => world.db.query({ text, values }) };
}

/** Two homes that approved each other, each other's share begun. */
export async function openPeers(options: WorldOptions = {}): Promise<{ wire: PeerWire; a: Home; b: Home; close(): Promise<void> }> {
  const wire = new PeerWire();
  const [a, b] = [await openHome(wire, options), await openHome(wire, options)];
  await peer(a, b);
  return { wire, a, b, close: async () => void (await Promise.all([a.close(), b.close()])) };
}

export async function peer(a: Home, b: Home): Promise<void> {
  await approve(a.databaseUrl, b.databaseUrl);
  await approve(b.databaseUrl, a.databaseUrl);
  await beginShare(a.db.kysely, b.id);
  await beginShare(b.db.kysely, a.id);
}

/** Sends everything that `from` owes and can send now. */
export async function flush(from: Home): Promise<void> {
  await from.streams.sender.round();
  await from.rest();
}
