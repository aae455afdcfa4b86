// An author takes a reed or a thread back. One transaction: the certificate, what is gone by it, the stream's fact, and the debt of telling
// whoever has a copy. The rows stay, so that the certificate answers for ever and no late copy passes.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Countersigned, Countersigner } from '../identity/countersign.ts';
import type { Executor } from '../identity/executor.ts';
import type { Member } from '../identity/sessions.ts';
import { nextFact } from '../identity/stream.ts';
import { requireSigned } from '../identity/verify.ts';
import type { ReedId, UserId } from '../wire/address.ts';

export type RemovalKind = 'reed-removal' | 'thread-removal';

export type RemovalDeps = {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  /** Called after the commit of a removal. */
  readonly onRemoved: (kind: RemovalKind, subject: ReedId) => void;
};

type Row = { published: boolean; head: ReedId | null; whole: boolean; removal: object | null; removed: boolean };

export class Removal {
  readonly #deps: RemovalDeps;

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /**
   * Takes an author's removal of a reed, or of a thread with all its parts.
   * @throws AppError INVALID, FORBIDDEN, NOT_FOUND; CONFLICT for a part of a thread; REMOVED with the first removal's certificate; KEY_REVOKED
   */
  async remove(member: Member, kind: RemovalKind, subject: ReedId, value: unknown): Promise<Countersigned<RemovalKind>> {
    const { keys, clock, countersigner, onRemoved } = this.#deps;
    const verified = await requireSigned(value, kind, { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.author !== member.userId) throw new AppError('FORBIDDEN', 'author: not the one signed in');
    if (statement.id !== subject) throw new AppError('INVALID', 'id: not the one in the path');
    const by = { user: statement.author, key: statement.key };
    const accepted = await countersigner.accept(verified, by, (tx, { hash }) =>
      this.#take(tx, { kind, subject, author: member.userId, hash }),
    );
    if (accepted.isNew) onRemoved(kind, subject);
    return accepted;
  }

  async #take(tx: Executor, removal: { kind: RemovalKind; subject: ReedId; author: UserId; hash: Buffer }): Promise<void> {
    const { clock, limits } = this.#deps;
    const { kind, subject, author, hash } = removal;
    const now = clock.now();
    const published = await requireRemovable(tx, removal);
    await sql`
      with gone as (
        update reeds set removed_at = ${new Date(now)}, removal_hash = ${hash}
        where author_id = ${author} and (id = ${subject} or (${kind} = 'thread-removal' and thread_head = ${subject})) and removed_at is null
        returning id
      )
      -- The author has dropped it: who takes a reed back needs not be told.
      delete from reed_allocations a using gone g where a.holder_user_id = ${author} and a.reed_id = g.id`.execute(tx);
    if (kind === 'thread-removal') await sql`update threads set removal_hash = ${hash} where id = ${subject}`.execute(tx);
    if (!published) return;
    await sql`
      insert into pending_fanout (kind, subject_id, due_at) values (${kind}, ${subject}, ${new Date(now + limits.fanoutLeaseMs)})
      -- An earlier removal, by a key that was put off the chain since, may not be told yet.
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    await nextFact(tx, { author, kind, subject });
  }
}

/** @returns whether it was published */
async function requireRemovable(
  tx: Executor,
  { kind, subject, author }: { kind: RemovalKind; subject: ReedId; author: UserId },
): Promise<boolean> {
  const { rows: locked } = await sql<{ part: boolean }>`
    select thread_head is not null as part from reeds where id = ${subject} and author_id = ${author} for no key update`.execute(tx);
  // The record of a thread is registered under this lock: whichever of the two comes second sees the other.
  if (locked[0]?.part) await sql`select author_id from author_streams where author_id = ${author} for update`.execute(tx);
  const { rows } = await sql<Row>`
    select r.published_at is not null as published, r.thread_head as head, t.id is not null as whole, r.removed_at is not null as removed,
      s.certificate as removal
    from reeds r left join threads t on t.id = coalesce(r.thread_head, r.id) left join statements s on s.hash = r.removal_hash
    where r.id = ${subject} and r.author_id = ${author}`.execute(tx);
  const [row] = rows;
  if (row === undefined || (kind === 'thread-removal' && (!row.whole || row.head !== subject)))
    throw new AppError('NOT_FOUND', kind === 'reed-removal' ? 'you have registered no such reed' : 'you have registered no such thread');
  if (row.removed) throw new AppError('REMOVED', 'removed already', row.removal === null ? {} : { certificate: row.removal });
  if (kind === 'reed-removal' && row.whole) throw new AppError('CONFLICT', 'id: a part of a thread; remove the thread');
  return row.published;
}
