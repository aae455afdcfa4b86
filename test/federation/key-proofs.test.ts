// What proving chains of keys may cost a server: so many certificates for one peer in a minute, and none of them twice.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { UserKeyId } from '../../src/wire/address.ts';
import { flush, type Home, openPeers } from '../support/peer-stage.ts';
import { type Person, publishReed, signUp } from '../support/people.ts';
import { rotate } from '../support/rotations.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
let a: Home;
let b: Home;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ a, b, close } = await openPeers({ limits: { keyProofsPerMinute: 6 } }));
});
afterAll(() => close());
beforeEach(() => pass());

const pass = (ms = MINUTE): void => {
  for (const { clock } of [a, b]) clock.advance(ms);
};
/** Somebody at `a` with so many keys, each but the last revoked. */
const withKeys = async (count: number): Promise<Person> => {
  let person: Person = await signUp(a);
  for (let key = 1; key < count; key += 1) {
    pass(2 * DAY);
    person = (await rotate(a, person)).next;
  }
  return person;
};
const learn = async (person: Person) => b.identity.foreign.learnChain(person.user, await a.identity.foreign.chain(person.user));
const TOO_MANY = { ok: false, reason: 'too-many-keys', detail: '' };

test('a chain that is stored costs nothing, one that is not as many certificates as it has, until a minute has passed', async () => {
  const [ann, bob] = [await withKeys(3), await withKeys(2)];
  expect(await learn(ann)).toEqual({ ok: true, value: 'learned' });
  for (let time = 0; time < 5; time += 1) expect(await learn(ann)).toEqual({ ok: true, value: 'known' });
  expect(await learn(bob)).toEqual(TOO_MANY);
  pass();
  expect(await learn(bob)).toEqual({ ok: true, value: 'learned' });
});

test('what differs from what is stored in anything is verified', async () => {
  const ann = await withKeys(2);
  expect(await learn(ann)).toEqual({ ok: true, value: 'learned' });
  const [first, second] = await a.identity.foreign.chain(ann.user);
  const [other] = (await a.identity.foreign.chain((await withKeys(1)).user)) as { certificate: { signatures: object } }[];
  const certificate = { ...(first?.certificate as object), signatures: other?.certificate.signatures };
  expect(await b.identity.foreign.learnChain(ann.user, [{ ...first, certificate }, second])).toMatchObject({ ok: false });
});

test('who asks for copies by keys that are not proven any more is told to come again', async () => {
  const [ann, bob] = [await withKeys(3), await withKeys(2)];
  await learn(ann);
  const chain = await a.identity.foreign.chain(bob.user);
  const accept = (key: UserKeyId) => b.identity.foreignKeys.accept(bob.user, key, { chain, by: a.id });
  await expect(accept(bob.keyId)).rejects.toMatchObject({ code: 'TOO_MANY_OPEN', retryAfterMs: expect.any(Number) });
  pass();
  expect(await accept(bob.keyId)).toBe(true);
});

test('what is published under keys that are not proven any more is put off, and taken later', async () => {
  const [ann, bob] = [await withKeys(3), await withKeys(2)];
  await learn(ann);
  const reed = await publishReed(a, bob);
  const isTaken = async () => (await b.rows('select from reeds where id = $1', reed)).length > 0;
  await flush(a);
  expect(await isTaken()).toBe(false);
  for (let time = 0; time < 3; time += 1) {
    pass();
    await flush(a);
  }
  expect(await isTaken()).toBe(true);
  expect(await a.rows('select from parked_items')).toEqual([]);
});
