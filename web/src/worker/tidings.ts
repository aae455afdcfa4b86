// What pages are told without having asked: where things stand, and that what they show may have changed. The connection is told at once; what comes in
// crowds is told together, a little later.
import type { Clock } from '../../../src/base/clock.ts';
import type { Member } from '../../../src/client/member.ts';
import type { MemberEvent } from '../../../src/client/types.ts';
import { fingerprintOf } from '../../../src/wire/address.ts';
import type { EndView, UnreadView } from '../link/community.ts';
import { type Me, type Phase, STARTING, type Status } from '../link/protocol.ts';
import type { Database } from '../store/database.ts';
import type { Servers } from './servers.ts';
import type { Unread } from './unread.ts';

const TOGETHER_MS = 150;
/** What may change a page that is shown. */
const CHANGING: ReadonlySet<MemberEvent['type']> = new Set(['copy', 'outbox', 'act', 'tombstone', 'blocker', 'broadcast', 'arrived']);
const STANDING: ReadonlySet<MemberEvent['type']> = new Set(['sync', 'recall', 'quota']);

export type Audience = { show(status: Status): void; changed(own: boolean): void };

type Parts = {
  readonly member: Member;
  readonly database: Database;
  readonly audience: Audience;
  readonly clock: Clock;
  readonly unread: Unread;
  readonly servers: Pick<Servers, 'list'>;
  /** How the account was ended on this device; null if it was not. */
  end(): EndView | null;
};

export class Tidings {
  readonly #parts: Parts;
  #reason = '';
  #unread: UnreadView = STARTING.unread;
  #waiting: { readonly changed: boolean; readonly own: boolean } | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.member.subscribe((event) => this.#hear(event));
  }

  /** Counts anew what is unread, and tells where things stand. */
  async tell(): Promise<void> {
    if (this.#parts.member.account) this.#unread = await this.#parts.unread.count();
    await this.#show();
  }

  /** Null before this device has an account. */
  get me(): Me | null {
    const { account } = this.#parts.member;
    if (!account) return null;
    const { user, username, server, key, backedUp } = account;
    return { userId: user, username, server, key: fingerprintOf(key), backedUp };
  }

  #hear(event: MemberEvent): void {
    if (event.type === 'connection') {
      this.#reason = event.reason ?? '';
      void this.#show();
    }
    const changed = CHANGING.has(event.type);
    if (changed || STANDING.has(event.type)) this.#tellSoon(changed, event.type === 'act' || event.type === 'outbox');
  }

  #tellSoon(changed: boolean, own: boolean): void {
    const { clock, audience } = this.#parts;
    const before = this.#waiting;
    this.#waiting = { changed: changed || before?.changed === true, own: own || before?.own === true };
    if (before) return;
    clock.after(TOGETHER_MS, () => {
      const now = this.#waiting;
      this.#waiting = null;
      if (now?.changed) audience.changed(now.own);
      void (now?.changed ? this.tell() : this.#show());
    });
  }

  async #show(): Promise<void> {
    const { member, database, audience, end, servers } = this.#parts;
    const { me } = this;
    if (!me) return audience.show({ ...STARTING, phase: 'signed-out' });
    // Ids begin with their author's; no other sign of theirs stands right before this one.
    const own = await database.count('copies', IDBKeyRange.bound(`${me.userId}/`, `${me.userId}0`));
    const kept = (await database.count('copies')) - own;
    const unsent = (await member.outbox()).filter((record) => !record.refused).length;
    const phase: Phase = member.connection;
    const { sync, recall, quota } = member.receiving;
    const { state, received, behind } = sync;
    audience.show({
      ...{ phase, me, kept, unsent, unread: this.#unread, space: quota.state, end: end(), peers: servers.list },
      reason: phase === 'stopped' ? this.#reason : '',
      sync: { state, received, behind },
      recall: recall.progress,
    });
  }
}
