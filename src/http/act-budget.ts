// How much a member may do over HTTP that is signed, stored and told to others, whatever addresses it comes from: each act takes one from the
// member's bucket, on this process. Kept for those who used some; over `budgetMembers` the one that did so longest ago is forgotten.
import { type Bucket, take } from '../base/bucket.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { UserId } from '../wire/address.ts';

const MINUTE_MS = 60_000;

export type ActBudgetDeps = {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'actsPerMinute' | 'actsBurst' | 'budgetMembers'>;
};

export class ActBudget {
  readonly #deps: ActBudgetDeps;
  /** In the order of their last use. */
  readonly #buckets = new Map<UserId, Bucket>();

  constructor(deps: ActBudgetDeps) {
    this.#deps = deps;
  }

  /** Counts an act. @returns 0, or after how many ms the member may try it again; then nothing is counted. */
  spend(userId: UserId): number {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    const bucket = this.#buckets.get(userId) ?? { level: limits.actsBurst, at: now };
    this.#buckets.delete(userId);
    this.#buckets.set(userId, bucket);
    if (this.#buckets.size > limits.budgetMembers) this.#forgetOldest();
    return take(bucket, { burst: limits.actsBurst, perMs: limits.actsPerMinute / MINUTE_MS }, 1, now);
  }

  #forgetOldest(): void {
    for (const userId of this.#buckets.keys()) {
      this.#buckets.delete(userId);
      return;
    }
  }
}
