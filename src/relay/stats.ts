// REED_STATS: what is counted about a reed, to whoever watches it: once on subscribing, then whenever it changed, at most once a second.
// Each replica tells the members it owns. Of reeds of other servers their homes tell. What was told last is memory: a replica that lost it tells once too often.

import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { ReedCounts } from '../wire/legs.ts';
import { countsKey, type ReedCounting } from './counting.ts';
import { notify, reedStats } from './notices.ts';

export type StatsDeps = {
  readonly application: Database;
  readonly counting: Pick<ReedCounting, 'of'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly replicaId: () => string;
};

/** Who watched since before a block, or began while it was committed, is told nothing by then. */
export const UNBLOCKED = `not exists (select from blocks b where b.active
  and ((b.user_id = v.viewer and b.target = split_part(v.target, '/', 1)) or (b.user_id = split_part(v.target, '/', 1) and b.target = v.viewer)))`;

export class Stats {
  readonly #deps: StatsDeps;
  readonly #told = new Map<ReedId, string>();
  /** Rounds and snapshots one after the other, so that nobody is told the older of two last. */
  #running: Promise<void> = Promise.resolve();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: StatsDeps) {
    this.#deps = deps;
  }

  /** A subscription was committed. */
  snapshot(viewer: UserId, reed: ReedId): Promise<void> {
    return this.#next(async () => {
      const [counts] = await this.#deps.counting.of([reed]);
      if (counts === undefined) return;
      // What the others were told stays what they were told: the next round has to see that it changed since.
      if (!this.#told.has(reed)) this.#told.set(reed, countsKey(counts));
      this.#tell(counts, [viewer]);
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
    const { application, counting, replicaId } = this.#deps;
    const targets = await application.query<{ reed: ReedId }>({
      name: 'stats_watched',
      text: `select distinct v.target as reed from reed_subscriptions v join online_users o on o.user_id = v.viewer and o.owner = $1::uuid`,
      values: [replicaId()],
    });
    const watched = await counting.of(targets.map(({ reed }) => reed));
    const changed = watched.filter((counts) => this.#told.get(counts.reedId) !== countsKey(counts));
    const still = new Set(watched.map(({ reedId }) => reedId));
    for (const reed of this.#told.keys()) if (!still.has(reed)) this.#told.delete(reed);
    if (changed.length === 0) return;
    const viewers = await application.query<{ reed: ReedId; viewers: UserId[] }>({
      name: 'stats_viewers',
      text: `select v.target as reed, array_agg(v.viewer) as viewers from reed_subscriptions v
        join online_users o on o.user_id = v.viewer and o.owner = $1::uuid where v.target = any($2::text[]) and ${UNBLOCKED} group by v.target`,
      values: [replicaId(), changed.map(({ reedId }) => reedId)],
    });
    const of = new Map(viewers.map(({ reed, viewers: all }) => [reed, all]));
    for (const counts of changed) {
      this.#told.set(counts.reedId, countsKey(counts));
      this.#tell(counts, of.get(counts.reedId) ?? []);
    }
  }

  #tell(counts: ReedCounts, viewers: readonly UserId[]): void {
    for (const viewer of viewers) notify(this.#deps.bus, viewer, reedStats(counts));
  }
}
