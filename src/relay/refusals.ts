// What a requester is told when a request can't be opened or its event ended: the frame for each refusal, with the certificate
// that explains it.
import type { Database } from '../db/pool.ts';
import type { Refusal } from '../ledger/state.ts';
import type { ReedId, RequestId, UserId } from '../wire/address.ts';
import { userOf } from '../wire/address.ts';
import type { Frame } from '../wire/frames.ts';
import { errorNotice, reedNotFound, reedNotHeld } from './notices.ts';

const UTF8 = new TextEncoder();

export type Refused = { readonly eventId: string; readonly requestId: RequestId; readonly requester: UserId; readonly subjectId: ReedId };

export class Refusals {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The answer for a refusal. Where its certificate is missing (not visible yet), NOT_FOUND is the answer. */
  async frame(refusal: Refusal, of: Refused): Promise<Frame> {
    const error = { id: of.eventId, requestId: of.requestId };
    switch (refusal) {
      case 'gone':
        return errorNotice({
          ...error,
          code: 'UNAVAILABLE',
          detail: 'this connection is not registered; ask again after signing in',
          retryAfterMs: 1_000,
        });
      case 'conflict':
        return errorNotice({ ...error, code: 'CONFLICT', detail: 'this request id stands for another reed' });
      case 'too-many':
        return errorNotice({ ...error, code: 'TOO_MANY_OPEN', detail: 'too many open requests; cancel one or wait', retryAfterMs: 5_000 });
      case 'not-held':
        return reedNotHeld(of.eventId, of.requestId, of.subjectId);
      case 'removed':
        return this.#explained(of, 'reedRemoved', (await this.#removals([of.subjectId])).get(of.subjectId) ?? null);
      case 'blocked':
        return this.#explained(of, 'userBlocked', await this.#block(userOf(of.subjectId), of.requester));
      case 'not-found':
        return reedNotFound(of.requestId, of.subjectId);
    }
  }

  /** The answers to all of these, whose reeds were removed. */
  async removed(all: readonly Refused[]): Promise<{ readonly to: UserId; readonly frame: Frame }[]> {
    const certificates = await this.#removals([...new Set(all.map(({ subjectId }) => subjectId))]);
    return all.map((of) => ({ to: of.requester, frame: this.#explained(of, 'reedRemoved', certificates.get(of.subjectId) ?? null) }));
  }

  /** What tells `viewer` that there is a block between it and `author`, or null. A failed look-up throws, which refuses too. */
  async block(author: UserId, viewer: UserId): Promise<Frame | null> {
    const certificate = await this.#block(author, viewer);
    return certificate && { id: '', type: 'userBlocked', body: { requestId: '', certificate: UTF8.encode(JSON.stringify(certificate)) } };
  }

  /** The certificate of a block between the two, whichever way, or null. */
  blockCertificate(author: UserId, viewer: UserId): Promise<object | null> {
    return this.#block(author, viewer);
  }

  #explained(of: Refused, type: 'reedRemoved' | 'userBlocked', certificate: object | null): Frame {
    if (!certificate) return reedNotFound(of.requestId, of.subjectId);
    return { id: '', type, body: { requestId: of.requestId, certificate: UTF8.encode(JSON.stringify(certificate)) } };
  }

  async #removals(reeds: readonly ReedId[]): Promise<ReadonlyMap<ReedId, object>> {
    const rows = await this.#db.query<{ id: ReedId; certificate: object }>({
      name: 'relay_removal_certificates',
      isPlannedAnew: true,
      text: 'select r.id, s.certificate from reeds r join statements s on s.hash = r.removal_hash where r.id = any($1::text[])',
      values: [reeds],
    });
    return new Map(rows.map(({ id, certificate }) => [id, certificate]));
  }

  async #block(author: UserId, requester: UserId): Promise<object | null> {
    const [row] = await this.#db.query<{ certificate: object }>({
      name: 'relay_block_certificate',
      text: `select s.certificate from blocks b join statements s on s.hash = b.statement_hash
        where b.active and ((b.user_id = $1 and b.target = $2) or (b.user_id = $2 and b.target = $1)) order by b.user_id = $1 desc limit 1`,
      values: [author, requester],
    });
    return row?.certificate ?? null;
  }
}
