// Two whole servers, peered from the command line beside them while they run: what each command prints, asks and refuses, and what the servers
// tell each other when one of them stops and starts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runKeysPrint, runKeysRotate } from '../../src/ops/keys.ts';
import { runPeersAccept, runPeersInvite, runPeersList, runPeersMove, runPeersShow } from '../../src/ops/peers.ts';
import { runStreamsRetry } from '../../src/ops/streams.ts';
import { spelled } from '../../src/wire/address.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { LightCommunity } from '../support/light-member.ts';
import { makeMember } from '../support/members.ts';
import { beside } from '../support/peering.ts';
import { startServer, type TestServer } from '../support/server.ts';

const PRIVATE = { config: { allowPrivatePeers: true, signup: 'open' } } as const;

let a: TestServer;
let b: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await makeDataFolder();
  [a, b] = await Promise.all([startServer(PRIVATE), startServer(PRIVATE)]);
});
afterAll(async () => {
  await Promise.all([a.close(), b.close()]);
  await removeFolder(folder);
});

const sure = { dryRun: false, isSure: true, confirm: null } as const;
const stateAt = async (server: TestServer): Promise<unknown> => {
  const { printed, base } = beside(server);
  await runPeersList(base);
  return printed[0]?.value['state'];
};
const shownAt = async (server: TestServer, peer: TestServer): Promise<string> => {
  const { printed, base } = beside(server);
  await runPeersShow({ ...base, server: peer.app.serverId });
  return printed[0]?.shown ?? '';
};
const move = async (server: TestServer, moving: 'approve' | 'suspend' | 'revoke', target: string, asked: object = sure) => {
  const { printed, base } = beside(server);
  const exitCode = await runPeersMove({ ...base, ...sure, ...asked, moving, target });
  return { exitCode, ...printed.at(-1) };
};

test('the operators of two servers make them peers, and members of each see the other', async () => {
  const key = beside(b);
  await runKeysPrint(key.base);
  expect(key.printed[0]?.value).toMatchObject({ server: b.app.serverId, fingerprint: b.app.fingerprint });
  const file = join(folder, 'b.asc');
  await writeFile(file, `\n> reedbed@0.1.0 reedbed\n\n${key.printed[0]?.shown}\n`);
  const inviting = beside(a);
  await expect(runPeersInvite({ ...inviting.base, key: join(folder, 'none') })).rejects.toThrow("can't be read");
  await runPeersInvite({ ...inviting.base, key: file });
  expect(inviting.notes.join('\n')).toContain(spelled(b.app.fingerprint));
  expect(await shownAt(a, b)).toContain('their admin accepts the connection string');
  await expect(move(a, 'approve', b.app.serverId)).rejects.toMatchObject({ mend: expect.stringContaining('not accepted') as string });
  // As an operator keeps it: what a command prints, in a file, with what npm says before it.
  const connection = join(folder, 'for-b');
  await writeFile(connection, `\n> reedbed@0.1.0 reedbed\n> node src/main.ts peers invite\n\n${inviting.printed[0]?.shown}\n`);

  const accepting = beside(b);
  await expect(runPeersAccept({ ...accepting.base, ...sure, connection: join(folder, 'none') })).rejects.toThrow('no connection string');
  await expect(runPeersAccept({ ...accepting.base, ...sure, isSure: false, connection })).rejects.toThrow('Nobody is here');
  expect(await runPeersAccept({ ...accepting.base, ...sure, isSure: false, confirm: async () => false, connection })).toBe(1);
  expect(await runPeersAccept({ ...accepting.base, ...sure, dryRun: true, connection })).toBe(0);
  expect(await stateAt(b)).toBeUndefined();
  expect(accepting.notes.join('\n')).toContain(spelled(a.app.fingerprint));
  expect(accepting.notes.join('\n')).toContain(a.url);
  const asked: string[] = [];
  const confirm = async (question: string): Promise<boolean> => asked.push(question) > 0;
  expect(await runPeersAccept({ ...accepting.base, ...sure, isSure: false, confirm, connection })).toBe(0);
  expect(asked).toEqual([expect.stringContaining('another channel')]);

  expect(await move(a, 'approve', b.app.serverId)).toMatchObject({ exitCode: 0, value: { state: 'approved-by-us', done: true } });
  expect(await shownAt(a, b)).toContain('their admin approves it, too');
  expect(await move(b, 'approve', a.app.serverId)).toMatchObject({ exitCode: 0 });
  await a.settle();
  await b.settle();
  expect([await stateAt(a), await stateAt(b)]).toEqual(['live', 'live']);
  expect(await runPeersAccept({ ...accepting.base, ...sure, connection })).toBe(0);
  expect(accepting.printed.at(-1)?.shown, 'they are asked to approve what they approved').toContain('accepted before');
  expect(await shownAt(a, b)).toMatch(/has everything[\s\S]*0 awaited from there/);
  const member = await makeMember(a, { name: 'heron' });
  await member.close();
});

/** A's breaker for B is open for an hour, and its operator has B tried now. @returns how A knows B once something came of that */
const retry = async (): Promise<{ failures: number } | undefined> => {
  const rows = new LightCommunity(a.database.url, a.app.serverId);
  await rows.rows("update peers set failures = 9, retry_at = now() + interval '1 hour' where server_id = $1", [b.app.serverId]);
  const { printed, base } = beside(a);
  await runStreamsRetry({ ...base, of: { peer: b.app.serverId } });
  expect(printed[0]?.value).toMatchObject({ peers: 1 });
  const of = async () => (await rows.rows<{ failures: number }>('select failures from peers where server_id = $1', [b.app.serverId]))[0];
  await expect.poll(async () => (await of())?.failures, { timeout: 20_000 }).not.toBe(9);
  return of();
};

test('a server that stops says so to its peers, and again when it is back', async () => {
  const away = async (): Promise<unknown> => {
    const { printed, base } = beside(a);
    await runPeersList(base);
    return printed[0]?.value['away'];
  };
  const { port } = new URL(b.url);
  await b.app.close();
  expect(await away()).toBe(true);
  expect(await shownAt(a, b)).toMatch(/last error +none/);
  expect(await retry()).toMatchObject({ failures: 10 });
  expect(await shownAt(a, b)).toMatch(/last error +\d{4}-\S+Z: no connection could be made/);
  b = await startServer({ ...PRIVATE, config: { ...PRIVATE.config, port: Number(port) }, database: b.database });
  await b.settle();
  expect(await away()).toBe(false);
  expect(await retry()).toMatchObject({ failures: 0 });
  expect(await shownAt(a, b), 'what was mended is still said').toMatch(/last error +\d{4}/);
});

test('an end that waits for a second admin is shown, with how that one confirms it, for a week', async () => {
  const rows = new LightCommunity(a.database.url, a.app.serverId);
  const member = `aaaaaaaaaaaaaaaa@${a.app.serverId}`;
  const asked = (by: string, before: string) =>
    rows.rows(
      `insert into admin_requests (act, target, by_id, at) values ('peer-revoke', $1, $2, now() - $3::interval)
        on conflict (act, target) do update set by_id = excluded.by_id, at = excluded.at`,
      [b.app.serverId, by, before],
    );
  expect(await shownAt(a, b)).not.toContain('its end');
  await asked(member, '1 day');
  expect(await shownAt(a, b)).toMatch(
    new RegExp(`its end +asked for by ${member} at \\S+Z\\. .* until \\S+Z; the operator: reedbed peers revoke ${b.app.serverId}`),
  );
  await asked('operator', '6 days');
  expect(await shownAt(a, b), 'where nobody else is asked').toContain(`the operator: reedbed peers revoke ${b.app.serverId}`);
  await asked(member, '8 days');
  expect(await shownAt(a, b)).not.toContain('its end');
  await rows.rows('delete from admin_requests');
});

test('what can not be done is said with its mend, and what takes something away is asked about', async () => {
  await expect(move(a, 'approve', 'aaaaaaaaaaaaaaaa')).rejects.toMatchObject({ mend: expect.stringContaining('peers list') as string });
  await expect(move(a, 'revoke', 'b')).rejects.toThrow('no server id');
  await expect(move(a, 'suspend', b.app.serverId, { isSure: false })).rejects.toThrow('Nobody is here');
  expect(await move(a, 'suspend', b.app.serverId, { dryRun: true })).toMatchObject({ exitCode: 0, value: { dryRun: true, done: false } });
  expect(await move(a, 'revoke', b.app.serverId, { isSure: false, confirm: async () => false })).toMatchObject({ exitCode: 1 });
  expect(await stateAt(a)).toBe('live');
  const rotating = beside(a);
  const rotation = { ...rotating.base, kind: 'identity', compromised: false } as const;
  await expect(runKeysRotate({ ...rotation, ...sure, isSure: false })).rejects.toThrow('Nobody is here');
  expect(await runKeysRotate({ ...rotation, ...sure, dryRun: true })).toBe(0);
  expect(await runKeysRotate({ ...rotation, ...sure })).toBe(0);
  await expect(runKeysRotate({ ...rotation, ...sure })).rejects.toMatchObject({
    message: 'A new identity key is announced already.',
    mend: expect.stringContaining('--compromised') as string,
  });
  // The server beside the command has not taken it up, and would be met without it.
  await expect(runPeersInvite({ ...beside(a).base, key: join(folder, 'b.asc') })).rejects.toThrow('newest key');
  const [next] = rotating.printed.slice(-1);
  const nextSpelled = spelled(String(next?.value['key']).split('@')[0] ?? '');
  const printing = beside(a);
  await runKeysPrint(printing.base);
  expect(printing.printed[0]?.value, 'the one that signs').toMatchObject({ fingerprint: a.app.fingerprint });
  expect(printing.notes.join('\n')).toContain(`signs from ${String(next?.value['effectiveAt'])} on: ${nextSpelled}`);
  await a.settle();
  const document = (await (await fetch(`${a.url}/.well-known/reedbed`)).json()) as { statement: { keys: { key: string }[] } };
  expect(document.statement.keys.map(({ key }) => key)).toEqual([
    expect.stringContaining(a.app.fingerprint),
    rotating.printed.at(-1)?.value['key'],
  ]);
  // As their operator sees it, once the word that there is another document has come.
  const back = new LightCommunity(a.database.url, a.app.serverId);
  await back.rows('update owed_peer_notices set due_at = now()');
  await expect.poll(() => shownAt(b, a), { timeout: 20_000 }).toContain(`${nextSpelled} from 2`);
  expect(await shownAt(b, a)).toContain(`fingerprint     ${spelled(a.app.fingerprint)}`);
  expect(await move(a, 'revoke', b.app.serverId)).toMatchObject({ exitCode: 0, value: { state: 'revoked' } });
  await a.settle();
  expect(await stateAt(b)).toBe('revoked');
});
