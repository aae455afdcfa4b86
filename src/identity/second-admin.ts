// Who may finish what another admin began: not the same one, and nobody whom that one made an admin or invited a short while ago. Where a server
// has but one admin, that one may do both.
import { sql } from 'kysely';
import type { UserId } from '../wire/address.ts';
import type { Executor } from './executor.ts';

/** A member, or whoever sits at the server's command line: one actor, however many there are. */
export type Actor = UserId | 'operator';

export type Pair = {
  /** How many members are root or admin. */
  readonly admins: number;
  readonly first: Actor;
  readonly second: Actor;
  /** Whether `first` gave `second` their role or invited them lately. */
  readonly isMadeByFirst: boolean;
};

/** alone: nobody else is asked · confirmed: by somebody else · same, made: not by these two */
export type Verdict = 'alone' | 'confirmed' | 'same' | 'made';

export function judgePair({ admins, first, second, isMadeByFirst }: Pair): Verdict {
  if (admins < 2) return 'alone';
  if (first === second) return 'same';
  return isMadeByFirst ? 'made' : 'confirmed';
}

const ADMINS = sql<number>`(select count(*)::int from users u where u.role in ('root', 'admin')
  and not exists (select from account_removals r where r.user_id = u.id))`;

/** How many members are root or admin: with two of them nobody finishes what they began. */
export async function countAdmins(db: Executor): Promise<number> {
  const { rows } = await sql<{ admins: number }>`select ${ADMINS} as admins`.execute(db);
  return rows[0]?.admins ?? 0;
}

/** Of what stands in the database now; the caller keeps acts of admins apart. `sinceMs`: who was made or invited later is not believed. */
export async function judge(tx: Executor, actors: { first: Actor; second: Actor }, sinceMs: number): Promise<Verdict> {
  const { first, second } = actors;
  const since = new Date(sinceMs);
  const { rows } = await sql<{ admins: number; made: boolean }>`
    select
      ${ADMINS} as admins,
      exists (select from admin_acts where by_id = ${first} and target = ${second} and act in ('role-root', 'role-admin') and at > ${since})
        or exists (select from invites where user_id = ${first} and claimed_by = ${second} and claimed_at > ${since}) as made`.execute(tx);
  const found = rows[0] ?? { admins: 0, made: false };
  return judgePair({ admins: found.admins, first, second, isMadeByFirst: found.made });
}
