// What is counted about reeds of our own members: echoes, replies, likes, how much of the community holds them, and how many peers have a holder. Of
// what nobody is shown nothing is counted.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId } from '../wire/address.ts';
import type { ReedCounts } from '../wire/legs.ts';

export type CountingDeps = { readonly application: Database; readonly clock: Clock; readonly limits: Limits };

type Row = Omit<ReedCounts, 'coveragePercent'> & { readonly holders: number };

const WHOLE = 100;

export class ReedCounting {
  readonly #deps: CountingDeps;
  #members = { count: 1, at: Number.NEGATIVE_INFINITY };

  constructor(deps: CountingDeps) {
    this.#deps = deps;
  }

  /** Of those that are shown to anybody. Holders at peers are no part of the percentage: how many they are is not known here. */
  async of(reeds: readonly ReedId[]): Promise<ReedCounts[]> {
    if (reeds.length === 0) return [];
    const rows = await this.#deps.application.query<Row>({
      name: 'reed_counts',
      isPlannedAnew: true,
      text: `select r.id as "reedId", coalesce(s.echoes, 0) as echoes, coalesce(s.replies, 0) as replies, coalesce(s.likes, 0) as likes,
          coalesce(s.holders, 0) as holders,
          (select count(*)::int from reed_server_allocations a where a.reed_id = r.id and a.holding) as "holderServers"
        from reeds r join users u on u.id = r.author_id left join reed_stats s on s.reed_id = r.id
        where r.id = any($1::text[]) and r.published_at is not null and r.removed_at is null
          and not exists (select from account_removals x where x.user_id = r.author_id)`,
      values: [reeds],
    });
    const members = Math.max(1, await this.#memberCount());
    return rows.map(({ holders, ...row }) => ({ ...row, coveragePercent: Math.min(WHOLE, Math.floor((WHOLE * holders) / members)) }));
  }

  async #memberCount(): Promise<number> {
    const { application, clock, limits } = this.#deps;
    if (clock.now() - this.#members.at >= limits.membersCountedEveryMs) {
      const [row] = await application.query<{ count: number }>({
        name: 'stats_members',
        text: 'select count(*)::int as count from users u where not exists (select from account_removals a where a.user_id = u.id)',
      });
      this.#members = { count: row?.count ?? 1, at: clock.now() };
    }
    return this.#members.count;
  }
}

/** Whether somebody who was told one has to be told the other. */
export const countsKey = ({ echoes, replies, likes, coveragePercent, holderServers }: ReedCounts): string =>
  `${echoes} ${replies} ${likes} ${coveragePercent} ${holderServers}`;
