// The fold against what it promises, under generated moves and a generated wire: requests and answers are lost, repeated, delayed and come in another
// order while readers ask, cancel, vanish, lie and come back. Never more than three copies of a reed are on the wire; once the wire is good again
// everybody who asks gets the reed; nothing is left on either side.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { FoldLeg } from '../../src/federation/fold-ports.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { FoldPair } from '../support/fold-pair.ts';
import type { Fate } from '../support/fold-wire.ts';
import type { LightAccount, LightBehaviour, LightMember } from '../support/light-member.ts';

const RUNS = Number(process.env['FOLD_RUNS'] ?? 4);
const READERS = 8;
const REEDS = 1;

/** What may come of a request that was never acknowledged, or whose holders failed. */
const ENDS: ReadonlySet<string> = new Set(['error', 'reedNotFound', 'reedNotHeld']);

type Move =
  | {
      readonly kind: 'request' | 'cancel' | 'vanish' | 'return' | 'ack' | 'invalid' | 'silent';
      readonly reader: number;
      readonly reed: number;
    }
  | { readonly kind: 'author-off' | 'author-on' | 'author-misbehaves' | 'author-behaves' | 'release' }
  | { readonly kind: 'pass'; readonly ms: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('request' as const), reader: fc.nat(READERS - 1), reed: fc.nat(REEDS - 1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'vanish' as const, 'return' as const, 'ack' as const, 'invalid' as const, 'silent' as const),
      reader: fc.nat(READERS - 1),
      reed: fc.nat(REEDS - 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'author-off' as const,
        'author-on' as const,
        'author-misbehaves' as const,
        'author-behaves' as const,
        'release' as const,
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(100, 3_000, 16_000, 31_000, 61_000) }) },
);

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('pass' as const) },
  { weight: 5, arbitrary: fc.constantFrom<Fate>('lose-request', 'lose-answer', 'repeat', 'repeat-late', 'hold', 'hold-answer') },
);
/** Of each leg by itself, in turn: a leg may go wrong in the same way all the time. */
const fates = fc.array(fate, { minLength: 1, maxLength: 6 });
/** As long as nobody lets them go, copies and the words that end them are on the wire. */
const stuck = fc.array(fc.constantFrom<Fate>('hold', 'hold', 'hold-answer', 'lose-request'), { minLength: 1, maxLength: 4 });
const weather = fc.record({
  request: fates,
  deliver: fc.oneof(fates, stuck),
  cancel: fc.oneof(fates, stuck),
  ack: fates,
  crossings: fates,
  'not-held': fates,
  fallback: fates,
  'holder-notify': fates,
});

const pair = new FoldPair();
afterAll(() => pair.close());

class Play {
  readonly #accounts: readonly LightAccount[];
  readonly #author: LightAccount;
  readonly #reeds: readonly ReedId[];
  readonly #readers: (LightMember | null)[];
  readonly #behaviours: Partial<LightBehaviour>[];
  readonly #ends = new Map<LightMember, number>();
  #holder: LightMember | null = null;
  #holderDoes: Partial<LightBehaviour> = {};

  private constructor(author: LightAccount, reeds: readonly ReedId[], accounts: readonly LightAccount[]) {
    this.#author = author;
    this.#reeds = reeds;
    this.#accounts = accounts;
    this.#readers = accounts.map(() => null);
    this.#behaviours = accounts.map(() => ({}));
  }

  static async begin(): Promise<Play> {
    const [author] = await pair.accounts(pair.home, 1);
    if (author === undefined) throw new Error('no author');
    const play = new Play(author, await pair.home.community.reeds(author.userId, REEDS), await pair.accounts(pair.asking, READERS));
    await play.#authorOn();
    for (let reader = 0; reader < READERS; reader++) await play.#return(reader);
    return play;
  }

  async move(step: Move): Promise<void> {
    switch (step.kind) {
      case 'request':
        this.#readers[step.reader]?.request(this.#reedAt(step.reed));
        break;
      case 'cancel': {
        const reader = this.#readers[step.reader];
        const last = reader?.requests.at(-1);
        if (last !== undefined) reader?.cancel(last);
        break;
      }
      case 'vanish':
        await this.#readers[step.reader]?.vanish();
        this.#readers[step.reader] = null;
        break;
      case 'return':
        await this.#return(step.reader);
        break;
      case 'ack':
      case 'invalid':
      case 'silent':
        this.#behave(step.reader, step.kind);
        break;
      case 'author-off':
        await this.#holder?.vanish();
        this.#holder = null;
        break;
      case 'author-on':
        await this.#authorOn();
        break;
      case 'author-misbehaves':
      case 'author-behaves':
        this.#holderDoes = { answer: step.kind === 'author-behaves' ? 'bytes' : 'error' };
        if (this.#holder) Object.assign(this.#holder.behaviour, this.#holderDoes);
        break;
      case 'release':
        pair.wire.release();
        break;
      case 'pass':
        pair.clock.move(step.ms);
        await this.rest();
    }
    await Promise.all([...this.#readers, this.#holder].map((member) => member && Promise.race([member.ping(), member.closed])));
  }

  /** Comes to rest, nothing held any more. */
  async rest(): Promise<void> {
    let isResting = true;
    const resting = pair.settle().finally(() => {
      isResting = false;
    });
    while (isResting) {
      pair.wire.release();
      await new Promise((turn) => setImmediate(turn));
    }
    await resting;
  }

  /** Everybody is there and behaves, and asks for everything. */
  async finale(): Promise<void> {
    pair.wire.fate = () => 'pass';
    await this.rest();
    await this.#holder?.vanish();
    this.#holder = null;
    this.#holderDoes = {};
    await this.#authorOn();
    for (let reader = 0; reader < READERS; reader++) {
      this.#behave(reader, 'ack');
      await this.#return(reader);
    }
    this.#askAll();
    await pair.passUntil(61_000, async () => {
      const held = await Promise.all(this.#reeds.map((reed) => pair.holders(pair.asking, reed)));
      if (held.every((holders) => holders.length === READERS)) return true;
      this.#askAll();
      return false;
    });
  }

  /** Whoever has not asked yet, or was told since that nothing came of it, asks. */
  #askAll(): void {
    for (const reader of this.#readers) {
      const ends = reader?.frames.filter(({ type }) => ENDS.has(type)).length ?? 0;
      if (!reader || this.#ends.get(reader) === ends) continue;
      this.#ends.set(reader, ends);
      for (const reed of this.#reeds) reader.request(reed);
    }
  }

  #behave(reader: number, how: 'ack' | 'invalid' | 'silent'): void {
    const behaviour: Partial<LightBehaviour> = { acknowledge: how === 'silent' ? 'nothing' : how };
    this.#behaviours[reader] = behaviour;
    const member = this.#readers[reader];
    if (member) Object.assign(member.behaviour, behaviour);
  }

  async #return(reader: number): Promise<void> {
    const account = this.#accounts[reader];
    if (this.#readers[reader]?.isOpen || account === undefined) return;
    this.#readers[reader] = await pair.join(pair.asking, account, this.#behaviours[reader]);
  }

  async #authorOn(): Promise<void> {
    this.#holder ??= await pair.join(pair.home, this.#author, this.#holderDoes);
  }

  #reedAt(index: number): ReedId {
    return this.#reeds[index] ?? (this.#reeds[0] as ReedId);
  }
}

/** Decides for each leg in turn. */
const fateBy = (legs: Readonly<Record<FoldLeg, readonly Fate[]>>): ((call: { readonly leg: FoldLeg }) => Fate) => {
  const turns = new Map<FoldLeg, number>();
  return ({ leg }) => {
    const turn = turns.get(leg) ?? 0;
    turns.set(leg, turn + 1);
    return legs[leg][turn % legs[leg].length] ?? 'pass';
  };
};

describe('the fold', () => {
  it(
    'never has more than three copies of a reed on the wire, always converges and leaves nothing behind',
    async () => {
      const property = fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), weather, async (moves, legs) => {
        await pair.start({ openRequests: 1_000, costBurst: 100_000 });
        const play = await Play.begin();
        pair.wire.fate = fateBy(legs);
        // A line from the first: what becomes free is taken at once.
        for (let reader = 0; reader < READERS; reader++) await play.move({ kind: 'request', reader, reed: 0 });
        for (const step of moves) await play.move(step);
        await play.finale();
        expect(pair.wire.mostCopies).toBeLessThanOrEqual(3);
        await pair.end();
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    },
    60_000 + RUNS * 60_000,
  );
});
