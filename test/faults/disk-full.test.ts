// A disk that is full, as a small tmpfs that a test fills to its last byte (so only where one may be mounted): under the embedded Postgres and the
// server's own folder at once. What can't be written is refused by name; with room again everything goes on, and nothing that was answered is lost.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { type Child, removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { run } from '../support/database.ts';
import { LightCommunity, LightMember } from '../support/light-member.ts';
import { databaseUrlOf } from '../support/processes.ts';
import { type Ready, readyLine, spawnServer } from '../support/server-process.ts';

const SIZE = '160m';
const CHUNK = Buffer.alloc(64 * 1024);

const folder = await makeDataFolder();
const disk = join(folder, 'disk');
const data = join(disk, 'data');
await mkdir(disk);
const isMounted = ((): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Takes every byte that is left. */
const fill = (): void => {
  const file = openSync(join(disk, 'filler'), 'a');
  try {
    for (let bytes = CHUNK; bytes.length > 0; ) {
      try {
        writeSync(file, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes = bytes.subarray(0, bytes.length >> 1);
      }
    }
  } finally {
    closeSync(file);
  }
};
const empty = (): Promise<void> => rm(join(disk, 'filler'), { force: true });

const children: Child[] = [];
const begin = (at = data): Child => {
  const child = spawnServer({ data: at, cwd: folder, bundled: true });
  children.push(child);
  return child;
};

beforeAll(() => chmod(disk, 0o711));
afterEach(async () => {
  await empty();
  for (const child of children.splice(0)) {
    child.send('SIGTERM');
    await child.exit;
  }
});
afterAll(async () => {
  if (isMounted) execFileSync('umount', [disk]);
  await removeFolder(folder);
});

describe.runIf(isMounted)('a full disk', () => {
  it('under a running server refuses by name what can not be written, ends nothing, and is over when there is room', async () => {
    const child = begin();
    const ready: Ready = await readyLine(child);
    const url = await databaseUrlOf(data);
    const community = new LightCommunity(url, ready.serverId);
    const [a, b] = await community.accounts(2);
    if (a === undefined || b === undefined) throw new Error('no accounts');
    const reeds = await community.reeds(a.userId, 40);
    await LightMember.connect(ready.url, a);
    const viewer = await LightMember.connect(ready.url, b);
    viewer.request(reeds[0] as ReedId);
    await viewer.next('settled');
    fill();
    await expect(run(url, `create table much as select repeat('x', 100) as x from generate_series(1, 1000000)`)).rejects.toThrow();
    const asked = reeds.slice(1).map((reed) => viewer.request(reed));
    const answered = (id: string): boolean =>
      viewer.frames.some((frame) => (frame.type === 'requestAck' || frame.type === 'error') && frame.body.requestId === id);
    await expect.poll(() => asked.filter((id) => !answered(id)), { timeout: 60_000 }).toEqual([]);
    expect((await fetch(`${ready.url}/healthz`)).status).toBe(200);
    await empty();
    const again = await backOnceItMay(ready, community, b);
    again.request(reeds[1] as ReedId);
    await again.next('settled');
    const held = await community.rows('select reed_id from reed_allocations where holder_user_id = $1 and reed_id = $2', [
      b.userId,
      reeds[0],
    ]);
    expect(held, 'what was SETTLED is there').toHaveLength(1);
    const codes = viewer.frames.flatMap((frame) => (frame.type === 'error' ? [frame.body.code] : []));
    expect(codes.filter((code) => !['UNAVAILABLE', 'INTERNAL'].includes(code))).toEqual([]);
  });

  it('keeps a server from starting, which says so in one line, and the next start is as if nothing had been', async () => {
    fill();
    const full = begin(join(disk, 'another'));
    expect((await full.exit).code).toBe(1);
    const line = full.output().err.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(line)).toMatchObject({ error: expect.any(String), mend: expect.any(String) });
    expect(line).toMatch(/room|space|ENOSPC/i);
    await empty();
    await readyLine(begin(join(disk, 'another')));
  });

  /** The author and the viewer sign in again, whether or not the database was emptied by its own restart. */
  const backOnceItMay = async (
    ready: Ready,
    community: LightCommunity,
    account: Parameters<typeof LightMember.connect>[1],
  ): Promise<LightMember> => {
    let member: LightMember | null = null;
    const isBack = async (): Promise<boolean> => {
      await community.signInAgain([account]);
      member = await LightMember.connect(ready.url, account);
      return true;
    };
    await expect.poll(() => isBack().catch(() => false), { timeout: 60_000, interval: 100 }).toBe(true);
    return member as unknown as LightMember;
  };
});
