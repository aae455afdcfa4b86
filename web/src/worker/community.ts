// The community as acts: what is read from this device, what the server lists, what is watched while a page shows it. Nothing here signs
// anything but through the member.
import { AppError } from '../../../src/base/errors.ts';
import type { ListedPerson, ListedReed, Pages } from '../../../src/client/lists.ts';
import type { Member } from '../../../src/client/member.ts';
import type { OutboxRecord } from '../../../src/client/store.ts';
import type { Timeline } from '../../../src/client/timelines.ts';
import type { Watch } from '../../../src/client/types.ts';
import { parseReedId, parseUserId, type ReedId, type ServerId, serverOf, type UserId, userOf } from '../../../src/wire/address.ts';
import type {
  AnswersView,
  BroadcastView,
  CopyList,
  CopyView,
  ListedView,
  LookView,
  PeopleView,
  PeopleWish,
  PersonRef,
  TimelineWish,
  WatchNews,
  WatchWish,
} from '../link/community.ts';
import type { Database } from '../store/database.ts';
import { allNames } from '../store/names.ts';
import { sameName, splitName } from '../text/names.ts';
import { beginsSo, hostOf } from '../text/servers.ts';
import type { Names } from './names.ts';
import type { Servers } from './servers.ts';
import type { Views } from './views.ts';

const NAMES_AT_ONCE = 30;
const MET_SHOWN = 12;
/** Who invited this member, by their id. */
export const INVITER = 'inviter';
const BROADCASTS_SHOWN = 60;

/** What a page sent as an id. Throws AppError BAD_REQUEST for anything else. */
export function reedIn(text: string): ReedId {
  const reedId = parseReedId(text);
  if (!reedId) throw new AppError('BAD_REQUEST', 'This is not a reed’s link.');
  return reedId;
}

export function userIn(text: string): UserId {
  const user = parseUserId(text);
  if (!user) throw new AppError('BAD_REQUEST', 'This is not a member’s link.');
  return user;
}

type Parts = {
  readonly member: Member;
  readonly database: Database;
  readonly views: Views;
  readonly names: Names;
  readonly servers: Servers;
};

export class Community {
  readonly #member: Member;
  readonly #database: Database;
  readonly #names: Names;
  readonly #views: Views;
  readonly #servers: Servers;

  constructor({ member, database, views, names, servers }: Parts) {
    this.#servers = servers;
    this.#member = member;
    this.#database = database;
    this.#names = names;
    this.#views = views;
  }

  /** What this device knows of a reed, without asking anybody. */
  async look({ reedId }: { reedId: string }): Promise<LookView> {
    const id = reedIn(reedId);
    const stone = await this.#member.receiving.tombstone(id);
    if (stone) return { copy: null, stone: this.#views.stone(stone) };
    const entry = (await this.#outbox()).find((record) => record.reedId === id);
    const here = await this.#member.copy(id);
    if (here && here.state !== 'leaving') return { copy: await this.#views.copy(here, entry?.refused), stone: null };
    return { copy: entry ? await this.#views.unsent(entry) : null, stone: null };
  }

  /** A timeline from this device; what of one's own is still to be sent stands in it, too. */
  async timeline({ timeline, limit }: { timeline: TimelineWish; limit: number }): Promise<CopyList> {
    const unsent = await this.#unsentIn(timeline);
    const { copies, next } = await this.#member.receiving.timeline(timelineOf(timeline), { limit });
    const shown = await Promise.all(copies.map((copy) => this.#views.listed(copy, unsent.get(copy.id)?.refused)));
    for (const { id } of copies) unsent.delete(id);
    const waiting = await Promise.all([...unsent.values()].map((record) => this.#views.unsent(record)));
    return { shown: [...waiting.reverse(), ...shown], more: next !== null };
  }

  async broadcasts(): Promise<readonly BroadcastView[]> {
    const heard = this.#member.receiving.broadcasts().slice(0, BROADCASTS_SHOWN);
    return Promise.all(heard.map(async (one) => ({ copy: await this.#views.broadcast(one), skipped: one.skipped })));
  }

  /** All parts of a thread, in their order; asked for if they are not here. */
  async thread(head: ReedId): Promise<readonly CopyView[]> {
    const { copies } = await this.#member.receiving.timeline({ kind: 'thread', reedId: head });
    const entry = (await this.#outbox()).find((record) => record.reedId === head);
    if (entry?.parts && copies.length < entry.parts.length) {
      return Promise.all(entry.parts.map((_part, index) => this.#views.unsent(entry, index)));
    }
    return Promise.all(copies.map((copy) => this.#views.listed(copy)));
  }

  /** Replies to a reed, one level, or its echoes: as the server lists them, with what is here and not listed yet behind. */
  async answers({ reedId, kind, pages }: { reedId: string; kind: 'replies' | 'echoes'; pages: number }): Promise<AnswersView> {
    const id = reedIn(reedId);
    const { receiving, lists } = this.#member;
    const listed = await take(kind === 'replies' ? lists.replies(id) : lists.echoes(id), pages).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'UNAVAILABLE') return null;
      throw error;
    });
    const shown = new Map<string, ListedView>();
    for (const item of listed?.items ?? []) if (!(await this.#isGone(item.reedId))) shown.set(item.reedId, await this.#listed(item));
    const here = await receiving.timeline({ kind, reedId: id });
    const unsent = (await this.#outbox()).filter(({ relations }) => (kind === 'replies' ? relations.replyTo : relations.echoOf) === id);
    const local = [
      ...here.copies.map((copy) => ({ reedId: copy.id, at: copy.certificate.countersignature.statement.signedAt })),
      ...unsent.map((record) => ({ reedId: record.reedId, at: record.body.createdAt })),
    ];
    // While more pages follow, what is here may stand on one of them.
    if (!listed?.more)
      for (const item of local)
        if (!shown.has(item.reedId)) shown.set(item.reedId, { ...item, author: await this.#views.person(userOf(item.reedId)) });
    return { shown: [...shown.values()], more: listed?.more ?? here.next !== null, reached: listed !== null };
  }

  /** Watches until `signal` aborts; every news goes to `progress`. */
  watch(wish: WatchWish, { signal, progress }: { readonly signal: AbortSignal; progress(news: WatchNews): void }): Promise<null> {
    return new Promise((done) => {
      let watching = this.#member.receiving;
      let stop = watching.watch(watchOf(wish));
      const deafen = this.#member.subscribe((event) => {
        // A new key comes with parts made anew, which watch nothing yet.
        if (event.type === 'connection' && this.#member.receiving !== watching) {
          watching = this.#member.receiving;
          stop = watching.watch(watchOf(wish));
        } else if (event.type === 'stats' && wish.kind === 'reed' && event.reedId === wish.reedId) {
          const { replies, echoes, likes, coveragePercent, holderServers } = event;
          progress({ stats: { replies, echoes, likes, coveragePercent, holderServers } });
        } else if (event.type === 'watch-refused' && sameWatch(event.watch, wish)) progress({ refused: event.code });
      });
      progress({});
      const end = (): void => {
        deafen();
        stop();
        done(null);
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  async people({ wish, pages }: { wish: PeopleWish; pages: number }): Promise<PeopleView> {
    if (wish.of === 'met') return { shown: await this.#met(), more: false, away: [] };
    if (wish.of === 'elsewhere') return this.#elsewhere(wish.query);
    const { items, more } = await take(this.#peoplePages(wish), pages);
    const shown = await Promise.all(items.map((item) => this.#listedPerson(item)));
    return { shown: wish.of === 'search' ? ofServer(shown, splitName(wish.query).server) : shown, more, away: [] };
  }

  /** Other servers know their people by bare names; with a server behind it, only what is of that one is shown. */
  async #elsewhere(query: string): Promise<PeopleView> {
    const { name, server: begun } = splitName(query);
    const { people, away } = await this.#member.lists.peopleElsewhere(name || query);
    const shown = await Promise.all(people.map((item) => this.#listedPerson(item)));
    const silent = away.map((server) => ({ server, label: this.#servers.nameOf(server) }));
    return {
      shown: ofServer(shown, begun),
      more: false,
      away: silent.filter((peer) => beginsSo(begun, peer)).map(({ label }) => label),
    };
  }

  async #listedPerson({ user, username }: ListedPerson): Promise<PersonRef> {
    return { userId: user, name: username ?? (await this.#views.person(user)).name, server: this.#servers.labelOf(user) };
  }

  /** Whose names these are, whatever their capitals. */
  async findNames({ names }: { names: readonly string[] }): Promise<Record<string, string | null>> {
    const found = await Promise.all(
      names.slice(0, NAMES_AT_ONCE).map(async (name): Promise<[string, string | null]> => {
        return [name, await this.#whoseName(name)];
      }),
    );
    return Object.fromEntries(found);
  }

  /** By the server's list, then by the names that this device has met. A name without a server is somebody's of one's own. */
  async #whoseName(written: string): Promise<string | null> {
    const { name, server: label } = splitName(written);
    const server = label === '' ? (this.#member.account?.server ?? null) : await this.#servers.named(label);
    if (server === null) return null;
    try {
      const { value } = await this.#member.lists.people(name).next();
      const found = value?.find(({ user, username }) => serverOf(user) === server && username !== null && sameName(username, name));
      if (found || label === '') return found?.user ?? null;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
    }
    return (await this.#names.idOf(name, server)) ?? (await this.#askTheirs(name, server));
  }

  /** Null if nobody there is called so, or it can't be asked. */
  async #askTheirs(name: string, server: ServerId): Promise<string | null> {
    const found = await this.#member.lists.peopleElsewhere(name).catch(() => null);
    const isThat = ({ user, username }: ListedPerson): boolean =>
      serverOf(user) === server && username !== null && sameName(username, name);
    return found?.people.find(isThat)?.user ?? null;
  }

  /** Who invited this member, then others whose names this device has come across, as far as they are neither followed nor blocked. */
  async #met(): Promise<PersonRef[]> {
    const { account, relations } = this.#member;
    const inviter = parseUserId(String((await this.#database.get('meta', INVITER))?.value));
    const known = (await allNames(this.#database)).flatMap(({ id }) => parseUserId(id) ?? []);
    const met: PersonRef[] = [];
    for (const user of new Set([...(inviter ? [inviter] : []), ...known])) {
      if (met.length === MET_SHOWN) break;
      const isKnown = user === account?.user || (await relations.follows(user)) || (await relations.blocks(user));
      if (isKnown || (await this.#database.get('tombstones', user))) continue;
      met.push(await this.#views.person(user));
    }
    return met;
  }

  #peoplePages(wish: Exclude<PeopleWish, { of: 'met' | 'elsewhere' }>): Pages<ListedPerson> {
    const { lists } = this.#member;
    if (wish.of === 'search') return lists.people(splitName(wish.query).name || wish.query);
    if (wish.of === 'blocks') return lists.blocks();
    return wish.of === 'following' ? lists.following(userIn(wish.user)) : lists.followers(userIn(wish.user));
  }

  /** Taken back, or by somebody who is blocked, as far as this device knows: the server may not have heard of it yet. */
  async #isGone(reedId: ReedId): Promise<boolean> {
    return (await this.#member.receiving.tombstone(reedId)) !== null || (await this.#member.relations.blocks(userOf(reedId)));
  }

  async #listed({ reedId, publishedAt }: ListedReed): Promise<ListedView> {
    return { reedId, author: await this.#views.person(userOf(reedId)), at: publishedAt };
  }

  async #outbox(): Promise<OutboxRecord[]> {
    return this.#member.outbox();
  }

  async #unsentIn(timeline: TimelineWish): Promise<Map<string, OutboxRecord>> {
    const isOwn = timeline.kind === 'home' || (timeline.kind === 'profile' && timeline.user === this.#member.account?.user);
    return new Map((isOwn ? await this.#outbox() : []).map((record) => [record.reedId, record]));
  }
}

/** Of people those whose server is called so, as far as it was typed; one's own by its host. */
const ofServer = (people: readonly PersonRef[], begun: string): PersonRef[] =>
  people.filter(({ userId, server }) =>
    beginsSo(begun, { server: serverOf(userIn(userId)), label: server === '' ? hostOf(self.location.origin) : server }),
  );

/** The items of the first pages of a list. */
async function take<T>(list: Pages<T>, pages: number): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  for (let page = 0; page < pages; page++) {
    const { value, done } = await list.next();
    if (done || !value) return { items, more: false };
    items.push(...value);
  }
  // A page that follows may be empty: then there is no more.
  const after = await list.next();
  return { items, more: !after.done && after.value.length > 0 };
}

const timelineOf = (wish: TimelineWish): Timeline => (wish.kind === 'profile' ? { kind: 'profile', user: userIn(wish.user) } : wish);

function watchOf(wish: WatchWish): Watch {
  if (wish.kind === 'reed') return { kind: 'reed', reedId: reedIn(wish.reedId) };
  return wish.kind === 'profile' ? { kind: 'profile', user: userIn(wish.user) } : wish;
}

/** A tag may have been folded on the way. */
function sameWatch(watch: Watch, wish: WatchWish): boolean {
  if (watch.kind !== wish.kind) return false;
  if (watch.kind === 'reed') return wish.kind === 'reed' && watch.reedId === wish.reedId;
  if (watch.kind === 'profile') return wish.kind === 'profile' && watch.user === wish.user;
  return true;
}
