// The table of statements: every durable act, its exact fields and their kinds. TypeScript types and checks both come from it.
// A statement with a field more, a field less or a field of another kind is none; a new field is a new `v`.
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { parseFingerprint, parseReedId, parseServerId, parseServerKeyId, parseUserId, parseUserKeyId, parseUuid } from './address.ts';
import {
  armor,
  binary,
  bool,
  type Fields,
  hash,
  id,
  integer,
  list,
  mismatch,
  oneOf,
  optional,
  origin,
  ownedInvite,
  plainKeys,
  record,
  serverName,
  tag,
  text,
  time,
  username,
  type ValueOf,
} from './kinds.ts';
import { contradiction, otherPerson } from './persons.ts';
import { ROLES } from './roles.ts';

const userId = id(parseUserId);
const userKeyId = id(parseUserKeyId);
const serverId = id(parseServerId);
const serverKeyId = id(parseServerKeyId);
const reedId = id(parseReedId);
const uuid = id(parseUuid);
const nonce = binary(16, 64);
const note = text(LIMITS.noteCodePoints);
const word = text(LIMITS.idChars, 1);

const owned = { id: reedId, author: userId, key: userKeyId } as const;
const towardsUser = { user: userId, key: userKeyId, target: userId, createdAt: time } as const;
const towardsReed = { user: userId, key: userKeyId, target: reedId, createdAt: time } as const;
const leaving = { user: userId, key: userKeyId, note } as const;

/** Fields besides `app`, `type` and `v`. */
const TABLE = {
  identity: {
    user: userId,
    username,
    key: userKeyId,
    bio: text(LIMITS.bioCodePoints),
    pinned: optional(reedId),
    archive: bool,
    follows: oneOf('public', 'hidden'),
    createdAt: time,
  },
  key: {
    user: userId,
    key: userKeyId,
    armor,
    recovery: id(parseFingerprint),
    predecessor: optional(userKeyId),
    recoveryArmor: optional(armor),
  },
  'key-revocation': { user: userId, key: userKeyId, reason: note, successor: optional(userKeyId) },
  reed: {
    ...owned,
    bodyHash: hash,
    tags: list(tag, LIMITS.tags),
    mentions: list(userId, LIMITS.mentions),
    replyTo: optional(reedId),
    root: optional(reedId),
    echoOf: optional(reedId),
    previous: optional(reedId),
    thread: optional(record({ head: reedId, index: integer(0, LIMITS.threadParts - 1) })),
  },
  thread: { ...owned, reeds: list(reedId, LIMITS.threadParts, 2) },
  'reed-removal': owned,
  'thread-removal': owned,
  'account-removal': leaving,
  'account-removal-withdrawal': { ...leaving, recoveryArmor: armor },
  follow: towardsUser,
  unfollow: towardsUser,
  like: towardsReed,
  unlike: towardsReed,
  block: towardsUser,
  unblock: towardsUser,
  invite: {
    id: ownedInvite,
    user: userId,
    key: userKeyId,
    tokenHash: hash,
    role: oneOf(...ROLES),
    expiresAt: time,
  },
  session: {
    server: serverId,
    user: userId,
    key: userKeyId,
    device: uuid,
    nonce,
    purpose: oneOf('signup', 'socket', 'token', 'link-device', 'recover'),
  },
  'server-document': {
    id: serverId,
    serial: integer(1),
    issuedAt: time,
    expiresAt: time,
    name: serverName,
    baseUrl: origin,
    webUrl: origin,
    // The chain of `server-key` statements, oldest first, each with its signatures: by itself and by the one before.
    keys: list(record({ key: serverKeyId, armor, signature: armor, predecessorSignature: optional(armor) }), 8, 1),
    transportKeys: list(record({ kid: word, publicKey: binary(32) }), 4, 1),
    protocol: record({ min: integer(1, 1_000), max: integer(1, 1_000) }),
    limits: record({
      frameBytes: integer(1),
      relayResponseBytes: integer(1),
      reedCodePoints: integer(1),
      reedTextBytes: integer(1),
      threadParts: integer(1),
    }),
  },
  peering: { id: uuid, from: serverId, to: serverId, key: serverKeyId, secretHash: hash, expiresAt: time },
  'server-key': { server: serverId, key: serverKeyId, armor, predecessor: optional(serverKeyId) },
  'server-key-revocation': { server: serverId, key: serverKeyId, reason: note, compromised: bool },
  'admin-act': { user: userId, key: userKeyId, act: word, target: word, nonce, createdAt: time },
  'operator-act': { server: serverId, key: serverKeyId, act: word, target: word, nonce, createdAt: time },
  welcome: { server: serverId, session: word, clientNonce: nonce },
  countersignature: {
    statementType: word,
    statementHash: hash,
    user: userId,
    key: userKeyId,
    server: serverId,
    serverKey: serverKeyId,
    seq: integer(1),
    signedAt: time,
  },
} as const satisfies Record<string, Fields>;

type Table = typeof TABLE;
export type StatementType = keyof Table;
type Flat<T> = { [N in keyof T]: T[N] };

/** The statement of one type, as it stands in canonical JSON. */
export type StatementOf<T extends StatementType> = {
  [K in T]: Flat<{ readonly app: 'reedbed'; readonly type: K; readonly v: 1 } & ValueOf<Table[K]>>;
}[T];
export type Statement = StatementOf<StatementType>;

/** Statements of persons: they have `user` or `author` and a `key` of that person, and can be countersigned. */
export type UserStatementType = Exclude<
  StatementType,
  'server-document' | 'peering' | 'server-key' | 'server-key-revocation' | 'operator-act' | 'welcome' | 'countersignature'
>;

export type StatementReason =
  | 'not-a-statement'
  | 'wrong-app'
  | 'unknown-type'
  | 'other-type'
  | 'unknown-version'
  | 'missing-field'
  | 'unknown-field'
  | 'wrong-field'
  | 'wrong-person'
  | 'contradiction';

export const STATEMENT_TYPES = Object.keys(TABLE) as readonly StatementType[];

/** The constant first fields of a statement. */
export const heading = <T extends StatementType>(type: T): { readonly app: 'reedbed'; readonly type: T; readonly v: 1 } => ({
  app: 'reedbed',
  type,
  v: 1,
});

/**
 * Judges a value from outside: exactly the fields of its type, each of its kind, all names of the acting person agreeing.
 * @param type what the caller expects; without it any known type will do
 * @returns the same value, typed; the detail of a failure names the field, never its content
 */
export function checkStatement<T extends StatementType>(value: unknown, type?: T): Result<StatementOf<T>, StatementReason> {
  if (plainKeys(value) === null) return fail('not-a-statement');
  const given = value as Readonly<Record<string, unknown>>;
  if (given.app !== 'reedbed') return fail('wrong-app', 'app');
  if (typeof given.type !== 'string' || !Object.hasOwn(TABLE, given.type)) return fail('unknown-type', 'type');
  if (type !== undefined && given.type !== type) return fail('other-type', 'type');
  if (given.v !== 1) return fail('unknown-version', 'v');
  const { app: _app, type: _type, v: _v, ...rest } = given;
  const found = mismatch(rest, TABLE[given.type as T]);
  if (found !== null) return fail(found.problem === 'not-an-object' ? 'not-a-statement' : found.problem, found.field);
  const person = otherPerson(given);
  if (person !== null) return fail('wrong-person', person);
  const field = contradiction(given);
  return field === null ? ok(value as StatementOf<T>) : fail('contradiction', field);
}
