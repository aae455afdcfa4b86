// Nonces of sign-up, token and device statements. Stateless until used: a keyed hash says that we made it and until when it is good,
// and `used_challenges` that nobody used it before. The hash's key comes from the ledger's epoch, so that losing that table voids them all.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, fromBase64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from './executor.ts';
import type { ServerIdentity } from './server-identity.ts';

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const TAG_BYTES = 16;
const PAYLOAD_BYTES = TIME_BYTES + RANDOM_BYTES;

export type ChallengesDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly server: ServerIdentity;
};

export class Challenges {
  readonly #deps: ChallengesDeps;

  constructor(deps: ChallengesDeps) {
    this.#deps = deps;
  }

  /** A nonce and the time (ms since the epoch) until which it is good. */
  async make(): Promise<{ nonce: string; expiresAtMs: number }> {
    const expiresAtMs = this.#deps.clock.now() + this.#deps.limits.challengeMs;
    const payload = Buffer.alloc(PAYLOAD_BYTES);
    payload.writeUIntBE(expiresAtMs, 0, TIME_BYTES);
    payload.set(this.#deps.random(RANDOM_BYTES), TIME_BYTES);
    const tag = this.#tag(payload, await this.#epoch());
    return { nonce: base64url(Buffer.concat([payload, tag])), expiresAtMs };
  }

  /** Whether the nonce is ours and not yet expired; not whether it was used. */
  async isGood(nonce: string): Promise<boolean> {
    const bytes = fromBase64url(nonce);
    if (bytes === null || bytes.length !== PAYLOAD_BYTES + TAG_BYTES) return false;
    const payload = Buffer.from(bytes.subarray(0, PAYLOAD_BYTES));
    if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), this.#tag(payload, await this.#epoch()))) return false;
    return payload.readUIntBE(0, TIME_BYTES) > this.#deps.clock.now();
  }

  /** Marks a good nonce as used, in the caller's transaction. False: somebody was first. Removes some that ended. */
  async use(tx: Executor, nonce: string): Promise<boolean> {
    const now = this.#deps.clock.now();
    const { rows } = await sql`
      insert into used_challenges (nonce, until) values (${nonce}, ${new Date(now + this.#deps.limits.challengeMs)})
      on conflict (nonce) do nothing returning nonce`.execute(tx);
    if (rows.length === 0) return false;
    await sql`
      delete from used_challenges where nonce in (
        select nonce from used_challenges where until < ${new Date(now)} order by until limit ${this.#deps.limits.cleanUpRows} for update skip locked)`.execute(
      tx,
    );
    return true;
  }

  async #epoch(): Promise<string> {
    const [row] = await this.#deps.db.query<{ epoch: string }>({ name: 'challenge-epoch', text: 'select epoch::text from ledger_epoch' });
    if (row === undefined) throw new AppError('UNAVAILABLE', 'the ledger is being set up', { retryAfterMs: 1_000 });
    return row.epoch;
  }

  #tag(payload: Uint8Array, epoch: string): Buffer {
    return createHmac('sha256', this.#deps.server.secretFor('challenge')).update(epoch).update(payload).digest().subarray(0, TAG_BYTES);
  }
}
