// The ceremony by which the operators of two running servers make them peers, with the commands that operators have.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configWith } from '../../src/config/config.ts';
import { runKeysPrint } from '../../src/ops/keys.ts';
import { runPeersAccept, runPeersInvite, runPeersMove } from '../../src/ops/peers.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { silent } from './people.ts';

const PASSPHRASE = 'correct horse battery staple';
const SURE = { dryRun: false, isSure: true, confirm: null } as const;

/** A running server as its operator has it: its database. */
export type Operated = {
  readonly app: { readonly serverId: ServerId };
  readonly database: { readonly url: string };
  settle(): Promise<void>;
};

/** A command's surroundings beside a server, and what it printed. */
export const beside = (server: Pick<Operated, 'database'>) => {
  const printed: { value: Record<string, unknown>; shown: string }[] = [];
  const notes: string[] = [];
  const terminal = {
    isTerminal: true,
    print: (value: object, shown: string) => void printed.push({ value: { ...value }, shown }),
    note: (words: string) => void notes.push(words),
    isGone: () => false,
    fault: () => undefined,
  };
  const config = configWith({ databaseUrl: server.database.url, passphrase: PASSPHRASE, allowPrivatePeers: true });
  return { printed, notes, base: { config, terminal, log: silent } };
};

export const movePeer = async (server: Operated, moving: 'approve' | 'resume' | 'revoke' | 'suspend', target: Operated): Promise<void> => {
  await runPeersMove({ ...beside(server).base, ...SURE, moving, target: target.app.serverId });
};

/** @param folder where keys are put that one operator sends the other */
export async function becomePeers(one: Operated, other: Operated, folder: string): Promise<void> {
  const [key, inviting, accepting] = [beside(other), beside(one), beside(other)];
  await runKeysPrint(key.base);
  const file = join(folder, `${other.app.serverId}.asc`);
  await writeFile(file, `${key.printed[0]?.shown}\n`);
  await runPeersInvite({ ...inviting.base, key: file });
  await runPeersAccept({ ...accepting.base, ...SURE, connection: String(inviting.printed[0]?.value['connection']) });
  await movePeer(one, 'approve', other);
  await movePeer(other, 'approve', one);
  for (let round = 0; round < 2; round += 1) for (const server of [one, other]) await server.settle();
}
