// A Postgres that stands still (SIGSTOP, a host that is paused) and goes on, or does not: its server answers by name meanwhile, ends when it is
// told to, and leaves no process behind.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { type Child, removeFolder, startChild } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { prepareData, run } from '../support/database.ts';
import { atLength, inTest } from '../support/length.ts';
import { LightCommunity, LightMember } from '../support/light-member.ts';
import { databaseUrlOf, postgresOf, signalAll } from '../support/processes.ts';
import { readyLine, spawnServer } from '../support/server-process.ts';

let folder: string;
let data: string;
const children: Child[] = [];

const keep = (child: Child): Child => {
  children.push(child);
  return child;
};
const embedded = async (): Promise<{ child: Child; url: string }> => {
  const child = keep(startChild('test/support/embedded-child.ts', { args: [data, 'wait'] }));
  return { child, url: (JSON.parse(await child.line()) as { url: string }).url };
};

// One folder for all.
beforeAll(async () => {
  folder = await makeDataFolder();
  data = join(folder, 'data');
  await prepareData(data);
});

afterEach(async () => {
  signalAll(await postgresOf(data), 'SIGCONT');
  for (const child of children.splice(0)) {
    child.send('SIGTERM');
    await child.exit;
  }
});

afterAll(() => removeFolder(folder));

describe.runIf(process.platform === 'linux')('a frozen Postgres', () => {
  inTest(() => {
    it('is ended in order with its server', async () => {
      const { child, url } = await embedded();
      await run(url, 'create table kept as select 7 as n');
      signalAll(await postgresOf(data), 'SIGSTOP');
      child.send('SIGTERM');
      expect(await child.exit).toEqual({ code: 0, signal: null });
      expect(await postgresOf(data)).toEqual([]);
      const [kept] = await run((await embedded()).url, 'select n from kept');
      expect(kept?.rows).toEqual([{ n: 7 }]);
    });

    it('that a killed server left is ended by the next start', async () => {
      const { child } = await embedded();
      const left = await postgresOf(data);
      signalAll(left, 'SIGSTOP');
      child.send('SIGKILL');
      await child.exit;
      const { url } = await embedded();
      expect((await run(url, 'select 1 as n'))[0]?.rows).toEqual([{ n: 1 }]);
      expect(await postgresOf(data)).not.toEqual(expect.arrayContaining(left));
    });

    it('that goes on is served from where it stood: nobody is signed out, and what was asked meanwhile arrives', async () => {
      const child = keep(spawnServer({ data, cwd: folder, bundled: true }));
      const ready = await readyLine(child);
      const url = await databaseUrlOf(data);
      const community = new LightCommunity(url, ready.serverId);
      const [a, b] = await community.accounts(2);
      if (a === undefined || b === undefined) throw new Error('no accounts');
      const [reed] = (await community.reeds(a.userId, 1)) as [ReedId];
      const [author, viewer] = [await LightMember.connect(ready.url, a), await LightMember.connect(ready.url, b)];
      const all = await postgresOf(data);
      signalAll(all, 'SIGSTOP');
      viewer.request(reed);
      viewer.send({ id: 'still', type: 'ping', body: {} });
      await viewer.next('pong', (frame) => frame.id === 'still');
      signalAll(all, 'SIGCONT');
      await viewer.next('settled');
      expect(viewer.frames.filter((frame) => frame.type === 'error')).toEqual([]);
      await Promise.all([author.leave(), viewer.leave()]);
    });
  });

  atLength(() => {
    it('does not keep a whole server from ending, which says so', async () => {
      await writeFile(join(folder, 'reedbed.toml'), '[limits]\ndrain_ms = 1');
      const child = keep(spawnServer({ data, cwd: folder, bundled: true }));
      await readyLine(child);
      await rm(join(folder, 'reedbed.toml'));
      signalAll(await postgresOf(data), 'SIGSTOP');
      child.send('SIGTERM');
      expect(await child.exit).toEqual({ code: 1, signal: null });
      expect(child.output().err).toContain('took too long');
      expect(await postgresOf(data)).toEqual([]);
    });
  });
});
