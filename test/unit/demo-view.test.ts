// The demo's view fits the terminal, whatever its size, and leaves out what is oldest.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { Board } from '../../src/ops/demo/board.ts';
import { nameOf } from '../../src/ops/demo/cast.ts';
import { viewOf } from '../../src/ops/demo/view.ts';
import type { ReedId } from '../../src/wire/address.ts';

const FACTS = { url: 'http://127.0.0.1:45678', members: 12, seconds: 4_000, note: 'kaya lies and luis never answers, on purpose.' };

/** Everything that can be shown: as many reeds and events as are kept, and large totals. */
const full = (): Board => {
  const board = new Board(8);
  for (let number = 1; number <= 20; number += 1) board.wrote(number % 10, `reed-${number}` as ReedId);
  for (let who = 0; who < 12; who += 1) {
    board.saw({ type: 'asked', who, reedId: 'reed-20' as ReedId });
    board.saw({ type: 'refused', who, from: 10, reedId: 'reed-20' as ReedId });
    board.saw({ type: 'dispatched', to: who, attempt: 2, reedId: 'reed-20' as ReedId });
  }
  return board;
};

const linesOf = (columns: number, rows: number): string[] => stripVTControlCharacters(viewOf(full(), FACTS, { columns, rows })).split('\n');

test.each([
  [80, 24],
  [60, 24],
  [60, 15],
  [40, 10],
  [20, 5],
  [200, 60],
])('fits %i columns and %i rows', (columns, rows) => {
  const lines = linesOf(columns, rows);
  expect(lines.length).toBeLessThan(rows);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
});

test('at 80 by 24 nothing is cut: every reed, all totals, the newest events and how to end it', () => {
  const shown = linesOf(80, 24).join('\n');
  for (let number = 13; number <= 20; number += 1) expect(shown).toContain(` #${number} `);
  for (const words of ['20 written', 'longest chain 0', `so ${nameOf(11)} is asked`, 'Ctrl-C ends it.', 'round 0'])
    expect(shown).toContain(words);
});

test('at 60 columns totals go on in another line, and the newest event is there', () => {
  const shown = linesOf(60, 15).join('\n');
  for (const words of ['20 written', 'longest chain 0', `so ${nameOf(11)} is asked`, '#20']) expect(shown).toContain(words);
});
