// What of an author's reeds ends without a removal of theirs: what a key signed that was put off the chain, and everything of a removed account.
// A page at a time, each in a transaction of its own and as often as one likes: the debt row that led here stays until all pages are through.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import { nextFact, nextFacts } from '../identity/stream.ts';
import { backToBefore, takeBack, type VoidPage, voidStatements } from '../identity/voiding.ts';
import { type ReedId, type UserId, type UserKeyId, userOf } from '../wire/address.ts';

export type VoidingDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits };

/** gone: published reeds that are removed from now on. next: where the next page starts; null: that was the last. */
export type VoidedPage = { readonly gone: readonly ReedId[]; readonly next: number | null };

/** gone: as above. next: after which reed the next page starts; null: that was the last. */
export type AccountPage = { readonly gone: readonly ReedId[]; readonly next: ReedId | null };

const STEP_NAMES = ['likes', 'declines'] as const;
type Step = (typeof STEP_NAMES)[number];

/** Of what a removed account liked and declined: what is looked at, and after which reed. */
export type LeavingsPlace = { readonly step: Step; readonly after: string };
export const FIRST_LEAVINGS: LeavingsPlace = { step: 'likes', after: '' };

export class Voiding {
  readonly #deps: VoidingDeps;

  constructor(deps: VoidingDeps) {
    this.#deps = deps;
  }

  /** Takes back the next page of what a key signed that is off the chain; nothing of a key that stands. */
  async page(key: UserKeyId, after: number): Promise<VoidedPage> {
    const { db, limits } = this.#deps;
    return db.transaction(async (tx) => {
      const page = await voidStatements(tx, key, { after, limit: limits.endedPerPage });
      if (page === null) return { gone: [], next: null };
      if (page.hashes.length === 0) return { gone: [], next: page.next };
      await takeBack(tx, key, page.hashes, this.#deps);
      await backToBefore(tx, 'likes', { user: userOf(key), hashes: page.hashes, acts: ['like', 'unlike'] });
      return { gone: await this.#reeds(tx, userOf(key), page), next: page.next };
    });
  }

  async #reeds(tx: Executor, author: UserId, { hashes, by }: VoidPage): Promise<ReedId[]> {
    const [now, signed] = [new Date(this.#deps.clock.now()), [...hashes]];
    // Of another server's reed that never came here nothing is known but its removal: with that nothing is left.
    await sql`
      delete from threads t using reeds r where r.id = t.id and r.author_id = ${author} and r.removal_hash = any(${signed}::bytea[])
        and r.statement_hash = r.removal_hash`.execute(tx);
    await sql`
      delete from reeds where author_id = ${author} and removal_hash = any(${signed}::bytea[]) and statement_hash = removal_hash`.execute(
      tx,
    );
    // What the void key removed is there again, unless a void key wrote it; whoever holds it still is asked for it.
    await sql`
      with gone as materialized (
        select r.id, exists (select from keys k where k.id = s.certificate -> 'statement' ->> 'key' and k.void_hash is null) as stands
        from reeds r join statements s on s.hash = r.statement_hash
        where r.author_id = ${author} and r.removal_hash = any(${signed}::bytea[]) order by r.id for no key update of r
      )
      update reeds r set removed_at = case when g.stands then null else r.removed_at end, removal_hash = case when g.stands then null else ${by}::bytea end
      from gone g where r.id = g.id`.execute(tx);
    await sql`update threads set removal_hash = null where author_id = ${author} and removal_hash = any(${signed}::bytea[])`.execute(tx);
    await sql`update threads set removal_hash = ${by} where author_id = ${author} and statement_hash = any(${signed}::bytea[])`.execute(tx);
    const { rows } = await sql<Removed>`
      update reeds set removed_at = ${now}, removal_hash = ${by}
      where author_id = ${author} and statement_hash = any(${signed}::bytea[]) and removed_at is null
      returning id, published_at is not null as published`.execute(tx);
    return this.#gone(tx, author, rows);
  }

  /** The page of a removed account's reeds after `after`: ids of an author's reeds begin with its own, so they are one range. */
  async account(author: UserId, after: ReedId | ''): Promise<AccountPage> {
    const { clock, db, limits } = this.#deps;
    const from = after === '' ? `${author}/` : after;
    return db.transaction(async (tx) => {
      const { rows } = await sql<Removed>`
        with page as materialized (
          select r.id, a.statement_hash from reeds r join account_removals a on a.user_id = ${author}
          where r.id > ${from} and r.id < ${`${author}0`} and a.statement_hash is not null and r.removed_at is null
          order by r.id limit ${limits.endedPerPage}
        ),
        gone as (
          update reeds r set removed_at = ${new Date(clock.now())}, removal_hash = p.statement_hash from page p where r.id = p.id
          returning r.id, r.published_at is not null as published
        )
        select * from gone order by id`.execute(tx);
      const gone = await this.#drop(tx, author, rows);
      const next = rows.length < limits.endedPerPage ? null : (rows.at(-1)?.id ?? null);
      if (next === null) await noteRemoval(tx, author);
      return { gone, next };
    });
  }

  /** Ends a page of what a removed account liked and declined: each forward in one keyset. @returns where the next one starts; null: that was the last */
  async leavings(user: UserId, { step, after }: LeavingsPlace): Promise<LeavingsPlace | null> {
    const { db, limits } = this.#deps;
    const page = await db.transaction((tx) => STEPS[step](tx, { user, after, limit: limits.endedPerPage }));
    const next = STEP_NAMES[STEP_NAMES.indexOf(step) + 1];
    const last = page.at(-1);
    if (page.length === limits.endedPerPage && last !== undefined) return { step, after: last };
    return next === undefined ? null : { step: next, after: '' };
  }

  /** Each is a debt of telling whoever has it, and a fact of its author's stream. */
  async #gone(tx: Executor, author: UserId, rows: readonly Removed[]): Promise<ReedId[]> {
    const published = await this.#drop(tx, author, rows);
    if (published.length === 0) return [];
    await sql`
      insert into pending_fanout (kind, subject_id, due_at)
      select 'reed-removal', unnest(${published}::text[]), ${new Date(this.#deps.clock.now() + this.#deps.limits.fanoutLeaseMs)}
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    if (await isMember(tx, author)) await nextFacts(tx, author, 'reed-removal', published);
    return published;
  }

  /** The author keeps none of them. @returns those that were published */
  async #drop(tx: Executor, author: UserId, rows: readonly Removed[]): Promise<ReedId[]> {
    const all = rows.map(({ id }) => id);
    await sql`delete from reed_allocations where holder_user_id = ${author} and reed_id = any(${all}::text[])`.execute(tx);
    return rows.flatMap((row) => (row.published ? [row.id] : []));
  }
}

type Removed = { readonly id: ReedId; readonly published: boolean };

/** The last fact of a member's stream, once. */
async function noteRemoval(tx: Executor, author: UserId): Promise<void> {
  const { rows } = await sql`
    select id from users u where id = ${author}
      and not exists (select from author_facts f where f.author_id = u.id and f.kind = 'account-removal') for no key update of u`.execute(
    tx,
  );
  if (rows.length > 0) await nextFact(tx, { author, kind: 'account-removal', subject: author });
}

type StepPage = { readonly user: UserId; readonly after: string; readonly limit: number };

/** Each ends a page after `after`. @returns the reeds that it was about, by id */
const STEPS: Readonly<Record<Step, (tx: Executor, page: StepPage) => Promise<ReedId[]>>> = {
  likes: async (tx, { user, after, limit }) => {
    const { rows } = await sql<{ id: ReedId }>`
      with page as materialized (
        select target from likes where user_id = ${user} and target > ${after} order by target limit ${limit} for no key update
      ),
      taken as (update likes l set active = false from page p where l.user_id = ${user} and l.target = p.target and l.active)
      select target as id from page order by target`.execute(tx);
    return rows.map(({ id }) => id);
  },
  declines: async (tx, { user, after, limit }) => {
    const { rows } = await sql<{ id: ReedId }>`
      with page as materialized (select reed_id from reed_declines where user_id = ${user} and reed_id > ${after} order by reed_id limit ${limit}),
      gone as (delete from reed_declines d using page p where d.user_id = ${user} and d.reed_id = p.reed_id)
      select reed_id as id from page order by reed_id`.execute(tx);
    return rows.map(({ id }) => id);
  },
};

/** Whether this is the author's home, which tells others. */
async function isMember(tx: Executor, author: UserId): Promise<boolean> {
  const { rows } = await sql`select from users where id = ${author}`.execute(tx);
  return rows.length > 0;
}
