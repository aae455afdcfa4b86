// The live view as text: a bar of holders for each reed, the last things that happened, totals, and what to do. It never takes more columns
// or rows than there are; where room is short, older events and then older reeds are left out.
import { styleText } from 'node:util';
import type { Board, BoardReed } from './board.ts';
import { nameOf } from './cast.ts';

export type ViewFacts = { readonly url: string; readonly members: number; readonly seconds: number; readonly note: string };
export type Room = { readonly columns: number; readonly rows: number };

const NAME_CHARS = 6;
const LEAST_EVENTS = 2;
const INDENT = '  ';
const dim = (text: string): string => styleText('dim', text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are told from text by their control character.
const STYLE_OR_SIGN = /\u001b\[[\d;]*m|./gsu;

/** A line cut to a width; styles take none and are all kept. */
const cut = (line: string, columns: number): string => {
  let width = 0;
  return Array.from(line.matchAll(STYLE_OR_SIGN), ([part]) => {
    if (part.startsWith('\u001b')) return part;
    width += 1;
    return width <= columns ? part : '';
  }).join('');
};

/** Puts parts in lines of a width, each with as many as it takes. */
const flow = (parts: readonly string[], columns: number): string[] => {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= columns) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines;
};

const barOf = ({ holders }: BoardReed, members: number): string =>
  styleText('green', '●'.repeat(holders.size)) + dim('·'.repeat(Math.max(0, members - holders.size)));

const rowOf = (reed: BoardReed, members: number): string => {
  const author = nameOf(reed.author).padEnd(NAME_CHARS);
  const spread = `${String(reed.holders.size).padStart(3)} of ${members}`;
  return `${INDENT}${`#${reed.number}`.padStart(5)}  ${author} ${barOf(reed, members)} ${spread}   ${dim(`round ${reed.rounds}`)}`;
};

const totalsOf = ({ totals }: Board, columns: number): string[] => {
  const { written, asked, arrived, refused, reopened, rounds } = totals;
  const parts = [
    `${written} written,`,
    `${asked} asked for,`,
    `${arrived} arrived,`,
    `${refused} false,`,
    `${reopened} asked again elsewhere,`,
    `longest chain ${rounds}`,
  ];
  return flow(parts, columns - INDENT.length).map((line) => INDENT + line);
};

/** @param room of the terminal; the last row stays free for the cursor */
export const viewOf = (board: Board, { url, members, seconds, note }: ViewFacts, { columns, rows }: Room): string => {
  const head = [`${styleText('bold', 'Reedbed demo')}  ${dim(`${members} members at ${url}, ${seconds} s`)}`];
  const title = dim('   reed  author who holds a copy');
  const totals = totalsOf(board, columns);
  const notes = flow(`${note} Ctrl-C ends it.`.split(' '), columns).map(dim);
  const left = rows - 1 - head.length - 1 - totals.length - notes.length;
  const reeds = board.reeds.slice(0, Math.max(0, left - Math.min(LEAST_EVENTS, board.lines.length)));
  const eventRows = Math.max(0, left - reeds.length);
  const events = eventRows === 0 ? [] : board.lines.slice(-eventRows).map((line) => INDENT + line);
  const parts = [head, [title, ...reeds.map((reed) => rowOf(reed, members))], events, totals, notes].filter((part) => part.length > 0);
  const isRoomy = parts.flat().length + parts.length - 1 <= rows - 1;
  return parts
    .map((part) => part.map((line) => cut(line, columns)).join('\n'))
    .join(isRoomy ? '\n\n' : '\n')
    .split('\n')
    .slice(0, Math.max(1, rows - 1))
    .join('\n');
};
