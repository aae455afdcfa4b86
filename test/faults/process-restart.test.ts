// A server that is killed, stopped and started again: it is the same server, its members come back by themselves, and nothing that was
// registered is lost. And one line with a mend for each reason not to start.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { type Child, isRunning, removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createDatabase, prepareData, run } from '../support/database.ts';
import { atLength, byTurns, inTest } from '../support/length.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { postmasterOf } from '../support/processes.ts';
import { type Ready, readyLine, type ServeOptions, spawnServer } from '../support/server-process.ts';

const TEXT = 'whispered in the reeds';
let folder: string;
let children: Child[];
let members: Member[];

const data = (): string => join(folder, 'data');
const begin = (options: Partial<ServeOptions> = {}): Child => {
  const child = spawnServer({ data: data(), bundled: true, ...options });
  children.push(child);
  return child;
};
const enter = async (ready: Ready, invite?: string | null): Promise<Member> => {
  const member = await makeMember(ready, { invite: invite ?? null });
  members.push(member);
  return member;
};
const end = async (child: Child, signal: NodeJS.Signals): Promise<void> => {
  child.send(signal);
  await child.exit;
};
const postgresPid = (): Promise<number> => postmasterOf(data());
const filesUnder = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

beforeEach(async () => {
  folder = await makeDataFolder();
  children = [];
  members = [];
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  for (const child of children) await end(child, 'SIGTERM');
  await removeFolder(folder);
});

describe('a server that is started again', () => {
  const ends = [
    { signal: 'SIGKILL', after: 'a first start that made everything' },
    { signal: 'SIGINT', after: 'a start on a database that was there' },
  ] as const;
  it.each(byTurns(ends, 2))(
    'after $signal, and $after, is the same one, its members come back, and what was registered is there',
    async ({ signal }) => {
      if (signal === 'SIGINT') await prepareData(data());
      // As its operator starts it.
      const first = begin({ bundled: false });
      const ready = await readyLine(first);
      const port = new URL(ready.url).port;
      const author = await enter(ready, ready.rootInvite);
      const { reedId, published } = await author.publish({ text: TEXT });
      await published;
      const reader = await enter(ready, await author.createInvite());
      const invite = await author.createInvite();

      const gone = [author, reader].map((member) =>
        nextEvent(
          member,
          isA('connection', ({ state }) => state !== 'online'),
        ),
      );
      const left = await postgresPid();
      await end(first, signal);
      await Promise.all(gone);
      expect(isRunning(left)).toBe(signal === 'SIGKILL');

      const second = begin({ port, bundled: false });
      const again = await readyLine(second);
      expect(again).toEqual({ ...ready, rootInvite: null });
      await Promise.all([author.online(), reader.online()]);
      expect((await reader.request(reedId)).body.text).toBe(TEXT);
      const third = await enter(again, invite);
      expect((await third.request(reedId)).body.text).toBe(TEXT);

      expect(first.output().err + second.output().err).not.toContain(TEXT);
      await end(second, 'SIGINT');
      for (const file of await filesUnder(data())) expect((await readFile(file)).includes(TEXT), file).toBe(false);
    },
  );

  atLength(() => {
    it('after its only database died under it serves again without being restarted', async () => {
      await prepareData(data());
      const ready = await readyLine(begin());
      const author = await enter(ready, ready.rootInvite);
      const { reedId, published } = await author.publish({ text: TEXT });
      await published;
      const invite = await author.createInvite();
      const gone = nextEvent(
        author,
        isA('connection', ({ state }) => state !== 'online'),
      );
      process.kill(await postgresPid(), 'SIGKILL');
      await gone;
      await author.online();
      const reader = await enter(ready, invite);
      expect((await reader.request(reedId)).body.text).toBe(TEXT);
    });
  });

  inTest(() => {
    it('takes a root invite only once, and gives another while nobody has used it', async () => {
      await prepareData(data());
      const first = begin();
      const ready = await readyLine(first);
      await end(first, 'SIGTERM');
      const again = await readyLine(begin());
      expect(again.rootInvite).not.toBe(null);
      await enter(again, again.rootInvite);
      await expect(enter(again, again.rootInvite)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
      expect(again).toMatchObject({ serverId: ready.serverId, fingerprint: ready.fingerprint });
    });
  });

  atLength(() => {
    it('on an outside database behaves the same', async () => {
      const database = await createDatabase({ empty: true });
      const env = { DATABASE_URL: database.url };
      const first = begin({ env });
      const ready = await readyLine(first);
      const author = await enter(ready, ready.rootInvite);
      const { published } = await author.publish({ text: TEXT });
      await published;
      await end(first, 'SIGKILL');
      const again = await readyLine(begin({ env, port: new URL(ready.url).port }));
      expect(again).toEqual({ ...ready, rootInvite: null });
      await author.online();
      const [reeds] = await run(database.url, 'select count(*)::int as n from reeds where published_at is not null');
      expect(reeds?.rows).toEqual([{ n: 1 }]);
      expect(await readdir(data())).toEqual(['lock', 'passphrase']);
      await author.close();
      for (const child of children) await end(child, 'SIGTERM');
      await database.drop();
    });
  });
});

describe('a server that can not start says why in one line', () => {
  const faultOf = async (options: Partial<ServeOptions>): Promise<{ error: string; mend: string }> => {
    const child = begin(options);
    expect((await child.exit).code).toBe(1);
    const lines = child
      .output()
      .err.trim()
      .split('\n')
      .filter((line) => !line.includes('"level":"info"'));
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? '') as { error: string; mend: string };
  };

  inTest(() => {
    it('when its data folder is a file', async () => {
      await writeFile(join(folder, 'file'), '');
      expect((await faultOf({ data: join(folder, 'file') })).error).toContain('is a file');
    });

    it('when another server has its port, of which it leaves nothing, or its data folder, whatever the port', async () => {
      await prepareData(data());
      const { port } = new URL((await readyLine(begin())).url);
      const other = join(folder, 'other');
      const taken = await faultOf({ port, data: other });
      expect(taken.error).toBe(`Port ${port} on 127.0.0.1 is in use.`);
      expect(taken.mend).toContain('REEDBED_PORT');
      await expect(readdir(other)).rejects.toThrow('ENOENT');
      expect((await faultOf({})).error).toContain('Another Reedbed server');
      expect((await faultOf({ port })).error).toContain('Another Reedbed server');
    });
  });

  atLength(() => {
    it('when the passphrase is wrong, or its file is gone, and puts none in its place', async () => {
      await prepareData(data());
      const first = begin();
      await readyLine(first);
      await end(first, 'SIGTERM');
      const wrong = await faultOf({ env: { REEDBED_PASSPHRASE: 'guess' } });
      expect(wrong.error).toContain('passphrase does not open');
      expect(wrong.mend).toContain('REEDBED_PASSPHRASE');
      const file = join(data(), 'passphrase');
      await rename(file, join(folder, 'elsewhere'));
      const gone = await faultOf({});
      expect(gone.error).toBe(`This database has the keys of a server, but no passphrase is set and ${file} is missing.`);
      await expect(readFile(file)).rejects.toThrow('ENOENT');
      await rename(join(folder, 'elsewhere'), file);
      await readyLine(begin());
    });
  });
});
