// The live view as text: a bar of holders for each reed, the last things that happened, totals, and what to do.
import { styleText } from 'node:util';
import type { Board, BoardReed } from './board.ts';
import { nameOf } from './cast.ts';

export type ViewFacts = { readonly url: string; readonly members: number; readonly seconds: number; readonly note: string };

const NAME_CHARS = 6;
const dim = (text: string): string => styleText('dim', text);

const barOf = ({ holders }: BoardReed, members: number): string =>
  styleText('green', '●'.repeat(holders.size)) + dim('·'.repeat(Math.max(0, members - holders.size)));

const rowOf = (reed: BoardReed, members: number): string => {
  const author = nameOf(reed.author).padEnd(NAME_CHARS);
  const spread = `${String(reed.holders.size).padStart(3)} of ${members}`;
  return `  ${`#${reed.number}`.padStart(5)}  ${author} ${barOf(reed, members)} ${spread}   ${dim(`round ${reed.rounds}`)}`;
};

export const viewOf = (board: Board, { url, members, seconds, note }: ViewFacts): string => {
  const { written, asked, arrived, refused, reopened, rounds } = board.totals;
  return [
    `${styleText('bold', 'Reedbed demo')}  ${dim(`${members} members at ${url}, ${seconds} s`)}`,
    '',
    dim('   reed  author who holds a copy'),
    ...board.reeds.map((reed) => rowOf(reed, members)),
    '',
    ...board.lines.map((line) => `  ${line}`),
    '',
    `  ${written} written, ${asked} asked for, ${arrived} arrived, ${refused} false, ${reopened} asked again elsewhere, longest chain ${rounds}`,
    '',
    dim(`${note} Ctrl-C ends it.`),
  ].join('\n');
};
