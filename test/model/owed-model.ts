// What members must come to hold, said as plainly as can be: people, posts and what they stated about each other, in the order of the commits.
// Knows nothing of events, queues or catching up: who is owed what follows from what stands.

import type { ReedId, UserId } from '../../src/wire/address.ts';
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

/** What a member watches for as long as it is online: `reed ID`, `profile ID`, `pipe TAG`, `broadcast`. */
export type Watches = ReadonlySet<string>;

const pair = (one: string, other: string): string => `${one} ${other}`;

export class OwedModel {
  readonly posts = new Map<ReedId, Post>();
  readonly published = new Set<ReedId>();
  readonly removed = new Set<ReedId>();
  readonly follows = new Set<string>();
  readonly blocks = new Set<string>();
  /** Mentions that reach nobody, because of a block at the time: `post member`. */
  readonly vain = new Set<string>();
  /** What a member found false in itself, or never asked for: `member post`. */
  readonly declined = new Set<string>();

  copy(): OwedModel {
    const copy = new OwedModel();
    for (const post of this.posts.values()) copy.posts.set(post.id, post);
    for (const name of ['published', 'removed', 'follows', 'blocks', 'vain', 'declined'] as const)
      for (const each of this[name]) (copy[name] as Set<string>).add(each);
    return copy;
  }

  relate(kind: Relation, by: UserId, target: UserId): void {
    if (kind === 'follow') this.follows.add(pair(by, target));
    if (kind === 'unfollow') this.follows.delete(pair(by, target));
    if (kind === 'unblock') this.blocks.delete(pair(by, target));
    if (kind !== 'block') return;
    this.blocks.add(pair(by, target));
    this.follows.delete(pair(target, by));
  }

  register(post: Post): void {
    this.posts.set(post.id, post);
    for (const member of post.mentions) if (this.isCut(member, post.author)) this.vain.add(pair(post.id, member));
  }

  /** Why a statement is refused; null: it is taken. */
  refusesRelation(kind: Relation, by: UserId, target: UserId): string | null {
    return kind === 'follow' && this.blocks.has(pair(target, by)) ? 'BLOCKED' : null;
  }

  /** Why a post may not be registered, or not be published any more. */
  refusesPost({ author, id, parent }: Post): string | null {
    if (this.removed.has(id)) return 'REMOVED';
    if (parent === null) return null;
    if (this.removed.has(parent.id)) return 'REMOVED';
    return this.blocks.has(pair(parent.author, author)) ? 'BLOCKED' : null;
  }

  /** A block stands between the two, whoever blocked whom. */
  isCut(one: UserId, other: UserId): boolean {
    return this.blocks.has(pair(one, other)) || this.blocks.has(pair(other, one));
  }

  /** It can be shown to the member at all. */
  isOpenTo(member: UserId, { author, id }: Post): boolean {
    return this.published.has(id) && !this.removed.has(id) && author !== member && !this.isCut(member, author);
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
