// What no command takes: every option and argument with a value refuses one that is wrong by itself, with what is allowed and exit code 2, before
// anything is looked at or made.
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/ops/cli.ts';
import { neverLoaded, runLine } from '../support/command-line.ts';

const SERVER_ID = 'It is 16 letters and digits';
const NAME_OR_ID = 'is neither a name nor the id of a member';
/** `command option-or-argument`: wrong values, and what is said to be allowed. */
const WRONG: Readonly<Record<string, { readonly values: readonly string[]; readonly allowed: string }>> = {
  'serve --port': { values: ['abc', '-1', '65536', '1.5', '1e3', ' 80', ''], allowed: '--port must be a whole number from 0 to 65535.' },
  'serve --host': { values: ['http://reeds.example', 'two words', '::1::', ''], allowed: '--host must be a host name or address.' },
  'demo --scenario': { values: ['river', ''], allowed: 'Allowed choices are relay, community, federation.' },
  'holder --server': { values: ['reeds.example', 'ftp://reeds.example', ''], allowed: 'It must be an address like https://reeds.example' },
  'holder --invite': { values: ['http://reeds.example', 'x', ''], allowed: 'Copy it from https:// to its end' },
  'holder --username': { values: ['x', 'two words', ''], allowed: 'Choose another --username.' },
  'holder --store': { values: [''], allowed: 'It is the path of one' },
  'holder --keep': { values: ['no reed', ''], allowed: 'an id looks like <author id>@<server id>/<uuid>' },
  'holder --follow': { values: ['@heron', ''], allowed: 'Names are of its own server and written without @' },
  'holder --unfollow': { values: ['@heron', ''], allowed: 'Names are of its own server and written without @' },
  'users list --role': { values: ['king', ''], allowed: 'Allowed choices are' },
  'users role <member>': { values: ['two words', '@heron', ''], allowed: NAME_OR_ID },
  'users role <role>': { values: ['king', ''], allowed: 'Allowed choices are' },
  'peers show <server>': { values: ['abc', ''], allowed: SERVER_ID },
  'peers invite --server': { values: ['abc', ''], allowed: SERVER_ID },
  'peers approve <server>': { values: ['abc', 'f00d@aaaaaaaaaaaaaaaa', ''], allowed: SERVER_ID },
  'peers suspend <server>': { values: ['abc', `${'a'.repeat(40)}@aaaaaaaaaaaaaaaa`, ''], allowed: SERVER_ID },
  'peers resume <server>': { values: ['abc', ''], allowed: SERVER_ID },
  'peers revoke <server>': { values: ['abc', ''], allowed: SERVER_ID },
  'streams list --peer': { values: ['abc', ''], allowed: SERVER_ID },
  'streams parked --peer': { values: ['abc', ''], allowed: SERVER_ID },
  'streams parked --author': { values: ['heron', ''], allowed: 'It looks like <id>@<server id>' },
  'streams parked --number': { values: ['abc', '0', '-1', '0x10', '1e3', ''], allowed: 'It must be the number of an item' },
  'streams retry --peer': { values: ['abc', ''], allowed: SERVER_ID },
  'streams retry --author': { values: ['heron', ''], allowed: 'It looks like <id>@<server id>' },
  'streams retry --number': { values: ['abc', '0', '-1', '0x10', '1e3', ''], allowed: 'It must be the number of an item' },
  'keys rotate --kind': { values: ['both', ''], allowed: 'Allowed choices are identity, transport.' },
  'help [command]': { values: ['nothing'], allowed: 'Run `reedbed --help` to see the commands' },
};
/** Their values name what may be there or not, which is no wrong use. */
const OF_THE_SURROUNDINGS = ['peers invite --key', 'peers accept <string>'];

/** What else a command needs, so that the value in question is the only fault. */
const beside = (command: string, what: string): readonly string[] => {
  if (command === 'users role' && what === '<role>') return ['heron'];
  if (command === 'peers invite') return ['--key', '/dev/null'];
  return [];
};

const asGiven = (place: string, value: string): string[] => {
  const words = place.split(' ');
  const [what = '', command] = [words.at(-1), words.slice(0, -1)];
  const value_ = what.startsWith('--') ? [`${what}=${value}`] : [value];
  const after = what === '<member>' ? ['user'] : [];
  // What begins with a dash is an argument only behind these.
  return [...command, ...beside(command.join(' '), what), ...value_, ...after];
};

/** Every option and argument that takes a value, but for those that all commands with settings have. */
const placesOf = (command: Command, path: readonly string[] = []): string[] => [
  ...command.options.filter(({ required, optional }) => required || optional).map(({ long }) => [...path, long].join(' ')),
  ...command.registeredArguments.map((argument) =>
    [...path, argument.required ? `<${argument.name()}>` : `[${argument.name()}]`].join(' '),
  ),
  ...command.commands.flatMap((each) => placesOf(each, [...path, each.name()])),
];
const OF_ALL = /--(config|data)$/;

test('every option and argument with a value is looked at here', () => {
  const places = placesOf(createProgram(neverLoaded)).filter((place) => !OF_ALL.test(place));
  expect([...Object.keys(WRONG), ...OF_THE_SURROUNDINGS].sort()).toEqual(places.sort());
});

describe('wrong use is', () => {
  test.each(Object.entries(WRONG).flatMap(([place, { values, allowed }]) => values.map((value) => ({ place, value, allowed }))))(
    '$place "$value"',
    async ({ place, value, allowed }) => {
      const { code, out, error } = await runLine(...asGiven(place, value));
      expect({ code, out }, error).toEqual({ code: 2, out: '' });
      expect(error).toContain(allowed);
    },
  );

  test.each(['serve', 'migrate', 'config', 'users list', 'peers list', 'streams list', 'keys print', 'acts'])(
    '%s with a folder or a file without a name',
    async (command) => {
      for (const option of ['data', 'config'])
        expect(await runLine(...command.split(' '), `--${option}=`)).toMatchObject({
          code: 2,
          error: expect.stringContaining(`--${option} must be a f`) as string,
        });
    },
  );

  test('a backup’s new key of the kind that it keeps', async () => {
    const { code, error } = await runLine('keys', 'rotate', '--restored', '--kind', 'identity');
    expect(code, error).toBe(2);
    expect(error).toContain('Say --restored without --kind.');
  });
});

test('it is one line, of JSON if that was asked for', async () => {
  const { error } = await runLine('serve', '--port', 'abc');
  expect(error).toBe('reedbed: --port must be a whole number from 0 to 65535. See `reedbed config --help` for all settings.\n');
  const asked = await runLine('peers', 'show', 'abc', '--json');
  expect(JSON.parse(asked.error)).toEqual({ error: '"abc" is no server id.', mend: expect.any(String) as string });
});
