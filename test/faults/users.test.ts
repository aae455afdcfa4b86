// `reedbed users`: the members of a server and their roles, seen and changed from the command line, beside the server and without it.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { runCommandLine } from '../../src/ops/cli.ts';
import { type Child, removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createDatabase, prepareData } from '../support/database.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { postgresOf } from '../support/processes.ts';
import { readyLine, spawnServer } from '../support/server-process.ts';

type Listed = { id: string; name: string; role: string; since: string; state: string; strikes: number };

let folder: string;
let child: Child | null;
let members: Member[];

beforeEach(async () => {
  folder = await makeDataFolder();
  child = null;
  members = [];
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  await endServer();
  await removeFolder(folder);
});

const endServer = async (): Promise<void> => {
  child?.send('SIGTERM');
  await child?.exit;
};

/** Runs a command line in this process: its exit code and the lines that it printed. */
const reedbed = async (...args: string[]): Promise<{ code: number; out: string[]; err: string }> => {
  const written = { out: '', err: '' };
  const take = (to: keyof typeof written) => (chunk: unknown) => {
    written[to] += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('err')),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const code = await runCommandLine(args, () => Promise.reject(new Error('no command here needs the application')));
    return { code, out: written.out.split('\n').filter(Boolean), err: written.err };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
};

const onFolder = (...args: string[]) => reedbed('users', ...args, '--data', folder);
const listed = async (...args: string[]): Promise<Listed[]> =>
  (await onFolder('list', '--json', ...args)).out.map((line) => JSON.parse(line) as Listed);

it('a role that is given while the server runs is in force with the next reed, and is listed with and without the server', async () => {
  await prepareData(folder);
  child = spawnServer({ data: folder, bundled: true });
  const ready = await readyLine(child);
  const author = await makeMember(ready, { name: 'ada', invite: ready.rootInvite });
  const keeper = await makeMember(ready, { name: 'Keeper', invite: await author.createInvite() });
  members.push(author, keeper);
  await keeper.receiving.agreements.setArchivist(true);
  expect((await listed()).map(({ name, role, state, strikes }) => [name, role, state, strikes]).sort()).toEqual([
    ['Keeper', 'user', 'active', 0],
    ['ada', 'root', 'active', 0],
  ]);

  const refused = await onFolder('role', 'keeper', 'archivist');
  expect(refused).toMatchObject({ code: 1, out: [], err: expect.stringContaining('Say --yes') as string });
  const given = await onFolder('role', 'keeper', 'archivist', '--yes', '--json');
  const change = { id: keeper.account?.user, name: 'Keeper', from: 'user', to: 'archivist', changed: true, dryRun: false };
  expect(given).toMatchObject({ code: 0, err: '' });
  expect(given.out.map((line) => JSON.parse(line) as object)).toEqual([change]);
  const arrived = nextEvent(keeper, isA('arrived'));
  const { reedId, published } = await author.publish({ text: 'for ever' });
  await published;
  expect(await arrived).toMatchObject({ reedId, by: 'archiveReed' });

  await Promise.all(members.splice(0).map((member) => member.close()));
  await endServer();
  const alone = await listed('--role', 'archivist');
  expect(alone).toMatchObject([{ id: keeper.account?.user, name: 'Keeper', role: 'archivist', state: 'active' }]);
  expect(alone[0]?.since).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(await onFolder('role', `${keeper.account?.user}`, 'user', '--yes')).toMatchObject({ code: 0 });
  expect(await listed('--role', 'archivist')).toEqual([]);
  expect(await postgresOf(folder)).toEqual([]);
});

it('a command that can not be done says what to do instead, and makes nothing', async () => {
  const nothing = await onFolder('list');
  expect(nothing).toMatchObject({ code: 1, out: [] });
  expect(nothing.err).toContain(`There is no database in ${folder}.`);
  expect(nothing.err).toContain('--data');
  expect((await onFolder('role', 'ada', 'moderator')).code).toBe(2);
  const empty = await createDatabase({ empty: true });
  try {
    vi.stubEnv('DATABASE_URL', empty.url);
    const older = await onFolder('list');
    expect(older).toMatchObject({ code: 1, err: expect.stringContaining('reedbed migrate') as string });
  } finally {
    vi.unstubAllEnvs();
    await empty.drop();
  }
});
