// Names of this server's members: unique by case fold and by look-alikes. A name given up stays reserved for a year, also under its look-alikes;
// only who gave it up may take it back. Which signs a name may have is decided in wire/username.ts.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { UserId } from '../wire/address.ts';
import { checkUsername } from '../wire/username.ts';
import { looks } from './confusables.ts';
import type { Executor } from './executor.ts';

/** By what two names are the same. */
export type NameKeys = { readonly folded: string; readonly skeleton: string };

/** Null for text that is no name in its normal form. */
export function nameKeys(name: string): NameKeys | null {
  const checked = checkUsername(name);
  if (!checked.ok || checked.value.name !== name) return null;
  return { folded: checked.value.folded, skeleton: looks(checked.value.skeleton) };
}

/** Text as names are compared with it from their beginning, whether or not it is one. */
export const foldedPrefix = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');

export type NameClaim = { readonly user: UserId; readonly username: string; readonly nowMs: number; readonly reservedMs: number };

/**
 * Makes `username` the member's name and gives up the one before, in the caller's transaction.
 * @throws AppError USERNAME_TAKEN, INVALID
 */
export async function claimName(tx: Executor, claim: NameClaim): Promise<void> {
  const keys = nameKeys(claim.username);
  if (keys === null) throw new AppError('INVALID', 'username: not allowed');
  const now = new Date(claim.nowMs);
  const reservedSince = new Date(claim.nowMs - claim.reservedMs);
  await sql`update usernames set released_at = ${now} where user_id = ${claim.user} and released_at is null`.execute(tx);
  // What is the member's own, or has been free for a year, makes room; whatever is left after that is somebody's.
  await sql`
    delete from usernames where (skeleton = ${keys.skeleton} or folded = ${keys.folded})
      and (user_id = ${claim.user} or released_at < ${reservedSince})`.execute(tx);
  const { rows } = await sql`
    insert into usernames (skeleton, folded, user_id) values (${keys.skeleton}, ${keys.folded}, ${claim.user})
    on conflict do nothing returning skeleton`.execute(tx);
  if (rows.length === 0) throw new AppError('USERNAME_TAKEN', 'username: taken, or too like one that is');
  await sql`update users set username = ${claim.username} where id = ${claim.user}`.execute(tx);
}
