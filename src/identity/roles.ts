// The list of members as the server's operator sees it, and the change of a role, by an act in the log of admins.
// Fan-out, invites and what others see of a member read `users.role` each time, so that a change is in force with its commit.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { Database } from '../db/pool.ts';
import { parseUserId, type UserId } from '../wire/address.ts';
import type { Role } from '../wire/roles.ts';
import { checkUsername } from '../wire/username.ts';
import type { ActBy, Acted, Acting, AdminActs } from './admin-acts.ts';

/** leaving: removed by themselves, which can be withdrawn still. frozen: their key was revoked and they have no other yet. */
export type AccountState = 'active' | 'frozen' | 'leaving' | 'removed';

export type ListedMember = {
  readonly id: UserId;
  readonly name: string;
  readonly role: Role;
  readonly since: Date;
  readonly state: AccountState;
  /** Counted strikes, for copies that others found false: for those reeds they are chosen last. */
  readonly strikes: number;
};

export type MembersPage = {
  readonly role?: Role;
  /** By id. */
  readonly after?: UserId;
  readonly limit: number;
  /** Since when strikes count. */
  readonly strikesSince: Date;
};

const MEMBER = `
  u.id, u.username as name, u.role, u.created_at as since,
  case
    when r.statement_hash is not null then 'removed'
    when r.user_id is not null then 'leaving'
    when exists (select from key_revocations k where k.key_id = u.key_id)
      or exists (select from keys k where k.id = u.key_id and k.void_hash is not null) then 'frozen'
    else 'active'
  end as state`;

// Strikes have no index by holder: they are looked through once for a page.
const STRIKES = `
  select t.holder, count(*)::int as strikes
  from holder_strikes t join page on page.id = t.holder and t.counted_at > $1 group by t.holder`;

const listed = (page: string): string => `
  with page as materialized (select ${MEMBER} from users u left join account_removals r on r.user_id = u.id ${page})
  select page.*, coalesce(s.strikes, 0) as strikes from page left join (${STRIKES}) s on s.holder = page.id order by page.id`;

/** A page of members by id. */
export async function listMembers(db: Database, { role, after, limit, strikesSince }: MembersPage): Promise<ListedMember[]> {
  return db.query<ListedMember>({
    name: 'roles-list',
    text: listed('where u.id > $2 and ($3::text is null or u.role = $3) order by u.id limit $4'),
    values: [strikesSince, after ?? '', role ?? null, limit],
  });
}

/** Whether a text is a name or an id that somebody could have. */
export const couldBeMember = (nameOrId: string): boolean => parseUserId(nameOrId) !== null || checkUsername(nameOrId).ok;

/** The member of this id, or of this name in whatever case; null if there is none. */
export async function findMember(db: Database, nameOrId: string, strikesSince: Date): Promise<ListedMember | null> {
  const id = parseUserId(nameOrId);
  const name = checkUsername(nameOrId);
  if (id === null && !name.ok) return null;
  const [found] = await db.query<ListedMember>({
    name: 'roles-find',
    text: listed('where u.id = $2 or u.id = (select n.user_id from usernames n where n.folded = $3 and n.released_at is null)'),
    values: [strikesSince, id, name.ok ? name.value.folded : null],
  });
  return found ?? null;
}

/** Whether anybody else has this role. */
export async function hasAnother(db: Database, role: Role, than: UserId): Promise<boolean> {
  const rows = await db.query({
    name: 'roles-another',
    text: 'select from users where role = $1 and id <> $2 limit 1',
    values: [role, than],
  });
  return rows.length > 0;
}

/** What a member of this role may be given or lose by whom, before it is asked who else has to agree. */
function refuseRole({ from, to }: { from: Role; to: Role }, acting: Acting): void {
  if ((to === 'root' || from === 'root') && acting.role !== 'root' && acting.role !== 'operator')
    throw new AppError('FORBIDDEN', 'only a root gives or takes the role root');
}

/** Giving a role that others depend on, or taking another admin's, is no admin's alone. The operator has the database, and acts alone. */
const needsSecond = ({ user, from, to }: { user: UserId; from: Role; to: Role }, { by }: Acting): boolean =>
  by !== 'operator' && (to !== 'user' || ((from === 'root' || from === 'admin') && user !== by));

export type RoleChange = {
  readonly user: UserId;
  readonly to: Role;
  /** CONFLICT if it is another by now. */
  readonly from?: Role;
};

/** Gives a member a role, by an act in the log. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT, and those of AdminActs */
export function giveRole(acts: AdminActs, by: ActBy, { user, to, from }: RoleChange): Promise<Acted> {
  const ordered = { act: `role-${to}`, target: user } as const;
  return acts.take(by, ordered, async (tx, acting) => {
    const { rows } = await sql<{ role: Role; gone: boolean }>`
      select u.role, exists (select from account_removals r where r.user_id = u.id and r.statement_hash is not null) as gone
      from users u where u.id = ${user} for update of u`.execute(tx);
    const [member] = rows;
    if (member === undefined || (member.gone && to !== 'user')) throw new AppError('NOT_FOUND', 'there is no such member');
    if (from !== undefined && member.role !== from) throw new AppError('CONFLICT', 'the role was changed meanwhile');
    if (member.role === to) return 'unchanged';
    const change = { user, from: member.role, to };
    refuseRole(change, acting);
    const outcome = needsSecond(change, acting) ? await acts.askOrConfirm(tx, ordered, acting) : 'done';
    if (outcome === 'done') await sql`update users set role = ${to} where id = ${user}`.execute(tx);
    return outcome;
  });
}
