// How a server ends: by one signal, by two, by a fault; and what it says when it can't begin. The application is a fake at its port.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Child, isRunning, removeFolder, startChild } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createDatabase, overTcp, prepareData } from '../support/database.ts';
import { atLength, inTest } from '../support/length.ts';
import { postmasterOf } from '../support/processes.ts';

let folder: string;
let children: Child[];
// One for all who need only some database: it is as it was after each of them.
let data: string;

type Behaviour = 'well' | 'joined' | 'stuck' | 'broken' | 'late';
const begin = (behaviour: Behaviour, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child => {
  const child = startChild('test/support/serve-child.ts', {
    args,
    cwd: folder,
    env: { PATH: process.env['PATH'], REEDBED_DATA: data, REEDBED_PORT: '0', FAKE_APP: behaviour, ...env },
  });
  children.push(child);
  return child;
};
const postgresPid = (): Promise<number> => postmasterOf(data);
const faultOf = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; err: string }> => {
  const child = begin('well', args, env);
  const { code } = await child.exit;
  return { code, err: child.output().err };
};

beforeAll(async () => {
  data = await makeDataFolder();
  await prepareData(data);
});

beforeEach(async () => {
  folder = await makeDataFolder();
  children = [];
});

afterEach(async () => {
  for (const child of children) {
    child.send('SIGTERM');
    child.send('SIGKILL');
    await child.exit;
  }
  await removeFolder(folder);
});

afterAll(() => removeFolder(data));

describe('stopping', () => {
  inTest(() => {
    it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
      'drains once on %s, though it comes twice at once, and leaves no process',
      async (signal) => {
        const child = begin('well', ['serve', '--json']);
        expect(JSON.parse(await child.line())).toEqual({
          url: 'http://127.0.0.1:1',
          serverId: 'server',
          fingerprint: 'f00dba5e',
          rootInvite: expect.any(String),
        });
        const pid = await postgresPid();
        child.send(signal);
        child.send(signal);
        expect(await child.exit).toEqual({ code: 0, signal: null });
        expect(child.output().err.match(/closing/g)).toHaveLength(1);
        expect(isRunning(pid)).toBe(false);
      },
    );

    it('gives a stuck drain up at a second signal', async () => {
      const child = begin('stuck', ['serve', '--json']);
      await child.line();
      const pid = await postgresPid();
      child.send('SIGINT');
      // Signals close together count as one; later ones force.
      const again = setInterval(() => child.send('SIGINT'), 100);
      expect(await child.exit).toEqual({ code: 1, signal: null });
      clearInterval(again);
      expect(isRunning(pid)).toBe(false);
    });

    it('logs a fault that nobody caught without its words, and ends with 1', async () => {
      const child = begin('late', ['serve', '--json']);
      await child.line();
      const pid = await postgresPid();
      child.send('SIGUSR2');
      expect(await child.exit).toEqual({ code: 1, signal: null });
      expect(child.output().err).toContain('a fault that nobody caught');
      expect(child.output().err).not.toContain('whispered');
      expect(isRunning(pid)).toBe(false);
    });

    it('ends the database when the application does not start', async () => {
      const child = begin('broken', ['serve']);
      expect((await child.exit).code).toBe(1);
      expect(child.output().err).not.toContain('whispered');
      await expect(postgresPid()).rejects.toThrow();
    });
  });

  atLength(() => {
    it('gives a stuck drain up after its limit', async () => {
      await writeFile(join(folder, 'reedbed.toml'), '[limits]\ndrain_ms = 1');
      const child = begin('stuck', ['serve', '--json']);
      await child.line();
      child.send('SIGTERM');
      expect(await child.exit).toEqual({ code: 1, signal: null });
      expect(child.output().err).toContain('took too long');
    });

    it('stops when the signal comes during the start', async () => {
      // On a loaded machine a first start takes longer than a drain may.
      await writeFile(join(folder, 'reedbed.toml'), '[limits]\ndrain_ms = 90000');
      const fresh = join(folder, 'data');
      const child = begin('well', ['serve', '--json'], { REEDBED_DATA: fresh });
      await expect
        .poll(
          () =>
            stat(join(fresh, 'lock')).then(
              () => true,
              () => false,
            ),
          { interval: 5, timeout: 20_000 },
        )
        .toBe(true);
      child.send('SIGTERM');
      const { code, signal } = await child.exit;
      expect({ code, signal }).toEqual({ code: 0, signal: null });
      await expect.poll(async () => postmasterOf(fresh).then(isRunning, () => false)).toBe(false);
    });
  });
});

describe('what is said at the start', () => {
  inTest(() => {
    it('writes the invite to a file of our own when standard output is no terminal', async () => {
      const child = begin('well', ['serve']);
      let shown = '';
      while (!shown.includes('Ctrl-C')) shown += `${await child.line()}\n`;
      const file = join(data, 'root-invite');
      expect(shown).toContain(file);
      expect(shown).not.toContain('secret-invite');
      expect(shown).toContain(`passphrase   in ${join(data, 'passphrase')}`);
      expect(await readFile(file, 'utf8')).toContain('secret-invite');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(child.output().err).not.toContain('secret-invite');
      expect(shown).not.toContain('note ');
      expect(shown).not.toContain('in a browser');
      const beside = begin('well', ['migrate']);
      expect((await beside.exit).code).toBe(1);
      expect(beside.output().err).toContain('For another version stop it first');
      expect(beside.output().err).not.toContain('REEDBED_PORT');
      child.send('SIGTERM');
      await child.exit;
      await expect(stat(file)).rejects.toThrow('ENOENT');
    });

    it('says where to go when there is no invite, and its fingerprint as it is compared', async () => {
      const child = begin('joined', ['serve']);
      let shown = '';
      while (!shown.includes('Ctrl-C')) shown += `${await child.line()}\n`;
      expect(shown).toContain('Open http://127.0.0.1:1 in a browser');
      expect(shown).toContain('  fingerprint  F00D BA5E\n');
      expect(shown).not.toContain('root invite');
    });

    it.each([
      [{ REEDBED_HOST: '0.0.0.0' }, "Others can't join yet: browsers make keys only on https or localhost."],
      [
        { REEDBED_PUBLIC_URL: 'http://reeds.example' },
        'Nobody can join at http://reeds.example: browsers make keys only on https or localhost.',
      ],
      [{ REEDBED_HOST: '0.0.0.0', REEDBED_PUBLIC_URL: 'https://reeds.example' }, null],
    ])('warns when browsers could not use the address: %j', async (env, words) => {
      const child = begin('well', ['serve'], env);
      let shown = '';
      while (!shown.includes('Ctrl-C')) shown += `${await child.line()}\n`;
      if (words === null) expect(shown).not.toContain('https or localhost');
      else expect(shown).toContain(words);
      child.send('SIGTERM');
      await child.exit;
    });

    it('says on a terminal that it has stopped', async () => {
      const child = begin('well', ['serve'], { FAKE_TERMINAL: 'yes' });
      while (!(await child.line()).includes('Ctrl-C'));
      child.send('SIGINT');
      expect((await child.exit).code).toBe(0);
      expect(child.output().out.trim().split('\n').at(-1)).toBe('Stopped.');
    });

    it('names every setting that is wrong, which is wrong use where one of them is an option', async () => {
      const { code, err } = await faultOf(['serve', '--port', 'eighty'], { REEDBED_SIGNUP: 'maybe', REEDBED_COLOUR: 'green' });
      expect(code).toBe(2);
      expect((await faultOf(['serve'], { REEDBED_SIGNUP: 'maybe' })).code).toBe(1);
      for (const name of ['--port', 'REEDBED_SIGNUP', 'REEDBED_COLOUR']) expect(err).toContain(name);
    });

    it.each([
      ['postgres://nobody:guess@127.0.0.1:1/reedbed', "can't be reached (ECONNREFUSED)"],
      ['postgres://nobody:guess@no-such-host.invalid/reedbed', "can't be reached"],
    ])('says in one line that the database %s is away', async (url, words) => {
      const { code, err } = await faultOf(['serve'], { DATABASE_URL: url });
      expect(code).toBe(1);
      expect(err.trim().split('\n')).toHaveLength(1);
      expect(err).toContain(words);
      expect(err).not.toContain('guess');
    });

    it('tells a wrong password and a missing database apart', async () => {
      const database = await createDatabase({ empty: true });
      const at = (change: { password?: string; pathname?: string }): NodeJS.ProcessEnv => ({
        DATABASE_URL: Object.assign(new URL(overTcp(database.url)), change).href,
      });
      const wrong = await faultOf(['serve'], at({ password: 'guess' }));
      const missing = await faultOf(['migrate'], at({ pathname: '/no_such_database' }));
      const outside = await faultOf(['migrate', '--json'], at({}));
      await database.drop();
      expect(wrong.err).toContain('refuses the user or password');
      expect(missing.err).toContain('no database named no_such_database');
      expect(outside.code).toBe(0);
    });

    it('says as JSON what is wrong when JSON was asked for', async () => {
      const { err } = await faultOf(['serve', '--json'], { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' });
      expect(JSON.parse(err)).toEqual({
        error: expect.stringContaining("can't be reached"),
        mend: expect.stringContaining('DATABASE_URL'),
      });
    });
  });

  atLength(() => {
    it('says when it made a database only to look at what is pending', async () => {
      const child = begin('well', ['migrate', '--dry-run'], { REEDBED_DATA: join(folder, 'data') });
      expect(await child.line()).toMatch(/^There was no database in .*data: an empty one was made\. Pending: 0001/);
      await child.exit;
    });

    it('lets one server have a data folder at a time, on an outside database too, however the first one ended', async () => {
      const database = await createDatabase();
      const env = { DATABASE_URL: database.url };
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const first = begin('well', ['serve', '--json'], env);
        await first.line();
        const { code, err } = await faultOf(['serve'], env);
        expect(code).toBe(1);
        expect(err).toContain(`Another Reedbed server is using the data folder ${data}`);
        expect(err).toContain('REEDBED_DATA');
        first.send(signal);
        await first.exit;
      }
      const last = begin('well', ['serve', '--json'], env);
      await last.line();
      last.send('SIGTERM');
      await last.exit;
      await database.drop();
    });
  });
});
