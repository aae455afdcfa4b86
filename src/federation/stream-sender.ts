// Sends authors' streams to peers: for each peer so many authors at a time, one request of an author on the wire. Begun by a publication, by anything
// that comes from the peer, by its notice, at our start and by a timer; what none of them finds, the next round does. All places are rows: a
// sender that dies loses nothing, and a peer that is away costs no memory.
import { jittered } from '../base/backoff.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { Slots } from '../base/slots.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import { decodeStreamAnswer, encodeStreamRequest, type StreamItem, streamItemBytes } from '../wire/streams.ts';
import { isAnswered, type Reply, settle } from './stream-cursor.ts';
import type { Called, PeerCalls, PeerStates } from './stream-ports.ts';
import type { Claim, Parked, StreamTable } from './stream-table.ts';

export type StreamSenderDeps = {
  readonly table: StreamTable;
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

/** What is to be looked at of one peer. */
type Drain = {
  /** Authors who published something; null: whoever there is. */
  authors: Set<UserId> | null;
  running: boolean;
  /** What is no fact of a stream is to be looked at. */
  others: boolean;
  /** Something was wanted meanwhile. */
  again: boolean;
};

export class StreamSender {
  readonly #deps: StreamSenderDeps;
  readonly #drains = new Map<ServerId, Drain>();
  readonly #heardAt = new Map<ServerId, number>();
  /** Steps in the database: however many peers are told something, the rest of the pool is there for everybody else. */
  readonly #steps: Slots;
  #working = 0;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(deps: StreamSenderDeps) {
    this.#deps = deps;
    this.#steps = new Slots(deps.limits.streamStepsAtOnce);
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
      for (const peer of await this.#deps.peers.near()) this.#want(peer, [author]);
    });
  }

  /** Something that is no fact of a stream is owed to this peer. */
  owes(peer: ServerId): void {
    this.#want(peer, [], true);
  }

  /** Something valid came from this peer: it can be reached, probably. */
  heard(peer: ServerId): void {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    if (now - (this.#heardAt.get(peer) ?? Number.NEGATIVE_INFINITY) < limits.streamHeardEveryMs) return;
    this.#heardAt.set(peer, now);
    this.#want(peer, null);
  }

  /** The peer says that it is there, or was approved just now: nothing of its waits any longer. */
  wake(peer: ServerId): void {
    this.#run(async () => {
      await this.#steps.run(() => this.#deps.table.hurry(peer));
      this.#want(peer, null);
    });
  }

  /** A look at every peer that can be reached. */
  async round(): Promise<void> {
    for (const peer of await this.#deps.peers.near()) this.#want(peer, null);
  }

  #tick(): void {
    if (this.#stopped) return;
    const { clock, limits, random } = this.#deps;
    this.#timer = clock.after(jittered(limits.streamEveryMs, random), () => {
      this.#run(() => this.round());
      this.#tick();
    });
  }

  #want(peer: ServerId, authors: readonly UserId[] | null, others = authors === null): void {
    if (this.#stopped) return;
    const drain = this.#drains.get(peer) ?? { authors: new Set(), others: false, running: false, again: false };
    this.#drains.set(peer, drain);
    drain.others ||= others;
    if (authors === null) drain.authors = null;
    else for (const author of authors) drain.authors?.add(author);
    // So many names are nobody in particular.
    if (drain.authors !== null && drain.authors.size > this.#deps.limits.streamItems) drain.authors = null;
    drain.again = drain.running;
    if (drain.running) return;
    drain.running = true;
    this.#run(() => this.#drain(peer, drain).finally(() => this.#drained(peer, drain)));
  }

  #drained(peer: ServerId, drain: Drain): void {
    drain.running = false;
    if (this.#drains.get(peer) === drain) this.#drains.delete(peer);
  }

  #run(task: () => Promise<void>): void {
    this.#working += 1;
    task()
      .catch((error) => this.#deps.log.warn({ err: error }, 'a look at streams failed; the next one finds the same'))
      .finally(() => {
        this.#working -= 1;
      });
  }

  /** Until there is nothing more to send, or the peer takes no more. */
  async #drain(peer: ServerId, drain: Drain): Promise<void> {
    const { table } = this.#deps;
    const running = new Set<Promise<void>>();
    let takesMore = true;
    while (takesMore || running.size > 0) {
      if (takesMore) takesMore = await this.#others(peer, drain);
      const wanted = takesMore ? this.#wanted(drain) : [];
      const claims = wanted !== null && wanted.length === 0 ? [] : await this.#steps.run(() => table.claim(peer, wanted));
      for (const claim of claims) {
        const sending: Promise<void> = this.#send(claim)
          .then((more) => {
            takesMore &&= more;
            drain.authors?.add(claim.author);
            drain.again = true;
          })
          .finally(() => running.delete(sending));
        running.add(sending);
      }
      if (running.size > 0) await Promise.race(running);
      else if (drain.again) drain.again = false;
      else return;
    }
  }

  /** Also when it is wanted while streams are being sent. @returns whether the peer takes more */
  async #others(peer: ServerId, drain: Drain): Promise<boolean> {
    if (!drain.others) return true;
    drain.others = false;
    return (await this.#deps.others(peer)) && (await this.#replay(peer));
  }

  /** Whom to claim for now; null: anybody. What is named while this goes on is looked at next. */
  #wanted(drain: Drain): readonly UserId[] | null {
    if (drain.authors === null) return null;
    const named = [...drain.authors];
    drain.authors.clear();
    return named;
  }

  /** @returns whether the peer takes more */
  async #send(claim: Claim): Promise<boolean> {
    const { clock, limits, random, table } = this.#deps;
    const { author, peer, state } = claim;
    const items = fitting(await this.#steps.run(() => table.items(claim)), limits.streamBytes);
    const { start, cursor, sent } = state;
    const body = encodeStreamRequest({ authorId: author, start, cursor, sent, token: this.#deps.token(), items, replay: false });
    const reply = replyOf(await this.#deps.calls.call(peer, 'stream', body));
    const numbers = items.map(({ number }) => number);
    const settlement = settle({ state, numbers, reply, now: clock.now(), limits, random });
    if (settlement.parked.length > 0 || settlement.liftAbove !== null) this.#tell(claim, settlement);
    await this.#steps.run(() => table.settle(claim, settlement));
    return !settlement.stopsPeer;
  }

  #tell({ author, peer }: Claim, { liftAbove, parked }: Pick<ReturnType<typeof settle>, 'liftAbove' | 'parked'>): void {
    const { log } = this.#deps;
    for (const { number, reason } of parked) log.warn({ peer, author, number, reason }, 'a peer does not take an item; it is parked');
    if (liftAbove !== null) log.warn({ peer, author, liftAbove }, 'a peer has more of a stream than we sent; newer facts get new numbers');
  }

  /** Parked items whose replay was asked for. @returns whether the peer takes more */
  async #replay(peer: ServerId): Promise<boolean> {
    const { limits, table } = this.#deps;
    for (;;) {
      const parked = await this.#steps.run(() => table.replays(peer, limits.streamItems));
      for (const item of parked) if (!(await this.#replayOne(item))) return false;
      if (parked.length < limits.streamItems) return true;
    }
  }

  async #replayOne(parked: Parked): Promise<boolean> {
    const { calls, table } = this.#deps;
    const { author, number, peer } = parked;
    const [item] = await table.build(author, null, [number]);
    // What is taken back meanwhile needs not be taken by anybody.
    if (item === undefined || item.kind === 'nothing') return table.replayed(parked, null).then(() => true);
    const body = encodeStreamRequest({
      authorId: author,
      start: 0,
      cursor: 0,
      sent: 0,
      token: this.#deps.token(),
      items: [item],
      replay: true,
    });
    const reply = replyOf(await calls.call(peer, 'stream', body));
    if (reply.kind === 'transport') return false;
    if (reply.kind === 'status') return table.replayed(parked, `status ${reply.status}`).then(() => true);
    const outcome = reply.answer.outcomes.find((each) => each.number === number);
    const isTaken = outcome?.verdict === 'accepted' || outcome?.verdict === 'known';
    await table.replayed(parked, isTaken ? null : (outcome?.reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 200) ?? 'not named'));
    return true;
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

function replyOf(called: Called): Reply {
  if (called.kind !== 'answer') return { kind: 'transport' };
  const { refusal, status } = called;
  const retryAfterMs = refusal?.retryAfterMs ?? 0;
  if (!isAnswered(status)) return { kind: 'status', status, retryAfterMs };
  const answer = decodeStreamAnswer(called.body);
  // Signed and not to be read: a fault of that stream's alone.
  return answer.ok ? { kind: 'answer', answer: answer.value } : { kind: 'status', status: 500, retryAfterMs };
}
