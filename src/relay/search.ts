// The exact search for online holders of a reed with more allocations than one look samples. Dear (tens of milliseconds for
// a hundred thousand holders), so it runs outside the batches, once per reed in a while; what it found serves whoever asks meanwhile, and whom
// it does not help the next one.
import { type Clock, pause } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';

export type ExactSearchDeps = { readonly clock: Clock; readonly db: Database; readonly limits: Limits };

export type Online = {
  readonly holders: readonly UserId[];
  /** Searched for after it was asked for: whoever is not in it came later, and finds the waiting when that is committed. */
  readonly isNew: boolean;
};

type Found = { readonly at: number; readonly holders: Promise<readonly UserId[]>; next: Promise<Online> | null };

export class ExactSearch {
  readonly #deps: ExactSearchDeps;
  /** Oldest first. */
  readonly #found = new Map<ReedId, Found>();

  constructor(deps: ExactSearchDeps) {
    this.#deps = deps;
  }

  /**
   * Some online holders of `reed`, at random. Those found at most `exactSearchEveryMs` ago, unless there were none, or they were asked for already
   * (`wantsNew`): then as soon as that time is over.
   */
  async onlineHolders(reed: ReedId, wantsNew: boolean): Promise<Online> {
    const known = this.#known(reed);
    if (!known) return { holders: await this.#start(reed).holders, isNew: true };
    const holders = wantsNew ? [] : await known.holders;
    if (holders.length > 0) return { holders, isNew: false };
    known.next ??= this.#later(reed, known.at);
    return known.next;
  }

  async #later(reed: ReedId, at: number): Promise<Online> {
    const { clock, limits } = this.#deps;
    await pause(clock, Math.max(0, at + limits.exactSearchEveryMs - clock.monotonicMs()));
    return { holders: await this.#start(reed).holders, isNew: true };
  }

  #known(reed: ReedId): Found | undefined {
    const { clock, limits } = this.#deps;
    const now = clock.monotonicMs();
    for (const [known, { at }] of this.#found) {
      if (now - at < limits.exactSearchEveryMs && this.#found.size < limits.exactSearchesRemembered) break;
      this.#found.delete(known);
    }
    return this.#found.get(reed);
  }

  #start(reed: ReedId): Found {
    const holders = this.#search(reed);
    const found: Found = { at: this.#deps.clock.monotonicMs(), holders, next: null };
    this.#found.delete(reed);
    this.#found.set(reed, found);
    holders.catch(() => this.#found.delete(reed));
    return found;
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
