// The member's next key, made and certified: signed by the key before it, or by the recovery key of a backup. What was signed is stored before
// it is sent and sent again until it is answered; only then is the new key the member's. The one before opens copies for a week more.
import type { ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { type Fingerprint, fingerprintOf, type UserId, type UserKeyId, userKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyRing, RingKeys } from './key-ring.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { challenge } from './session.ts';
import type { Change, Store } from './store.ts';
import type { Account } from './types.ts';

const META = 'rotation';

/** Refusals of a next key for good. */
const FINAL: readonly ErrorCode[] = ['CONFLICT', 'INVALID', 'REMOVED'];
/** What a key gets that is none (any more). */
const SIGNED_OUT: readonly ErrorCode[] = ['UNAUTHENTICATED', 'KEY_REVOKED'];
const isOneOf = (error: unknown, codes: readonly ErrorCode[]): boolean => error instanceof AppError && codes.includes(error.code);

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

/** What is to be sent, and by which session. */
type Sending = { readonly draft: Draft; readonly session: TokenSource };

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
  const { keyRing, limits, time } = deps;
  const taken = await takenBefore(deps, before);
  if (taken !== null) return { key: taken, changes: [{ delete: 'meta', id: META }] };
  const sending = await sendingOf(deps, owner, before, by.session);
  const { draft } = sending;
  const answer = await answerTo(deps, owner, sending);
  await requireCertified(deps, by.server, before, { answer, draft });
  await keyRing.takeNext(time.now() + limits.replacedKeyKeptMs);
  return { key: draft.key.statement.key, changes: [{ delete: 'meta', id: META }] };
}

async function answerTo(deps: RotationDeps, owner: Owner, { draft, session }: Sending): Promise<unknown> {
  const { api, keyRing, store } = deps;
  const body = { revocation: draft.revocation, key: draft.key };
  const post = (by: TokenSource): Promise<unknown> => api.call('keys', { method: 'POST', body, session: by });
  try {
    return await post(session).catch(async (error: unknown) => {
      if (!isOneOf(error, SIGNED_OUT)) throw error;
      const next = await sessionOfNext(deps, owner, draft.key.statement.key);
      if (typeof next === 'string') throw error;
      return post(next);
    });
  } catch (error) {
    // Of what is certified already the server would have answered the certificate: this will never be, so nobody has to wait for it, and nobody else
    // is to certify a key that the server has seen.
    if (isOneOf(error, FINAL)) {
      await store.write([{ delete: 'meta', id: META }]);
      await keyRing.dropNext();
    }
    throw error;
  }
}

/**
 * What was signed for an account may be certified already, and then the key that waits is all that is left of that account: nobody else's key
 * takes its place. That the server lets neither of its keys in proves nothing: so it answers to a device whose clock is wrong, too.
 * @param user null: somebody new
 * @throws AppError CONFLICT
 */
export async function requireNoOther({ store }: Pick<RotationDeps, 'store'>, user: UserId | null): Promise<void> {
  const draft = await draftIn(store);
  if (draft === undefined || draft.key.statement.user === user) return;
  const mend = "with its backup; if that is refused, clear this device's data, or use another device";
  throw new AppError('CONFLICT', `a new key of another account waits on this device; take that account back first, ${mend}`);
}

/** Whether a next key was signed that may be certified. */
export const isNextWaiting = async ({ store }: Pick<RotationDeps, 'store'>): Promise<boolean> => (await draftIn(store)) !== undefined;

const draftIn = async (store: Store): Promise<Draft | undefined> => (await store.get('meta', META))?.value as Draft | undefined;

/** After a stop between the ring and the store: the account as the ring has it. */
export async function settled(
  { store, keyRing }: Pick<RotationDeps, 'store' | 'keyRing'>,
  account: Account,
): Promise<{ readonly account: Account; readonly changes: readonly Change[] }> {
  const draft = await draftIn(store);
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
  const draft = await draftIn(store);
  if (draft === undefined || !isFor(draft, before)) return null;
  const { key } = draft.key.statement;
  return (await keyRing.keys())?.fingerprint === fingerprintOf(key) ? key : null;
}

const isFor = ({ byRecovery, predecessor }: Draft, before: Before): boolean =>
  predecessor === before.key && byRecovery === (before.recovery !== undefined);

/** What was signed before, again; or what is signed now, once a session shows that it may be sent: what never was keeps nobody waiting. */
async function sendingOf(deps: RotationDeps, owner: Owner, before: Before, session: TokenSource): Promise<Sending> {
  const { keyRing, store, time } = deps;
  const known = await draftIn(store);
  const same = known !== undefined && isFor(known, before) ? known : undefined;
  if (same === undefined) {
    await session.token();
    const certified = known === undefined ? null : await begunOtherwise(deps, owner, known, before);
    if (certified !== null) return certified;
    // It was refused, or never sent, or is off the chain. The draft goes first: without its key it could be neither sent nor shown to be refused.
    if (known !== undefined) await store.write([{ delete: 'meta', id: META }]);
    await keyRing.dropNext();
  }
  const next = await keyRing.makeNext(time.now());
  const isSame = same?.key.statement.key === userKeyId(owner.user, next.fingerprint);
  return { draft: same !== undefined && isSame ? same : await draftOf(deps, owner.user, before, next), session };
}

/**
 * What was begun in another way may be certified, and then the key that waits is all that is left of the account: it is not let go.
 * @returns null: it is no key of the account, and will not be one
 * @throws AppError CONFLICT unless that can be ended from here
 */
async function begunOtherwise(deps: RotationDeps, owner: Owner, known: Draft, before: Before): Promise<Sending | null> {
  const { key } = known.key.statement;
  const isTaken = (await deps.keyRing.keys())?.fingerprint === fingerprintOf(key);
  const session = isTaken ? 'unlinked' : await sessionOfNext(deps, owner, key);
  if (session === 'none') return null;
  if (session === 'unlinked' || known.predecessor !== before.key)
    throw new AppError('CONFLICT', 'a later key of this account waits on this device; take the account back with the latest backup');
  return { draft: known, session };
}

async function draftOf({ keyRing, store, time }: RotationDeps, user: UserId, before: Before, next: Required<RingKeys>): Promise<Draft> {
  const now = time.now();
  const key = userKeyId(user, next.fingerprint);
  const statement: StatementOf<'key'> = {
    ...heading('key'),
    ...{ user, key, armor: next.armor, recovery: next.recovery as Fingerprint, predecessor: before.key },
    ...(before.recovery ? { recoveryArmor: before.recovery.armor } : {}),
  };
  const revocation = { ...heading('key-revocation'), user, key: before.key, reason: '', successor: key };
  const draft: Draft = {
    ...{ predecessor: before.key, byRecovery: before.recovery !== undefined, key: await keyRing.signNext(statement, now) },
    revocation: before.recovery?.revocation ?? (await keyRing.sign(revocation, now)),
  };
  await store.write([{ put: 'meta', record: { id: META, value: draft } }]);
  return draft;
}

/**
 * A session by the key that waits.
 * @returns none: the server does not take it for a key of the account; unlinked: it does, though not on this device
 */
async function sessionOfNext(deps: RotationDeps, owner: Owner, key: UserKeyId): Promise<TokenSource | 'none' | 'unlinked'> {
  const { api, keyRing, time } = deps;
  const fields = { server: owner.server, user: owner.user, key, device: owner.device, nonce: await challenge(api), purpose: 'token' };
  const { statement, signatures } = await keyRing.signNext({ ...heading('session'), ...fields } as StatementOf<'session'>, time.now());
  try {
    const body = { statement, signature: signatures[0]?.signature };
    const { token } = (await api.call('auth/token', { method: 'POST', body })) as { token: string };
    return { token: async () => token, refused: () => undefined };
  } catch (error) {
    if (isOneOf(error, SIGNED_OUT)) return 'none';
    if (isOneOf(error, ['FORBIDDEN'])) return 'unlinked';
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
