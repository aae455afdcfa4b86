// SERVE: what the server itself has to say of a copy, a removal or a revocation, is owed like a delivery but held by nobody: the event is
// relayed from its sending. It is sent twice more if it is not acknowledged; then it is owed again at the next sync, because what it is about
// still stands in the member's rows.
import type { UserId } from '../wire/address.ts';
import { OWED_ONCE, some } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { NoticeKind, NoticeName } from './state.ts';

/** Which members' copies of `subject` a notice is about. */
export type NoticeAbout = { readonly kind: NoticeKind; readonly eventName: NoticeName; readonly subject: string };

export type Served = { readonly eventId: string; readonly requester: UserId; readonly relays: number };

/** Members after $3 who have a copy of $1 or of what is its, or look at it, by id, $4 at most. */
const CONCERNED: Readonly<Record<Exclude<NoticeKind, 'account_removal'>, string>> = {
  reed_removal: `
    select holder_user_id as member from reed_allocations where reed_id = $1
    union select viewer from reed_subscriptions where target = $1
    union select viewer from profile_subscriptions where target = split_part($1, '/', 1)`,
  thread_removal: `
    select a.holder_user_id as member from reeds r join reed_allocations a on a.reed_id = r.id where r.thread_head = $1
    union select s.viewer from reeds r join reed_subscriptions s on s.target = r.id where r.thread_head = $1
    union select viewer from profile_subscriptions where target = split_part($1, '/', 1)`,
  key: 'select user_id as member from key_allocations where key_id = $1',
};

/** Whether member `o.user_id` has or looks at anything of the account $1: a few probes each, where the union would be all copies of all its reeds. */
const OF_ACCOUNT = [
  "reed_allocations a where a.holder_user_id = o.user_id and a.reed_id > $1 || '/' and a.reed_id < $1 || '0'",
  'follows f where f.user_id = o.user_id and f.target = $1 and f.active',
  "reed_subscriptions s where s.viewer = o.user_id and s.target > $1 || '/' and s.target < $1 || '0'",
  'profile_subscriptions p where p.viewer = o.user_id and p.target = $1',
].map(some);

/** A page of members online after $3, $4 at most, by id: those whom the notice is about, or everybody, who each are looked at once. */
const PAGE = (kind: NoticeKind): string =>
  kind === 'account_removal'
    ? `select o.user_id as member, o.user_id <> $1 and (${OF_ACCOUNT.join(' or ')}) as concerned
        from (select user_id from online_users where user_id > $3 order by user_id limit $4) o`
    : `select c.member, true as concerned from (${CONCERNED[kind]}) c join online_users o on o.user_id = c.member
        where c.member > $3 and c.member <> split_part($1, '/', 1) order by c.member limit $4`;

const SERVE = (kind: NoticeKind): string => `
with page as materialized (${PAGE(kind)}),
here as materialized (
  select o.user_id from online_users o where o.user_id in (select member from page where concerned)
    -- Peers' sentinels, which no replica owns, are told by the peers' streams.
    and o.owner <> '00000000-0000-0000-0000-000000000000' order by o.user_id for key share skip locked
),
inserted as (
  insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, relayed_at, relays, created_at)
  select uuidv7(), user_id, $5, $2, $1, 0, 3, $7, $6, 1, $6 from here order by user_id
  on conflict ${OWED_ONCE} do nothing
  returning event_id, requester_user_id
)
select i.event_id, c.member, c.member in (select user_id from here) as here
from page c left join inserted i on i.requester_user_id = c.member order by c.member`;

type Row = { event_id: string | null; member: UserId; here: boolean };
type ServedRow = { event_id: string | null; subject_kind: NoticeKind; event_name: NoticeName; subject_id: string };

/**
 * Owes a notice to a page of the members online whom it concerns, the author apart.
 * @returns the new events, to be sent now; and the place after which the next page starts, null for the last
 */
export const serve = async (
  context: LedgerContext,
  about: NoticeAbout,
  page: { readonly after: string; readonly limit: number },
  now: number,
): Promise<{ served: Served[]; next: string | null }> => {
  const rows = await context.db.query<Row>({
    name: `ledger_serve_${about.kind}`,
    text: SERVE(about.kind),
    values: [
      about.subject,
      about.kind,
      page.after,
      page.limit,
      about.eventName,
      new Date(now),
      new Date(now + context.limits.acknowledgeMs),
    ],
  });
  const served = rows.flatMap(({ event_id: eventId, member }) => (eventId === null ? [] : [{ eventId, requester: member, relays: 1 }]));
  return { served, next: rows.length < page.limit ? null : (rows.at(-1)?.member ?? null) };
};

/**
 * Owes notices to one member who is online.
 * @returns the new events, to be sent now; locked: the member was coming or going, and is owed nothing yet
 */
export const serveTo = async (
  context: LedgerContext,
  requester: UserId,
  about: readonly NoticeAbout[],
  now: number,
): Promise<{ served: (Served & NoticeAbout)[]; locked: boolean }> => {
  const rows = await context.db.query<ServedRow & { locked: boolean }>({
    name: 'ledger_serve_to',
    text: `
with here as materialized (select user_id from online_users where user_id = $1 for key share skip locked),
inserted as (
  insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, relayed_at, relays, created_at)
  select uuidv7(), h.user_id, i.name, i.kind, i.subject, 0, 3, $6, $5, 1, $5
  from here h cross join unnest($2::text[], $3::text[], $4::text[]) as i(name, kind, subject) order by i.kind, i.subject
  on conflict ${OWED_ONCE} do nothing
  returning event_id, subject_kind, event_name, subject_id
)
select i.*, not exists (select from here) and exists (select from online_users where user_id = $1) as locked
from (values (1)) as one left join inserted i on true`,
    values: [
      requester,
      about.map((each) => each.eventName),
      about.map((each) => each.kind),
      about.map((each) => each.subject),
      new Date(now),
      new Date(now + context.limits.acknowledgeMs),
    ],
  });
  const served = rows.flatMap(({ event_id: eventId, subject_kind: kind, event_name: eventName, subject_id: subject }) =>
    eventId === null ? [] : [{ eventId, requester, relays: 1, kind, eventName, subject }],
  );
  return { served, locked: rows.some(({ locked }) => locked) };
};

/** A notice could not be written: it is sent again soon, and that it was tried counts for nothing. */
export const unserved = async (context: LedgerContext, items: readonly Served[], now: number): Promise<void> => {
  await context.db.query({
    name: 'ledger_unserved',
    text: `
with input as (select * from unnest($1::uuid[], $2::int[]) as i(event_id, relays)),
taken as materialized (
  select e.event_id from (select * from input order by event_id) i cross join lateral (
    select e.event_id from pending_events e where e.event_id = i.event_id and e.state = 3 and e.relays = i.relays for update skip locked) e
)
update pending_events e set due_at = $3, relays = e.relays - 1 from taken t where e.event_id = t.event_id`,
    values: [items.map((item) => item.eventId), items.map((item) => item.relays), new Date(now + context.limits.undeliverableRetryMs)],
  });
};
