// What follows from an answer between two servers, row by row.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS as limits } from '../../src/base/limits.ts';
import type { FoldAnswer } from '../../src/federation/fold-ports.ts';
import { afterDelivery, afterRequest, awayMs, isBusy, isFailing, isSettled } from '../../src/federation/fold-rules.ts';
import { isLost } from '../../src/federation/leg-words.ts';
import { decodeFoldRequestAnswer, encodeFoldRequestAnswer } from '../../src/wire/fold.ts';

const answer = (status: number, retryAfterMs?: number): FoldAnswer => ({
  ...{ kind: 'answer', status, body: new Uint8Array(0), epoch: '' },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const LOST: FoldAnswer = { kind: 'transport', reason: 'lost' };

describe('after a request', () => {
  it.each([
    [200, { kind: 'open' }],
    [404, { kind: 'reed', isFound: false }],
    [409, { kind: 'reed', isFound: true }],
    [403, { kind: 'carrier', why: 'blocked' }],
    [400, { kind: 'carrier', why: 'key' }],
    [413, { kind: 'carrier', why: 'size' }],
    [415, { kind: 'carrier', why: 'form' }],
    [422, { kind: 'carrier', why: 'form' }],
    [401, { kind: 'away' }],
    [408, { kind: 'away' }],
    [425, { kind: 'away' }],
    [410, { kind: 'again' }],
    [429, { kind: 'away' }],
    [500, { kind: 'away' }],
    [503, { kind: 'away' }],
    [302, { kind: 'away' }],
  ])('answered %i it is', (status, next) => {
    expect(afterRequest(answer(status), false)).toEqual(next);
  });

  it('without an answer nothing is known', () => {
    expect(afterRequest(LOST, false)).toEqual({ kind: 'away' });
    expect(afterRequest(LOST, true)).toEqual({ kind: 'away' });
  });

  it.each(['closed', 'busy'])('that this side ended (%s) nobody is told anything', (reason) => {
    for (const isFallback of [false, true])
      expect(afterRequest({ kind: 'transport', reason, isOurs: true }, isFallback)).toEqual({ kind: 'unasked' });
  });

  it.each([
    [404, true],
    [409, true],
    [422, false],
    [425, false],
    [413, false],
  ])('of a holder’s server answered %i the next one is asked', (status, isUnheld) => {
    expect(afterRequest(answer(status), true)).toEqual({ kind: 'next', isUnheld });
  });
});

it('only a peer that does not answer, or fails, is lost to its readers', () => {
  const said = (status: number) => ({ kind: 'answer', status, body: new Uint8Array(0) }) as const;
  for (const called of [{ kind: 'transport', reason: 'unreachable' }, { kind: 'transport' }, { kind: 'held' }, said(503)] as const)
    expect(isLost(called)).toBe(true);
  for (const called of [{ kind: 'transport', reason: 'closed' }, { kind: 'transport', reason: 'busy' }, said(429)] as const)
    expect(isLost(called)).toBe(false);
  expect(isLost({ kind: 'held', isSated: true })).toBe(false);
});

it('an answer with a certificate longer than any is none', () => {
  const explained = (chars: number) => decodeFoldRequestAnswer(encodeFoldRequestAnswer(0, { statement: 'x'.repeat(chars) }));
  expect(explained(2 * limits.statementBytes - 20)?.certificate).toHaveLength(2 * limits.statementBytes - 4);
  expect(explained(2 * limits.statementBytes)).toBeNull();
});

describe('after a delivery', () => {
  const time = { leftMs: limits.forwardAgainMs, tries: 1 };
  it.each([
    [answer(204), 'relayed'],
    [answer(404), 'gone'],
    [answer(503), 'again'],
    [answer(500), 'again'],
    [LOST, 'again'],
  ] as const)('of %o', (given, next) => {
    expect(afterDelivery(given, time, limits)).toBe(next);
  });

  it('it is tried once more only, and only with time left', () => {
    expect(afterDelivery(LOST, { ...time, tries: 2 }, limits)).toBe('failed');
    expect(afterDelivery(LOST, { ...time, leftMs: limits.forwardAgainMs - 1 }, limits)).toBe('failed');
  });
});

describe('a peer', () => {
  it('has taken a word if it says so, or has nothing that it is about', () => {
    expect([204, 200, 404].map((status) => isSettled(answer(status)))).toEqual([true, true, true]);
    expect([400, 403, 429, 500, 503].map((status) => isSettled(answer(status)))).toEqual([false, false, false, false, false]);
    expect(isSettled(LOST)).toBe(false);
  });

  it('fails without an answer, where it takes nothing of ours, and at 5xx', () => {
    const closed: FoldAnswer = { ...(answer(403) as Extract<FoldAnswer, { kind: 'answer' }>), code: 'FORBIDDEN' };
    expect([LOST, closed, answer(401), answer(500), answer(501), answer(503)].every(isFailing)).toBe(true);
    expect([answer(200), answer(403), answer(404), answer(410), answer(429)].some(isFailing)).toBe(false);
    expect(afterRequest(closed, false)).toEqual({ kind: 'away' });
    expect(afterRequest(closed, true)).toEqual({ kind: 'away' });
  });

  it('does not fail by what this side ended', () => {
    expect(isFailing({ kind: 'transport', reason: 'closed', isOurs: true })).toBe(false);
  });

  it('that has enough for now is there', () => {
    expect([answer(429), answer(503), LOST].map(isBusy)).toEqual([true, false, false]);
  });

  it('is left alone for a moment, for as long as the breaker or it says, and not for ever', () => {
    expect([LOST, answer(500), { ...LOST, retryAfterMs: 0 }].map((each) => awayMs(each, limits))).toEqual([1_000, 1_000, 1_000]);
    expect(awayMs({ ...LOST, retryAfterMs: 8_000 }, limits)).toBe(8_000);
    expect(awayMs(answer(429, 30_000), limits)).toBe(30_000);
    expect(awayMs(answer(429, 2 ** 32 - 1), limits)).toBe(limits.peerAwayMaxMs);
  });
});
