// The one active device of a member. Linking another unlinks the first and ends its sessions and sockets; a device id proves
// nothing: it settles which of an honest member's copies is in use, and whoever steals the key can name any.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Database } from '../db/pool.ts';
import type { UserId } from '../wire/address.ts';
import type { Executor } from './executor.ts';
import { type IssuedToken, type OnSessionEnded, requireSession, type Sessions } from './sessions.ts';

export type Device = { readonly id: string; readonly linkedAt: Date; readonly unlinkedAt: Date | null };

export type DevicesDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly onSessionEnded: OnSessionEnded;
};

const SHOWN = 50;

export class Devices {
  readonly #deps: DevicesDeps;

  constructor(deps: DevicesDeps) {
    this.#deps = deps;
  }

  /** A member's devices, the active one first, then by when they were linked, newest first; 50 at most. */
  async list(user: UserId): Promise<Device[]> {
    return this.#deps.db.query<Device>({
      name: 'devices-list',
      text: `select id, linked_at as "linkedAt", unlinked_at as "unlinkedAt" from devices
        where user_id = $1 order by unlinked_at desc nulls first, linked_at desc limit ${SHOWN}`,
      values: [user],
    });
  }

  /**
   * Links the device named in a session statement of purpose `link-device` over an unused challenge, and signs it in.
   * @throws AppError UNAUTHENTICATED, KEY_REVOKED
   */
  async link(given: { readonly statement: unknown; readonly signature: string }): Promise<IssuedToken & { readonly device: string }> {
    const { db, sessions, clock, onSessionEnded } = this.#deps;
    const statement = requireSession(await sessions.verify(given, 'link-device'));
    await sessions.requireGoodNonce(statement);
    const { issued, unlinked } = await db.transaction(async (tx) => {
      await sessions.useNonce(tx, statement);
      const replaced = await activate(tx, { user: statement.user, device: statement.device, at: new Date(clock.now()) });
      return { issued: requireSession(await sessions.open(tx, statement)).issued, unlinked: replaced };
    });
    if (unlinked !== null) onSessionEnded(statement.user, { deviceId: unlinked, reason: 'replaced' });
    return { ...issued, device: statement.device };
  }
}

/** Makes `device` the member's only active one. @returns the device it took the place of, or null */
async function activate(tx: Executor, link: { user: UserId; device: string; at: Date }): Promise<string | null> {
  const user = await sql`select id from users where id = ${link.user} for no key update`.execute(tx);
  if (user.rows.length === 0) throw new AppError('UNAUTHENTICATED', 'there is no such member');
  const { rows } = await sql<{ id: string }>`
    update devices set unlinked_at = ${link.at}
    where user_id = ${link.user} and unlinked_at is null and id <> ${link.device} returning id`.execute(tx);
  await sql`
    insert into devices (id, user_id, linked_at) values (${link.device}, ${link.user}, ${link.at})
    on conflict (user_id, id) do update set linked_at = excluded.linked_at, unlinked_at = null
    where devices.unlinked_at is not null`.execute(tx);
  await sql`delete from sessions where user_id = ${link.user} and device_id <> ${link.device}`.execute(tx);
  return rows[0]?.id ?? null;
}
