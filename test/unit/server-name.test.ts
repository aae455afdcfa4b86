// Names of servers stand beside fingerprints, on terminals and pages of others: none looks like more than a name.
import { expect, test } from 'vitest';
import { isServerName } from '../../src/base/line.ts';

test.each(['Reedbed', 'Heron & Söhne', '葦原', 'بستر نی\u200cها', '👩\u200d🌾 Farm', 'x'.repeat(80)])(
  '%j can be the name of a server',
  (name) => {
    expect(isServerName(name)).toBe(true);
  },
);

test.each([
  '',
  ' Heron',
  'Heron ',
  'x'.repeat(81),
  'a\nb',
  'a\u001b[2Kb',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  'a\u200bb',
  'a\ufeffb',
  'a\ud800',
  'e\u0301',
])('%j can not', (name) => {
  expect(isServerName(name)).toBe(false);
});
