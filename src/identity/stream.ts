// A member's stream: facts about what it published, took back and signs with, in the order of their commits. Number order is commit order, because
// the stream's row is locked last of all and until the commit (specs/protocol/ledger.md). Peers are told of them in that order.
import { sql } from 'kysely';
import type { UserId } from '../wire/address.ts';
import type { Executor } from './executor.ts';

export type FactKind = 'reed' | 'thread' | 'reed-removal' | 'thread-removal' | 'account-removal' | 'key' | 'key-revocation';
export type Fact = { readonly author: UserId; readonly kind: FactKind; readonly subject: string };

/** Gives the author's stream its next fact, the first one too. */
export async function nextFact(tx: Executor, fact: Fact): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    insert into author_streams as s (author_id, last_number) values (${fact.author}, 1)
    on conflict (author_id) do update set last_number = s.last_number + 1 returning last_number::text as number`.execute(tx);
  await sql`
    insert into author_facts (author_id, number, kind, subject_id)
    values (${fact.author}, ${rows[0]?.number}, ${fact.kind}, ${fact.subject})`.execute(tx);
}

/** Gives it one such fact after the other, in one statement. */
export async function nextFacts(tx: Executor, author: UserId, kind: FactKind, subjects: readonly string[]): Promise<void> {
  await sql`
    with s as (
      insert into author_streams as s (author_id, last_number) values (${author}, ${subjects.length})
      on conflict (author_id) do update set last_number = s.last_number + ${subjects.length} returning last_number
    )
    insert into author_facts (author_id, number, kind, subject_id)
    select ${author}, s.last_number - ${subjects.length} + i.place, ${kind}, i.id
    from s, unnest(${[...subjects]}::text[]) with ordinality as i(id, place)`.execute(tx);
}

/**
 * Somebody was told more of this stream than it knows of itself: it came back from a backup. Facts after `from` get numbers after everything that was
 * ever given, so that no number stands for two facts.
 * @param above the highest number that is known to have been given
 */
export async function liftStream(tx: Executor, author: UserId, { from, above }: { from: number; above: number }): Promise<void> {
  const { rows } = await sql<{ head: number }>`
    select last_number::float8 as head from author_streams where author_id = ${author} for update`.execute(tx);
  const base = Math.max(rows[0]?.head ?? 0, above);
  const { rows: moved } = await sql`
    update author_facts f set number = ${base}::bigint + n.nth
    from (select number, row_number() over (order by number) as nth from author_facts where author_id = ${author} and number > ${from}) n
    where f.author_id = ${author} and f.number = n.number returning f.number`.execute(tx);
  await sql`update author_streams set last_number = ${base + moved.length} where author_id = ${author}`.execute(tx);
}
