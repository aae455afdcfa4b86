// Who may let whom in. The server knows an invite's secret by its SHA-256 only; it is claimed in the new account's transaction, once.
// As long as nobody is root, every start of the server makes a new invite for one, and the secret before it opens nothing any more.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, fromBase64url, type RandomBytes, sha256 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type InviteId, ROOT_INVITE, type UserId } from '../wire/address.ts';
import { parseTime } from '../wire/kinds.ts';
import type { Role } from '../wire/roles.ts';
import type { StatementOf } from '../wire/statements.ts';
import { type Countersigned, type Countersigner, hashBytes } from './countersign.ts';
import type { Executor } from './executor.ts';
import type { SignupMode } from './mode.ts';
import type { Member } from './sessions.ts';
import { requireSigned } from './verify.ts';

const SECRET_BYTES = 32;

export type InvitesDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly signup: SignupMode;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
};

export type Invite = {
  readonly id: InviteId;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly claimedBy: UserId | null;
  readonly claimedAt: Date | null;
  readonly revokedAt: Date | null;
};

/** What somebody who holds the secret may know about the invite before using it. */
export type OpenInvite = {
  readonly id: InviteId;
  readonly role: Role;
  readonly inviter: UserId | null;
  readonly inviterName: string | null;
  readonly expiresAt: Date;
};

const refused = () => new AppError('INVITE_INVALID', 'the invite is unknown, used, revoked or expired');

/** Whoever may give a role no more gives it by none of the invites made before either. The server's own have no maker. */
const STILL_GIVEN = (invite: string): string => `
  (${invite}.role = 'user' or ${invite}.user_id is null
    or exists (select from users m where m.id = ${invite}.user_id and m.role in ('root', 'admin')))`;

export class Invites {
  readonly #deps: InvitesDeps;

  constructor(deps: InvitesDeps) {
    this.#deps = deps;
  }

  /** While no member is root: a new root invite's secret (base64url), the earlier one being void from now on. Else null. */
  async makeRootInvite(): Promise<string | null> {
    const { db, clock, random, limits } = this.#deps;
    const secret = random(SECRET_BYTES);
    const now = clock.now();
    const rows = await db.query({
      text: `insert into invites (id, token_hash, role, created_at, expires_at)
        select $1, $2, 'root', $3, $4 where not exists (select from users where role = 'root')
        on conflict (id) do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
            claimed_by = null, claimed_at = null
          -- Used by who is root no longer; by somebody who is not to be seen yet it is just being used.
          where invites.claimed_at is null or exists (select from users u where u.id = invites.claimed_by and u.role <> 'root')
        returning id`,
      values: [ROOT_INVITE, Buffer.from(await sha256(secret)), new Date(now), new Date(now + limits.rootInviteMs)],
    });
    return rows.length === 1 ? base64url(secret) : null;
  }

  /**
   * Registers a member's invite.
   * @throws AppError INVALID, CONFLICT, FORBIDDEN (role), SIGNUP_CLOSED, TOO_MANY_OPEN when the member has as many open ones as allowed
   */
  async create(member: Member, value: unknown): Promise<Countersigned<'invite'>> {
    const { keys, clock, countersigner, signup } = this.#deps;
    if (signup === 'closed') throw new AppError('SIGNUP_CLOSED', 'this server takes no new members');
    const verified = await requireSigned(value, 'invite', { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    this.#requireDates(statement);
    return countersigner.accept(verified, { user: statement.user, key: statement.key }, async (tx, { hash, signedAt }) => {
      await this.#requireQuota(tx, member.userId);
      await requireRole(tx, member, statement.role);
      await insertInvite(tx, statement, { hash, signedAt });
    });
  }

  #requireDates({ expiresAt }: StatementOf<'invite'>): void {
    const left = (parseTime(expiresAt) ?? 0) - this.#deps.clock.now();
    if (left <= 0 || left > this.#deps.limits.inviteMs + this.#deps.limits.clockAheadMs)
      throw new AppError('INVALID', 'expiresAt: not within the life of an invite');
  }

  /** Counts under the member's row lock, so that racing requests are counted one after the other. */
  async #requireQuota(tx: Executor, user: UserId): Promise<void> {
    await sql`select id from users where id = ${user} for no key update`.execute(tx);
    const { rows } = await sql<{ open: number }>`
      select count(*)::int as open from invites
      where user_id = ${user} and claimed_at is null and revoked_at is null and expires_at > ${new Date(this.#deps.clock.now())}`.execute(
      tx,
    );
    if ((rows[0]?.open ?? 0) >= this.#deps.limits.openInvitesPerMember) {
      throw new AppError('TOO_MANY_OPEN', 'as many open invites as a member may have');
    }
  }

  /** A member's invites, newest first, `limit` at most, older than the one named `after`. */
  async list(user: UserId, page: { readonly after: InviteId | null; readonly limit: number }): Promise<Invite[]> {
    return this.#deps.db.query<Invite>({
      name: 'invites-list',
      text: `select id, role, created_at as "createdAt", expires_at as "expiresAt", claimed_by as "claimedBy",
          claimed_at as "claimedAt", revoked_at as "revokedAt"
        from invites i
        where user_id = $1 and ($2::text is null or (created_at, id) < (select created_at, id from invites where id = $2 and user_id = $1))
        order by created_at desc, id desc limit $3`,
      values: [user, page.after, page.limit],
    });
  }

  /** What the invite with this secret is. @throws AppError INVITE_INVALID, the same for every reason */
  async check(secret: string): Promise<OpenInvite> {
    const [invite] = await this.#deps.db.query<OpenInvite>({
      name: 'invites-check',
      text: `select i.id, i.role, i.user_id as inviter, u.username as "inviterName", i.expires_at as "expiresAt"
        from invites i left join users u on u.id = i.user_id
        where i.token_hash = $1 and i.claimed_at is null and i.revoked_at is null and i.expires_at > $2
          and not exists (select from account_removals a where a.user_id = i.user_id) and ${STILL_GIVEN('i')}`,
      values: [await secretHash(secret), new Date(this.#deps.clock.now())],
    });
    if (invite === undefined) throw refused();
    return invite;
  }

  /** Revokes an invite of the member's own; again is no error. @throws AppError NOT_FOUND, CONFLICT if somebody used it */
  async revoke(user: UserId, id: InviteId): Promise<void> {
    const { db, clock } = this.#deps;
    const revoked = await db.query({
      text: `update invites set revoked_at = coalesce(revoked_at, $3)
        where id = $1 and user_id = $2 and claimed_at is null returning id`,
      values: [id, user, new Date(clock.now())],
    });
    if (revoked.length > 0) return;
    const used = await db.query({ text: 'select id from invites where id = $1 and user_id = $2', values: [id, user] });
    throw used.length > 0 ? new AppError('CONFLICT', 'the invite was used') : new AppError('NOT_FOUND', 'there is no such invite of yours');
  }

  /** Takes the invite for a new account, in its transaction; of two who try, the second waits and is refused. @throws AppError INVITE_INVALID */
  async take(tx: Executor, secret: string): Promise<{ id: InviteId; role: Role }> {
    const now = new Date(this.#deps.clock.now());
    const { rows } = await sql<{ id: InviteId; role: Role }>`
      update invites set claimed_at = ${now}
      where token_hash = ${await secretHash(secret)} and claimed_at is null and revoked_at is null and expires_at > ${now}
        and not exists (select from account_removals a where a.user_id = invites.user_id) and ${sql.raw(STILL_GIVEN('invites'))}
      returning id, role`.execute(tx);
    const [invite] = rows;
    if (invite === undefined) throw refused();
    return invite;
  }

  /** Writes who took it, once the account's row is there. */
  async settle(tx: Executor, id: InviteId, user: UserId): Promise<void> {
    await sql`update invites set claimed_by = ${user} where id = ${id}`.execute(tx);
  }
}

async function secretHash(secret: string): Promise<Buffer> {
  const bytes = fromBase64url(secret);
  if (bytes?.length !== SECRET_BYTES) throw refused();
  return Buffer.from(await sha256(bytes));
}

/** Roles above `user` are given by root or admin, and by one alone only while there is no second. */
async function requireRole(tx: Executor, member: Member, role: Role): Promise<void> {
  if (role === 'user') return;
  const mayGive = (member.role === 'root' || member.role === 'admin') && role !== 'root';
  if (!mayGive) throw new AppError('FORBIDDEN', 'role: not yours to give');
  const { rows } = await sql`
    select id from users where role in ('root', 'admin') and id <> ${member.userId} limit 1`.execute(tx);
  if (rows.length > 0) throw new AppError('FORBIDDEN', 'role: needs a second admin');
}

async function insertInvite(tx: Executor, statement: StatementOf<'invite'>, recorded: { hash: Buffer; signedAt: Date }): Promise<void> {
  const { rows } = await sql`
    insert into invites (id, user_id, token_hash, role, created_at, expires_at, statement_hash)
    values (${statement.id}, ${statement.user}, ${hashBytes(statement.tokenHash)}, ${statement.role}, ${recorded.signedAt},
      ${new Date(statement.expiresAt)}, ${recorded.hash})
    on conflict do nothing returning id`.execute(tx);
  if (rows.length === 0) throw new AppError('CONFLICT', 'id or tokenHash: used by another invite');
}
