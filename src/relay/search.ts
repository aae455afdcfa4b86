// The exact search for online holders of a reed with more allocations than one look samples. Dear (tens of milliseconds for
// a hundred thousand holders), so it runs outside the batches, once per reed in a while; what it found serves whoever asks meanwhile.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';

export type ExactSearchDeps = { readonly clock: Clock; readonly db: Database; readonly limits: Limits };

type Found = { readonly at: number; readonly holders: Promise<readonly UserId[]> };

export class ExactSearch {
  readonly #deps: ExactSearchDeps;
  /** Oldest first. Who comes online after a search finds the waiting by itself, so an old result misses nobody. */
  readonly #found = new Map<ReedId, Found>();

  constructor(deps: ExactSearchDeps) {
    this.#deps = deps;
  }

  /** Some online holders of `reed`, at random, as of at most `exactSearchEveryMs` ago. */
  onlineHolders(reed: ReedId): Promise<readonly UserId[]> {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    for (const [known, { at }] of this.#found) {
      if (now - at < limits.exactSearchEveryMs && this.#found.size < limits.exactSearchesRemembered) break;
      this.#found.delete(known);
    }
    const known = this.#found.get(reed);
    if (known) return known.holders;
    const holders = this.#search(reed);
    this.#found.set(reed, { at: now, holders });
    holders.catch(() => this.#found.delete(reed));
    return holders;
  }

  async #search(reed: ReedId): Promise<readonly UserId[]> {
    const rows = await this.#deps.db.query<{ user_id: UserId }>({
      name: 'relay_online_holders',
      text: `
select o.user_id from online_users o
where exists (select from reed_allocations a where a.holder_user_id = o.user_id and a.reed_id = $1)
order by random() limit $2`,
      values: [reed, this.#deps.limits.candidates],
    });
    return rows.map((row) => row.user_id);
  }
}
