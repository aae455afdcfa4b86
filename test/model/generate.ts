// What is generated: moves as a kind and a few numbers, which choose among what is there when the move's turn comes.
import fc from 'fast-check';
import type { InvalidReason } from '../../src/wire/frames.ts';
import { ACCUSING } from './facts.ts';

const KINDS = {
  request: 14,
  burst: 6,
  cancel: 4,
  answer: 22,
  ack: 12,
  invalid: 4,
  forged: 2,
  time: 12,
  arrive: 6,
  leave: 3,
  vanish: 2,
  sync: 1,
  evict: 3,
  fill: 2,
  drain: 3,
  arriving: 1,
  buffered: 1,
  owe: 3,
  remove: 1,
  block: 1,
  fault: 1,
} as const;
type Kind = keyof typeof KINDS;
export type Move = { readonly kind: Kind; readonly a: number; readonly b: number; readonly c: number; readonly turns: number };

const number = fc.nat(29);
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(...Object.entries(KINDS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))),
  a: number,
  b: number,
  c: number,
  turns: fc.nat(3),
});
/** A few moves at once, half of the times one alone. */
export const moves = fc.oneof(fc.array(move, { minLength: 1, maxLength: 1 }), fc.array(move, { minLength: 2, maxLength: 4 }));

export const SECOND_MS = 1_000;
export const FRAME_BYTES = 64;
/** More orders than those of so many are too many to try. */
export const AT_ONCE = 5;
export const TIMES = [1, 1, 2, 2, 3, 5, 5, 6, 10, 30, 31, 60, 300, 600, 86_400].map((seconds) => seconds * SECOND_MS);
export const REASONS: readonly InvalidReason[] = [...(ACCUSING as InvalidReason[]), 'CLAIM_MISMATCH', 'UNSOLICITED', 'CANNOT_STORE'];

export const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % list.length];
/** The newest are chosen most often. */
export const recent = <T>(list: readonly T[], at: number): T | undefined =>
  list[list.length - 1 - (at % Math.max(1, Math.min(list.length, 1 + (at >> 1))))];
