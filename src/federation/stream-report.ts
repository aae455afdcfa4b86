// What an operator sees of streams, and mends: how far each peer is behind, what was parked and why, and that it be sent again. For a command beside
// the server, which takes up what is changed here at its next look.
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';
import type { Parked } from './stream-table.ts';

export type PeerStream = {
  readonly server: ServerId;
  readonly name: string;
  readonly state: string;
  /** Whether it said that it is away, and whether its last call went unanswered: until it is back nothing goes there. */
  readonly away: boolean;
  readonly unanswered: boolean;
  /** Authors of whom the peer lacks something, and how many facts that is. */
  readonly authors: number;
  readonly items: number;
  /** Of those authors: whose next try has a date; and the earliest of these dates. */
  readonly waiting: number;
  readonly nextTryAt: Date | null;
  readonly parked: number;
  /** Of other people's streams: of how many of its people something was taken. */
  readonly received: number;
};

export type ParkedOf = { readonly server?: ServerId; readonly author?: string; readonly number?: number };

/** Each peering that has not ended, by id: one at a time, so that no statement takes longer for there being many. */
export const peerStreams = async (db: Database, server?: ServerId): Promise<PeerStream[]> => {
  const peers = await db.query<{ id: ServerId }>({
    name: 'streams_reported',
    text: `select server_id as id from peers where state <> 'revoked' and ($1::text is null or server_id = $1) order by 1`,
    values: [server ?? null],
  });
  const reports: PeerStream[] = [];
  for (const { id } of peers) reports.push(...(await streamsOf(db, id)));
  return reports;
};

/** Of everybody of whom something was taken there is an identity, which its server leads to. */
const streamsOf = (db: Database, server: ServerId): Promise<PeerStream[]> =>
  db.query<PeerStream>({
    name: 'streams_report',
    text: `select p.server_id as server, s.name, p.state, p.away, p.failures > 0 as unanswered, l.authors, l.items, l.waiting, l.next as "nextTryAt",
        (select count(*)::int from parked_items i where i.server_id = p.server_id) as parked,
        (select count(*)::int from identities i cross join lateral (select from received_streams where author_id = i.id limit 1) r
          where i.server_id = p.server_id) as received
      from peers p join servers s on s.id = p.server_id
      cross join lateral (
        select count(*)::int as authors, coalesce(sum(
            (select count(*) from author_facts f where f.author_id = a.author_id and f.number > coalesce(c.cursor, 0))), 0)::int as items,
          count(w.until)::int as waiting, min(w.until) as next
        from author_streams a left join peer_cursors c on c.server_id = p.server_id and c.author_id = a.author_id
        cross join lateral (select case when c.retry_at > to_timestamp(0) or c.resend_at > now() then greatest(c.retry_at, c.resend_at) end as until) w
        where p.state in ('live', 'suspended') and a.last_number > coalesce(c.cursor, 0)
      ) l
      where p.server_id = $1 and p.state <> 'revoked'`,
    values: [server],
  });

const PARKED = `($1::text is null or server_id = $1) and ($2::text is null or author_id = $2) and ($3::bigint is null or number = $3)`;

/** Parked items by peer, author and number, after `after` of the page before. */
export const parkedItems = (
  db: Database,
  of: ParkedOf,
  page: { readonly after: Parked | null; readonly limit: number },
): Promise<Parked[]> =>
  db.query<Parked>({
    name: 'streams_parked',
    text: `select server_id as peer, author_id as author, number::float8 as number, kind, subject_id as subject, reason, parked_at as "parkedAt", replays,
        replay_at is not null as "isAskedFor",
        case when replay_said is not null then replay_at end as "nextTryAt", replay_said as said
      from parked_items where ${PARKED} and (server_id, author_id, number) > ($4, $5, $6)
      order by server_id, author_id, number limit $7`,
    values: [
      ...[of.server ?? null, of.author ?? null, of.number ?? null],
      ...[page.after?.peer ?? '', page.after?.author ?? '', page.after?.number ?? 0, page.limit],
    ],
  });

/** Has parked items sent again, and what waits for its date not wait: it is due, so that the next look finds it. @returns how many of each */
export const retryStreams = async (db: Database, of: ParkedOf): Promise<{ readonly parked: number; readonly waiting: number }> => {
  const [row] = await db.query<{ parked: number; waiting: number }>({
    name: 'streams_retry',
    text: `with again as (update parked_items set replay_at = to_timestamp(0), replay_waits = 0, replay_said = null where ${PARKED} returning number),
        now as (update peer_cursors set retry_at = to_timestamp(0), resend_at = null where (retry_at > to_timestamp(0) or resend_at > now())
          and ($1::text is null or server_id = $1) and ($2::text is null or author_id = $2) and $3::bigint is null returning author_id)
      select (select count(*)::int from again) as parked, (select count(*)::int from now) as waiting`,
    values: [of.server ?? null, of.author ?? null, of.number ?? null],
  });
  return row ?? { parked: 0, waiting: 0 };
};
