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
  readonly #buckets = new Map<string, Bucket>();

  constructor(deps: ActBudgetDeps) {
    this.#deps = deps;
  }

  /** Counts an act; of one by the recovery key apart, for who has a member's session only must not keep it waiting. @returns 0, or after how many ms the member may try it again; then nothing is counted. */
  spend(userId: UserId, by: 'member' | 'recovery'): number {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    const name = `${by} ${userId}`;
    const bucket = this.#buckets.get(name) ?? { level: limits.actsBurst, at: now };
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > limits.budgetMembers) this.#forgetOldest();
    return take(bucket, { burst: limits.actsBurst, perMs: limits.actsPerMinute / MINUTE_MS }, 1, now);
  }

  #forgetOldest(): void {
    for (const name of this.#buckets.keys()) {
      this.#buckets.delete(name);
      return;
    }
  }
}
