// Explicit requests: REQUEST_REED, REQUEST_THREAD and CANCEL_REQUEST.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Opened } from '../ledger/open.ts';
import { STATE, type SubjectKind } from '../ledger/state.ts';
import { parseReedId, parseRequestId, type ReedId, type RequestId, type UserId, userOf, uuidTimeMs } from '../wire/address.ts';
import type { FrameOf } from '../wire/frames.ts';
import type { Looks } from './looks.ts';
import { requestAck } from './notices.ts';
import type { Origin } from './port.ts';
import type { Refusals } from './refusals.ts';

export type RequestsDeps = {
  readonly looks: Looks;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
};

type Ask = { readonly requestId: RequestId; readonly subject: ReedId; readonly kind: SubjectKind };

export class Requests {
  readonly #deps: RequestsDeps;

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  /** @throws AppError INVALID naming the field */
  async reed(from: Origin, { body }: FrameOf<'requestReed'>): Promise<void> {
    const subject = parseReedId(body.reedId);
    if (!subject) throw new AppError('INVALID', 'reed_id is no reed id');
    if (userOf(subject) !== body.authorId) throw new AppError('INVALID', 'author_id is not the author in reed_id');
    await this.#open(from, { requestId: this.ownId(from, body.requestId), subject, kind: 'reed' });
  }

  /** @throws AppError INVALID naming the field */
  async thread(from: Origin, { body }: FrameOf<'requestThread'>): Promise<void> {
    const subject = parseReedId(body.threadId);
    if (!subject) throw new AppError('INVALID', 'thread_id is no thread id');
    await this.#open(from, { requestId: this.ownId(from, body.requestId), subject, kind: 'thread' });
  }

  /** Ends the event whose newest request id is named; one that is unknown or already relayed stays as it is. */
  async cancel(from: Origin, { body }: FrameOf<'cancelRequest'>): Promise<void> {
    const requestId = this.ownId(from, body.requestId);
    const { looks } = this.#deps;
    const ended = await looks.ledger.cancel.submit({ requester: from.member.userId, requestId });
    looks.ended(ended);
  }

  /** A request id of the caller's own. @throws AppError INVALID */
  ownId(from: Origin, text: string): RequestId {
    const requestId = parseRequestId(text);
    if (!requestId || userOf(requestId) !== from.member.userId)
      throw new AppError('INVALID', 'request_id must be a uuidv7 under your own user id');
    if (uuidTimeMs(requestId) > this.#deps.clock.now() + this.#deps.limits.clockAheadMs)
      throw new AppError('INVALID', 'request_id is too far ahead of the server clock');
    return requestId;
  }

  async #open(from: Origin, ask: Ask): Promise<void> {
    const { clock, looks, random, refusals } = this.#deps;
    const requester = from.member.userId;
    const eventId = uuidv7(clock.now(), random);
    const outcome = await looks.ledger.open.submit({ eventId, requester, ...ask });
    if (outcome.refusal !== null) {
      from.reply(await refusals.frame(outcome.refusal, { eventId: '', requestId: ask.requestId, requester, subjectId: ask.subject }));
      return;
    }
    from.reply(
      requestAck({
        eventId: outcome.eventId,
        requestId: ask.requestId,
        requester,
        subjectId: ask.subject,
        state: outcome.state,
        onlineHolders: outcome.onlineHolders,
        failing: outcome.failing,
        asleepThere: outcome.asleepThere,
      }),
    );
    this.#follow(requester, ask, outcome);
  }

  /** What is looked at after the commit of an open. */
  #follow(requester: UserId, ask: Ask, opened: Opened): void {
    const { looks } = this.#deps;
    const { eventId, holder } = opened;
    if (opened.state === STATE.dispatched && opened.fresh && holder) {
      looks.ask({
        eventId,
        subjectKind: ask.kind,
        subjectId: ask.subject,
        requester,
        requesterKeyId: opened.requesterKeyId,
        holder,
        attempt: 1,
      });
    }
    if (opened.state === STATE.inLine) looks.inLine(ask.subject);
    if (opened.state === STATE.waiting) looks.queued(holder, opened.owner);
    if (opened.state === STATE.dormant) looks.dormant(eventId, ask.subject);
    if (opened.state === STATE.unassigned) opened.full ? looks.noteFull(requester) : looks.assign({ eventId });
  }
}
