// What the member says of others and of themselves, and profiles, as acts.
import type { Member } from '../../../src/client/member.ts';
import type { ReedId } from '../../../src/wire/address.ts';
import { mentionsOf } from '../../../src/wire/claims.ts';
import type { DraftWish, ProfileView, ProfileWish, RelationView } from '../link/community.ts';
import type { Database } from '../store/database.ts';
import { reedIn, userIn } from './community.ts';
import type { Names } from './names.ts';
import type { Views } from './views.ts';

export class Standing {
  readonly #member: Member;
  readonly #database: Database;
  readonly #names: Names;
  readonly #views: Views;

  constructor({ member, database, names, views }: { member: Member; database: Database; names: Names; views: Views }) {
    this.#views = views;
    this.#member = member;
    this.#database = database;
    this.#names = names;
  }

  async publish({ texts, replyTo, echoOf, broadcast }: DraftWish): Promise<{ reedId: string }> {
    const relations = { ...(replyTo ? { replyTo: reedIn(replyTo) } : {}), ...(echoOf ? { echoOf: reedIn(echoOf) } : {}) };
    const said = texts.length > 1 ? { texts } : { text: texts[0] ?? '' };
    const { reedId, published } = await this.#member.publish({ ...said, ...relations, broadcast });
    // A refusal for good is told by the outbox event and stands in the list.
    published.catch(() => undefined);
    return { reedId };
  }

  async like({ reedId, on }: { reedId: string; on: boolean }): Promise<null> {
    const id = reedIn(reedId);
    const { accepted } = on ? await this.#member.relations.like(id) : await this.#member.relations.unlike(id);
    accepted.catch(() => undefined);
    return null;
  }

  /** Takes a reed of one's own back, or the whole thread that it is part of. */
  async remove({ reedId }: { reedId: string }): Promise<null> {
    const id = reedIn(reedId);
    const head = await this.#headOf(id);
    const { accepted } = head ? await this.#member.relations.removeThread(head) : await this.#member.relations.removeReed(id);
    accepted.catch(() => undefined);
    return null;
  }

  async relate({ user, act }: { user: string; act: 'follow' | 'unfollow' | 'block' | 'unblock' }): Promise<null> {
    const { accepted } = await this.#member.relations[act](userIn(user));
    accepted.catch(() => undefined);
    return null;
  }

  async relation({ user }: { user: string }): Promise<RelationView> {
    const id = userIn(user);
    const { relations } = this.#member;
    const [{ name, server }, follows, blocks, blocker] = await Promise.all([
      this.#views.person(id),
      relations.follows(id),
      relations.blocks(id),
      this.#database.get('blockers', id),
    ]);
    return { name, server, follows, blocks, blocksMe: blocker?.active === true };
  }

  async profile({ user }: { user: string }): Promise<ProfileView> {
    const id = userIn(user);
    const known = await this.#member.profiles.read(id);
    await this.#names.learn(id, known.username);
    const { bio, role, createdAt, archive, follows, counts, pinned } = known;
    const mentions = await Promise.all(mentionsOf(bio).map((one) => this.#views.person(one)));
    const { server } = await this.#views.person(id);
    const about = { userId: id, name: known.username, server, bio, mentions, role, createdAt, archive, followsShown: follows === 'public' };
    return { ...about, ...counts, pinned: pinned?.reedId ?? null };
  }

  async profilePage({ user, page }: { user: string; page: number }): Promise<{ count: number; hasMore: boolean; isPartial: boolean }> {
    return { isPartial: false, ...(await this.#member.receiving.profilePage(userIn(user), page)) };
  }

  async edit({ followsShown, pinned, ...rest }: ProfileWish): Promise<null> {
    await this.#member.editProfile({
      ...rest,
      ...(followsShown === undefined ? {} : { follows: followsShown ? 'public' : 'hidden' }),
      ...(pinned === undefined ? {} : { pinned: pinned === null ? null : reedIn(pinned) }),
    });
    return null;
  }

  async #headOf(reedId: ReedId): Promise<ReedId | undefined> {
    const copy = await this.#member.copy(reedId);
    if (copy) return copy.certificate.statement.thread?.head;
    const entry = (await this.#member.outbox()).find((record) => record.reedId === reedId);
    return entry?.parts ? entry.reedId : undefined;
  }
}
