// What requesters answer (DATA_ACK, DATA_INVALID) and what they are told in return: SETTLED, one frame for all events of a member
// that were committed together.
import type { Bus } from '../bus/port.ts';
import type { UserId } from '../wire/address.ts';
import type { FrameOf, SettledOutcome } from '../wire/frames.ts';
import { eventIdOf } from './answers.ts';
import type { Looks } from './looks.ts';
import { notify } from './notices.ts';
import type { Origin } from './port.ts';

export type AcksDeps = { readonly looks: Looks; readonly bus: Bus };

type Settled = { readonly eventId: string; readonly outcome: SettledOutcome };

export class Acks {
  readonly #deps: AcksDeps;
  readonly #settled = new Map<UserId, Settled[]>();

  constructor(deps: AcksDeps) {
    this.#deps = deps;
  }

  /** The requester has a verified copy and is a holder from the commit on; or has deleted one that was removed, and is none. */
  async ack(from: Origin, { id }: FrameOf<'dataAck'>): Promise<void> {
    const { looks } = this.#deps;
    const eventId = eventIdOf(id);
    if (!eventId) return;
    const { userId: requester, deviceId } = from.member;
    const acked = await looks.ledger.acknowledge.submit({ eventId, requester, deviceId });
    if (!acked) return;
    this.#settle(requester, { eventId, outcome: acked.isContent ? 'HELD' : 'GONE' });
    looks.placeFreed(requester);
    looks.moved(eventId, 'acked');
    if (acked.isContent) looks.spread(requester, acked.subjectId);
  }

  /** The requester found the copy false, or can't keep it. */
  async invalid(from: Origin, { id, body }: FrameOf<'dataInvalid'>): Promise<void> {
    const { looks } = this.#deps;
    const eventId = eventIdOf(id);
    if (!eventId) return;
    const requester = from.member.userId;
    const ended = await looks.ledger.invalidate.submit({ eventId, requester, reason: body.reason });
    if (!ended) return;
    this.#settle(requester, { eventId, outcome: 'GONE' });
    looks.placeFreed(requester);
    looks.moved(eventId, 'invalid');
  }

  #settle(member: UserId, event: Settled): void {
    const events = this.#settled.get(member);
    if (events) return void events.push(event);
    const batch = [event];
    this.#settled.set(member, batch);
    // All outcomes of one batch come before the next turn of the loop.
    setImmediate(() => {
      this.#settled.delete(member);
      notify(this.#deps.bus, member, { id: '', type: 'settled', body: { events: batch } });
    });
  }
}
