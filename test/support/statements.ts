// One valid statement of every type, and a small world of keys to sign them with. Browser-safe: frozen vectors are made from it.

import { generatePrivateKey, type PrivateKey } from '../../src/crypto/openpgp.ts';
import type { KeyLookup, KnownKey } from '../../src/crypto/statement.ts';
import {
  makeInviteId,
  makeReedId,
  type ReedId,
  type ServerId,
  type ServerKeyId,
  serverIdFromFingerprint,
  serverKeyId,
  type UserId,
  type UserKeyId,
  userIdFromFingerprint,
  userKeyId,
} from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement, type StatementOf, type StatementType } from '../../src/wire/statements.ts';

export type KeyName = 'server' | 'member' | 'recovery' | 'second' | 'other' | 'otherRecovery';
export type Keys = Readonly<Record<KeyName, PrivateKey>>;
export const KEY_NAMES: readonly KeyName[] = ['server', 'member', 'recovery', 'second', 'other', 'otherRecovery'];

export type World = {
  readonly keys: Keys;
  readonly nowMs: number;
  readonly server: ServerId;
  readonly serverKey: ServerKeyId;
  readonly user: UserId;
  readonly key: UserKeyId;
  readonly recoveryKey: UserKeyId;
  readonly secondKey: UserKeyId;
  readonly other: UserId;
  readonly otherKey: UserKeyId;
  readonly lookup: KeyLookup;
};

export const UUIDS = [
  '019b76da-a800-7000-8000-000000000001',
  '019b76da-a801-7000-8000-000000000002',
  '019b76da-a802-7000-9000-000000000003',
  '019b76da-a803-7000-a000-000000000004',
] as const;
const HASH = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const NONCE = 'AAECAwQFBgcICQoLDA0ODw';

export async function makeKeys(nowMs: number): Promise<Keys> {
  const made = await Promise.all(KEY_NAMES.map(async (name) => [name, await generatePrivateKey(nowMs)] as const));
  return Object.fromEntries(made) as Keys;
}

/** Who the keys make: a server, a member whose `member` key names `recovery`, and `other`, whose key names `otherRecovery`. */
export async function makeWorld(keys: Keys, nowMs: number): Promise<World> {
  const server = await serverIdFromFingerprint(keys.server.fingerprint);
  const serverKey = serverKeyId(keys.server.fingerprint, server);
  const user = await userIdFromFingerprint(keys.member.fingerprint, server);
  const other = await userIdFromFingerprint(keys.other.fingerprint, server);
  const known = (owner: UserId, key: PrivateKey, recovery: PrivateKey): KnownKey => ({
    id: userKeyId(owner, key.fingerprint),
    publicKey: key.publicKey,
    recovery: recovery.fingerprint,
  });
  const people = [known(user, keys.member, keys.recovery), known(other, keys.other, keys.otherRecovery)];
  return {
    keys,
    nowMs,
    server,
    serverKey,
    user,
    key: userKeyId(user, keys.member.fingerprint),
    recoveryKey: userKeyId(user, keys.recovery.fingerprint),
    secondKey: userKeyId(user, keys.second.fingerprint),
    other,
    otherKey: userKeyId(other, keys.other.fingerprint),
    lookup: {
      userKey: async (id) => people.find((key) => key.id === id) ?? null,
      serverKey: async (id) => (id === serverKey ? { id: serverKey, publicKey: keys.server.publicKey } : null),
    },
  };
}

type Examples = { readonly [T in StatementType]: StatementOf<T> };

const reed = (world: World, at: number): ReedId => makeReedId(world.user, UUIDS[at] ?? UUIDS[0]);

function contentExamples(world: World): Pick<Examples, 'reed' | 'thread' | 'reed-removal' | 'thread-removal'> {
  const { user, key, other } = world;
  const owned = { author: user, key };
  const theirs = makeReedId(other, UUIDS[3]);
  return {
    reed: {
      ...heading('reed'),
      ...owned,
      id: reed(world, 1),
      bodyHash: HASH,
      tags: ['reeds', 'größe_2'],
      mentions: [other],
      replyTo: theirs,
      root: theirs,
      echoOf: theirs,
      previous: reed(world, 0),
      thread: { head: reed(world, 0), index: 1 },
    },
    thread: { ...heading('thread'), ...owned, id: reed(world, 0), reeds: [reed(world, 0), reed(world, 1)] },
    'reed-removal': { ...heading('reed-removal'), ...owned, id: reed(world, 1) },
    'thread-removal': { ...heading('thread-removal'), ...owned, id: reed(world, 0) },
  };
}

function relationExamples(world: World) {
  const { user, key, other, nowMs } = world;
  const rest = { user, key, createdAt: printTime(nowMs) };
  const theirs = makeReedId(other, UUIDS[3]);
  return {
    follow: { ...heading('follow'), ...rest, target: other },
    unfollow: { ...heading('unfollow'), ...rest, target: other },
    like: { ...heading('like'), ...rest, target: theirs },
    unlike: { ...heading('unlike'), ...rest, target: theirs },
    block: { ...heading('block'), ...rest, target: other },
    unblock: { ...heading('unblock'), ...rest, target: other },
  } as const;
}

function accountExamples(world: World) {
  const { user, key, keys, server, nowMs } = world;
  return {
    identity: {
      ...heading('identity'),
      user,
      username: 'Ada',
      key,
      bio: 'Grows reeds 🌾',
      pinned: reed(world, 0),
      archive: true,
      follows: 'public',
      createdAt: printTime(nowMs),
    },
    key: { ...heading('key'), user, key, armor: keys.member.publicKey.armor, recovery: keys.recovery.fingerprint },
    'key-revocation': { ...heading('key-revocation'), user, key, reason: 'lost', successor: world.secondKey },
    'account-removal': { ...heading('account-removal'), user, key, note: '' },
    'account-removal-withdrawal': {
      ...heading('account-removal-withdrawal'),
      user,
      key,
      note: 'stays',
      recoveryArmor: keys.recovery.publicKey.armor,
    },
    invite: {
      ...heading('invite'),
      id: makeInviteId(user, UUIDS[2]),
      user,
      key,
      tokenHash: HASH,
      role: 'user',
      expiresAt: printTime(nowMs + 86_400_000),
    },
    session: {
      ...heading('session'),
      server,
      user,
      key,
      device: UUIDS[2] as StatementOf<'session'>['device'],
      nonce: NONCE,
      purpose: 'socket',
    },
    'admin-act': { ...heading('admin-act'), user, key, act: 'role', target: world.other, nonce: NONCE, createdAt: printTime(nowMs) },
  } as const;
}

function serverExamples(world: World, ownKey: { signature: string; transport: string }) {
  const { server, serverKey, keys, nowMs } = world;
  const peer = 'peerpeerpeerpeer' as ServerId;
  const { armor } = keys.server.publicKey;
  return {
    'server-key': { ...heading('server-key'), server, key: serverKey, armor },
    'server-key-revocation': { ...heading('server-key-revocation'), server, key: serverKey, reason: 'replaced', compromised: false },
    'server-document': {
      ...heading('server-document'),
      id: server,
      serial: 1,
      issuedAt: printTime(nowMs),
      expiresAt: printTime(nowMs + 90 * 86_400_000),
      name: 'Reedbed',
      baseUrl: 'https://reeds.example',
      webUrl: 'http://localhost:8080',
      keys: [{ key: serverKey, armor, signature: ownKey.signature }],
      transportKeys: [{ kid: 'transport-1', publicKey: ownKey.transport }],
      protocol: { min: 1, max: 1 },
      limits: { frameBytes: 16_384, relayResponseBytes: 1_048_576, reedCodePoints: 5_000, reedTextBytes: 20_000, threadParts: 30 },
    },
    'operator-act': {
      ...heading('operator-act'),
      server,
      key: serverKey,
      act: 'peer-approve',
      target: peer,
      nonce: NONCE,
      createdAt: printTime(nowMs),
    },
    peering: {
      ...heading('peering'),
      id: UUIDS[2] as StatementOf<'peering'>['id'],
      from: server,
      to: peer,
      key: serverKey,
      secretHash: HASH,
      expiresAt: printTime(nowMs + 7 * 86_400_000),
    },
    welcome: { ...heading('welcome'), server, session: 'session-1', clientNonce: NONCE },
    countersignature: {
      ...heading('countersignature'),
      statementType: 'reed',
      statementHash: HASH,
      user: world.user,
      key: world.key,
      server,
      serverKey,
      seq: 1,
      signedAt: printTime(nowMs),
    },
  } as const;
}

/** One valid statement of each type; optional fields are there. `ownKey`: the server key's signature of itself, a transport key. */
export const examples = (world: World, ownKey = { signature: 'x', transport: HASH }): Examples => ({
  ...contentExamples(world),
  ...relationExamples(world),
  ...accountExamples(world),
  ...serverExamples(world, ownKey),
});

/** Statements as mutable plain data, for tests that break them. */
export const plain = (statement: Statement): Record<string, unknown> => structuredClone(statement) as Record<string, unknown>;
