// What the disk of a server holds after a clean stop: what it keeps for good, and no trace of who was there and who waited for what. In every
// file: tables, indexes, the write-ahead log, what Postgres samples for its planner, logs. And what the log of the process says by default.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { Line } from '../support/altered-parts.ts';
import { type Child, removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { prepareData, run } from '../support/database.ts';
import { makeMember } from '../support/members.ts';
import { databaseUrlOf } from '../support/processes.ts';
import { readyLine, spawnServer } from '../support/server-process.ts';

const TEXT = 'whispered in the reeds';
const UNLOGGED =
  "select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relpersistence = 'u' and c.relkind = 'r'";

let folder: string;
let child: Child;
let members: Member[];

beforeEach(async () => {
  folder = await makeDataFolder();
  await prepareData(folder);
  child = spawnServer({ data: folder, bundled: true });
  members = [];
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  child.send('SIGTERM');
  await child.exit;
  await removeFolder(folder);
});

/** The files that hold one of these words, or of these bytes, by what they hold. Each is read once. */
async function filesWith(words: readonly (string | Buffer)[]): Promise<Map<string | Buffer, string[]>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = new Map<string | Buffer, string[]>();
  for (const path of paths) {
    const bytes = await readFile(path);
    for (const word of words) {
      if (bytes.includes(word)) found.set(word, [...(found.get(word) ?? []), path.slice(folder.length + 1)]);
    }
  }
  return found;
}

async function enter(url: string, invite: string | null): Promise<{ member: Member; line: Line }> {
  const line = new Line();
  const member = await makeMember({ url }, { invite, deps: { socket: line.factory } });
  members.push(member);
  return { member, line };
}

it('after a clean stop nobody learns from it who was online, who asked for what, or with what token', async () => {
  const ready = await readyLine(child);
  const { member: author } = await enter(ready.url, ready.rootInvite);
  const reeds: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const { reedId, published } = await author.publish({ text: `${TEXT} ${count}` });
    await published;
    reeds.push(reedId);
  }
  const { member: reader, line } = await enter(ready.url, await author.createInvite());
  const database = await databaseUrlOf(folder);
  await reader.request(reeds.shift() as never);
  await line.seen('in', 'settled');
  await author.close();
  for (const reed of reeds) reader.request(reed as never).catch(() => undefined);
  await line.seen('in', 'requestAck', ({ body }) => body.reedId === reeds.at(-1));
  // As autovacuum does by itself: copies samples of the rows to where they are kept.
  const [waiting, online, sessions] = await run(
    database,
    'select request_id from pending_events',
    'select uuid_send(id) as bytes, device_id from online_connections',
    'select token_hash as bytes from sessions',
    'analyze',
    'checkpoint',
  );
  const [first, ...requestIds] = line.frames('out', 'requestReed').map(({ body }) => body.requestId);
  expect(waiting?.rows.map(({ request_id }) => request_id).sort()).toEqual([...requestIds].sort());
  const binary: Buffer[] = [...(online?.rows ?? []), ...(sessions?.rows ?? [])].map(({ bytes }) => bytes);
  expect(binary.length).toBeGreaterThan(2);

  child.send('SIGTERM');
  expect((await child.exit).code).toBe(0);
  const ciphertext =
    Buffer.from(line.frames('in', 'dataResponse')[0]?.body.ciphertext ?? [])
      .toString('latin1')
      .split('\n')[4] ?? '';
  expect(ciphertext).toHaveLength(60);
  const gone = [first ?? '', ...requestIds, ...binary, TEXT, ciphertext];
  const kept = reader.account?.user ?? ' ';
  // What is kept shows that the search finds things.
  expect([...(await filesWith([...gone, kept])).keys()]).toEqual([kept]);

  const embedded = await startEmbedded({ dataFolder: folder, log: pino({ level: 'silent' }) });
  try {
    const [tables] = await run(embedded.url, `${UNLOGGED} and n.nspname = 'public'`);
    expect(tables?.rows.length).toBeGreaterThan(5);
    for (const { name } of tables?.rows ?? []) expect((await run(embedded.url, `select * from ${name}`))[0]?.rows, name).toEqual([]);
    const [sampled] = await run(embedded.url, `select * from pg_stats where schemaname = 'public' and tablename in (${UNLOGGED})`);
    expect(sampled?.rows).toEqual([]);
  } finally {
    await embedded.stop();
  }
});

it('the log names nobody at its default level, not even the root invite', async () => {
  const ready = await readyLine(child);
  const { member } = await enter(ready.url, ready.rootInvite);
  const { reedId, published } = await member.publish({ text: TEXT });
  await published;
  const { account } = member;
  await fetch(`${ready.url}/api/v1/reeds/${encodeURIComponent(reedId)}`, { headers: { authorization: 'Bearer whispered' } });
  await member.close();
  child.send('SIGTERM');
  await child.exit;
  const { err } = child.output();
  expect(err).toContain('draining');
  const secret = ready.rootInvite?.split('.').at(-1) ?? ' ';
  for (const word of [account?.user, account?.key.split('/')[1], account?.username, account?.device, reedId, secret, 'whispered']) {
    expect(err).not.toContain(word);
  }
});
