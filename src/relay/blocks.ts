// What a block or unblock sets off beside its own transaction: the blocked member's events, copies and watching end, and it is told, now or at
// its next sync, until it acknowledges. A notice is no content: it needs no event.

import type { Database } from '../db/pool.ts';
import type { BlockKind } from '../identity/blocks.ts';
import type { Executor } from '../identity/executor.ts';
import { lockPair } from '../identity/follows.ts';
import { blockOf } from '../identity/standing.ts';
import { type CutOff, cutOff } from '../ledger/ends.ts';
import { endWatching } from '../presence/subscriptions.ts';
import type { UserId } from '../wire/address.ts';
import type { BlockNotices } from './block-notices.ts';
import type { Looks } from './looks.ts';

export type BlocksDeps = {
  readonly application: Database;
  readonly looks: Looks;
  readonly notices: Pick<BlockNotices, 'tell'>;
};

export class Blocks {
  readonly #deps: BlocksDeps;

  constructor(deps: BlocksDeps) {
    this.#deps = deps;
  }

  /** In the block's transaction. @returns what to do after the commit */
  async cutOff(tx: Executor, author: UserId, viewer: UserId): Promise<() => void> {
    const cut = await cutOff(tx, author, viewer);
    await endWatching(tx, viewer, author);
    return () => this.#follow(cut);
  }

  /** Carries a committed block or unblock out. May run any number of times. */
  async run(kind: BlockKind, author: UserId, viewer: UserId): Promise<void> {
    if (kind === 'block') await this.#cutOffAgain(author, viewer);
    await this.#deps.notices.tell(viewer, author);
  }

  /** What was watched or asked for while the block was being committed. If it was taken back since, what the other one has and is owed stays. */
  async #cutOffAgain(author: UserId, viewer: UserId): Promise<void> {
    const cut = await this.#deps.application.transaction(async (tx) => {
      await lockPair(tx, author, viewer);
      if ((await blockOf(tx, author, viewer)) === null) return null;
      const again = await cutOff(tx, author, viewer);
      await endWatching(tx, viewer, author);
      return again;
    });
    if (cut !== null) this.#follow(cut);
  }

  #follow({ ended, unheld }: CutOff): void {
    const { looks } = this.#deps;
    looks.ended(ended);
    looks.copiesDropped(unheld);
  }
}
