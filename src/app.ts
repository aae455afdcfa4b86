// Composition root: builds the whole server out of its parts and takes it down in the opposite order. No types beyond its own, no
// decisions; nothing but the entry and tests import it.
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { OffsetClock } from './base/clock.ts';
import { cryptoRandom, type RandomBytes } from './base/ids.ts';
import { untilIdle } from './base/rest.ts';
import { SetupError } from './base/setup-error.ts';
import { MemoryBus } from './bus/memory-bus.ts';
import type { Bus } from './bus/port.ts';
import type { Config } from './config/config.ts';
import { BatchLoad } from './db/batch.ts';
import { keepClock } from './db/clock.ts';
import { openDatabase } from './db/pool.ts';
import { type OpenElsewhere, openElsewhere } from './federation/elsewhere.ts';
import { type FederationDeps, openFederation } from './federation/federation.ts';
import { Fold } from './federation/fold.ts';
import { CallsOfFold } from './federation/fold-calls.ts';
import { PeerWatch } from './federation/peer-watch.ts';
import { StoredPeers } from './federation/stored-peers.ts';
import type { AskForChain, Leg, PeerCalls } from './federation/stream-ports.ts';
import { openStreams, type Streams } from './federation/streams.ts';
import { VerifiedRecords } from './federation/thread-records.ts';
import { Gateway } from './gateway/gateway.ts';
import { addressOf, trusted } from './http/client-address.ts';
import { securityLines } from './http/headers.ts';
import { createHttp } from './http/server.ts';
import { AddressBudget } from './identity/address-budget.ts';
import { openIdentity } from './identity/identity.ts';
import { readKeysAgain } from './identity/key-reading.ts';
import { Presence } from './presence/presence.ts';
import { Replica } from './presence/replica.ts';
import { Subscriptions } from './presence/subscriptions.ts';
import { openReeds } from './reeds/reeds.ts';
import { Relay } from './relay/relay.ts';
import type { ServerId, UserId } from './wire/address.ts';

export type Overrides = {
  readonly log: Logger;
  readonly clock?: OffsetClock;
  readonly random?: RandomBytes;
  /** Shared by the replicas of one process. */
  readonly bus?: Bus;
  /** Where the built web app is. */
  readonly webFolder?: string;
  /** How other servers are reached. */
  readonly peerCalls?: PeerCalls;
};

export type App = {
  readonly url: string;
  readonly serverId: ServerId;
  readonly fingerprint: string;
  /** The link that makes the first member, as long as there is none. */
  readonly rootInvite: string | null;
  /** What other servers may call. */
  readonly legs: ReadonlyMap<string, Leg>;
  /** Something about another server is another way than it was, committed. */
  peerChanged: FederationDeps['onChange'];
  /** Statements sent to the ledger and to the rest of the database so far. */
  statements(): { readonly ledger: number; readonly application: number };
  /** One round of everything that looks at what is due. What follows from it goes on by itself. */
  round(): Promise<void>;
  /** Lets such a round and everything that follows from it, or is under way, come to rest. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const APPLICATION_CONNECTIONS = 8;
// One for each lane, the sweeper, departures and waking.
const LEDGER_CONNECTIONS = 6;
// The lease has one to itself: whoever keeps the others busy must not end everybody's presence.
const LEASE_CONNECTIONS = 1;
const WEB_FOLDER = fileURLToPath(new URL('../web/dist', import.meta.url));

/** What every part is given. */
const openGround = async (config: Config, overrides: Overrides, owned: AsyncDisposableStack, onEpoch: (epoch: string) => void) => {
  const { limits } = config;
  const { log } = overrides;
  const clock = overrides.clock ?? new OffsetClock();
  const url = config.databaseUrl;
  if (url === undefined) throw new SetupError('There is no database.', 'Set DATABASE_URL.');
  const db = await openDatabase({ url, role: 'application', connections: APPLICATION_CONNECTIONS, log, onEpoch, clock });
  owned.defer(() => db.close());
  const ledgerDb = await openDatabase({ url, role: 'ledger', connections: LEDGER_CONNECTIONS, log, onEpoch, clock });
  owned.defer(() => ledgerDb.close());
  const leaseDb = await openDatabase({ url, role: 'application', connections: LEASE_CONNECTIONS, log, onEpoch, clock });
  owned.defer(() => leaseDb.close());
  const clockKeeper = await keepClock({ database: db, clock, everyMs: limits.clockMeasureEveryMs, log });
  owned.defer(() => clockKeeper.close());
  const load = new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes);
  return {
    ...{ config, limits, log, clock, db, ledgerDb, leaseDb, load },
    random: overrides.random ?? cryptoRandom,
    bus: overrides.bus ?? new MemoryBus(),
    addresses: new AddressBudget({ clock, limits }),
  };
};

type Ground = Awaited<ReturnType<typeof openGround>>;

const openMembers = async (
  ground: Ground,
  publicUrl: () => string,
  told: () => Pick<Relay, 'accountRemoved' | 'changed' | 'cutOff' | 'followed' | 'keyEnded' | 'removed'>,
  streams: () => Pick<Streams, 'actTowards' | 'factOf' | 'learnReed' | 'persons'>,
) => {
  const { config, bus } = ground;
  const opened = await openIdentity({
    ...ground,
    ...{ publicUrl, passphrase: config.passphrase ?? '', name: config.name, signup: config.signup },
    blockEffects: {
      cutOff: (tx, author, viewer) => told().cutOff(tx, author, viewer),
      changed: (kind, author, viewer) => {
        told().changed(kind, author, viewer);
        streams().actTowards(viewer);
      },
    },
    onFollowed: (member, target) => told().followed(member, target),
    onActed: (target) => streams().actTowards(target),
    learnPerson: (user) => streams().persons.learnPerson(user),
    learnKey: (key) => streams().persons.learnKey(key),
    onKeyEnded: (key) => told().keyEnded(key),
    onAccountRemoved: (user) => told().accountRemoved(user),
    // What was withheld of it meanwhile.
    onRemovalWithdrawn: (user) => streams().factOf(user),
    onSessionEnded: (userId, ended) =>
      bus.endSessions(userId, {
        code: ended.reason === 'replaced' ? 'CLOSE_REPLACED' : 'CLOSE_SESSION_ENDED',
        ...(ended.deviceId === undefined ? {} : { deviceId: ended.deviceId }),
      }),
  });
  if (!opened.ok) {
    const mend = 'Set REEDBED_PASSPHRASE or REEDBED_PASSPHRASE_FILE to the one they were made with.';
    throw new SetupError('The passphrase does not open the server keys.', mend);
  }
  return {
    identity: opened.value,
    reeds: openReeds({
      ...{ ...ground, identity: opened.value },
      onRemoved: (kind, subject) => told().removed(kind, subject),
      onLiked: (target) => streams().actTowards(target),
      learnReed: (id) => streams().learnReed(id),
    }),
  };
};

type Members = Awaited<ReturnType<typeof openMembers>>;

type AboutStreams = { readonly onFact: (author: UserId) => void; readonly calls: () => PeerCalls; readonly askForChain: AskForChain };

/** Presence, ledger, relay and sockets: they meet in the rows and reach each other's members over the bus. */
const openRelay = (ground: Ground, { identity, reeds }: Members, about: AboutStreams) => {
  const { addresses, bus, config, db, leaseDb, load } = ground;
  const replicaId = (): string => replica.id;
  const presence: Presence = new Presence({ ...ground, database: db, replicaId });
  const subscriptions = new Subscriptions(db, ground.limits);
  const fold: Fold = new Fold({
    ...{ ...ground, db: ground.ledgerDb, application: db, replicaId, home: identity.server.id, keys: identity.foreignKeys },
    calls: new CallsOfFold({ ...ground, calls: about.calls }),
    threads: new VerifiedRecords({ keys: identity.storedKeys, clock: ground.clock }),
    askForChain: about.askForChain,
    looks: () => relay.looks,
  });
  const elsewhere = openElsewhere({
    ...{ ...ground, identity, subscriptions, replicaId, peers: new StoredPeers(db), searchForPeers: config.searchForPeers },
    calls: { call: (...call) => about.calls().call(...call) },
  });
  const { blocks, accountRemovals, keys } = identity;
  const relay: Relay = new Relay({
    ...{ ...ground, db: ground.ledgerDb, application: db, replicaId, presence, subscriptions, fold, elsewhere },
    ...{ publish: reeds.publish, voiding: reeds.voiding, blocks, accountRemovals, keys, onFact: about.onFact },
  });
  const gateway = new Gateway({
    ...{ ...ground, presence, replicaId, serverId: identity.server.id, sessions: identity.sessions, frames: relay },
    publicOrigin: () => (config.publicUrl === undefined ? null : new URL(config.publicUrl).origin),
    addressOf: addressOf(config.trustProxy),
    headerLines: securityLines(),
    trySignIn: (address, signIn) => addresses.trySignIn(address, signIn),
    signWelcome: (session, clientNonce) => identity.server.signWelcome(session, clientNonce),
    endSessions: (userId, options) => bus.endSessions(userId, options),
    overloaded: () => load.overloaded,
  });
  let served: { close(): void } | null = null;
  const replica: Replica = new Replica({
    ...{ ...ground, database: leaseDb, name: `${hostname()} ${resolve(config.data)}` },
    onRegistered: (id) => {
      served?.close();
      served = bus.serve(id, {
        deliver: (to, frame, kind) => gateway.hub.deliver(to, frame, kind),
        dispatch: (holder) => relay.looks.dispatch(holder),
        endSessions: (userId, options) => gateway.hub.endSessions(userId, options),
      });
      relay.looks.look(() => fold.registered());
    },
    onLost: () => gateway.presenceLost(),
    end: (items) => presence.end(items),
    onLeft: async (users) => void (await Promise.all(users.map((user) => relay.left(user)))),
  });
  return { presence, relay, fold, gateway, replica, elsewhere, leave: () => served?.close() };
};

type Federation = ReturnType<typeof openFederation>;

type AboutPeers = Pick<FederationDeps, 'publicUrl' | 'legs' | 'onChange' | 'onHeard'> & { readonly replica: Replica };

const openPeers = (ground: Ground, { identity }: Members, { replica, ...about }: AboutPeers): Federation =>
  openFederation({
    ...{ ...ground, identity, allowPrivatePeers: ground.config.allowPrivatePeers },
    ...{ ...about, epoch: () => replica.epoch, isAlone: () => replica.isAlone() },
  });

type AboutHttp = { readonly elsewhere: OpenElsewhere; readonly federation: Federation; readonly webFolder: string };

const openHttp = (ground: Ground, members: Members, { elsewhere, federation, webFolder }: AboutHttp) =>
  createHttp({
    ...{ ...ground, ...members, webFolder, version: packageJson.version },
    ...{ federation: federation.inbound, peering: federation.peering, peers: federation.directory, people: elsewhere.search },
    ...{ signup: ground.config.signup, name: ground.config.name, trustProxy: trusted(ground.config.trustProxy) },
    ready: () =>
      ground.db.query({ text: 'select 1' }).then(
        () => true,
        () => false,
      ),
  });

type AboutParts = {
  readonly overrides: Overrides;
  readonly owned: AsyncDisposableStack;
  readonly publicUrl: () => string;
  readonly onReplica: (replica: Replica) => void;
};

/** Everything between the database and HTTP. The parts know each other by what one has to tell another. */
const openParts = async (ground: Ground, { onReplica, overrides, owned, publicUrl }: AboutParts) => {
  const members = await openMembers(
    ground,
    publicUrl,
    () => relay,
    () => streams,
  );
  const { presence, relay, fold, gateway, replica, elsewhere, leave } = openRelay(ground, members, {
    onFact: (author) => streams.factOf(author),
    calls: () => calls,
    askForChain: (key) => streams.persons.askForChain(key),
  });
  onReplica(replica);
  const watch = new PeerWatch({
    ...{ ...ground, fold },
    onNear: (peer) => {
      relay.peerBack(peer);
      streams.peerBack(peer);
      elsewhere.renewed(peer);
    },
    onFar: (peer) => elsewhere.lost(peer),
  });
  const legs = (): ReadonlyMap<string, Leg> => allLegs;
  const onChange: FederationDeps['onChange'] = (peer, change) => {
    watch.changed(peer, change);
    if (change === 'epoch') elsewhere.renewed(peer);
  };
  const onHeard = (peer: ServerId): void => streams.heard(peer);
  const federation: Federation = openPeers(ground, members, { publicUrl, replica, legs, onHeard, onChange });
  owned.defer(() => federation.outbound[Symbol.asyncDispose]());
  const calls: PeerCalls = overrides.peerCalls ?? federation.calls;
  const streams: Streams = openStreams({ ...ground, ...members, calls, peers: new StoredPeers(ground.db), told: relay });
  const allLegs = new Map<string, Leg>([...streams.legs, ...elsewhere.legs, ...Object.entries(fold.handlers())]);
  return { members, presence, relay, gateway, replica, leave, federation, streams, elsewhere, onChange, watch, allLegs };
};

/** Builds and starts a server on a migrated database (`config.databaseUrl`). @throws SetupError for what the operator can mend */
export const createApp = async (config: Config, overrides: Overrides): Promise<App> => {
  const owned = new AsyncDisposableStack();
  try {
    return await compose(config, overrides, owned);
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
};

type Startable = Pick<
  Awaited<ReturnType<typeof openParts>>,
  'replica' | 'leave' | 'relay' | 'streams' | 'gateway' | 'federation' | 'watch'
> & {
  readonly server: Awaited<ReturnType<typeof createHttp>>;
  readonly rest: () => Promise<void>;
};

/** Starts what runs by itself, in the order in which it is needed. */
const start = async (
  owned: AsyncDisposableStack,
  { federation, gateway, leave, relay, replica, rest, server, streams, watch }: Startable,
): Promise<void> => {
  await replica.start();
  owned.defer(async () => {
    await replica.stop();
    leave();
  });
  relay.start();
  owned.defer(async () => {
    await relay.stop();
    await rest();
  });
  // What is on its way to a peer is waited for no longer.
  owned.defer(() => federation.outbound[Symbol.asyncDispose]());
  await watch.start();
  owned.defer(() => watch.stop());
  streams.start();
  owned.defer(() => streams.stop());
  const detach = gateway.attach(server.server);
  owned.defer(async () => {
    detach();
    const closed = server.close();
    await gateway.close();
    await closed;
  });
};

/** Whatever is opened is put on `owned`, which takes it down in the opposite order. */
const compose = async (config: Config, overrides: Overrides, owned: AsyncDisposableStack): Promise<App> => {
  let listening = `http://${config.host}:${config.port}`;
  const publicUrl = (): string => config.publicUrl ?? listening;
  let seen: Replica | null = null;
  const ground = await openGround(config, overrides, owned, (epoch) => seen?.epochSeen(epoch));
  const parts = await openParts(ground, {
    ...{ overrides, owned, publicUrl },
    onReplica: (opened) => {
      seen = opened;
    },
  });
  const { members, relay, presence, gateway, replica, federation, streams, watch, allLegs, onChange } = parts;
  const http = await openHttp(ground, members, { ...parts, webFolder: overrides.webFolder ?? WEB_FOLDER });

  const isIdle = (): boolean => gateway.idle && relay.idle && presence.idle && streams.idle;
  const rest = (): Promise<void> => untilIdle(isIdle);

  const round = async (): Promise<void> => {
    await relay.sweep();
    await replica.settle();
    await members.identity.server.reload();
    await federation.sender.round();
    await streams.sender.round();
  };

  await start(owned, { ...parts, server: http, rest });
  await http.listen({ host: config.host, port: config.port });
  listening = `http://${hostOf(http.server.address() as AddressInfo)}`;
  const { server, invites } = members.identity;
  const secret = await invites.makeRootInvite();
  // Commands beside the server say what it says of itself.
  await server.document();
  const keys = readKeysAgain(ground, members.identity.server);
  owned.defer(() => keys.close());
  await federation.sender.start();
  owned.defer(() => federation.sender.stop());
  return {
    url: publicUrl(),
    serverId: server.id,
    fingerprint: server.fingerprint,
    rootInvite: secret === null ? null : `${publicUrl()}/join#${server.id}.root.${secret}`,
    legs: allLegs,
    peerChanged: onChange,
    statements: () => ({ ledger: ground.ledgerDb.statements, application: ground.db.statements }),
    round,
    settle: async () => {
      await watch.look();
      await rest();
      await round();
      await rest();
    },
    close: () => owned.disposeAsync(),
  };
};

const hostOf = ({ address, family, port }: AddressInfo): string => {
  const shown = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return family === 'IPv6' && shown !== '127.0.0.1' ? `[${shown}]:${port}` : `${shown}:${port}`;
};
