// A place in a stream under any answer: a home and a peer that both may come back from a backup, over a wire that loses, repeats and delays. In the
// end the peer has every fact once, in order.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { type CursorState, type Reply, type Settlement, settle } from '../../src/federation/stream-cursor.ts';
import type { StreamAnswer } from '../../src/wire/streams.ts';

const limits = { ...DEFAULT_LIMITS, streamItems: 4 };
const NEW: CursorState = { start: 0, cursor: 0, acked: 0, sent: 0, items: 4, failures: 0, laterSinceMs: null };

const taking = (state: Partial<CursorState>, numbers: readonly number[], reply: Reply, now = 0): Settlement =>
  settle({ state: { ...NEW, ...state }, numbers, reply, now, limits, random: () => 0.5 });
const answer = (have: number, ...outcomes: StreamAnswer['outcomes']): Reply => ({ kind: 'answer', answer: { have, outcomes } });
const status = (code: number, retryAfterMs = 0): Reply => ({ kind: 'status', status: code, retryAfterMs });
const later = (number: number) => ({ number, verdict: 'later', reason: 'clock' }) as const;
const refused = (number: number) => ({ number, verdict: 'refused', reason: 'bad-signature' }) as const;
const accepted = (number: number) => ({ number, verdict: 'accepted', reason: '' }) as const;

describe('a place in a stream', () => {
  test('moves to what the peer has, and at once on', () => {
    expect(taking({}, [1, 2, 3], answer(3, accepted(1), accepted(2), accepted(3)))).toMatchObject({
      state: { cursor: 3, acked: 3, sent: 3, failures: 0 },
      retryAtMs: null,
      parked: [],
    });
  });

  test('goes back to a peer that has less, though not faster than a second', () => {
    const settled = taking({ cursor: 5, acked: 5, sent: 5 }, [6], answer(2), 1_000);
    expect(settled.state.cursor).toBe(2);
    expect(settled.retryAtMs).toBeGreaterThan(1_000);
  });

  test('never goes back before its start', () => {
    expect(taking({ start: 4, cursor: 5, acked: 5, sent: 5 }, [6], answer(0)).state.cursor).toBe(4);
  });

  test('parks what is refused, without passing over what comes after it', () => {
    const settled = taking({}, [1, 2, 3], answer(1, accepted(1), refused(2)));
    expect(settled).toMatchObject({ parked: [{ number: 2, reason: 'bad-signature' }], state: { cursor: 1 }, retryAtMs: null });
  });

  test('tries again what the peer puts off, and parks it after a day of that', () => {
    const first = taking({}, [1], answer(0, later(1)), 1_000);
    expect(first).toMatchObject({ parked: [], state: { cursor: 0, laterSinceMs: 1_000 } });
    expect(first.retryAtMs).toBeGreaterThan(1_000);
    expect(taking(first.state, [1], answer(0, later(1)), 1_000 + limits.streamLaterMs)).toMatchObject({
      parked: [{ number: 1, reason: 'later: clock' }],
    });
  });

  test('halves its requests after faults of the leg, and parks an item that fails five times alone', () => {
    let settled = taking({}, [1, 2, 3, 4], status(500));
    expect(settled.state.items).toBe(2);
    settled = taking(settled.state, [1, 2], status(500));
    expect(settled.state.items).toBe(1);
    for (let times = 1; times < limits.streamFaults; times++) {
      settled = taking(settled.state, [1], status(500));
      expect(settled.parked).toEqual([]);
    }
    expect(taking(settled.state, [1], status(500)).parked).toEqual([{ number: 1, reason: 'status 500' }]);
  });

  test('waits a quarter of an hour at most, whatever it is told', () => {
    expect(taking({}, [1], status(429, 2 ** 32 - 1), 1_000).retryAtMs).toBe(1_000 + limits.peerPauseMaxMs);
  });

  test.each([429, 503])('waits as long as it is told after %s, and parks nothing however often', (code) => {
    let state = NEW;
    for (let times = 0; times < 20; times++) {
      const settled = taking(state, [1], status(code, 90_000), 1_000);
      expect(settled.parked).toEqual([]);
      expect(settled.retryAtMs).toBeGreaterThanOrEqual(91_000);
      state = settled.state;
    }
  });

  test.each([401, 403, 404])('of a peer that answers %s stays where it is', (code) => {
    expect(taking({}, [1], status(code))).toMatchObject({ parked: [], stopsPeer: true, state: { cursor: 0, failures: 0 } });
  });

  test('stays where it is after a fault of transport', () => {
    expect(taking({}, [1, 2], { kind: 'transport' })).toMatchObject({
      stopsPeer: true,
      parked: [],
      state: { cursor: 0, failures: 0, sent: 2 },
    });
  });

  test('does not believe a peer that has numbers beyond all measure', () => {
    const settled = taking({}, [1], answer(Number.MAX_SAFE_INTEGER));
    expect(settled.liftAbove).toBeNull();
    expect(settled.state.cursor).toBe(0);
  });

  test('shows an operator nothing of a reason but plain words', () => {
    const [parked] = taking({}, [1], answer(0, { number: 1, verdict: 'refused', reason: `\u001b[2J${'x'.repeat(1_000)}` })).parked;
    expect(parked?.reason).toMatch(/^\?\[2Jx{1,200}$/);
    expect(parked?.reason.length).toBeLessThanOrEqual(200);
  });
});

type Fact = { readonly id: number; number: number };

/** A home with one author, and what a backup of it keeps. */
type Home = { facts: Fact[]; head: number; state: CursorState };
/** A peer: what it took, in order, by id; and its number. */
type Peer = { taken: number[]; have: number; token: number };
type Request = {
  readonly cursor: number;
  readonly sent: number;
  readonly start: number;
  readonly token: number;
  readonly items: readonly Fact[];
};

const copy = <T>(value: T): T => structuredClone(value);

function receive(peer: Peer, request: Request): StreamAnswer {
  const outcomes: { number: number; verdict: 'accepted' | 'known'; reason: string }[] = [];
  const have = Math.max(peer.have, request.start);
  if (request.cursor > have) return { have, outcomes };
  if (have > Math.max(request.sent, request.start) && peer.token !== request.token) return { have, outcomes };
  for (const { id, number } of request.items) {
    const isKnown = number <= request.start || peer.taken.includes(id);
    if (!isKnown) peer.taken.push(id);
    if (number > peer.have) [peer.have, peer.token] = [number, request.token];
    outcomes.push({ number, verdict: isKnown ? 'known' : 'accepted', reason: '' });
  }
  return { have: Math.max(peer.have, request.start), outcomes };
}

let tokens = 0;

const requestOf = ({ facts, head, state }: Home): Request => {
  const items = facts.filter(({ number }) => number > state.cursor).slice(0, state.items);
  // Numbers without facts are told of by the last.
  const told = items.length > 0 ? items : head > state.cursor ? [{ id: -1, number: head }] : [];
  return { cursor: state.cursor, sent: state.sent, start: state.start, token: ++tokens, items: copy(told) };
};

function take(home: Home, request: Request, reply: Reply): void {
  const numbers = request.items.map(({ number }) => number);
  const { acked } = home.state;
  const settled = settle({ state: home.state, numbers, reply, now: 0, limits, random: () => 0 });
  home.state = settled.state;
  if (settled.liftAbove === null) return;
  const base = Math.max(home.head, settled.liftAbove);
  const newer = home.facts.filter(({ number }) => number > acked);
  for (const [at, fact] of newer.entries()) fact.number = base + at + 1;
  home.head = base + newer.length;
}

type Move =
  | 'publish'
  | 'send'
  | 'repeat'
  | 'lose-request'
  | 'lose-answer'
  | 'repeat-late'
  | 'backup-home'
  | 'restore-home'
  | 'backup-peer'
  | 'restore-peer'
  | 'crash';
const MOVES: readonly Move[] = [
  'repeat',
  'publish',
  'send',
  'lose-request',
  'lose-answer',
  'repeat-late',
  'backup-home',
  'restore-home',
  'backup-peer',
  'restore-peer',
  'crash',
];

function play(moves: readonly Move[]): { home: Home; peer: Peer } {
  let home: Home = { facts: [], head: 0, state: NEW };
  let peer: Peer = { taken: [], have: 0, token: 0 };
  let [homeBackup, peerBackup] = [copy(home), copy(peer)];
  const old: Request[] = [];
  let id = 0;
  const send = (fate: 'deliver' | 'repeat' | 'lose-request' | 'lose-answer' | 'crash'): void => {
    const request = requestOf(home);
    if (request.items.length === 0) return;
    old.push(copy(request));
    if (fate === 'repeat') receive(peer, request);
    const answered = fate === 'lose-request' ? null : receive(peer, request);
    // A process that dies before it took the answer remembers nothing of the request.
    if (fate !== 'crash')
      take(
        home,
        request,
        (fate === 'deliver' || fate === 'repeat') && answered ? { kind: 'answer', answer: answered } : { kind: 'transport' },
      );
  };
  for (const move of moves) {
    if (move === 'publish') home.facts.push({ id: id++, number: ++home.head });
    if (move === 'send') send('deliver');
    if (move === 'repeat' || move === 'lose-request' || move === 'lose-answer' || move === 'crash') send(move);
    if (move === 'repeat-late' && old.length > 0) receive(peer, old[(id * 7) % old.length] as Request);
    if (move === 'backup-home') homeBackup = copy(home);
    if (move === 'restore-home') home = copy(homeBackup);
    if (move === 'backup-peer') peerBackup = copy(peer);
    if (move === 'restore-peer') peer = copy(peerBackup);
  }
  for (let rounds = 0; rounds < 200 && home.head > home.state.cursor; rounds++) send('deliver');
  // An answer to nothing new shows a peer that has less or more.
  home.facts.push({ id: id++, number: ++home.head });
  for (let rounds = 0; rounds < 400 && home.head > home.state.cursor; rounds++) send('deliver');
  return { home, peer };
}

describe('over any wire', () => {
  const moves = (of: readonly Move[]) => fc.array(fc.constantFrom(...of), { maxLength: 60 });
  const simple = MOVES.filter((move) => !move.startsWith('restore') && move !== 'crash');

  test('a peer has every fact once and in order, whatever is lost, repeated or late', () => {
    fc.assert(
      fc.property(moves(simple), (played) => {
        const { home, peer } = play(played);
        expect(peer.taken).toEqual(home.facts.map(({ id }) => id));
        expect(peer.have).toBe(home.head);
      }),
      { numRuns: 500 },
    );
  });

  test('and whoever comes back from a backup, every fact that its home still has, each once', () => {
    fc.assert(
      fc.property(moves(MOVES), (played) => {
        const { home, peer } = play(played);
        const ids = home.facts.map(({ id }) => id);
        expect(new Set(peer.taken).size).toBe(peer.taken.length);
        expect(peer.taken.filter((id) => ids.includes(id)).sort((x, y) => x - y)).toEqual(ids);
        expect(peer.have).toBe(home.head);
      }),
      { numRuns: 1_000 },
    );
  });
});
