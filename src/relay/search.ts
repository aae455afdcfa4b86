// The exact search for online holders of a reed with more allocations than one look samples. Dear (tens of milliseconds for
// a hundred thousand holders), so it runs outside the batches and rarely.
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';

/** Up to `limit` online holders of `reed`, at random. */
export const onlineHolders = async (db: Database, reed: ReedId, limit: number): Promise<UserId[]> => {
  const rows = await db.query<{ user_id: UserId }>({
    name: 'relay_online_holders',
    text: `
select o.user_id from online_users o
where exists (select from reed_allocations a where a.holder_user_id = o.user_id and a.reed_id = $1)
order by random() limit $2`,
    values: [reed, limit],
  });
  return rows.map((row) => row.user_id);
};
