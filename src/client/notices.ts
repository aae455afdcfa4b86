// What the server has to tell a member: removals, revocations and blocks, each with the certificate that proves it.
// A notice is acted upon and acknowledged only if its certificate holds; a false one is answered as invalid and deletes nothing.
// A request that it answers ends all the same, by name: there will be no other answer to it.
import { type AcceptedCertificate, verifyCertificate } from '../crypto/statement.ts';
import { type UserId, userOf } from '../wire/address.ts';
import { canonicalBytes, STATEMENT_LIMITS, statementHash } from '../wire/canonical.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import type { KeyDirectory } from './keys.ts';
import type { Store } from './store.ts';
import type { Emit } from './types.ts';
import type { Viewer } from './viewer.ts';

/** A certificate is a statement with two or three signatures around it. */
const CERTIFICATE_LIMITS = { depth: STATEMENT_LIMITS.depth + 3, bytes: STATEMENT_LIMITS.bytes * 3 };

export type NoticeDeps = {
  readonly store: Store;
  readonly keys: Pick<KeyDirectory, 'context' | 'revoked'>;
  readonly viewer: Pick<Viewer, 'asked' | 'explained' | 'removed'>;
  readonly user: UserId;
  send(frame: Frame): boolean;
  emit: Emit;
};

type NoticeFrame = FrameOf<'reedRemoved'> | FrameOf<'keyRevoked'> | FrameOf<'userBlocked'>;

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
    if (frame.type === 'userBlocked' || frame.id === '') return;
    const answer: Frame = isTrue
      ? { id: frame.id, type: 'dataAck', body: {} }
      : { id: frame.id, type: 'dataInvalid', body: { reason: 'BAD_CERTIFICATE' } };
    this.#deps.send(answer);
  }

  #carryOut(frame: NoticeFrame, certificate: unknown): Promise<boolean> {
    if (frame.type === 'reedRemoved') return this.#removed(frame, certificate);
    return frame.type === 'keyRevoked' ? this.#revoked(certificate) : this.#blocked(frame, certificate);
  }

  async #removed({ body }: FrameOf<'reedRemoved'>, value: unknown): Promise<boolean> {
    const { store, keys, viewer, emit } = this.#deps;
    const accepted = await verifyCertificate(value, 'reed-removal', keys.context);
    if (!accepted.ok) return false;
    const { certificate } = accepted.value;
    const reedId = certificate.statement.id;
    const copy = await store.get('copies', reedId);
    await store.write([
      { delete: 'copies', id: reedId },
      { delete: 'requests', id: reedId },
    ]);
    if (copy) emit({ type: 'copy', reedId, state: 'gone' });
    if (viewer.asked(body.requestId) === reedId) viewer.explained(body.requestId, 'removed', certificate);
    viewer.removed(reedId, certificate);
    return true;
  }

  async #revoked(value: unknown): Promise<boolean> {
    const { keys } = this.#deps;
    const accepted = await verifyCertificate(value, 'key-revocation', keys.context);
    if (!accepted.ok) return false;
    const { certificate } = accepted.value;
    return keys.revoked(certificate.statement.key, certificate);
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
    // The own block is no news to be acknowledged.
    if (target !== user) return blocker === user;
    const acknowledged = { userId: blocker, countersignatureHash: await countersignatureHash(accepted.value) };
    send({ id: '', type: 'userBlockedAck', body: acknowledged });
    return true;
  }

  /** Ends what a removal or block answers without having proved it, or while its proof could not be checked. */
  #endUnproven(frame: NoticeFrame): void {
    const { viewer, emit } = this.#deps;
    const reedId = frame.type === 'keyRevoked' ? undefined : viewer.asked(frame.body.requestId);
    if (!reedId) return;
    emit({ type: 'unproven', frame: frame.type, reedId });
    viewer.explained(frame.body.requestId, frame.type === 'userBlocked' ? 'blocked' : 'removed', undefined);
  }
}

async function countersignatureHash({ certificate }: AcceptedCertificate<'block'>): Promise<string> {
  const bytes = canonicalBytes(certificate.countersignature.statement);
  if (!bytes.ok) throw new TypeError('an accepted countersignature has a canonical form');
  return statementHash(bytes.value);
}
