// REED_STATS: what is counted about a reed, to whoever watches it: once on subscribing, then whenever it changed, at most once a second.
// Each replica tells the members it owns. What was told last is memory: a replica that lost it tells once too often.

import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { Frame } from '../wire/frames.ts';
import { notify } from './notices.ts';

export type StatsDeps = {
  readonly application: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly replicaId: () => string;
};

type Counts = {
  readonly reed: ReedId;
  readonly echoes: number;
  readonly replies: number;
  readonly likes: number;
  readonly holders: number;
};

const COUNTS =
  'r.id as reed, coalesce(s.echoes, 0) as echoes, coalesce(s.replies, 0) as replies, coalesce(s.likes, 0) as likes, coalesce(s.holders, 0) as holders';
/** Of what nobody is shown nothing is told. */
const THERE = `r.published_at is not null and r.removed_at is null
  and not exists (select from account_removals x where x.user_id = r.author_id)`;
/** Who watched since before a block, or began while it was committed, is told nothing by then. */
const UNBLOCKED = `not exists (select from blocks b where b.active
  and ((b.user_id = v.viewer and b.target = split_part(v.target, '/', 1)) or (b.user_id = split_part(v.target, '/', 1) and b.target = v.viewer)))`;

export class Stats {
  readonly #deps: StatsDeps;
  readonly #told = new Map<ReedId, string>();
  /** Rounds and snapshots one after the other, so that nobody is told the older of two last. */
  #running: Promise<void> = Promise.resolve();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #members = { count: 1, at: Number.NEGATIVE_INFINITY };

  constructor(deps: StatsDeps) {
    this.#deps = deps;
  }

  /** A subscription was committed. */
  snapshot(viewer: UserId, reed: ReedId): Promise<void> {
    return this.#next(async () => {
      const [counts] = await this.#deps.application.query<Counts>({
        name: 'stats_one',
        text: `select ${COUNTS} from reeds r left join reed_stats s on s.reed_id = r.id where r.id = $1 and ${THERE}`,
        values: [reed],
      });
      if (counts === undefined) return;
      // What the others were told stays what they were told: the next round has to see that it changed since.
      if (!this.#told.has(reed)) this.#told.set(reed, keyOf(counts));
      await this.#tell(counts, [viewer]);
    });
  }

  /** Tells what changed, if it is time. */
  round(): Promise<void> {
    return this.#next(async () => {
      const { clock, limits } = this.#deps;
      if (clock.now() - this.#lookedAt < limits.statsEveryMs) return;
      this.#lookedAt = clock.now();
      await this.#round();
    });
  }

  #next(task: () => Promise<void>): Promise<void> {
    const run = this.#running.then(task);
    this.#running = run.catch(() => undefined);
    return run;
  }

  async #round(): Promise<void> {
    const { application, replicaId } = this.#deps;
    const watched = await application.query<Counts>({
      name: 'stats_watched',
      text: `select ${COUNTS} from (
          select distinct v.target from reed_subscriptions v join online_users o on o.user_id = v.viewer and o.owner = $1::uuid) w
        join reeds r on r.id = w.target left join reed_stats s on s.reed_id = w.target where ${THERE}`,
      values: [replicaId()],
    });
    const changed = watched.filter((counts) => this.#told.get(counts.reed) !== keyOf(counts));
    const still = new Set(watched.map(({ reed }) => reed));
    for (const reed of this.#told.keys()) if (!still.has(reed)) this.#told.delete(reed);
    if (changed.length === 0) return;
    const viewers = await application.query<{ reed: ReedId; viewers: UserId[] }>({
      name: 'stats_viewers',
      text: `select v.target as reed, array_agg(v.viewer) as viewers from reed_subscriptions v
        join online_users o on o.user_id = v.viewer and o.owner = $1::uuid where v.target = any($2::text[]) and ${UNBLOCKED} group by v.target`,
      values: [replicaId(), changed.map(({ reed }) => reed)],
    });
    const of = new Map(viewers.map(({ reed, viewers: all }) => [reed, all]));
    for (const counts of changed) {
      this.#told.set(counts.reed, keyOf(counts));
      await this.#tell(counts, of.get(counts.reed) ?? []);
    }
  }

  async #tell(counts: Counts, viewers: readonly UserId[]): Promise<void> {
    const { reed: reedId, echoes, replies, likes, holders } = counts;
    const coveragePercent = Math.min(100, Math.floor((100 * holders) / Math.max(1, await this.#memberCount())));
    const frame: Frame = { id: '', type: 'reedStats', body: { reedId, echoes, replies, likes, coveragePercent } };
    for (const viewer of viewers) notify(this.#deps.bus, viewer, frame);
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

const keyOf = ({ echoes, replies, likes, holders }: Counts): string => `${echoes} ${replies} ${likes} ${holders}`;
