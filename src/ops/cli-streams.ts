// The commands `reedbed streams`: what they are called, take and say about themselves.
import { type Command, InvalidArgumentError } from 'commander';
import type { Common, Invoke, WithSettings } from './cli-parts.ts';
import type { StreamsOf } from './streams.ts';

type Parts = { readonly invoke: Invoke; readonly withSettings: WithSettings };
type Options = Common & StreamsOf;

const asNumber = (value: string): number => {
  const number = Number(value);
  if (/^\d{1,16}$/.test(value) && Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be the number of an item, as `reedbed streams parked` shows it.');
};

const ofPeer = (command: Command): Command => command.option('--peer <server>', 'only of this peer, by its id');
const ofItems = (command: Command): Command =>
  ofPeer(command)
    .option('--author <member>', 'only of this author, by id')
    .option('--number <number>', 'only the item of this number', asNumber);

const split = ({ author, number, peer, ...common }: Options): { of: StreamsOf; common: Common } => ({
  of: {
    ...(peer === undefined ? {} : { peer }),
    ...(author === undefined ? {} : { author }),
    ...(number === undefined ? {} : { number }),
  },
  common,
});

export const addStreams = (program: Command, { invoke, withSettings }: Parts): void => {
  const streams = program.command('streams').description('see how far peers are with what is published here, and what they do not take');
  const run = (options: Options) => {
    const { common, of } = split(options);
    return { ...invoke(common), of };
  };
  ofPeer(withSettings(streams.command('list')))
    .description('print a line for each peer: what it lacks, what waits, what is parked')
    .action(async (options: Options) => (await import('./streams.ts')).runStreamsList(run(options)));
  ofItems(withSettings(streams.command('parked')))
    .description('print what peers refused: when, peer, author, number, kind, what, how often it was tried again, why')
    .addHelpText(
      'after',
      '\nThe word at the end of a line is what the check of their server said of the item; specs/protocol/statements.md lists them.\nAfter a mend on either side: reedbed streams retry',
    )
    .action(async (options: Options) => (await import('./streams.ts')).runStreamsParked(run(options)));
  ofItems(withSettings(streams.command('retry')))
    .description('send parked items again, and what waits for its next try; call peers that do not answer now')
    .addHelpText(
      'after',
      '\nThe running server does it within half a minute, one that does not run at its next start. What is refused again stays parked, with the new reason; while a peer takes nothing at all the item keeps its reason and is sent when it does.\nA peer that did not answer is called within a second or two, unless an author or an item is named; if it answers, all that it is owed goes out.',
    )
    .action(async (options: Options) => (await import('./streams.ts')).runStreamsRetry(run(options)));
};
