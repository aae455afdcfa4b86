// What happens in a run of the fold's model: a start that is known to be hard, then generated moves, and for each leg what becomes of its calls.
import fc from 'fast-check';
import type { FoldLeg } from '../../src/federation/fold-ports.ts';
import type { Fate } from '../support/fold-wire.ts';

export const READERS = 6;
export const HOME_READERS = 2;

export type FoldMove =
  | { readonly kind: 'request' | 'cancel' | 'vanish' | 'return' | 'ack' | 'invalid' | 'silent' | 'copies-fail'; readonly reader: number }
  /** The one whose copy left first, or second …, among those on the wire. */
  | { readonly kind: 'carrier-cancels' | 'carrier-vanishes'; readonly nth: number }
  | { readonly kind: 'home-request'; readonly reader: number }
  | { readonly kind: 'author-off' | 'author-on' | 'author-misbehaves' | 'author-behaves' }
  | { readonly kind: 'release' | 'release-first' | 'release-last' }
  | { readonly kind: 'asking-forgets' | 'home-forgets' }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Comes to rest as far as what is held lets it. */
  | { readonly kind: 'calm' };

export type Weather = Readonly<Record<FoldLeg, readonly Fate[]>>;
export type Start = { readonly name: string; readonly weather: Partial<Weather>; readonly moves: readonly FoldMove[] };
export type Run = { readonly start: Start; readonly moves: readonly FoldMove[]; readonly weather: Weather };

const ALL = Array.from({ length: READERS }, (_, reader) => reader);
const each = (kind: 'request' | 'silent' | 'invalid', of: readonly number[] = ALL): FoldMove[] => of.map((reader) => ({ kind, reader }));
const CALM: FoldMove = { kind: 'calm' };
const pass = (ms: number): FoldMove => ({ kind: 'pass', ms });

/** Each begins on a good wire but for what it says, with everybody online. */
const STARTS: readonly Start[] = [
  {
    // Whoever takes a slot before its copy is off the wire makes a fourth.
    name: 'three copies held, a carrier leaves',
    weather: { deliver: ['hold'] },
    moves: [...each('request'), CALM, { kind: 'carrier-cancels', nth: 0 }, CALM, { kind: 'carrier-vanishes', nth: 1 }, CALM],
  },
  {
    name: 'three copies held, and the word that ends one',
    weather: { deliver: ['hold'], cancel: ['hold'] },
    moves: [...each('request'), CALM, { kind: 'carrier-vanishes', nth: 1 }, CALM, pass(3_000), { kind: 'release-last' }, CALM],
  },
  {
    name: 'a carrier whose cancel is lost, and those behind it',
    weather: { deliver: ['hold'], cancel: ['lose-answer', 'lose-request', 'repeat', 'repeat-late'] },
    moves: [...each('request'), CALM, { kind: 'carrier-cancels', nth: 2 }, CALM, pass(3_000), { kind: 'release-first' }, CALM, pass(3_000)],
  },
  {
    name: 'two for the last slot',
    weather: { deliver: ['hold'] },
    moves: [
      ...each('request', [0, 1]),
      CALM,
      ...each('request', [2, 3]),
      CALM,
      { kind: 'release-first' },
      ...each('request', [4, 5]),
      CALM,
    ],
  },
  {
    name: 'asked for with nobody there, and forgotten by who asked',
    weather: {},
    moves: [{ kind: 'author-off' }, ...each('request'), CALM, { kind: 'asking-forgets' }, CALM],
  },
  {
    name: 'copies come, nobody says a word, and all is forgotten',
    weather: {},
    moves: [...each('silent'), ...each('request'), CALM, { kind: 'asking-forgets' }, CALM],
  },
  {
    // Its home still sends what it does not know of any more.
    name: 'copies held, all is forgotten, and asked for anew',
    weather: { deliver: ['hold'] },
    moves: [...each('request'), CALM, { kind: 'asking-forgets' }, ...each('request'), CALM, { kind: 'release-first' }, CALM],
  },
  {
    name: 'copies that never end',
    weather: { deliver: ['hold-answer', 'lose-answer'], ack: ['lose-answer', 'repeat-late'] },
    moves: [...each('invalid', [0, 1]), ...each('silent', [2]), ...each('request'), CALM, pass(16_000), pass(31_000)],
  },
  {
    name: 'the home forgets what crosses',
    weather: { deliver: ['hold'] },
    moves: [...each('request'), CALM, { kind: 'home-forgets' }, CALM, pass(3_000)],
  },
  {
    name: 'somebody at home asks while only the peer has it',
    weather: {},
    moves: [...each('request', [0]), CALM, { kind: 'author-off' }, { kind: 'home-request', reader: 0 }, CALM, pass(3_000)],
  },
  {
    name: 'the copies here fail, and more cross',
    weather: {},
    moves: [...each('request', [0]), CALM, { kind: 'copies-fail', reader: 0 }, ...each('request', [1, 2, 3, 4, 5]), CALM, pass(16_000)],
  },
];

const reader = fc.nat(READERS - 1);
const move: fc.Arbitrary<FoldMove> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('request' as const), reader }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'vanish' as const, 'return' as const, 'ack' as const, 'invalid' as const, 'silent' as const),
      reader,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('copies-fail' as const), reader }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('carrier-cancels' as const, 'carrier-vanishes' as const), nth: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.constant<FoldMove>({ kind: 'home-request', reader: 0 }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['author-off', 'author-on', 'author-misbehaves', 'author-behaves'] as const),
        ...(['release', 'release-first', 'release-last'] as const),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('asking-forgets' as const, 'asking-forgets' as const, 'home-forgets' as const) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(100, 3_000, 16_000, 31_000, 61_000) }) },
);

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('pass' as const) },
  { weight: 5, arbitrary: fc.constantFrom<Fate>('lose-request', 'lose-answer', 'repeat', 'repeat-late', 'hold', 'hold-answer') },
);
/** Of each leg by itself, in turn: a leg may go wrong in the same way all the time. */
const fates = fc.array(fate, { minLength: 1, maxLength: 6 });
/** As long as nobody lets them go, copies and the words that end them are on the wire. */
const stuck = fc.array(fc.constantFrom<Fate>('hold', 'hold', 'hold-answer', 'lose-request'), { minLength: 1, maxLength: 4 });

const weather: fc.Arbitrary<Weather> = fc.record({
  request: fates,
  deliver: fc.oneof(fates, stuck),
  cancel: fc.oneof(fates, stuck),
  ack: fates,
  crossings: fates,
  'not-held': fates,
  fallback: fates,
  'holder-notify': fates,
});

export const runs: fc.Arbitrary<Run> = fc.record({
  start: fc.constantFrom(...STARTS),
  moves: fc.array(move, { minLength: 4, maxLength: 24 }),
  weather,
});
