// What a failed run shows whoever reads it: all that happened, with the ledger's rows after each few moves. Dates are ms from then.
import type { Rows } from './check.ts';

export type Scene = { readonly name: string; readonly now: number; readonly rows: Rows };

export const reportOf = (scenes: readonly Scene[]): string =>
  scenes.map(({ name, now, rows }) => [name, ...linesOf(rows, now)].join('\n    ')).join('\n  ');

const linesOf = ({ events, held, online, strikes, tries }: Rows, now: number): string[] => [
  ...events.map((e) => {
    const failed = tries.filter((t) => t.event_id === e.event_id).map((t) => `${t.holder} ${t.failures}/${t.busy} in ${t.due - now}`);
    const whose = `${e.requester_user_id} ${e.explicit ? 'wants' : 'is owed'} ${e.subject_id}`;
    return `${e.event_id} ${whose}: ${e.state} ${e.holder ?? '-'} #${e.attempt} relays ${e.relays} in ${e.due - now}; tries ${failed.join()}`;
  }),
  `copies ${held.filter((pair) => events.some((e) => pair.endsWith(` ${e.subject_id}`))).join()}; online ${online.join()}; strikes ${strikes.join()}`,
];
