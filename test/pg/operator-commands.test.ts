// What an operator is told: whose a key is that is not its server's first, what every act in the log was, and what a refusal is mended by.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { runActs } from '../../src/ops/acts.ts';
import { runKeysPrint, runKeysRotate } from '../../src/ops/keys.ts';
import { mended } from '../../src/ops/own-faults.ts';
import { runPeersInvite } from '../../src/ops/peers.ts';
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
] as const)('%s, %s is told with what mends that, and not others of its code', async (code, detail, mend) => {
  const told = mended(() => Promise.reject(new AppError(code, detail)));
  await expect(told).rejects.toMatchObject({ mend: expect.stringContaining(mend) as string });
});
