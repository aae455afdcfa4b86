// Acts of our members that a peer is to know of: follow, like and block with their ends, owed until it has answered, whatever it answers. What it can't
// say now is asked again later.
import { doubling, jittered } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';
import { encodeAct } from '../wire/streams.ts';
import { isClosed, isOfTheLeg } from './leg-words.ts';
import type { PeerCalls } from './stream-ports.ts';

export type OwedLegsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly calls: PeerCalls;
  /** 0 ≤ x < 1 */
  readonly random: () => number;
};

type Row = { family: string; user: string; target: string; seq: number; failures: number; type: string; certificate: object };

export class OwedLegs {
  readonly #deps: OwedLegsDeps;

  constructor(deps: OwedLegsDeps) {
    this.#deps = deps;
  }

  /** Sends what is owed to a peer and due. @returns whether it takes more */
  async round(peer: ServerId): Promise<boolean> {
    const { clock, db, limits } = this.#deps;
    for (;;) {
      const rows = await db.query<Row>({
        name: 'owed_legs_due',
        text: `select o.leg as family, o.user_id as user, o.target, o.seq::float8 as seq, o.failures, s.type, s.certificate
          from owed_legs o join statements s on s.hash = o.statement_hash
          where o.server_id = $1 and o.due_at <= $2 order by o.due_at limit $3`,
        values: [peer, new Date(clock.now()), limits.owedLegsPerRound],
      });
      for (const row of rows) if (!(await this.#send(peer, row))) return false;
      if (rows.length < limits.owedLegsPerRound) return true;
    }
  }

  async #send(peer: ServerId, row: Row): Promise<boolean> {
    const called = await this.#deps.calls.call(peer, row.type, encodeAct(row.certificate));
    if (called.kind !== 'answer') return false;
    if (isOfTheLeg(called)) return this.#answered(peer, row).then(() => true);
    await this.#later(peer, row);
    // That the peering rests there, or our clocks differ, holds for all that follows.
    return !isClosed(called);
  }

  /** A newer act of the same pair stays owed. */
  async #answered(peer: ServerId, { family, seq, target, user }: Row): Promise<void> {
    await this.#deps.db.query({
      name: 'owed_legs_answered',
      text: 'delete from owed_legs where server_id = $1 and leg = $2 and user_id = $3 and target = $4 and seq = $5',
      values: [peer, family, user, target, seq],
    });
  }

  async #later(peer: ServerId, { failures, family, seq, target, user }: Row): Promise<void> {
    const { clock, db, limits, random } = this.#deps;
    const pauseMs = jittered(doubling(failures + 1, limits.streamRetryFirstMs, limits.streamRetryMaxMs), random);
    await db.query({
      name: 'owed_legs_later',
      text: `update owed_legs set failures = failures + 1, due_at = $6
        where server_id = $1 and leg = $2 and user_id = $3 and target = $4 and seq = $5`,
      values: [peer, family, user, target, seq, new Date(clock.now() + pauseMs)],
    });
  }
}
