// What members must come to hold, said as plainly as can be: people, posts and what they stated about each other, in the order of the commits.
// Knows nothing of events, queues or catching up: who is owed what follows from what stands.

import { type ReedId, type UserId, type UserKeyId, userOf } from '../../src/wire/address.ts';
import type { DeliveryType } from '../../src/wire/frames.ts';

/** A reed, or a thread by its head. */
export type Post = {
  readonly id: ReedId;
  readonly author: UserId;
  readonly parts: readonly ReedId[];
  readonly mentions: readonly UserId[];
  readonly tags: readonly string[];
  readonly parent: Post | null;
  readonly broadcast: boolean;
};

export type Relation = 'follow' | 'unfollow' | 'block' | 'unblock';

/** What a member watches for as long as it is online: `reed ID`, `profile ID`, `pipe TAG`, `broadcast`; archivists also `archive`. */
export type Watches = ReadonlySet<string>;

const SETS = [
  'published',
  'removed',
  'follows',
  'blocks',
  'vain',
  'declined',
  'likes',
  'hidden',
  'gone',
  'frozen',
  'ended',
  'bereft',
  'private',
] as const;

const pair = (one: string, other: string): string => `${one} ${other}`;

export class OwedModel {
  readonly posts = new Map<ReedId, Post>();
  readonly published = new Set<ReedId>();
  readonly removed = new Set<ReedId>();
  readonly follows = new Set<string>();
  readonly blocks = new Set<string>();
  /** Mentions that reach nobody, because of a block at the time: `post member`. */
  readonly vain = new Set<string>();
  /** What a member found false in itself, never asked for, or evicted: `member post`. */
  readonly declined = new Set<string>();
  /** `member post`, whether or not the post is still there. */
  readonly likes = new Set<string>();
  /** Members whose account's removal waits, or is for good. */
  readonly hidden = new Set<UserId>();
  readonly gone = new Set<UserId>();
  /** Members whose key was revoked and has no successor. */
  readonly frozen = new Set<UserId>();
  /** Keys that were revoked or replaced. */
  readonly ended = new Set<UserKeyId>();
  /** Who followed somebody when that account went for good: `member account`. */
  readonly bereft = new Set<string>();
  /** Authors who let no archivist have copies. */
  readonly private = new Set<UserId>();

  copy(): OwedModel {
    const copy = new OwedModel();
    for (const post of this.posts.values()) copy.posts.set(post.id, post);
    for (const name of SETS) for (const each of this[name]) (copy[name] as Set<string>).add(each);
    return copy;
  }

  /** Signed in, or able to be. */
  isMember(user: UserId): boolean {
    return !this.hidden.has(user) && !this.gone.has(user) && !this.frozen.has(user);
  }

  /** A key ends; what it signed before stands. A removal that waits ends with the key that signed it. */
  endKey(key: UserKeyId, isFollowed: boolean): void {
    const user = userOf(key);
    this.ended.add(key);
    this.hidden.delete(user);
    if (isFollowed) this.frozen.delete(user);
    else this.frozen.add(user);
  }

  /** An account is gone for good. */
  depart(user: UserId): void {
    this.hidden.delete(user);
    this.gone.add(user);
    for (const each of [...this.likes]) if (each.startsWith(`${user} `)) this.likes.delete(each);
    for (const edge of [...this.follows]) {
      const [by, target] = edge.split(' ');
      if (target === user) this.bereft.add(edge);
      if (target === user || by === user) this.follows.delete(edge);
    }
  }

  relate(kind: Relation, by: UserId, target: UserId): void {
    if (kind === 'follow') this.follows.add(pair(by, target));
    if (kind === 'unfollow') this.follows.delete(pair(by, target));
    if (kind === 'unfollow') this.bereft.delete(pair(by, target));
    if (kind === 'unblock') this.blocks.delete(pair(by, target));
    if (kind !== 'block') return;
    this.blocks.add(pair(by, target));
    this.follows.delete(pair(target, by));
  }

  register(post: Post): void {
    this.posts.set(post.id, post);
    for (const member of post.mentions) if (this.isCut(member, post.author) || this.isAway(member)) this.vain.add(pair(post.id, member));
  }

  /** Why a statement is refused; null: it is taken. */
  refusesRelation(kind: Relation, by: UserId, target: UserId): string | null {
    if (kind === 'unfollow' || kind === 'unblock') return null;
    if (this.gone.has(target)) return 'REMOVED';
    if (this.hidden.has(target)) return 'NOT_FOUND';
    return kind === 'follow' && this.blocks.has(pair(target, by)) ? 'BLOCKED' : null;
  }

  refusesLike(id: ReedId, by: UserId): string | null {
    const author = userOf(id);
    if (this.removed.has(id) || this.gone.has(author)) return 'REMOVED';
    if (this.hidden.has(author)) return 'NOT_FOUND';
    return this.blocks.has(pair(author, by)) ? 'BLOCKED' : null;
  }

  /** Why a post may not be registered, or not be published any more. */
  refusesPost({ author, id, parent }: Post): string | null {
    if (this.removed.has(id)) return 'REMOVED';
    if (parent === null) return null;
    if (this.removed.has(parent.id) || this.gone.has(parent.author)) return 'REMOVED';
    if (this.hidden.has(parent.author)) return 'INVALID';
    return this.blocks.has(pair(parent.author, author)) ? 'BLOCKED' : null;
  }

  /** Its account is hidden or gone: what it wrote is given to nobody. */
  isAway(user: UserId): boolean {
    return this.hidden.has(user) || this.gone.has(user);
  }

  /** A block stands between the two, whoever blocked whom. */
  isCut(one: UserId, other: UserId): boolean {
    return this.blocks.has(pair(one, other)) || this.blocks.has(pair(other, one));
  }

  /** It can be shown to the member at all. */
  isOpenTo(member: UserId, { author, id }: Post): boolean {
    return this.published.has(id) && !this.removed.has(id) && author !== member && !this.isAway(author) && !this.isCut(member, author);
  }

  /** By what a post reaches a member who watches this, the strongest first. What lasts comes whether or not the member is there. */
  ways(member: UserId, post: Post, watches: Watches): DeliveryType[] {
    const { author, broadcast, id, mentions, parent, tags } = post;
    const isMentioned = mentions.includes(member) && !this.vain.has(pair(id, member));
    const ways: [DeliveryType | 'broadcastReed', boolean][] = [
      ['mention', isMentioned],
      ['reedReply', parent?.author === member || ancestorsOf(post).some((each) => watches.has(`reed ${each.id}`))],
      ['pipeReed', tags.some((tag) => watches.has(`pipe ${tag}`))],
      ['followReed', this.follows.has(pair(member, author))],
      ['dataResponse', watches.has(`profile ${author}`)],
      ['archiveReed', watches.has('archive') && !this.private.has(author)],
      ['broadcastReed', broadcast && watches.has('broadcast')],
    ];
    return ways.flatMap(([way, is]) => (is && way !== 'broadcastReed' ? [way] : []));
  }

  /** A member must come to hold a post, however long it was away. */
  isOwed(member: UserId, post: Post): boolean {
    if (!this.isOpenTo(member, post) || this.declined.has(pair(member, post.id))) return false;
    return this.ways(member, post, new Set()).length > 0;
  }

  owed(member: UserId): Post[] {
    return [...this.posts.values()].filter((post) => this.isOwed(member, post));
  }
}

function ancestorsOf({ parent }: Post): Post[] {
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}
