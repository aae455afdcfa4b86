// The second half of the plain model, without commands: how things stand, and what the ledger may choose then (who may be asked, and when an event
// may rest). What each command makes true is model.ts.
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';

export type Subject = { readonly id: ReedId; readonly kind: 'reed' | 'thread'; readonly author: UserId; readonly parts: readonly ReedId[] };
export type Try = { failures: number; busy: number; notBefore: number };
export type Event = {
  /** null: opened just now, the ledger has not told its id yet. */
  id: string | null;
  requester: UserId;
  subject: Subject;
  requestId: RequestId | null;
  /** When it was asked for; null: nobody asked, it is owed. */
  requestedAt: number | null;
  phase: 'open' | 'asked' | 'relayed';
  /** Who is asked, or who answered. */
  holder: UserId | null;
  attempt: number;
  relays: number;
  since: number;
  due: number;
  /** A frame could not be written, or a holder was coming or going: not before then. */
  retryAt: number;
  tries: Map<UserId, Try>;
};
export type Failure = { readonly holder: UserId; readonly id: string; readonly attempt: number };

export const ACCUSING = ['BAD_SIGNATURE', 'BAD_CERTIFICATE', 'OTHER_REED', 'UNDECRYPTABLE'];

export class State {
  now = 0;
  online = new Set<UserId>();
  /** Members whose send buffers are full. */
  full = new Set<UserId>();
  /** `holder reed` */
  held = new Set<string>();
  /** `reed holder viewer` to whether it counts. */
  strikes = new Map<string, boolean>();
  events: Event[] = [];
  removed = new Set<ReedId>();
  /** `author viewer` */
  blocked = new Set<string>();
  /** What members were told by name, since this was last emptied. */
  said: string[] = [];
  readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  copy(): this {
    const Own = this.constructor as new (limits: Limits) => this;
    const copy = Object.assign(new Own(this.limits), this);
    copy.online = new Set(this.online);
    copy.full = new Set(this.full);
    copy.held = new Set(this.held);
    copy.strikes = new Map(this.strikes);
    copy.removed = new Set(this.removed);
    copy.blocked = new Set(this.blocked);
    copy.said = [...this.said];
    copy.events = this.events.map((e) => ({ ...e, tries: new Map([...e.tries].map(([holder, t]) => [holder, { ...t }])) }));
    return copy;
  }

  /** Tells two states apart. */
  print(): string {
    const events = this.events.map((e) => [
      e.id,
      e.requestId,
      e.phase,
      e.holder,
      e.attempt,
      e.relays,
      e.due,
      e.retryAt,
      [...e.tries].flat(),
    ]);
    return JSON.stringify([events, [...this.held], [...this.strikes], [...this.online], [...this.full], this.said]);
  }

  // What the ledger may choose.

  isOld(e: Event): boolean {
    return e.phase === 'open' && e.requestedAt !== null && e.requestedAt <= this.now - this.limits.explicitLifeMs;
  }

  holdsAll(member: UserId, { parts }: Subject): boolean {
    return parts.every((part) => this.held.has(`${member} ${part}`));
  }

  /** Why this member may not have this subject; null: it may. */
  refusal({ requester, subject }: Pick<Event, 'requester' | 'subject'>): 'REMOVED' | 'BLOCKED' | null {
    if (this.removed.has(subject.id)) return 'REMOVED';
    const isBlocked = this.blocked.has(`${subject.author} ${requester}`) || this.blocked.has(`${requester} ${subject.author}`);
    return isBlocked ? 'BLOCKED' : null;
  }

  /** Could this holder ever be asked for this event, as things are? */
  mayAsk(holder: UserId, { requester, subject, tries }: Event): boolean {
    const hasFailed = (tries.get(holder)?.failures ?? 0) >= this.limits.holderFailuresPerEvent;
    return holder !== requester && !hasFailed && !this.strikes.has(`${subject.id} ${holder} ${requester}`);
  }

  candidates(e: Event): UserId[] {
    return [...this.online].filter((member) => this.mayAsk(member, e) && this.holdsAll(member, e.subject));
  }

  ready(e: Event): UserId[] {
    return this.candidates(e).filter((member) => (e.tries.get(member)?.notBefore ?? 0) <= this.now);
  }

  /** Why an open event may not stay where it is until its date; null: nothing can be done for it now. */
  whyRestless(e: Event, at: { state: number; holder: UserId | null; inFlight: number; places: number }): string | null {
    const window = this.limits.holderWindow - (e.requestedAt === null ? this.limits.holderWindowExplicitReserve : 0);
    if (e.retryAt > this.now || e.phase !== 'open') return null;
    if (this.isUnheld(e.requester, e.subject)) return 'nobody has it';
    if (at.state === 0)
      return this.candidates(e).length > 0 && !this.isOld(e) ? `dormant, though ${this.candidates(e)} could be asked` : null;
    if (at.state === 1 && at.holder)
      return at.inFlight < window && !this.full.has(at.holder) ? `waiting for ${at.holder}, who has room` : null;
    if (this.full.has(e.requester) || at.places >= this.limits.awakeEventsPerMember) return null;
    // Of many copies only some are looked at: when those back off, that is waited for.
    if (e.tries.size > 0 && this.held.size > this.limits.allocationsSampled) return null;
    return this.ready(e).length > 0 ? `unassigned, though ${this.ready(e)} could be asked` : null;
  }

  isUnheld(requester: UserId, { id }: Subject, held = this.held): boolean {
    return ![...held].some((pair) => pair.endsWith(` ${id}`) && pair !== `${requester} ${id}`);
  }
}
