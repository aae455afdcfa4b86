// Every list over HTTP: page by page, while others come and go, nothing that is there all the while is skipped and nothing comes twice.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { makeHttp } from '../support/http.ts';
import { makeInvite, makeWorld, type Person, publishReed, signUp, type World } from '../support/people.ts';

const PEOPLE = 12;
const PAGE = 3;

type Reader = Person & { readonly token: string };
/** What a list shows can be made more and less. A list that only grows has no `remove`. */
type List = {
  readonly path: string;
  /** The field of the items, and how an item names itself. */
  readonly items: string;
  add(): Promise<void>;
  remove?(id: string): Promise<void>;
};

let world: World;
let app: Api;
let reader: Reader;
let author: Person;
let people: Person[];
let reeds: ReedId[];
let root: ReedId;

beforeAll(async () => {
  const limits = { pageItems: PAGE, pageIds: PAGE, openInvitesPerMember: 1_000, httpRequestsPerMinute: 1_000_000, actsBurst: 1_000_000 };
  world = await makeWorld({ limits });
  app = await makeHttp(world);
  [reader, author] = [await signUp(world), await signUp(world)];
  people = [];
  for (let at = 0; at < PEOPLE; at++) people.push(await signUp(world, { username: `Heron${at}` }));
  root = await publishReed(world, author);
  reeds = [];
  for (let at = 0; at < PEOPLE; at++) reeds.push(await publishReed(world, author));
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const run = (text: string, values: readonly unknown[]) => world.db.query({ text, values: [...values] });
const ticked = async <T>(work: () => Promise<T>): Promise<T> => {
  world.clock.advance(1);
  return work();
};
let picked = 0;
/** One after the other, but not in their order. */
const pick = <T>(from: readonly T[]): T => from[(picked++ * 5) % from.length] as T;
const anybody = (): Person => pick(people);
const takeBack = async (reed: string): Promise<void> => {
  await run('update reeds set removed_at = now(), removal_hash = statement_hash where id = $1', [reed]);
};

/** Rows of one of the tables of pairs, switched on and off. */
const pairs = (
  table: 'follows' | 'likes' | 'blocks',
  ends: (id: string) => [user: string, target: string],
  ids: () => readonly string[],
) => {
  const set = async (id: string, active: boolean): Promise<void> => {
    await run(
      `insert into ${table} (user_id, target, active, seq, statement_hash) select $1, $2, $3, 1, identity_hash from users where id = $1
        on conflict (user_id, target) do update set active = excluded.active`,
      [...ends(id), active],
    );
  };
  return {
    add: async () => set(pick(ids()), true),
    remove: (id: string) => set(id, false),
  };
};

const lists: Readonly<Record<string, () => List>> = {
  'replies to a reed': () => ({
    path: `reeds/${encodeURIComponent(root)}/replies`,
    items: 'reeds',
    add: async () => void (await ticked(() => publishReed(world, anybody(), { replyTo: root, root }))),
    remove: takeBack,
  }),
  'echoes of a reed': () => ({
    path: `reeds/${encodeURIComponent(root)}/echoes`,
    items: 'reeds',
    add: async () => void (await ticked(() => publishReed(world, anybody(), { echoOf: root }))),
    remove: takeBack,
  }),
  "a member's own reeds": () => ({
    path: 'users/me/reeds',
    items: 'reeds',
    add: async () => void (await ticked(() => publishReed(world, reader))),
    remove: takeBack,
  }),
  'what a member is counted on to have': () => ({
    path: 'users/me/allocations',
    items: 'reeds',
    add: async () =>
      void (await run(
        `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date) on conflict do nothing`,
        [reader.user, pick(reeds)],
      )),
    remove: async (id) => void (await run('delete from reed_allocations where holder_user_id = $1 and reed_id = $2', [reader.user, id])),
  }),
  'what a member likes': () => ({
    path: 'users/me/likes',
    items: 'reeds',
    ...pairs(
      'likes',
      (id) => [reader.user, id],
      () => reeds,
    ),
  }),
  'whom a member blocks': () => ({
    path: 'users/me/blocks',
    items: 'blocks',
    ...pairs(
      'blocks',
      (id) => [reader.user, id],
      () => people.map(({ user }) => user),
    ),
  }),
  'whom a member follows': () => ({
    path: `users/${encodeURIComponent(author.user)}/following`,
    items: 'users',
    ...pairs(
      'follows',
      (id) => [author.user, id],
      () => people.map(({ user }) => user),
    ),
  }),
  'who follows a member': () => ({
    path: `users/${encodeURIComponent(author.user)}/followers`,
    items: 'users',
    ...pairs(
      'follows',
      (id) => [id, author.user],
      () => people.map(({ user }) => user),
    ),
  }),
  'people found by a name': () => {
    // Who blocks the reader is not found.
    const blocks = pairs(
      'blocks',
      (id) => [id, reader.user],
      () => people.map(({ user }) => user),
    );
    return {
      path: 'users?query=heron',
      items: 'users',
      add: async () => blocks.remove(anybody().user),
      remove: (id) =>
        run(
          `insert into blocks (user_id, target, active, seq, statement_hash) select $1, $2, true, 1, identity_hash from users where id = $1
            on conflict (user_id, target) do update set active = true`,
          [id, reader.user],
        ).then(() => undefined),
    };
  },
  "a member's invites": () => ({
    path: 'invites',
    items: 'invites',
    add: async () => void (await ticked(async () => world.identity.invites.create(reader.member, (await makeInvite(world, reader)).post))),
  }),
};

type Page = { readonly ids: string[]; readonly next: string | null };

const idOf = (item: unknown): string => {
  if (typeof item === 'string') return item;
  const { id, certificate } = item as { id?: string; certificate?: { statement: { id: string } } };
  return id ?? certificate?.statement.id ?? '';
};

async function readPage({ path, items }: List, cursor: string | null): Promise<Page> {
  const query = cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
  const answer = await app.inject({ url: `/api/v1/${path}${query}`, headers: { authorization: `Bearer ${reader.token}` } });
  expect(answer.statusCode, answer.body).toBe(200);
  const body = answer.json() as Record<string, unknown>;
  const ids = (body[items] as unknown[]).map(idOf);
  expect(ids.length).toBeLessThanOrEqual(PAGE);
  return { ids, next: body['next'] as string | null };
}

/** Reads a list to its end; `between` comes after each page. */
async function readAll(list: List, between: () => Promise<void> = async () => undefined): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { ids, next }: Page = await readPage(list, cursor);
    seen.push(...ids);
    if (next === null) return seen;
    cursor = next;
    await between();
  }
}

/** What happens after each page: so many come, and these (as parts of what is there) go. */
const changes = fc.array(
  fc.record({ come: fc.nat({ max: 2 }), go: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 2 }) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe('paging while others come and go', () => {
  test.each(Object.entries(lists))('neither skips nor repeats: %s', async (_, open) => {
    const list = open();
    for (let at = 0; at < 9; at++) await list.add();
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        for (let at = 0; at < 4; at++) await list.add();
        const before = await readAll(list);
        expect(new Set(before).size).toBe(before.length);
        const gone = new Set<string>();
        let step = 0;
        const seen = await readAll(list, async () => {
          // The last step is the end of the changes, or a list that only grows would be read for ever.
          const { come, go } = steps[step++] ?? { come: 0, go: [] };
          for (let at = 0; at < come; at++) await list.add();
          if (!list.remove) return;
          for (const part of go) {
            const id = before[Math.floor(part * before.length)];
            if (id === undefined) continue;
            gone.add(id);
            await list.remove(id);
          }
        });
        expect(new Set(seen).size, 'nothing comes twice').toBe(seen.length);
        expect(
          before.filter((id) => !gone.has(id) && !seen.includes(id)),
          'nothing is skipped',
        ).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });

  test('covers every list that the API describes', async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json() as {
      paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
    };
    // Acts of admins go by their number; none comes or goes.
    const paged = Object.keys(paths).filter(
      (path) => path !== '/api/v1/admin/acts' && paths[path]?.['get']?.parameters?.some(({ name }) => name === 'cursor'),
    );
    const covered = Object.values(lists).map((open) => `/api/v1/${open().path.split('?')[0]}`.replace(/\/[^/]*%[^/]*\//, '/{id}/'));
    expect(paged.sort()).toEqual(covered.sort());
  });
});
