// A community's reeds, written straight into the database: what members would have published and passed on before the load begins.
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount, LightCommunity } from '../support/light-member.ts';
import type { Library } from './load-child.ts';

/** Holders of a reed are so many members apart. */
const STEP = 53;

/** Publishes `count` reeds of all members in turn, each held by its author and others. */
export const writeLibrary = async (
  community: LightCommunity,
  accounts: readonly LightAccount[],
  of: { readonly count: number; readonly holders: number },
): Promise<Library> => {
  const members = accounts.length;
  const userOf = (index: number): string => accounts[index % members]?.userId ?? '';
  const reeds = Array.from({ length: of.count }, (_, reed) => `${userOf(reed)}/${uuidv7(Date.now(), cryptoRandom)}` as ReedId);
  const held = reeds.flatMap((id, reed) => Array.from({ length: of.holders }, (_, nth) => ({ id, holder: userOf(reed + nth * STEP) })));
  await community.rows(
    `with r as materialized (select id, split_part(id, '/', 1) as author from unnest($1::text[]) as r(id)),
      i as (insert into reed_identities (id, server_id, author_id) select id, split_part(author, '@', 2), author from r),
      p as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
        select r.id, u.id, u.identity_hash, now(), now() from r join users u on u.id = r.author)
    insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
    select holder, id, 'd', current_date from unnest($2::text[], $3::text[]) as h(holder, id)`,
    [reeds, held.map(({ holder }) => holder), held.map(({ id }) => id)],
  );
  // As autovacuum would have done by the time that anybody asks for them.
  for (const table of ['reed_allocations', 'reeds', 'reed_identities', 'users']) await community.rows(`vacuum analyze ${table}`);
  return { reeds, members, holders: of.holders, step: STEP };
};
