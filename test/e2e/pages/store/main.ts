// Runs the store contract over IndexedDB, each case in a database of its own, and leaves the outcome where the test reads it.
import { deleteDB, openDB } from 'idb';
import { COLLECTIONS, type CopyRecord } from '../../../../src/client/store.ts';
import { openDatabase } from '../../../../web/src/store/database.ts';
import { IndexedStore } from '../../../../web/src/store/indexed-store.ts';
import { newestCopies } from '../../../../web/src/store/newest.ts';
import { getSecret, putSecret } from '../../../../web/src/store/secrets.ts';
import { type StoreCase, type StoreUnderTest, storeContract } from '../../../support/store-contract.ts';

const SIGNED_AT = 'certificate.countersignature.statement.signedAt';
const ignoreLoss = (): void => undefined;
let made = 0;

async function make(): Promise<StoreUnderTest> {
  made += 1;
  const name = `contract-${made}`;
  const open = async (): Promise<IndexedStore> => new IndexedStore(await openDatabase(ignoreLoss, name));
  const store = await open();
  return {
    store,
    reopen: open,
    dispose: async () => {
      await store.close();
      await deleteDB(name);
    },
  };
}

const secrets: StoreCase[] = [
  {
    name: 'keeps a secret sealed and gives it back',
    run: async () => {
      const database = await openDatabase(ignoreLoss, 'secrets');
      const secret = { key: 'the words of the private key' };
      await putSecret(database, 'keys', secret);
      const read = await getSecret(database, 'keys');
      if (JSON.stringify(read) !== JSON.stringify(secret)) throw new Error('another secret came back');
      const raw = await database.get('secrets', 'keys');
      const text = raw instanceof CryptoKey || !raw ? '' : new TextDecoder().decode(raw.sealed);
      if (text === '' || text.includes('private key')) throw new Error('the secret lies open in the database');
      const sealing = await database.get('secrets', 'sealing-key');
      if (!(sealing instanceof CryptoKey) || sealing.extractable) throw new Error('the sealing key can be taken out');
      database.close();
      await deleteDB('secrets');
    },
  },
];

/** A copy by what this test looks at: its id and when the server signed it. */
const copySigned = (id: string, minute: number) =>
  ({
    id,
    certificate: {
      statement: { author: 'someone', tags: [], mentions: [] },
      countersignature: { statement: { signedAt: new Date(minute * 60_000).toISOString() } },
    },
  }) as unknown as CopyRecord;

const newest: StoreCase[] = [
  {
    name: 'finds the newest copies whatever their ids, also those that an earlier version of the app stored',
    run: async () => {
      const before = await openDB('newest', 1, {
        upgrade(database) {
          for (const name of ['copies', 'keys', 'requests', 'outbox', 'meta', 'names']) database.createObjectStore(name, { keyPath: 'id' });
          database.createObjectStore('secrets');
        },
      });
      for (const [id, minute] of [
        ['a', 3],
        ['b', 1],
        ['z', 2],
      ] as const)
        await before.put('copies', copySigned(id, minute));
      before.close();
      const database = await openDatabase(ignoreLoss, 'newest');
      await new IndexedStore(database).write([{ put: 'copies', record: copySigned('m', 4) }]);
      const idsOf = async (limit: number): Promise<string> => (await newestCopies(database, limit)).map(({ id }) => id).join(' ');
      const found = [await idsOf(0), await idsOf(2), await idsOf(9)].join(', ');
      if (found !== ', m a, m a z b') throw new Error(`found ${found}`);
      const fed = (await new IndexedStore(database).feed('all')).map(({ copy }) => copy.id).join(' ');
      if (fed !== 'm a z b') throw new Error(`in the feed ${fed}`);
      database.close();
      await deleteDB('newest');
    },
  },
];

/** What the second version of the database had, with something in each of its stores. */
async function secondVersion(name: string): Promise<Map<string, unknown[]>> {
  const before = await openDB(name, 2, {
    upgrade(database) {
      for (const store of ['copies', 'keys', 'requests', 'outbox', 'meta', 'names']) {
        const made = database.createObjectStore(store, { keyPath: 'id' });
        if (store === 'copies') made.createIndex('signedAt', SIGNED_AT);
      }
      database.createObjectStore('secrets');
    },
  });
  const copies = Array.from({ length: 300 }, (_, at) => {
    const { certificate, ...rest } = copySigned(`someone/${String(at).padStart(3, '0')}`, at);
    const statement = { ...certificate.statement, tags: at % 3 === 0 ? ['heron'] : [], mentions: at === 7 ? ['me'] : [] };
    return { ...rest, certificate: { ...certificate, statement }, state: at === 5 ? 'leaving' : 'held', body: { text: `text ${at}` } };
  });
  const rest: [string, object[]][] = [
    ['copies', copies],
    ['keys', [{ id: 'someone', chain: [{ certificate: {} }], owed: ['someone/key'] }]],
    ['requests', [{ id: 'someone/999', want: 'copy', requestId: 'me/1', invalid: 2, askedAt: 1 }]],
    ['outbox', [{ id: '000000000000', reedId: 'me/1', body: { text: 'not published yet' }, state: 'written' }]],
    [
      'meta',
      [
        { id: 'account', value: { user: 'me' } },
        { id: 'tip', value: 'me/0' },
      ],
    ],
    ['names', [{ id: 'someone', username: 'heron' }]],
  ];
  for (const [store, records] of rest) for (const record of records) await before.put(store, record);
  await before.put('secrets', { iv: new Uint8Array(12), sealed: new ArrayBuffer(4) }, 'keys');
  before.close();
  return new Map(rest);
}

const OF_THE_THIRD = ['copies', 'keys', 'requests', 'outbox', 'meta', 'threads', 'tombstones', 'follows', 'blocks', 'blockers', 'marks'];
/** What each version had: a collection that is added without a new version is missing in the profiles of those who were here before. */
const VERSIONS = [
  { version: 3, collections: OF_THE_THIRD },
  { version: 4, collections: [...OF_THE_THIRD, 'recalls'] },
] as const;

const upgrades: StoreCase[] = [
  {
    name: 'takes everything over that the second version of the app stored, and finds its copies by the feeds they stand in',
    run: async () => {
      const had = await secondVersion('second');
      const database = await openDatabase(ignoreLoss, 'second');
      const store = new IndexedStore(database);
      for (const collection of ['copies', 'keys', 'requests', 'outbox', 'meta'] as const)
        same(await store.list(collection), had.get(collection), collection);
      same(await database.getAll('names'), had.get('names'), 'names');
      same(await database.getAllKeys('secrets'), ['keys'], 'secrets');
      same((await store.feed('tag heron' as never)).length, 100, 'with the tag');
      same(
        (await store.feed('mention me' as never)).map(({ copy }) => copy.id),
        ['someone/007'],
        'mentions',
      );
      // What was on its way out stands in no feed.
      same((await store.feed('all')).length, 299, 'all');
      same(
        (await store.feed('all', { limit: 1 })).map(({ copy }) => copy.id),
        ['someone/299'],
        'the newest',
      );
      for (const collection of COLLECTIONS) await store.list(collection);
      await store.write([{ put: 'follows', record: { id: 'someone' as never } }]);
      same(
        (await newestCopies(database, 1)).map(({ id }) => id),
        ['someone/299'],
        'the newest by its signature',
      );
      await store.close();
      // Opened once more it is as it was left.
      const again = await openDatabase(ignoreLoss, 'second');
      same(await new IndexedStore(again).list('copies'), had.get('copies'), 'copies, opened again');
      again.close();
      await deleteDB('second');
    },
  },
  ...VERSIONS.map(({ version, collections }) => ({
    name: `has every collection, also where version ${version} of the database made it`,
    run: async () => {
      const name = `version-${version}`;
      const before = await openDB(name, version, {
        upgrade(database) {
          for (const store of [...collections, 'names']) {
            const made = database.createObjectStore(store, { keyPath: 'id' });
            if (store !== 'copies') continue;
            made.createIndex('signedAt', SIGNED_AT);
            made.createIndex('feeds', 'feeds', { multiEntry: true });
          }
          database.createObjectStore('secrets');
        },
      });
      await before.put('meta', { id: 'account', value: 1 });
      before.close();
      const store = new IndexedStore(await openDatabase(ignoreLoss, name));
      for (const collection of COLLECTIONS) same((await store.list(collection)).length, collection === 'meta' ? 1 : 0, collection);
      same(await store.get('meta', 'account'), { id: 'account', value: 1 }, 'the account');
      await store.close();
      await deleteDB(name);
    },
  })),
  {
    name: 'that is upgraded while an older page has it open tells that page, which lets go of it',
    run: async () => {
      let lost = 0;
      const older = await openDatabase(() => void lost++, 'two');
      const newer = await openDB('two', 1_000);
      if (lost !== 1) throw new Error(`told ${lost} times`);
      await older.get('meta', 'x').then(
        () => Promise.reject(new Error('the older page can still read')),
        () => undefined,
      );
      newer.close();
      await deleteDB('two');
    },
  },
];

function same(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: got ${left}, expected ${right}`);
}

const outcomes: { name: string; problem: string | null }[] = [];
for (const { name, run } of [...storeContract(make), ...secrets, ...newest, ...upgrades]) {
  const problem = await run().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  outcomes.push({ name, problem });
}
Object.assign(globalThis, { outcomes });
