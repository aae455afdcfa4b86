// What every store of the SDK must do, whatever it is made of. Browser-safe and free of a test runner,
// so that the same cases run over memory and files in Node and over IndexedDB in Chromium.

import type { Change, CopyRecord, Feed, Page, RequestRecord, Store } from '../../src/client/store.ts';
import type { ReedCertificate } from '../../src/client/types.ts';
import { makeReedId, makeRequestId, parseUserId, type ReedId } from '../../src/wire/address.ts';

export type StoreUnderTest = {
  readonly store: Store;
  /** Opens the same storage again; the first store has been closed before. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
};

export type StoreCase = { readonly name: string; run(): Promise<void> };

const USER = parseUserId('aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb');

const reed = (number: number): ReedId => {
  if (!USER) throw new Error('the test user has no valid id');
  return makeReedId(USER, `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`);
};

/** Countersigned `number` seconds after the beginning of the year. */
const certificateOf = (number: number, says: Partial<ReedCertificate['statement']> = {}): ReedCertificate => {
  const signedAt = new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
  const statement = { id: reed(number), author: USER, tags: [], mentions: [], ...says };
  return { statement, countersignature: { statement: { signedAt }, signature: '' } } as unknown as ReedCertificate;
};

const copy = (number: number, text = `text ${number}`): CopyRecord => ({
  id: reed(number),
  certificate: certificateOf(number),
  body: { text, createdAt: '2026-01-01T00:00:00.000Z', salt: 'AAAAAAAAAAAAAAAAAAAAAA' },
  own: false,
  state: 'unconfirmed',
  storedAt: number,
});

const request = (number: number): RequestRecord => {
  if (!USER) throw new Error('the test user has no valid id');
  const requestId = makeRequestId(USER, `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`);
  return { id: reed(number), want: 'copy', requestId, invalid: 0, askedAt: number };
};

const said = (number: number, says: Partial<ReedCertificate['statement']>): CopyRecord => ({
  ...copy(number),
  certificate: certificateOf(number, says),
});

const numbersIn = async (store: Store, feed: Feed, page: Page = {}): Promise<number[]> =>
  (await store.feed(feed, page)).map(({ copy: { storedAt } }) => storedAt);

const putCopy = (record: CopyRecord): Change => ({ put: 'copies', record });

function same(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: got ${left}, expected ${right}`);
}

async function rejects(work: () => Promise<unknown>, what: string): Promise<void> {
  try {
    await work();
  } catch {
    return;
  }
  throw new Error(`${what}: did not reject`);
}

type Body = (tested: StoreUnderTest) => Promise<void>;

const CASES: Readonly<Record<string, Body>> = {
  'gives null for what was never put': async ({ store }) => {
    same(await store.get('copies', reed(1)), null, 'copy');
    same(await store.list('copies'), [], 'copies');
    same(store.complete, true, 'complete');
  },
  'gives back what was put, whatever signs the text has': async ({ store }) => {
    const record = copy(1, 'line one\nline "two" \u2028 \u{1f33e} \u0001 é');
    await store.write([putCopy(record)]);
    same(await store.get('copies', record.id), record, 'copy');
  },
  'keeps collections apart': async ({ store }) => {
    await store.write([putCopy(copy(1)), { put: 'requests', record: request(1) }]);
    await store.write([{ delete: 'requests', id: reed(1) }]);
    same(await store.get('requests', reed(1)), null, 'request');
    same(await store.get('copies', reed(1)), copy(1), 'copy');
  },
  'replaces a record as a whole': async ({ store }) => {
    await store.write([{ put: 'meta', record: { id: 'tip', value: { reed: 1, note: 'old' } } }]);
    await store.write([{ put: 'meta', record: { id: 'tip', value: { reed: 2 } } }]);
    same(await store.get('meta', 'tip'), { id: 'tip', value: { reed: 2 } }, 'tip');
  },
  'applies the changes of one write in their order': async ({ store }) => {
    await store.write([putCopy(copy(1)), { delete: 'copies', id: reed(1) }, putCopy(copy(2)), putCopy(copy(2, 'again'))]);
    same(await store.list('copies'), [copy(2, 'again')], 'copies');
  },
  'does nothing of a write that can not be stored': async ({ store }) => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const bad = { put: 'meta', record: { id: 'bad', value: circular } } as Change;
    const big = { put: 'meta', record: { id: 'big', value: 10n } } as Change;
    await rejects(() => store.write([putCopy(copy(1)), bad, big]), 'the write');
    same(await store.get('copies', reed(1)), null, 'copy');
    await store.write([putCopy(copy(2))]);
    same(await store.list('copies'), [copy(2)], 'copies');
  },
  'deletes what is not there without complaint': async ({ store }) => {
    await store.write([{ delete: 'copies', id: reed(9) }]);
    same(await store.list('copies'), [], 'copies');
  },
  'lists by id, page by page': async ({ store }) => {
    await store.write([4, 2, 5, 1, 3].map((number) => putCopy(copy(number))));
    const first = await store.list('copies', { limit: 2 });
    same(
      first.map(({ storedAt }) => storedAt),
      [1, 2],
      'first page',
    );
    const rest = await store.list('copies', { after: reed(2) });
    same(
      rest.map(({ storedAt }) => storedAt),
      [3, 4, 5],
      'the rest',
    );
    same(await store.list('copies', { after: reed(5) }), [], 'after the end');
    same(await store.list('copies', { limit: 0 }), [], 'no records');
  },
  'gives a feed in its order, from any place in it': async ({ store }) => {
    await store.write([3, 1, 4, 2].map((number) => putCopy(copy(number))));
    same(await numbersIn(store, 'all'), [4, 3, 2, 1], 'all');
    const [first, second] = await store.feed('all', { limit: 2 });
    same([first?.copy, second?.copy], [copy(4), copy(3)], 'the first two');
    same(await numbersIn(store, 'all', { after: second?.place ?? '' }), [2, 1], 'behind the second');
    // What comes meanwhile moves nothing.
    await store.write([putCopy(copy(5)), { delete: 'copies', id: reed(3) }]);
    same(await numbersIn(store, 'all', { after: second?.place ?? '' }), [2, 1], 'behind the second, later');
    same(await numbersIn(store, 'all', { limit: 0 }), [], 'no items');
  },
  'puts a copy into the feeds that its statement names, and no other': async ({ store }) => {
    const [root, other] = [reed(1), reed(9)];
    await store.write([
      putCopy(said(1, { tags: ['heron', 'marsh'] })),
      putCopy(said(3, { replyTo: root, root })),
      putCopy(said(2, { replyTo: root, root, tags: ['heron'] })),
      putCopy(said(4, { echoOf: root, mentions: USER ? [USER] : [] })),
      putCopy(said(6, { thread: { head: other, index: 1 } })),
      putCopy(said(9, { thread: { head: other, index: 0 } })),
    ]);
    same(await numbersIn(store, 'tag heron'), [2, 1], 'a tag');
    same(await numbersIn(store, 'tag her'), [], 'the beginning of a tag');
    same(await numbersIn(store, `reply ${root}`), [2, 3], 'answers, oldest first');
    same(await numbersIn(store, `echo ${root}`), [4], 'echoes');
    if (USER) same(await numbersIn(store, `mention ${USER}`), [4], 'mentions');
    if (USER) same(await numbersIn(store, `author ${USER}`), [9, 4, 3, 2, 1], 'an author, a thread once');
    same(await numbersIn(store, `thread ${other}`), [9, 6], 'the parts of a thread');
  },
  'takes a copy out of its feeds when it is given up, deleted or replaced': async (tested) => {
    const { store } = tested;
    await store.write([putCopy(said(1, { tags: ['heron'] })), putCopy(copy(2)), putCopy(copy(3))]);
    await store.write([putCopy(copy(1)), { delete: 'copies', id: reed(2) }, putCopy({ ...copy(3), state: 'leaving' })]);
    same(await numbersIn(store, 'tag heron'), [], 'the tag');
    same(await numbersIn(store, 'all'), [1], 'all');
    await store.close();
    const again = await tested.reopen();
    same(await numbersIn(again, 'all'), [1], 'all, opened again');
    await again.close();
  },
  'does not let anyone change what is stored from outside': async ({ store }) => {
    const value = { tags: ['one'] };
    await store.write([{ put: 'meta', record: { id: 'tags', value } }]);
    value.tags.push('two');
    const read = await store.get('meta', 'tags');
    if (!read) throw new Error('tags: nothing there');
    (read.value as { tags: string[] }).tags.push('three');
    same((await store.get('meta', 'tags'))?.value, { tags: ['one'] }, 'tags');
  },
  'carries out writes that are made at once, in their order': async ({ store }) => {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => store.write([putCopy(copy(at)), { put: 'meta', record: { id: 'last', value: at } }])),
    );
    same((await store.list('copies')).length, 50, 'number of copies');
    same((await store.get('meta', 'last'))?.value, 49, 'last');
  },
  'has everything after it was closed and opened again': async (tested) => {
    await tested.store.write([putCopy(copy(1)), putCopy(copy(2))]);
    await tested.store.write([
      { delete: 'copies', id: reed(1) },
      { put: 'requests', record: request(3) },
    ]);
    await tested.store.close();
    const again = await tested.reopen();
    same(await again.list('copies'), [copy(2)], 'copies');
    same(await again.list('requests'), [request(3)], 'requests');
    same(again.complete, true, 'complete');
    await again.close();
  },
  'refuses everything once closed': async ({ store }) => {
    await store.close();
    await rejects(() => store.get('copies', reed(1)), 'get');
    await rejects(() => store.list('copies'), 'list');
    await rejects(() => store.write([putCopy(copy(1))]), 'write');
  },
};

/**
 * The cases for one kind of store. Each makes its own store, empty, and disposes of it.
 * A case throws if the store does not do what it must.
 */
export const storeContract = (make: () => Promise<StoreUnderTest>): StoreCase[] =>
  Object.entries(CASES).map(([name, body]) => ({
    name,
    run: async () => {
      const tested = await make();
      try {
        await body(tested);
      } finally {
        await tested.dispose();
      }
    },
  }));
