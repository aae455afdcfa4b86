// `reedbed holder` against a whole server: signs up by an invite, keeps what it is told to, serves it, and remembers all of it.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { runHolder } from '../../src/ops/holder.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let folder: string;
const members: Member[] = [];

beforeEach(async () => {
  server = await startServer({ config: { signup: 'invite' } });
  folder = await mkdtemp(join(tmpdir(), 'reedbed-holder-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(members.splice(0).map((member) => member.close()));
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

type Line = { event?: string; state?: string; copies?: number; user?: string; outcome?: string; reed?: string };

/** Starts a holder in this process and reads what it prints. */
const startHolder = (options: { invite?: string; username?: string; keep?: string[] }) => {
  const lines: Line[] = [];
  const readers = new Set<() => void>();
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    for (const text of String(chunk).split('\n')) if (text.startsWith('{')) lines.push(JSON.parse(text) as Line);
    for (const read of readers) read();
    return true;
  });
  let stop: () => void = () => undefined;
  const ended = runHolder({ store: folder, json: true, keep: [], ...options }, (end) => {
    stop = end;
  });
  const printed = (matches: (line: Line) => boolean): Promise<Line> =>
    new Promise((done, failed) => {
      const read = (): void => {
        const line = lines.find(matches);
        if (!line) return;
        readers.delete(read);
        done(line);
      };
      readers.add(read);
      ended.then(() => failed(new Error(`the holder ended: ${JSON.stringify(lines)}`)), failed);
      read();
    });
  return { lines, printed, stop: () => stop(), ended };
};

test('a headless holder keeps a reed, serves it when the author is gone, and after a restart without being told again', async () => {
  const author = await makeMember(server, { invite: server.rootInvite });
  members.push(author);
  const { reedId, published } = await author.publish({ text: 'kept while you sleep' });
  await published;
  const [forHolder, forReader, forSecond] = [await author.createInvite(), await author.createInvite(), await author.createInvite()];

  const first = startHolder({ invite: forHolder, username: 'night_shift', keep: [reedId] });
  const started = await first.printed(({ event }) => event === 'started');
  await first.printed(({ event, state }) => event === 'copy' && state === 'held');
  expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, 'keys.json'), 'utf8')).toContain('PRIVATE KEY');
  const reader = await makeMember(server, { invite: forReader });
  const second = await makeMember(server, { invite: forSecond });
  members.push(reader, second);
  await author.close();
  expect((await reader.request(reedId)).body.text).toBe('kept while you sleep');
  first.stop();
  expect(await first.ended).toBe(0);
  await reader.close();

  const waiting = nextEvent(
    second,
    isA('request', ({ progress }) => progress.state === 'nobody-online'),
  );
  const request = second.request(reedId);
  await waiting;
  vi.restoreAllMocks();
  const again = startHolder({});
  expect(await again.printed(({ event }) => event === 'started')).toMatchObject({ user: started.user, copies: 1 });
  expect((await request).body.text).toBe('kept while you sleep');
  await again.printed(({ event, outcome }) => event === 'served' && outcome === 'sent');
  again.stop();
  expect(await again.ended).toBe(0);
});

test('a headless holder says what is wrong and what to do', async () => {
  await expect(runHolder({ store: folder, keep: [], json: true })).rejects.toMatchObject({
    mend: expect.stringContaining('--invite') as string,
  });
  await expect(runHolder({ store: folder, keep: ['no reed'], json: true })).rejects.toThrow(/no id of a reed/);
  const used = server.rootInvite.replace(/.{5}$/, 'AAAAA');
  await expect(runHolder({ store: folder, keep: [], json: true, invite: used, username: 'someone' })).rejects.toMatchObject({
    mend: expect.stringContaining('invite') as string,
  });
});
