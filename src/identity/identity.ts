// Puts the parts of identity together, in the order in which they need one another. No decisions here.
import type { Clock } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { ok, type Result } from '../base/result.ts';
import type { Database } from '../db/pool.ts';
import type { UserId, UserKeyId } from '../wire/address.ts';
import { AccountRemovals } from './account-removal.ts';
import { AdminActs } from './admin-acts.ts';
import { type BlockEffects, Blocks } from './blocks.ts';
import { Challenges } from './challenges.ts';
import { Countersigner } from './countersign.ts';
import { Devices } from './devices.ts';
import { Follows } from './follows.ts';
import { ForeignPersons } from './foreign.ts';
import { ForeignKeys } from './foreign-keys.ts';
import { Invites } from './invites.ts';
import { StoredKeys } from './key-lookup.ts';
import { Keys } from './keys.ts';
import type { SignupMode } from './mode.ts';
import { Recovery } from './recovery.ts';
import { Rotation } from './rotation.ts';
import { openServerIdentity, type ServerIdentity } from './server-identity.ts';
import { type OnSessionEnded, Sessions } from './sessions.ts';
import { SignUp } from './sign-up.ts';
import { Users } from './users.ts';

export type IdentityDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly passphrase: string;
  readonly name: string;
  readonly publicUrl: () => string;
  readonly signup: SignupMode;
  readonly onSessionEnded: OnSessionEnded;
  readonly blockEffects: BlockEffects;
  /** Called after the commit of a follow, and whenever it is repeated. */
  readonly onFollowed: (member: UserId, target: UserId) => void;
  /** Called after the commit of a follow or its end. */
  readonly onActed: (target: UserId) => void;
  /** Asks somebody's home who they are, and keeps what is proven. */
  readonly learnPerson: (user: UserId) => Promise<unknown>;
  /** Asks the home of a key for the chain that it is on, and keeps what is proven. */
  readonly learnKey: (key: UserKeyId) => Promise<unknown>;
  /** Called after the commit that revoked a key or put it off the chain. */
  readonly onKeyEnded: (key: UserKeyId) => void;
  /** Called after the commit that removed an account for good. */
  readonly onAccountRemoved: (user: UserId) => void;
  /** Called after the commit that took the removal of an account back. */
  readonly onRemovalWithdrawn: (user: UserId) => void;
};

export type Identity = {
  readonly server: ServerIdentity;
  readonly storedKeys: StoredKeys;
  readonly countersigner: Countersigner;
  readonly adminActs: AdminActs;
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly invites: Invites;
  readonly follows: Follows;
  readonly blocks: Blocks;
  readonly signUp: SignUp;
  readonly users: Users;
  readonly keys: Keys;
  readonly foreignKeys: ForeignKeys;
  readonly rotation: Rotation;
  readonly recovery: Recovery;
  readonly accountRemovals: AccountRemovals;
  readonly foreign: ForeignPersons;
};

/** Opens the server's identity and the services on it. @returns `wrong-passphrase` if the server's keys do not open */
export async function openIdentity(deps: IdentityDeps): Promise<Result<Identity, 'wrong-passphrase'>> {
  const opened = await openServerIdentity(deps);
  if (!opened.ok) return opened;
  const server = opened.value;
  const storedKeys = new StoredKeys({ ...deps, server });
  const countersigner = new Countersigner({ ...deps, server });
  const challenges = new Challenges({ ...deps, server });
  const sessions = new Sessions({ ...deps, server, keys: storedKeys, challenges });
  const invites = new Invites({ ...deps, keys: storedKeys, countersigner });
  const readings = new Keys(deps);
  const foreign = new ForeignPersons({ ...deps, keys: storedKeys });
  return ok({
    server,
    storedKeys,
    countersigner,
    adminActs: new AdminActs({ ...deps, server, keys: storedKeys, countersigner }),
    challenges,
    sessions,
    invites,
    follows: new Follows({ ...deps, home: server.id, keys: storedKeys, countersigner }),
    blocks: new Blocks({ ...deps, effects: deps.blockEffects, home: server.id, keys: storedKeys, countersigner }),
    devices: new Devices({ ...deps, sessions }),
    signUp: new SignUp({ ...deps, server, sessions, invites }),
    users: new Users({ ...deps, home: server.id, keys: storedKeys, countersigner }),
    keys: readings,
    foreignKeys: new ForeignKeys({ ...deps, foreign, readings }),
    rotation: new Rotation({ ...deps, keys: storedKeys, countersigner }),
    recovery: new Recovery({ ...deps, sessions }),
    accountRemovals: new AccountRemovals({ ...deps, keys: storedKeys, countersigner }),
    foreign,
  });
}
