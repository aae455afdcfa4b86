// What each frame of a member costs, and which of our frames entitle the member to a free answer.
import type { Limits } from '../base/limits.ts';
import type { UserId } from '../wire/address.ts';
import type { Frame, FrameType } from '../wire/frames.ts';
import { DELIVERY_TYPES } from '../wire/frames.ts';
import { peekId, peekType } from '../wire/peek.ts';
import type { Budgets } from './budget.ts';

/** Frames that a holder answers. */
const ANSWERED: ReadonlySet<FrameType | undefined> = new Set<FrameType>(['relayRequest', 'relayThread']);
/** Frames that their reader acknowledges. */
const ACKNOWLEDGED: ReadonlySet<FrameType | undefined> = new Set<FrameType>([
  ...DELIVERY_TYPES,
  'reedRemoved',
  'threadRemoved',
  'accountRemoved',
  'keyRevoked',
]);

/** Notices that have no id: of any number of them as many acknowledgements are free. */
const BLOCK_NOTICES: ReadonlySet<FrameType | undefined> = new Set<FrameType>(['userBlocked', 'userUnblocked']);
const BLOCK_ACK = 'ack of a block';

export class Costs {
  readonly #budgets: Budgets;
  readonly #limits: Limits;

  constructor(budgets: Budgets, limits: Limits) {
    this.#budgets = budgets;
    this.#limits = limits;
  }

  /** Notes what an encoded frame to a member asks of it. */
  noteAsk(userId: UserId, bytes: Uint8Array, now: number): void {
    const type = peekType(bytes);
    if (ANSWERED.has(type)) this.#budgets.asked(userId, `answer ${peekId(bytes)}`, now);
    else if (ACKNOWLEDGED.has(type)) this.#budgets.asked(userId, `ack ${peekId(bytes)}`, now);
    else if (BLOCK_NOTICES.has(type)) this.#budgets.asked(userId, BLOCK_ACK, now);
  }

  /** Charges a member for a frame. @returns 0 if it may be carried out, else after how many ms it might */
  charge(from: From, frame: Frame, now: number): number {
    const { userId } = from;
    switch (frame.type) {
      case 'requestReed':
        return this.#request(from, { subject: frame.body.reedId, requestId: frame.body.requestId, cost: this.#limits.requestCost }, now);
      case 'requestThread':
        return this.#request(from, { subject: frame.body.threadId, requestId: frame.body.requestId, cost: this.#limits.threadCost }, now);
      case 'profilePage':
        return this.#budgets.spend(userId, this.#limits.pageCost, now);
      case 'cancelRequest':
        return this.#unlessAsked(userId, `cancel ${frame.body.requestId}`, now);
      // Leaving the community stream and coming back gains nothing, and is not to be tried all the time.
      case 'subscribeBroadcast':
      // Each is a line of the log, which has no other bound.
      case 'contentRejected':
        return this.#budgets.spend(userId, this.#limits.requestCost, now);
      case 'syncRequest':
        return this.#budgets.sync(userId, this.#limits.syncCost, now);
      case 'relayResponse':
      case 'relayMiss':
      case 'relayError':
        return this.#unlessAsked(userId, `answer ${frame.id}`, now);
      case 'dataAck':
      case 'dataInvalid':
        return this.#unlessAsked(userId, `ack ${frame.id}`, now);
      case 'userBlockedAck':
      case 'userUnblockedAck':
        return this.#budgets.answers(userId, BLOCK_ACK, now) ? 0 : this.#budgets.pass(userId, now);
      default:
        return this.#budgets.pass(userId, now);
    }
  }

  /** Counts a refused frame. @returns whether the member goes on in spite of refusals: close */
  persists(userId: UserId, now: number): boolean {
    return this.#budgets.persists(userId, now);
  }

  /**
   * A request that another connection made already is a client's that was cut off and drives its open requests again: it costs, and is
   * counted by itself, far beyond what a bad network makes of it: whoever came back each time could ask for a reed without an end.
   */
  #request({ userId, connectionId }: From, { subject, requestId, cost }: Request, now: number): number {
    const { idChars } = this.#limits;
    // What is no id is refused later, and not remembered here.
    if (subject.length > idChars || requestId.length > idChars) return this.#budgets.spend(userId, cost, now);
    const [open, here] = [`cancel ${requestId}`, `at ${connectionId} ${requestId}`];
    const isRepeated = this.#budgets.knows(userId, open, now) && !this.#budgets.knows(userId, here, now);
    const wait = this.#budgets.request(userId, { subject, cost, isRepeated }, now);
    if (wait > 0) return wait;
    if (!isRepeated) this.#budgets.asked(userId, open, now);
    this.#budgets.asked(userId, here, now);
    return 0;
  }

  #unlessAsked(userId: UserId, ask: string, now: number): number {
    return this.#budgets.answers(userId, ask, now) ? 0 : this.#budgets.spend(userId, this.#limits.requestCost, now);
  }
}

/** Who sent a frame, and on which of its connections. */
export type From = { readonly userId: UserId; readonly connectionId: string };

type Request = { readonly subject: string; readonly requestId: string; readonly cost: number };
