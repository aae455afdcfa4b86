// What of a member's profile is about reeds: how many they have published, and the one they pinned, if it can be read.
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { ListedReed } from './lists.ts';

export class ReedProfile {
  readonly #db: Database;
  readonly #limits: Limits;

  constructor(db: Database, limits: Limits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** What the pages of the member's profile show, a thread once; as far as it is counted. */
  async count(author: UserId): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>({
      name: 'reeds-count',
      text: `select count(*)::int as count from (
          select from reeds r where r.author_id = $1 and r.published_at is not null and r.removed_at is null
            and (r.thread_head is null or r.thread_head = r.id) limit $2) as counted`,
      values: [author, this.#limits.profileCounts],
    });
    return row?.count ?? 0;
  }

  /** A published reed of the author's own; null for any other. */
  async pinned(author: UserId, reed: ReedId): Promise<ListedReed | null> {
    const [row] = await this.#db.query<ListedReed>({
      name: 'reeds-pinned',
      text: `select r.id, s.certificate, r.published_at as "publishedAt" from reeds r join statements s on s.hash = r.statement_hash
        where r.id = $2 and r.author_id = $1 and r.published_at is not null and r.removed_at is null`,
      values: [author, reed],
    });
    return row ?? null;
  }
}
