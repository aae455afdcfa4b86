// The member's next key, made and certified: signed by the key before it, or by the recovery key of a backup. What was signed is stored before
// it is sent and sent again until it is answered; only then is the new key the member's. The one before opens copies for a week more.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { type Fingerprint, fingerprintOf, type UserId, type UserKeyId, userKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyRing } from './key-ring.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { challenge } from './session.ts';
import type { Change, Store } from './store.ts';
import type { Account } from './types.ts';

const META = 'rotation';

export type RotationDeps = {
  readonly api: Api;
  readonly store: Store;
  readonly keyRing: KeyRing;
  readonly time: ServerTime;
  readonly limits: Limits;
};

export type Owner = Pick<Account, 'server' | 'user' | 'device'>;

/** The key whose place is taken, and how: with `recovery` by the recovery key that its statement names. */
export type Before = {
  readonly key: UserKeyId;
  readonly armor: string;
  readonly recovery?: {
    readonly fingerprint: string;
    readonly armor: string;
    readonly revocation: Signed<StatementOf<'key-revocation'>>;
  };
};

/** What was signed and may have been sent. */
type Draft = {
  readonly predecessor: UserKeyId;
  readonly byRecovery: boolean;
  readonly key: Signed<StatementOf<'key'>>;
  readonly revocation: Signed<StatementOf<'key-revocation'>>;
};

/**
 * Makes the next key the member's, on the server and in the ring. May be repeated after any failure.
 * @param session as the server is asked first; where it no longer opens, a session by the new key is tried: the answer may have been lost
 * @returns the id of the new key, and what is to be written in the same step as it
 * @throws AppError CONFLICT, RATE_LIMITED, REMOVED, UNAUTHENTICATED, UNAVAILABLE
 */
export async function rotate(
  deps: RotationDeps,
  owner: Owner,
  before: Before,
  by: { readonly server: PinnedServer; readonly session: TokenSource },
): Promise<{ readonly key: UserKeyId; readonly changes: readonly Change[] }> {
  const { api, keyRing, limits, time } = deps;
  const taken = await takenBefore(deps, before);
  if (taken !== null) return { key: taken, changes: [{ delete: 'meta', id: META }] };
  const draft = await draftOf(deps, owner.user, before);
  const body = { revocation: draft.revocation, key: draft.key };
  let answer: unknown;
  try {
    answer = await api.call('keys', { method: 'POST', body, session: by.session });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Of what is certified already the server would have answered the certificate: this will never be, and nobody has to wait for it.
    if (error.code === 'CONFLICT' || error.code === 'INVALID') await deps.store.write([{ delete: 'meta', id: META }]);
    if (error.code !== 'UNAUTHENTICATED' && error.code !== 'KEY_REVOKED') throw error;
    const session = await sessionOfNext(deps, owner, draft.key.statement.key);
    if (session === null) throw error;
    answer = await api.call('keys', { method: 'POST', body, session });
  }
  await requireCertified(deps, by.server, before, { answer, draft });
  await keyRing.takeNext(time.now() + limits.replacedKeyKeptMs);
  return { key: draft.key.statement.key, changes: [{ delete: 'meta', id: META }] };
}

/**
 * What was signed for an account may be certified already, and then the key that waits is all that is left of that account: nobody else's key
 * takes its place.
 * @param user null: somebody new
 * @throws AppError CONFLICT
 */
export async function requireNoOther({ store }: Pick<RotationDeps, 'store'>, user: UserId | null): Promise<void> {
  const draft = (await store.get('meta', META))?.value as Draft | undefined;
  if (draft === undefined || draft.key.statement.user === user) return;
  throw new AppError(
    'CONFLICT',
    'a new key of another account waits on this device; take that account back first, with its backup, or use another device',
  );
}

/** After a stop between the ring and the store: the account as the ring has it. */
export async function settled(
  { store, keyRing }: Pick<RotationDeps, 'store' | 'keyRing'>,
  account: Account,
): Promise<{ readonly account: Account; readonly changes: readonly Change[] }> {
  const draft = (await store.get('meta', META))?.value as Draft | undefined;
  const ring = draft && (await keyRing.keys());
  const key = draft?.key.statement.key;
  if (!ring || !key || fingerprintOf(key) !== ring.fingerprint || account.key === key) return { account, changes: [] };
  return { account: { ...account, key, backedUp: false }, changes: [{ delete: 'meta', id: META }] };
}

/**
 * The key that took this one's place and is the ring's already, though what came after that failed; null if there is none. Another one made in its
 * place would be refused for ever.
 */
async function takenBefore({ store, keyRing }: RotationDeps, before: Before): Promise<UserKeyId | null> {
  const draft = (await store.get('meta', META))?.value as Draft | undefined;
  if (draft?.predecessor !== before.key || draft.byRecovery !== (before.recovery !== undefined)) return null;
  const { key } = draft.key.statement;
  return (await keyRing.keys())?.fingerprint === fingerprintOf(key) ? key : null;
}

async function draftOf(deps: RotationDeps, user: UserId, before: Before): Promise<Draft> {
  const { keyRing, store, time } = deps;
  const now = time.now();
  const next = await keyRing.makeNext(now);
  const key = userKeyId(user, next.fingerprint);
  const byRecovery = before.recovery !== undefined;
  const known = (await store.get('meta', META))?.value as Draft | undefined;
  if (known?.predecessor === before.key && known.byRecovery === byRecovery && known.key.statement.key === key) return known;
  const statement: StatementOf<'key'> = {
    ...heading('key'),
    ...{ user, key, armor: next.armor, recovery: next.recovery as Fingerprint, predecessor: before.key },
    ...(before.recovery ? { recoveryArmor: before.recovery.armor } : {}),
  };
  const revocation = { ...heading('key-revocation'), user, key: before.key, reason: '', successor: key };
  const draft: Draft = {
    ...{ predecessor: before.key, byRecovery, key: await keyRing.signNext(statement, now) },
    revocation: before.recovery?.revocation ?? (await keyRing.sign(revocation, now)),
  };
  await store.write([{ put: 'meta', record: { id: META, value: draft } }]);
  return draft;
}

/** A session by the key that waits; null if the server does not know it. */
async function sessionOfNext(deps: RotationDeps, owner: Owner, key: UserKeyId): Promise<TokenSource | null> {
  const { api, keyRing, time } = deps;
  const fields = { server: owner.server, user: owner.user, key, device: owner.device, nonce: await challenge(api), purpose: 'token' };
  const { statement, signatures } = await keyRing.signNext({ ...heading('session'), ...fields } as StatementOf<'session'>, time.now());
  try {
    const body = { statement, signature: signatures[0]?.signature };
    const { token } = (await api.call('auth/token', { method: 'POST', body })) as { token: string };
    return { token: async () => token, refused: () => undefined };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'UNAVAILABLE') return null;
    throw error;
  }
}

/** The certificate is of exactly what was signed, under the key before and the pinned server's key: else the old key stays. */
async function requireCertified(
  { time }: RotationDeps,
  server: PinnedServer,
  before: Before,
  { answer, draft }: { readonly answer: unknown; readonly draft: Draft },
): Promise<void> {
  const read = await readPublicKey(before.armor);
  if (!read.ok) throw new AppError('INVALID', `the key before can not be read: ${read.reason}`);
  const known = { id: before.key, publicKey: read.value };
  const recovery = before.recovery === undefined ? {} : { recovery: before.recovery.fingerprint as Fingerprint };
  const keys = {
    userKey: async (id: UserKeyId) => (id === before.key ? { ...known, ...recovery } : null),
    serverKey: (id: Parameters<PinnedServer['key']>[0]) => server.key(id),
  };
  const { certificate } = (answer ?? {}) as { certificate?: unknown };
  const accepted = await verifyCertificate(certificate, 'key', { keys, now: time.now() });
  if (!accepted.ok || accepted.value.certificate.statement.key !== draft.key.statement.key)
    throw new AppError('UNAVAILABLE', "the server's certificate of the new key does not hold");
}
