// What a reed says about others: reply, echo, mentions, tags, thread. Checked and stored in the transaction that registers the reed.
// A reference to a reed of another server stays a bare id; one to a reed here must be published and not removed.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { Executor } from '../identity/executor.ts';
import { refuseBlocked, refuseRemovedAccount } from '../identity/standing.ts';
import { type ReedId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import type { StatementOf } from '../wire/statements.ts';

export type ReedStatement = StatementOf<'reed'>;

/** Why a mention goes nowhere. */
export type MentionReason = 'unknown' | 'no-peer' | 'blocked';
export type Mention = { readonly user: UserId; readonly accepted: boolean; readonly reason?: MentionReason };

type Referred = { author_id: UserId; root: ReedId | null; published: boolean; removal: object | null; removed: boolean };

/** @throws AppError INVALID naming the field, BLOCKED or REMOVED with the certificate */
export async function checkReferences(tx: Executor, reed: ReedStatement, home: ServerId): Promise<void> {
  if (reed.replyTo !== undefined && serverOf(reed.replyTo) === home) {
    const parent = await referred(tx, reed, 'replyTo', reed.replyTo);
    if (reed.root !== (parent.root ?? reed.replyTo)) throw new AppError('INVALID', 'root: not the root of the reed that is replied to');
  }
  if (reed.echoOf !== undefined && serverOf(reed.echoOf) === home) await referred(tx, reed, 'echoOf', reed.echoOf);
}

async function referred(tx: Executor, reed: ReedStatement, field: 'replyTo' | 'echoOf', id: ReedId): Promise<Referred> {
  const { rows } = await sql<Referred>`
    select r.author_id, r.root, r.published_at is not null as published, r.removed_at is not null as removed, s.certificate as removal
    from reeds r left join statements s on s.hash = r.removal_hash
    where r.id = ${id}`.execute(tx);
  const [found] = rows;
  const missing = () => new AppError('INVALID', `${field}: no published reed`);
  if (found === undefined || !found.published) throw missing();
  if (found.removed)
    throw new AppError('REMOVED', `${field}: the reed was removed`, found.removal === null ? {} : { certificate: found.removal });
  await refuseRemovedAccount(tx, found.author_id, missing);
  await refuseBlocked(tx, found.author_id, reed.author);
  return found;
}

/** Stores tags and mentions; says of each mention whether it will reach anybody. */
export async function storeRelations(tx: Executor, reed: ReedStatement, home: ServerId): Promise<void> {
  if (reed.tags.length > 0) {
    await sql`insert into reed_tags (reed_id, tag) select ${reed.id}, unnest(${[...reed.tags].sort()}::text[])`.execute(tx);
  }
  if (reed.mentions.length === 0) return;
  await sql`
    insert into reed_mentions (reed_id, user_id, accepted, reason)
    select ${reed.id}, id, reason is null, reason from (
      select m.id, case
        when split_part(m.id, '@', 2) <> ${home} and not exists (select from live_peers p where p.server_id = split_part(m.id, '@', 2)) then 'no-peer'
        -- Who is at a peer, its home knows; here it is known who is gone and who blocks whom.
        when (u.id is null and split_part(m.id, '@', 2) = ${home}) or exists (select from account_removals a where a.user_id = m.id) then 'unknown'
        when exists (select from blocks b where b.active and
          ((b.user_id = m.id and b.target = ${reed.author}) or (b.user_id = ${reed.author} and b.target = m.id))) then 'blocked'
        end as reason
      from unnest(${[...reed.mentions].sort()}::text[]) as m(id) left join users u on u.id = m.id) as judged`.execute(tx);
}

/** Mentions as judged when the reed was registered, by user id. */
export async function mentionsOf(executor: Executor, reed: ReedId): Promise<Mention[]> {
  const { rows } = await sql<{ user_id: UserId; accepted: boolean; reason: MentionReason | null }>`
    select user_id, accepted, reason from reed_mentions where reed_id = ${reed} order by user_id`.execute(executor);
  return rows.map(({ user_id: user, accepted, reason }) => (reason === null ? { user, accepted } : { user, accepted, reason }));
}
