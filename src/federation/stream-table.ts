// The rows of outgoing streams: each peer's place in each author's stream, what was parked, and the items themselves, which are built from what
// our own tables say when they are sent. A place belongs to whoever leased it; who lost the lease changes nothing.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import { liftStream } from '../identity/stream.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import type { StreamItem, StreamKind } from '../wire/streams.ts';
import type { CursorState, Settlement } from './stream-cursor.ts';

export type StreamTableDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits };

/** room: for how many there was room beside what is leased already, by whomever. */
export type Claimed = { readonly claims: readonly Claim[]; readonly room: number };

/** A place that is ours to send from until its lease ends. */
export type Claim = {
  readonly peer: ServerId;
  readonly author: UserId;
  readonly state: CursorState;
  /** The lease, as it stands in the row. */
  readonly lease: string;
};

export type Parked = {
  readonly peer: ServerId;
  readonly author: UserId;
  readonly number: number;
  readonly kind: string;
  readonly subject: string;
  readonly reason: string;
  readonly parkedAt: Date;
  readonly replays: number;
  /** Whether an operator asked for it to be sent again; what the peer said since, if it took nothing at that moment, and when it is tried then. */
  readonly isAskedFor: boolean;
  readonly nextTryAt: Date | null;
  readonly said: string | null;
};

type LeasedRow = {
  room: number;
  author: UserId;
  start: number;
  cursor: number;
  acked: number;
  sent: number;
  items: number;
  failures: number;
  later_since: Date | null;
  lease: string;
};
/** author null: nothing was claimed. */
type ClaimRow = LeasedRow | { room: number; author: null };

type ItemRow = {
  number: number;
  kind: string;
  subject: string;
  broadcast: boolean;
  certificate: object | null;
  parts: object[] | null;
  record: object | null;
};

const KINDS: Readonly<Record<string, StreamKind>> = { reed: 'new-reed', thread: 'new-thread' };

// Nothing is told of an account while its removal may still be withdrawn.
const claimOf = (authors: string): string => `
with room as (
  select greatest(0, $4 - (select count(*) from peer_cursors where server_id = $1 and lease_until > $2)) as places
),
due as (
  select s.author_id from author_streams s left join peer_cursors c on c.server_id = $1 and c.author_id = s.author_id
  where ${authors} and s.last_number > coalesce(c.cursor, 0) and (c.retry_at is null or c.retry_at <= $2) and (c.resend_at is null or c.resend_at <= $2) and (c.lease_until is null or c.lease_until <= $2)
    and not exists (select from account_removals x where x.user_id = s.author_id and x.statement_hash is null)
  order by s.author_id limit (select least(places, $6) from room)
),
claimed as (
  insert into peer_cursors as c (server_id, author_id, start, cursor, acked, sent, lease_until)
  select $1, author_id, 0, 0, 0, 0, $3 from due order by author_id
  on conflict (server_id, author_id) do update set lease_until = excluded.lease_until where c.lease_until is null or c.lease_until <= $2
  returning author_id as author, start::float8, cursor::float8, acked::float8, sent::float8, items::int, failures, later_since, lease_until::text as lease
)
select r.places::int as room, c.* from room r left join claimed c on true`;
const CLAIM = claimOf('s.author_id = any($5::text[])');
/** Goes on where the one before ended: a pass reads each author once, not all of them for each few. */
const CLAIM_AFTER = claimOf('s.author_id > $5');

/**
 * Certificates of facts of author $1, by their numbers; $2: for that peer, whose parked items tell nothing in the stream. A thread counts as its parts.
 * Each row is looked up by itself: joined, a plan that was made while a table was small reads the whole of it when it has grown.
 */
const itemsOf = (numbers: string): string => `
select f.number::float8 as number, f.kind, f.subject_id as subject, coalesce(r.broadcast, false) as broadcast, s.certificate,
  case when f.kind = 'thread' and s.hash is not null then (
    select jsonb_agg(ps.certificate order by p.thread_index)
    from reeds p left join lateral (select certificate from statements where hash = p.statement_hash limit 1) ps on true
    where p.thread_head = f.subject_id) end as parts,
  case when f.kind = 'thread-removal' then (select ts.certificate from statements ts where ts.hash = t.statement_hash) end as record
from author_facts f
left join lateral (
  select * from reeds where f.kind in ('reed', 'thread', 'reed-removal') and id = f.subject_id limit 1) r on true
left join lateral (
  select * from threads where f.kind in ('thread', 'thread-removal') and id = f.subject_id limit 1) t on true
left join lateral (
  select hash, certificate from statements where hash = case f.kind
    when 'reed' then case when r.removed_at is null then r.statement_hash end
    when 'thread' then case when r.removed_at is null and t.removal_hash is null then t.statement_hash end
    when 'reed-removal' then r.removal_hash
    when 'thread-removal' then t.removal_hash
    when 'account-removal' then (select x.statement_hash from account_removals x where x.user_id = f.subject_id)
    when 'key' then (select k.statement_hash from keys k where k.id = f.subject_id and k.void_hash is null)
    when 'key-revocation' then (select k.statement_hash from key_revocations k where k.key_id = f.subject_id) end
  and (select true from parked_items p where p.server_id = $2 and p.author_id = f.author_id and p.number = f.number) is null
  limit 1) s on true
where f.author_id = $1 and f.number = any(${numbers}) order by f.number`;

/** The next after $3, $4 at most, which weigh $6 at most, a thread $5. */
const NEXT = `array(
  select number from (
    select number, sum(case kind when 'thread' then $5::int else 1 end) over (order by number) as weight, row_number() over (order by number) as nth
    from (select number, kind from author_facts where author_id = $1 and number > $3 order by number limit $4) n
  ) w where nth = 1 or weight <= $6)`;
const ITEMS = itemsOf('$3::bigint[]');
const NEXT_ITEMS = itemsOf(NEXT);

/**
 * From when on a cursor `c` that goes back now, or that facts were numbered anew above, is sent from: a few times at once, then once in a while,
 * however often that is. So nobody has everything sent without an end.
 */
const resendAt = (now: Date, { streamBackMs, streamBacksAtOnce }: Limits) => {
  const every = sql`${streamBackMs}::float8 * interval '1 millisecond'`;
  return sql`case when c.resend_at > ${now} then c.resend_at
    else greatest(c.resend_at, ${now}::timestamptz - ${streamBacksAtOnce}::int * ${every}) + ${every} end`;
};

export class StreamTable {
  readonly #deps: StreamTableDeps;

  constructor(deps: StreamTableDeps) {
    this.#deps = deps;
  }

  /** Leases places of these authors from which something is to be sent; at most `limits.streamsPerPeer` of a peer are leased at a time. */
  claim(peer: ServerId, authors: readonly UserId[], places: number): Promise<Claimed> {
    return this.#claim({ name: 'streams_claim', text: CLAIM, of: authors }, peer, places);
  }

  /** The same of whoever comes after this author, by id. */
  claimAfter(peer: ServerId, after: string, places: number): Promise<Claimed> {
    return this.#claim({ name: 'streams_claim_after', text: CLAIM_AFTER, of: after }, peer, places);
  }

  async #claim(query: { name: string; text: string; of: readonly UserId[] | string }, peer: ServerId, places: number): Promise<Claimed> {
    const { clock, db, limits } = this.#deps;
    const now = clock.now();
    const { name, of, text } = query;
    const rows = await db.query<ClaimRow>({
      ...{ name, text },
      values: [peer, new Date(now), new Date(now + limits.streamLeaseMs), limits.streamsPerPeer, of, places],
    });
    const claims = rows.flatMap((row) => (row.author === null ? [] : [claimIn(peer, row)]));
    return { claims: claims.sort((one, other) => (one.author < other.author ? -1 : 1)), room: rows[0]?.room ?? 0 };
  }

  /** Authors of whom something failed at this peer, or was put off, that is due again; or whose sender died. */
  async due(peer: ServerId, most: number): Promise<UserId[]> {
    const rows = await this.#deps.db.query<{ author: UserId }>({
      name: 'streams_due',
      text: `select author_id as author from peer_cursors where server_id = $1 and retry_at <= $2 and (resend_at is null or resend_at <= $2)
        union select author_id from peer_cursors where server_id = $1 and lease_until <= $2 limit $3`,
      values: [peer, new Date(this.#deps.clock.now()), most],
    });
    return rows.map(({ author }) => author);
  }

  /** The next items of a place, by count and weight. */
  async items({ author, peer, state }: Claim): Promise<StreamItem[]> {
    const { db, limits } = this.#deps;
    const rows = await db.query<ItemRow>({
      name: 'streams_next',
      text: NEXT_ITEMS,
      values: [author, peer, state.cursor, state.items, limits.threadParts, limits.streamItems],
    });
    return rows.length === 0 ? this.#upTo(author, state.cursor) : rows.map(itemOf);
  }

  /** Numbers that were given and have no fact any more are told of by the last of them. */
  async #upTo(author: UserId, cursor: number): Promise<StreamItem[]> {
    const [row] = await this.#deps.db.query<{ head: number }>({
      name: 'streams_head',
      text: 'select last_number::float8 as head from author_streams where author_id = $1',
      values: [author],
    });
    return row === undefined || row.head <= cursor ? [] : [nothing(row.head)];
  }

  /** @param peer whose parked items tell nothing; null: as they are */
  async build(author: UserId, peer: ServerId | null, numbers: readonly number[]): Promise<StreamItem[]> {
    if (numbers.length === 0) return [];
    const rows = await this.#deps.db.query<ItemRow>({ name: 'streams_items', text: ITEMS, values: [author, peer, numbers] });
    return rows.map(itemOf);
  }

  /** Takes what an answer meant, and gives the lease back. Mostly that is all, and one statement. */
  async settle(claim: Claim, settlement: Settlement): Promise<void> {
    const { db } = this.#deps;
    if (settlement.parked.length === 0 && settlement.liftAbove === null) await this.#move(db.kysely, claim, settlement);
    else await db.transaction((tx) => this.#settleIn(tx, claim, settlement));
  }

  /** Moves a place and gives its lease back. @returns whether the lease was still ours */
  async #move(executor: Executor, { author, lease, peer, state: before }: Claim, settlement: Settlement): Promise<boolean> {
    const { clock, limits } = this.#deps;
    const { liftAbove, retryAtMs, state } = settlement;
    const [later, retry] = [state.laterSinceMs, retryAtMs].map((ms) => (ms === null ? null : new Date(ms)));
    // What is numbered anew is sent again as well.
    const back = state.cursor < before.cursor || liftAbove !== null ? sql`, resend_at = ${resendAt(new Date(clock.now()), limits)}` : sql``;
    const { rows } = await sql`
      update peer_cursors c set cursor = ${state.cursor}, acked = ${state.acked}, sent = greatest(sent, ${state.sent}), items = ${state.items},
        failures = ${state.failures}, later_since = ${later}, retry_at = ${retry}, lease_until = null ${back}
      where server_id = ${peer} and author_id = ${author} and lease_until::text = ${lease} returning author_id`.execute(executor);
    return rows.length > 0;
  }

  async #settleIn(tx: Executor, claim: Claim, settlement: Settlement): Promise<void> {
    if (!(await this.#move(tx, claim, settlement))) return;
    const { author, peer, state } = claim;
    const { liftAbove, parked } = settlement;
    const now = new Date(this.#deps.clock.now());
    for (const { number, reason } of parked)
      await sql`
        insert into parked_items (server_id, author_id, number, kind, subject_id, reason, parked_at)
        select ${peer}, author_id, number, kind, subject_id, ${reason}, ${now} from author_facts
        where author_id = ${author} and number = ${number}
        on conflict (server_id, author_id, number) do update set reason = excluded.reason, parked_at = excluded.parked_at`.execute(tx);
    if (liftAbove === null) return;
    // Under new numbers they are sent again, and refused again.
    await sql`delete from parked_items where author_id = ${author} and number > ${state.acked}`.execute(tx);
    await liftStream(tx, author, { from: state.acked, above: liftAbove });
  }

  /** What waits for its date need not wait any longer, streams, acts and parked items that were asked for: the peer is there. */
  async hurry(peer: ServerId): Promise<void> {
    await this.#deps.db.query({
      name: 'streams_hurry',
      text: `with acts as (update owed_legs set due_at = $2 where server_id = $1 and due_at > $2),
          again as (update parked_items set replay_at = $2 where server_id = $1 and replay_at > $2)
        update peer_cursors set retry_at = null where server_id = $1 and retry_at is not null`,
      values: [peer, new Date(this.#deps.clock.now())],
    });
  }

  /** The peer has other numbers than we think. Moved to what it has; a place that is leased is told by its own answer. @returns who was */
  async reposition(peer: ServerId, placed: readonly { readonly author: UserId; readonly number: number }[]): Promise<UserId[]> {
    const { clock, db, limits } = this.#deps;
    const [authors, numbers] = [placed.map(({ author }) => author), placed.map(({ number }) => number)];
    const { rows } = await sql<{ author: UserId }>`
      update peer_cursors c set cursor = greatest(c.start, i.number), later_since = null, retry_at = null,
        resend_at = ${resendAt(new Date(clock.now()), limits)}
      from unnest(${authors}::text[], ${numbers}::bigint[]) as i(author, number)
      where c.server_id = ${peer} and c.author_id = i.author and greatest(c.start, i.number) < c.cursor and c.lease_until is null
      returning c.author_id as author`.execute(db.kysely);
    return rows.map(({ author }) => author);
  }

  /** Our places at a peer, by author. */
  async places(peer: ServerId, page: { readonly after: string; readonly limit: number }): Promise<{ author: UserId; cursor: number }[]> {
    return this.#deps.db.query({
      name: 'streams_places',
      text: `select author_id as author, cursor::float8 as cursor from peer_cursors
        where server_id = $1 and author_id > $2 order by author_id limit $3`,
      values: [peer, page.after, page.limit],
    });
  }
}

const claimIn = (peer: ServerId, { author, lease, later_since: laterSince, room: _room, ...row }: LeasedRow): Claim => ({
  ...{ peer, author, lease },
  state: { ...row, laterSinceMs: laterSince === null ? null : laterSince.getTime() },
});

function itemOf({ broadcast, certificate, kind, number, parts, record }: ItemRow): StreamItem {
  const isWhole = certificate !== null && (kind !== 'thread' || parts !== null) && (kind !== 'thread-removal' || record !== null);
  if (!isWhole) return nothing(number);
  return { number, kind: KINDS[kind] ?? (kind as StreamKind), certificate, broadcast, parts: parts ?? [], record };
}

const nothing = (number: number): StreamItem => ({ number, kind: 'nothing', certificate: null, broadcast: false, parts: [], record: null });
