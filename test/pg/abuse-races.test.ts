// Many at once for what there is one of: an invitation, an open place among a member's invitations, a name, a key's account. Exactly as many win as there
// are, and the losers leave nothing behind.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { generatePrivateKey } from '../../src/crypto/openpgp.ts';
import { userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { identityStatement, makeInvite, makePerson, type Person, type SignUpBody, sign, signUpBody } from '../support/people.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

const MANY = 100;
let siege: Siege;
beforeEach(async () => {
  siege = await besiege({ signup: 'invite' });
});
afterEach(async () => {
  await siege.stillServes();
  await siege.end();
});

const crowd = async (count: number): Promise<Person[]> => {
  const { world } = siege;
  const { server } = world.identity;
  const first = await makePerson(server.id, world.clock.now());
  const people = [first];
  // The others share what need not be their own.
  for (let at = 1; at < count; at++) {
    const key = await generatePrivateKey(world.clock.now());
    const user = await userIdFromFingerprint(key.fingerprint, server.id);
    people.push({ ...first, key, user, keyId: userKeyId(user, key.fingerprint), username: `${first.username}.${at}` });
  }
  return people;
};
const invite = async (): Promise<{ secret: string; id: string }> => {
  const { post, secret } = await makeInvite(siege.world, siege.ann);
  expect((await siege.post('/api/v1/invites', post, siege.ann)).status).toBe(201);
  return { secret, id: post.statement.id };
};
const signUpAll = (requests: readonly SignUpBody[]) => Promise.all(requests.map((body) => siege.post('/api/v1/users', body)));

test('of 100 who take one invitation at once one gets in, and 99 leave nothing behind', async () => {
  const { secret, id } = await invite();
  const people = await crowd(MANY);
  const requests = await Promise.all(people.map((person) => signUpBody(siege.world, person, secret)));
  const before = await siege.stored();
  const answers = await signUpAll(requests);
  const losers = answers.filter(({ status }) => status !== 201);
  expect(losers).toHaveLength(MANY - 1);
  for (const answer of losers) expect(isRefusal(answer, 'loser')).toBe('INVITE_INVALID');
  const after = await siege.stored();
  const grown = Object.entries(after).filter(([table, rows]) => rows !== before[table]);
  expect(Object.fromEntries(grown.map(([table, rows]) => [table, rows - (before[table] ?? 0)]))).toEqual({
    devices: 1,
    identities: 1,
    keys: 1,
    sessions: 1,
    statements: 2,
    used_challenges: 1,
    usernames: 1,
    users: 1,
  });
  const winner = people[answers.findIndex(({ status }) => status === 201)];
  const [claimed] = await siege.world.db.query<{ by: string }>({
    text: 'select claimed_by as by from invites where id = $1',
    values: [id],
  });
  expect(claimed?.by).toBe(winner?.user);
  // Later, too, and to whoever only asks.
  expect(isRefusal(await siege.post('/api/v1/invites/check', { secret }), 'check')).toBe('INVITE_INVALID');
  const [late] = await crowd(1);
  expect(isRefusal(await siege.post('/api/v1/users', await signUpBody(siege.world, late as Person, secret)), 'late')).toBe(
    'INVITE_INVALID',
  );
});

test('a member who asks for 100 invitations at once gets as many as a member may have open', async () => {
  const posts = await Promise.all(Array.from({ length: MANY }, async () => (await makeInvite(siege.world, siege.ann)).post));
  const answers = await Promise.all(posts.map((post) => siege.post('/api/v1/invites', post, siege.ann)));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(MANY - refused.length).toBe(siege.world.limits.openInvitesPerMember);
  for (const answer of refused) expect(isRefusal(answer, 'over the quota')).toBe('TOO_MANY_OPEN');
  expect((await siege.stored())['invites']).toBe(siege.world.limits.openInvitesPerMember + 1);
});

test('an invitation that is revoked and taken at once is one or the other', async () => {
  for (let round = 0; round < 5; round++) {
    const { secret, id } = await invite();
    const [person] = await crowd(1);
    const body = await signUpBody(siege.world, person as Person, secret);
    const headers = { authorization: `Bearer ${siege.ann.token}` };
    const [taken, revoked] = await Promise.all([
      siege.post('/api/v1/users', body),
      siege.call({ method: 'POST', url: `/api/v1/invites/${encodeURIComponent(id)}/revoke`, headers }),
    ]);
    const [row] = await siege.world.db.query<{ claimed: boolean; revoked: boolean }>({
      text: 'select claimed_by is not null as claimed, revoked_at is not null as revoked from invites where id = $1',
      values: [id],
    });
    expect([taken.status, revoked.status, row]).toEqual(
      taken.status === 201 ? [201, 409, { claimed: true, revoked: false }] : [403, 204, { claimed: false, revoked: true }],
    );
  }
});

test('of 16 who take one name at once, each in a look of its own, one has it', async () => {
  const { world, ann } = siege;
  const looks = ['heron', 'Heron', 'HERON', 'her0n', 'h.eron', 'he_ron', 'hérõn'];
  const people = (await crowd(15)).map((person, at) => ({ ...person, username: looks[at % looks.length] ?? 'heron' }));
  const secrets: string[] = [];
  for (let at = 0; at < 15; at++) secrets.push((await invite()).secret);
  const requests = await Promise.all(people.map((person, at) => signUpBody(world, person, secrets[at])));
  const before = await siege.stored();
  const renamed = await sign(ann, identityStatement(ann, world.clock.now(), 'heron'), world.clock.now());
  const [answers, rename] = await Promise.all([signUpAll(requests), siege.post('/api/v1/users/me/identity', renamed, ann)]);
  const winners = [...answers, rename].filter(({ status }) => status < 300);
  expect(winners).toHaveLength(1);
  for (const answer of [...answers, rename].filter(({ status }) => status >= 300))
    expect(isRefusal(answer, 'loser')).toBe('USERNAME_TAKEN');
  const open = await siege.world.db.query({ text: 'select id from invites where claimed_at is null' });
  expect(open).toHaveLength(rename.status < 300 ? 15 : 14);
  expect((await siege.stored())['users']).toBe((before['users'] ?? 0) + (rename.status < 300 ? 0 : 1));
});

test('one who signs up 30 times at once with one invitation is one member with one invitation used', async () => {
  const { secret } = await invite();
  const [person] = await crowd(1);
  const first = await signUpBody(siege.world, person as Person, secret);
  const requests = await Promise.all(
    Array.from({ length: 30 }, async () => ({ ...first, session: (await signUpBody(siege.world, person as Person)).session })),
  );
  const before = await siege.stored();
  const answers = await signUpAll(requests);
  for (const answer of answers) if (answer.status !== 201) isRefusal(answer, 'again');
  const [certificate, ...again] = answers.filter(({ status }) => status === 201).map((answer) => answer.json()['key']);
  expect(again.length).toBeGreaterThan(0);
  for (const other of again) expect(other).toEqual(certificate);
  expect((await siege.stored())['users']).toBe((before['users'] ?? 0) + 1);
});
