// The one request that makes a member: identity, key and session statements, and an invite where the server asks for one.
// Everything is written in one transaction or not at all. Public certificates alone buy nothing: the session statement is over an unused nonce.
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { describeKeyProblem } from '../crypto/key-mends.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import { fingerprintOf, serverOf } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { Role } from '../wire/roles.ts';
import { checkStatement, type StatementOf } from '../wire/statements.ts';
import { hashBytes, storedCertificate, storeStatement, type Verified } from './countersign.ts';
import type { Invites } from './invites.ts';
import type { SignupMode } from './mode.ts';
import type { ServerIdentity } from './server-identity.ts';
import { type IssuedToken, requireSession, type SessionStatement, type Sessions } from './sessions.ts';
import { claimName } from './usernames.ts';
import { requireSigned } from './verify.ts';

export type SignUpDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly server: ServerIdentity;
  readonly signup: SignupMode;
  readonly sessions: Sessions;
  readonly invites: Invites;
};

/** As it came in: statements with their signatures, nothing of it judged. */
export type SignUpRequest = {
  readonly identity: unknown;
  readonly key: unknown;
  readonly session: unknown;
  readonly inviteSecret?: string;
};

export type SignedUp = IssuedToken & {
  readonly identity: Certificate<StatementOf<'identity'>>;
  readonly key: Certificate<StatementOf<'key'>>;
};

type Judged = {
  readonly identity: Verified<'identity'> & { readonly statement: StatementOf<'identity'> };
  readonly key: Verified<'key'> & { readonly statement: StatementOf<'key'> };
  readonly session: SessionStatement;
};

type Certificates = Pick<SignedUp, 'identity' | 'key'>;

const KEY_SEQ = 1;
const IDENTITY_SEQ = 2;

export class SignUp {
  readonly #deps: SignUpDeps;

  constructor(deps: SignUpDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the member, or answers the same again for the same statements with a fresh session.
   * @throws AppError INVALID, UNAUTHENTICATED, SIGNUP_CLOSED, INVITE_INVALID, USERNAME_TAKEN, CONFLICT
   */
  async run(request: SignUpRequest): Promise<SignedUp> {
    const judged = await this.#judge(request);
    await this.#deps.sessions.requireGoodNonce(judged.session);
    const again = await this.#again(judged);
    if (again !== null) return again;
    const made = await this.#make(judged, request.inviteSecret);
    // Nobody made: the same sign-up, sent twice at once, and the other was first.
    const result = made ?? (await this.#again(judged));
    if (result === null) throw new AppError('CONFLICT', 'key: another sign-up with this key exists');
    return result;
  }

  async #judge(request: SignUpRequest): Promise<Judged> {
    const { server, clock, sessions } = this.#deps;
    const keys = await ownKey(request.key, server);
    const context = { keys, now: clock.now() };
    const key = await requireSigned(request.key, 'key', context);
    const identity = await requireSigned(request.identity, 'identity', context);
    const session = requireSession(await sessions.verify(oneSignature(request.session), 'signup', keys));
    if (identity.statement.user !== key.statement.user) throw new AppError('INVALID', 'user: not the same in identity and key');
    if (session.user !== key.statement.user) throw new AppError('INVALID', 'user: not the same in session and key');
    return { identity, key, session };
  }

  /** The same answer for statements that made a member before; null if the user is new. */
  async #again(judged: Judged): Promise<SignedUp | null> {
    const { db, sessions } = this.#deps;
    const { rows } = await sql`select id from users where id = ${judged.key.statement.user}`.execute(db.kysely);
    if (rows.length === 0) return null;
    const key = await storedCertificate<'key'>(db.kysely, judged.key.hash);
    const identity = await storedCertificate<'identity'>(db.kysely, judged.identity.hash);
    if (key === null || identity === null) throw new AppError('CONFLICT', 'key: has signed up with other statements');
    const issued = await db.transaction(async (tx) => {
      await sessions.useNonce(tx, judged.session);
      return requireSession(await sessions.open(tx, judged.session)).issued;
    });
    return { identity, key, ...issued };
  }

  async #make(judged: Judged, inviteSecret: string | undefined): Promise<SignedUp | null> {
    const { server, clock, db, sessions } = this.#deps;
    this.#requireOpen(inviteSecret);
    const now = clock.now();
    const certificates: Certificates = {
      key: await server.countersign<'key'>(judged.key.signed, KEY_SEQ, now),
      identity: await server.countersign<'identity'>(judged.identity.signed, IDENTITY_SEQ, now),
    };
    return db
      .transaction(async (tx) => {
        await sessions.useNonce(tx, judged.session);
        const user = judged.key.statement.user;
        const { rows } = await sql`
        insert into identities (id, server_id, first_seen_at) values (${user}, ${server.id}, ${new Date(now)})
        on conflict (id) do nothing returning id`.execute(tx);
        if (rows.length === 0) return rollBack();
        await this.#write(tx, { judged, certificates, inviteSecret, now });
        return { ...certificates, ...requireSession(await sessions.open(tx, judged.session)).issued };
      })
      .catch(unlessRolledBack);
  }

  #requireOpen(inviteSecret: string | undefined): void {
    if (inviteSecret !== undefined || this.#deps.signup === 'open') return;
    if (this.#deps.signup === 'closed') throw new AppError('SIGNUP_CLOSED', 'this server takes no new members');
    throw new AppError('INVITE_INVALID', 'this server asks for an invite');
  }

  async #write(
    tx: Transaction<DB>,
    made: { judged: Judged; certificates: Certificates; inviteSecret: string | undefined; now: number },
  ): Promise<void> {
    const { judged, certificates, inviteSecret, now } = made;
    const { statement: key } = judged.key;
    const { statement: identity } = judged.identity;
    const at = new Date(now);
    const invite = inviteSecret === undefined ? null : await this.#deps.invites.take(tx, inviteSecret);
    const role: Role = invite?.role ?? 'user';
    if (this.#deps.signup === 'closed' && role !== 'root') throw new AppError('SIGNUP_CLOSED', 'this server takes no new members');
    await storeStatement(tx, judged.key.hash, certificates.key);
    await storeStatement(tx, judged.identity.hash, certificates.identity);
    await sql`
      insert into keys (id, user_id, armor, recovery, statement_hash, created_at)
      values (${key.key}, ${key.user}, ${key.armor}, ${key.recovery}, ${hashBytes(judged.key.hash)}, ${at})`.execute(tx);
    await sql`
      insert into users (id, role, last_seq, last_signed_at, key_id, username, identity_hash, created_at)
      values (${key.user}, ${role}, ${IDENTITY_SEQ}, ${at}, ${key.key}, ${identity.username}, ${hashBytes(judged.identity.hash)}, ${at})`.execute(
      tx,
    );
    await claimName(tx, { user: key.user, username: identity.username, nowMs: now, reservedMs: this.#deps.limits.usernameReservedMs });
    await sql`
      insert into devices (id, user_id, linked_at) values (${judged.session.device}, ${key.user}, ${at})`.execute(tx);
    if (invite !== null) await this.#deps.invites.settle(tx, invite.id, key.user);
  }
}

class RolledBack extends Error {}

function rollBack(): never {
  throw new RolledBack();
}

function unlessRolledBack(error: unknown): null {
  if (error instanceof RolledBack) return null;
  throw error;
}

/**
 * The key in a first key statement, as the only key there is. That id, fingerprint and armor agree is for the verifier to say, which is asked
 * about this statement first.
 */
async function ownKey(given: unknown, server: ServerIdentity): Promise<KeyLookup> {
  const checked = checkStatement((given as { readonly statement?: unknown } | null)?.statement, 'key');
  if (!checked.ok) throw new AppError('INVALID', `key ${checked.detail}: ${checked.reason}`);
  const { user, key, armor, predecessor, recovery } = checked.value;
  if (serverOf(user) !== server.id) throw new AppError('INVALID', 'user: of another server');
  if (predecessor !== undefined) throw new AppError('INVALID', 'predecessor: a first key has none');
  if (recovery === fingerprintOf(key)) throw new AppError('INVALID', 'recovery: must be another key');
  const read = await readPublicKey(armor);
  if (!read.ok) throw new AppError('INVALID', `armor: ${describeKeyProblem(read.reason)}`);
  return { userKey: async (id) => (id === key ? { id: key, publicKey: read.value } : null), serverKey: async () => null };
}

/** A session is signed once, by the key that it names; `{statement, signatures: [one]}` as `{statement, signature}`. */
function oneSignature(given: unknown): { statement: unknown; signature: string } {
  const { statement, signatures } = (given ?? {}) as { readonly statement?: unknown; readonly signatures?: unknown };
  const [entry, ...more] = (Array.isArray(signatures) ? signatures : []) as readonly unknown[];
  const { key, signature } = (entry ?? {}) as { readonly key?: unknown; readonly signature?: unknown };
  if (more.length > 0 || typeof signature !== 'string') throw new AppError('INVALID', 'session: signed exactly once');
  if (key !== (statement as { readonly key?: unknown } | null)?.key) throw new AppError('INVALID', 'session: signed by another key');
  return { statement, signature };
}
