// kill -9 of either of two servers in the middle of what goes between them: one point of each scene. More of them: test/long/border-kills.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesUnder, ROOT } from '../architecture/sources.ts';
import { BORDER_KILLS, killsAcross } from '../support/border-kills.ts';

const CHOSEN = ['before ledger_forwarded', 'after fold_holder_said', 'before streams_next', 'at-commit insert into received_streams'];

killsAcross(BORDER_KILLS.filter(({ isEmptied, side, statement }) => !isEmptied && CHOSEN.includes(`${side} ${statement}`)));

// Most points are not come to here: one whose statement has other words by now would be waited for in vain, where nobody sees it for long.
it('every point is a statement of the server', () => {
  const texts = filesUnder('src', /\.ts$/).map((path) => readFileSync(join(ROOT, path), 'utf8').replaceAll(/\$\{[^}]*\}/g, '$1'));
  const source = texts.join('\n');
  const unknown = [...new Set(BORDER_KILLS.map(({ statement }) => statement))].filter(
    (statement) => !new RegExp(statement.includes(' ') ? statement : `'${statement}'`).test(source),
  );
  expect(unknown).toEqual([]);
});
