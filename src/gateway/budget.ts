// What a member may cost, over all its connections on this replica. Asking costs; answering what was asked is free, once; anything
// unasked costs like a request. Kept only for members who used some of it: a full budget is the same as none.
import { type Bucket, take } from '../base/bucket.ts';
import type { Limits } from '../base/limits.ts';
import type { UserId } from '../wire/address.ts';
import { RecentRequests } from './recent-requests.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type BudgetLimits = Pick<
  Limits,
  | 'costPerMinute'
  | 'costBurst'
  | 'syncIntervalMs'
  | 'sameReedPerHour'
  | 'sameReedAgainPerHour'
  | 'freeFramesPerSecond'
  | 'freeFramesBurst'
  | 'requestsRemembered'
  | 'asksRemembered'
  | 'budgetMembers'
  | 'rateLimitedFramesBeforeClose'
>;

type Asking = {
  readonly subject: string;
  readonly cost: number;
  /** It is open already, and driven again. */
  readonly isRepeated: boolean;
};

type MemberBudget = {
  readonly cost: Bucket;
  readonly free: Bucket;
  /** Made when they are needed: most members only answer and acknowledge. */
  requests: RecentRequests | null;
  asks: Map<string, number> | null;
  syncedAt: number;
  refused: number;
  refusedSince: number;
  touchedAt: number;
};

export class Budgets {
  readonly #limits: BudgetLimits;
  /** In the order of their last use. */
  readonly #members = new Map<UserId, MemberBudget>();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Takes `cost`. @returns 0, or after how many ms there would be enough; then nothing is taken. */
  spend(userId: UserId, cost: number, now: number): number {
    return take(this.#of(userId, now).cost, { burst: this.#limits.costBurst, perMs: this.#limits.costPerMinute / MINUTE_MS }, cost, now);
  }

  /** Counts a frame that has no cost of its own. @returns as `spend` */
  pass(userId: UserId, now: number): number {
    return take(
      this.#of(userId, now).free,
      { burst: this.#limits.freeFramesBurst, perMs: this.#limits.freeFramesPerSecond / 1_000 },
      1,
      now,
    );
  }

  /** Takes `cost` for asking for a subject, which may be asked for only so often in an hour, anew and again. @returns as `spend` */
  request(userId: UserId, { subject, cost, isRepeated }: Asking, now: number): number {
    const { sameReedPerHour, sameReedAgainPerHour } = this.#limits;
    const [counted, most] = isRepeated ? [`again ${subject}`, sameReedAgainPerHour] : [subject, sameReedPerHour];
    const member = this.#of(userId, now);
    member.requests ??= new RecentRequests(this.#limits.requestsRemembered);
    const tooOften = member.requests.waitMs(counted, most, now);
    if (tooOften > 0) return tooOften;
    const wait = this.spend(userId, cost, now);
    if (wait === 0) member.requests.add(counted, now);
    return wait;
  }

  /** Takes `cost` for a sync, of which there is one in so many seconds. @returns as `spend` */
  sync(userId: UserId, cost: number, now: number): number {
    const member = this.#of(userId, now);
    const wait = member.syncedAt + this.#limits.syncIntervalMs - now;
    if (wait > 0) return wait;
    const spent = this.spend(userId, cost, now);
    if (spent === 0) member.syncedAt = now;
    return spent;
  }

  /** Remembers that the member was asked, or sent, `ask`: one answer to it is free. */
  asked(userId: UserId, ask: string, now: number): void {
    const member = this.#of(userId, now);
    member.asks ??= new Map();
    const { asks } = member;
    const count = asks.get(ask) ?? 0;
    asks.delete(ask);
    asks.set(ask, count + 1);
    if (asks.size > this.#limits.asksRemembered) dropFirst(asks);
  }

  /** Whether `ask` is remembered; it stays so. */
  knows(userId: UserId, ask: string, now: number): boolean {
    return this.#of(userId, now).asks?.has(ask) ?? false;
  }

  /** Whether this answer is one that was asked for; it is not any more after that. */
  answers(userId: UserId, ask: string, now: number): boolean {
    const { asks } = this.#of(userId, now);
    const count = asks?.get(ask) ?? 0;
    if (asks === null || count === 0) return false;
    if (count === 1) asks.delete(ask);
    else asks.set(ask, count - 1);
    return true;
  }

  /** Counts a refused frame. @returns whether the member goes on in spite of refusals: close */
  persists(userId: UserId, now: number): boolean {
    const member = this.#of(userId, now);
    if (now - member.refusedSince >= MINUTE_MS) {
      member.refusedSince = now;
      member.refused = 0;
    }
    member.refused += 1;
    return member.refused > this.#limits.rateLimitedFramesBeforeClose;
  }

  /** Forgets members whose budgets are as good as new; a step looks at the `most` that were used longest ago. */
  expire(now: number, most: number): void {
    let looked = 0;
    for (const [userId, member] of this.#members) {
      if (looked++ >= most || now - member.touchedAt < HOUR_MS) return;
      this.#members.delete(userId);
    }
  }

  #of(userId: UserId, now: number): MemberBudget {
    const known = this.#members.get(userId);
    if (known) {
      // Moved to the end once a minute at most: the order is only for forgetting.
      if (now - known.touchedAt >= MINUTE_MS) {
        known.touchedAt = now;
        this.#members.delete(userId);
        this.#members.set(userId, known);
      }
      return known;
    }
    const member: MemberBudget = {
      cost: { level: this.#limits.costBurst, at: now },
      free: { level: this.#limits.freeFramesBurst, at: now },
      requests: null,
      asks: null,
      syncedAt: Number.NEGATIVE_INFINITY,
      refused: 0,
      refusedSince: now,
      touchedAt: now,
    };
    this.#members.set(userId, member);
    if (this.#members.size > this.#limits.budgetMembers) dropFirst(this.#members);
    return member;
  }
}

function dropFirst<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
