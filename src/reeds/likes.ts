// Likes of published reeds. For each pair the statement with the highest seq is the state, whichever commits last; triggers count them.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { AcceptedCertificate, KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type Countersigned, type Countersigner, hashBytes, storeStatement } from '../identity/countersign.ts';
import { meet } from '../identity/foreign.ts';
import { oweLeg } from '../identity/owed-legs.ts';
import type { Member } from '../identity/sessions.ts';
import { requireSigned } from '../identity/verify.ts';
import type { ReedId } from '../wire/address.ts';
import { requireReadable } from './reading.ts';

export type LikesDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  /** Called after the commit of a like or its end, with what it concerns. */
  readonly onLiked: (target: ReedId) => void;
};

export class Likes {
  readonly #deps: LikesDeps;

  constructor(deps: LikesDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a member's statement to like a reed, or to do so no more. Taking a like back needs no reed to be there.
   * @throws AppError INVALID, FORBIDDEN, NOT_FOUND; REMOVED or BLOCKED with the certificate; KEY_REVOKED
   */
  async set(member: Member, target: ReedId, type: 'like' | 'unlike', value: unknown): Promise<Countersigned<'like' | 'unlike'>> {
    const { keys, clock, countersigner, onLiked } = this.#deps;
    const verified = await requireSigned(value, type, { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (statement.target !== target) throw new AppError('INVALID', 'target: not the one in the path');
    const accepted = await countersigner.accept(verified, { user: statement.user, key: statement.key }, async (tx, { hash, seq }) => {
      if (type === 'like') await requireReadable(tx, member.userId, target);
      await oweLeg(tx, { family: 'like', user: member.userId, target }, { hash, seq, at: new Date(clock.now()) });
      await sql`
        insert into likes (user_id, target, active, seq, statement_hash)
        values (${member.userId}, ${target}, ${type === 'like'}, ${seq}, ${hash})
        on conflict (user_id, target) do update
          set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash
          where likes.seq < excluded.seq`.execute(tx);
    });
    onLiked(target);
    return accepted;
  }

  /**
   * Takes what a member of another server said, its certificate accepted.
   * @throws AppError NOT_FOUND; REMOVED or BLOCKED with the certificate
   */
  async takeForeign(act: AcceptedCertificate<'like' | 'unlike'>): Promise<void> {
    const { clock, db } = this.#deps;
    const { target, type, user } = act.certificate.statement;
    await db.transaction(async (tx) => {
      await meet(tx, [user], new Date(clock.now()));
      if (type === 'like') await requireReadable(tx, user, target);
      await storeStatement(tx, act.hash, act.certificate);
      await sql`
        insert into likes (user_id, target, active, seq, statement_hash)
        values (${user}, ${target}, ${type === 'like'}, ${act.seq}, ${hashBytes(act.hash)})
        on conflict (user_id, target) do update
          set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash
          where likes.seq < excluded.seq`.execute(tx);
    });
  }
}
