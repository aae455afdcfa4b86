// What follows when a key ended or an account is gone for good: what came of it ends page by page, and whoever has something of it is told. May be
// run any number of times; the debt that led here stays until it is through.
import type { Voiding } from '../reeds/voiding.ts';
import type { UserId, UserKeyId } from '../wire/address.ts';
import type { Looks } from './looks.ts';
import type { Removals } from './removals.ts';

export type EndsDeps = {
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
    const { looks, removals, voiding } = this.#deps;
    for (let page = await voiding.holdings(user); page !== null; page = await voiding.holdings(user))
      for (const reed of page) looks.copyGone(reed);
    for (let page = await voiding.account(user); page !== null; page = await voiding.account(user)) await removals.endRequests(page);
    await removals.tellAll('account_removal', user);
  }
}
