// The server's own identity for a command beside it: unlocked by the same passphrase, with the database's clock, and only where there is one.
// Its acts are the operator's; no document is made by it.
import { OffsetClock } from '../base/clock.ts';
import { cryptoRandom } from '../base/ids.ts';
import { SetupError } from '../base/setup-error.ts';
import { loadPassphrase } from '../config/passphrase.ts';
import { synchronizeClock } from '../db/clock.ts';
import type { Database } from '../db/pool.ts';
import { AdminActs } from '../identity/admin-acts.ts';
import { Countersigner } from '../identity/countersign.ts';
import { StoredKeys } from '../identity/key-lookup.ts';
import { openServerIdentity } from '../identity/server-identity.ts';
import type { Beside } from './database.ts';

const NONE = new SetupError('This database has no server yet.', 'Start it once: reedbed serve');

/** @throws SetupError if there are no keys, or the passphrase does not open them */
export const openOwnIdentity = async ({ config }: Beside, db: Database) => {
  const { limits, name } = config;
  const clock = new OffsetClock();
  await synchronizeClock(db, clock);
  const [key] = await db.query({ text: 'select from server_keys where wrapped_private_key is not null limit 1' });
  if (key === undefined) throw NONE;
  const { value: passphrase } = await loadPassphrase(config, {
    credentials: process.env['CREDENTIALS_DIRECTORY'],
    hasKeys: async () => true,
  });
  const ground = { db, clock, random: cryptoRandom, limits };
  const opened = await openServerIdentity({ ...ground, passphrase, name, publicUrl: null });
  if (!opened.ok)
    throw new SetupError(
      'The passphrase does not open the server keys.',
      'Set REEDBED_PASSPHRASE or REEDBED_PASSPHRASE_FILE to the one they were made with.',
    );
  const server = opened.value;
  const keys = new StoredKeys({ ...ground, server });
  const adminActs = new AdminActs({ ...ground, server, keys, countersigner: new Countersigner({ ...ground, server }) });
  return { ...ground, server, adminActs, passphrase };
};
