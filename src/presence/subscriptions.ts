// What members watch while they are online: reeds, profiles, pipes (tags) and the community stream. Rows, so that whoever publishes on
// any replica finds them. They end with presence, in the transaction that ends it.
import { sql, type Transaction } from 'kysely';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import type { Executor } from '../identity/executor.ts';
import type { ReedId, UserId } from '../wire/address.ts';

export type Watched =
  | { readonly kind: 'reed'; readonly target: ReedId }
  | { readonly kind: 'profile'; readonly target: UserId }
  | { readonly kind: 'pipe'; readonly target: string }
  | { readonly kind: 'broadcast' };

/** 'gone': the member has no presence, so that nothing would end the subscription. */
export type Subscribed = 'subscribed' | 'too-many' | 'gone';

const TABLES = { reed: 'reed_subscriptions', profile: 'profile_subscriptions', pipe: 'pipe_subscriptions' } as const;

const COUNT = `
  (select count(*) from reed_subscriptions where viewer = p.user_id)
  + (select count(*) from profile_subscriptions where viewer = p.user_id)
  + (select count(*) from pipe_subscriptions where viewer = p.user_id)
  + (select count(*) from broadcast_subscriptions where viewer = p.user_id)`;

export class Subscriptions {
  readonly #database: Database;
  readonly #limits: Limits;

  constructor(database: Database, limits: Limits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** Commits that a member watches something; again is no error. Look for what to show of it after this. */
  subscribe(viewer: UserId, watched: Watched, most = this.#limits.subscriptions): Promise<Subscribed> {
    return this.#database.transaction(async (tx) => {
      // Locked first, so that presence can't end in between and two frames are counted one after the other.
      const { rows } = await sql<object>`select from online_users where user_id = ${viewer} for no key update`.execute(tx);
      if (rows.length === 0) return 'gone';
      if (await isWatching(tx, viewer, watched)) return 'subscribed';
      const { rows: counted } = await sql<{ count: number }>`
        select (${sql.raw(COUNT)})::int as count from online_users p where p.user_id = ${viewer}`.execute(tx);
      if ((counted[0]?.count ?? 0) >= most) return 'too-many';
      await insert(tx, viewer, watched);
      return 'subscribed';
    });
  }

  /** Commits that a member watches something no more; again is no error. */
  async unsubscribe(viewer: UserId, watched: Watched): Promise<void> {
    if (watched.kind === 'broadcast') {
      await this.#database.query({
        name: 'unsubscribe-broadcast',
        text: 'delete from broadcast_subscriptions where viewer = $1',
        values: [viewer],
      });
      return;
    }
    const table = TABLES[watched.kind];
    await this.#database.query({
      name: `unsubscribe-${watched.kind}`,
      text: `delete from ${table} where viewer = $1 and target = $2`,
      values: [viewer, watched.target],
    });
  }
}

/** Ends everything that these members watch, and the places of their catch-ups. */
export async function endSubscriptions(tx: Transaction<DB>, viewers: readonly UserId[]): Promise<void> {
  await sql`
    with reed as (delete from reed_subscriptions where viewer = any(${viewers}::text[])),
      profile as (delete from profile_subscriptions where viewer = any(${viewers}::text[])),
      places as (delete from catchup_positions where user_id = any(${viewers}::text[])),
      pipe as (delete from pipe_subscriptions where viewer = any(${viewers}::text[]))
    delete from broadcast_subscriptions where viewer = any(${viewers}::text[])`.execute(tx);
}

/** Ends what a member watches of another one: the profile and every reed. */
export async function endWatching(tx: Executor, viewer: UserId, author: UserId): Promise<void> {
  await sql`
    with reed as (delete from reed_subscriptions where viewer = ${viewer} and target > ${`${author}/`} and target < ${`${author}0`})
    delete from profile_subscriptions where viewer = ${viewer} and target = ${author}`.execute(tx);
}

async function isWatching(tx: Transaction<DB>, viewer: UserId, watched: Watched): Promise<boolean> {
  const { rows } =
    watched.kind === 'broadcast'
      ? await sql`select from broadcast_subscriptions where viewer = ${viewer}`.execute(tx)
      : await sql`select from ${sql.table(TABLES[watched.kind])} where viewer = ${viewer} and target = ${watched.target}`.execute(tx);
  return rows.length > 0;
}

async function insert(tx: Transaction<DB>, viewer: UserId, watched: Watched): Promise<void> {
  if (watched.kind !== 'broadcast') {
    await sql`insert into ${sql.table(TABLES[watched.kind])} (viewer, target) values (${viewer}, ${watched.target})`.execute(tx);
    return;
  }
  // As one who was served last: nobody comes first, or too soon, by leaving and coming back.
  await sql`
    insert into broadcast_subscriptions (viewer, served_at)
    select ${viewer}, coalesce(max(served_at), '-infinity') from broadcast_subscriptions`.execute(tx);
}
