// What a member is owed for the time it was away, stage by stage: each a page of one keyset, read forward from a place, with what of it is
// to be owed. A stage says nothing about who has the reed; the ledger finds out.
import type { Database } from '../db/pool.ts';
import type { EventName, NoticeKind, SubjectKind } from '../ledger/state.ts';
import type { ReedId, UserId } from '../wire/address.ts';

/** A place in a stage: everything up to it was looked at. Times as the database writes them, to the microsecond. */
export type Place = { readonly at: string | null; readonly id: string | null };

export type Due = {
  /** A reed's or thread's id; of notices also an account's or a key's. */
  readonly subject: ReedId;
  readonly kind: SubjectKind | NoticeKind;
  readonly place: Place;
  /** False: looked at, and not owed. */
  readonly owed: boolean;
};
export type Page = {
  readonly rows: readonly Due[];
  /** Where the next page starts; null: that was the last. */
  readonly next: Place | null;
};

export type StageQuery = { readonly member: UserId; readonly from: Place; readonly limit: number };

export type Stage = {
  readonly name: string;
  /** By which message it is owed; null where the kind says so: notices of the server's own. */
  readonly eventName: EventName | null;
  page(db: Database, query: StageQuery): Promise<Page>;
};

/**
 * Whether reed `r` is owed to $1: not its own, there, neither held nor declined by it, no block either way; and held by somebody here, or of another
 * server that can be reached, which may have it.
 */
const OWED = `
  r.author_id <> $1 and r.published_at is not null and r.removed_at is null
  and (exists (select from reed_allocations a where a.reed_id = r.id)
    or exists (select from near_peers n where n.server_id = split_part(r.author_id, '@', 2)))
  and not exists (select from reed_allocations a where a.holder_user_id = $1 and a.reed_id = r.id)
  and not exists (select from reed_declines d where d.user_id = $1 and d.reed_id = r.id)
  and not exists (select from account_removals x where x.user_id = r.author_id)
  and not exists (select from blocks b where b.active and b.user_id = r.author_id and b.target = $1)
  and not exists (select from blocks b where b.active and b.user_id = $1 and b.target = r.author_id)`;

/**
 * A thread is owed whole, by its head: `r` is the head of what `p` is a part of, or `p` itself. Looked up by its key (`limit 1`): joined, a plan of
 * when there were few reads them all.
 */
const HEAD = 'cross join lateral (select * from reeds where id = coalesce(p.thread_head, p.id) limit 1) r';
const KIND = `case when r.thread_head = r.id then 'thread' else 'reed' end as kind`;

type Row = { subject: ReedId; kind: Due['kind']; at: string | null; id: string; owed: boolean };

const toDue = ({ subject, kind, at, id, owed }: Row): Due => ({ subject, kind, owed, place: { at, id } });

/** A full page may have more behind it. */
const pageOf = (rows: readonly Row[], limit: number): Page => {
  const due = rows.map(toDue);
  return { rows: due, next: rows.length < limit ? null : (due.at(-1)?.place ?? null) };
};

/** Copies of what was removed meanwhile: the allocations that still stand. */
const removals: Stage = {
  name: 'removals',
  eventName: null,
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row>({
      name: 'catchup_removals',
      text: `select case when x.user_id is not null then x.user_id
            when t.removal_hash is not null and t.removal_hash = r.removal_hash then t.id else r.id end as subject,
          case when x.user_id is not null then 'account_removal'
            when t.removal_hash is not null and t.removal_hash = r.removal_hash then 'thread_removal' else 'reed_removal' end as kind,
          null as at, a.reed_id as id, (r.removed_at is not null or x.user_id is not null) and r.author_id <> $1 as owed
        from (select reed_id from reed_allocations where holder_user_id = $1 and reed_id > $2 order by reed_id limit $3) a
        left join lateral (select * from reeds where id = a.reed_id limit 1) r on true
        left join lateral (select * from threads where id = r.thread_head limit 1) t on true
        left join account_removals x on x.user_id = r.author_id and x.statement_hash is not null order by a.reed_id`,
      values: [member, from.id ?? '', limit],
    });
    return pageOf(rows, limit);
  },
};

/** Whom the member follows and who is gone: the edges that still stand. */
const accounts: Stage = {
  name: 'accounts',
  eventName: null,
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row>({
      name: 'catchup_accounts',
      text: `select f.target as subject, 'account_removal' as kind, null as at, f.target as id,
          exists (select from account_removals x where x.user_id = f.target and x.statement_hash is not null) as owed
        from (select target from follows where user_id = $1 and active and target > $2 order by target limit $3) f order by f.target`,
      values: [member, from.id ?? '', limit],
    });
    return pageOf(rows, limit);
  },
};

/** Keys that the member verifies with and that have ended: the allocations that still stand. */
const keys: Stage = {
  name: 'keys',
  eventName: null,
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row>({
      name: 'catchup_keys',
      text: `select a.key_id as subject, 'key' as kind, null as at, a.key_id as id,
          k.void_hash is not null or exists (select from key_revocations r where r.key_id = a.key_id) as owed
        from (select key_id from key_allocations where user_id = $1 and key_id > $2 order by key_id limit $3) a
        join keys k on k.id = a.key_id order by a.key_id`,
      values: [member, from.id ?? '', limit],
    });
    return pageOf(rows, limit);
  },
};

const mentions: Stage = {
  name: 'mentions',
  eventName: 'MENTION',
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row>({
      name: 'catchup_mentions',
      text: `select r.id as subject, ${KIND}, null as at, m.reed_id as id, ${OWED} as owed
        from (select reed_id from reed_mentions where user_id = $1 and accepted and reed_id > $2 order by reed_id limit $3) m
        cross join lateral (select * from reeds where id = m.reed_id limit 1) p ${HEAD} order by m.reed_id`,
      values: [member, from.id ?? '', limit],
    });
    return pageOf(rows, limit);
  },
};

const replies: Stage = {
  name: 'replies',
  eventName: 'REED_REPLY',
  page: async (db, { member, from, limit }) => {
    // Ids of a member's reeds begin with its own id: what answers any of them is one range of the index by parent.
    const [parent, reply] = from.id?.split(' ') ?? [];
    const rows = await db.query<Row>({
      name: 'catchup_replies',
      text: `select r.id as subject, ${KIND}, null as at, p.reply_to || ' ' || p.id as id, ${OWED} as owed
        from (select * from reeds where reply_to < $1 || '0' and (reply_to, id) > ($2, $3) order by reply_to, id limit $4) p ${HEAD}
        order by p.reply_to, p.id`,
      values: [member, parent ?? `${member}/`, reply ?? '', limit],
    });
    return pageOf(rows, limit);
  },
};

/**
 * Of each author so many at a time; what is not older than the last of anybody's full hand is complete. Of many authors fewer each: a page has no room
 * for all of theirs, and what it reads stays bounded.
 */
const HAND = { most: 32, least: 4, ofAll: 32_000 };

const follows: Stage = {
  name: 'follows',
  eventName: 'FOLLOW_REED',
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row & { more: boolean }>({
      name: 'catchup_follows',
      text: `with followed as materialized (
          select target, greatest($6::int, least($4::int, $7::int / count(*) over ())) as hand from follows where user_id = $1 and active
        ),
        hands as materialized (
          select r.published_at, r.id, r.nth = f.hand as last from followed f cross join lateral (
            select p.published_at, p.id, row_number() over (order by published_at desc, id desc) as nth from reeds p
            where author_id = f.target and published_at is not null and (published_at, id) < (coalesce($2::timestamptz, 'infinity'), $3)
            order by published_at desc, id desc limit f.hand) r
        ),
        known as materialized (select published_at, id from hands where last order by published_at desc, id desc limit 1),
        page as materialized (
          select h.id from hands h where not exists (select from known k where (k.published_at, k.id) > (h.published_at, h.id))
          order by published_at desc, id desc limit $5
        )
        select r.id as subject, ${KIND}, r.published_at::text as at, r.id, (r.thread_head is null or r.thread_head = r.id) and ${OWED} as owed,
          exists (select from known) as more
        from page g cross join lateral (select * from reeds where id = g.id limit 1) r order by r.published_at desc, r.id desc`,
      values: [member, from.at, from.id ?? '', HAND.most, limit, HAND.least, HAND.ofAll],
    });
    const page = pageOf(rows, limit);
    return rows[0]?.more === true ? { ...page, next: page.rows.at(-1)?.place ?? null } : page;
  },
};

/** In the order in which a member needs them. */
export const STAGES: readonly Stage[] = [removals, accounts, keys, mentions, replies, follows];

const OF_AUTHOR = 'author ';

/** The name of the stage of somebody followed just now. */
export const authorStage = (author: UserId): string => `${OF_AUTHOR}${author}`;

const ofAuthor = (author: string): Stage => ({
  name: `${OF_AUTHOR}${author}`,
  eventName: 'FOLLOW_REED',
  page: async (db, { member, from, limit }) => {
    const rows = await db.query<Row>({
      name: 'catchup_author',
      text: `select r.id as subject, ${KIND}, r.published_at::text as at, r.id, (r.thread_head is null or r.thread_head = r.id) and ${OWED} as owed
        from (select * from reeds where author_id = $4 and published_at is not null
            and exists (select from follows where user_id = $1 and target = $4 and active)
            and (published_at, id) < (coalesce($2::timestamptz, 'infinity'), $3)
          order by published_at desc, id desc limit $5) r order by r.published_at desc, r.id desc`,
      values: [member, from.at, from.id ?? '', author, limit],
    });
    return pageOf(rows, limit);
  },
});

/** The stage of this name, or null. */
export const stageOf = (name: string): Stage | null =>
  STAGES.find((stage) => stage.name === name) ?? (name.startsWith(OF_AUTHOR) ? ofAuthor(name.slice(OF_AUTHOR.length)) : null);
