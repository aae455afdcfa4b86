// What the bench is asked to do, from its command line.
import { parseArgs } from 'node:util';

export const PARTS = ['throughput', 'latency', 'idle', 'spread', 'fanout', 'catchup', 'stats', 'dormant', 'federation'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  readonly parts: ReadonlySet<Part>;
  readonly quick: boolean;
  readonly json: boolean;
  readonly profile: string | null;
};

export const HELP = `npm run bench -- [options]

Measures full deliveries beside a bare WebSocket relay and beside single statements, latency at half load, idle sockets, the spread of one
reed to who asked for it and to followers, the catch-up of one who was away, counts under a thousand watchers, what waiting events cost, and
what other servers cost: signed requests, streams, a thousand readers over there, peers that don't answer. Ratios compare neighbours in one run; absolute numbers are this machine's at this moment.

  --quick           fewer rounds and shorter ones, and after the load parts beside
                    each other: all within two minutes
  --json            the last line is one JSON object; with --only, null is what was not measured
  --only <part>     ${PARTS.join(', ')}; may be repeated (latency measures the throughput first)
  --profile <file>  write a CPU profile of the server under one more round of load, or, with
                    --only federation, of the one with many peers (.cpuprofile)
  --help            this text

Nothing is left behind: everything runs in temporary folders and on loopback ports.
`;

/** A command line that can't be followed; its message says what to do instead. */
export class UsageError extends Error {}

const isPart = (name: string): name is Part => PARTS.some((part) => part === name);

/** @throws UsageError. @returns null if help is asked for */
export const readOptions = (args: readonly string[]): Options | null => {
  const options = { quick: 'boolean', json: 'boolean', help: 'boolean', only: 'string', profile: 'string' } as const;
  const values = (() => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          ...{ quick: { type: options.quick }, json: { type: options.json }, help: { type: options.help, short: 'h' } },
          ...{ only: { type: options.only, multiple: true }, profile: { type: options.profile } },
        },
      }).values;
    } catch (error) {
      throw new UsageError(`${(error as Error).message} See --help.`);
    }
  })();
  if (values.help === true) return null;
  const only = (values.only ?? []).flatMap((names) => names.split(','));
  const strange = only.find((name) => !isPart(name));
  if (strange !== undefined) throw new UsageError(`There is no part "${strange}": choose from ${PARTS.join(', ')}.`);
  const parts = only.filter(isPart);
  return {
    parts: new Set(parts.length === 0 ? PARTS : parts),
    ...{ quick: values.quick === true, json: values.json === true, profile: values.profile ?? null },
  };
};
