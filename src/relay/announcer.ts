// The debts of telling: what was committed and is not told yet is a row, taken up by the replica that committed it at once, by any other when
// its lease is over.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { BlockKind } from '../identity/blocks.ts';
import type { RemovalKind } from '../reeds/removal.ts';
import type { ReedId, UserId, UserKeyId } from '../wire/address.ts';
import type { Blocks } from './blocks.ts';
import type { Ends } from './ends.ts';
import type { Fanout } from './fanout.ts';
import type { Looks } from './looks.ts';
import type { Removals } from './removals.ts';

export type AnnouncerDeps = {
  readonly application: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: { warn(details: object, message: string): void };
  readonly looks: Looks;
  readonly fanout: Fanout;
  readonly removals: Removals;
  readonly blocks: Blocks;
  readonly ends: Ends;
  /** A stream may have a new fact: of whoever something was committed, and of what follows from the end of a key or an account. */
  readonly onFact: (author: UserId) => void;
};

type Debt =
  | { readonly kind: 'publication' | RemovalKind; readonly subject: ReedId }
  /** subject: the blocker's id, a space, the other's. */
  | { readonly kind: BlockKind; readonly subject: string }
  | { readonly kind: 'key-revocation'; readonly subject: UserKeyId }
  | { readonly kind: 'account-removal'; readonly subject: UserId };

type Table = 'pending_fanout' | 'pending_ends';

const tableOf = (kind: Debt['kind']): Table =>
  kind === 'key-revocation' || kind === 'account-removal' ? 'pending_ends' : 'pending_fanout';

/** Whose id begins the subject's. */
const authorOf = ({ subject }: Debt): UserId => subject.split(/[ /]/, 1)[0] as UserId;

/** Takes up to $3 debts that are due at $1, and lets nobody else have them until $2. */
const due = (table: Table): string => `
  update ${table} f set due_at = $2 from (select kind, subject_id from ${table} where due_at <= $1 order by due_at limit $3 for update skip locked) t
  where f.kind = t.kind and f.subject_id = t.subject_id returning f.kind, f.subject_id as subject, f.looks::int`;

export class Announcer {
  readonly #deps: AnnouncerDeps;

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  /** Something was committed here. What fails is taken up when its lease is over. */
  committed(debt: Debt): void {
    this.#deps.onFact(authorOf(debt));
    this.#deps.looks.look(() => this.#pay(debt, 0));
  }

  /** Takes up what other replicas, or failures, left behind, and what is due for its second look. One that fails keeps no other one waiting. */
  async sweep(): Promise<void> {
    const { application, clock, limits, log } = this.#deps;
    const now = clock.now();
    const rows = await application.query<Debt & { looks: number }>({
      name: 'announcer_due',
      text: `with told as (${due('pending_fanout')}), ended as (${due('pending_ends')}) select * from told union all select * from ended`,
      values: [new Date(now), new Date(now + limits.fanoutLeaseMs), limits.fanoutsPerSweep],
    });
    for (const { looks, ...debt } of rows) {
      this.#deps.onFact(authorOf(debt));
      await this.#pay(debt, looks).catch((error) =>
        log.warn({ kind: debt.kind, subject: debt.subject, err: error }, 'what is to be told could not be, and is tried again'),
      );
    }
  }

  async #pay(debt: Debt, looked: number): Promise<void> {
    const { blocks, ends, fanout, removals } = this.#deps;
    switch (debt.kind) {
      case 'publication':
        return fanout.run(debt.subject);
      case 'block':
      case 'unblock': {
        const [author, viewer] = debt.subject.split(' ') as [UserId, UserId];
        await blocks.run(debt.kind, author, viewer);
        break;
      }
      case 'key-revocation':
        await ends.key(debt.subject);
        this.#deps.onFact(authorOf(debt));
        break;
      case 'account-removal':
        await ends.account(debt.subject);
        this.#deps.onFact(debt.subject);
        break;
      default:
        await removals.run(debt.kind, debt.subject);
    }
    await this.#looked(debt, looked);
  }

  /**
   * What a removal, a revocation or a block ends is looked for twice: an acknowledgement whose statement began before the removal's commit may write its
   * allocation after the first look. No statement lasts as long as the time between the two. A newer block of the same pair begins at its first.
   */
  async #looked({ kind, subject }: Debt, looked: number): Promise<void> {
    const { application, clock, limits } = this.#deps;
    const table = tableOf(kind);
    await application.query(
      looked > 0
        ? {
            name: `announcer_done_${table}`,
            text: `delete from ${table} where kind = $1 and subject_id = $2 and looks > 0`,
            values: [kind, subject],
          }
        : {
            name: `announcer_again_${table}`,
            text: `update ${table} set looks = 1, due_at = $3 where kind = $1 and subject_id = $2 and looks = 0`,
            values: [kind, subject, new Date(clock.now() + limits.removalSecondLookMs)],
          },
    );
  }
}
