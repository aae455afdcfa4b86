// Second step of publishing: the author's device has stored the reed and can serve it, so it may be announced.
// One transaction: the author's allocation, published_at, the debt of its fan-out, and the number in the author's stream, whose row is locked last.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import type { Member } from '../identity/sessions.ts';
import { nextFact } from '../identity/stream.ts';
import type { ReedId, UserId } from '../wire/address.ts';

export type PublishDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits };
export type PublishReason = 'not-found' | 'removed' | 'incomplete' | 'other-removed' | 'other-missing' | 'other-blocks';

type Subject = { readonly parts: readonly ReedId[]; readonly kind: 'reed' | 'thread'; readonly published: boolean };
type Row = { head: ReedId | null; published: boolean; removed: boolean; parts: ReedId[] | null };

export class Publish {
  readonly #deps: PublishDeps;

  constructor(deps: PublishDeps) {
    this.#deps = deps;
  }

  /**
   * Publishes a registered reed, or with its head a whole thread; once published, only writes the author's allocation again.
   * @param broadcast whether it goes to the community stream; absent means yes
   * @returns `not-found` for a reed that is not the member's; `incomplete` for a part without its head, or a head whose record is missing;
   *   `other-removed`, `other-missing` or `other-blocks` if since its registration what it replies to or echoes was removed, is of somebody hidden, or
   *   of somebody who blocks the member
   */
  async publishReady(author: Member, reed: ReedId, broadcast: boolean | undefined): Promise<Result<'published' | 'again', PublishReason>> {
    const now = this.#deps.clock.now();
    return this.#deps.db.transaction(async (tx) => {
      const subject = await subjectOf(tx, author.userId, reed);
      if (!subject.ok) return subject;
      const { parts, kind, published } = subject.value;
      const refused = published ? null : await refusedOf(tx, parts);
      if (refused !== null) return fail(refused);
      await allocate(tx, { author, parts, now });
      if (published) return ok('again' as const);
      const { rows } = await sql`
        update reeds set published_at = ${new Date(now)}, broadcast = ${broadcast ?? true}
        where id = any(${parts}::text[]) and published_at is null and removed_at is null returning id`.execute(tx);
      if (rows.length === 0) return ok('again' as const);
      await sql`
        insert into pending_fanout (kind, subject_id, broadcast, due_at)
        values ('publication', ${reed}, ${broadcast ?? true}, ${new Date(now + this.#deps.limits.fanoutLeaseMs)})`.execute(tx);
      await nextFact(tx, { author: author.userId, kind, subject: reed });
      return ok('published' as const);
    });
  }
}

async function subjectOf(tx: Executor, author: UserId, reed: ReedId): Promise<Result<Subject, PublishReason>> {
  const { rows } = await sql<Row>`
    select r.thread_head as head, r.published_at is not null as published, r.removed_at is not null as removed,
      (select array_agg(p.id order by p.id) from threads t join reeds p on p.thread_head = t.id
        where t.id = r.id and p.removed_at is null) as parts
    from reeds r where r.id = ${reed} and r.author_id = ${author}`.execute(tx);
  const [row] = rows;
  if (row === undefined) return fail('not-found');
  if (row.removed) return fail('removed');
  if (row.head === null) return ok({ kind: 'reed', parts: [reed], published: row.published });
  if (row.head === reed && row.parts !== null) return ok({ kind: 'thread', parts: row.parts, published: row.published });
  return row.published ? ok({ kind: 'reed', parts: [reed], published: true }) : fail('incomplete');
}

/** What was registered in time must not be published too late. Refused as registering would be: whoever is hidden is told from nobody. */
async function refusedOf(tx: Executor, parts: readonly ReedId[]): Promise<PublishReason | null> {
  const { rows } = await sql<{ removed: boolean; hidden: boolean; blocked: boolean }>`
    select o.removed_at is not null or a.statement_hash is not null as removed, a.user_id is not null as hidden,
      exists (select from blocks b where b.user_id = o.author_id and b.target = r.author_id and b.active) as blocked
    from reeds r join reeds o on o.id = r.reply_to or o.id = r.echo_of left join account_removals a on a.user_id = o.author_id
    where r.id = any(${parts}::text[])`.execute(tx);
  if (rows.some(({ removed }) => removed)) return 'other-removed';
  if (rows.some(({ hidden }) => hidden)) return 'other-missing';
  return rows.some(({ blocked }) => blocked) ? 'other-blocks' : null;
}

async function allocate(tx: Executor, held: { author: Member; parts: readonly ReedId[]; now: number }): Promise<void> {
  const { author, parts, now } = held;
  await sql`
    insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
    select ${author.userId}, unnest(${parts}::text[]), ${author.deviceId}, ${new Date(now).toISOString().slice(0, 10)}::date
    on conflict (holder_user_id, reed_id) do update set device_id = excluded.device_id`.execute(tx);
  await sql`delete from reed_declines where user_id = ${author.userId} and reed_id = any(${parts}::text[])`.execute(tx);
}
