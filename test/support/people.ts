// Members made with nothing but crypto and the services under test, for tests that do not need the SDK:
// keys, statements, sign-up, and statements of every kind that the person may sign.
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { Clock } from '../../src/base/clock.ts';
import { base64url, cryptoRandom, sha256, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { generatePrivateKey, type PrivateKey } from '../../src/crypto/openpgp.ts';
import { signStatement } from '../../src/crypto/statement.ts';
import { Database } from '../../src/db/pool.ts';
import { type Identity, openIdentity } from '../../src/identity/identity.ts';
import type { SignupMode } from '../../src/identity/mode.ts';
import type { Member, OnSessionEnded, SessionStatement } from '../../src/identity/sessions.ts';
import { cutOff } from '../../src/ledger/ends.ts';
import { openReeds, type Reeds } from '../../src/reeds/reeds.ts';
import {
  makeInviteId,
  makeReedId,
  type ReedId,
  type ServerId,
  type UserId,
  type UserKeyId,
  userIdFromFingerprint,
  userKeyId,
} from '../../src/wire/address.ts';
import { canonicalBytes, type Signed } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement, type StatementOf } from '../../src/wire/statements.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { ManualClock } from './manual-clock.ts';

/** Statement with signatures, as the API takes it. */
export type Post = Signed<Statement>;

/** Somebody with a key and, once signed up, an account. Statements can be wrong on purpose: `sign` signs whatever it is given. */
export type Person = {
  readonly user: UserId;
  readonly key: PrivateKey;
  readonly keyId: UserKeyId;
  readonly recovery: PrivateKey;
  readonly device: string;
  readonly username: string;
  readonly member: Member;
};

export type World = {
  readonly db: Database;
  readonly database: TestDatabase;
  readonly databaseUrl: string;
  readonly clock: ManualClock;
  readonly limits: Limits;
  readonly identity: Identity;
  readonly reeds: Reeds;
  readonly ended: { user: UserId; deviceId?: string; reason: string }[];
  close(): Promise<void>;
};

export type WorldOptions = {
  readonly signup?: SignupMode;
  readonly limits?: Partial<Limits>;
  readonly passphrase?: string;
  readonly publicUrl?: () => string;
  /** Asks another home; without it nobody is asked. */
  readonly learnPerson?: (user: UserId) => Promise<unknown>;
  readonly learnKey?: (key: UserKeyId) => Promise<unknown>;
  /** Asks another home for a reed; without it nobody is asked. */
  readonly learnReed?: (id: ReedId) => Promise<boolean>;
  readonly onRemovalWithdrawn?: (user: UserId) => void;
  /** Of a world before, which goes on. */
  readonly going?: { readonly database: TestDatabase; readonly clock: ManualClock };
};

export const PASSPHRASE = 'correct horse battery staple';
export const silent = pino({ level: 'silent' });

/** A server without sockets: a database of its own, its identity and its reeds. */
export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const database = options.going?.database ?? (await createDatabase());
  const db = new Database({ url: database.url, role: 'application', connections: 8, log: silent });
  const clock = options.going?.clock ?? new ManualClock();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const ended: World['ended'] = [];
  const onSessionEnded: OnSessionEnded = (user, what) => void ended.push({ user, ...what });
  const opened = await openIdentity({
    db,
    clock,
    random: cryptoRandom,
    limits,
    passphrase: options.passphrase ?? PASSPHRASE,
    name: 'Test',
    publicUrl: options.publicUrl ?? (() => 'http://localhost:8080'),
    signup: options.signup ?? 'open',
    onSessionEnded,
    onFollowed: () => undefined,
    onActed: () => undefined,
    learnPerson: async (user) => options.learnPerson?.(user),
    learnKey: async (key) => options.learnKey?.(key),
    onKeyEnded: () => undefined,
    onAccountRemoved: () => undefined,
    onRemovalWithdrawn: (user) => options.onRemovalWithdrawn?.(user),
    blockEffects: {
      cutOff: async (tx, author, viewer) => {
        await cutOff(tx, author, viewer);
        return () => undefined;
      },
      changed: () => undefined,
    },
  });
  if (!opened.ok) throw new Error(opened.detail);
  const identity = opened.value;
  const close = async (): Promise<void> => {
    await db.close();
    await database.drop();
  };
  const reeds = openReeds({
    db,
    clock,
    limits,
    identity,
    onRemoved: () => undefined,
    onLiked: () => undefined,
    learnReed: async (id) => options.learnReed?.(id) ?? false,
  });
  return { db, database, databaseUrl: database.url, clock, limits, identity, reeds, ended, close };
}

/** Keys and ids of somebody without an account. Key pairs are made anew: about 10 ms. */
export async function makePerson(server: ServerId, nowMs: number, username = `u${randomUUID().slice(0, 8)}`): Promise<Person> {
  const key = await generatePrivateKey(nowMs);
  const user = await userIdFromFingerprint(key.fingerprint, server);
  const keyId = userKeyId(user, key.fingerprint);
  const device = uuidv7(nowMs, cryptoRandom);
  const recovery = await generatePrivateKey(nowMs);
  return { user, key, keyId, recovery, device, username, member: { userId: user, keyId, deviceId: device, role: 'user' } };
}

/** Signs a statement with the person's key, whether or not it is one. */
export const sign = <T extends Statement>(person: Person, statement: T, nowMs: number): Promise<Signed<T>> =>
  signStatement(statement, [{ key: person.key, keyId: person.keyId }], nowMs);

export const keyStatement = (person: Person): StatementOf<'key'> => ({
  ...heading('key'),
  user: person.user,
  key: person.keyId,
  armor: person.key.publicKey.armor,
  recovery: person.recovery.fingerprint as StatementOf<'key'>['recovery'],
});

export const identityStatement = (person: Person, nowMs: number, username = person.username): StatementOf<'identity'> => ({
  ...heading('identity'),
  user: person.user,
  username,
  key: person.keyId,
  bio: '',
  archive: true,
  follows: 'public',
  createdAt: printTime(nowMs),
});

export const sessionStatement = (
  person: Person,
  server: ServerId,
  nonce: string,
  purpose: SessionStatement['purpose'],
): SessionStatement => ({
  ...heading('session'),
  server,
  user: person.user,
  key: person.keyId,
  device: person.device as SessionStatement['device'],
  nonce,
  purpose,
});

export type SignUpBody = { identity: Post; key: Post; session: Post; inviteSecret?: string };

/** As much of a world as sign-up needs. */
export type Door = Pick<World, 'identity'> & { readonly clock: Pick<Clock, 'now'> };

/** A whole sign-up request with a fresh challenge. */
export async function signUpBody(world: Door, person: Person, inviteSecret?: string): Promise<SignUpBody> {
  const now = world.clock.now();
  const { nonce } = await world.identity.challenges.make();
  return {
    identity: await sign(person, identityStatement(person, now), now),
    key: await sign(person, keyStatement(person), now),
    session: await sign(person, sessionStatement(person, world.identity.server.id, nonce, 'signup'), now),
    ...(inviteSecret === undefined ? {} : { inviteSecret }),
  };
}

/** Somebody signed up and signed in. */
export async function signUp(world: Door, options: { username?: string; inviteSecret?: string } = {}): Promise<Person & { token: string }> {
  const person = await makePerson(world.identity.server.id, world.clock.now(), options.username);
  const { token } = await world.identity.signUp.run(await signUpBody(world, person, options.inviteSecret));
  return { ...person, token };
}

/** `{statement, signature}` for auth/token and devices, over a fresh challenge unless a nonce is given. */
export async function signInBody(
  world: World,
  person: Person,
  options: { purpose?: SessionStatement['purpose']; nonce?: string; server?: ServerId } = {},
): Promise<{ statement: SessionStatement; signature: string }> {
  const nonce = options.nonce ?? (await world.identity.challenges.make()).nonce;
  const statement = sessionStatement(person, options.server ?? world.identity.server.id, nonce, options.purpose ?? 'token');
  const signed = await sign(person, statement, world.clock.now());
  return { statement, signature: signed.signatures[0]?.signature ?? '' };
}

/** What AUTHENTICATE carries. */
export async function socketSignIn(world: World, person: Person, nonce: string): Promise<{ statement: Uint8Array; signature: string }> {
  const { statement, signature } = await signInBody(world, person, { purpose: 'socket', nonce });
  const bytes = canonicalBytes(statement);
  if (!bytes.ok) throw new Error(bytes.reason);
  return { statement: bytes.value, signature };
}

export type ReedFields = Partial<Omit<StatementOf<'reed'>, 'app' | 'type' | 'v'>>;

export const newReedId = (world: World, person: Person): ReedId => makeReedId(person.user, uuidv7(world.clock.now(), cryptoRandom));

export const reedStatement = (world: World, person: Person, fields: ReedFields = {}): StatementOf<'reed'> => ({
  ...heading('reed'),
  id: newReedId(world, person),
  author: person.user,
  key: person.keyId,
  bodyHash: base64url(cryptoRandom(32)),
  tags: [],
  mentions: [],
  ...fields,
});

/** A registered and, unless told otherwise, published reed. */
export async function publishReed(world: World, person: Person, fields: ReedFields = {}, publish = true): Promise<ReedId> {
  const statement = reedStatement(world, person, fields);
  await world.reeds.register.reed(person.member, await sign(person, statement, world.clock.now()));
  if (publish) await world.reeds.publish.publishReady(person.member, statement.id, undefined);
  return statement.id;
}

/** An invite statement and its secret. */
export async function makeInvite(
  world: World,
  person: Person,
  fields: Partial<Pick<StatementOf<'invite'>, 'role' | 'expiresAt' | 'id' | 'tokenHash'>> = {},
): Promise<{ post: Signed<StatementOf<'invite'>>; secret: string }> {
  const now = world.clock.now();
  const secret = cryptoRandom(32);
  const statement: StatementOf<'invite'> = {
    ...heading('invite'),
    id: makeInviteId(person.user, uuidv7(now, cryptoRandom)) as StatementOf<'invite'>['id'],
    user: person.user,
    key: person.keyId,
    tokenHash: base64url(await sha256(secret)),
    role: 'user',
    expiresAt: printTime(now + world.limits.inviteMs),
    ...fields,
  };
  return { post: await sign(person, statement, now), secret: base64url(secret) };
}
