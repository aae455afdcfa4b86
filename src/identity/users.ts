// What members say about themselves and how others find them: profile reads, search by name and id, a new identity statement.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type ServerId, serverOf, type UserId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { Role } from '../wire/roles.ts';
import type { StatementOf } from '../wire/statements.ts';
import type { Countersigned, Countersigner } from './countersign.ts';
import { isLivePeer } from './owed-legs.ts';
import type { Member } from './sessions.ts';
import { refuseBlocked, refuseRemovedAccount } from './standing.ts';
import { claimName, foldedPrefix } from './usernames.ts';
import { requireSigned } from './verify.ts';

export type UsersDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  readonly home: ServerId;
  /** Asks somebody's home who they are, and keeps what is proven. What can't be had now stays as it is known. */
  readonly learnPerson: (user: UserId) => Promise<unknown>;
};

export type Profile = {
  readonly id: UserId;
  readonly username: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly identity: Certificate<StatementOf<'identity'>>;
};

export type Found = Pick<Profile, 'id' | 'username' | 'role'>;

const OWN_FOUND = `
  select user_id as id from usernames where folded like $1 and released_at is null union select id from users where id like $2`;

/** What names and ids are compared with. */
function patterns(prefix: string): [string, string] {
  const pattern = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;
  return [pattern(foldedPrefix(prefix)), pattern(prefix)];
}

export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** A member as another may see them. @throws AppError NOT_FOUND, REMOVED, BLOCKED */
  async profile(viewer: UserId, user: UserId): Promise<Profile> {
    const { db } = this.#deps;
    await refuseRemovedAccount(db.kysely, user);
    await refuseBlocked(db.kysely, user, viewer);
    if (serverOf(user) !== this.#deps.home) return this.#elsewhere(user);
    const [profile] = await db.query<Profile>({
      name: 'users-profile',
      text: `select u.id, u.username, u.role, u.created_at as "createdAt", s.certificate as identity
        from users u join statements s on s.hash = u.identity_hash where u.id = $1`,
      values: [user],
    });
    if (profile === undefined) throw new AppError('NOT_FOUND', 'there is no such member');
    return profile;
  }

  /** A member of a peer: as known for up to an hour, else as their home says. Their role there is nothing here. */
  async #elsewhere(user: UserId): Promise<Profile> {
    const { clock, db, learnPerson, limits } = this.#deps;
    const known = await this.#known(user);
    const isFresh = known !== null && clock.now() - known.fetchedAt.getTime() < limits.foreignProfileMs;
    if (!isFresh && (await isLivePeer(db.kysely, user))) await learnPerson(user);
    await refuseRemovedAccount(db.kysely, user);
    const found = isFresh ? known : await this.#known(user);
    if (found === null) throw new AppError('NOT_FOUND', 'there is no such member');
    const createdAt = new Date(found.identity.statement.createdAt);
    return { id: user, username: found.username, role: 'user', createdAt, identity: found.identity };
  }

  async #known(user: UserId): Promise<(Pick<Profile, 'username' | 'identity'> & { readonly fetchedAt: Date }) | null> {
    const [row] = await this.#deps.db.query<Pick<Profile, 'username' | 'identity'> & { readonly fetchedAt: Date }>({
      name: 'users-foreign-profile',
      text: `select p.username, s.certificate as identity, p.fetched_at as "fetchedAt"
        from foreign_profiles p join statements s on s.hash = p.identity_hash where p.user_id = $1`,
      values: [user],
    });
    return row ?? null;
  }

  /** Members of this server whose name or id begins so, by id, as peers see them. */
  async searchOwn(prefix: string, limit: number): Promise<Found[]> {
    return this.#deps.db.query<Found>({
      name: 'users-search-own',
      text: `select m.id, m.username, m.role from (${OWN_FOUND}) as found join users m on m.id = found.id
        where not exists (select from account_removals a where a.user_id = m.id) order by m.id limit $3`,
      values: [...patterns(prefix), limit],
    });
  }

  /**
   * Members, and those of other servers whose name is known here, whose name, without regard to case, or id begins with `prefix`, by id, after `after`.
   * Who blocks the viewer is left out.
   */
  async search(viewer: UserId, prefix: string, page: { readonly after: string; readonly limit: number }): Promise<Found[]> {
    return this.#deps.db.query<Found>({
      name: 'users-search',
      text: `select u.id, u.username, u.role from (
          select m.id, m.username, m.role from (${OWN_FOUND}) as found join users m on m.id = found.id
          union all select user_id, username, 'user' from foreign_profiles where folded like $1 or user_id like $2) as u
        where u.id > $3
          and not exists (select from account_removals a where a.user_id = u.id)
          and not exists (select from blocks b where b.user_id = u.id and b.target = $4 and b.active)
        order by u.id limit $5`,
      values: [...patterns(prefix), page.after, viewer, page.limit],
    });
  }

  /**
   * Takes a member's new identity statement; a new name gives the old one up.
   * @throws AppError INVALID, FORBIDDEN, USERNAME_TAKEN, KEY_REVOKED
   */
  async changeIdentity(member: Member, value: unknown): Promise<Countersigned<'identity'>> {
    const { keys, clock, countersigner, limits } = this.#deps;
    const verified = await requireSigned(value, 'identity', { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    return countersigner.accept(verified, { user: statement.user, key: statement.key }, async (tx, { hash, seq }) => {
      const { rows } = await sql<{ username: string; newer: boolean }>`
        select u.username, s.seq > ${seq} as newer from users u join statements s on s.hash = u.identity_hash
        where u.id = ${member.userId} for no key update of u`.execute(tx);
      const [current] = rows;
      // Of two at once the higher seq is the state, whichever commits last.
      if (current === undefined || current.newer) return;
      if (current.username !== statement.username) {
        await claimName(tx, {
          user: member.userId,
          username: statement.username,
          nowMs: clock.now(),
          reservedMs: limits.usernameReservedMs,
        });
      }
      await sql`update users set identity_hash = ${hash} where id = ${member.userId}`.execute(tx);
    });
  }
}
