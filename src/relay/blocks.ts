// What a block or unblock sets off beside its own transaction: the blocked member's events and copies end, and it is told, now or at its next
// sync, until it acknowledges. A notice is no content: it needs no event.

import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { BlockKind, Blocks as IdentityBlocks, OwedNotice } from '../identity/blocks.ts';
import type { Executor } from '../identity/executor.ts';
import { cutOff } from '../ledger/ends.ts';
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
    const ended = await cutOff(tx, author, viewer);
    return () => this.#deps.looks.ended(ended);
  }

  /** Carries a committed block or unblock out. May run any number of times: what was opened while the block was being committed ends too. */
  async run(kind: BlockKind, author: UserId, viewer: UserId): Promise<void> {
    const { application, blocks, looks } = this.#deps;
    if (kind === 'block') looks.ended(await cutOff(application.kysely, author, viewer));
    for (const notice of await blocks.owed(viewer, { after: '', limit: 1, about: author })) this.#tell(viewer, notice);
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

  #tell(member: UserId, { kind, certificate }: OwedNotice): void {
    notify(this.#deps.bus, member, {
      id: '',
      type: FRAMES[kind],
      body: { requestId: '', certificate: UTF8.encode(JSON.stringify(certificate)) },
    });
  }
}
