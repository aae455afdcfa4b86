// Lists of reeds over HTTP: what replies to or echoes one, and what a new device of a member asks back. Each goes on after the last item of the
// page before, whose row stays when the reed is removed: so that nothing that is there all the while is skipped or told twice.
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { requireReadable } from './reading.ts';

export type ListedReed = { readonly id: ReedId; readonly certificate: Certificate<StatementOf<'reed'>>; readonly publishedAt: Date };
/** `after`: the last id of the page before, '' for the first page. */
export type ReedPage = { readonly after: string; readonly limit: number };
export type Relation = 'replies' | 'echoes';

const COLUMNS = { replies: 'reply_to', echoes: 'echo_of' } as const;
const LISTED = `select r.id, s.certificate, r.published_at as "publishedAt" from reeds r join statements s on s.hash = r.statement_hash`;
const SHOWN = 'r.published_at is not null and r.removed_at is null';
/** Where the page before ended. An id that names no reed `c` of this list is its end: it tells nothing of any other one. */
const place = (first: 'infinity' | '-infinity', listed: string): string =>
  `(case when $2 = '' then '${first}'::timestamptz else (select c.published_at from reeds c where c.id = $2 and ${listed}) end, $2)`;

export class ReedLists {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Published reeds that reply to a reed itself (one level), or echo it, by their publication; without those of members whom a block stands between
   * the viewer and, either way, and of accounts that are gone.
   * @throws AppError NOT_FOUND, REMOVED or BLOCKED with the certificate, as reading the reed does
   */
  async related(viewer: UserId, relation: Relation, { reed, after, limit }: ReedPage & { readonly reed: ReedId }): Promise<ListedReed[]> {
    await requireReadable(this.#db.kysely, viewer, reed);
    return this.#db.query<ListedReed>({
      name: `reeds-${relation}`,
      text: `${LISTED}
        where r.${COLUMNS[relation]} = $1 and ${SHOWN} and (r.published_at, r.id) > ${place('-infinity', `c.${COLUMNS[relation]} = $1`)}
          and not exists (select from account_removals a where a.user_id = r.author_id)
          and not exists (select from blocks b where b.user_id = r.author_id and b.target = $3 and b.active)
          and not exists (select from blocks b where b.user_id = $3 and b.target = r.author_id and b.active)
        order by r.published_at, r.id limit $4`,
      values: [reed, after, viewer, limit],
    });
  }

  /** What a member has published and not removed, the parts of threads one by one, newest first. */
  async own(member: UserId, { after, limit }: ReedPage): Promise<ListedReed[]> {
    return this.#db.query<ListedReed>({
      name: 'reeds-own',
      text: `${LISTED}
        where r.author_id = $1 and ${SHOWN} and (r.published_at, r.id) < ${place('infinity', 'c.author_id = $1')}
        order by r.published_at desc, r.id desc limit $3`,
      values: [member, after, limit],
    });
  }

  /** What the server counts on this member to have, by id. */
  async held(member: UserId, { after, limit }: ReedPage): Promise<ReedId[]> {
    const rows = await this.#db.query<{ id: ReedId }>({
      name: 'reeds-held',
      text: 'select reed_id as id from reed_allocations where holder_user_id = $1 and reed_id > $2 order by reed_id limit $3',
      values: [member, after, limit],
    });
    return rows.map(({ id }) => id);
  }

  /** What a member likes, by id, whether or not it is still there. */
  async liked(member: UserId, { after, limit }: ReedPage): Promise<ReedId[]> {
    const rows = await this.#db.query<{ id: ReedId }>({
      name: 'reeds-liked',
      text: 'select target as id from likes where user_id = $1 and active and target > $2 order by target limit $3',
      values: [member, after, limit],
    });
    return rows.map(({ id }) => id);
  }
}
