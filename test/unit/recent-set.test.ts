// What may be forgotten: the newest so many stay.
import { expect, test } from 'vitest';
import { RecentSet } from '../../src/base/recent-set.ts';

test('the oldest is forgotten when there are too many; one that is added again is new again', () => {
  const recent = new RecentSet<string>(2);
  for (const value of ['a', 'b', 'a', 'c']) recent.add(value);
  expect(['a', 'b', 'c'].map((value) => recent.has(value))).toEqual([true, false, true]);
  recent.delete('a');
  recent.add('d');
  expect(['a', 'c', 'd'].map((value) => recent.has(value))).toEqual([false, true, true]);
});
