// Becoming a member: pin the server, make the keys, sign identity, key and session, send them in one request, verify what comes back.
// The signed statements are stored before they are sent, so that a sign-up whose answer was lost is repeated and not made anew.
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { type UserId, userIdFromFingerprint, userKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { printTime } from '../wire/kinds.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import { checkUsername } from '../wire/username.ts';
import type { Api } from './api.ts';
import { parseInviteLink } from './invite-link.ts';
import type { KeyRing, RingKeys } from './key-ring.ts';
import type { KeyDirectory } from './keys.ts';
import { requireNoOther } from './rotation.ts';
import type { PinnedServer, ServerInfo } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { challenge, signSession } from './session.ts';
import type { Store } from './store.ts';
import type { Account } from './types.ts';

const META = 'sign-up';

export type SignUpStep = 'checking-server' | 'making-keys' | 'signing' | 'sending' | 'done';

export type SignUpInput = {
  readonly username: string;
  /** A whole invite link or its fragment; absent where the server is open. */
  readonly invite?: string;
  readonly bio?: string;
  onStep?(step: SignUpStep): void;
};

export type SignUpDeps = {
  readonly api: Api;
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly keyRing: KeyRing;
  /** The server that the invite names, or the one at the address if there is none. */
  server(id: ServerInfo['id'] | null): Promise<PinnedServer>;
  keysOf(server: PinnedServer): KeyDirectory;
};

export type SignedUp = { readonly account: Account; readonly token: string };

/** What was signed and may have been sent. Another name or bio makes new ones; the same ones are sent again. */
type Draft = {
  readonly username: string;
  readonly bio: string;
  readonly user: UserId;
  readonly device: string;
  readonly identity: Signed<StatementOf<'identity'>>;
  readonly key: Signed<StatementOf<'key'>>;
};

/**
 * Signs up. May be repeated after any failure.
 * @throws AppError CONFLICT while a new key of another account waits here; USERNAME_TAKEN, INVITE_INVALID, SIGNUP_CLOSED, INVALID, UNAVAILABLE …
 */
export async function signUp(deps: SignUpDeps, input: SignUpInput): Promise<SignedUp> {
  const { api, keyRing, time } = deps;
  const invite = input.invite === undefined ? null : parseInviteLink(input.invite);
  if (input.invite !== undefined && !invite)
    throw new AppError('INVITE_INVALID', 'this is no invite link; take the whole of it, with what stands behind the #');
  const name = checkUsername(input.username);
  if (!name.ok) throw new AppError('INVALID', `username: ${name.reason}; choose 2 to 30 letters of one script`);
  await requireNoOther(deps, null);
  input.onStep?.('checking-server');
  const server = await deps.server(invite?.server ?? null);
  const info = await server.info();
  input.onStep?.('making-keys');
  const keys = await keyRing.make(time.now());
  input.onStep?.('signing');
  const draft = await draftOf(deps, server, keys, { username: name.value.name, bio: (input.bio ?? '').normalize('NFC') });
  const key = userKeyId(draft.user, keys.fingerprint);
  const member = { server: server.id, user: draft.user, key, device: draft.device };
  const session = await signSession(deps, member, 'signup', await challenge(api));
  input.onStep?.('sending');
  const { identity, key: keyStatement } = draft;
  const body = { identity, key: keyStatement, session, ...(invite ? { inviteSecret: invite.secret } : {}) };
  const answer = (await api.call('users', { method: 'POST', body })) as { identity?: unknown; key?: unknown; token?: unknown };
  await accept(deps.keysOf(server), answer, draft);
  const account: Account = { ...member, username: draft.username, serverKeys: info.keys, backedUp: false };
  await deps.store.write([{ delete: 'meta', id: META }]);
  input.onStep?.('done');
  return { account, token: String(answer.token ?? '') };
}

async function draftOf(
  deps: SignUpDeps,
  server: PinnedServer,
  keys: RingKeys,
  said: { readonly username: string; readonly bio: string },
): Promise<Draft> {
  const { store, time, random, keyRing } = deps;
  const user = await userIdFromFingerprint(keys.fingerprint, server.id);
  const before = (await store.get('meta', META))?.value as Draft | undefined;
  if (before?.user === user && before.username === said.username && before.bio === said.bio) return before;
  if (!keys.recovery) throw new AppError('INVALID', 'the recovery key is no longer on this device; begin anew on one without keys');
  const now = time.now();
  const key = userKeyId(user, keys.fingerprint);
  const recovery = keys.recovery as StatementOf<'key'>['recovery'];
  const keyStatement = { ...heading('key'), user, key, armor: keys.armor, recovery };
  const identity = { ...heading('identity'), user, ...said, key, archive: true, follows: 'public' as const, createdAt: printTime(now) };
  const draft: Draft = {
    ...said,
    user,
    device: before?.device ?? uuidv7(now, random),
    identity: await keyRing.sign(identity, now),
    key: before?.user === user ? before.key : await keyRing.sign(keyStatement, now),
  };
  await store.write([{ put: 'meta', record: { id: META, value: draft } }]);
  return draft;
}

/** The server's certificates are of exactly what was signed, under the pinned server's key: else it is not our server. */
async function accept(keys: KeyDirectory, answer: { identity?: unknown; key?: unknown }, draft: Draft): Promise<void> {
  await keys.learn(draft.user, answer.key);
  const identity = await verifyCertificate(answer.identity, 'identity', keys.context);
  if (!identity.ok) throw new AppError('INVALID', `the server's certificate of the identity does not hold: ${identity.reason}`);
  const { user, username } = identity.value.certificate.statement;
  if (user !== draft.user || username !== draft.username) throw new AppError('INVALID', 'the server certified another identity');
}
