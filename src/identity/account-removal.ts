// A member leaves for good. The row hides the account at once and ends its sessions; a day later the statement is countersigned, and from then on
// its certificate answers for everything of the account's. Until then the recovery key takes it back. A removal whose key ends meanwhile ends too.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { UserId } from '../wire/address.ts';
import { type Certificate, canonicalBytes, type Signed, statementHash } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { type Countersigner, storedCertificate } from './countersign.ts';
import type { Executor } from './executor.ts';
import { lockKeys, refuseFinallyRemoved, removalWaits } from './key-locks.ts';
import type { Recovering } from './recovery.ts';
import type { Member, OnSessionEnded } from './sessions.ts';
import { endOf } from './standing.ts';
import { requireSigned } from './verify.ts';

export type AccountRemovalDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  readonly onSessionEnded: OnSessionEnded;
  /** Called after the commit that took a removal back. */
  readonly onRemovalWithdrawn: (user: UserId) => void;
  /** Called after the commit that removed an account for good. */
  readonly onAccountRemoved: (user: UserId) => void;
};

type Removal = StatementOf<'account-removal'>;
type Withdrawal = StatementOf<'account-removal-withdrawal'>;

export class AccountRemovals {
  readonly #deps: AccountRemovalDeps;

  constructor(deps: AccountRemovalDeps) {
    this.#deps = deps;
  }

  /**
   * Hides the member's account and ends its sessions; a second removal changes nothing of the first.
   * @returns when it is for good, milliseconds since the epoch
   * @throws AppError INVALID, FORBIDDEN, KEY_REVOKED, REMOVED
   */
  async request(member: Member, value: unknown): Promise<{ readonly dueAtMs: number }> {
    const { clock, db, keys, limits, onSessionEnded } = this.#deps;
    const { signed, statement } = await requireSigned(value, 'account-removal', { keys, now: clock.now() });
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    const dueAt = await db.transaction(async (tx) => {
      await lockKeys(tx, member.userId);
      await refuseFinallyRemoved(tx, member.userId);
      const end = await endOf(tx, statement.key);
      if (end !== null) throw new AppError('KEY_REVOKED', 'the key was revoked', { certificate: end });
      const due = new Date(clock.now() + limits.accountRemovalMs);
      const { rows } = await sql<{ due_at: Date }>`
        insert into account_removals (user_id, statement, due_at) values (${member.userId}, ${JSON.stringify(signed)}::jsonb, ${due})
        on conflict (user_id) do update set due_at = account_removals.due_at returning due_at`.execute(tx);
      await sql`delete from sessions where user_id = ${member.userId}`.execute(tx);
      return rows[0]?.due_at ?? due;
    });
    onSessionEnded(member.userId, { reason: 'ended' });
    return { dueAtMs: dueAt.getTime() };
  }

  /**
   * Takes a removal back that is not for good yet. Said again after another removal it takes that one back, too.
   * @throws AppError INVALID, FORBIDDEN, KEY_REVOKED; NOT_FOUND if none waits; REMOVED with the certificate if it was too late
   */
  async withdraw(by: Recovering, value: unknown): Promise<{ readonly certificate: Certificate<Withdrawal> }> {
    const { clock, countersigner, db, keys, onRemovalWithdrawn } = this.#deps;
    const verified = await requireSigned(value, 'account-removal-withdrawal', { keys, now: clock.now() });
    const { statement, signed } = verified;
    if (statement.user !== by.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (signed.signatures[0]?.key !== `${by.userId}/${by.recovery}`)
      throw new AppError('FORBIDDEN', 'recoveryArmor: not the recovery key of this session');
    const certificate = await db.transaction(async (tx) => {
      await lockKeys(tx, by.userId);
      await refuseFinallyRemoved(tx, by.userId);
      const end = await endOf(tx, statement.key);
      if (end !== null) throw new AppError('KEY_REVOKED', 'the key was revoked', { certificate: end });
      const known = await storedCertificate<'account-removal-withdrawal'>(tx, verified.hash);
      const waits = await removalWaits(tx, by.userId);
      if (known === null && !waits) throw new AppError('NOT_FOUND', 'no removal waits');
      await sql`delete from account_removals where user_id = ${by.userId} and statement_hash is null`.execute(tx);
      return known ?? (await countersigner.write<'account-removal-withdrawal'>(tx, verified, by.userId)).certificate;
    });
    onRemovalWithdrawn(by.userId);
    return { certificate };
  }

  /** Makes for good what has waited long enough. One that fails keeps no other one waiting. */
  async finish(): Promise<void> {
    const { clock, db, limits, onAccountRemoved } = this.#deps;
    const due = await db.query<{ user: UserId }>({
      name: 'account-removals-due',
      text: 'select user_id as "user" from account_removals where statement_hash is null and due_at <= $1 order by due_at limit $2',
      values: [new Date(clock.now()), limits.accountRemovalsPerSweep],
    });
    const failures: unknown[] = [];
    for (const { user } of due) {
      try {
        if (await db.transaction((tx) => this.#finish(tx, user))) onAccountRemoved(user);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #finish(tx: Executor, user: UserId): Promise<boolean> {
    const { clock, countersigner, limits } = this.#deps;
    await lockKeys(tx, user);
    const now = new Date(clock.now());
    const { rows } = await sql<{ signed: Signed<Removal> }>`
      select statement as signed from account_removals where user_id = ${user} and statement_hash is null and due_at <= ${now}`.execute(tx);
    const [removal] = rows;
    // Another replica was first, or it was taken back.
    if (removal === undefined) return false;
    const verified = { signed: removal.signed, hash: await hashOf(removal.signed.statement) };
    const { hash } = await countersigner.write<'account-removal'>(tx, verified, user);
    await sql`update account_removals set statement_hash = ${hash} where user_id = ${user}`.execute(tx);
    await endMembership(tx, user, now);
    await sql`
      insert into pending_ends (kind, subject_id, due_at) values ('account-removal', ${user}, ${new Date(now.getTime() + limits.fanoutLeaseMs)})
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    return true;
  }
}

/** What a member is to this server ends; who follows it is told before that ends. The name stays reserved like one given up. */
async function endMembership(tx: Executor, user: UserId, at: Date): Promise<void> {
  await sql`update follows set active = false where user_id = ${user} and active`.execute(tx);
  await sql`update usernames set released_at = ${at} where user_id = ${user} and released_at is null`.execute(tx);
  await sql`update devices set unlinked_at = ${at} where user_id = ${user} and unlinked_at is null`.execute(tx);
  await sql`update invites set revoked_at = ${at} where user_id = ${user} and claimed_by is null and revoked_at is null`.execute(tx);
  await sql`delete from sessions where user_id = ${user}`.execute(tx);
  await sql`delete from key_allocations where user_id = ${user}`.execute(tx);
  await sql`delete from owed_notices where user_id = ${user}`.execute(tx);
}

async function hashOf(statement: Removal): Promise<string> {
  const bytes = canonicalBytes(statement);
  if (!bytes.ok) throw new TypeError('a statement that was accepted has a canonical form');
  return statementHash(bytes.value);
}
