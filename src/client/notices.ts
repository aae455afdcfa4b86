// What the server has to tell a member: removals, revocations and blocks, each with the certificate that proves it.
// A notice is acted upon and acknowledged only if its certificate holds; a false one is answered as invalid and deletes nothing.
// A request that it answers ends all the same, by name: there will be no other answer to it.
import { type AcceptedCertificate, verifyCertificate } from '../crypto/statement.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import { canonicalBytes, STATEMENT_LIMITS, statementHash } from '../wire/canonical.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import type { KeyDirectory } from './keys.ts';
import type { Store } from './store.ts';
import { purgeAuthor, type Tombstones } from './tombstones.ts';
import type { Emit } from './types.ts';
import type { Viewer } from './viewer.ts';
import type { VoidKeys } from './void-keys.ts';

/** A certificate is a statement with two or three signatures around it. */
const CERTIFICATE_LIMITS = { depth: STATEMENT_LIMITS.depth + 3, bytes: STATEMENT_LIMITS.bytes * 3 };

export type NoticeDeps = {
  readonly store: Store;
  readonly keys: Pick<KeyDirectory, 'context' | 'revoked'>;
  readonly viewer: Pick<Viewer, 'asked' | 'explained' | 'gone'>;
  readonly tombstones: Pick<Tombstones, 'bury'>;
  readonly voidKeys: Pick<VoidKeys, 'learn'>;
  readonly user: UserId;
  send(frame: Frame): boolean;
  emit: Emit;
  /** A block stands between this member and somebody: what was asked of them or shown of them ends. */
  shut(user: UserId): void;
};

type RemovalFrame = FrameOf<'reedRemoved'> | FrameOf<'threadRemoved'> | FrameOf<'accountRemoved'>;
type BlockFrame = FrameOf<'userBlocked'> | FrameOf<'userUnblocked'>;
export type NoticeFrame = RemovalFrame | BlockFrame | FrameOf<'keyRevoked'>;

const REMOVALS = { reedRemoved: 'reed-removal', threadRemoved: 'thread-removal', accountRemoved: 'account-removal' } as const;

export class Notices {
  readonly #deps: NoticeDeps;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  /** Verifies and carries out a notice. Rejects only if the store or the server can't be reached: then it comes again. */
  async take(frame: NoticeFrame): Promise<void> {
    const certificate = parseStrictJson(frame.body.certificate, CERTIFICATE_LIMITS);
    let isTrue = false;
    try {
      isTrue = certificate.ok && (await this.#carryOut(frame, certificate.value));
    } finally {
      // What a true notice explained is closed by now.
      this.#endUnproven(frame);
    }
    if (isBlock(frame) || frame.id === '') return;
    const answer: Frame = isTrue
      ? { id: frame.id, type: 'dataAck', body: {} }
      : { id: frame.id, type: 'dataInvalid', body: { reason: 'BAD_CERTIFICATE' } };
    this.#deps.send(answer);
  }

  #carryOut(frame: NoticeFrame, certificate: unknown): Promise<boolean> {
    if (frame.type === 'keyRevoked') return this.#revoked(certificate);
    return isBlock(frame) ? this.#block(frame, certificate) : this.#removed(frame, certificate);
  }

  async #removed(frame: RemovalFrame, value: unknown): Promise<boolean> {
    const { tombstones, viewer } = this.#deps;
    const { requestId } = frame.body;
    // Looked up first: what the removal is about is ended by it.
    const asked = viewer.asked(requestId);
    const type = typeIn(value);
    // A reed may be gone with its account, or with the key that signed it: then its certificate is of that.
    if (frame.type === 'reedRemoved' && type === 'key') return this.#void(value, requestId, asked);
    const isAccount = frame.type === 'reedRemoved' && type === 'account-removal';
    const stone = await tombstones.bury(value, isAccount ? 'account-removal' : REMOVALS[frame.type]);
    if (stone && asked && (asked === stone.id || userOf(asked) === stone.id)) viewer.explained(requestId, 'removed', stone.certificate);
    return stone !== null;
  }

  async #void(value: unknown, requestId: string, asked: ReedId | undefined): Promise<boolean> {
    const { viewer, voidKeys } = this.#deps;
    const learned = await voidKeys.learn(value);
    if (learned && asked && userOf(asked) === learned.user) viewer.explained(requestId, 'removed', learned.certificate);
    return learned !== null;
  }

  async #revoked(value: unknown): Promise<boolean> {
    const { emit, keys, voidKeys } = this.#deps;
    if (typeIn(value) === 'key') return (await voidKeys.learn(value)) !== null;
    const accepted = await verifyCertificate(value, 'key-revocation', keys.context);
    if (!accepted.ok) return false;
    const { certificate } = accepted.value;
    const { key, user } = certificate.statement;
    if (!(await keys.revoked(key, certificate))) return false;
    emit({ type: 'key', user, state: 'revoked' });
    return true;
  }

  #block(frame: BlockFrame, certificate: unknown): Promise<boolean> {
    return frame.type === 'userBlocked' ? this.#blocked(frame, certificate) : this.#unblocked(certificate);
  }

  async #blocked({ body }: FrameOf<'userBlocked'>, value: unknown): Promise<boolean> {
    const { keys, viewer, user, send } = this.#deps;
    const accepted = await verifyCertificate(value, 'block', keys.context);
    if (!accepted.ok) return false;
    const { certificate } = accepted.value;
    const { user: blocker, target } = certificate.statement;
    const asked = viewer.asked(body.requestId);
    // Either may have blocked the other, as long as it is this member and the author who was asked for.
    const other = blocker === user ? target : target === user ? blocker : null;
    if (asked && other === userOf(asked)) viewer.explained(body.requestId, 'blocked', certificate);
    if (other) this.#deps.shut(other);
    // The own block is no news to be acknowledged.
    if (target !== user) return blocker === user;
    await this.#cutOff(accepted.value);
    const acknowledged = { userId: blocker, countersignatureHash: await countersignatureHash(accepted.value) };
    send({ id: '', type: 'userBlockedAck', body: acknowledged });
    return true;
  }

  /**
   * Who blocks this member wants to be seen no more: the server counts on this member for none of their reeds, so none stays, and the follow ends.
   * Of two statements about the same pair the one with the higher seq is the newer.
   */
  async #cutOff({ certificate, seq }: AcceptedCertificate<'block'>): Promise<void> {
    const { store, viewer, emit } = this.#deps;
    const { user: id } = certificate.statement;
    if (((await store.get('blockers', id))?.seq ?? 0) >= seq) return;
    viewer.gone(id, 'blocked', certificate);
    // First what is done, then that it is: a device that ends in between does it again.
    await this.#purge(id);
    await store.write([{ put: 'blockers', record: { id, active: true, seq, certificate } }]);
    emit({ type: 'blocker', user: id, active: true });
  }

  async #purge(blocker: UserId): Promise<void> {
    const { store, emit } = this.#deps;
    await store.write([{ delete: 'follows', id: blocker }]);
    await purgeAuthor(store, blocker, (reedId) => emit({ type: 'copy', reedId, state: 'gone' }));
  }

  async #unblocked(value: unknown): Promise<boolean> {
    const { keys, user, send, store, emit } = this.#deps;
    const accepted = await verifyCertificate(value, 'unblock', keys.context);
    if (!accepted.ok || accepted.value.certificate.statement.target !== user) return false;
    const { certificate, seq } = accepted.value;
    const { user: id } = certificate.statement;
    const known = await store.get('blockers', id);
    if ((known?.seq ?? 0) < seq) {
      // The block that this ends was never seen here, and the server dropped the copies with it: no removal of theirs would be told.
      if (known?.active !== true) await this.#purge(id);
      await store.write([{ put: 'blockers', record: { id, active: false, seq, certificate } }]);
      emit({ type: 'blocker', user: id, active: false });
    }
    send({ id: '', type: 'userUnblockedAck', body: { userId: id, countersignatureHash: await countersignatureHash(accepted.value) } });
    return true;
  }

  /** Ends what a removal or block answers without having proved it, or while its proof could not be checked. */
  #endUnproven(frame: NoticeFrame): void {
    const { viewer, emit } = this.#deps;
    const reedId = frame.type === 'keyRevoked' ? undefined : viewer.asked(frame.body.requestId);
    if (!reedId) return;
    emit({ type: 'unproven', frame: frame.type, reedId });
    viewer.explained(frame.body.requestId, isBlock(frame) ? 'blocked' : 'removed', undefined);
  }
}

const typeIn = (certificate: unknown): unknown => (certificate as { statement?: { type?: unknown } } | null | undefined)?.statement?.type;

const isBlock = (frame: NoticeFrame): frame is BlockFrame => frame.type === 'userBlocked' || frame.type === 'userUnblocked';

async function countersignatureHash({ certificate }: AcceptedCertificate<'block'> | AcceptedCertificate<'unblock'>): Promise<string> {
  const bytes = canonicalBytes(certificate.countersignature.statement);
  if (!bytes.ok) throw new TypeError('an accepted countersignature has a canonical form');
  return statementHash(bytes.value);
}
