// What an operator is told: whose a key is that is not its server's first, what every act in the log was, and what a refusal is mended by.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { runActs } from '../../src/ops/acts.ts';
import { runKeysPrint, runKeysRotate } from '../../src/ops/keys.ts';
import { mended } from '../../src/ops/own-faults.ts';
import { runPeersInvite, runPeersMove, runPeersShow } from '../../src/ops/peers.ts';
import { runStreamsList, runStreamsParked, runStreamsRetry } from '../../src/ops/streams.ts';
import { runUsersRole } from '../../src/ops/users.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { beside } from '../support/peering.ts';
import { makeWorld, signUp, type World } from '../support/people.ts';

const SURE = { dryRun: false, isSure: true, confirm: null } as const;

let [a, b]: World[] = [];
let folder: string;
beforeAll(async () => {
  folder = await makeDataFolder();
  [a, b] = await Promise.all([makeWorld(), makeWorld()]);
  // As at a first start: an invitation is made of it.
  await a.identity.server.document();
});
afterAll(async () => {
  await Promise.all([a?.close(), b?.close()]);
  await removeFolder(folder);
});

/** Whom a server invites by the file that another one's `keys print` wrote. */
async function invited(by: World, of: World): Promise<unknown> {
  const [printing, inviting] = [beside(of), beside(by)];
  await runKeysPrint(printing.base);
  const file = join(folder, 'key.asc');
  await writeFile(file, `${printing.printed[0]?.shown}\n`);
  await runPeersInvite({ ...inviting.base, key: file });
  return inviting.printed[0]?.value['server'];
}

test('a server is invited by the key that it prints, also by one that is not its first', async () => {
  if (!a || !b) throw new Error('never');
  expect(await invited(a, b)).toBe(b.identity.server.id);
  await runKeysRotate({ ...beside(b).base, ...SURE, kind: 'identity', compromised: true });
  expect(await invited(a, b)).toBe(b.identity.server.id);
});

test('the log of acts names each with who did it and to whom, in its order', async () => {
  if (!a || !b) throw new Error('never');
  const ann = await signUp(a, { username: 'ann' });
  await runUsersRole({ ...beside(a).base, ...SURE, member: 'ann', role: 'archivist' });
  const reading = beside(a);
  await runActs(reading.base);
  expect(reading.printed.map(({ value: { number, by, act } }) => ({ number, by, act }))).toEqual([
    { number: 1, by: 'operator', act: 'peer-invite' },
    { number: 2, by: 'operator', act: 'peer-invite' },
    { number: 3, by: 'operator', act: 'role-archivist' },
  ]);
  expect(reading.printed[2]?.shown).toMatch(new RegExp(`Z +the operator +role-archivist +${ann.user}$`));
});

test.each([
  ['INVALID', 'connection: not whole, or not genuine', 'make another'],
  ['INVALID', 'key: that of this server itself', 'at the other server'],
  ['CONFLICT', 'the other server did not answer as itself (unsigned); try again', 'has run out'],
  ['CONFLICT', 'target: that server has not shown this key as its newest', 'peers show'],
  ['CONFLICT', 'peers can not call this server at its address: not https', 'REEDBED_PUBLIC_URL'],
  ['CONFLICT', 'peers can not call this server at its address: not a public host name', 'REEDBED_ALLOW_PRIVATE_PEERS'],
  ['CONFLICT', 'the other server did not answer as itself (refused-address); try again', 'REEDBED_ALLOW_PRIVATE_PEERS'],
  ['CONFLICT', 'the other server refused: baseUrl: not https', 'REEDBED_PUBLIC_URL'],
] as const)('%s, %s is told with what mends that, and not others of its code', async (code, detail, mend) => {
  const told = mended(() => Promise.reject(new AppError(code, detail)));
  await expect(told).rejects.toMatchObject({ mend: expect.stringContaining(mend) as string });
});

test('what comes next is said by whom it can be done, where there are two admins and where there is one', async () => {
  if (!a || !b) throw new Error('never');
  const world = a;
  const peer = b.identity.server.id;
  const bob = await signUp(world, { username: 'bob' });
  await world.db.query({ text: "update users set role = 'admin'" });
  await world.db.query({ text: "update peers set state = 'pending' where server_id = $1", values: [peer] });
  const shown = async (): Promise<string> => {
    const { printed, base } = beside(world);
    await runPeersShow({ ...base, server: peer });
    return printed[0]?.shown ?? '';
  };
  expect(await shown()).toContain(`since the operator began it: POST /api/v1/admin/peers/${peer}/approve`);
  await expect(runPeersMove({ ...beside(world).base, ...SURE, moving: 'approve', target: peer })).rejects.toMatchObject({
    mend: expect.stringContaining('peers show') as string,
  });
  await runPeersMove({ ...beside(world).base, ...SURE, moving: 'revoke', target: peer });
  expect(await shown()).toContain(`POST /api/v1/admin/peers/${peer}/revoke`);
  await world.db.query({ text: "update users set role = 'user' where id = $1", values: [bob.user] });
  expect(await shown()).toMatch(
    new RegExp(`by the operator at .*the operator: reedbed peers revoke ${peer}\n[^]*then: reedbed peers approve ${peer}`),
  );
  await runPeersMove({ ...beside(world).base, ...SURE, moving: 'approve', target: peer });
  expect(await shown()).toContain('their admin approves it, too');
});

test('a server that is no peer, and a step that can not be taken, are told before anybody is asked', async () => {
  if (!a || !b) throw new Error('never');
  const { base, notes, printed } = beside(a);
  const stranger = 'aaaaaaaaaaaaaaaa';
  for (const moving of ['approve', 'suspend', 'resume', 'revoke'] as const)
    await expect(runPeersMove({ ...base, ...SURE, dryRun: true, moving, target: stranger })).rejects.toThrow(`no peering with ${stranger}`);
  const confirm = () => Promise.reject(new Error('asked'));
  await expect(runPeersMove({ ...base, dryRun: false, isSure: false, confirm, moving: 'suspend', target: stranger })).rejects.toThrow(
    'no peering',
  );
  for (const run of [runStreamsList, runStreamsParked, runStreamsRetry])
    await expect(run({ ...base, of: { peer: stranger } })).rejects.toThrow(`no peering with ${stranger}`);
  expect([...printed, ...notes]).toEqual([]);
  await runStreamsList({ ...base, of: {} });
  expect(printed.map(({ shown }) => shown)).toEqual([expect.stringMatching(/approved-by-us +nothing is exchanged until it is live/)]);
  await a.db.query({ text: "update peers set state = 'invited' where server_id = $1", values: [b.identity.server.id] });
  await expect(runPeersMove({ ...base, ...SURE, dryRun: true, moving: 'suspend', target: b.identity.server.id })).rejects.toThrow(
    'Not now: the peering is invited',
  );
});
