// A member's next key, and the revocation of one without a next. Each is one transaction under the lock on the member's keys: certificates, the
// end of every session, and the debt of telling whoever has read the key. Sockets end after the commit.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type Fingerprint, fingerprintOf, parseUserKeyId, type UserId, type UserKeyId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { type Countersigner, storedCertificate, type Verified } from './countersign.ts';
import type { Executor } from './executor.ts';
import { endByKeyChange, lockKeys, oweRevocations, refuseFinallyRemoved, removalWaits } from './key-locks.ts';
import { type AskedRotation, judgeRotation, type Refused } from './key-rules.ts';
import type { OnSessionEnded } from './sessions.ts';
import { endOf, revocationOf } from './standing.ts';
import { nextFact } from './stream.ts';
import { requireSigned } from './verify.ts';

export type RotationDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  readonly onSessionEnded: OnSessionEnded;
  /** Called after the commit that revoked a key or put it off the chain. */
  readonly onKeyEnded: (key: UserKeyId) => void;
};

/** Who rotates: a member, or a session by one of the member's recovery keys. */
export type Rotator = { readonly userId: UserId; readonly recovery?: Fingerprint };

export type RotationRequest = { readonly revocation?: unknown; readonly key: unknown };

export type Rotated = {
  readonly certificate: Certificate<StatementOf<'key'>>;
  /** Of the key before. */
  readonly revocation: object;
  readonly isNew: boolean;
};

type KeyStatement = Verified<'key'> & { readonly statement: StatementOf<'key'> };
type Revocation = Verified<'key-revocation'> & { readonly statement: StatementOf<'key-revocation'> };
type Judged = { readonly key: KeyStatement; readonly revocation: Revocation | null; readonly asked: AskedRotation };

export class Rotation {
  readonly #deps: RotationDeps;

  constructor(deps: RotationDeps) {
    this.#deps = deps;
  }

  /**
   * Puts a new key in place of the one that it names as its predecessor. The same again gets the same answer.
   * @throws AppError INVALID, FORBIDDEN, CONFLICT, RATE_LIMITED; KEY_REVOKED or REMOVED with the certificate
   */
  async rotate(by: Rotator, request: RotationRequest): Promise<Rotated> {
    const { db, onSessionEnded, onKeyEnded } = this.#deps;
    const judged = await this.#judge(by, request);
    const rotated = await db.transaction((tx) => this.#take(tx, by.userId, judged));
    if (rotated.isNew) onSessionEnded(by.userId, { reason: 'ended' });
    const { ended, ...answer } = rotated;
    for (const key of ended) onKeyEnded(key);
    return answer;
  }

  async #judge(by: Rotator, request: RotationRequest): Promise<Judged> {
    const context = { keys: this.#deps.keys, now: this.#deps.clock.now() };
    const key = await requireSigned(request.key, 'key', context);
    const { user, predecessor, recovery, recoveryArmor } = key.statement;
    if (user !== by.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (predecessor === undefined) throw new AppError('INVALID', 'predecessor: missing');
    const byRecovery = recoveryArmor !== undefined;
    if (by.recovery !== undefined && signerOf(key) !== by.recovery)
      throw new AppError('FORBIDDEN', 'recoveryArmor: not the recovery key of this session');
    const revocation = request.revocation === undefined ? null : await requireSigned(request.revocation, 'key-revocation', context);
    if (revocation !== null) requireRevocationOf(revocation.statement, key.statement, byRecovery);
    const asked = { key: key.statement.key, recovery, predecessor, byRecovery, revokes: revocation !== null };
    return { key, revocation, asked };
  }

  async #take(tx: Executor, user: UserId, { key, revocation, asked }: Judged): Promise<Rotated & { ended: UserKeyId[] }> {
    const { clock, countersigner, limits } = this.#deps;
    const held = await lockKeys(tx, user);
    const known = await storedCertificate<'key'>(tx, key.hash);
    if (known !== null) return { certificate: known, revocation: await requireRevocation(tx, asked.predecessor), isNew: false, ended: [] };
    await refuseFinallyRemoved(tx, user);
    // Sessions of a member whose removal waits have ended; one that was on its way when it was asked for does not undo it.
    if (!asked.byRecovery && (await removalWaits(tx, user))) throw new AppError('FORBIDDEN', 'the account is removed');
    const ruling = judgeRotation(held, asked, limits, clock.now());
    if (!ruling.ok) throw await refusal(tx, ruling.refused);
    const { revokes, voids } = ruling.value;
    if (revokes && revocation !== null) await writeRevocation(tx, countersigner, revocation);
    const { certificate, hash, signedAt } = await countersigner.write<'key'>(tx, key, user);
    const { armor, recovery, predecessor } = key.statement;
    await sql`
      insert into keys (id, user_id, armor, recovery, predecessor, statement_hash, created_at, by_recovery)
      values (${asked.key}, ${user}, ${armor}, ${recovery}, ${predecessor}, ${hash}, ${signedAt}, ${asked.byRecovery})`.execute(tx);
    await sql`update keys set void_hash = ${hash} where id = any(${[...voids]}::text[])`.execute(tx);
    await sql`update users set key_id = ${asked.key} where id = ${user}`.execute(tx);
    await endByKeyChange(tx, user);
    const ended = [...(revokes ? [asked.predecessor] : []), ...voids];
    await oweRevocations(tx, ended, new Date(clock.now() + limits.fanoutLeaseMs));
    if (revokes) await nextFact(tx, { author: user, kind: 'key-revocation', subject: asked.predecessor });
    await nextFact(tx, { author: user, kind: 'key', subject: asked.key });
    return { certificate, revocation: await requireRevocation(tx, asked.predecessor), isNew: true, ended };
  }

  /**
   * Revokes a key on the word of whoever brings the statement. The account is frozen until the recovery key rotates.
   * @throws AppError INVALID, with one word for whatever does not hold; KEY_REVOKED or REMOVED with the certificate
   */
  async revoke(id: UserKeyId, value: unknown): Promise<{ readonly certificate: Certificate<StatementOf<'key-revocation'>> }> {
    const { clock, countersigner, db, keys, limits, onSessionEnded, onKeyEnded } = this.#deps;
    // Which keys there are is nothing that a visitor is told.
    const verified = await requireSigned(value, 'key-revocation', { keys, now: clock.now() }).catch(nullIfInvalid);
    if (verified?.statement.key !== id) throw new AppError('INVALID', 'this revocation does not hold');
    if (verified.statement.successor !== undefined) throw new AppError('INVALID', 'successor: comes with the rotation');
    const { user } = verified.statement;
    const { certificate, isNew } = await db.transaction(async (tx) => {
      await lockKeys(tx, user);
      const known = await storedCertificate<'key-revocation'>(tx, verified.hash);
      if (known !== null) return { certificate: known, isNew: false };
      await refuseFinallyRemoved(tx, user);
      const end = await endOf(tx, id);
      if (end !== null) throw new AppError('KEY_REVOKED', 'the key was revoked', { certificate: end });
      const written = await writeRevocation(tx, countersigner, verified);
      await endByKeyChange(tx, user);
      await oweRevocations(tx, [id], new Date(clock.now() + limits.fanoutLeaseMs));
      await nextFact(tx, { author: user, kind: 'key-revocation', subject: id });
      return { certificate: written, isNew: true };
    });
    if (isNew) {
      onSessionEnded(user, { reason: 'ended' });
      onKeyEnded(id);
    }
    return { certificate };
  }
}

function nullIfInvalid(error: unknown): null {
  if (error instanceof AppError && error.code === 'INVALID') return null;
  throw error;
}

/** Whose signature stands beside the new key's own. */
function signerOf({ signed, statement }: KeyStatement): Fingerprint | null {
  if (statement.recoveryArmor === undefined) return null;
  const id = signed.signatures.map(({ key }) => parseUserKeyId(key)).find((key) => key !== null && key !== statement.key);
  return id ? fingerprintOf(id) : null;
}

function requireRevocationOf(revocation: StatementOf<'key-revocation'>, key: StatementOf<'key'>, byRecovery: boolean): void {
  if (revocation.key !== key.predecessor) throw new AppError('INVALID', 'revocation: of another key');
  const { successor } = revocation;
  // The recovery key may bring one that was signed long before the new key was made.
  if (successor !== key.key && !(byRecovery && successor === undefined))
    throw new AppError('INVALID', 'revocation.successor: not the new key');
}

async function writeRevocation(tx: Executor, countersigner: Countersigner, revocation: Revocation) {
  const { key, user } = revocation.statement;
  const { certificate, hash, seq } = await countersigner.write<'key-revocation'>(tx, revocation, user);
  await sql`insert into key_revocations (key_id, statement_hash, seq) values (${key}, ${hash}, ${seq})`.execute(tx);
  return certificate;
}

async function requireRevocation(tx: Executor, key: UserKeyId): Promise<object> {
  const revocation = await revocationOf(tx, key);
  if (revocation === null) throw new Error('a key that was followed is not revoked');
  return revocation;
}

async function refusal(tx: Executor, { code, detail, retryAfterMs, about }: Refused): Promise<AppError> {
  const certificate = about === undefined ? null : await revocationOf(tx, about);
  const options = { ...(retryAfterMs === undefined ? {} : { retryAfterMs }), ...(certificate === null ? {} : { certificate }) };
  return new AppError(code, detail, options);
}
