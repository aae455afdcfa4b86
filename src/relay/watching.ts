// SUBSCRIBE_… and UNSUBSCRIBE_…: what a member watches for as long as it is online. There is no answer but a refusal, which names the
// subject in the place of a request id.
import { AppError } from '../base/errors.ts';
import type { Subscriptions, Watched } from '../presence/subscriptions.ts';
import { parseReedId, parseUserId, type UserId, userOf } from '../wire/address.ts';
import { isTag } from '../wire/claims.ts';
import type { FrameOf, FrameType } from '../wire/frames.ts';
import type { Elsewhere } from './elsewhere-port.ts';
import { errorNotice } from './notices.ts';
import type { Origin } from './port.ts';
import type { Refusals } from './refusals.ts';
import type { Stats } from './stats.ts';
import type { Turns } from './turns.ts';

export type WatchingDeps = {
  readonly subscriptions: Subscriptions;
  readonly refusals: Refusals;
  readonly stats: Pick<Stats, 'snapshot'>;
  readonly turns: Turns;
  readonly elsewhere: Pick<Elsewhere, 'isElsewhere' | 'watched'>;
};

type WatchType = Extract<FrameType, `subscribe${string}` | `unsubscribe${string}`>;

export class Watching {
  readonly #deps: WatchingDeps;

  constructor(deps: WatchingDeps) {
    this.#deps = deps;
  }

  /** @throws AppError INVALID naming the field */
  async handle(from: Origin, frame: FrameOf<WatchType>): Promise<void> {
    const { elsewhere, refusals, stats, subscriptions, turns } = this.#deps;
    const { userId } = from.member;
    const watched = watchedOf(frame);
    if (frame.type.startsWith('unsubscribe')) return turns.run(userId, () => subscriptions.unsubscribe(userId, watched));
    const author = authorOf(watched);
    const block = author === null ? null : await refusals.block(author, userId);
    if (block !== null) return from.reply(block);
    const outcome = await turns.run(userId, () => subscriptions.subscribe(userId, watched));
    const about = { id: '', requestId: watched.kind === 'broadcast' ? '' : watched.target };
    if (outcome === 'subscribed' && watched.kind === 'reed') {
      if (elsewhere.isElsewhere(watched.target)) elsewhere.watched(userId, watched.target);
      else await stats.snapshot(userId, watched.target);
    }
    if (outcome === 'too-many')
      from.reply(errorNotice({ ...about, code: 'TOO_MANY_OPEN', detail: 'as many subscriptions as a member may have; end one first' }));
    if (outcome === 'gone')
      from.reply(
        errorNotice({ ...about, code: 'UNAVAILABLE', detail: 'this connection is not registered; sign in anew', retryAfterMs: 1_000 }),
      );
  }
}

/** @throws AppError INVALID naming the field */
function watchedOf({ type, body }: FrameOf<WatchType>): Watched {
  switch (type) {
    case 'subscribeReed':
    case 'unsubscribeReed': {
      const target = parseReedId(body.reedId);
      if (!target) throw new AppError('INVALID', 'reed_id is no reed id');
      return { kind: 'reed', target };
    }
    case 'subscribeProfile':
    case 'unsubscribeProfile': {
      const target = parseUserId(body.userId);
      if (!target) throw new AppError('INVALID', 'user_id is no user id');
      return { kind: 'profile', target };
    }
    case 'subscribePipe':
    case 'unsubscribePipe':
      if (!isTag(body.tag)) throw new AppError('INVALID', 'tag is no tag');
      return { kind: 'pipe', target: body.tag };
    case 'subscribeBroadcast':
    case 'unsubscribeBroadcast':
      return { kind: 'broadcast' };
  }
}

const authorOf = (watched: Watched): UserId | null =>
  watched.kind === 'reed' ? userOf(watched.target) : watched.kind === 'profile' ? watched.target : null;
