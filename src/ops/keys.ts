// `reedbed keys`: shows the server's public key for an admin of another server, and makes its keys anew.
import { OffsetClock } from '../base/clock.ts';
import { SetupError, WrongUse } from '../base/setup-error.ts';
import { type KeyKind, rotateOwnKey } from '../federation/own-keys.ts';
import { fingerprintOf, type ServerKeyId, serverIdFromFingerprint, spelled } from '../wire/address.ts';
import { type Beside, withDatabase } from './database.ts';
import { mended } from './own-faults.ts';
import { openOwnIdentity } from './own-identity.ts';
import type { Confirm } from './peers.ts';
import type { ListTerminal } from './terminal.ts';

type KeysCommand = Beside & { readonly terminal: ListTerminal };
export type KeysRotateCommand = KeysCommand & {
  readonly kind: KeyKind;
  readonly compromised: boolean;
  /** The database is one of a backup. */
  readonly restored?: boolean;
  readonly dryRun: boolean;
  readonly isSure: boolean;
  readonly confirm: Confirm;
};

type KeyRow = { readonly id: ServerKeyId; readonly server: string; readonly armor: string };
type Announced = { readonly id: ServerKeyId; readonly at: Date };

const NOT_DONE = 1;

const PRINTED = `
  select k.id, k.server_id as server, k.public_key as armor from server_keys k join servers s on s.id = k.server_id
  where s.is_self and k.kind = 'identity' and k.effective_at <= $1 order by k.effective_at desc, k.created_at desc limit 1`;

const ANNOUNCED = `
  select k.id, k.effective_at as at from server_keys k join servers s on s.id = k.server_id
  where s.is_self and k.kind = 'identity' and k.effective_at > $1 order by k.effective_at limit 1`;

/**
 * Prints the armored public key that signs now, and nothing around it on standard output: it goes into a file as it is. Of a key that is not the
 * first one nobody could tell whose it is, so a line before it says that.
 */
export const runKeysPrint = (command: KeysCommand): Promise<void> =>
  withDatabase(command, async (db) => {
    const values = [new Date(new OffsetClock().now())];
    const [key] = await db.query<KeyRow>({ text: PRINTED, values });
    if (key === undefined) throw new SetupError('This database has no server yet.', 'Start it once: reedbed serve');
    const { server, armor } = key;
    const fingerprint = fingerprintOf(key.id);
    command.terminal.note(`The key of server ${server}. For their admin to compare, over another channel: ${spelled(fingerprint)}`);
    const [next] = await db.query<Announced>({ text: ANNOUNCED, values });
    if (next !== undefined)
      command.terminal.note(`A new key is announced, which signs from ${next.at.toISOString()} on: ${spelled(fingerprintOf(next.id))}`);
    const isFirst = (await serverIdFromFingerprint(fingerprint)) === server;
    command.terminal.print({ server, key: key.id, fingerprint, armor }, `${isFirst ? '' : `Server: ${server}\n`}${armor.trimEnd()}`);
  });

const MEANING: Readonly<Record<KeyKind, (compromised: boolean) => string>> = {
  identity: (compromised) =>
    compromised
      ? 'This revokes the present identity key at once; every peering stops, and the admins of both sides have to approve each of them again.'
      : 'This announces a new identity key, which signs in three days. Peers and members know this server by both until then.',
  transport: (compromised) =>
    compromised
      ? 'This ends the present transport keys at once; calls of peers fail until they have asked for the new document.'
      : 'This announces a new transport key, which signs in ten minutes; the present one ends in a day.',
};

/** What the operator waits for, or has to do, once the key is made. */
const THEN: Readonly<Record<KeyKind, (compromised: boolean) => string>> = {
  identity: (compromised) =>
    compromised
      ? 'Let the admins of peers compare the new key over another channel (reedbed keys print), then both approve: reedbed peers show <id> says how.'
      : 'Nothing else to do: peers take it up by themselves. Their admins can compare it: reedbed keys print shows both keys.',
  transport: () => 'Nothing else to do: a running server takes it up within a minute, and peers ask for it.',
};

const THEN_RESTORED =
  'Nothing else to do: a running server takes it up within a minute, peers within five or so. Until then reedbed peers show <id> says that they do not answer.';

const RESTORED =
  'This makes a new transport key, which signs at once, and a server document that peers and members take for newer than any that they saw.';

/** @returns the exit code: 1 if the answer was no */
export const runKeysRotate = async (command: KeysRotateCommand): Promise<number> => {
  const { terminal, kind, restored = false, dryRun, isSure, confirm } = command;
  if (restored && kind === 'identity')
    throw new WrongUse('What comes back from a backup keeps its identity key.', 'Say --restored without --kind.');
  return withDatabase(command, async (db, signal) => {
    // What was made in place of the keys of the backup is not in it, nor why.
    const compromised = command.compromised || restored;
    const own = await openOwnIdentity(command, db);
    const meaning = restored ? RESTORED : MEANING[kind](compromised);
    if (dryRun) {
      terminal.print({ kind, compromised, rotated: false, dryRun }, `${meaning} Run it without --dry-run to do it.`);
      return 0;
    }
    terminal.note(meaning);
    if (!isSure) {
      if (confirm === null) throw new SetupError('Nobody is here to confirm a new key.', 'Say --yes if you are sure.');
      if (!(await confirm(`Make a new ${kind} key?`, signal))) {
        signal.throwIfAborted();
        terminal.print({ kind, compromised, rotated: false, dryRun }, 'The keys are as they were.');
        return NOT_DONE;
      }
    }
    const deps = { ...own, acts: own.adminActs, server: own.server.id };
    const { key, effectiveAt } = await mended(() => rotateOwnKey(deps, kind, compromised, restored));
    const at = effectiveAt.toISOString();
    terminal.print({ kind, compromised, rotated: true, key, effectiveAt: at, dryRun }, `The new ${kind} key ${key} signs from ${at} on.`);
    terminal.note(restored ? THEN_RESTORED : THEN[kind](compromised));
    return 0;
  });
};
