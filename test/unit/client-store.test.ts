// The store contract over memory and files, and what only files can go through: kill -9, torn writes, damage.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { Change } from '../../src/client/store.ts';
import { openFileStore } from '../../src/ops/file-store.ts';
import { storeContract } from '../support/store-contract.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-store-'));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** What this process has open. */
const openFiles = async (): Promise<string[]> =>
  Promise.all((await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));

/** Memory has nothing to reopen: the same content is carried over, as a device that was never switched off. */
const memory = async () => {
  const store = new MemoryStore();
  const written: Change[] = [];
  const recording = {
    complete: true,
    get: store.get.bind(store),
    list: store.list.bind(store),
    feed: store.feed.bind(store),
    close: store.close.bind(store),
    write: async (changes: readonly Change[]) => {
      await store.write(changes);
      written.push(...structuredClone(changes));
    },
  } as typeof store;
  return {
    store: recording,
    reopen: async () => {
      const again = new MemoryStore();
      await again.write(written);
      return again;
    },
    dispose: () => Promise.resolve(),
  };
};

const file = async () => {
  const folder = await newFolder();
  const store = await openFileStore(folder);
  return { store, reopen: () => openFileStore(folder), dispose: () => store.close() };
};

describe('memory store', () => {
  for (const { name, run } of storeContract(memory)) test(name, run);
});

describe('file store', () => {
  for (const { name, run } of storeContract(file)) test(name, run);

  const put = (id: string, value: unknown): Change => ({ put: 'meta', record: { id, value } });

  test('has every write that resolved before kill -9, and opens though the lock was left', async () => {
    const folder = await newFolder();
    const script = `
      import { openFileStore } from ${JSON.stringify(join(import.meta.dirname, '../../src/ops/file-store.ts'))};
      const store = await openFileStore(${JSON.stringify(folder)});
      for (let n = 0; ; n++) {
        await store.write([{ put: 'meta', record: { id: 'count', value: n } }, { put: 'meta', record: { id: 'twin', value: n } }]);
        process.stdout.write(n + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += String(chunk);
      if (printed.split('\n').length > 20) break;
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const last = Number(printed.trim().split('\n').at(-1)?.trim() ?? Number.NaN);
    const store = await openFileStore(folder);
    const count = (await store.get('meta', 'count'))?.value as number;
    expect(count).toBeGreaterThanOrEqual(printed.endsWith('\n') ? last : 0);
    expect((await store.get('meta', 'twin'))?.value).toBe(count);
    expect(store.complete).toBe(true);
    await store.close();
  });

  test('drops a write that was cut short at the end, and goes on from there', async () => {
    const folder = await newFolder();
    const first = await openFileStore(folder);
    await first.write([put('a', 1)]);
    await first.close();
    const whole = await readFile(join(folder, 'journal'));
    await appendFile(join(folder, 'journal'), '{"c":"meta","r":{"id":"b","value":2}}\n{"end":1,"cr');
    const second = await openFileStore(folder);
    expect(await second.list('meta')).toEqual([{ id: 'a', value: 1 }]);
    expect(second.complete).toBe(true);
    expect((await stat(join(folder, 'journal'))).size).toBe(whole.length);
    await second.write([put('c', 3)]);
    await second.close();
    const third = await openFileStore(folder);
    expect((await third.list('meta')).map(({ id }) => id)).toEqual(['a', 'c']);
    await third.close();
  });

  test('says that it is incomplete when a batch in the middle was damaged, also after it was compacted', async () => {
    const folder = await newFolder();
    const first = await openFileStore(folder);
    for (const id of ['a', 'b', 'c']) await first.write([put(id, id)]);
    await first.close();
    const path = join(folder, 'journal');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"value":"b"', '"value":"x"'));
    const second = await openFileStore(folder);
    expect(second.complete).toBe(false);
    expect((await second.list('meta')).map(({ id }) => id)).toEqual(['a', 'c']);
    const filler = 'x'.repeat(300_000);
    for (let round = 0; round < 8; round++) await second.write([put('filler', filler)]);
    await second.close();
    const third = await openFileStore(folder);
    expect(third.complete).toBe(false);
    await third.close();
  });

  test.each([
    ['the last closing line but one', (text: string) => text.replace(/"end":1(?=.*\n.*"id":"c".*\n.*\n$)/, '"enX":1'), ['a']],
    ['a record of the last write', (text: string) => text.replace('"value":"c"', '"value":"x"'), ['a', 'b']],
    ['the last closing line', (text: string) => text.replace(/"end":1(?=.*\n$)/, '"enX":1'), ['a', 'b']],
  ])('says that it is incomplete when %s was damaged, also the time after', async (_name, damage, left) => {
    const folder = await newFolder();
    const first = await openFileStore(folder);
    for (const id of ['a', 'b', 'c']) await first.write([put(id, id)]);
    await first.close();
    const path = join(folder, 'journal');
    const whole = await readFile(path, 'utf8');
    expect(damage(whole)).not.toBe(whole);
    await writeFile(path, damage(whole));
    for (const more of ['d', 'e']) {
      const store = await openFileStore(folder);
      expect(store.complete).toBe(false);
      expect((await store.list('meta')).map(({ id }) => id)).toEqual(left);
      await store.write([put(more, more)]);
      await store.close();
      left.push(more);
    }
  });

  test('gives the space of replaced records back and loses nothing by it', async () => {
    const folder = await newFolder();
    const store = await openFileStore(folder);
    await store.write([put('kept', 'still here')]);
    const filler = 'x'.repeat(300_000);
    for (let round = 0; round < 20; round++) {
      const [kept] = await Promise.all([store.get('meta', 'kept'), store.write([put('filler', `${round}${filler}`)])]);
      expect(kept?.value).toBe('still here');
    }
    expect((await stat(join(folder, 'journal'))).size).toBeLessThan(3_000_000);
    await store.close();
    const again = await openFileStore(folder);
    expect((await again.get('meta', 'filler'))?.value).toBe(`19${filler}`);
    expect((await again.get('meta', 'kept'))?.value).toBe('still here');
    await again.close();
  });

  test('goes on with the old journal when a compaction fails, leaves nothing of it, and tries again later', async () => {
    const folder = await newFolder();
    const path = join(folder, 'journal');
    const store = await openFileStore(folder);
    await store.write([put('kept', 'still here')]);
    // A record that can't be read back ends every compaction half way, as a full disk would.
    const damage = async (from: string, to: string): Promise<void> => {
      const at = (await readFile(path)).indexOf(from);
      expect(at).toBeGreaterThan(0);
      const file = await open(path, 'r+');
      await file.write(to, at);
      await file.close();
    };
    await damage('"still here"', '!still here!');
    const filler = 'x'.repeat(300_000);
    for (let round = 0; round < 6; round++) await store.write([put('filler', `${round}${filler}`)]);
    expect((await stat(path)).size).toBeGreaterThan(1_800_000);
    expect((await store.get('meta', 'filler'))?.value).toBe(`5${filler}`);
    expect(await readdir(folder)).not.toContain('journal.new');
    expect(await openFiles()).not.toContainEqual(expect.stringContaining(`${path}.new`));

    await damage('!still here!', '"still here"');
    for (let round = 0; round < 10; round++) await store.write([put('filler', `${round}${filler}`)]);
    expect((await stat(path)).size).toBeLessThan(3_000_000);
    expect((await store.get('meta', 'kept'))?.value).toBe('still here');
    await store.close();
    const again = await openFileStore(folder);
    expect([(await again.get('meta', 'kept'))?.value, (await again.get('meta', 'filler'))?.value]).toEqual(['still here', `9${filler}`]);
    expect(again.complete).toBe(true);
    await again.close();
  });

  test('goes on when the new journal can not even be made, and tries more and more seldom', async () => {
    const folder = await newFolder();
    const store = await openFileStore(folder);
    const inTheWay = join(folder, 'journal.new');
    await mkdir(inTheWay);
    const filler = 'x'.repeat(300_000);
    for (let round = 0; round < 12; round++) await store.write([put('filler', `${round}${filler}`)]);
    await rm(inTheWay, { recursive: true });
    // Tried at 1.2 and 2.4 MB, and not again before 2 MiB more.
    for (let round = 0; round < 2; round++) await store.write([put('filler', filler)]);
    expect((await stat(join(folder, 'journal'))).size).toBeGreaterThan(4_100_000);
    for (let round = 0; round < 2; round++) await store.write([put('filler', filler)]);
    await store.close();
    expect((await stat(join(folder, 'journal'))).size).toBeLessThan(1_000_000);
  });

  test('is not opened twice', async () => {
    const folder = await newFolder();
    const store = await openFileStore(folder);
    await expect(openFileStore(folder)).rejects.toThrow(/already open/);
    await store.close();
    await (await openFileStore(folder)).close();
  });

  test('refuses a journal of another version', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'journal'), 'reedbed-store 9+\n');
    await expect(openFileStore(folder)).rejects.toThrow(/no store of this version/);
    // The lock was given back.
    await expect(openFileStore(folder)).rejects.toThrow(/no store of this version/);
  });
});
