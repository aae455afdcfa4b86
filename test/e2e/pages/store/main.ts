// Runs the store contract over IndexedDB, each case in a database of its own, and leaves the outcome where the test reads it.
import { deleteDB, openDB } from 'idb';
import type { CopyRecord } from '../../../../src/client/store.ts';
import { openDatabase } from '../../../../web/src/store/database.ts';
import { IndexedStore } from '../../../../web/src/store/indexed-store.ts';
import { newestCopies } from '../../../../web/src/store/newest.ts';
import { getSecret, putSecret } from '../../../../web/src/store/secrets.ts';
import { type StoreCase, type StoreUnderTest, storeContract } from '../../../support/store-contract.ts';

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

const outcomes: { name: string; problem: string | null }[] = [];
for (const { name, run } of [...storeContract(make), ...secrets, ...newest]) {
  const problem = await run().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  outcomes.push({ name, problem });
}
Object.assign(globalThis, { outcomes });
