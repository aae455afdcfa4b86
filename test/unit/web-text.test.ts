// What the web app says while a reed is on its way and when it can't come, and the links that it reads.
import { expect, test } from 'vitest';
import { cryptoRandom } from '../../src/base/ids.ts';
import type { RequestOutcome, RequestProgress } from '../../src/client/types.ts';
import { sizeText } from '../../web/src/text/dates.ts';
import { failureText } from '../../web/src/text/failures.ts';
import { isOfThisComputer, readInvite, reedPath } from '../../web/src/text/links.ts';
import { canUseAgain, stopText } from '../../web/src/text/stops.ts';
import { canAskAgain, endText, waitText } from '../../web/src/text/waiting.ts';
import { wordsProblem } from '../../web/src/worker/opening.ts';
import { pickPlace } from '../../web/src/worker/pick.ts';

const STATES: Record<RequestProgress['state'], true> = {
  sending: true,
  asking: true,
  'in-turn': true,
  'nobody-online': true,
  'holders-failing': true,
  'peer-away': true,
  checking: true,
  'asking-again': true,
  'held-back': true,
};

const OUTCOMES: Record<Exclude<RequestOutcome, 'refused'>, { again: boolean }> = {
  'not-found': { again: false },
  'not-held': { again: true },
  removed: { again: false },
  blocked: { again: false },
  expired: { again: true },
  'not-acknowledged': { again: true },
  invalid: { again: true },
  'cannot-check': { again: true },
  'cannot-store': { again: true },
  cancelled: { again: true },
  'rate-limited': { again: true },
  'too-many-open': { again: true },
};

test('every state of waiting has words of its own', () => {
  const states = Object.keys(STATES) as RequestProgress['state'][];
  const titles = states.map((state) => waitText({ state, onlineHolders: 1, brokenCopies: 0 }, 'online').title);
  expect(new Set(titles).size).toBe(states.length);
});

test('the number of people is told as far as it is known', () => {
  const asking = (onlineHolders: number) => waitText({ state: 'asking', onlineHolders, brokenCopies: 0 }, 'online').title;
  expect(asking(1)).toBe('One person has it and is online, asking them');
  expect(asking(2)).toBe('Two people have it and are online, asking one');
  expect(asking(3)).toBe('Three or more people have it and are online, asking one');
  expect(asking(0)).not.toContain('people');
});

test('a broken copy that came is told beside the state', () => {
  const nobody = (brokenCopies: number) => waitText({ state: 'nobody-online', onlineHolders: 0, brokenCopies }, 'online').note;
  expect(nobody(0)).not.toContain('signed');
  expect(nobody(1)).toContain('One copy that came was not what its author signed');
  expect(nobody(2)).toContain('2 copies that came');
});

test('without a connection the connection is what is told', () => {
  expect(waitText({ state: 'asking', onlineHolders: 2, brokenCopies: 0 }, 'offline').title).toBe('You are not connected');
});

test.each(Object.entries(OUTCOMES))('the end %s has words, and asking again is offered only where it helps', (outcome, { again }) => {
  const { title, note } = endText(outcome, 'raw detail');
  expect(title).not.toBe('It could not be fetched');
  expect(note).not.toContain('raw detail');
  expect(canAskAgain(outcome)).toBe(again);
});

test('a failure without words of its own is told in the server’s', () => {
  expect(failureText(Object.assign(new Error(), { code: 'INVALID', detail: 'username: two scripts' }))).toBe('username: two scripts');
  expect(failureText(Object.assign(new Error(), { code: 'USERNAME_TAKEN', detail: 'x' }))).not.toBe('x');
});

test('a server that is away is told apart from one that refuses', () => {
  const unavailable = (detail: string) => failureText(Object.assign(new Error(), { code: 'UNAVAILABLE', detail }));
  expect(unavailable('the server could not be reached; try again when the server can be reached')).toContain('can’t be reached');
  expect(unavailable('the database is away')).not.toContain('reached');
});

test.each([
  ['abandon ability able about above absent absorb', ''],
  ['Abandon-Ability able about above absent absorb', ''],
  ['abandon ability able about above absent', 'you typed 6'],
  ['abandon abilety able about above absent absorb', '“abilety” (perhaps “ability”) is none of the words'],
  ['xylo ability able qqq about above absent absorb', '“xylo”, “qqq” are none of the words'],
])('words that open nothing: %s', (typed, says) => {
  if (says === '') expect(wordsProblem(typed)).toBe('');
  else expect(wordsProblem(typed)).toContain(says);
});

test('a failure that says its mend is told in the same plain words as without', () => {
  const refused = (detail: string) => failureText(Object.assign(new Error(), { code: 'INVALID', detail }));
  expect(refused('username: sign; choose 2 to 30 letters of one script')).toBe(refused('username: sign'));
  expect(refused('username: sign')).not.toContain('username:');
  expect(refused('something else; do that')).toBe('something else; do that');
});

test('an invite is read from its fragment, and anything else is none', () => {
  expect(readInvite('#srv.a@srv/1.secret')).toEqual({ server: 'srv', invite: 'a@srv/1', secret: 'secret' });
  expect(readInvite('#srv.a%40srv%2F1.secret')).toEqual({ server: 'srv', invite: 'a@srv/1', secret: 'secret' });
  for (const wrong of ['', '#', '#a.b', '#a..c', '#a.b.c.d']) expect(readInvite(wrong)).toBeNull();
  expect(readInvite('#%E0%A4%A.b.c')).toBeNull();
});

test.each([
  [0, '0 kB'],
  [1_500, '1.5 kB'],
  [999_999, '1,000 kB'],
  [12_345_678, '12.3 MB'],
  [3e12, '3 TB'],
])('%d bytes are said as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test('an address that is of this computer alone is known', () => {
  for (const host of ['localhost', 'reeds.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) expect(isOfThisComputer(host)).toBe(true);
  for (const host of ['reeds.example', '192.168.1.2', 'localhost.example', '1.127.0.0']) expect(isOfThisComputer(host)).toBe(false);
});

test('a reed’s path keeps its id in one percent-encoded part', () => {
  expect(reedPath('a@b/c')).toBe('/reed/a%40b%2Fc');
});

test('a device is offered to be used again where another one took its place, and nowhere else', () => {
  for (const reason of ['CLOSE_REPLACED', 'UNAUTHENTICATED']) expect(canUseAgain(reason)).toBe(true);
  for (const reason of ['KEY_REVOKED', 'CLOSE_MALFORMED_FRAME', 'another server answered', '']) expect(canUseAgain(reason)).toBe(false);
  expect(stopText('UNAUTHENTICATED')).not.toContain('UNAUTHENTICATED');
});

test('the word to type back is any of the seven, equally likely', () => {
  const draws = [255, 252, 251, 0, 6, 7];
  const random = (): Uint8Array<ArrayBuffer> => new Uint8Array([draws.shift() ?? 0]);
  // 252 and above would favour the first four places.
  expect([1, 2, 3, 4].map(() => pickPlace(7, random))).toEqual([6, 0, 6, 0]);
  expect(new Set(Array.from({ length: 500 }, () => pickPlace(7, cryptoRandom))).size).toBe(7);
});
