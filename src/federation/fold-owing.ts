// What the fold owes and what is due: rows with a date, taken up by any replica, each leased until it would be tried again. A call that is on its way
// keeps no other look waiting.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { LedgerContext } from '../ledger/context.ts';
import {
  auditCrossingEvents,
  auditCrossings,
  crossingsOf,
  dueCrossings,
  type OwedToPeer,
  owedToPeers,
  paid,
  sweepLine,
  unknownThere,
} from '../ledger/crossing-ends.ts';
import { type DueNotice, forgetFold, holderNotices, holderTold, peersDue } from '../ledger/fold-peers.ts';
import { auditForeign, notHeldTold, type OwedNotHeld, owedNotHeld } from '../ledger/foreign.ts';
import { sentinelsHeldBack } from '../presence/sentinels.ts';
import type { Looks } from '../relay/looks.ts';
import { errorNotice, notify } from '../relay/notices.ts';
import type { ServerId } from '../wire/address.ts';
import { decodeFoldCrossings, encodeFoldCrossings, encodeFoldWord, encodeHolderWord } from '../wire/fold.ts';
import type { FoldAsker } from './fold-asker.ts';
import type { FoldAnswer, FoldCalls } from './fold-ports.ts';
import { isBusy, isFailing, isSettled } from './fold-rules.ts';
import { PeerReturns } from './peer-returns.ts';

export type FoldOwingDeps = LedgerContext & {
  readonly application: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly calls: FoldCalls;
  readonly asker: FoldAsker;
  readonly looks: () => Looks;
  readonly live: () => readonly ServerId[];
  readonly noted: (server: ServerId, answer: FoldAnswer) => void;
  /** The peer answers: it is back, unless it comes and goes. */
  readonly back: (server: ServerId) => Promise<void>;
};

const FIRST = '00000000-0000-0000-0000-000000000000';

export class FoldOwing {
  readonly #deps: FoldOwingDeps;
  #crossingsFrom: string | null = FIRST;
  #foreignFrom: string | null = FIRST;
  #eventsFrom: string | null = FIRST;
  #auditedAt = Number.NEGATIVE_INFINITY;
  #listedAt = Number.NEGATIVE_INFINITY;
  readonly #returns: PeerReturns;
  /** Peers that are to be compared with once that is not too often. */
  readonly #later = new Set<ServerId>();

  constructor(deps: FoldOwingDeps) {
    this.#deps = deps;
    this.#returns = new PeerReturns(deps);
  }

  /** Everything that is due now. */
  async round(): Promise<void> {
    const { clock, limits } = this.#deps;
    for (const look of [
      () => this.#due(),
      () => this.pay(),
      () => this.#line(),
      () => this.notHeld(),
      () => this.#notices(),
      () => this.#peers(),
      () => this.#compareLater(),
    ])
      await this.#isolated(look);
    const at = clock.now();
    if (at - this.#auditedAt >= limits.foldAuditEveryMs) {
      this.#auditedAt = at;
      await this.#isolated(() => this.#audit());
    }
    if (at - this.#listedAt >= limits.crossingsListMs) {
      this.#listedAt = at;
      for (const server of this.#deps.live()) this.#deps.looks().look(() => this.#compared(server));
      await this.#isolated(async () => {
        while (await forgetFold(this.#deps, clock.now()));
      });
    }
  }

  async #isolated(look: () => Promise<void>): Promise<void> {
    await look().catch((error) => this.#deps.log.warn({ err: error }, 'a look of the fold failed; the next one finds the same'));
  }

  async #due(): Promise<void> {
    const { asker, clock, looks } = this.#deps;
    const due = await dueCrossings(this.#deps, clock.now());
    for (const { crossingId, outcome, subject } of due) {
      if (outcome === 'given-up') asker.look([subject]);
      if (outcome === 'again') asker.ask(crossingId);
    }
    if (due.some(({ outcome }) => outcome === 'freed')) looks().assign('due');
  }

  /** Sends acks and cancels. */
  async pay(): Promise<void> {
    const { clock, limits, looks } = this.#deps;
    for (;;) {
      const owed = await owedToPeers(this.#deps, clock.now());
      for (const each of owed) looks().look(() => this.#pay(each));
      if (owed.length < limits.foldItems) return;
    }
  }

  async #pay({ crossingId, owes, reason, server }: OwedToPeer): Promise<void> {
    const { asker, calls, clock, db, noted } = this.#deps;
    const answer = await calls.call(server, owes, encodeFoldWord({ peerRequestId: crossingId, reason }));
    if (isSettled(answer)) {
      const isTold = owes === 'ack' && answer.kind === 'answer' && answer.status !== 404;
      const subject = await paid(db, crossingId, isTold, clock.now());
      if (subject !== null) asker.look([subject]);
    }
    noted(server, answer);
  }

  async #line(): Promise<void> {
    const { asker, bus, clock, looks } = this.#deps;
    const { expired, subjects } = await sweepLine(this.#deps, clock.now());
    looks().ended(expired);
    for (const { eventId, explicit, requestId, requester } of expired) {
      if (!explicit || requestId === null) continue;
      const detail = 'nobody who has it could be reached for a day; ask again';
      notify(bus, requester, errorNotice({ id: eventId, requestId, code: 'EXPIRED', detail }));
    }
    asker.look(subjects);
  }

  /** Tells peers that what they wait for is held no more. */
  async notHeld(): Promise<void> {
    const { clock, looks } = this.#deps;
    for (const each of await owedNotHeld(this.#deps, clock.now())) looks().look(() => this.#tellNotHeld(each));
  }

  async #tellNotHeld({ eventId, peerRequestId, server }: OwedNotHeld): Promise<void> {
    const answer = await this.#deps.calls.call(server, 'not-held', encodeFoldWord({ peerRequestId, reason: '' }));
    if (isSettled(answer)) await notHeldTold(this.#deps, eventId);
    this.#deps.noted(server, answer);
  }

  async #notices(): Promise<void> {
    const { clock, looks } = this.#deps;
    for (const each of await holderNotices(this.#deps, clock.now())) looks().look(() => this.#tellHolding(each));
  }

  async #tellHolding(notice: DueNotice): Promise<void> {
    const answer = await this.#deps.calls.call(notice.server, 'holder-notify', encodeHolderWord(notice));
    if (isSettled(answer)) await holderTold(this.#deps.db, notice);
    this.#deps.noted(notice.server, answer);
  }

  /** A peer that was left alone long enough is asked what it knows of our crossings: if it answers it is back. */
  async #peers(): Promise<void> {
    const { back, clock, looks } = this.#deps;
    for (const server of await peersDue(this.#deps, clock.now()))
      looks().look(async () => {
        const answer = await this.#compared(server);
        if (!isFailing(answer) && !isBusy(answer) && answer.kind === 'answer') await back(server);
      });
  }

  /** Compares what is open with what the peer knows of, at its word: now, or in a later round if it gives it too often. */
  compare(server: ServerId): void {
    if (this.#returns.take(server)) this.#deps.looks().look(() => this.#compared(server));
    else this.#later.add(server);
  }

  async #compareLater(): Promise<void> {
    const waiting = [...this.#later];
    this.#later.clear();
    const live = new Set(this.#deps.live());
    for (const server of waiting) if (live.has(server)) this.compare(server);
  }

  async #compared(server: ServerId): Promise<FoldAnswer> {
    const { asker, calls, clock, db, noted } = this.#deps;
    const answer = await calls.call(server, 'crossings', encodeFoldCrossings(await crossingsOf(db, server)));
    const unknown = answer.kind === 'answer' && answer.status === 200 ? decodeFoldCrossings(answer.body) : null;
    if (unknown !== null && unknown.length > 0) {
      asker.look(await unknownThere(this.#deps, server, unknown, clock.now()));
      await this.pay();
    }
    noted(server, answer);
    return answer;
  }

  async #audit(): Promise<void> {
    const { application, asker, clock } = this.#deps;
    await sentinelsHeldBack(application.kysely, clock.now());
    const crossings = await auditCrossings(this.#deps, this.#crossingsFrom ?? FIRST, clock.now());
    this.#crossingsFrom = crossings.next;
    asker.settled(crossings);
    this.#eventsFrom = await auditCrossingEvents(this.#deps, this.#eventsFrom ?? FIRST, clock.now());
    this.#foreignFrom = (await auditForeign(this.#deps, this.#foreignFrom ?? FIRST, clock.now())).next;
  }
}
