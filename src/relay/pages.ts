// PROFILE_PAGE: a page of somebody's reeds, newest first, the same for every viewer; what of it the viewer does not hold is owed.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { OweItem } from '../ledger/owe.ts';
import type { SubjectKind } from '../ledger/state.ts';
import { parseUserId, type ReedId, serverOf, type UserId } from '../wire/address.ts';
import type { FrameOf } from '../wire/frames.ts';
import type { Debts } from './debts.ts';
import type { Elsewhere } from './elsewhere-port.ts';
import type { Looks } from './looks.ts';
import { errorNotice, peerServerLost } from './notices.ts';
import type { Origin } from './port.ts';
import type { Refusals } from './refusals.ts';

export type PagesDeps = {
  readonly application: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
  readonly debts: Debts;
  readonly refusals: Refusals;
  readonly elsewhere: Pick<Elsewhere, 'isElsewhere' | 'page'>;
  readonly looks: Pick<Looks, 'look'>;
};

// One more than a page tells whether there is another.
const PAGE = `
  select r.id as subject, case when r.thread_head = r.id then 'thread' else 'reed' end as kind,
    exists (select from reed_allocations a where a.reed_id = r.id) as held
  from reeds r
  where r.author_id = $1 and r.published_at is not null and r.removed_at is null and (r.thread_head is null or r.thread_head = r.id)
    and not exists (select from account_removals x where x.user_id = $1)
  order by r.published_at desc, r.id desc offset $2 limit $3`;

type PageRow = { readonly subject: ReedId; readonly kind: 'reed' | 'thread'; readonly held: boolean };
type AskedPage = { readonly author: UserId; readonly page: number };

/** A page of somebody's reeds as they are known here; `held`: by anybody here. */
export async function pageOf(
  db: Database,
  { author, limits, page }: AskedPage & { readonly limits: Pick<Limits, 'pageItems'> },
): Promise<{ rows: PageRow[]; hasMore: boolean }> {
  const rows = await db.query<PageRow>({
    name: 'relay_profile_page',
    text: PAGE,
    values: [author, (page - 1) * limits.pageItems, limits.pageItems + 1],
  });
  return { rows: rows.slice(0, limits.pageItems), hasMore: rows.length > limits.pageItems };
}

type Shown = {
  readonly count: number;
  readonly hasMore: boolean;
  readonly partial?: true;
  readonly due: readonly Pick<PageRow, 'subject' | 'kind'>[];
};

const UTF8 = new TextEncoder();

export class Pages {
  readonly #deps: PagesDeps;

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** PAGE_ACK comes before anything that is owed by it. @throws AppError INVALID naming the field */
  async handle(from: Origin, { body }: FrameOf<'profilePage'>): Promise<void> {
    const { elsewhere, limits, looks, refusals } = this.#deps;
    const author = parseUserId(body.userId);
    if (!author) throw new AppError('INVALID', 'user_id is no user id');
    if (body.page < 1 || body.page > limits.profilePages) throw new AppError('INVALID', `page is not between 1 and ${limits.profilePages}`);
    const { userId } = from.member;
    const block = await refusals.block(author, userId);
    if (block !== null) return from.reply(block);
    const asked = { author, page: body.page };
    if (!elsewhere.isElsewhere(author)) return this.#known(from, asked);
    // Other frames of this connection don't wait for another server.
    looks.look(() =>
      this.#elsewhere(from, asked).catch((error: unknown) => {
        from.reply(
          errorNotice({ id: '', requestId: author, code: 'UNAVAILABLE', detail: 'it could not be had; look again', retryAfterMs: 1_000 }),
        );
        throw error;
      }),
    );
  }

  /** Of what this server knows. */
  async #known(from: Origin, asked: AskedPage, partial?: true): Promise<void> {
    const { application, limits } = this.#deps;
    const { rows, hasMore } = await pageOf(application, { ...asked, limits });
    await this.#show(from, asked, {
      ...{ count: rows.length, hasMore, ...(partial ? { partial } : {}) },
      due: rows.filter(({ held }) => held),
    });
  }

  /** Of what the author's home says. While it can't be asked, of what is known here. */
  async #elsewhere(from: Origin, asked: AskedPage): Promise<void> {
    const found = await this.#deps.elsewhere.page(asked.author, from.member.userId, asked.page);
    if (found.kind === 'blocked')
      return from.reply({
        id: '',
        type: 'userBlocked',
        body: { requestId: '', certificate: UTF8.encode(JSON.stringify(found.certificate)) },
      });
    if (found.kind === 'page') return this.#show(from, asked, { count: found.reeds.length, hasMore: found.hasMore, due: found.reeds });
    await this.#known(from, asked, true);
    if (found.isLost) from.reply(peerServerLost(serverOf(asked.author)));
  }

  async #show(from: Origin, { author, page }: AskedPage, { due, ...shown }: Shown): Promise<void> {
    const { userId } = from.member;
    from.reply({ id: '', type: 'pageAck', body: { userId: author, page, ...shown } });
    const { behind, locked } = await this.#deps.debts.owe(due.map((of) => this.#item(userId, of)));
    const about = { id: '', requestId: author };
    if (behind)
      from.reply(
        errorNotice({ ...about, code: 'TOO_MANY_OPEN', detail: 'as much is owed to you as may be; look again later', retryAfterMs: 5_000 }),
      );
    else if (locked)
      from.reply(
        errorNotice({
          ...about,
          code: 'UNAVAILABLE',
          detail: 'another connection of yours comes or goes; look again',
          retryAfterMs: 1_000,
        }),
      );
  }

  #item(requester: UserId, { subject, kind }: { subject: ReedId; kind: SubjectKind }): OweItem {
    const { clock, random } = this.#deps;
    return { eventId: uuidv7(clock.now(), random), requester, eventName: 'DATA_RESPONSE', kind, subject, priority: 2, holder: null };
  }
}
