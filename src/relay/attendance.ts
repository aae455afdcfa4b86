// What follows the commit of presence: who came is served as a holder, who left leaves nothing behind. Departures are taken
// together, in pages; what a lost step leaves is found by the sweeper.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { Batcher, type BatchLoad, Lane, LOCKED } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import { postpone } from '../ledger/answer.ts';
import type { LedgerContext } from '../ledger/context.ts';
import { requestersGone } from '../ledger/ends.ts';
import { holdersGone, leftOf } from '../ledger/sweep.ts';
import type { UserId } from '../wire/address.ts';
import { decodeFrame } from '../wire/codec.ts';
import type { Looks } from './looks.ts';

export type AttendanceDeps = LedgerContext & {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly load: BatchLoad;
  readonly log: Logger;
  readonly looks: Looks;
};

export class Attendance {
  readonly #deps: AttendanceDeps;
  /** Whether the member is present again by the time that what it left is cleared up. */
  readonly #departures: Batcher<UserId, boolean>;

  constructor(deps: AttendanceDeps) {
    this.#deps = deps;
    this.#departures = new Batcher({
      name: 'departures',
      lane: new Lane(),
      load: deps.load,
      maxItems: deps.limits.batchItems,
      divisible: isDivisible,
      patience: deps,
      sameAs: (member: UserId) => member,
      onFailure: (step, error) => deps.log.error({ step, err: error }, 'departures could not be followed; the audit will find them'),
      run: async (members: readonly UserId[]) => {
        await this.#clearUp(members);
        const { present, remaining } = await leftOf(deps.db, members);
        return members.map((member) => (remaining.has(member) ? LOCKED : present.has(member)));
      },
    });
  }

  get idle(): boolean {
    return this.#departures.idle;
  }

  async arrived(member: UserId, isFresh: boolean): Promise<void> {
    const { looks } = this.#deps;
    await looks.wakes.arrived(member, isFresh);
    // Its newest connection may have moved here: what is queued with it is ours to dispatch.
    looks.dispatch(member);
  }

  async left(member: UserId): Promise<boolean> {
    const { looks } = this.#deps;
    const isBack = await this.#departures.submit(member);
    // It may be back already: what is noted of it is looked at, not forgotten.
    looks.freed(member);
    looks.placeFreed(member);
    return isBack;
  }

  /** What it has answered, or is no longer asked, is no longer dispatched to it under that attempt, and stays as it is. */
  askedInVain(member: UserId, asks: readonly Uint8Array[]): void {
    const { limits, looks } = this.#deps;
    for (const bytes of asks) {
      const ask = decodeFrame(bytes, limits);
      if (!ask.ok || (ask.value.type !== 'relayRequest' && ask.value.type !== 'relayThread')) continue;
      const { id, body } = ask.value;
      looks.look(async () => {
        // Its place is free once that is committed.
        if (await looks.ledger.undelivered.submit({ eventId: id, attempt: body.attempt, relays: null })) looks.freed(member);
      });
    }
  }

  congested(member: UserId, full: boolean): void {
    const { looks } = this.#deps;
    if (full) looks.park(member);
    else {
      looks.noteFull(member);
      looks.dispatch(member);
    }
  }

  bytesArriving(holders: readonly UserId[]): void {
    const { limits } = this.#deps;
    this.#postpone(holders, { state: 2, byMs: limits.dispatchDeadlineMs, atMostMs: limits.deadlineMaxMs });
  }

  stillBuffered(requesters: readonly UserId[]): void {
    const { limits } = this.#deps;
    this.#postpone(requesters, { state: 3, byMs: limits.acknowledgeMs, atMostMs: limits.acknowledgeMaxMs });
  }

  #postpone(members: readonly UserId[], by: { state: 2 | 3; byMs: number; atMostMs: number }): void {
    const { clock, db, limits, looks } = this.#deps;
    for (let at = 0; at < members.length; at += limits.postponedMembers) {
      const page = members.slice(at, at + limits.postponedMembers);
      looks.look(() => postpone(db, page, { ...by, now: clock.now() }));
    }
  }

  /** Ends what is owed to members without presence and re-opens what was with them; those who are back keep everything. */
  async #clearUp(members: readonly UserId[]): Promise<void> {
    const { clock, db, limits, looks } = this.#deps;
    for (;;) {
      const ended = await requestersGone(db, members, limits.batchItems);
      looks.ended(ended);
      if (ended.length < limits.batchItems) break;
    }
    for (;;) {
      const reopened = await holdersGone(db, members, limits.batchItems, clock.now());
      if (reopened > 0) looks.assign('due');
      if (reopened < limits.batchItems) break;
    }
  }
}
