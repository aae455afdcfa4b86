// The fold: a thousand readers of a reed of another server cost its home three copies. Puts its two sides together, knows which peers may be asked
// and which do not answer, and ends what was with a peer when the peering ends.
import { linesOf } from '../ledger/crossing-ends.ts';
import { crossersOf } from '../ledger/crossings.ts';
import {
  crossingsFreed,
  epochSeen,
  oweHolderNotices,
  peerAway,
  peerBack,
  peerEventsEnd,
  peerGone,
  peersKnown,
  peersLive,
  rouseLines,
} from '../ledger/fold-peers.ts';
import { sentinelLeaves, sentinelOf, sentinelsArrive, sentinelsHeldBack } from '../presence/sentinels.ts';
import type { FoldPort } from '../relay/fold-port.ts';
import { notify, peerServerLost } from '../relay/notices.ts';
import { type ReedId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { FoldAsker, type FoldAskerDeps } from './fold-asker.ts';
import { FoldHome, type FoldHomeDeps } from './fold-home.ts';
import { FoldOwing } from './fold-owing.ts';
import type { FoldAnswer, FoldHandlers, FoldReply } from './fold-ports.ts';
import { awayMs, isBusy, isFailing } from './fold-rules.ts';
import { PeerReturns } from './peer-returns.ts';

export type FoldDeps = Omit<FoldAskerDeps & FoldHomeDeps, 'noted' | 'owing' | 'passOn' | 'isLive' | 'moved'>;

const KIB = 1024;
const MIB = 1024 * KIB;

export class Fold implements FoldPort {
  readonly #deps: FoldDeps;
  readonly #asker: FoldAsker;
  readonly #home: FoldHome;
  readonly #owing: FoldOwing;
  readonly #live = new Set<ServerId>();
  /** Peers that could not be talked to, or had enough, when they were called last. */
  readonly #silent = new Set<ServerId>();
  readonly #epochs = new Map<ServerId, string>();
  readonly #returns: PeerReturns;
  #roundAt = Number.NEGATIVE_INFINITY;

  constructor(deps: FoldDeps) {
    this.#deps = deps;
    this.#returns = new PeerReturns(deps);
    const noted = (server: ServerId, answer: FoldAnswer): void => deps.looks().look(() => this.#noted(server, answer));
    this.#home = new FoldHome({
      ...{ ...deps, noted, isLive: (server) => this.#live.has(server) },
      moved: (eventId, reason) => this.#asker.moved(eventId, reason),
      owing: () => this.#owing.notHeld(),
    });
    this.#asker = new FoldAsker({
      ...{ ...deps, noted, owing: () => deps.looks().look(() => this.#owing.pay()) },
      passOn: (eventId, ciphertext) => this.#home.forward(eventId, ciphertext, true),
    });
    this.#owing = new FoldOwing({
      ...deps,
      noted,
      asker: this.#asker,
      live: () => [...this.#live],
      back: (server) => this.#returned(server),
    });
  }

  get idle(): boolean {
    return this.#asker.idle;
  }

  /** The legs, for whoever verifies who calls. */
  handlers(): FoldHandlers {
    const leg = (limitBytes: number, handle: (peer: ServerId, body: Uint8Array) => Promise<FoldReply>) => ({
      limitBytes,
      handle: async (peer: ServerId, body: Uint8Array) => {
        this.#heard(peer);
        return handle(peer, body);
      },
    });
    const [home, asker] = [this.#home, this.#asker];
    const { foldRequestBytes } = this.#deps.limits;
    return {
      request: leg(foldRequestBytes, (peer, body) => home.request(peer, body)),
      fallback: leg(foldRequestBytes, (peer, body) => home.fallback(peer, body)),
      deliver: leg(2 * MIB, (peer, body) => asker.deliver(peer, body)),
      'not-held': leg(64 * KIB, (peer, body) => asker.notHeld(peer, body)),
      cancel: leg(64 * KIB, (peer, body) => home.cancel(peer, body)),
      ack: leg(64 * KIB, (peer, body) => home.ack(peer, body)),
      crossings: leg(MIB, (peer, body) => home.crossings(peer, body)),
      'holder-notify': leg(64 * KIB, (peer, body) => home.holderNotify(peer, body)),
    };
  }

  // What the relay asks.

  inLine(subject: ReedId): void {
    if (this.#live.size > 0) this.#asker.look([subject]);
  }

  moved(eventId: string, reason: Parameters<FoldAsker['moved']>[1]): void {
    this.#asker.moved(eventId, reason);
  }

  forward(eventId: string, ciphertext: Uint8Array): void {
    this.#deps.looks().look(() => this.#home.forward(eventId, ciphertext));
  }

  notHeld(eventIds: readonly string[]): void {
    this.#deps.looks().look(() => this.#home.notHeld(eventIds));
  }

  copiesChanged(reed: ReedId): void {
    const { clock, db, home, looks } = this.#deps;
    if (serverOf(reed) === home) return;
    looks().look(() => oweHolderNotices(db, [reed], clock.now()));
  }

  async round(): Promise<void> {
    const { clock, limits } = this.#deps;
    const now = clock.now();
    // Without peers there is what the last of them left behind: steps that were under way when it ended.
    if (this.#live.size === 0 && now - this.#roundAt < limits.inLineLookMs) return;
    this.#roundAt = now;
    await this.#owing.round();
  }

  // What the peering says.

  /** Whom the ledger takes for a peer, as it was left. */
  known(): Promise<ServerId[]> {
    return peersKnown(this.#deps.db);
  }

  /** These peerings are live: at our start, and when both sides have approved. */
  async live(servers: readonly ServerId[]): Promise<void> {
    for (const server of servers) this.#live.add(server);
    await this.registered();
    for (const server of servers) await this.#look(server);
  }

  /** Our ledger was emptied, or this replica is there anew: who may be asked, and who may ask, is written again. */
  async registered(): Promise<void> {
    if (this.#live.size === 0) return;
    await peersLive(this.#deps.db, [...this.#live]);
    await sentinelsArrive(this.#deps.application.kysely, [...this.#live]);
  }

  /** A peer does not answer, as others found out, until then at least. */
  async away(server: ServerId, untilMs: number): Promise<void> {
    const { application, clock, db, looks } = this.#deps;
    const isFresh = await peerAway(db, server, untilMs, clock.now());
    await sentinelsHeldBack(application.kysely, clock.now());
    if (!isFresh) return;
    looks().park(sentinelOf(server));
    await this.#eachLine(server, async (subjects) => this.#asker.look(subjects), true);
  }

  /** A peer is there and takes no more until then: nothing crosses, and nobody is told that it is lost. */
  async #pause(server: ServerId, untilMs: number): Promise<void> {
    const { application, clock, db } = this.#deps;
    await peerAway(db, server, untilMs, clock.now());
    await sentinelsHeldBack(application.kysely, clock.now());
  }

  /** A peer answers again. */
  async back(server: ServerId): Promise<void> {
    const { application, clock, db, looks } = this.#deps;
    this.#silent.delete(server);
    if (!this.#live.has(server)) return;
    await sentinelsArrive(application.kysely, [server]);
    const wasAway = await peerBack(db, server, clock.now());
    await sentinelsHeldBack(application.kysely, clock.now());
    if (!wasAway) return;
    looks().noteFull(sentinelOf(server));
    this.#owing.compare(server);
    await this.#owing.pay();
    await this.#look(server);
  }

  /** A peer's ledger was emptied: what is open there is compared with what is open here. */
  renewed(server: ServerId): void {
    if (this.#live.has(server)) this.#owing.compare(server);
  }

  /** A peer said that it goes away: what it asked for ends, what is asked of it waits. */
  async wentAway(server: ServerId, untilMs: number): Promise<void> {
    await this.away(server, untilMs);
    await this.#endEvents(server);
  }

  /** A peering is suspended or revoked: both directions end. Copies that members have stay theirs. */
  async ended(server: ServerId): Promise<void> {
    const { clock, limits, looks } = this.#deps;
    this.#live.delete(server);
    this.#silent.delete(server);
    this.#epochs.delete(server);
    await this.#eachLine(server, async () => undefined, true);
    await peerGone(this.#deps, server);
    await this.#endEvents(server);
    for (;;) {
      const freed = await crossingsFreed(this.#deps, server, clock.now());
      if (freed.length < limits.batchItems) break;
    }
    await this.#eachLine(server, async (subjects) => {
      await rouseLines(this.#deps, subjects, clock.now());
    });
    looks().assign('due');
  }

  async #endEvents(server: ServerId): Promise<void> {
    const { application, limits, looks } = this.#deps;
    await this.#home.endForwards(server);
    for (;;) {
      const ended = await peerEventsEnd(this.#deps, server);
      for (const { eventId, freed, owner } of ended) {
        if (freed !== null) looks().freed(freed, owner);
        this.#asker.moved(eventId, 'gone');
      }
      if (ended.length < limits.batchItems) break;
    }
    await sentinelLeaves(application.kysely, server);
  }

  /** Looks at all lines of a server; `isLost`: whoever stands in them, or whose request crosses, is told that it is. */
  async #eachLine(server: ServerId, look: (subjects: readonly ReedId[]) => Promise<void>, isLost = false): Promise<void> {
    const told = new Set<UserId>();
    const tell = (requesters: readonly UserId[]): void => {
      for (const requester of requesters) {
        if (!told.has(requester)) notify(this.#deps.bus, requester, peerServerLost(server));
        told.add(requester);
      }
    };
    if (isLost) tell(await crossersOf(this.#deps, server));
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof linesOf>> = await linesOf(this.#deps, server, after);
      await look(page.subjects);
      if (isLost) tell(page.requesters);
      after = page.next;
    }
  }

  #look(server: ServerId): Promise<void> {
    return this.#eachLine(server, async (subjects) => this.#asker.look(subjects));
  }

  /** A peer called us, verified: it is there. */
  #heard(server: ServerId): void {
    if (this.#silent.has(server)) this.#deps.looks().look(() => this.#returned(server));
  }

  /** It showed that it is there. One that comes and goes is left alone until its next date now and then. */
  async #returned(server: ServerId): Promise<void> {
    if (this.#returns.take(server)) await this.back(server);
  }

  async #noted(server: ServerId, answer: FoldAnswer): Promise<void> {
    if (!this.#live.has(server)) return;
    const { clock, db, limits } = this.#deps;
    if (answer.kind === 'transport' && answer.isOurs) return;
    if (isFailing(answer) || isBusy(answer)) {
      this.#silent.add(server);
      const until = clock.now() + awayMs(answer, limits);
      return isBusy(answer) ? this.#pause(server, until) : this.away(server, until);
    }
    if (this.#silent.has(server)) await this.#returned(server);
    if (answer.kind !== 'answer' || answer.epoch === '' || this.#epochs.get(server) === answer.epoch) return;
    this.#epochs.set(server, answer.epoch);
    // Another ledger than before knows nothing of ours.
    if (await epochSeen(db, server, answer.epoch)) this.#owing.compare(server);
  }
}
