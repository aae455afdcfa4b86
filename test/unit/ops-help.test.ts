// The help of the command line: that of the command that was named, however deep it stands.
import { expect, test } from 'vitest';
import { OF_THE_BORDER, OF_THE_COMMUNITY, OF_THE_RELAY } from '../../src/ops/demo/meanings.ts';
import { runLine } from '../support/command-line.ts';

test.each([
  [['help', 'users', 'role'], 'Usage: reedbed users role'],
  [['users', 'help', 'role'], 'Usage: reedbed users role'],
  [['users', 'role', '--help'], 'Usage: reedbed users role'],
  [['help', 'users'], 'Usage: reedbed users [options] [command]'],
  [['help', 'serve'], 'Usage: reedbed serve'],
  [['help'], 'Usage: reedbed [options] [command]'],
])('%j prints the help of exactly that', async (args, usage) => {
  const { code, out, error } = await runLine(...args);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out.startsWith(usage), out.slice(0, 80)).toBe(true);
});

test.each([[['help', 'users', 'rule']], [['help', 'nothing']]])('%j is wrong use', async (args) => {
  const { code, out, error } = await runLine(...args);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(error).toContain(`unknown command '${args.at(-1)}'`);
});

test.each([
  [['users', 'role'], 'reedbed help users role'],
  [['users', 'list', '--role', 'king'], 'reedbed help users list'],
  [['serve', '--nothing'], 'reedbed help serve'],
  [['nothing'], 'reedbed --help'],
])('%j is wrong use, and told where its help is', async (args, where) => {
  const { code, error } = await runLine(...args);
  expect(code).toBe(2);
  expect(error).toContain(`\`${where}\``);
});

test('the help of the demo says what each key of its JSON means', async () => {
  const { out } = await runLine('demo', '--help');
  for (const key of [OF_THE_RELAY, OF_THE_COMMUNITY, OF_THE_BORDER].flatMap(Object.keys))
    expect(out).toMatch(new RegExp(`^  ${key} +\\S`, 'm'));
});
