// The fold as the asking server: who stands in line is promoted, a promoted one is asked for, and its copy is written to whom it is for. At most
// three copies of a reed cross from one server at a time; whatever could let the next one cross ends in a look at the line.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Bus } from '../bus/port.ts';
import { Batcher, type BatchLoad, Lane, LOCKED } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import type { LedgerContext } from '../ledger/context.ts';
import { carrierEnds, type MovedReason, reedEnds, type Settled, settleCrossings } from '../ledger/crossing-ends.ts';
import {
  type Answered,
  type Arrival,
  answered,
  arrive,
  oneSleeps,
  requestsInLine,
  returned,
  type Sending,
  sendingOf,
  subjectOf,
  unarrived,
} from '../ledger/crossings.ts';
import type { Ended } from '../ledger/ends.ts';
import { type Promotion, promote, type StillInLine } from '../ledger/promote.ts';
import { STATE, type SubjectKind } from '../ledger/state.ts';
import { isSentinel } from '../presence/sentinels.ts';
import { contentFrame } from '../relay/answers.ts';
import type { Looks } from '../relay/looks.ts';
import { errorNotice, notify } from '../relay/notices.ts';
import { Refusals } from '../relay/refusals.ts';
import { parseUserKeyId, type ReedId, type ServerId, serverOf } from '../wire/address.ts';
import { decodeFoldDelivery, decodeFoldRequestAnswer, decodeFoldWord, encodeFoldRequest, encodeFoldWord } from '../wire/fold.ts';
import type { FoldAnswer, FoldCalls, FoldReply, RequesterKeys, ThreadRecords } from './fold-ports.ts';
import { afterRequest, type CarrierRefused, isSettled } from './fold-rules.ts';
import { patiently } from './patience.ts';

export type FoldAskerDeps = LedgerContext & {
  readonly application: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly load: BatchLoad;
  readonly log: Logger;
  readonly calls: FoldCalls;
  readonly keys: RequesterKeys;
  readonly threads: ThreadRecords;
  readonly looks: () => Looks;
  readonly noted: (server: ServerId, answer: FoldAnswer) => void;
  /** Something is owed to a peer. */
  readonly owing: () => void;
  /** Passes a copy for a peer's member on at once. */
  readonly passOn: (eventId: string, ciphertext: Uint8Array) => Promise<'relayed' | 'gone' | 'failed'>;
};

/** What a member is told whose request its home server does not take. A block comes with its certificate, where there is one. */
const REFUSED = {
  blocked: { code: 'FORBIDDEN', detail: 'its home server does not take requests of yours' },
  key: { code: 'FORBIDDEN', detail: 'its home server does not take requests by your key' },
  size: { code: 'TOO_LARGE', detail: 'its home server takes no request as long as yours' },
  form: { code: 'INVALID', detail: 'its home server does not take this request' },
} as const satisfies Readonly<Record<CarrierRefused, { readonly code: ErrorCode; readonly detail: string }>>;

export class FoldAsker {
  readonly #deps: FoldAskerDeps;
  readonly #refusals: Refusals;
  readonly #promotions: Batcher<ReedId, true>;
  /** Events of ours that cross, or crossed, some of which ended at another replica: only spares looks. */
  readonly #known: RecentSet<string>;
  /** Whose line was told last that nobody online has it at its home: only spares telling it again. */
  readonly #asleep: RecentSet<ReedId>;

  constructor(deps: FoldAskerDeps) {
    this.#deps = deps;
    this.#refusals = new Refusals(deps.application);
    this.#known = new RecentSet(deps.limits.crossingsKnown);
    this.#asleep = new RecentSet(deps.limits.peerDormantEvents);
    this.#promotions = new Batcher({
      ...{ name: 'promote', lane: new Lane(), load: deps.load, maxItems: deps.limits.foldItems, divisible: isDivisible },
      patience: deps,
      sameAs: (subject: ReedId) => subject,
      onFailure: (step: string, error: unknown) => deps.log.error({ step, err: error }, 'a line could not be looked at; the sweeper will'),
      run: async (subjects: readonly ReedId[]) => {
        const promotion = await promote(deps, subjects, deps.clock.now());
        this.#follow(promotion);
        return subjects.map((subject) => (promotion.locked.includes(subject) ? LOCKED : (true as const)));
      },
    });
  }

  get idle(): boolean {
    return this.#promotions.idle;
  }

  /** Looks at the heads of these lines. */
  look(subjects: readonly ReedId[]): void {
    for (const subject of subjects) this.#deps.looks().look(() => this.#promotions.submit(subject));
  }

  #follow({ crossing, waiting, roused, locked }: Promotion): void {
    const looks = this.#deps.looks();
    for (const { crossingId, eventId } of crossing) {
      this.#known.add(eventId);
      this.ask(crossingId);
    }
    if (roused) looks.assign('due');
    // In a line that is looked at again whoever waits on is told then, once; who was put out of it now is not seen there any more.
    for (const each of waiting) if (each.isDormant || !locked.includes(each.subject)) this.#tell(each);
  }

  #tell({ eventId, isAway, isDormant, requester, requestId, subject }: StillInLine): void {
    const looks = this.#deps.looks();
    if (isDormant) looks.dormant(eventId, subject);
    if (requestId === null || (!isAway && !isDormant)) return;
    const state = isDormant ? STATE.dormant : STATE.inLine;
    looks.progress({ eventId, requestId, requester, subjectId: subject, state, onlineHolders: 0, failing: false, peerAway: isAway });
  }

  /** Sends the request of an open crossing, once more if it was sent before. */
  ask(crossingId: string): void {
    this.#deps.looks().look(() => this.#ask(crossingId));
  }

  async #ask(crossingId: string, isAgain = false): Promise<void> {
    const { calls, db, noted } = this.#deps;
    const sending = await sendingOf(db, crossingId);
    if (sending === null) return;
    // As many as a peer may have cross wait for those before them: what each of them says is made once it is sent.
    const body = (): Promise<Uint8Array | null> => this.#request(crossingId, sending);
    const answer = await calls.call(sending.server, sending.isFallback ? 'fallback' : 'request', body);
    if (!isAgain && (await this.#cancelsForgotten(sending.server, answer))) return this.#ask(crossingId, true);
    await this.#answered(crossingId, sending, answer);
    noted(sending.server, answer);
  }

  /** What is asked for a crossing, with the keys of whom it is for; null if they are not known: then it has ended. */
  async #request(crossingId: string, { askedFor, keyId: key, kind, slot, subject }: Sending): Promise<Uint8Array | null> {
    const { keys, limits } = this.#deps;
    const keyId = parseUserKeyId(key);
    const keyChain = keyId && (await keys.chainOf(askedFor, keyId));
    if (!keyId || !keyChain) return this.#carrierEnds(crossingId, 'key').then(() => null);
    const said = {
      ...{ peerRequestId: crossingId, reedId: subject, isThread: kind === 'thread' },
      ...{ requesterId: askedFor, requesterKeyId: keyId, slot },
    };
    const whole = encodeFoldRequest({ ...said, keyChain });
    // One that is too long for a request is asked for by whoever does not know it.
    return whole.length <= limits.foldRequestBytes ? whole : encodeFoldRequest({ ...said, keyChain: [] });
  }

  /** What has a slot there and is not known here was forgotten here: it is cancelled, once for each asking. @returns whether the slot is free now */
  async #cancelsForgotten(server: ServerId, answer: FoldAnswer): Promise<boolean> {
    if (answer.kind !== 'answer' || answer.status !== 503) return false;
    const { calls, db } = this.#deps;
    const takenBy = decodeFoldRequestAnswer(answer.body)?.takenBy ?? null;
    // A crossing is committed before it is sent: what is not there now never will be.
    if (takenBy === null || (await subjectOf(db, takenBy, server)) !== null) return false;
    return isSettled(await calls.call(server, 'cancel', encodeFoldWord({ peerRequestId: takenBy, reason: 'gone' })));
  }

  async #answered(crossingId: string, of: Sending, answer: FoldAnswer): Promise<void> {
    const { clock } = this.#deps;
    const next = afterRequest(answer, of.isFallback);
    switch (next.kind) {
      case 'open': {
        const online = answer.kind === 'answer' ? (decodeFoldRequestAnswer(answer.body)?.onlineHolders ?? 0) : 0;
        this.#opened(await answered(this.#deps, crossingId, online > 0, clock.now()), online);
        if (online === 0 && (await oneSleeps(this.#deps.db, of, clock.now()))) this.#deps.owing();
        return;
      }
      case 'reed':
        return this.#reedEnds(of, next.isFound);
      case 'carrier':
        return this.#carrierEnds(crossingId, next.why, answer.kind === 'answer' ? answer.body : null);
      case 'next':
      case 'again':
        await returned(
          this.#deps,
          crossingId,
          { wasTried: next.kind === 'next', unheldAs: next.kind === 'next' && next.isUnheld ? of.knownAs : null },
          clock.now(),
        );
        // One that says so of everything would be asked anew without an end: the regular look at the line finds it.
        if (next.kind === 'next') this.look([of.subject]);
        return;
      case 'away':
        return this.#waits(of);
      case 'unasked':
        return;
    }
  }

  #waits({ eventId, requestId, requester, subject }: Sending): void {
    if (requestId === null) return;
    const of = { eventId, requestId, requester, subjectId: subject };
    this.#deps.looks().progress({ ...of, state: STATE.crossing, onlineHolders: 0, failing: false, peerAway: true });
  }

  #opened(event: Answered | null, online: number): void {
    if (event === null) return;
    const { eventId, isAsleep, isGivenUp, requestId, requester, subjectId } = event;
    if (isGivenUp) this.#deps.owing();
    // One is given up since another one sleeps: what it waits for is the same.
    const state = isAsleep || isGivenUp ? STATE.dormant : STATE.crossing;
    if (requestId !== null)
      this.#deps.looks().progress({ eventId, requestId, requester, subjectId, state, onlineHolders: online, failing: false });
    if (!isGivenUp) this.#sleeps(event);
  }

  /** The line of a subject is told when one of it falls asleep at its home, and when that is over. */
  #sleeps({ eventId, isAsleep, subjectId, wasAsleep }: Answered): void {
    const isTold = this.#asleep.has(subjectId) || wasAsleep;
    if (isAsleep) this.#asleep.add(subjectId);
    else this.#asleep.delete(subjectId);
    if (isTold !== isAsleep) this.#deps.looks().look(() => this.#tellLine(subjectId, eventId, isAsleep));
  }

  async #tellLine(subjectId: ReedId, but: string, asleepThere: boolean): Promise<void> {
    const { limits, looks } = this.#deps;
    const of = { subjectId, state: STATE.inLine, onlineHolders: 0, failing: false, asleepThere };
    for (let after = 0; ; ) {
      const page = await requestsInLine(this.#deps, subjectId, after);
      for (const { eventId, requester, requestId } of page) if (eventId !== but) looks().progress({ ...of, eventId, requester, requestId });
      after = page.at(-1)?.seq ?? 0;
      if (page.length < limits.fanoutItems) return;
    }
  }

  async #carrierEnds(crossingId: string, why: CarrierRefused, blocked: Uint8Array | null = null): Promise<void> {
    const { bus, db, looks } = this.#deps;
    const certificate = (why === 'blocked' && blocked && decodeFoldRequestAnswer(blocked)?.certificate) || new Uint8Array(0);
    const ended = await carrierEnds(db, crossingId);
    looks().ended(ended);
    for (const { eventId, explicit, requestId, requester } of ended) {
      if (!explicit || requestId === null) continue;
      if (certificate.length > 0) notify(bus, requester, { id: '', type: 'userBlocked', body: { requestId, certificate } });
      else notify(bus, requester, errorNotice({ id: eventId, requestId, ...REFUSED[why] }));
    }
    this.look(ended.map((event) => event.subjectId));
  }

  /** Its home has no copy of this subject, or knows of none: whoever waits for it here is told. */
  async #reedEnds(of: { readonly subject: ReedId; readonly kind: SubjectKind }, isFound: boolean): Promise<void> {
    const { clock, limits, looks, owing } = this.#deps;
    this.#asleep.delete(of.subject);
    for (;;) {
      const { ended, slept } = await reedEnds(this.#deps, of, clock.now());
      looks().ended(ended);
      for (const event of ended) await this.#refuse(event, isFound);
      for (const event of slept) this.#sleepsHere(event);
      if (ended.length + slept.length < limits.batchItems) break;
    }
    owing();
  }

  /** Only somebody here has it, who may have come online between that look and its commit. */
  #sleepsHere({ eventId, explicit, requestId, requester, subjectId }: Ended): void {
    const looks = this.#deps.looks();
    looks.dormant(eventId, subjectId);
    if (explicit && requestId !== null)
      looks.progress({ eventId, requestId, requester, subjectId, state: STATE.dormant, onlineHolders: 0, failing: false });
  }

  async #refuse({ eventId, explicit, requestId, requester, subjectId }: Ended, isFound: boolean): Promise<void> {
    if (!explicit || requestId === null) return;
    const of = { eventId, requestId, requester, subjectId };
    // What was removed is told with its certificate, if that has come.
    notify(this.#deps.bus, requester, await this.#refusals.frame(isFound ? 'not-held' : 'removed', of));
  }

  /** An event waits for no crossing any more. */
  moved(eventId: string, reason: MovedReason | null): void {
    if (!this.#known.has(eventId)) return;
    if (reason !== null) this.#known.delete(eventId);
    const { clock, looks } = this.#deps;
    looks().look(async () => this.settled(await settleCrossings(this.#deps, [{ eventId, reason }], clock.now())));
  }

  settled({ owing, subjects }: Settled): void {
    if (owing) this.#deps.owing();
    this.look(subjects);
  }

  /** A copy came for a crossing. It is written to its requester in this step, or answered as not taken. */
  async deliver(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const delivery = decodeFoldDelivery(body);
    if (delivery === null) throw new AppError('BAD_REQUEST', 'the body can not be read');
    const { limits } = this.#deps;
    // Longer than any holder may send one.
    if (delivery.ciphertext.length > limits.relayResponseBytes)
      throw new AppError('TOO_LARGE', `at most ${limits.relayResponseBytes} bytes`);
    const arrival = await this.#arrive(peer, delivery.peerRequestId, delivery.threadRecord);
    if (arrival.outcome === 'busy') throw new AppError('UNAVAILABLE', 'it is being changed at this moment', { retryAfterMs: 1_000 });
    if (arrival.outcome === 'unknown') return { status: 404 };
    if (arrival.outcome === 'repeated') return { status: 204 };
    this.#known.add(arrival.eventId);
    const outcome = await this.#hand(arrival, delivery.ciphertext);
    if (outcome === 'gone') return { status: 404 };
    if (outcome === 'relayed') return { status: 204 };
    await unarrived(this.#deps, delivery.peerRequestId, this.#deps.clock.now());
    throw new AppError('UNAVAILABLE', 'its requester can not take it now', { retryAfterMs: 1_000 });
  }

  async #arrive(peer: ServerId, crossingId: string, record: object | null): Promise<Arrival | { readonly outcome: 'unknown' }> {
    const { clock, db, threads } = this.#deps;
    const thread = record && (await subjectOf(db, crossingId, peer));
    const parts = (record && thread && (await threads.partsOf(thread.subject, record))) ?? [];
    const item = { crossingId, server: peer, parts };
    return patiently(
      this.#deps,
      () => arrive(this.#deps, item, clock.now()),
      ({ outcome }) => outcome === 'busy',
    );
  }

  async #hand(arrival: Arrival, ciphertext: Uint8Array): Promise<'relayed' | 'gone' | 'failed'> {
    const { eventId, eventName, requestId, requester, subjectId: reedId } = arrival;
    if (isSentinel(requester)) return this.#deps.passOn(eventId, ciphertext);
    // The community stream crosses no border.
    if (eventName === 'BROADCAST_REED') return 'failed';
    const frame = contentFrame(eventId, { eventName, requestId, reedId }, ciphertext);
    return (await this.#deps.bus.deliver(requester, frame, 'content')) ? 'relayed' : 'failed';
  }

  /** The asked server's holders of what crosses are gone. */
  async notHeld(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const word = decodeFoldWord(body);
    if (word === null) throw new AppError('BAD_REQUEST', 'the body can not be read');
    const { clock, db } = this.#deps;
    const of = await subjectOf(db, word.peerRequestId, peer);
    if (of === null) return { status: 204 };
    if (serverOf(of.subject) === peer) await this.#reedEnds(of, true);
    else {
      // Whether it has a holder it says itself, in its order: this word may have come late.
      await returned(this.#deps, word.peerRequestId, { wasTried: true, unheldAs: null }, clock.now());
      this.look([of.subject]);
    }
    return { status: 204 };
  }
}
