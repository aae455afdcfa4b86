// What follows when a key ended or an account is gone for good: what came of it ends page by page, and whoever has something of it is told. May be
// run any number of times; the debt that led here stays until it is through.
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import { dropHoldings } from '../ledger/ends.ts';
import { type AccountPage, FIRST_LEAVINGS, type LeavingsPlace, type Voiding } from '../reeds/voiding.ts';
import type { ReedId, UserId, UserKeyId } from '../wire/address.ts';
import type { Looks } from './looks.ts';
import type { Removals } from './removals.ts';

export type EndsDeps = {
  readonly db: Database;
  readonly limits: Limits;
  readonly looks: Looks;
  readonly removals: Pick<Removals, 'endRequests' | 'run' | 'tellAll'>;
  readonly voiding: Voiding;
};

export class Ends {
  readonly #deps: EndsDeps;

  constructor(deps: EndsDeps) {
    this.#deps = deps;
  }

  /** A key was revoked, or put off its chain: what it signed then is void. */
  async key(key: UserKeyId): Promise<void> {
    const { removals, voiding } = this.#deps;
    await removals.tellAll('key', key);
    for (let after: number | null = 0; after !== null; ) {
      const page: Awaited<ReturnType<Voiding['page']>> = await voiding.page(key, after);
      for (const reed of page.gone) await removals.run('reed-removal', reed);
      after = page.next;
    }
  }

  /** An account was removed: its reeds, and what it held of others. */
  async account(user: UserId): Promise<void> {
    const { db, limits, looks, removals, voiding } = this.#deps;
    for (let from: LeavingsPlace | null = FIRST_LEAVINGS; from !== null; ) from = await voiding.leavings(user, from);
    for (let after: ReedId | '' | null = ''; after !== null; ) {
      const dropped: readonly ReedId[] = await dropHoldings(db, { user, after, limit: limits.endedPerPage });
      for (const reed of dropped) looks.copyGone(reed);
      after = dropped.length < limits.endedPerPage ? null : (dropped.at(-1) ?? null);
    }
    for (let after: ReedId | '' | null = ''; after !== null; ) {
      const page: AccountPage = await voiding.account(user, after);
      await removals.endRequests(page.gone);
      after = page.next;
    }
    await removals.tellAll('account_removal', user);
  }
}
