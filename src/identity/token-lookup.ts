// Who holds a token, for many tokens in one statement: ten thousand members who come back at once cost a few dozen look-ups.
// Every look sees key, device and account as they are after it was asked for.
import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { fromBase64url } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { Batcher, BatchLoad, Lane } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import type { UserId, UserKeyId } from '../wire/address.ts';
import type { Role } from '../wire/roles.ts';

export const TOKEN_BYTES = 32;

/** What is stored of a token. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

export type TokenLookupDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits };

/** Who acts: a member by a key and a device that are theirs at this moment. */
export type Member = {
  readonly userId: UserId;
  readonly keyId: UserKeyId;
  readonly deviceId: string;
  readonly role: Role;
};

type SessionRow = { place: number; user_id: UserId; key_id: UserKeyId; device_id: string; role: Role; last_used_at: Date };

export class TokenLookup {
  readonly #deps: TokenLookupDeps;
  readonly #looks: Batcher<Buffer, Member | null>;

  constructor(deps: TokenLookupDeps) {
    this.#deps = deps;
    const { limits } = deps;
    this.#looks = new Batcher({
      name: 'token look-up',
      lane: new Lane(),
      load: new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes),
      maxItems: limits.batchItems,
      run: (hashes) => this.#look(hashes),
      sameAs: (hash) => hash.toString('latin1'),
      divisible: isDivisible,
    });
  }

  /**
   * Who holds this token, or null if it is none of ours, ended, or its key, device or account is gone.
   * @throws AppError UNAVAILABLE when the database is away or too much is queued
   */
  async find(token: string): Promise<Member | null> {
    if (fromBase64url(token)?.length !== TOKEN_BYTES) return null;
    return this.#looks.submit(tokenHash(token));
  }

  async #look(hashes: readonly Buffer[]): Promise<(Member | null)[]> {
    const { db, clock, limits } = this.#deps;
    const now = clock.now();
    // `offset 0` keeps each look an index look-up, however few sessions there were when the statement was planned.
    const rows = await db.query<SessionRow>({
      name: 'sessions-by-token',
      text: `select i.place::int, f.* from unnest($1::bytea[]) with ordinality as i(hash, place)
        cross join lateral (
          select s.user_id, s.key_id, s.device_id, u.role, s.last_used_at
          from sessions s
          join users u on u.id = s.user_id
          join devices d on d.user_id = s.user_id and d.id = s.device_id and d.unlinked_at is null
          where s.token_hash = i.hash and s.last_used_at > $2 and s.signed_at > $3 and not s.recovery
            and not exists (select from key_revocations r where r.key_id = s.key_id)
            and not exists (select from keys k where k.id = s.key_id and k.void_hash is not null)
            and not exists (select from account_removals a where a.user_id = s.user_id)
          offset 0) f`,
      values: [hashes, new Date(now - limits.tokenIdleMs), new Date(now - limits.tokenLifeMs)],
    });
    const found: (Member | null)[] = hashes.map(() => null);
    const stale: Buffer[] = [];
    for (const { place, user_id, key_id, device_id, role, last_used_at } of rows) {
      found[place - 1] = { userId: user_id, keyId: key_id, deviceId: device_id, role };
      const hash = hashes[place - 1];
      if (hash && now - last_used_at.getTime() >= limits.sessionWriteEveryMs) stale.push(hash);
    }
    if (stale.length > 0) await this.#touch(stale, now);
    return found;
  }

  async #touch(hashes: readonly Buffer[], now: number): Promise<void> {
    await this.#deps.db.query({
      name: 'sessions-touch',
      text: `with used as (select token_hash from sessions where token_hash = any($1::bytea[]) order by token_hash for no key update)
        update sessions s set last_used_at = greatest(s.last_used_at, $2) from used where s.token_hash = used.token_hash`,
      values: [hashes, new Date(now)],
    });
  }
}
