// Who follows whom. For each pair the statement with the highest seq is the state, whichever commits last.
// A follow and a block of the same pair are judged one after the other, under a lock on the pair.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { AcceptedCertificate, KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { type Countersigned, type Countersigner, hashBytes, storeStatement } from './countersign.ts';
import type { Executor } from './executor.ts';
import { meet } from './foreign.ts';
import { isLivePeer, oweLeg } from './owed-legs.ts';
import type { Member } from './sessions.ts';
import { refuseBlocked, refuseRemovedAccount } from './standing.ts';
import { requireSigned } from './verify.ts';

export type FollowsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  /** Called after the commit of a follow, and again when it is repeated: who was not answered may not have been told of either. */
  readonly onFollowed: (member: UserId, target: UserId) => void;
  /** Called after the commit of a follow or its end, with whom it concerns. */
  readonly onActed: (target: UserId) => void;
};

/** Somebody in a list of follows. Of another server's member the name is what is known here, if anything. */
export type Edge = { readonly id: UserId; readonly username: string | null };
export type FollowCounts = { readonly following: number | null; readonly followers: number };
export type EdgePage = { readonly after: string; readonly limit: number };

export class Follows {
  readonly #deps: FollowsDeps;

  constructor(deps: FollowsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a member's statement to follow `target`, or to do so no more. Unfollowing needs nobody to be there.
   * @throws AppError INVALID, FORBIDDEN, NOT_FOUND; CONFLICT over the limit; REMOVED or BLOCKED with the certificate; KEY_REVOKED
   */
  async set(member: Member, target: UserId, type: 'follow' | 'unfollow', value: unknown): Promise<Countersigned<'follow' | 'unfollow'>> {
    const { keys, clock, countersigner, onActed, onFollowed } = this.#deps;
    const verified = await requireSigned(value, type, { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (statement.target !== target) throw new AppError('INVALID', 'target: not the one in the path');
    if (target === member.userId) throw new AppError('INVALID', 'target: yourself');
    const accepted = await countersigner.accept(verified, { user: statement.user, key: statement.key }, async (tx, { hash, seq }) => {
      await oweLeg(tx, { family: 'follow', user: member.userId, target }, { hash, seq, at: new Date(clock.now()) });
      await lockPair(tx, member.userId, target);
      if (type === 'follow') {
        await this.#requireFollowable(tx, member.userId, target);
        await this.#requireRoom(tx, member.userId, target);
      }
      await sql`
        insert into follows (user_id, target, active, seq, statement_hash)
        values (${member.userId}, ${target}, ${type === 'follow'}, ${seq}, ${hash})
        on conflict (user_id, target) do update
          set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash
          where follows.seq < excluded.seq`.execute(tx);
    });
    if (type === 'follow') onFollowed(member.userId, target);
    onActed(target);
    return accepted;
  }

  async #requireFollowable(tx: Executor, member: UserId, target: UserId): Promise<void> {
    const isOurs = serverOf(target) === this.#deps.home;
    if (!isOurs && !(await isLivePeer(tx, target))) throw new AppError('INVALID', 'target: of a server that is no peer of ours');
    await refuseRemovedAccount(tx, target);
    await refuseBlocked(tx, target, member);
    // Whether there is such a member elsewhere, their home knows.
    if (!isOurs) return;
    const { rows } = await sql`select from users where id = ${target}`.execute(tx);
    if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such member');
  }

  /**
   * Takes what a member of another server said, its certificate accepted: it counts here, and delivers nothing.
   * @throws AppError NOT_FOUND; REMOVED or BLOCKED with the certificate
   */
  async takeForeign(act: AcceptedCertificate<'follow' | 'unfollow'>): Promise<void> {
    const { clock, db } = this.#deps;
    const { target, type, user } = act.certificate.statement;
    await db.transaction(async (tx) => {
      await meet(tx, [user], new Date(clock.now()));
      await lockPair(tx, user, target);
      if (type === 'follow') await this.#requireFollowable(tx, user, target);
      await storeStatement(tx, act.hash, act.certificate);
      await sql`
        insert into follows (user_id, target, active, seq, statement_hash)
        values (${user}, ${target}, ${type === 'follow'}, ${act.seq}, ${hashBytes(act.hash)})
        on conflict (user_id, target) do update
          set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash
          where follows.seq < excluded.seq`.execute(tx);
    });
  }

  /** Under the lock of the member's row, which each of its follows waits for: of two at the limit the second one sees the first. */
  async #requireRoom(tx: Executor, member: UserId, target: UserId): Promise<void> {
    const most = this.#deps.limits.followsPerMember;
    await sql`select id from users where id = ${member} for no key update`.execute(tx);
    const { rows } = await sql<{ others: number }>`
      select count(*)::int as others from (
        select from follows where user_id = ${member} and active and target <> ${target} limit ${most}) f`.execute(tx);
    if ((rows[0]?.others ?? 0) >= most) throw new AppError('CONFLICT', `you follow ${most}, as many as one may; unfollow somebody first`);
  }

  /** Whom `user` follows, by id, after `after`. @throws AppError NOT_FOUND, REMOVED, BLOCKED; FORBIDDEN if they keep it to themselves */
  async following(viewer: UserId, user: UserId, page: EdgePage): Promise<Edge[]> {
    const { db } = this.#deps;
    if (!(await this.#showsFollows(viewer, user))) throw new AppError('FORBIDDEN', 'they show nobody whom they follow');
    return db.query<Edge>({
      name: 'follows-of',
      text: `select f.target as id, coalesce(u.username, p.username) as username
        from follows f left join users u on u.id = f.target left join foreign_profiles p on p.user_id = f.target
        where f.user_id = $1 and f.active and f.target > $2
          and not exists (select from account_removals a where a.user_id = f.target)
          and not exists (select from blocks b where b.user_id = f.target and b.target = $3 and b.active)
        order by f.target limit $4`,
      values: [user, page.after, viewer, page.limit],
    });
  }

  /** Who follows `user` and shows it, by id, after `after`; who looks sees themselves. @throws AppError NOT_FOUND, REMOVED, BLOCKED */
  async followers(viewer: UserId, user: UserId, page: EdgePage): Promise<Edge[]> {
    const { db } = this.#deps;
    await this.#showsFollows(viewer, user);
    return db.query<Edge>({
      name: 'followers-of',
      text: `select f.user_id as id, coalesce(u.username, p.username) as username from follows f
          left join users u on u.id = f.user_id left join foreign_profiles p on p.user_id = f.user_id
          left join statements s on s.hash = coalesce(u.identity_hash, p.identity_hash)
        where f.target = $1 and f.active and f.user_id > $2
          and (f.user_id = $3 or s.certificate -> 'statement' ->> 'follows' = 'public')
          and not exists (select from account_removals a where a.user_id = f.user_id)
          and not exists (select from blocks b where b.user_id = f.user_id and b.target = $3 and b.active)
        order by f.user_id limit $4`,
      values: [user, page.after, viewer, page.limit],
    });
  }

  /** How many `user` follows, null to others if they keep it to themselves; and how many follow `user`; both as far as they are counted. */
  async counts(viewer: UserId, user: UserId): Promise<FollowCounts> {
    const { db, limits } = this.#deps;
    const isShown = await this.#showsFollows(viewer, user);
    const [row] = await db.query<{ following: number; followers: number }>({
      name: 'follows-count',
      text: `select
          (select count(*)::int from (select from follows f where f.user_id = $1 and f.active
            and not exists (select from account_removals a where a.user_id = f.target) limit $2) as followed) as following,
          (select count(*)::int from (select from follows f where f.target = $1 and f.active
            and not exists (select from account_removals a where a.user_id = f.user_id) limit $2) as following_them) as followers`,
      values: [user, limits.profileCounts],
    });
    return { following: isShown ? (row?.following ?? 0) : null, followers: row?.followers ?? 0 };
  }

  /** Whether `viewer` may see whom `user` follows. @throws AppError NOT_FOUND, REMOVED, BLOCKED if `user` is not to be seen at all */
  async #showsFollows(viewer: UserId, user: UserId): Promise<boolean> {
    const { db } = this.#deps;
    await refuseRemovedAccount(db.kysely, user);
    await refuseBlocked(db.kysely, user, viewer);
    const { rows } = await sql<{ follows: string }>`
      select s.certificate -> 'statement' ->> 'follows' as follows
      from (select id, identity_hash from users union all select user_id, identity_hash from foreign_profiles) u
      join statements s on s.hash = u.identity_hash where u.id = ${user}`.execute(db.kysely);
    const [found] = rows;
    if (found === undefined) throw new AppError('NOT_FOUND', 'there is no such member');
    return viewer === user || found.follows === 'public';
  }
}

/** Two members' edges are changed by one transaction at a time. Taken before any row of theirs. */
export async function lockPair(tx: Executor, one: UserId, other: UserId): Promise<void> {
  const [first, second] = one < other ? [one, other] : [other, one];
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${first} ${second}`}, 0))`.execute(tx);
}
