// What members are owed for the time they were away. Places are rows, pages are taken by whichever replica comes first; a stage that
// fails is tried again by itself and keeps no other one waiting. What is owed already, or held, is not owed again.
import { sql } from 'kysely';
import { doubling } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { OweItem } from '../ledger/owe.ts';
import { NOTICE_NAMES, type SubjectKind } from '../ledger/state.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import { authorStage, type Due, type Place, STAGES, type Stage, stageOf } from './catchup-stages.ts';
import type { Debts } from './debts.ts';
import type { Looks } from './looks.ts';
import type { Removals } from './removals.ts';

export type CatchupDeps = {
  readonly application: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
  readonly log: { warn(details: object, message: string): void };
  readonly looks: Looks;
  readonly debts: Debts;
  readonly removals: Pick<Removals, 'tell'>;
};

type Turn = {
  readonly member: UserId;
  readonly stage: Stage;
  readonly from: Place;
  /** The version of its row as it was taken: once that is another, the turn is somebody else's. */
  readonly version: string;
  readonly lease: string;
  readonly failures: number;
  readonly room: number;
};

/** Of this replica at once: pages that wait for the database longer than a lease would be taken twice. */
const ROUNDS = 4;

/** Stages of authors who were followed just now that one member may have; who follows more at once is given them all by the stage of follows. */
const AUTHOR_STAGES = 32;

/** Pages full of members without room that one round goes on behind; so many looks cost little, and the next round begins behind them. */
const FULL_PAGES = 16;

/**
 * Members with room, at the first of their stages that is due; one stage each, taken under a lease. A member's rows are locked all together,
 * for a later stage must not overtake an earlier one that another round is at: each reed is owed by the strongest message. Who has no room goes
 * behind all others, with every row: however many wait for room, and for whatever, those behind them come up. Who is being caught up takes up no
 * place among those who are looked at, whatever else of theirs is due.
 */
const TAKE = `
with recursive busy as materialized (
  select coalesce(array_agg(distinct user_id), '{}') as members from catchup_positions where due_at > $1 and due_at <= $2 and lease_until > $1
),
late (user_id, due_at, seen, nth) as (
  (select c.user_id, c.due_at, b.members || c.user_id, 1 from busy b cross join catchup_positions c
    where c.due_at <= $1 and $5::int > 0 and c.user_id <> all(b.members) order by c.due_at limit 1)
  union all
  select n.user_id, n.due_at, l.seen || n.user_id, l.nth + 1 from late l cross join lateral (
    select user_id, due_at from catchup_positions where due_at between l.due_at and $1 and user_id <> all(l.seen) order by due_at limit 1) n
  where l.nth < $5::int
),
locked as materialized (
  select c.* from late cross join lateral (select * from catchup_positions p where p.user_id = late.user_id for update skip locked) c
),
first as (
  select user_id, stage from (
    select distinct on (user_id) user_id, stage, taken, leased from (
      select *, count(*) over same as taken, max(lease_until) over same as leased from locked window same as (partition by user_id)
    ) l where due_at <= $1 order by user_id, array_position($3::text[], stage)
  ) f
  where (leased > $1) is not true and taken = (select count(*) from catchup_positions p where p.user_id = f.user_id)
),
counted as (
  select f.*, (select count(*)::int from pending_events e where e.requester_user_id = f.user_id and e.state in (1, 2, 3, 7))
    + (select count(*)::int from pending_events e where e.requester_user_id = f.user_id and e.state = 4) as served
  from first f
),
moved as materialized (
  select l.user_id, l.stage, n.served from counted n join locked l on l.user_id = n.user_id
  where l.stage = n.stage or (n.served >= $4 and l.due_at <= $1)
)
update catchup_positions c set due_at = case when n.served < $4 then $2::timestamptz else $1::timestamptz + interval '1 millisecond' end,
  lease_until = case when n.served < $4 then $2::timestamptz end
from moved n where c.user_id = n.user_id and c.stage = n.stage
returning c.user_id, c.stage, c.at::text, c.id, c.xmin::text as version, c.lease_until::text as lease, c.failures, n.served`;

/** Stages that have something of server $1, from their start, for who is online and caught up. */
const PEER_BACK = `
with here as materialized (
  select user_id from online_users where sync_request_id is not null order by user_id for key share skip locked
)
insert into catchup_positions (user_id, stage, due_at)
select h.user_id, s.stage, $2 from here h cross join lateral (
  select 'follows' as stage where exists (select from follows f where f.user_id = h.user_id and f.active and split_part(f.target, '@', 2) = $1)
  union all
  select 'mentions' where exists (
    select from reed_mentions m where m.user_id = h.user_id and m.accepted and split_part(split_part(m.reed_id, '/', 1), '@', 2) = $1)
  union all
  select 'replies' where exists (select from reeds r where r.reply_to > h.user_id || '/' and r.reply_to < h.user_id || '0'
    and split_part(r.author_id, '@', 2) = $1)
) s order by 1, 2
on conflict (user_id, stage) do update set at = null, id = null, failures = 0, lease_until = null, due_at = excluded.due_at`;

export class Catchup {
  readonly #deps: CatchupDeps;
  #rounds = 0;
  #again = false;

  constructor(deps: CatchupDeps) {
    this.#deps = deps;
  }

  /** A member asked to be caught up; its label is committed. Every stage starts anew: what is owed or held already costs a look. */
  start(member: UserId): Promise<void> {
    return this.#begin(
      member,
      STAGES.map(({ name }) => name),
    );
  }

  /** A member follows somebody, committed: if it is caught up already, it is owed what they wrote. */
  followed(member: UserId, author: UserId): void {
    this.#deps.looks.look(async () => this.#begin(member, [(await this.#hasMany(member)) ? 'follows' : authorStage(author)]));
  }

  /**
   * These members were to be owed more than they may have open. Committed: they are looked at again, every now and then, until they are owed all;
   * a stage that is not through begins anew, for what there was no room for may lie before its place. One that is under way does so when its lease is over:
   * its row is another by then, so that what its turn writes at the end is for nothing.
   */
  async behind(members: readonly UserId[]): Promise<void> {
    const { application, clock, limits } = this.#deps;
    const stages = STAGES.flatMap(({ name, eventName }) => (eventName === null ? [] : [name]));
    await application.query({
      name: 'catchup_behind',
      text: `with here as materialized (
          select user_id from online_users where user_id = any($1::text[]) and sync_request_id is not null order by user_id for key share
        )
        insert into catchup_positions (user_id, stage, due_at) select h.user_id, s.stage, $3 from here h cross join unnest($2::text[]) as s(stage)
        order by 1, 2 on conflict (user_id, stage) do update set at = null, id = null
          where catchup_positions.id is not null or catchup_positions.lease_until is not null`,
      values: [members, stages, new Date(clock.now() + limits.behindLookMs)],
    });
  }

  async #hasMany(member: UserId): Promise<boolean> {
    const rows = await this.#deps.application.query<object>({
      name: 'catchup_many',
      text: 'select from catchup_positions where user_id = $1 limit $2',
      values: [member, AUTHOR_STAGES],
    });
    return rows.length >= AUTHOR_STAGES;
  }

  /**
   * Another server can be reached again. Whoever follows somebody there, was mentioned or answered from there, and is here, is looked at once more: while
   * it was away what nobody here has was not owed.
   */
  peerBack(server: ServerId): void {
    this.#deps.looks.look(async () => {
      const { application, clock } = this.#deps;
      await application.query({ name: 'catchup_peer_back', text: PEER_BACK, values: [server, new Date(clock.now())] });
      await this.round();
    });
  }

  async #begin(member: UserId, stages: readonly string[]): Promise<void> {
    const { application, clock, looks } = this.#deps;
    await application.query({
      name: 'catchup_start',
      text: `with here as materialized (
          select user_id from online_users where user_id = $1 and sync_request_id is not null for key share
        )
        insert into catchup_positions (user_id, stage, due_at) select h.user_id, s.stage, $3 from here h cross join unnest($2::text[]) as s(stage)
        order by 1, 2 on conflict (user_id, stage) do update set at = null, id = null, failures = 0, lease_until = null, due_at = excluded.due_at`,
      values: [member, stages, new Date(clock.now())],
    });
    looks.look(() => this.round());
  }

  /** Opens the next page for every member that has room for one. Of many at once some do it for all, and look again for those who came meanwhile. */
  async round(): Promise<void> {
    this.#again = true;
    if (this.#rounds >= ROUNDS) return;
    this.#rounds += 1;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#pages();
      }
    } finally {
      this.#rounds -= 1;
    }
  }

  async #pages(): Promise<void> {
    for (let fullPages = 0; fullPages < FULL_PAGES; ) {
      const { turns, looked } = await this.#take();
      if (looked === 0) return;
      if (turns.length === 0) fullPages += 1;
      await Promise.all(turns.map((turn) => this.#run(turn)));
    }
  }

  /** `looked`: at so many rows, those of members without room among them. */
  async #take(): Promise<{ readonly turns: readonly Turn[]; readonly looked: number }> {
    const { application, clock, limits } = this.#deps;
    const now = clock.now();
    const rows = await application.query<{
      user_id: UserId;
      stage: string;
      at: string | null;
      id: string | null;
      version: string;
      lease: string;
      failures: number;
      served: number;
    }>({
      name: 'catchup_take',
      text: TAKE,
      values: [
        new Date(now),
        new Date(now + limits.catchupLeaseMs),
        STAGES.map(({ name }) => name),
        limits.catchupBelow,
        limits.catchupMembers,
      ],
    });
    const turns = rows.flatMap(({ user_id: member, stage: name, at, id, version, lease, failures, served }) => {
      const stage = stageOf(name);
      const room = limits.catchupServed - served;
      return stage === null || served >= limits.catchupBelow ? [] : [{ member, stage, from: { at, id }, version, lease, failures, room }];
    });
    return { turns, looked: rows.length };
  }

  async #run(turn: Turn): Promise<void> {
    const { clock, limits, log } = this.#deps;
    try {
      await this.#page(turn);
    } catch (error) {
      const failures = turn.failures + 1;
      log.warn({ stage: turn.stage.name, failures, err: error }, 'a page of a catch-up failed and is tried again');
      const pauseMs = doubling(failures, limits.catchupRetryFirstMs, limits.catchupRetryMaxMs);
      await this.#put(turn, { place: turn.from, failures: Math.min(failures, 1_000), dueAt: clock.now() + pauseMs }).catch(() => undefined);
    }
  }

  async #page(turn: Turn): Promise<void> {
    const { application, clock, limits } = this.#deps;
    const { member, stage, from, room } = turn;
    const page = await stage.page(application, { member, from, limit: limits.catchupRows });
    const [taken, cut] = fitting(page.rows, room);
    const due = uniqueBySubject(taken.filter(({ owed }) => owed));
    const { behind, locked } = await this.#owe(turn, due);
    const next = locked ? from : cut ? (taken.at(-1)?.place ?? from) : page.next;
    const pauseMs = locked ? limits.catchupRetryFirstMs : 0;
    if (behind) await this.#behindItself(turn);
    else if (next === null) await this.#end(turn);
    else await this.#put(turn, { place: next, failures: 0, dueAt: clock.now() + pauseMs });
  }

  async #owe({ member, stage: { eventName } }: Turn, due: readonly Due[]): Promise<{ behind: boolean; locked: boolean }> {
    const { clock, debts, random, removals } = this.#deps;
    const notices = due.flatMap(({ kind, subject }) => (isContent(kind) ? [] : [{ kind, subject, eventName: NOTICE_NAMES[kind] }]));
    const { locked } = notices.length > 0 ? await removals.tell(member, notices) : { locked: false };
    if (eventName === null) return { behind: false, locked };
    return debts.owe(
      due.flatMap(({ kind, subject }): OweItem[] =>
        isContent(kind)
          ? [{ eventId: uuidv7(clock.now(), random), requester: member, eventName, kind, subject, priority: 2, holder: null }]
          : [],
      ),
    );
  }

  /** The turn itself found no room, and had its own row reset by that: known by its lease, which a new sync takes from it. */
  async #behindItself({ member, stage, lease }: Turn): Promise<void> {
    const { application, clock, limits } = this.#deps;
    await sql`
      update catchup_positions set at = null, id = null, failures = 0, due_at = ${new Date(clock.now() + limits.behindLookMs)}, lease_until = null
      where user_id = ${member} and stage = ${stage.name} and lease_until = ${lease}::timestamptz`.execute(application.kysely);
  }

  /** Another sync may have started the stage anew meanwhile, even from where this turn began: then its place stands. */
  async #put({ member, stage, version }: Turn, to: { place: Place; failures: number; dueAt: number }): Promise<void> {
    await sql`
      update catchup_positions set at = ${to.place.at}::timestamptz, id = ${to.place.id}, failures = ${to.failures},
        due_at = ${new Date(to.dueAt)}, lease_until = null
      where user_id = ${member} and stage = ${stage.name} and xmin::text = ${version}`.execute(this.#deps.application.kysely);
  }

  async #end({ member, stage, version }: Turn): Promise<void> {
    await sql`
      delete from catchup_positions where user_id = ${member} and stage = ${stage.name} and xmin::text = ${version}`.execute(
      this.#deps.application.kysely,
    );
  }
}

const isContent = (kind: Due['kind']): kind is SubjectKind => kind === 'reed' || kind === 'thread';

/** As many rows, from the first, as owe no more than `room`; and whether any was left out. */
function fitting(rows: readonly Due[], room: number): [taken: readonly Due[], cut: boolean] {
  let owed = 0;
  const over = rows.findIndex((row) => row.owed && ++owed > room);
  return over < 0 ? [rows, false] : [rows.slice(0, over), true];
}

const uniqueBySubject = (rows: readonly Due[]): Due[] => [...new Map(rows.map((row) => [row.subject, row])).values()];
