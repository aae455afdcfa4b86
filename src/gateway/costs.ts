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

/** Notes what an encoded frame to a member asks of it. */
export function noteAsk(budgets: Budgets, userId: UserId, bytes: Uint8Array, now: number): void {
  const type = peekType(bytes);
  if (ANSWERED.has(type)) budgets.asked(userId, `answer ${peekId(bytes)}`, now);
  else if (ACKNOWLEDGED.has(type)) budgets.asked(userId, `ack ${peekId(bytes)}`, now);
}

/** Charges a member for a frame. @returns 0 if it may be carried out, else after how many ms it might */
export function charge(budgets: Budgets, limits: Limits, userId: UserId, frame: Frame, now: number): number {
  switch (frame.type) {
    case 'requestReed':
      return chargeRequest(budgets, limits, userId, frame.body, now);
    case 'cancelRequest':
      return unlessAsked(budgets, limits, userId, `cancel ${frame.body.requestId}`, now);
    case 'syncRequest':
      return budgets.sync(userId, limits.syncCost, now);
    case 'relayResponse':
    case 'relayMiss':
    case 'relayError':
      return unlessAsked(budgets, limits, userId, `answer ${frame.id}`, now);
    case 'dataAck':
    case 'dataInvalid':
      return unlessAsked(budgets, limits, userId, `ack ${frame.id}`, now);
    default:
      return budgets.pass(userId, now);
  }
}

type Request = { readonly requestId: string; readonly reedId: string };

function chargeRequest(budgets: Budgets, limits: Limits, userId: UserId, body: Request, now: number): number {
  // What is no id is refused later, and not remembered here.
  if (body.reedId.length > limits.idChars || body.requestId.length > limits.idChars) return budgets.spend(userId, limits.requestCost, now);
  const wait = budgets.request(userId, body.reedId, limits.requestCost, now);
  if (wait === 0) budgets.asked(userId, `cancel ${body.requestId}`, now);
  return wait;
}

const unlessAsked = (budgets: Budgets, limits: Limits, userId: UserId, ask: string, now: number): number =>
  budgets.answers(userId, ask, now) ? 0 : budgets.spend(userId, limits.requestCost, now);
