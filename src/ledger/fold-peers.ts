// What the ledger knows of peers: which may be asked, which does not answer, who has a holder of what. What ends with a peering ends here.
import type { Database } from '../db/pool.ts';
import type { ReedId, ServerId, UserId } from '../wire/address.ts';
import { backoffSql } from './answer.ts';
import { lockedById, noticeAfter, some } from './choice.ts';
import type { LedgerContext } from './context.ts';

/** These peers may be asked from the commit on, and those that could not be before are told at once what they were not told. */
export const peersLive = async (db: Database, servers: readonly ServerId[]): Promise<void> => {
  await db.query({
    name: 'fold_peers_live',
    text: `
with met as (insert into fold_peers (server_id) select unnest($1::text[]) on conflict (server_id) do nothing returning server_id)
update holder_notices n set due_at = '-infinity', failures = 0 from met m where n.server_id = m.server_id`,
    values: [[...servers].sort()],
  });
};

export const peersKnown = async (db: Database): Promise<ServerId[]> => {
  const rows = await db.query<{ server_id: ServerId }>({ name: 'fold_peers_known', text: 'select server_id from fold_peers order by 1' });
  return rows.map((row) => row.server_id);
};

/**
 * A peer does not answer: nothing crosses until then. What it owes an answer for keeps its slot, since its copy may still be on the wire.
 * @returns false if it was away already
 */
export const peerAway = async (db: Database, server: ServerId, until: number, now: number): Promise<boolean> => {
  const [row] = await db.query<{ fresh: boolean }>({
    name: 'fold_peer_away',
    text: `
update fold_peers set away_until = greatest(away_until, $2::timestamptz) where server_id = $1 returning (old.away_until > $3) is not true as fresh`,
    values: [server, new Date(until), new Date(now)],
  });
  return row?.fresh ?? false;
};

/** A peer answers (again): what is owed to it, or was put off, is due. @returns true if it was away */
export const peerBack = async (db: Database, server: ServerId, now: number): Promise<boolean> => {
  const [row] = await db.query<{ was_away: boolean }>({
    name: 'fold_peer_back',
    text: `
with back as (
  update fold_peers set away_until = null where server_id = $1 and away_until is not null returning true as was_away
),
due as (
  update foreign_pending_events set due_at = $2 where asked_server_id = $1 and (owes is not null or (answered_at is null and arrived_at is null))
    and exists (select from back)
),
told as (
  update foreign_relay_requests set due_at = $2 where requesting_server_id = $1 and owes is not null and exists (select from back)
),
noticed as (update holder_notices set due_at = $2 where server_id = $1 and due_at > $2 and exists (select from back))
select was_away from back`,
    values: [server, new Date(now)],
  });
  return row?.was_away ?? false;
};

/** Servers that were away until a time that is over, each leased until its answer would have come. */
export const peersDue = async (context: LedgerContext, now: number): Promise<ServerId[]> => {
  const rows = await context.db.query<{ server_id: ServerId }>({
    name: 'fold_peers_due',
    text: 'update fold_peers set away_until = $2 where away_until <= $1 returning server_id',
    values: [new Date(now), new Date(now + context.limits.crossingSendMs)],
  });
  return rows.map((row) => row.server_id);
};

/** Servers that are away, or this one, are asked now and not when it is their time. */
export const askPeersNow = async (db: Database, server?: ServerId): Promise<void> => {
  await db.query({
    name: 'fold_peers_now',
    text: 'update fold_peers set away_until = now() where away_until > now() and ($1::text is null or server_id = $1)',
    values: [server ?? null],
  });
};

/** Notes the epoch of a peer's ledger. @returns true if it is another one than before: everything of ours there is gone */
export const epochSeen = async (db: Database, server: ServerId, epoch: string): Promise<boolean> => {
  const [row] = await db.query<{ renewed: boolean }>({
    name: 'fold_epoch_seen',
    text: `update fold_peers set epoch = $2 where server_id = $1 and epoch is distinct from $2 returning old.epoch is not null as renewed`,
    values: [server, epoch],
  });
  return row?.renewed ?? false;
};

/** A peer is asked no more, and nothing is owed to it but the word of who holds what, which waits until it is a peer again. That it is none comes between, so that who dies here begins anew at the next start. */
export const peerGone = async (context: LedgerContext, server: ServerId): Promise<void> => {
  await oweNothing(context, server);
  await context.db.query({ name: 'fold_peer_gone', text: 'delete from fold_peers where server_id = $1', values: [server] });
  await oweNothing(context, server);
};

/** Forgets what is owed to a peer, a page of each kind at a time. */
async function oweNothing({ db, limits }: LedgerContext, server: ServerId): Promise<void> {
  for (let most = limits.batchItems; most >= limits.batchItems; ) {
    const [row] = await db.query<{ most: number }>({
      name: 'fold_peer_unowed',
      text: `
with unheld as (delete from foreign_relay_requests where event_id = any(array(
    select event_id from foreign_relay_requests where requesting_server_id = $1 and owes is not null order by peer_request_id limit $2)) returning 1),
owed as (delete from foreign_pending_events where crossing_id = any(array(
    select crossing_id from foreign_pending_events where asked_server_id = $1 and owes is not null order by subject, slot limit $2)) returning 1)
select greatest((select count(*) from unheld), (select count(*) from owed))::int as most`,
      values: [server, limits.batchItems],
    });
    most = row?.most ?? 0;
  }
}

export type PeerEnded = { readonly eventId: string; readonly freed: UserId | null; readonly owner: string | null };

/** Ends a page of the events of a peer's sentinel. Call until it comes back short. */
export const peerEventsEnd = (context: LedgerContext, server: ServerId): Promise<PeerEnded[]> =>
  context.db.query<PeerEnded>({
    name: 'ledger_peer_events_end',
    text: `
with taken as materialized (
  select e.event_id, e.state, e.holder from (
    select event_id from pending_events where is_foreign and requester_user_id = 'peer@' || $1 limit $2
  ) p cross join lateral (${lockedById('p.event_id', 'true')}) e
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
unnamed as (delete from foreign_relay_requests f using taken t where f.event_id = t.event_id),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id)
select event_id as "eventId", case when state = 2 then holder end as freed,
  case when state = 2 then (select o.owner from online_users o where o.user_id = holder) end as owner from taken`,
    values: [server, context.limits.batchItems],
  });

/** A page of the events that cross from a server that is asked no more are to be given somebody else, or end. @returns their subjects */
export const crossingsFreed = async (context: LedgerContext, server: ServerId, now: number): Promise<ReedId[]> => {
  const rows = await context.db.query<{ subject_id: ReedId }>({
    name: 'ledger_crossings_freed',
    text: `
with page as materialized (select * from foreign_pending_events where asked_server_id = $1 and owes is null and arrived_at is null limit $2),
taken as materialized (
  select e.event_id, e.subject_id from (select event_id from page order by event_id) p cross join lateral (${lockedById('p.event_id', 'e.state in (5, 7)')}) e
),
gone as (
  delete from foreign_pending_events f using page p where f.crossing_id = p.crossing_id
    and (p.event_id in (select event_id from taken) or not ${some('pending_events e where e.event_id = p.event_id and e.state in (5, 7)')})
  returning f.subject
),
moved as (update pending_events e set state = 4, due_at = $3 from taken t where e.event_id = t.event_id)
select subject as subject_id from gone`,
    values: [server, context.limits.batchItems, new Date(now)],
  });
  return rows.map((row) => row.subject_id);
};

/**
 * What stands in line for these subjects is looked at by ASSIGN, which knows whether anybody can still be asked: a page at a time, and each place
 * in a line once, since who is put in line again meanwhile has the place that it had.
 */
export const rouseLines = async (context: LedgerContext, subjects: readonly ReedId[], now: number): Promise<void> => {
  const { fanoutItems } = context.limits;
  let left = [...new Set(subjects)];
  let [priority, seq] = [-1, '0'];
  while (left.length > 0) {
    const rows = await context.db.query<{ nth: number; priority: number; seq: string }>({
      name: 'ledger_rouse_lines',
      text: `
with taken as materialized (
  select w.*, s.nth from (
    select id, nth, case nth when 1 then $4::smallint else -1 end as priority, case nth when 1 then $5::bigint else 0 end as seq
    from unnest($1::text[]) with ordinality as u(id, nth) order by nth
  ) s cross join lateral (
    select event_id, e.priority, e.seq from pending_events e where e.subject_id = s.id and e.state = 5 and (e.priority, e.seq) > (s.priority, s.seq)
    order by e.priority, e.seq limit $3 for update skip locked
  ) w limit $3
),
roused as (update pending_events e set state = 4, due_at = $2 from taken t where e.event_id = t.event_id)
select nth::int, priority, seq from taken order by nth, priority, seq`,
      values: [left, new Date(now), fanoutItems, priority, seq],
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < fanoutItems) return;
    left = left.slice(last.nth - 1);
    [priority, seq] = [last.priority, last.seq];
  }
};

export type HolderNotice = { readonly server: ServerId; readonly reedId: ReedId; readonly holding: boolean };
/** version: another one once it is owed anew. lease: until when it is on its way, which tells it from one that was owed after it was ended. */
export type DueNotice = HolderNotice & { readonly version: number; readonly lease: string };

/** The last copy here of these reeds of other servers may be gone: their homes are to be told how it is when they are. */
export const oweHolderNotices = async (db: Database, reeds: readonly ReedId[], now: number): Promise<void> => {
  await db.query({
    name: 'fold_owe_holder_notices',
    text: noticeAfter('(select distinct id from unnest($1::text[]) as u(id))', '$2::timestamptz'),
    values: [reeds, new Date(now)],
  });
};

/** What home servers are to be told and is due, each leased until it would be tried again, and as it is now. What waits for one that is no peer costs nothing. */
export const holderNotices = (context: LedgerContext, now: number): Promise<DueNotice[]> =>
  context.db.query<DueNotice>({
    name: 'fold_holder_notices',
    text: `
with due as materialized (
  select n.server_id, n.reed_id from fold_peers p cross join lateral (
    select server_id, reed_id, due_at from holder_notices h where h.server_id = p.server_id and h.due_at <= $1 order by h.due_at limit $2 for update skip locked
  ) n order by n.due_at limit $2
)
update holder_notices f set failures = least(f.failures + 1, 30),
  due_at = $1 + $5::float8 * interval '1 millisecond' + ${backoffSql('f.failures + 1', '$3', '$4')}
from due d where f.server_id = d.server_id and f.reed_id = d.reed_id
returning f.server_id as server, f.reed_id as "reedId", f.version, f.due_at::text as lease,
  ${some('reed_allocations a where a.reed_id = f.reed_id')} as holding`,
    values: [
      ...[new Date(now), context.limits.foldItems, context.limits.owedRetryFirstMs, context.limits.owedRetryMaxMs],
      context.limits.crossingSendMs,
    ],
  });

/** A home server was told, it is still so, and nothing was owed anew meanwhile. */
export const holderTold = async (db: Database, { server, reedId, holding, version, lease }: DueNotice): Promise<void> => {
  await db.query({
    name: 'fold_holder_told',
    text: `delete from holder_notices where server_id = $1 and reed_id = $2 and ${some('reed_allocations a where a.reed_id = $2')} = $3
      and version = $4 and due_at::text = $5`,
    values: [server, reedId, holding, version, lease],
  });
};

/** A peer says whether it has a holder of a reed of ours that it was given once. @returns false: it never was */
export const holderSaid = async (db: Database, { server, reedId, holding }: HolderNotice): Promise<boolean> => {
  const rows = await db.query({
    name: 'fold_holder_said',
    text: 'update reed_server_allocations set holding = $3 where reed_id = $2 and server_id = $1 returning reed_id',
    values: [server, reedId, holding],
  });
  return rows.length > 0;
};

/** Ends a page of each of what is remembered for a while only. @returns whether there may be more */
export const forgetFold = async (context: LedgerContext, now: number): Promise<boolean> => {
  const page = context.limits.batchItems;
  const [row] = await context.db.query<{ most: number }>({
    name: 'ledger_fold_forget',
    text: `
with c as (
  delete from cancelled_crossings where (server_id, crossing_id) in (
    select server_id, crossing_id from cancelled_crossings where until < $1 order by until limit $3 for update skip locked) returning 1
),
t as (
  delete from pending_thread_parts where event_id in (
    select event_id from pending_thread_parts p where not ${some('pending_events e where e.event_id = p.event_id')}
    order by event_id limit $3 for update skip locked) returning 1
),
f as (
  delete from carrier_faults where (subject, member) in (
    select subject, member from carrier_faults where at < $2 order by at limit $3 for update skip locked) returning 1
)
select greatest((select count(*) from c), (select count(*) from t), (select count(*) from f))::int as most`,
    values: [new Date(now), new Date(now - context.limits.carrierFaultMs), page],
  });
  return (row?.most ?? 0) >= page;
};
