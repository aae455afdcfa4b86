// SDK members on a whole server: signing up, publishing, asking, holding, giving up, coming back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { Member } from '../../src/client/member.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { makePassphrase } from '../../src/client/passphrase.ts';
import { RequestFailure } from '../../src/client/types.ts';
import { makeReedId } from '../../src/wire/address.ts';
import { isA, makeMember, nextEvent, openTestMember } from '../support/members.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const members: Member[] = [];

beforeAll(async () => {
  server = await startServer({ config: { signup: 'open' } });
});

afterAll(async () => {
  await Promise.all(members.map((member) => member.close()));
  await server.close();
});

const join: typeof makeMember = async (app, options) => {
  const member = await makeMember(app, options);
  members.push(member);
  return member;
};

const publishBy = async (author: Member, text: string) => {
  const { reedId, published } = await author.publish({ text });
  await published;
  return reedId;
};

const failureOf = async (request: Promise<unknown>): Promise<RequestFailure> => {
  const error = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RequestFailure)) throw new Error(`no request failure but ${String(error)}`);
  return error;
};

describe('copies', () => {
  test('spread from the author to a reader, and from the reader on when the author is gone', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'first light on the reeds #dawn');
    expect(await author.outbox()).toEqual([]);
    expect((await author.copy(reedId))?.state).toBe('held');

    const reader = await join(server);
    const held = nextEvent(
      reader,
      isA('copy', ({ state }) => state === 'held'),
    );
    const copy = await reader.request(reedId);
    expect(copy.body.text).toBe('first light on the reeds #dawn');
    expect(copy.certificate.statement.tags).toEqual(['dawn']);
    await held;
    expect((await reader.copy(reedId))?.state).toBe('held');

    await author.close();
    const third = await join(server);
    const served = nextEvent(reader, isA('served'));
    expect((await third.request(reedId)).body).toEqual(copy.body);
    expect((await served).outcome).toBe('sent');
    expect(server.logged()).not.toContain('first light');
  });

  test('that are here are given at once, without asking anybody', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'mine');
    let asked = 0;
    author.subscribe((event) => {
      if (event.type === 'request') asked++;
    });
    expect((await author.request(reedId)).own).toBe(true);
    expect(asked).toBe(0);
  });

  test('that nobody online has are waited for, with the truth told meanwhile, and come when the holder does', async () => {
    const [store, safe] = [new MemoryStore(), memoryKeySafe()];
    const author = await join(server, { store, safe });
    const reedId = await publishBy(author, 'see you tomorrow');
    await author.close();
    const reader = await join(server);
    const states: string[] = [];
    const waiting = nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    const request = reader.request(reedId, { onProgress: ({ state }) => states.push(state) });
    await waiting;
    const back = await join(server, { store, safe });
    expect(back.account?.user).toBe(author.account?.user);
    expect((await request).body.text).toBe('see you tomorrow');
    expect(states[0]).toBe('sending');
    expect(states).toContain('nobody-online');
  });

  test('that were given up are gone here, and nobody is sent here for them', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'keep or not');
    const reader = await join(server);
    const held = nextEvent(
      reader,
      isA('copy', ({ state }) => state === 'held'),
    );
    await reader.request(reedId);
    await held;
    await reader.evict(reedId);
    expect(await reader.copy(reedId)).toBe(null);
    await author.close();
    const third = await join(server);
    const waiting = nextEvent(
      third,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    const request = third.request(reedId);
    await waiting;
    const failure = failureOf(request);
    await third.cancel(reedId);
    expect((await failure).outcome).toBe('cancelled');
  });

  test('that the last holder gave up end as not held', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'short-lived');
    await author.evict(reedId);
    const reader = await join(server);
    expect((await failureOf(reader.request(reedId))).outcome).toBe('not-held');
  });
});

describe('requests', () => {
  test('for a reed that was never published end as not found', async () => {
    const reader = await join(server);
    const user = reader.account?.user;
    if (!user) throw new Error('no account');
    const failure = await failureOf(reader.request(makeReedId(user, uuidv7(Date.now(), cryptoRandom))));
    expect(failure.outcome).toBe('not-found');
    expect(await reader.outbox()).toEqual([]);
  });

  test('made twice at once are one, and both get the copy', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'once is enough');
    const reader = await join(server);
    let served = 0;
    author.subscribe((event) => {
      if (event.type === 'served') served++;
    });
    const [one, two] = await Promise.all([reader.request(reedId), reader.request(reedId)]);
    expect(one.body).toEqual(two.body);
    await server.settle();
    expect(served).toBe(1);
  });

  test('end with an abort signal', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'too late');
    await author.close();
    const reader = await join(server);
    const abort = new AbortController();
    const failure = failureOf(reader.request(reedId, { signal: abort.signal }));
    await nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    abort.abort();
    expect((await failure).outcome).toBe('cancelled');
  });

  test('end with an abort signal that comes before they are written', async () => {
    const author = await join(server);
    const reedId = await publishBy(author, 'sooner');
    await author.close();
    const reader = await join(server);
    for (let turns = 0; turns < 8; turns += 1) {
      const abort = new AbortController();
      const ending = reader.request(reedId, { signal: abort.signal }).then(
        () => 'copied',
        () => 'ended',
      );
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      abort.abort();
      expect(await ending).toBe('ended');
    }
  });

  test('that were open when the device stopped are taken up by its next life', async () => {
    const [authorStore, authorSafe, store, safe] = [new MemoryStore(), memoryKeySafe(), new MemoryStore(), memoryKeySafe()];
    const author = await join(server, { store: authorStore, safe: authorSafe });
    const reedId = await publishBy(author, 'patience');
    await author.close();
    const reader = await join(server, { store, safe });
    const waiting = nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    const first = failureOf(reader.request(reedId));
    await waiting;
    await reader.close();
    expect((await first).outcome).toBe('cancelled');
    const again = await openTestMember(server, { store, safe });
    members.push(again);
    const stored = nextEvent(again, isA('copy'));
    again.connect();
    await join(server, { store: authorStore, safe: authorSafe });
    expect((await stored).reedId).toBe(reedId);
    expect((await again.copy(reedId))?.body.text).toBe('patience');
  });
});

describe('the outbox', () => {
  test('sends what was written offline, in order, when the member comes online', async () => {
    const author = await openTestMember(server);
    members.push(author);
    await author.signUp({ username: `m${uuidv7(Date.now(), cryptoRandom).slice(-12)}` });
    const texts = ['one', 'two', 'three'];
    const written = [];
    for (const text of texts) written.push(await author.publish({ text }));
    expect((await author.outbox()).map(({ body }) => body.text)).toEqual(texts);
    author.connect();
    await Promise.all(written.map(({ published }) => published));
    const [first, second, third] = await Promise.all(written.map(({ reedId }) => author.copy(reedId)));
    expect(first?.certificate.statement.previous).toBeUndefined();
    expect(second?.certificate.statement.previous).toBe(first?.id);
    expect(third?.certificate.statement.previous).toBe(second?.id);
    expect(await author.outbox()).toEqual([]);
  });

  test('repeats a registration whose answer was lost, and sends the same statement', async () => {
    let lose = true;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      if (!lose || !String(input).endsWith('/api/v1/reeds')) return response;
      lose = false;
      throw new TypeError('the connection broke after the request');
    };
    const author = await join(server, { deps: { fetch } });
    const reedId = await publishBy(author, 'said once');
    const next = await publishBy(author, 'said after it');
    expect(lose).toBe(false);
    expect((await author.copy(next))?.certificate.statement.previous).toBe(reedId);
  });

  test('finds its place again when this device has an older reed for its newest', async () => {
    const [store, safe] = [new MemoryStore(), memoryKeySafe()];
    const author = await join(server, { store, safe });
    const first = await publishBy(author, 'at first');
    const before = await publishBy(author, 'before');
    await author.idle();
    await store.write([{ put: 'meta', record: { id: 'tip', value: first } }]);
    const reedId = await publishBy(author, 'after the loss');
    expect((await author.copy(reedId))?.certificate.statement.previous).toBe(before);
  });

  test('answers a reply with the root of the conversation, and mentions who is named', async () => {
    const [author, other] = [await join(server), await join(server)];
    const rootId = await publishBy(author, 'who is there?');
    const reply = await other.publish({ text: `@${author.account?.user} it is me`, replyTo: rootId });
    await reply.published;
    const answer = await author.publish({ text: 'hello you', replyTo: reply.reedId });
    await answer.published;
    const copy = await other.request(answer.reedId);
    expect(copy.certificate.statement).toMatchObject({ replyTo: reply.reedId, root: rootId });
    const mention = (await author.request(reply.reedId)).certificate.statement.mentions;
    expect(mention).toEqual([author.account?.user]);
  });

  test('refuses a text that is too long before anything is written', async () => {
    const author = await join(server);
    await expect(author.publish({ text: 'x'.repeat(5_001) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await author.outbox()).toEqual([]);
  });
});

describe('membership', () => {
  test('is made again from a backup, and the device before is shut out', async () => {
    const first = await join(server);
    const reedId = await publishBy(first, 'from the old device');
    const passphrase = makePassphrase(cryptoRandom);
    const backup = await first.backup(passphrase);
    await first.backupSaved();
    await expect(first.backup(passphrase)).rejects.toMatchObject({ code: 'FORBIDDEN' });

    const reader = await join(server);
    await reader.request(reedId);
    const stopped = nextEvent(
      first,
      isA('connection', ({ state }) => state === 'stopped'),
    );
    const second = await openTestMember(server);
    members.push(second);
    await expect(second.restore({ backup, passphrase: 'seven wrong words' })).rejects.toMatchObject({ code: 'INVALID' });
    const account = await second.restore({ backup, passphrase });
    expect(account).toMatchObject({ user: first.account?.user, username: first.account?.username });
    second.connect();
    await second.online();
    expect((await stopped).reason).toBe('CLOSE_REPLACED');
    expect((await second.request(reedId)).own).toBe(true);
    await publishBy(second, 'and on');
  });

  test('goes back to the device that was replaced when its owner wants that, with its copies and its unsent reeds', async () => {
    const first = await join(server);
    const passphrase = makePassphrase(cryptoRandom);
    const backup = await first.backup(passphrase);
    const reedId = await publishBy(first, 'on the first device');
    const stopped = (member: Member) =>
      nextEvent(
        member,
        isA('connection', ({ state }) => state === 'stopped'),
      );
    const firstStopped = stopped(first);
    const second = await openTestMember(server);
    members.push(second);
    await second.restore({ backup, passphrase });
    second.connect();
    await second.online();
    await firstStopped;
    const unsent = await first.publish({ text: 'written while replaced' });
    await expect(first.online()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });

    const secondStopped = stopped(second);
    await first.linkAgain();
    await first.online();
    expect((await secondStopped).reason).toBe('CLOSE_REPLACED');
    await unsent.published;
    const reader = await join(server);
    expect((await reader.request(reedId)).body.text).toBe('on the first device');
  });

  test('of a device that was replaced while it was away ends in a stop that says so', async () => {
    const [store, safe] = [new MemoryStore(), memoryKeySafe()];
    const first = await join(server, { store, safe });
    const passphrase = makePassphrase(cryptoRandom);
    const backup = await first.backup(passphrase);
    await first.close();
    const second = await openTestMember(server);
    members.push(second);
    await second.restore({ backup, passphrase });
    const back = await openTestMember(server, { store, safe });
    members.push(back);
    const stopped = nextEvent(
      back,
      isA('connection', ({ state }) => state === 'stopped'),
    );
    back.connect();
    expect((await stopped).reason).toBe('UNAUTHENTICATED');
    await back.linkAgain();
    await back.online();
  });

  test('is asked for twice with the same keys when the answer to the sign-up was lost', async () => {
    const member = await openTestMember(server, {
      deps: {
        fetch: async (input, init) => {
          const response = await globalThis.fetch(input, init);
          if (String(input).endsWith('/api/v1/users') && !member.account && lost++ === 0) throw new TypeError('lost');
          return response;
        },
      },
    });
    let lost = 0;
    members.push(member);
    const username = `m${uuidv7(Date.now(), cryptoRandom).slice(-12)}`;
    await expect(member.signUp({ username })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const account = await member.signUp({ username });
    expect(account.username).toBe(username);
    member.connect();
    await member.online();
  });

  test('can be tried under another name when the first is taken', async () => {
    const taken = await join(server);
    const member = await openTestMember(server);
    members.push(member);
    await expect(member.signUp({ username: taken.account?.username ?? '' })).rejects.toMatchObject({ code: 'USERNAME_TAKEN' });
    const account = await member.signUp({ username: `m${uuidv7(Date.now(), cryptoRandom).slice(-12)}` });
    expect(await taken.author(account.user)).toEqual({ user: account.user, username: account.username });
  });
});
