// Sends authors' streams to peers: for each peer so many authors at a time, one request of an author on the wire. Begun by a publication, by anything
// that comes from the peer, by its notice, at our start and by a timer; what none of them finds, the next round does. All places are rows: a
// sender that dies loses nothing, and a peer that is away costs no memory.
import { jittered } from '../base/backoff.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { Slots } from '../base/slots.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import { encodeStreamRequest, type StreamItem, streamItemBytes } from '../wire/streams.ts';
import { BytesHeld, type Held } from './bytes-held.ts';
import { replyOf, settle } from './stream-cursor.ts';
import { Drain, type Wanted } from './stream-drain.ts';
import type { PeerCalls, PeerStates } from './stream-ports.ts';
import type { StreamReplays } from './stream-replays.ts';
import type { Claim, StreamTable } from './stream-table.ts';

export type StreamSenderDeps = {
  readonly table: StreamTable;
  readonly replays: Pick<StreamReplays, 'round'>;
  readonly calls: PeerCalls;
  /** What else a peer is owed. @returns whether it takes more */
  readonly others: (peer: ServerId) => Promise<boolean>;
  readonly peers: PeerStates;
  readonly clock: Clock;
  readonly limits: Limits;
  /** 0 ≤ x < 1 */
  readonly random: () => number;
  /** A new token of a request. */
  readonly token: () => string;
  readonly log: { warn(details: object, message: string): void };
};

const ALL: Wanted = { due: true, pass: true, others: true };

/** What is to be sent, and the room that it may have. */
type Sendable = { readonly claim: Claim; readonly room: Held };

type Draining = { readonly drain: Drain; isRunning: boolean };

export class StreamSender {
  readonly #deps: StreamSenderDeps;
  readonly #drains = new Map<ServerId, Draining>();
  /** Peers that took no more before everything was looked at. */
  readonly #unfinished = new Set<ServerId>();
  readonly #heardAt = new Map<ServerId, number>();
  /** Peers that answered the last request that is over. */
  readonly #answering = new Set<ServerId>();
  /** Steps in the database: however many peers are told something, the rest of the pool is there for everybody else. */
  readonly #steps: Slots;
  readonly #held: BytesHeld;
  #working = 0;
  #passedAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(deps: StreamSenderDeps) {
    this.#deps = deps;
    const { streamBytes, streamBytesHeld, streamStepsAtOnce, streamsPerPeer } = deps.limits;
    this.#steps = new Slots(streamStepsAtOnce);
    this.#held = new BytesHeld({ all: streamBytesHeld, perPeer: streamsPerPeer * streamBytes });
  }

  get idle(): boolean {
    return this.#working === 0;
  }

  start(): void {
    this.#run(() => this.round());
    this.#tick();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** A fact of this author's was committed. */
  published(author: UserId): void {
    this.#run(async () => {
      for (const peer of await this.#deps.peers.near()) this.#want(peer, { authors: [author] });
    });
  }

  /** Something that is no fact of a stream is owed to this peer. */
  owes(peer: ServerId): void {
    this.#want(peer, { others: true });
  }

  /** Something valid came from this peer: it can be reached, probably. */
  heard(peer: ServerId): void {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    if (now - (this.#heardAt.get(peer) ?? Number.NEGATIVE_INFINITY) < limits.streamHeardEveryMs) return;
    this.#heardAt.set(peer, now);
    this.#want(peer, { due: true, others: true, pass: this.#unfinished.has(peer) });
  }

  /** The peer has less of what these say than was known. */
  behind(peer: ServerId, authors: readonly UserId[]): void {
    this.#want(peer, { authors });
  }

  /** The peer says that it is there, or was approved just now: nothing of its waits any longer. */
  wake(peer: ServerId): void {
    this.#run(async () => {
      await this.#steps.run(() => this.#deps.table.hurry(peer));
      this.#want(peer, ALL);
    });
  }

  /** A look at every peer that can be reached. */
  async round(): Promise<void> {
    this.#passedAt = this.#deps.clock.monotonicMs();
    for (const peer of await this.#deps.peers.near()) this.#want(peer, ALL);
  }

  /** What is due at them, which an index says; everything, now and then. */
  async #look(): Promise<void> {
    const { clock, limits, peers } = this.#deps;
    if (clock.monotonicMs() - this.#passedAt >= limits.streamPassEveryMs) return this.round();
    for (const peer of await peers.near()) this.#want(peer, { due: true, others: true, pass: this.#unfinished.has(peer) });
  }

  #tick(): void {
    if (this.#stopped) return;
    const { clock, limits, random } = this.#deps;
    this.#timer = clock.after(jittered(limits.streamEveryMs, random), () => {
      this.#run(() => this.#look());
      this.#tick();
    });
  }

  #want(peer: ServerId, wanted: Wanted): void {
    if (this.#stopped) return;
    const draining = this.#drains.get(peer) ?? { drain: new Drain(this.#deps.limits), isRunning: false };
    this.#drains.set(peer, draining);
    draining.drain.want(wanted);
    if (draining.isRunning) return;
    draining.isRunning = true;
    this.#run(async () => {
      let isDone = false;
      try {
        isDone = await this.#drain(peer, draining.drain);
      } finally {
        this.#drained(peer, draining, isDone);
      }
    });
  }

  #drained(peer: ServerId, draining: Draining, isDone: boolean): void {
    draining.isRunning = false;
    this.#drains.delete(peer);
    // Wanted after the last look at it.
    if (isDone && !draining.drain.isEmpty) this.#want(peer, ALL);
    if (!isDone) this.#unfinished.add(peer);
  }

  #run(task: () => Promise<void>): void {
    this.#working += 1;
    task()
      .catch((error) => this.#deps.log.warn({ err: error }, 'a look at streams failed; the next one finds the same'))
      .finally(() => {
        this.#working -= 1;
      });
  }

  /** Until there is nothing more to send, or the peer takes no more. @returns whether all was looked at */
  async #drain(peer: ServerId, drain: Drain): Promise<boolean> {
    const { limits } = this.#deps;
    this.#unfinished.delete(peer);
    const running = new Set<Promise<void>>();
    // Those that have not answered yet cost a request each, whatever they are owed and however many they are.
    const places = (): number => (this.#answering.has(peer) ? limits.streamsPerPeer : 1);
    let takesMore = true;
    const send = (sendable: Sendable): void => {
      const sending: Promise<void> = this.#send(sendable)
        .then((more) => {
          takesMore &&= more;
          // There may be more of the same.
          drain.want({ authors: [sendable.claim.author] });
        })
        .finally(() => running.delete(sending));
      running.add(sending);
      // Heard of where it is waited for; by then a fault of another step may have ended the look.
      sending.catch(() => undefined);
    };
    try {
      while (takesMore || running.size > 0) {
        if (takesMore && drain.takeOthers()) takesMore = (await this.#deps.others(peer)) && (await this.#deps.replays.round(peer));
        const claimed = takesMore ? await this.#claim(peer, drain, places() - running.size) : null;
        for (const sendable of claimed?.sendable ?? []) send(sendable);
        const isWaiting = claimed === null || claimed.isCrowded || running.size >= places();
        if (running.size > 0 && isWaiting) await Promise.race(running);
        // Whoever has the places gives them back, or dies and loses them: a later look.
        else if (claimed?.isCrowded) return false;
        else if (claimed === null && drain.isEmpty) return takesMore;
      }
      return false;
    } finally {
      // Also what is on the wire when a look fails: it is this drain's.
      await Promise.allSettled(running);
    }
  }

  /** Room for as many requests as there is room for; what is not used is to be let go of. */
  #rooms(peer: ServerId, most: number): Held[] {
    const rooms: Held[] = [];
    while (rooms.length < most) {
      const room = this.#held.take(peer, this.#deps.limits.streamBytes);
      if (room === null) break;
      rooms.push(room);
    }
    return rooms;
  }

  /**
   * Takes up what is next. @returns null if there is nothing to look at, or no room before something of this peer has ended; isCrowded: others have so many
   * places that some of it stays to be looked at
   */
  async #claim(peer: ServerId, drain: Drain, most: number): Promise<{ sendable: readonly Sendable[]; isCrowded: boolean } | null> {
    const { limits, table } = this.#deps;
    const rooms = this.#rooms(peer, most);
    try {
      const places = rooms.length;
      const look = places === 0 ? null : drain.next(places);
      if (look === null) return null;
      if (look.kind === 'due') {
        drain.want({ authors: await this.#steps.run(() => table.due(peer, limits.streamNames)) });
        return { sendable: [], isCrowded: false };
      }
      if (look.kind === 'authors') for (const { release } of rooms.splice(look.authors.length)) release();
      const { claims, room } = await this.#steps.run(() =>
        look.kind === 'authors' ? table.claim(peer, look.authors, places) : table.claimAfter(peer, look.after, places),
      );
      const isCrowded = room < places && claims.length >= room;
      if (look.kind === 'pass') {
        const isOver = claims.length < places && !isCrowded;
        drain.passed(look.nth, isOver ? null : (claims.at(-1)?.author ?? look.after));
      } else if (isCrowded) drain.want({ authors: look.authors });
      const used = rooms.splice(0, claims.length);
      return { sendable: used.flatMap((held, at) => (claims[at] ? [{ claim: claims[at], room: held }] : [])), isCrowded };
    } finally {
      for (const { release } of rooms) release();
    }
  }

  /** @returns whether the peer takes more */
  async #send({ claim, room }: Sendable): Promise<boolean> {
    const { clock, limits, random, table } = this.#deps;
    const { peer, state } = claim;
    try {
      const { body, numbers } = await this.#request(claim);
      room.resize(body.length);
      const reply = replyOf(await this.#deps.calls.call(peer, 'stream', body));
      if (reply.kind === 'transport') this.#answering.delete(peer);
      else this.#answering.add(peer);
      const settlement = settle({ state, numbers, reply, now: clock.now(), limits, random });
      if (settlement.parked.length > 0 || settlement.liftAbove !== null) this.#tell(claim, settlement);
      await this.#steps.run(() => table.settle(claim, settlement));
      return !settlement.stopsPeer;
    } finally {
      room.release();
    }
  }

  /** The next request of a place: of its items nothing else is kept while it is on its way. */
  async #request(claim: Claim): Promise<{ readonly body: Uint8Array; readonly numbers: readonly number[] }> {
    const { limits, table, token } = this.#deps;
    const items = fitting(await this.#steps.run(() => table.items(claim)), limits.streamBytes);
    const { start, cursor, sent } = claim.state;
    const body = encodeStreamRequest({ authorId: claim.author, start, cursor, sent, token: token(), items, replay: false });
    return { body, numbers: items.map(({ number }) => number) };
  }

  #tell({ author, peer }: Claim, { liftAbove, parked }: Pick<ReturnType<typeof settle>, 'liftAbove' | 'parked'>): void {
    const { log } = this.#deps;
    for (const { number, reason } of parked) log.warn({ peer, author, number, reason }, 'a peer does not take an item; it is parked');
    if (liftAbove !== null) log.warn({ peer, author, liftAbove }, 'a peer has more of a stream than we sent; newer facts get new numbers');
  }
}

/** As many of the first items as fit, one at least. */
function fitting(items: readonly StreamItem[], most: number): readonly StreamItem[] {
  let bytes = 0;
  const over = items.findIndex((item) => {
    bytes += streamItemBytes(item);
    return bytes > most;
  });
  return over < 0 ? items : items.slice(0, Math.max(1, over));
}
