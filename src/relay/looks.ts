// Commit, then look (I14): what follows the commit of each step, each look a later statement. Also where claims become RELAY_REQUESTs.
// Memory here only spares needless looks; what it forgets is found by the sweeper.
import type { Bus } from '../bus/port.ts';
import { park } from '../ledger/answer.ts';
import type { Assigned } from '../ledger/assign.ts';
import type { ClaimRow } from '../ledger/claim.ts';
import type { MovedReason } from '../ledger/crossing-ends.ts';
import type { Ended } from '../ledger/ends.ts';
import { type AssignItem, createLedger, type Ledger, type LedgerDeps, type LedgerEvents } from '../ledger/ledger.ts';
import { type Claim, type EventState, STATE } from '../ledger/state.ts';
import { isSentinel } from '../presence/sentinels.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { FoldPort } from './fold-port.ts';
import { notify, reedNotHeld, relayRequest, requestAck } from './notices.ts';
import { ExactSearch, type Online } from './search.ts';
import { Wakes } from './wakes.ts';

export type LooksDeps = Omit<LedgerDeps, 'events'> & { readonly bus: Bus; readonly fold: FoldPort };

const ASLEEP: ReadonlySet<EventState> = new Set([STATE.dormant, STATE.unassigned, STATE.inLine]);
const isAwake = (state: EventState): boolean => !ASLEEP.has(state);

export class Looks implements LedgerEvents {
  readonly ledger: Ledger;
  readonly wakes: Wakes;
  readonly #deps: LooksDeps;
  /** Members of this replica who had no free place when one of their events was last looked at. */
  readonly #full = new Set<UserId>();
  /** Holders of this replica whose queue may not be empty. */
  readonly #queues = new Set<UserId>();
  readonly #search: ExactSearch;
  /** Events that are being given what an exact search found, and whether that was new: if so and it does not help, searching again would not. */
  readonly #searched = new Map<string, boolean>();
  /** What is due and was locked is being tried again. */
  #isDueAgain = false;
  #running = 0;

  constructor(deps: LooksDeps) {
    this.#deps = deps;
    this.ledger = createLedger({ ...deps, events: this });
    this.wakes = new Wakes(deps, { assigned: (item) => this.ledger.assign.submit(item), look: (task) => this.look(task) });
    this.#search = new ExactSearch(deps);
  }

  get idle(): boolean {
    return this.#running === 0 && this.ledger.idle() && this.wakes.idle && this.#deps.fold.idle;
  }

  // What the ledger reports.

  claimed(claims: readonly ClaimRow[]): void {
    for (const claim of claims) {
      this.ask(claim);
      if (claim.explicit && claim.requestId)
        this.progress({ ...claim, requestId: claim.requestId, state: STATE.dispatched, failing: false });
    }
  }

  dispatched(holders: readonly UserId[], more: readonly UserId[]): void {
    for (const holder of holders) this.#queues.delete(holder);
    for (const holder of more) this.#queues.add(holder);
  }

  assigned(events: readonly Assigned[], requesters: readonly UserId[], isDueLocked: boolean): void {
    if (isDueLocked && !this.#isDueAgain) this.#dueAgain();
    // A place freed while this look ran found nothing noted: who is noted only now is looked at once more.
    for (const { full, requester } of events) if (full && !this.#full.has(requester)) this.assign({ requester });
    for (const requester of requesters) this.#full.delete(requester);
    for (const { full, requester } of events) if (full) this.#full.add(requester);
    // As many as one look takes: there may be more that are due.
    if (events.length >= this.#deps.limits.assignItems) this.assign('due');
    for (const event of events) {
      // With nobody to ask, now or at all, an event gives its place back. One that backs off is among those that a look at its requester takes,
      // which has seen that already; one that went dormant is not any more, so that the next look takes one more.
      const isSeen = event.state === STATE.unassigned && requesters.includes(event.requester);
      if (!event.full && !isAwake(event.state) && !isSeen) this.placeFreed(event.requester);
      if (event.state === STATE.dispatched && event.holder) this.ask({ ...event, requester: event.askedFor, holder: event.holder });
      if (event.state === STATE.inLine) this.#deps.fold.inLine(event.subjectId);
      if (event.state === STATE.waiting) this.queued(event.holder, event.owner);
      if (event.state === STATE.dormant) this.dormant(event.eventId, event.subjectId, this.#searched.get(event.eventId));
      const { requestId } = event;
      if (event.explicit && requestId && !(event.wasDormant && event.state === STATE.dormant)) this.progress({ ...event, requestId });
    }
  }

  roused(): void {
    this.assign('due');
  }

  copiesDropped(subjects: readonly ReedId[]): void {
    for (const subject of subjects) this.copyGone(subject);
  }

  notHeld(events: readonly Ended[]): void {
    for (const event of events) {
      if (event.explicit && event.requestId)
        notify(this.#deps.bus, event.requester, reedNotHeld(event.eventId, event.requestId, event.subjectId));
    }
    const ofPeers = events.filter(({ requester }) => isSentinel(requester)).map(({ eventId }) => eventId);
    if (ofPeers.length > 0) this.#deps.fold.notHeld(ofPeers);
    this.ended(events);
  }

  // What others ask for after a commit.

  /** Sends RELAY_REQUEST for a committed claim. What can't be written is re-opened at nobody's charge. */
  ask(claim: Claim): void {
    const { bus, limits } = this.#deps;
    const deadlineMs = claim.subjectKind === 'thread' ? limits.threadDeadlineMs : limits.dispatchDeadlineMs;
    this.look(async () => {
      const written = await bus.deliver(claim.holder, encodeFrame(relayRequest(claim, deadlineMs)), 'content');
      if (!written) await this.ledger.undelivered.submit({ eventId: claim.eventId, attempt: claim.attempt, relays: null });
    });
  }

  /** An event stands in a holder's queue: whoever owns the holder dispatches it. */
  queued(holder: UserId | null, owner: string | null): void {
    if (!holder) return;
    if (owner === null || owner === this.#deps.replicaId()) this.dispatch(holder);
    else this.#deps.bus.hintDispatch(owner, holder);
  }

  /** Something may be queued with this holder, whose newest connection is here. */
  dispatch(holder: UserId): void {
    this.#queues.add(holder);
    this.look(() => this.ledger.dispatch.submit(holder));
  }

  /**
   * A place of this holder may be free. What is queued with it was noted when the look after its commit was made, by this replica or by another
   * one's hint; so with nothing noted there is nothing to look for. A holder of another replica is its owner's to look at.
   */
  freed(holder: UserId, owner: string | null = this.#deps.replicaId()): void {
    if (this.#queues.has(holder)) this.dispatch(holder);
    else if (owner !== null && owner !== this.#deps.replicaId()) this.#deps.bus.hintDispatch(owner, holder);
  }

  /** Events ended: the places of those they were with are free. */
  ended(events: readonly Ended[]): void {
    for (const event of events) {
      if (event.freed) this.freed(event.freed, event.owner);
      this.placeFreed(event.requester);
      this.#deps.fold.moved(event.eventId, 'gone');
    }
  }

  /** A place of this requester is free. */
  placeFreed(requester: UserId): void {
    // Noted until a look finds nothing held back: one that runs right now may have missed this place.
    if (this.#full.has(requester)) this.assign({ requester });
  }

  /** The requester had no free place when its request was opened; one may be free by now. */
  noteFull(requester: UserId): void {
    this.#full.add(requester);
    this.assign({ requester });
  }

  /** What waits for this requester is held back: it could not take it. */
  park(requester: UserId): void {
    this.look(() => park(this.#deps, requester, this.#deps.clock.now()));
  }

  assign(item: AssignItem): void {
    this.look(() => this.ledger.assign.submit(item));
  }

  #dueAgain(): void {
    this.#isDueAgain = true;
    this.look(() =>
      this.ledger.assign.submit('due-again').finally(() => {
        this.#isDueAgain = false;
      }),
    );
  }

  /** This holder has this reed for sure: who waits for it may be served by it. */
  spread(holder: UserId, subject: ReedId): void {
    this.ledger.probe({ holder, subject });
  }

  /** An event went dormant: somebody may have come online between that look and its commit. */
  dormant(eventId: string, subject: ReedId, wasNew?: boolean): void {
    this.look(async () => {
      const second = await this.ledger.recheck.submit(eventId);
      if (!second) return;
      if (second.found) this.assign({ eventId });
      else if (!second.held) this.copyGone(subject);
      else if (second.sampled && wasNew !== true) {
        const online = await this.#search.onlineHolders(subject, wasNew === false);
        if (online.holders.length > 0) await this.#assignExactly(eventId, online);
      }
    });
  }

  async #assignExactly(eventId: string, { holders, isNew }: Online): Promise<void> {
    this.#searched.set(eventId, isNew);
    try {
      await this.ledger.assign.submit({ eventId, holders });
    } finally {
      this.#searched.delete(eventId);
    }
  }

  /** An event was opened in line. */
  inLine(subject: ReedId): void {
    this.#deps.fold.inLine(subject);
  }

  /** An event was acknowledged, found invalid or left unanswered. */
  moved(eventId: string, reason: MovedReason | null): void {
    this.#deps.fold.moved(eventId, reason);
  }

  copyGone(subject: ReedId): void {
    this.#deps.fold.copiesChanged(subject);
    this.look(() => this.ledger.lastCopies.submit(subject));
  }

  /** Runs a look. One that fails is not repeated here: what it would have found has a date. */
  look(task: () => Promise<unknown>): void {
    this.#running += 1;
    task()
      .catch((error) => this.#deps.log.warn({ err: error }, 'a look failed; the sweeper will find what it missed'))
      .finally(() => {
        this.#running -= 1;
      });
  }

  /** Tells a requester how its request stands. */
  progress(progress: Parameters<typeof requestAck>[0]): void {
    notify(this.#deps.bus, progress.requester, requestAck(progress));
  }
}
