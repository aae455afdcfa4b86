// The record of a thread: between 2 and 30 registered parts of one author in their order, published whole when its head is.
// A record and the rows that name its head agree exactly: checked under the lock of the author's stream row.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { Countersigned, Countersigner } from '../identity/countersign.ts';
import type { Executor } from '../identity/executor.ts';
import type { Member } from '../identity/sessions.ts';
import { requireSigned } from '../identity/verify.ts';
import type { ReedId } from '../wire/address.ts';
import type { StatementOf } from '../wire/statements.ts';

export type ThreadsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
};

export class Threads {
  readonly #deps: ThreadsDeps;

  constructor(deps: ThreadsDeps) {
    this.#deps = deps;
  }

  /** Registers a thread's record. @throws AppError INVALID naming the part, FORBIDDEN, CONFLICT, KEY_REVOKED */
  async register(member: Member, value: unknown): Promise<Countersigned<'thread'>> {
    const { clock, keys, countersigner } = this.#deps;
    const verified = await requireSigned(value, 'thread', { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.author !== member.userId) throw new AppError('FORBIDDEN', 'author: not the one signed in');
    return countersigner.accept(verified, { user: statement.author, key: statement.key }, (tx, { hash }) => store(tx, statement, hash));
  }
}

async function store(tx: Executor, thread: StatementOf<'thread'>, hash: Buffer): Promise<void> {
  await sql`select author_id from author_streams where author_id = ${thread.author} for update`.execute(tx);
  const { rows } = await sql<{ id: ReedId; place: number; published: boolean; removed: boolean }>`
    select id, thread_index as place, published_at is not null as published, removed_at is not null as removed
    from reeds where thread_head = ${thread.id} and author_id = ${thread.author}
    order by thread_index, id`.execute(tx);
  for (const [index, id] of thread.reeds.entries()) {
    const part = rows.find((row) => row.id === id);
    if (part === undefined || part.place !== index) throw new AppError('INVALID', `reeds[${index}]: not registered as this part`);
    if (part.published || part.removed) throw new AppError('INVALID', `reeds[${index}]: published or removed already`);
  }
  if (rows.length !== thread.reeds.length) throw new AppError('INVALID', 'reeds: a registered part is missing');
  const inserted = await sql`
    insert into threads (id, author_id, statement_hash) values (${thread.id}, ${thread.author}, ${hash})
    on conflict (id) do nothing returning id`.execute(tx);
  if (inserted.rows.length === 0) throw new AppError('CONFLICT', 'id: the thread has another record');
}
