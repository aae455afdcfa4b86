// The embedded Postgres when its owner is killed, doubled, badly placed or badly permitted.
import { chmod, chown, mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, isRunning, removeFolder, startChild } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { prepareData, run } from '../support/database.ts';
import { atLength, inTest } from '../support/length.ts';

type Answer = { readonly url: string; readonly pid: number; readonly error?: string; readonly mend?: string };

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
let folder: string;
let children: Child[];

const begin = (options: { ending?: 'exit'; uid?: number; data?: string } = {}): Child => {
  const child = startChild('test/support/embedded-child.ts', {
    args: [options.data ?? folder, options.ending ?? 'wait'],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  });
  children.push(child);
  return child;
};
const answerOf = async (child: Child): Promise<Answer> => JSON.parse(await child.line()) as Answer;
const end = async (child: Child): Promise<void> => {
  child.send('SIGTERM');
  await child.exit;
};
/** A killed process may stay as a zombie of nobody for a while: standing in its folder is what counts. */
const worksHere = async (pid: number): Promise<boolean> =>
  (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === join(folder, 'postgres');

beforeEach(async () => {
  folder = await makeDataFolder();
  children = [];
});

afterEach(async () => {
  for (const child of children) await end(child);
  await removeFolder(folder);
});

describe('the embedded Postgres', () => {
  inTest(() => {
    it('keeps its data over a stop, and leaves no process', async () => {
      await prepareData(folder);
      const first = begin();
      const { url, pid } = await answerOf(first);
      await run(url, 'create table kept as select 7 as n');
      await end(first);
      expect(isRunning(pid)).toBe(false);
      const [kept] = await run((await answerOf(begin())).url, 'select n from kept');
      expect(kept?.rows).toEqual([{ n: 7 }]);
    });

    it('is ended and started again when its owner was killed', async () => {
      await prepareData(folder);
      const first = begin();
      const before = await answerOf(first);
      await run(before.url, 'create table kept as select 7 as n');
      first.send('SIGKILL');
      await first.exit;
      expect(await worksHere(before.pid)).toBe(true);
      const after = await answerOf(begin());
      expect(after.pid).not.toBe(before.pid);
      expect(await worksHere(before.pid)).toBe(false);
      const [kept] = await run(after.url, 'select n from kept');
      expect(kept?.rows).toEqual([{ n: 7 }]);
    });

    it('recovers when owner and Postgres were killed together', async () => {
      await prepareData(folder);
      const first = begin();
      const before = await answerOf(first);
      await run(before.url, 'create table kept as select 7 as n');
      first.send('SIGKILL');
      process.kill(before.pid, 'SIGKILL');
      await first.exit;
      const [kept] = await run((await answerOf(begin())).url, 'select n from kept');
      expect(kept?.rows).toEqual([{ n: 7 }]);
    });

    it('does not outlive an owner that ends without stopping it', async () => {
      await prepareData(folder);
      const child = begin({ ending: 'exit' });
      const { pid } = await answerOf(child);
      await child.exit;
      await expect.poll(() => worksHere(pid)).toBe(false);
    });

    it('refuses a second owner of the folder and goes on with the first', async () => {
      await prepareData(folder);
      const { url, pid } = await answerOf(begin());
      const second = await answerOf(begin());
      expect(second.error).toContain('Another Reedbed server');
      expect(second.mend).toContain('REEDBED_DATA');
      expect(isRunning(pid)).toBe(true);
      expect((await run(url, 'select 1 as n'))[0]?.rows).toEqual([{ n: 1 }]);
    });

    it('makes its cluster anew when the first start was killed half way', async () => {
      await mkdir(join(folder, 'postgres.new'));
      await writeFile(join(folder, 'postgres.new', 'PG_VERSION'), '18');
      expect((await answerOf(begin())).url).toContain('127.0.0.1');
    });

    it('asks for a password on loopback, keeps it to itself, and listens nowhere else', async () => {
      await prepareData(folder);
      const { url } = await answerOf(begin());
      const wrong = new URL(url);
      wrong.password = 'guess';
      await expect(run(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
      const [shown] = await run(
        url,
        `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets`,
      );
      expect(shown?.rows).toEqual([{ listen: '127.0.0.1', sockets: '' }]);
      expect((await stat(join(folder, 'postgres-password'))).mode & 0o077).toBe(0);
      expect((await stat(join(folder, 'postgres'))).mode & 0o077).toBe(0);
    });

    it('logs no statement, parameter or row', async () => {
      await prepareData(folder);
      const { url } = await answerOf(begin());
      await run(url, 'create table marked (word text primary key, n int check (n > 0))', `insert into marked values ('whispered-row', 1)`);
      for (const statement of [
        `insert into marked values ('whispered-row', 1)`,
        `insert into marked values ('whispered-check', 0)`,
        `select 'whispered-cast'::uuid`,
        'select "whispered-name"',
        'select whispered syntax error (',
      ]) {
        await expect(run(url, statement)).rejects.toThrow();
      }
      const log = await readFile(join(folder, 'postgres.log'), 'utf8');
      expect(log).toContain('ready to accept connections');
      expect(log).not.toContain('DETAIL');
      expect(log).not.toContain('STATEMENT');
      expect(log).not.toContain('whispered-row');
      expect(log).not.toContain('whispered-check');
    });

    it.runIf(isRoot)('runs for an ordinary user too', async () => {
      await chown(folder, NOBODY, NOBODY);
      const { url, pid } = await answerOf(begin({ uid: NOBODY }));
      expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY);
      expect((await run(url, 'select 1 as n'))[0]?.rows).toEqual([{ n: 1 }]);
    });

    it.runIf(isRoot)('names the folder that the system user can not pass, and how to mend it', async () => {
      await chmod(folder, 0o700);
      const answer = await answerOf(begin({ data: join(folder, 'deeper', 'data') }));
      expect(answer.error).toContain(`can't pass the folder ${folder}.`);
      expect(answer.mend).toContain(`chmod o+x ${folder}`);
    });

    it.runIf(isRoot)('says that a folder can not be written', async () => {
      const answer = await answerOf(begin({ uid: NOBODY }));
      expect(answer.error).toContain(`The data folder ${folder} can't be written.`);
      const missing = await answerOf(begin({ uid: NOBODY, data: join(folder, 'data') }));
      expect(missing.error).toContain("can't be made");
    });
  });

  atLength(() => {
    it('is not kept from starting by a process number that another program has by now', async () => {
      const uid = isRoot ? NOBODY : undefined;
      if (uid !== undefined) await chown(folder, uid, uid);
      const as = uid === undefined ? {} : { uid };
      const other = begin({ ...as, data: join(folder, 'other') });
      await answerOf(other);
      const first = begin(as);
      await answerOf(first);
      const file = join(folder, 'postgres', 'postmaster.pid');
      const text = await readFile(file, 'utf8');
      await end(first);
      await writeFile(file, text.replace(/^\d+/, String(other.pid)), { mode: 0o600 });
      if (uid !== undefined) await chown(file, uid, uid);
      expect(await answerOf(begin(as))).toMatchObject({ url: expect.stringContaining('127.0.0.1') });
    });
  });
});
