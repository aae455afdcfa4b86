// The author's stream: facts in the order of their commits, without gaps. Its row is locked last, until the commit (specs/protocol/ledger.md).
import { sql } from 'kysely';
import type { Executor } from '../identity/executor.ts';
import type { UserId } from '../wire/address.ts';

export type Fact = {
  readonly author: UserId;
  readonly kind: 'reed' | 'thread' | 'reed-removal' | 'thread-removal' | 'account-removal';
  readonly subject: string;
};

/** Gives the author's stream its next fact. Number order is commit order, because the row stays locked until the commit. */
export async function nextFact(tx: Executor, fact: Fact): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    update author_streams set last_number = last_number + 1 where author_id = ${fact.author} returning last_number::text as number`.execute(
    tx,
  );
  await sql`
    insert into author_facts (author_id, number, kind, subject_id)
    values (${fact.author}, ${rows[0]?.number}, ${fact.kind}, ${fact.subject})`.execute(tx);
}
