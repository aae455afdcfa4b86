// PROFILE_PAGE: a page of somebody's reeds, newest first, the same for every viewer; what of it the viewer does not hold is owed.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { OweItem } from '../ledger/owe.ts';
import type { SubjectKind } from '../ledger/state.ts';
import { parseUserId, type ReedId, type UserId } from '../wire/address.ts';
import type { FrameOf } from '../wire/frames.ts';
import type { Debts } from './debts.ts';
import { errorNotice } from './notices.ts';
import type { Origin } from './port.ts';
import type { Refusals } from './refusals.ts';

export type PagesDeps = {
  readonly application: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly random: RandomBytes;
  readonly debts: Debts;
  readonly refusals: Refusals;
};

// One more than a page tells whether there is another.
const PAGE = `
  select r.id as subject, case when r.thread_head = r.id then 'thread' else 'reed' end as kind,
    exists (select from reed_allocations a where a.reed_id = r.id) as held
  from reeds r
  where r.author_id = $1 and r.published_at is not null and r.removed_at is null and (r.thread_head is null or r.thread_head = r.id)
    and exists (select from users u where u.id = $1) and not exists (select from account_removals x where x.user_id = $1)
  order by r.published_at desc, r.id desc offset $2 limit $3`;

export class Pages {
  readonly #deps: PagesDeps;

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** PAGE_ACK comes before anything that is owed by it. @throws AppError INVALID naming the field */
  async handle(from: Origin, { body }: FrameOf<'profilePage'>): Promise<void> {
    const { application, debts, limits, refusals } = this.#deps;
    const author = parseUserId(body.userId);
    if (!author) throw new AppError('INVALID', 'user_id is no user id');
    if (body.page < 1 || body.page > limits.profilePages) throw new AppError('INVALID', `page is not between 1 and ${limits.profilePages}`);
    const { userId } = from.member;
    const block = await refusals.block(author, userId);
    if (block !== null) return from.reply(block);
    const rows = await application.query<{ subject: ReedId; kind: SubjectKind; held: boolean }>({
      name: 'relay_profile_page',
      text: PAGE,
      values: [author, (body.page - 1) * limits.pageItems, limits.pageItems + 1],
    });
    const page = rows.slice(0, limits.pageItems);
    from.reply({
      id: '',
      type: 'pageAck',
      body: { userId: author, page: body.page, count: page.length, hasMore: rows.length > page.length },
    });
    const { behind, locked } = await debts.owe(page.flatMap(({ held, ...of }) => (held ? [this.#item(userId, of)] : [])));
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
