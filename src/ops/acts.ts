// `reedbed acts`: the log of what admins and the operator have done, which members read over HTTP. Only looks, so no key is unlocked.
import { listActs } from '../identity/admin-acts.ts';
import { type Beside, withDatabase } from './database.ts';
import { type ListTerminal, seconds } from './terminal.ts';

export type ActsCommand = Beside & { readonly terminal: ListTerminal };

const PAGE_ROWS = 500;

const rowOf = ([number, at, by, act, target]: readonly [string, string, string, string, string]): string =>
  `${number.padStart(6)}  ${at.padEnd(20)}  ${by.padEnd(33)}  ${act.padEnd(26)}  ${target}`;

const HEADING = rowOf(['number', 'at', 'by', 'act', 'server, key or member']);

/** Prints a line for each act, the oldest first; a page is in memory at a time. */
export const runActs = ({ terminal, ...command }: ActsCommand): Promise<void> =>
  withDatabase(command, async (db, signal) => {
    let page = await listActs(db, { after: 0, limit: PAGE_ROWS });
    terminal.note(page.length === 0 ? 'No admin has done anything, and neither has the operator.' : HEADING);
    while (page.length > 0 && !terminal.isGone()) {
      for (const { number, at, by, act, target, certificate } of page)
        terminal.print(
          { number, at: at.toISOString(), by, act, target, certificate },
          rowOf([String(number), seconds(at), by === 'operator' ? 'the operator' : by, act, target]),
        );
      const after = page.at(-1)?.number;
      if (after === undefined || page.length < PAGE_ROWS) return;
      signal.throwIfAborted();
      page = await listActs(db, { after, limit: PAGE_ROWS });
    }
  });
