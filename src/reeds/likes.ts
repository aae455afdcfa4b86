// Likes of published reeds. For each pair the statement with the highest seq is the state, whichever commits last; triggers count them.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Countersigned, Countersigner } from '../identity/countersign.ts';
import type { Member } from '../identity/sessions.ts';
import { requireSigned } from '../identity/verify.ts';
import type { ReedId } from '../wire/address.ts';
import { requireReadable } from './reading.ts';

export type LikesDeps = {
  readonly clock: Clock;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
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
    const { keys, clock, countersigner } = this.#deps;
    const verified = await requireSigned(value, type, { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (statement.target !== target) throw new AppError('INVALID', 'target: not the one in the path');
    return countersigner.accept(verified, { user: statement.user, key: statement.key }, async (tx, { hash, seq }) => {
      if (type === 'like') await requireReadable(tx, member.userId, target);
      await sql`
        insert into likes (user_id, target, active, seq, statement_hash)
        values (${member.userId}, ${target}, ${type === 'like'}, ${seq}, ${hash})
        on conflict (user_id, target) do update
          set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash
          where likes.seq < excluded.seq`.execute(tx);
    });
  }
}
