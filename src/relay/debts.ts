// Owing: deliveries that nobody asked for become events, and what follows that commit is looked at. Fan-out and catch-up both owe here.
import type { Clock } from '../base/clock.ts';
import type { LedgerContext } from '../ledger/context.ts';
import { type Owed, type OweItem, owe } from '../ledger/owe.ts';
import type { UserId } from '../wire/address.ts';
import type { Looks } from './looks.ts';

export type DebtsDeps = LedgerContext & {
  readonly clock: Clock;
  readonly looks: Looks;
  /** Commits that these members have as many events as they may, and are owed more. */
  readonly behind: (members: readonly UserId[]) => Promise<void>;
};

export class Debts {
  readonly #deps: DebtsDeps;

  constructor(deps: DebtsDeps) {
    this.#deps = deps;
  }

  /**
   * Owes all items; at most one for each (requester, subject).
   * @returns behind: a requester has as many events as it may. locked: one was coming or going all the while; owe the same again, later
   */
  async owe(items: readonly OweItem[]): Promise<{ behind: boolean; locked: boolean }> {
    const { limits } = this.#deps;
    let [behind, locked] = [false, false];
    for (let at = 0; at < items.length; at += limits.fanoutItems) {
      const owed = await this.#some(items.slice(at, at + limits.fanoutItems));
      behind ||= owed.some(({ outcome }) => outcome === 'behind');
      locked ||= owed.some(({ outcome }) => outcome === 'locked');
    }
    return { behind, locked };
  }

  async #some(items: readonly OweItem[]): Promise<Owed[]> {
    const { clock } = this.#deps;
    const owed = await owe(this.#deps, items, clock.now());
    await this.#follow(owed);
    const locked = new Set(owed.filter(({ outcome }) => outcome === 'locked').map(({ eventId }) => eventId));
    if (locked.size === 0) return owed;
    // Once more, like every batch: most have committed by now.
    const again = await owe(
      this.#deps,
      items.filter(({ eventId }) => locked.has(eventId)),
      clock.now(),
    );
    await this.#follow(again);
    return [...owed.filter(({ outcome }) => outcome !== 'locked'), ...again];
  }

  /** Commit, then look: who has something in its queue is dispatched to, whoever has no holder yet is given one. */
  async #follow(owed: readonly Owed[]): Promise<void> {
    const { behind, looks } = this.#deps;
    const opened = owed.filter(({ outcome }) => outcome === 'opened');
    const queues = new Map(opened.flatMap(({ holder, owner }) => (holder === null ? [] : [[holder, owner] as const])));
    for (const [holder, owner] of queues) looks.queued(holder, owner);
    for (const requester of new Set(opened.flatMap((each) => (each.full ? [each.requester] : [])))) looks.noteFull(requester);
    if (opened.some(({ holder, full }) => holder === null && !full)) looks.assign('due');
    const late = [...new Set(owed.filter(({ outcome }) => outcome === 'behind').map(({ requester }) => requester))];
    if (late.length > 0) await behind(late);
  }
}
