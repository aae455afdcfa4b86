// Every id of Reedbed is parsed and printed here and nowhere else: ASCII, lower case, at most 255 characters, branded.
// An id proves its first key: server and local parts are hashes of fingerprints, so that nobody can choose one.
import { base32, fromHex, sha256 } from '../base/ids.ts';

declare const kind: unique symbol;
type Id<Kind extends string> = string & { readonly [kind]: Kind };

/** 16 signs of `a-z2-7`. */
export type ServerId = Id<'server'>;
/** `local@server`. */
export type UserId = Id<'user'>;
/** `local@server/fingerprint`. */
export type UserKeyId = Id<'user-key'>;
/** `fingerprint@server`. */
export type ServerKeyId = Id<'server-key'>;
/** `local@server/uuidv7`, of a reed or, with its head's id, of a thread. */
export type ReedId = Id<'reed'>;
/** `local@server/uuidv7`, or `root` for the invite that a server without a root makes for itself. */
export type InviteId = Id<'invite'>;
/** `local@server/uuidv7` under the id of the member who asks. */
export type RequestId = Id<'request'>;
/** 40 lower-case hexadecimal digits. */
export type Fingerprint = Id<'fingerprint'>;
/** A canonical version 7 uuid. */
export type Uuid = Id<'uuid'>;

/** The invite without a statement; see `InviteId`. */
export const ROOT_INVITE = 'root' as InviteId;

const NAME = '[a-z2-7]{16}';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const PRINT = '[0-9a-f]{40}';
const SERVER = new RegExp(`^${NAME}$`);
const USER = new RegExp(`^${NAME}@${NAME}$`);
const USER_KEY = new RegExp(`^${NAME}@${NAME}/${PRINT}$`);
const SERVER_KEY = new RegExp(`^${PRINT}@${NAME}$`);
const OWNED = new RegExp(`^${NAME}@${NAME}/${UUID}$`);
const BARE_UUID = new RegExp(`^${UUID}$`);
const BARE_PRINT = new RegExp(`^${PRINT}$`);
const NAME_CHARS = 16;
const USER_CHARS = NAME_CHARS * 2 + 1;
const ID_HASH_BYTES = 10;

const parse =
  <Kind extends string>(form: RegExp) =>
  (text: string): Id<Kind> | null =>
    form.test(text) ? (text as Id<Kind>) : null;

export const parseServerId = parse<'server'>(SERVER);
/** Refuses the sentinel `peer@<server>` by its form: a local part is never that short. */
export const parseUserId = parse<'user'>(USER);
export const parseUserKeyId = parse<'user-key'>(USER_KEY);
export const parseServerKeyId = parse<'server-key'>(SERVER_KEY);
export const parseReedId = parse<'reed'>(OWNED);
export const parseRequestId = parse<'request'>(OWNED);
export const parseFingerprint = parse<'fingerprint'>(BARE_PRINT);
export const parseUuid = parse<'uuid'>(BARE_UUID);
const parseOwnedInviteId = parse<'invite'>(OWNED);

/** A member's invite or `root`. */
export const parseInviteId = (text: string): InviteId | null => (text === ROOT_INVITE ? ROOT_INVITE : parseOwnedInviteId(text));

/** The server named in an id: the home of what the id is of. */
export const serverOf = (id: UserId | UserKeyId | ReedId | RequestId | ServerKeyId): ServerId =>
  id.split('/', 1)[0]?.split('@')[1] as ServerId;

/** The person under whose id this id stands. */
export const userOf = (id: UserKeyId | ReedId | RequestId): UserId => id.slice(0, USER_CHARS) as UserId;

/** Who made an invite; null for `root`. */
export const inviterOf = (id: InviteId): UserId | null => (id === ROOT_INVITE ? null : (id.slice(0, USER_CHARS) as UserId));

/** The fingerprint named in a key's id. */
export const fingerprintOf = (id: UserKeyId | ServerKeyId): Fingerprint =>
  (id.includes('/') ? id.slice(USER_CHARS + 1) : id.slice(0, id.indexOf('@'))) as Fingerprint;

/** A fingerprint as people see it and read it to each other: capitals, in groups of four. */
export const spelled = (fingerprint: string): string => fingerprint.toUpperCase().replace(/(.{4})(?=.)/g, '$1 ');

/** Milliseconds since the epoch written in the id's uuid. Never a reason to sort by: only to refuse what is dated ahead. */
export const uuidTimeMs = (id: ReedId | RequestId | Uuid): number =>
  Number.parseInt((id.length === 36 ? id : id.slice(USER_CHARS + 1)).replaceAll('-', '').slice(0, 12), 16);

async function nameFrom(fingerprint: string): Promise<string> {
  const bytes = fromHex(fingerprint);
  if (bytes === null || bytes.length !== 20) throw new TypeError('not a version 4 fingerprint');
  return base32((await sha256(bytes)).subarray(0, ID_HASH_BYTES));
}

/** The id of the server whose first identity key has this fingerprint (40 hexadecimal digits, lower case). */
export const serverIdFromFingerprint = async (fingerprint: string): Promise<ServerId> => (await nameFrom(fingerprint)) as ServerId;

/** The id of the person at `server` whose first key has this fingerprint. */
export const userIdFromFingerprint = async (fingerprint: string, server: ServerId): Promise<UserId> =>
  `${await nameFrom(fingerprint)}@${server}` as UserId;

export const userKeyId = (user: UserId, fingerprint: string): UserKeyId => `${user}/${fingerprint}` as UserKeyId;
export const serverKeyId = (fingerprint: string, server: ServerId): ServerKeyId => `${fingerprint}@${server}` as ServerKeyId;
export const makeReedId = (user: UserId, uuid: string): ReedId => `${user}/${uuid}` as ReedId;
export const makeRequestId = (user: UserId, uuid: string): RequestId => `${user}/${uuid}` as RequestId;
export const makeInviteId = (user: UserId, uuid: string): InviteId => `${user}/${uuid}` as InviteId;
