// The key file of a headless member: what a ring puts into it is what a ring finds in it, through every step of a rotation.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeyRing } from '../../src/client/memory-key-ring.ts';
import { keyFile } from '../../src/ops/key-file.ts';

const NOW = 1_800_000_000_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reedbed-keys-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('gives back every key over a restart: the next one that waits, and those that were replaced', async () => {
  const path = join(folder, 'keys.json');
  const reopened = () => openKeyRing(keyFile(path));
  const ring = await reopened();
  expect(await ring.keys()).toBeNull();
  const first = await ring.make(NOW);
  const next = await ring.makeNext(NOW);
  expect(await (await reopened()).keys()).toEqual(first);
  expect(await (await reopened()).makeNext(NOW)).toEqual(next);
  await (await reopened()).takeNext(NOW + 1);
  expect(await (await reopened()).keys()).toEqual(next);
  expect(await keyFile(path).load()).toMatchObject({ replaced: [{ key: expect.stringContaining('PRIVATE KEY'), untilMs: NOW + 1 }] });
  await (await reopened()).forgetReplaced(NOW + 1);
  expect(await keyFile(path).load()).not.toHaveProperty('replaced');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await (await reopened()).empty();
  expect(await (await reopened()).keys()).toBeNull();
});

test.each(['', '[]', '{"key":1}', '{"key":"a","next":{"key":"b"}}', '{"key":"a","replaced":[null]}', '{"key":"a","replaced":{}}'])(
  'says what to do about a file that holds no keys: %s',
  async (text) => {
    const path = join(folder, 'broken.json');
    await writeFile(path, text);
    await expect(keyFile(path).load()).rejects.toThrow('holds no keys');
  },
);
