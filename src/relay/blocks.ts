// What a block or unblock sets off beside its own transaction: the blocked member's events, copies and watching end, and it is told, now or at
// its next sync, until it acknowledges. A notice is no content: it needs no event.

import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { BlockKind, Blocks as IdentityBlocks, OwedNotice } from '../identity/blocks.ts';
import type { Executor } from '../identity/executor.ts';
import { lockPair } from '../identity/follows.ts';
import { blockOf } from '../identity/standing.ts';
import { type CutOff, cutOff } from '../ledger/ends.ts';
import { endWatching } from '../presence/subscriptions.ts';
import type { UserId } from '../wire/address.ts';
import type { Looks } from './looks.ts';
import { notify } from './notices.ts';

export type BlocksDeps = {
  readonly application: Database;
  readonly bus: Bus;
  readonly limits: Limits;
  readonly looks: Looks;
  readonly blocks: Pick<IdentityBlocks, 'owed' | 'acknowledge'>;
};

const UTF8 = new TextEncoder();
const FRAMES = { block: 'userBlocked', unblock: 'userUnblocked' } as const;

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
    for (const notice of await this.#deps.blocks.owed(viewer, { after: '', limit: 1, about: author })) this.#tell(viewer, notice);
  }

  /** A member is back: whatever it has not acknowledged is told again. */
  async tellOwed(member: UserId): Promise<void> {
    const { blocks, limits } = this.#deps;
    for (let after = ''; ; ) {
      const page = await blocks.owed(member, { after, limit: limits.pageItems });
      for (const notice of page) this.#tell(member, notice);
      const last = page.at(-1);
      if (last === undefined || page.length < limits.pageItems) return;
      after = last.about;
    }
  }

  acknowledge(member: UserId, about: UserId, countersignatureHash: string): Promise<void> {
    return this.#deps.blocks.acknowledge(member, about, countersignatureHash);
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

  #tell(member: UserId, { kind, certificate }: OwedNotice): void {
    notify(this.#deps.bus, member, {
      id: '',
      type: FRAMES[kind],
      body: { requestId: '', certificate: UTF8.encode(JSON.stringify(certificate)) },
    });
  }
}
