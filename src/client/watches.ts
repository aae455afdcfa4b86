// What this member watches while it is connected, and pages of profiles. The server forgets it with the connection, so each new one hears all of
// it again, before the sync. Several parts of a program may watch the same: it ends with the last of them.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { parseReedId, type ReedId, type UserId } from '../wire/address.ts';
import { foldTag, isTag } from '../wire/claims.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import type { Watched } from './agreements.ts';
import type { Emit, Watch } from './types.ts';

export type WatchDeps = { readonly limits: Pick<Limits, 'keyChainsCached'>; send(frame: Frame): boolean; emit: Emit };

type Entry = { readonly watch: Watch; count: number };
type PageWaiter = { readonly page: number; done(page: ProfilePage): void; failed(error: AppError): void };

/** A page of a profile: so many reeds are on it, and what of them is not here comes by itself. */
export type ProfilePage = {
  readonly count: number;
  readonly hasMore: boolean;
  /** The author's server can't be asked now: this is what is known at this member's own. */
  readonly isPartial?: true;
};

export class Watches implements Watched {
  readonly #deps: WatchDeps;
  readonly #entries = new Map<string, Entry>();
  /** Whose pages were asked for in this session: what of them comes was agreed to. */
  readonly #paged = new Set<UserId>();
  readonly #pages = new Map<UserId, PageWaiter[]>();
  #isConnected = false;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  get pipes(): number {
    return this.#of('pipe').length;
  }

  get reeds(): readonly ReedId[] {
    return this.#of('reed').flatMap((watch) => (watch.kind === 'reed' ? [watch.reedId] : []));
  }

  pipe(tag: string): boolean {
    return this.#entries.has(`pipe ${tag}`);
  }

  reed(reedId: ReedId): boolean {
    return this.#entries.has(`reed ${reedId}`);
  }

  profile(user: UserId): boolean {
    return this.#entries.has(`profile ${user}`) || this.#paged.has(user);
  }

  /** Whether the community stream is watched. */
  get broadcast(): boolean {
    return this.#entries.has('broadcast');
  }

  /**
   * Watches until the returned function is called. A tag may be written in any case.
   * @throws AppError INVALID for what is no tag
   */
  watch(given: Watch): () => void {
    const watch = given.kind === 'pipe' ? { ...given, tag: foldTag(given.tag) } : given;
    if (watch.kind === 'pipe' && !isTag(watch.tag))
      throw new AppError('INVALID', 'tag: not one; take letters, digits and _, not digits alone');
    const key = keyOf(watch);
    const entry = this.#entries.get(key) ?? { watch, count: 0 };
    entry.count++;
    this.#entries.set(key, entry);
    if (entry.count === 1 && this.#isConnected) this.#deps.send(frameOf(watch, true));
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#end(key);
    };
  }

  /** Asks for a page of somebody's reeds, newest first, from page 1. @throws AppError by what the server answers */
  page(user: UserId, page: number): Promise<ProfilePage> {
    this.#agreeTo(user);
    return new Promise((done, failed) => {
      this.#pages.set(user, [...(this.#pages.get(user) ?? []), { page, done, failed }]);
      const isSent = this.#deps.send({ id: user, type: 'profilePage', body: { userId: user, page } });
      if (!isSent) this.#failPages(user, new AppError('UNAVAILABLE', 'no connection'));
    });
  }

  connected(): void {
    this.#isConnected = true;
    for (const { watch } of this.#entries.values()) this.#deps.send(frameOf(watch, true));
  }

  disconnected(): void {
    this.#isConnected = false;
    for (const user of this.#pages.keys()) this.#failPages(user, new AppError('UNAVAILABLE', 'the connection was lost'));
  }

  pageAck({ body }: FrameOf<'pageAck'>): void {
    const user = body.userId as UserId;
    const waiting = this.#pages.get(user) ?? [];
    const { count, hasMore, partial } = body;
    for (const { page, done } of waiting) if (page === body.page) done({ count, hasMore, ...(partial ? { isPartial: true } : {}) });
    const others = waiting.filter(({ page }) => page !== body.page);
    if (others.length > 0) this.#pages.set(user, others);
    else this.#pages.delete(user);
  }

  stats({ body }: FrameOf<'reedStats'>): void {
    const reedId = parseReedId(body.reedId);
    if (reedId && this.reed(reedId)) this.#deps.emit({ type: 'stats', ...body, reedId });
  }

  /** An ERROR about a page, or about something watched: it stays wanted, and the next connection tries again. */
  refused({ id, body }: FrameOf<'error'>): void {
    const about = body.requestId || id;
    const error = new AppError(body.code, body.detail, body.retryAfterMs ? { retryAfterMs: body.retryAfterMs } : {});
    this.#failPages(about as UserId, error);
    for (const { watch } of this.#entries.values())
      if (targetOf(watch) === about) this.#deps.emit({ type: 'watch-refused', watch, code: body.code });
  }

  /** Somebody who blocks this member, or whom this member blocks, shows no pages. */
  blocked(user: UserId): void {
    this.#failPages(user, new AppError('BLOCKED', 'a block stands between you'));
  }

  #agreeTo(user: UserId): void {
    this.#paged.delete(user);
    this.#paged.add(user);
    const [oldest] = this.#paged;
    if (this.#paged.size > this.#deps.limits.keyChainsCached && oldest !== undefined) this.#paged.delete(oldest);
  }

  #failPages(user: UserId, error: AppError): void {
    const waiting = this.#pages.get(user) ?? [];
    this.#pages.delete(user);
    for (const { failed } of waiting) failed(error);
  }

  #end(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry || --entry.count > 0) return;
    this.#entries.delete(key);
    if (this.#isConnected) this.#deps.send(frameOf(entry.watch, false));
  }

  #of(kind: Watch['kind']): Watch[] {
    return [...this.#entries.values()].flatMap(({ watch }) => (watch.kind === kind ? [watch] : []));
  }
}

const targetOf = (watch: Watch): string => {
  switch (watch.kind) {
    case 'pipe':
      return watch.tag;
    case 'reed':
      return watch.reedId;
    case 'profile':
      return watch.user;
    case 'broadcast':
      return 'broadcast';
  }
};

const keyOf = (watch: Watch): string => (watch.kind === 'broadcast' ? 'broadcast' : `${watch.kind} ${targetOf(watch)}`);

/** The frame's id is what it is about, so that an ERROR of the connection itself can be told apart. */
function frameOf(watch: Watch, begin: boolean): Frame {
  const id = targetOf(watch);
  switch (watch.kind) {
    case 'pipe':
      return { id, type: begin ? 'subscribePipe' : 'unsubscribePipe', body: { tag: watch.tag } };
    case 'reed':
      return { id, type: begin ? 'subscribeReed' : 'unsubscribeReed', body: { reedId: watch.reedId } };
    case 'profile':
      return { id, type: begin ? 'subscribeProfile' : 'unsubscribeProfile', body: { userId: watch.user } };
    case 'broadcast':
      return { id, type: begin ? 'subscribeBroadcast' : 'unsubscribeBroadcast', body: {} };
  }
}
