// The ends of events that nobody's answer brings: CANCEL, the requester's going, the last copy's going; and EVICTION, which may cause the last.
// Whatever ends an event deletes it with RETURNING, so that who waits for the freed place can be looked for after the commit.
import { sql } from 'kysely';
import { LOCKED, type Locked } from '../db/batch.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import type { ReedId, RequestId, UserId } from '../wire/address.ts';
import { isAllocation, lockedById, mayCross, noticeOf, some } from './choice.ts';

export type Ended = {
  readonly eventId: string;
  readonly requester: UserId;
  readonly requestId: RequestId | null;
  readonly explicit: boolean;
  readonly subjectId: ReedId;
  /** Whose place is free now, if it was dispatched, and the replica that has that holder. */
  readonly freed: UserId | null;
  readonly owner: string | null;
};

type EndedRow = {
  event_id: string;
  requester_user_id: UserId;
  request_id: RequestId | null;
  explicit: boolean;
  subject_id: ReedId;
  freed: UserId | null;
  owner: string | null;
};

/**
 * The version of an event row: an event ends only as this statement's snapshot has it. An attempt that was written between the snapshot and the lock
 * would not be seen, and would stay behind.
 */
const VERSION = 'e.xmin';

/** Deletes the events of CTE `taken (event_id)` with their attempts and returns them. */
const END_TAKEN = `
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
ended as (
  delete from pending_events e using taken t where e.event_id = t.event_id
  returning e.event_id, e.requester_user_id, e.request_id, e.requested_at is not null as explicit, e.subject_id,
    case when e.state = 2 then e.holder end as freed,
    case when e.state = 2 then (select o.owner from online_users o where o.user_id = e.holder) end as owner
)`;

const endedOf = (row: EndedRow): Ended => ({
  eventId: row.event_id,
  requester: row.requester_user_id,
  requestId: row.request_id,
  explicit: row.explicit,
  subjectId: row.subject_id,
  freed: row.freed,
  owner: row.owner,
});

export type CancelItem = { readonly requester: UserId; readonly requestId: RequestId };

const CANCEL = `
with input as materialized (
  select i.*, e.event_id, ${VERSION} as version from unnest($1::text[], $2::text[]) with ordinality as i(requester, request_id, ord)
  left join pending_events e on e.requester_user_id = i.requester and e.request_id = i.request_id and e.requested_at is not null and e.state <> 3
),
taken as materialized (
  select e.event_id from (select event_id, version from input where event_id is not null order by event_id) i
  cross join lateral (${lockedById('i.event_id', `e.state <> 3 and ${VERSION} = i.version`)}) e
),${END_TAKEN}
select i.ord::int, i.event_id is not null as known, e.* from input i left join ended e on e.event_id = i.event_id`;

/**
 * Ends the events whose newest request id is named, unless already relayed.
 * @returns for each item what ended
 */
export const cancel = async (db: Database, items: readonly CancelItem[]): Promise<(Ended[] | Locked)[]> => {
  const rows = await db.query<Omit<EndedRow, 'event_id'> & { ord: number; event_id: string | null; known: boolean }>({
    name: 'ledger_cancel',
    text: CANCEL,
    values: [items.map((item) => item.requester), items.map((item) => item.requestId)],
  });
  return items.map((_, index) => {
    const own = rows.filter((row) => row.ord === index + 1);
    const ended = own.flatMap((row) => (row.event_id === null ? [] : [endedOf({ ...row, event_id: row.event_id })]));
    return own.some((row) => row.known && row.event_id === null) ? LOCKED : ended;
  });
};

/** Ends a page of the events that `page` selects; `condition` is looked at again when each is locked. */
const endPage = async (
  db: Database,
  of: { name: string; page: string; condition: string; values: readonly unknown[] },
): Promise<Ended[]> => {
  const { name, page, condition, values } = of;
  const text = `
with page as materialized (${page} limit $2),
taken as materialized (
  select e.event_id from (select event_id, version from page order by event_id) p
  cross join lateral (${lockedById('p.event_id', `${condition} and ${VERSION} = p.version`)}) e
),${END_TAKEN}
select * from ended`;
  return (await db.query<EndedRow>({ name, text, values })).map(endedOf);
};

const REQUESTER_ABSENT = `not ${some('online_users o where o.user_id = e.requester_user_id')}`;

/** Ends a page of what is owed to members whose presence has ended. Call until a page comes back short. */
export const requestersGone = (db: Database, requesters: readonly UserId[], page: number): Promise<Ended[]> =>
  endPage(db, {
    name: 'ledger_requesters_gone',
    page: `select e.event_id, ${VERSION} as version from pending_events e where e.requester_user_id = any($1::text[]) and not e.is_foreign and ${REQUESTER_ABSENT}`,
    condition: REQUESTER_ABSENT,
    values: [requesters, page],
  });

const NOT_ASKED = `e.state in (0, 1, 4, 5) and e.subject_kind in ('reed', 'thread')`;

/** Ends a page of the events of removed `subjects` that nobody has been asked for. Call until a page comes back short. */
export const subjectsGone = (db: Database, subjects: readonly ReedId[], page: number): Promise<Ended[]> =>
  endPage(db, {
    name: 'ledger_subjects_gone',
    page: `select e.event_id, ${VERSION} as version from pending_events e where e.subject_id = any($1::text[]) and ${NOT_ASKED}`,
    condition: NOT_ASKED,
    values: [subjects, page],
  });

const UNHELD = `e.state in (0, 1, 4, 5)
  and not ${some('reed_allocations a where a.reed_id = e.subject_id and a.holder_user_id <> e.requester_user_id')}
  and not ${mayCross('e.subject_id', 'e.is_foreign')}`;

/** Ends a page of the events of those of `subjects` that nobody holds any more. Call until a page comes back short. */
export const lastCopiesGone = (db: Database, subjects: readonly ReedId[], page: number): Promise<Ended[]> =>
  endPage(db, {
    name: 'ledger_last_copies',
    page: `select e.event_id, ${VERSION} as version from pending_events e where e.subject_id = any($1::text[]) and ${UNHELD}`,
    condition: UNHELD,
    values: [subjects, page],
  });

export type CutOff = {
  readonly ended: readonly Ended[];
  /** Reeds that nobody has any more. */
  readonly unheld: readonly ReedId[];
};

/**
 * Ends what `viewer` is owed of reeds of `author`, and its allocations of them. For the transaction of a block, and again after it. Waits for the
 * events, and ends them in a later statement, which sees the attempts that were written until then; what was opened in between is found again after it.
 */
export const cutOff = async (executor: Executor, author: UserId, viewer: UserId): Promise<CutOff> => {
  // Ids of an author's reeds begin with its own id: they are one range of an index.
  const [first, end] = [`${author}/`, `${author}0`];
  const { rows: locked } = await sql<{ event_id: string }>`
    select event_id from pending_events
    where requester_user_id = ${viewer} and subject_kind in ('reed', 'thread') and subject_id > ${first} and subject_id < ${end} and not is_foreign
    order by event_id for update`.execute(executor);
  const events = locked.map(({ event_id: eventId }) => eventId);
  const { rows } = await sql<Omit<EndedRow, 'event_id'> & { event_id: string | null }>`
    with taken as materialized (
      select unnest(${events}::uuid[]) as event_id
    ), ${sql.raw(END_TAKEN)},
    dropped as (delete from reed_allocations where holder_user_id = ${viewer} and reed_id > ${first} and reed_id < ${end} returning holder_user_id, reed_id),
    noticed as (${sql.raw(noticeOf('dropped'))})
    select * from ended
    union all
    select null, null, null, false, d.reed_id, null, null from dropped d
      where not exists (select from reed_allocations a where a.reed_id = d.reed_id and a.holder_user_id <> ${viewer})`.execute(executor);
  return {
    ended: rows.flatMap((row) => (row.event_id === null ? [] : [endedOf({ ...row, event_id: row.event_id })])),
    unheld: rows.flatMap((row) => (row.event_id === null ? [row.subject_id] : [])),
  };
};

export type HoldingsPage = { readonly user: UserId; readonly after: ReedId | ''; readonly limit: number };

/** Drops a page of what an account held that is gone. @returns the reeds, by id */
export const dropHoldings = async (db: Database, { after, limit, user }: HoldingsPage): Promise<ReedId[]> => {
  const rows = await db.query<{ id: ReedId }>({
    name: 'ledger_holdings_dropped',
    text: `
with page as materialized (select reed_id from reed_allocations where holder_user_id = $1 and reed_id > $2 order by reed_id limit $3),
gone as (delete from reed_allocations a using page p where ${isAllocation('a', '$1', 'p.reed_id')} returning a.holder_user_id, a.reed_id),
noticed as (${noticeOf('gone')})
select reed_id as id from page order by reed_id`,
    values: [user, after, limit],
  });
  return rows.map(({ id }) => id);
};

export type EvictItem = { readonly holder: UserId; readonly reedId: ReedId };

/** Drops allocations on their holders' word and declines the reeds; true where there was one. */
export const evict = async (db: Database, items: readonly EvictItem[]): Promise<boolean[]> => {
  const rows = await db.query<{ held: boolean }>({
    name: 'ledger_evict',
    text: `
with input as materialized (
  select * from unnest($1::text[], $2::text[]) with ordinality as i(holder, reed_id, ord)
),
gone as (delete from reed_allocations a using input i where ${isAllocation('a', 'i.holder', 'i.reed_id')} returning a.holder_user_id, a.reed_id),
declined as (insert into reed_declines (user_id, reed_id) select holder_user_id, reed_id from gone order by 1, 2 on conflict do nothing),
noticed as (${noticeOf('gone')})
select g.reed_id is not null as held from input i left join gone g on g.holder_user_id = i.holder and g.reed_id = i.reed_id order by i.ord`,
    values: [items.map((item) => item.holder), items.map((item) => item.reedId)],
  });
  return rows.map((row) => row.held);
};
