// The ledger as a plain model: what is true after each command, in memory, one command at a time, without batches, looks or SQL.
// Which holder is asked is left to the ledger; facts.ts says what it may choose and when it may rest.
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import { ACCUSING, type Event, type Failure, State, type Subject } from './facts.ts';

export class Facts extends State {
  // What members do.

  /** @param held the copies that count: those that others give up by asking at the same moment may be among them */
  request(requester: UserId, subject: Subject, requestId: RequestId, held = this.held): void {
    const known = this.events.find((e) => e.requester === requester && e.subject === subject);
    const mine = this.events.filter((e) => e.requester === requester);
    const other = mine.find((e) => e.requestedAt !== null && e.requestId === requestId && e !== known);
    const refusal = this.refusal({ requester, subject });
    if (!this.online.has(requester)) this.#say(requester, `ERROR UNAVAILABLE ${requestId}`);
    else if (refusal) this.#say(requester, `${refusal} ${requestId}`);
    else if (other) this.#say(requester, `ERROR CONFLICT ${requestId}`);
    else if (known) {
      if (known.requestedAt === null || known.requestId !== requestId) known.requestedAt = this.now;
      known.requestId = requestId;
    } else if (mine.filter((e) => e.requestedAt !== null).length >= this.limits.openRequests)
      this.#say(requester, `ERROR TOO_MANY_OPEN ${requestId}`);
    else {
      if (subject.kind === 'reed') this.held.delete(`${requester} ${subject.id}`);
      if (this.isUnheld(requester, subject, held)) this.#say(requester, `NOT_HELD ${requestId}`);
      else this.#open(requester, subject, requestId);
    }
  }

  /** What a fan-out will do: owes a reed to somebody who did not ask. */
  owe(requester: UserId, subject: Subject): void {
    if (!this.online.has(requester)) return;
    if (!this.events.some((e) => e.requester === requester && e.subject === subject)) this.#open(requester, subject, null);
  }

  cancel(requester: UserId, requestId: RequestId): void {
    this.#end((e) => e.requester === requester && e.requestId === requestId && e.requestedAt !== null && e.phase !== 'relayed');
  }

  respond(holder: UserId, id: string): void {
    const e = this.events.find((each) => each.id === id);
    if (e?.phase !== 'asked' || e.holder !== holder) return;
    const refusal = this.refusal(e);
    if (refusal) this.#tellEnd(e, refusal);
    else if (this.full.has(e.requester)) this.#reopen(e, this.now + this.limits.undeliverableRetryMs);
    else {
      Object.assign(e, { phase: 'relayed', relays: e.relays + 1, since: this.now, due: this.now + this.limits.acknowledgeMs });
      this.#say(e.requester, `CONTENT ${id} ${e.requestId ?? ''} ${holder}`);
    }
  }

  miss(failure: Failure, missing: ReedId | null): void {
    const { holder } = failure;
    const e = this.#asked(failure);
    if (!e) return;
    this.#reopen(e);
    if (e.subject.kind === 'reed') this.held.delete(`${holder} ${e.subject.id}`);
    else if (missing && e.subject.parts.includes(missing)) this.held.delete(`${holder} ${missing}`);
    if (e.subject.kind === 'thread') this.#failed(e, holder);
  }

  error(failure: Failure): void {
    const { holder } = failure;
    const e = this.#asked(failure);
    if (!e) return;
    this.#reopen(e);
    this.#failed(e, holder);
  }

  busy(failure: Failure): void {
    const { holder } = failure;
    const e = this.#asked(failure);
    if (!e) return;
    this.#reopen(e);
    const t = e.tries.get(holder) ?? { failures: 0, busy: 0, notBefore: 0 };
    e.tries.set(holder, { ...t, busy: t.busy + 1, notBefore: this.now + this.#backoff(t.busy + 1) });
  }

  ack(requester: UserId, id: string): void {
    const e = this.#relayed(requester, id);
    if (!e) return;
    for (const part of e.subject.parts) this.held.add(`${requester} ${part}`);
    for (const strike of this.strikes.keys()) {
      const [reed, holder, viewer] = strike.split(' ');
      if (reed === e.subject.id && viewer === requester && holder !== e.holder) this.strikes.set(strike, true);
    }
    this.#end((each) => each === e);
    this.#say(requester, `SETTLED ${id} HELD`);
  }

  invalid(requester: UserId, id: string, reason: string): void {
    const e = this.#relayed(requester, id);
    if (!e) return;
    const strike = `${e.subject.id} ${e.holder} ${requester}`;
    if (ACCUSING.includes(reason) && e.holder !== e.subject.author && !this.strikes.has(strike)) this.strikes.set(strike, false);
    this.#end((each) => each === e);
    this.#say(requester, `SETTLED ${id} GONE`);
  }

  evict(holder: UserId, reed: ReedId): void {
    this.held.delete(`${holder} ${reed}`);
    this.#say(holder, `EVICTED ${reed}`);
  }

  arrive(member: UserId): void {
    this.online.add(member);
    this.full.delete(member);
    for (const { tries } of this.events) if ((tries.get(member)?.failures ?? 0) >= this.limits.holderFailuresPerEvent) tries.delete(member);
  }

  /** The last connection of a member ends. */
  leave(member: UserId): void {
    this.online.delete(member);
    this.full.delete(member);
    this.#end((e) => e.requester === member);
    for (const e of this.events) if (e.phase === 'asked' && e.holder === member) this.#reopen(e);
  }

  // What time and faults do.

  /** Bytes arrive from a holder; content waits in a requester's buffer. */
  postpone(member: UserId, phase: 'asked' | 'relayed'): void {
    const [byMs, atMostMs] =
      phase === 'asked'
        ? [this.limits.dispatchDeadlineMs, this.limits.deadlineMaxMs]
        : [this.limits.acknowledgeMs, this.limits.acknowledgeMaxMs];
    for (const e of this.events)
      if (e.phase === phase && (phase === 'asked' ? e.holder : e.requester) === member)
        e.due = Math.max(e.due, Math.min(this.now + byMs, e.since + atMostMs));
  }

  /** @param expires whether an event that is a day old and had nobody to ask is given up by this sweep */
  sweep(takes: (e: Event) => boolean, expires: (e: Event) => boolean): void {
    for (const e of this.events.filter((each) => each.phase !== 'open' && each.due <= this.now && takes(each))) {
      const { holder, phase } = e;
      if (phase === 'relayed' && e.relays >= this.limits.relaysPerEvent) this.#tellEnd(e, 'ERROR NOT_ACKNOWLEDGED');
      else this.#reopen(e);
      if (phase === 'asked' && holder) this.#failed(e, holder);
    }
    for (const e of this.events.filter((each) => this.isOld(each) && takes(each) && expires(each))) this.#tellEnd(e, 'ERROR EXPIRED');
  }

  /** The last copy of a subject is gone: who waits for it is told. What could not be written waits in vain too, and need not until its date. */
  giveUp(takes: (e: Event) => boolean): void {
    for (const e of this.events.filter((each) => each.phase === 'open' && this.isUnheld(each.requester, each.subject) && takes(each)))
      this.#tellEnd(e, 'NOT_HELD');
  }

  emptied(): void {
    this.online.clear();
    this.full.clear();
    this.strikes.clear();
    this.events = [];
  }

  #open(requester: UserId, subject: Subject, requestId: RequestId | null): void {
    const fresh = { phase: 'open', holder: null, attempt: 0, relays: 0, since: 0, due: 0, retryAt: 0 } as const;
    this.events.push({ ...fresh, id: null, requester, subject, requestId, requestedAt: requestId && this.now, tries: new Map() });
  }
  #say(to: UserId, what: string): void {
    this.said.push(`${to} ${what}`);
  }

  #end(which: (e: Event) => boolean): void {
    this.events = this.events.filter((e) => !which(e));
  }

  #tellEnd(e: Event, what: string): void {
    if (e.requestedAt !== null) this.#say(e.requester, `${what} ${e.requestId}`);
    this.#end((each) => each === e);
  }

  #reopen(e: Event, retryAt = 0): void {
    Object.assign(e, { phase: 'open', holder: null, retryAt });
  }

  #asked({ holder, id, attempt }: Failure): Event | undefined {
    return this.events.find((e) => e.id === id && e.phase === 'asked' && e.holder === holder && e.attempt === attempt);
  }

  #relayed(requester: UserId, id: string): Event | undefined {
    return this.events.find((e) => e.id === id && e.phase === 'relayed' && e.requester === requester);
  }

  #failed(e: Event, holder: UserId): void {
    const failures = (e.tries.get(holder)?.failures ?? 0) + 1;
    e.tries.set(holder, { failures, busy: 0, notBefore: this.now + this.#backoff(failures) });
  }

  #backoff(nth: number): number {
    return Math.min(this.limits.failureBackoffMaxMs, this.limits.failureBackoffFirstMs * 2 ** (nth - 1));
  }
}
