// Pages of profiles across a border: our members' for a peer's member, whom a block keeps out here as at home, and a peer's members' for ours. Ids only:
// each reed is opened by itself, through the fold.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ForeignPersons } from '../identity/foreign.ts';
import type { PageElsewhere } from '../relay/elsewhere-port.ts';
import { pageOf } from '../relay/pages.ts';
import type { Refusals } from '../relay/refusals.ts';
import { type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodePage, decodePageRequest, encodePage, encodePageRequest } from '../wire/legs.ts';
import { isLost } from './leg-words.ts';
import type { Called, Leg, LegAnswer, PeerCalls } from './stream-ports.ts';

export type ProfilePagesDeps = {
  readonly db: Database;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly calls: PeerCalls;
  readonly refusals: Pick<Refusals, 'blockCertificate'>;
  readonly foreign: Pick<ForeignPersons, 'accept'>;
};

const REQUEST_BYTES = 1_024;
const OK = 200;
/** Whatever either side has configured. */
const MOST_ON_A_PAGE = 100;

export class ProfilePages implements Leg {
  readonly limitBytes = REQUEST_BYTES;
  readonly #deps: ProfilePagesDeps;

  constructor(deps: ProfilePagesDeps) {
    this.#deps = deps;
  }

  /** @throws AppError BAD_REQUEST, FORBIDDEN, NOT_FOUND; BLOCKED with the certificate */
  async handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const { db, home, limits, refusals } = this.#deps;
    const asked = decodePageRequest(body);
    if (!asked.ok) throw new AppError('BAD_REQUEST', 'the body can not be read');
    const { author, page, requester } = asked.value;
    if (page < 1 || page > limits.profilePages) throw new AppError('BAD_REQUEST', `page is not between 1 and ${limits.profilePages}`);
    if (serverOf(requester) !== peer) throw new AppError('FORBIDDEN', 'requester: of another server');
    if (serverOf(author) !== home) throw new AppError('NOT_FOUND', 'author: of another server');
    const certificate = await refusals.blockCertificate(author, requester);
    if (certificate !== null) throw new AppError('BLOCKED', 'a block stands between the two', { certificate });
    const { rows, hasMore } = await pageOf(db, { author, page, limits: { pageItems: Math.min(limits.pageItems, MOST_ON_A_PAGE) } });
    return { status: OK, body: encodePage({ reeds: rows.map(({ kind, subject }) => ({ kind, subject })), hasMore }) };
  }

  /** Asks an author's home. What can't be believed is no page. */
  async ask(author: UserId, requester: UserId, page: number): Promise<PageElsewhere> {
    const { calls } = this.#deps;
    const called = await calls.call(serverOf(author), 'profile-page', encodePageRequest({ author, requester, page }));
    if (called.kind !== 'answer') return { kind: 'away', isLost: isLost(called) };
    if (called.status !== OK) return this.#refused(called, author, requester);
    const answer = decodePage(called.body, author, MOST_ON_A_PAGE);
    return answer.ok ? { kind: 'page', ...answer.value } : { kind: 'away', isLost: true };
  }

  async #refused(called: Extract<Called, { kind: 'answer' }>, author: UserId, requester: UserId): Promise<PageElsewhere> {
    const { certificate } = called.refusal ?? {};
    if (certificate === undefined) return { kind: 'away', isLost: isLost(called) };
    const block = await this.#deps.foreign.accept(certificate, 'block');
    if (!block.ok) return { kind: 'away', isLost: true };
    const { target, user } = block.value.certificate.statement;
    const isBetween = (user === author && target === requester) || (user === requester && target === author);
    return isBetween ? { kind: 'blocked', certificate } : { kind: 'away', isLost: true };
  }
}
