// Puts the parts of streams together: sending, receiving, comparing, and what is asked about persons. No decisions here.
import type { Clock } from '../base/clock.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Identity } from '../identity/identity.ts';
import type { Reeds } from '../reeds/reeds.ts';
import { type ReedId, type ServerId, serverOf, type UserId, userOf } from '../wire/address.ts';
import { actLegs } from './act-legs.ts';
import { LearnReeds } from './learn-reeds.ts';
import { OwedLegs } from './owed-legs.ts';
import { Persons } from './persons.ts';
import { Positions } from './positions.ts';
import { ItemJudge, type Told } from './stream-judge.ts';
import type { Leg, PeerCalls, PeerStates } from './stream-ports.ts';
import { StreamReceiver } from './stream-receiver.ts';
import { StreamReplays } from './stream-replays.ts';
import { StreamSender } from './stream-sender.ts';
import { StreamTable } from './stream-table.ts';

export type StreamsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
  readonly log: { warn(details: object, message: string): void };
  readonly identity: Pick<Identity, 'server' | 'foreign' | 'follows' | 'blocks'>;
  readonly reeds: Pick<Reeds, 'foreign' | 'likes'>;
  readonly calls: PeerCalls;
  readonly peers: PeerStates;
  readonly told: Told;
};

export type Streams = {
  readonly legs: ReadonlyMap<string, Leg>;
  readonly sender: StreamSender;
  readonly table: StreamTable;
  readonly positions: Positions;
  readonly persons: Persons;
  readonly idle: boolean;
  start(): void;
  stop(): void;
  /** Something valid came from a peer. */
  heard(peer: ServerId): void;
  /** A peer can be reached again, or has become one. */
  peerBack(peer: ServerId): void;
  /** A member did something that concerns somebody else, committed: of another server, that one is to know. */
  actTowards(target: UserId | ReedId): void;
  /** Asks a home for the certificate of a reed or thread, and keeps what is proven. @throws AppError REMOVED with the certificate */
  learnReed(id: ReedId): Promise<boolean>;
  /** A member's stream may have a new fact, committed. */
  factOf(author: UserId): void;
};

const UINT32 = 2 ** 32;
const TOKEN_BYTES = 12;

/** 0 ≤ x < 1, for jitter. */
const fraction = (random: RandomBytes) => (): number => new DataView(random(4).buffer).getUint32(0) / UINT32;

export function openStreams(deps: StreamsDeps): Streams {
  const { identity, reeds, told } = deps;
  const home: ServerId = identity.server.id;
  const table = new StreamTable(deps);
  const random = fraction(deps.random);
  const owed = new OwedLegs({ ...deps, random });
  const token = (): string => base64url(deps.random(TOKEN_BYTES));
  const replays = new StreamReplays({ ...deps, table, random, token });
  const sender = new StreamSender({ ...deps, others: (peer) => owed.round(peer), replays, table, random, token });
  const persons = new Persons({ ...deps, foreign: identity.foreign });
  const askForChain = persons.askForChain.bind(persons);
  const judge = new ItemJudge({ foreign: identity.foreign, reeds: reeds.foreign, told, askForChain });
  const learning = new LearnReeds({ ...deps, judge, reeds: reeds.foreign, foreign: identity.foreign });
  const acts = actLegs({
    ...deps,
    home,
    judge,
    meet: (user) => persons.meet(user),
    follows: identity.follows,
    blocks: identity.blocks,
    likes: reeds.likes,
  });
  const receiver = new StreamReceiver({ ...deps, foreign: identity.foreign, judge });
  const positions = new Positions({ ...deps, home, table, random, behind: (peer, authors) => sender.behind(peer, authors) });
  return {
    legs: new Map<string, Leg>([['stream', receiver], ['positions', positions], ...acts, ...Object.entries(persons.legs())]),
    ...{ sender, table, positions, persons },
    get idle() {
      return sender.idle && positions.idle && persons.idle;
    },
    start: () => {
      sender.start();
      positions.start();
    },
    stop: () => {
      sender.stop();
      positions.stop();
    },
    heard: (peer) => sender.heard(peer),
    peerBack: (peer) => {
      sender.wake(peer);
      positions.peerBack(peer);
      persons.meetAll(peer);
    },
    actTowards: (target) => {
      if (serverOf(target) === home) return;
      sender.owes(serverOf(target));
      persons.meet(userOf(target as ReedId));
    },
    learnReed: (id) => learning.learn(id),
    factOf: (author) => {
      if (serverOf(author) === home) sender.published(author);
    },
  };
}
