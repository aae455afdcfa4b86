// What a person wants to publish, judged before anything is written: a reed or a thread, what it answers, what its text claims.
// Tags and mentions are those of the text and of nothing else, so that no reader finds a claim that the text does not bear out.
import { AppError } from '../base/errors.ts';
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import { type Body, checkBody } from '../wire/body.ts';
import { mentionsOf, tagsOf } from '../wire/claims.ts';
import { withMend } from './mends.ts';
import type { ReedRelations, Store } from './store.ts';

export type Draft = ReedRelations & { readonly text: string; readonly broadcast?: boolean };
/** 2 to 30 texts in their order. What it answers, its head answers. */
export type ThreadDraft = ReedRelations & { readonly texts: readonly string[]; readonly broadcast?: boolean };

export type TextFacts = {
  readonly tags: readonly string[];
  readonly mentions: readonly UserId[];
  readonly codePoints: number;
  readonly bytes: number;
  readonly fits: boolean;
};

/** What a text would say as a reed, for whoever is writing it. */
export function textFacts(text: string): TextFacts {
  const normal = text.normalize('NFC');
  const codePoints = [...normal].length;
  const bytes = new TextEncoder().encode(normal).length;
  return {
    tags: tagsOf(normal),
    mentions: mentionsOf(normal),
    codePoints,
    bytes,
    fits: codePoints <= LIMITS.reedCodePoints && bytes <= LIMITS.reedTextBytes,
  };
}

/** @throws AppError TOO_LARGE or INVALID, naming the part and the mend */
export function requireBody(body: Body, part: string): void {
  const checked = checkBody(body);
  if (checked.ok) return;
  const { codePoints, bytes, fits } = textFacts(body.text);
  if (!fits) {
    const most = `at most ${LIMITS.reedCodePoints} characters and ${LIMITS.reedTextBytes} bytes`;
    throw new AppError('TOO_LARGE', `${part}: ${codePoints} characters, ${bytes} bytes; make it ${most}, or publish it as a thread`);
  }
  throw new AppError('INVALID', `${part}: has characters that a reed may not have; take control characters out`);
}

/** @throws AppError INVALID naming the mend */
export function requireThreadSize(texts: readonly string[]): void {
  if (texts.length >= 2 && texts.length <= LIMITS.threadParts) return;
  const mend = texts.length < 2 ? 'publish a single text as a reed' : 'publish the rest as another thread';
  throw new AppError('INVALID', `texts: ${texts.length}, where a thread has 2 to ${LIMITS.threadParts}; ${mend}`);
}

/** @throws AppError REMOVED or BLOCKED, if this device knows that the server would refuse an answer to the reed */
export async function requireAnswerable(store: Store, reed: ReedId): Promise<void> {
  const stone = (await store.get('tombstones', reed)) ?? (await store.get('tombstones', userOf(reed)));
  if (stone) throw withMend(new AppError('REMOVED', 'it was taken back', { certificate: stone.certificate }));
  const blocker = await store.get('blockers', userOf(reed));
  if (blocker?.active) throw withMend(new AppError('BLOCKED', 'its author blocks you', { certificate: blocker.certificate }));
}
