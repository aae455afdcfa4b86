// What is here, as it is read: timelines from the local store alone, page by page. Whoever is muted, or behind a block, is left out; what
// comes or goes between two pages makes none of the rest come twice or be skipped.
import type { ReedId, UserId } from '../wire/address.ts';
import { foldTag } from '../wire/claims.ts';
import type { Agreements } from './agreements.ts';
import type { CopyRecord, Feed, FeedItem, Store } from './store.ts';

/**
 * home: own reeds and those of whom this member follows. pipe: a tag. mentions: what names this member. answers: replies to and echoes of this
 * member's reeds. profile: what somebody wrote. kept: everything. replies, oldest first: one level below a reed. echoes: of a reed. thread: its parts.
 */
export type Timeline =
  | { readonly kind: 'home' | 'mentions' | 'answers' | 'kept' }
  | { readonly kind: 'pipe'; readonly tag: string }
  | { readonly kind: 'profile'; readonly user: UserId }
  | { readonly kind: 'replies' | 'echoes' | 'thread'; readonly reedId: ReedId };

/** `next`: where the next page starts; null after the last. A page may be empty and not the last. */
export type TimelinePage = { readonly copies: readonly CopyRecord[]; readonly next: string | null };

export type TimelineDeps = { readonly store: Store; readonly user: UserId; readonly agreements: Pick<Agreements, 'isShut'> };

const ROWS = 100;
/** So many rows are looked at for one page, however little of them is shown. */
const ROWS_LOOKED_AT = 2_000;
const PAGE_ITEMS = 50;

export class Timelines {
  readonly #deps: TimelineDeps;

  constructor(deps: TimelineDeps) {
    this.#deps = deps;
  }

  /** A page of a timeline; `after` is the `next` of the page before. */
  async page(timeline: Timeline, { after, limit = PAGE_ITEMS }: { after?: string; limit?: number } = {}): Promise<TimelinePage> {
    const { store, user } = this.#deps;
    const feed = feedOf(timeline, user);
    const isShown = this.#judge(timeline);
    const copies: CopyRecord[] = [];
    let place = after;
    for (let looked = 0; looked < ROWS_LOOKED_AT; looked += ROWS) {
      const rows: FeedItem[] = await store.feed(feed, { limit: ROWS, ...(place === undefined ? {} : { after: place }) });
      for (const row of rows) {
        if (copies.length === limit) return { copies, next: place ?? null };
        place = row.place;
        if (await isShown(row.copy)) copies.push(row.copy);
      }
      if (rows.length < ROWS) return { copies, next: null };
    }
    return { copies, next: place ?? null };
  }

  /** Each author is looked up once a page. */
  #judge(timeline: Timeline): (copy: CopyRecord) => Promise<boolean> {
    const authors = new Map<UserId, Promise<boolean>>();
    return ({ certificate }) => {
      const { author } = certificate.statement;
      const known = authors.get(author) ?? this.#shows(timeline, author);
      authors.set(author, known);
      return known;
    };
  }

  async #shows({ kind }: Timeline, author: UserId): Promise<boolean> {
    const { store, user, agreements } = this.#deps;
    if (author === user) return true;
    if (await agreements.isShut(author)) return false;
    // Whoever opens a profile or a thread wants to see it.
    if (kind === 'profile' || kind === 'thread') return true;
    if ((await store.get('marks', author))?.muted) return false;
    return kind !== 'home' || (await store.get('follows', author)) !== null;
  }
}

function feedOf(timeline: Timeline, user: UserId): Feed {
  switch (timeline.kind) {
    case 'pipe':
      return `tag ${foldTag(timeline.tag)}`;
    case 'mentions':
      return `mention ${user}`;
    case 'answers':
      return `answers ${user}`;
    case 'profile':
      return `author ${timeline.user}`;
    case 'replies':
      return `reply ${timeline.reedId}`;
    case 'echoes':
      return `echo ${timeline.reedId}`;
    case 'thread':
      return `thread ${timeline.reedId}`;
    default:
      return 'all';
  }
}
