// What a publication owes to whom, carried out: the plan's deliveries become events. The debt is a row that any replica takes up.
// Content first, in any number of statements that may be repeated; then the debt ends with the community stream's turns; then the stream,
// which nobody is owed: a crash in between costs its listeners one reed, never gives them two.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { OweItem } from '../ledger/owe.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import { type Audience, audienceOf } from './audience.ts';
import type { Debts } from './debts.ts';
import { type Delivery, planFanout } from './fanout-plan.ts';

export type FanoutDeps = {
  /** Connections without the ledger's planner settings: the audience is no hot step. */
  readonly application: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
  readonly debts: Debts;
};

export class Fanout {
  readonly #deps: FanoutDeps;

  constructor(deps: FanoutDeps) {
    this.#deps = deps;
  }

  /** Owes a publication to whom it concerns. May run any number of times. */
  async run(reed: ReedId): Promise<void> {
    const { application, clock, limits } = this.#deps;
    const audience = await audienceOf(application, reed, limits.replyAncestors);
    if (audience === null) return void (await this.#end(reed, [], []));
    const { candidates } = audience;
    const plan = planFanout({
      candidates,
      now: clock.now(),
      listeners: limits.broadcastListeners,
      listenerPauseMs: limits.broadcastPauseMs,
    });
    const stream = plan.deliveries.filter(({ eventName }) => eventName === 'BROADCAST_REED');
    const { locked } = await this.#owe(
      reed,
      audience,
      plan.deliveries.filter(({ eventName }) => eventName !== 'BROADCAST_REED'),
    );
    // Who was coming or going just now is found when the lease is over, or by its sync.
    if (locked) return;
    const ended = await this.#end(
      reed,
      stream.map(({ member }) => member),
      plan.skipped,
    );
    if (ended) await this.#owe(reed, audience, stream);
  }

  async #owe(subject: ReedId, { kind, author }: Audience, deliveries: readonly Delivery[]): Promise<{ locked: boolean }> {
    const { clock, debts, random } = this.#deps;
    const items = deliveries.map(
      ({ member, eventName }): OweItem => ({
        eventId: uuidv7(clock.now(), random),
        ...{ requester: member, eventName, kind, subject, priority: 1, holder: author },
      }),
    );
    return debts.owe(items);
  }

  /** Ends the debt, and counts what the listeners of the community stream are given and not given. @returns false if it had ended already */
  async #end(reed: ReedId, served: readonly UserId[], skipped: readonly UserId[]): Promise<boolean> {
    const { application, clock } = this.#deps;
    return application.transaction(async (tx) => {
      const { rows } = await sql`
        delete from pending_fanout where kind = 'publication' and subject_id = ${reed} returning kind`.execute(tx);
      if (rows.length === 0) return false;
      if (served.length + skipped.length === 0) return true;
      await sql`
        with listed as (
          select viewer from broadcast_subscriptions where viewer = any(${[...served, ...skipped]}::text[]) order by viewer for no key update
        )
        update broadcast_subscriptions b set
          served_at = case when b.viewer = any(${served}::text[]) then ${new Date(clock.now())} else b.served_at end,
          skipped = b.skipped + (b.viewer = any(${skipped}::text[]))::int
        from listed l where b.viewer = l.viewer`.execute(tx);
      return true;
    });
  }
}
