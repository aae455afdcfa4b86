// What holders answer (RELAY_RESPONSE, RELAY_MISS, RELAY_ERROR). A ciphertext is held for one batch and one write, never longer:
// what can't be written at once is dropped, and the event re-opened.
import { AppError } from '../base/errors.ts';
import type { Bus } from '../bus/port.ts';
import type { FailureOutcome, Relayed } from '../ledger/answer.ts';
import type { EventName } from '../ledger/state.ts';
import { isSentinel } from '../presence/sentinels.ts';
import { parseReedId, parseUuid, type ReedId, type UserId } from '../wire/address.ts';
import { encodeDelivery, encodeFrame } from '../wire/codec.ts';
import type { DeliveryType, FrameOf } from '../wire/frames.ts';
import type { FoldPort } from './fold-port.ts';
import type { Looks } from './looks.ts';
import { notify } from './notices.ts';
import type { Origin } from './port.ts';
import type { Refusals } from './refusals.ts';

export type AnswersDeps = { readonly looks: Looks; readonly refusals: Refusals; readonly bus: Bus; readonly fold: FoldPort };

const DELIVERY: Readonly<Record<Exclude<EventName, 'BROADCAST_REED'>, DeliveryType>> = {
  DATA_RESPONSE: 'dataResponse',
  FOLLOW_REED: 'followReed',
  PIPE_REED: 'pipeReed',
  ARCHIVE_REED: 'archiveReed',
  REED_REPLY: 'reedReply',
  MENTION: 'mention',
};

/** An event id, or null for text that can't be one: forged ids never reach the database. */
export const eventIdOf = (text: string): string | null => parseUuid(text);

export class Answers {
  readonly #deps: AnswersDeps;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /** Passes the ciphertext to the requester recorded on the event, if it was asked of this holder and of no other since. */
  async response(from: Origin, { id, body }: FrameOf<'relayResponse'>): Promise<void> {
    const { looks } = this.#deps;
    const eventId = eventIdOf(id);
    if (!eventId) return;
    if (body.ciphertext.length === 0) return this.#failed(from, { eventId, attempt: body.attempt, outcome: 'error', missing: null });
    const holder = from.member.userId;
    const outcome = await looks.ledger.relayed.submit({ eventId, holder, sizeBytes: body.ciphertext.length });
    if (!outcome) return;
    if (outcome.verdict === 'relayed') {
      if (isSentinel(outcome.requester)) this.#deps.fold.forward(eventId, body.ciphertext);
      else this.#deliver(eventId, outcome, body.ciphertext);
      looks.spread(holder, outcome.subjectId);
    } else {
      looks.placeFreed(outcome.requester);
      if (outcome.explicit) await this.#refuse(outcome, outcome.verdict);
    }
    looks.freed(holder);
  }

  async miss(from: Origin, { id, body }: FrameOf<'relayMiss'>): Promise<void> {
    const missing = body.missingReedId === '' ? null : parseReedId(body.missingReedId);
    if (body.missingReedId !== '' && !missing) throw new AppError('INVALID', 'missing_reed_id is no reed id');
    const eventId = eventIdOf(id);
    if (eventId) await this.#failed(from, { eventId, attempt: body.attempt, outcome: 'miss', missing });
  }

  async error(from: Origin, { id, body }: FrameOf<'relayError'>): Promise<void> {
    const eventId = eventIdOf(id);
    if (eventId)
      await this.#failed(from, { eventId, attempt: body.attempt, outcome: body.reason === 'BUSY' ? 'busy' : 'error', missing: null });
  }

  #deliver(eventId: string, outcome: Relayed, ciphertext: Uint8Array): void {
    const { bus, looks } = this.#deps;
    if (outcome.stream !== null) looks.placeFreed(outcome.requester);
    const frame = deliveryFrame(eventId, outcome, ciphertext);
    looks.look(async () => {
      const written = await bus.deliver(outcome.requester, frame, 'content');
      if (!written) await looks.ledger.undelivered.submit({ eventId, attempt: null, relays: outcome.relays });
    });
  }

  async #refuse(outcome: Relayed, refusal: 'removed' | 'blocked'): Promise<void> {
    const { bus, refusals } = this.#deps;
    const { requester, requestId, subjectId } = outcome;
    if (requestId) notify(bus, requester, await refusals.frame(refusal, { eventId: '', requestId, requester, subjectId }));
  }

  async #failed(
    from: Origin,
    failure: { eventId: string; attempt: number; outcome: FailureOutcome; missing: ReedId | null },
  ): Promise<void> {
    const { looks } = this.#deps;
    const holder: UserId = from.member.userId;
    // The database counts attempts in int4; a larger number is nobody's attempt.
    if (failure.attempt > 2_147_483_647) return;
    const reopened = await looks.ledger.reopen.submit({ ...failure, holder });
    if (!reopened) return;
    looks.assign({ eventId: failure.eventId });
    looks.freed(holder);
    if (failure.outcome === 'miss') looks.copyGone(reopened.subjectId);
  }
}

/** What of the community stream is sent has no id: there is nothing to acknowledge. */
function deliveryFrame(eventId: string, { eventName, requestId, stream, subjectId: reedId }: Relayed, ciphertext: Uint8Array): Uint8Array {
  if (eventName === 'BROADCAST_REED')
    return encodeFrame({
      id: '',
      type: 'broadcastReed',
      body: { reedId, ciphertext, username: stream?.username ?? '', skipped: stream?.skipped ?? 0 },
    });
  return contentFrame(eventId, { eventName, requestId, reedId }, ciphertext);
}

/** A delivery that is to be acknowledged. */
export const contentFrame = (
  eventId: string,
  of: { readonly eventName: Exclude<EventName, 'BROADCAST_REED'>; readonly requestId: string | null; readonly reedId: ReedId },
  ciphertext: Uint8Array,
): Uint8Array => encodeDelivery(DELIVERY[of.eventName], eventId, { requestId: of.requestId ?? '', reedId: of.reedId }, ciphertext);
