// `reedbed holder` against a whole server: signs up by an invite, keeps what it is told to, serves it, and remembers all of it.
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { type HolderOptions, runHolder } from '../../src/ops/holder.ts';
import { run } from '../support/database.ts';
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

type Line = {
  event?: string;
  state?: string;
  whom?: string;
  archivist?: boolean;
  copies?: number;
  user?: string;
  outcome?: string;
  reed?: string;
  forgotten?: boolean;
};

/** Starts a holder in this process and reads what it prints. */
const startHolder = (options: Partial<HolderOptions>) => {
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

  const first = startHolder({ invite: forHolder, username: 'night_shift', keep: [`${server.url}/reed/${encodeURIComponent(reedId)}`] });
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

test('a headless holder gives a reed up that the server does not know, and does not ask for it again', async () => {
  const author = await makeMember(server, { invite: server.rootInvite });
  members.push(author);
  const unknown = `${author.account?.user}/0198c7a0-0000-7000-8000-000000000000`;
  const first = startHolder({ invite: await author.createInvite(), username: 'night_shift', keep: [unknown] });
  expect(await first.printed(({ event }) => event === 'not-kept')).toMatchObject({ reed: unknown, outcome: 'not-found', forgotten: true });
  first.stop();
  await first.ended;
  vi.restoreAllMocks();
  const { reedId, published } = await author.publish({ text: 'the one that was meant' });
  await published;
  const again = startHolder({ keep: [reedId] });
  await again.printed(({ event, state }) => event === 'copy' && state === 'held');
  again.stop();
  await again.ended;
  expect(again.lines.filter(({ event }) => event === 'not-kept')).toEqual([]);
});

test('a headless holder says what is wrong with what it was told, and makes nothing', async () => {
  const store = join(folder, 'never');
  const start = (options: object) => runHolder({ store, keep: [], json: true, ...options });
  const invite = server.rootInvite;
  await expect(start({})).rejects.toMatchObject({ mend: expect.stringContaining('--invite') as string });
  await expect(start({ invite })).rejects.toMatchObject({ mend: expect.stringContaining('--username') as string });
  await expect(start({ keep: ['no reed'] })).rejects.toThrow('"no reed" is neither the id of a reed nor a link to one.');
  await expect(start({ follow: ['no body'] })).rejects.toThrow('"no body" is neither a name nor the id of a member.');
  // A name at another server.
  await expect(start({ follow: ['ben@heron.example'] })).rejects.toMatchObject({
    mend: expect.stringContaining('<id>@<server id>') as string,
  });
  await expect(start({ keep: [`${server.url}/person/x`] })).rejects.toThrow('neither');
  for (const part of ['garbage', invite.split('#')[0], invite.slice(0, -4), invite.split('#')[1]])
    await expect(start({ invite: part, username: 'someone' })).rejects.toThrow(`${JSON.stringify(part)} is not a whole invite link.`);
  await expect(start({ invite, username: 'x' })).rejects.toThrow('The username "x" has to have 2 to 30 characters.');
  expect(await readdir(folder)).toEqual([]);
});

test('a headless holder tells an invite that the server refuses from none at all', async () => {
  const refused = runHolder({
    store: folder,
    keep: [],
    json: true,
    invite: server.rootInvite.replace(/.{5}$/, 'AAAAA'),
    username: 'someone',
  });
  await expect(refused).rejects.toMatchObject({ mend: expect.stringContaining('Ask for another one') as string });
  const uninvited = runHolder({ store: folder, keep: [], json: true, server: server.url, username: 'someone' });
  await expect(uninvited).rejects.toMatchObject({ mend: expect.stringContaining('Start it with --invite') as string });
});

test('a headless holder whose journal is lost says that its keys alone do not bring it back, and how to go on', async () => {
  const author = await makeMember(server, { invite: server.rootInvite });
  members.push(author);
  const first = startHolder({ invite: await author.createInvite(), username: 'night_shift' });
  await first.printed(({ event }) => event === 'connection');
  first.stop();
  await first.ended;
  const whole = `${folder}-whole`;
  await cp(folder, whole, { recursive: true });
  try {
    await rm(join(folder, 'journal'));
    const invite = await author.createInvite();
    await expect(runHolder({ store: folder, keep: [], json: true, invite, username: 'night_shift' })).rejects.toMatchObject({
      message: expect.stringContaining('signed up already') as string,
      mend: expect.stringContaining('Put a copy of the whole folder back') as string,
    });
    // What it says to do does help.
    await cp(whole, folder, { recursive: true });
    vi.restoreAllMocks();
    const again = startHolder({});
    await again.printed(({ event }) => event === 'connection');
    again.stop();
    expect(await again.ended).toBe(0);
  } finally {
    await rm(whole, { recursive: true, force: true });
  }
});

test('a closed server lets in the first member by the root invite, and nobody after', async () => {
  const closed = await startServer({ config: { signup: 'closed' } });
  try {
    const first = await makeMember(closed, { invite: closed.rootInvite });
    members.push(first);
    await expect(makeMember(closed)).rejects.toMatchObject({ code: 'SIGNUP_CLOSED' });
    await expect(first.createInvite()).rejects.toMatchObject({ code: 'SIGNUP_CLOSED' });
    await first.close();
  } finally {
    await closed.close();
  }
});

test('a headless holder keeps what those write whom it follows by name, until it follows them no more', async () => {
  const author = await makeMember(server, { name: 'Ada', invite: server.rootInvite });
  members.push(author);
  const invite = await author.createInvite();
  const first = startHolder({ invite, username: 'night_shift', follow: ['ada', 'nobody'] });
  expect(await first.printed(({ event, state }) => event === 'follow' && state === 'following')).toMatchObject({
    user: author.account?.user,
    whom: 'ada',
  });
  expect(await first.printed(({ event, state }) => event === 'follow' && state === 'refused')).toMatchObject({ whom: 'nobody' });
  const { reedId, published } = await author.publish({ text: 'to whom it may concern' });
  await published;
  await first.printed(({ event, state, reed }) => event === 'copy' && state === 'held' && reed === reedId);
  first.stop();
  await first.ended;
  vi.restoreAllMocks();
  const again = startHolder({ unfollow: [`${author.account?.user}`] });
  await again.printed(({ event, state }) => event === 'follow' && state === 'unfollowed');
  const { rows } = (await run(server.database.url, 'select active from follows'))[0] ?? {};
  expect(rows).toEqual([{ active: false }]);
  again.stop();
  await again.ended;
});

test('a headless holder keeps what archivists are given once it said so and has the role, also after a restart', async () => {
  const author = await makeMember(server, { invite: server.rootInvite });
  members.push(author);
  const first = startHolder({ invite: await author.createInvite(), username: 'night_shift', archivist: true });
  expect(await first.printed(({ event }) => event === 'started')).toMatchObject({ archivist: true });
  await first.printed(({ event }) => event === 'connection');
  first.stop();
  await first.ended;
  await run(server.database.url, `update users set role = 'archivist' where username = 'night_shift'`);
  vi.restoreAllMocks();
  const again = startHolder({});
  expect(await again.printed(({ event }) => event === 'started')).toMatchObject({ archivist: true });
  const synced = `select u.username from online_users o join users u on u.id = o.user_id where o.sync_request_id is not null`;
  await expect
    .poll(async () => (await run(server.database.url, synced))[0]?.rows, { timeout: 30_000 })
    .toContainEqual({ username: 'night_shift' });
  const { reedId, published } = await author.publish({ text: 'for ever' });
  await published;
  await again.printed(({ event, state, reed }) => event === 'copy' && state === 'held' && reed === reedId);
  again.stop();
  await again.ended;
  vi.restoreAllMocks();
  const last = startHolder({ archivist: false });
  expect(await last.printed(({ event }) => event === 'started')).toMatchObject({ archivist: false });
  await last.printed(({ event }) => event === 'connection');
  last.stop();
  await last.ended;
});
