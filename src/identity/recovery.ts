// Sessions by a recovery key: it signs `recover` statements like any key its own, over an unused challenge, and what it gets opens nothing but
// a rotation and the withdrawal of an account's removal. Any recovery key named on the member's chain gets one; what it may do is judged there.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { fromBase64url } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type Fingerprint, fingerprintOf, parseUserId, type UserId, type UserKeyId, userKeyId } from '../wire/address.ts';
import type { Executor } from './executor.ts';
import { type IssuedToken, requireSession, type Sessions } from './sessions.ts';
import { TOKEN_BYTES, tokenHash } from './token-lookup.ts';

export type RecoveryDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits; readonly sessions: Sessions };

export type Recovering = { readonly userId: UserId; readonly recovery: Fingerprint };

export class Recovery {
  readonly #deps: RecoveryDeps;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /**
   * A token for a session statement of purpose `recover` whose `key` is the recovery key.
   * @param given its armor goes with the statement, since the server knows only its fingerprint
   * @throws AppError UNAUTHENTICATED
   */
  async signIn(given: { readonly statement: unknown; readonly signature: string; readonly recoveryArmor: string }): Promise<IssuedToken> {
    const { db, sessions } = this.#deps;
    const keys = await onlyKey(given.statement, given.recoveryArmor);
    const statement = requireSession(await sessions.verify(given, 'recover', keys));
    await sessions.requireGoodNonce(statement);
    return db.transaction(async (tx) => {
      await sessions.useNonce(tx, statement);
      if (!(await isNamed(tx, statement.user, fingerprintOf(statement.key))))
        throw new AppError('UNAUTHENTICATED', 'key: no recovery key of a member');
      return sessions.issue(tx, statement, true);
    });
  }

  /** Who holds this token of a recovery key, or null. */
  async authenticateToken(token: string): Promise<Recovering | null> {
    if (fromBase64url(token)?.length !== TOKEN_BYTES) return null;
    const { clock, db, limits } = this.#deps;
    const now = clock.now();
    const { rows } = await sql<{ user_id: UserId; key_id: UserKeyId }>`
      select user_id, key_id from sessions
      where token_hash = ${tokenHash(token)} and recovery and last_used_at > ${new Date(now - limits.tokenIdleMs)}
        and signed_at > ${new Date(now - limits.tokenLifeMs)}`.execute(db.kysely);
    const [row] = rows;
    if (row === undefined) return null;
    const recovery = fingerprintOf(row.key_id);
    return (await isNamed(db.kysely, row.user_id, recovery)) ? { userId: row.user_id, recovery } : null;
  }
}

/** Whether a key on the member's chain names this recovery key, and the account is there. */
async function isNamed(executor: Executor, user: UserId, recovery: Fingerprint): Promise<boolean> {
  const { rows } = await sql`
    select id from keys where user_id = ${user} and recovery = ${recovery} and void_hash is null
      and not exists (select from account_removals a where a.user_id = ${user} and a.statement_hash is not null) limit 1`.execute(executor);
  return rows.length > 0;
}

/** The recovery key as the only key there is. */
async function onlyKey(statement: unknown, armor: string): Promise<KeyLookup> {
  const read = await readPublicKey(armor);
  const named = (statement as { readonly user?: unknown } | null)?.user;
  const user = typeof named === 'string' ? parseUserId(named) : null;
  if (!read.ok || user === null) throw new AppError('UNAUTHENTICATED', 'recoveryArmor: no key');
  const own = userKeyId(user, read.value.fingerprint);
  return { userKey: async (id) => (id === own ? { id, publicKey: read.value } : null), serverKey: async () => null };
}
