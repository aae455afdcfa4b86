// Tells members of blocks and unblocks about them, a page at a time: the next one when the last is acknowledged, or after a while if the send
// buffer has room, so that any number of them fills no buffer. How far somebody was told is memory: who syncs again is told from the start.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { Blocks as IdentityBlocks, OwedNotice } from '../identity/blocks.ts';
import type { UserId } from '../wire/address.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { Looks } from './looks.ts';

export type BlockNoticesDeps = {
  readonly application: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly looks: Looks;
  readonly blocks: Pick<IdentityBlocks, 'owed' | 'owedAbout' | 'acknowledge'>;
};

/** Told of everybody up to `after`; `awaited` of its last page are not acknowledged yet. */
type Telling = { after: string; readonly awaited: Set<UserId>; dueAt: number; busy: boolean };

const UTF8 = new TextEncoder();
const FRAMES = { block: 'userBlocked', unblock: 'userUnblocked' } as const;

export class BlockNotices {
  readonly #deps: BlockNoticesDeps;
  readonly #telling = new Map<UserId, Telling>();

  constructor(deps: BlockNoticesDeps) {
    this.#deps = deps;
  }

  /** A member is back: whatever it has not acknowledged is told again. */
  begin(member: UserId): Promise<void> {
    return this.#goOn(member, this.#startAnew(member));
  }

  /** The one that `member` is owed about `about`, if any, has just been committed. Without room for it all are told anew once there is. */
  async tell(member: UserId, about: UserId): Promise<void> {
    const { blocks, clock, limits } = this.#deps;
    const notice = await blocks.owedAbout(member, about);
    if (notice !== null && !(await this.#write(member, notice))) this.#startAnew(member).dueAt = clock.now() + limits.requesterFullMs;
  }

  async acknowledge(member: UserId, about: UserId, countersignatureHash: string): Promise<void> {
    const { blocks, looks } = this.#deps;
    await blocks.acknowledge(member, about, countersignatureHash);
    const telling = this.#telling.get(member);
    if (telling?.awaited.delete(about) && telling.awaited.size === 0) looks.look(() => this.#goOn(member, telling));
  }

  /** Goes on with those who acknowledge nothing, or had no room. Who is gone is told at its next sync. */
  async round(): Promise<void> {
    const { application, clock } = this.#deps;
    const due = [...this.#telling].filter(([, { dueAt }]) => dueAt <= clock.now());
    if (due.length === 0) return;
    const rows = await application.query<{ id: UserId }>({
      name: 'block_notices_present',
      text: 'select user_id as id from online_users where user_id = any($1::text[])',
      values: [due.map(([member]) => member)],
    });
    const present = new Set(rows.map(({ id }) => id));
    for (const [member, telling] of due) {
      if (present.has(member)) await this.#goOn(member, telling);
      else if (this.#telling.get(member) === telling) this.#telling.delete(member);
    }
  }

  #startAnew(member: UserId): Telling {
    const telling: Telling = { after: '', awaited: new Set(), dueAt: 0, busy: false };
    this.#telling.set(member, telling);
    return telling;
  }

  async #goOn(member: UserId, telling: Telling): Promise<void> {
    if (telling.busy) return;
    telling.busy = true;
    try {
      while (this.#telling.get(member) === telling) {
        const isWhole = await this.#page(member, telling);
        if (!isWhole || telling.awaited.size > 0) return;
      }
    } finally {
      telling.busy = false;
    }
  }

  /** @returns false if not all of it could be written */
  async #page(member: UserId, telling: Telling): Promise<boolean> {
    const { blocks, clock, limits } = this.#deps;
    telling.awaited.clear();
    telling.dueAt = clock.now() + limits.acknowledgeMs;
    const page = await blocks.owed(member, { after: telling.after, limit: limits.pageItems });
    for (const notice of page) {
      telling.awaited.add(notice.about);
      if (!(await this.#write(member, notice))) {
        telling.dueAt = clock.now() + limits.requesterFullMs;
        return false;
      }
      telling.after = notice.about;
    }
    if (page.length < limits.pageItems && this.#telling.get(member) === telling) this.#telling.delete(member);
    return true;
  }

  /** As content: a buffer that is full takes none. */
  #write(member: UserId, { kind, certificate }: OwedNotice): Promise<boolean> {
    const body = { requestId: '', certificate: UTF8.encode(JSON.stringify(certificate)) };
    return this.#deps.bus.deliver(member, encodeFrame({ id: '', type: FRAMES[kind], body }), 'content');
  }
}
