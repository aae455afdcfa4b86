// Follows, likes and blocks across a border: counted and enforced where their target is at home, owed until that home has answered, the newest of each
// pair the state, whatever is lost or comes twice.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { encodeAct } from '../../src/wire/streams.ts';
import { flush, type Home, openHome, openPeers, peer } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, sign, signUp } from '../support/people.ts';

let a: Home;
let b: Home;
let wire: PeerWire;
let close: () => Promise<void>;
let ann: Person;
let bob: Person;
let reed: ReedId;
beforeAll(async () => {
  ({ a, b, wire, close } = await openPeers());
});
afterAll(() => close());
beforeEach(async () => {
  wire.fate = () => 'deliver';
  wire.calls.length = 0;
  [ann, bob] = [await signUp(a), await signUp(b)];
  reed = await publishReed(b, bob);
  await flush(b);
});

type Act = 'follow' | 'unfollow' | 'like' | 'unlike' | 'block' | 'unblock';
const statementOf = <T extends Act>(by: Person, type: T, target: string) => ({
  ...heading(type),
  ...{ user: by.user, key: by.keyId, target, createdAt: printTime(a.clock.now()) },
});
const act = async (home: Home, by: Person, type: Act, target: string) => {
  const post = await sign(by, statementOf(by, type, target) as never, home.clock.now());
  // Each is a statement of its own.
  a.clock.advance(1);
  b.clock.advance(1);
  const { blocks, follows } = home.identity;
  if (type === 'follow' || type === 'unfollow') return follows.set(by.member, target as never, type, post);
  if (type === 'like' || type === 'unlike') return home.reeds.likes.set(by.member, target as never, type, post);
  return blocks.set(by.member, target as never, type, post);
};
const follows = (home: Home) => home.rows('select active from follows where user_id = $1 and target = $2', ann.user, bob.user);
const owed = (home: Home) => home.rows('select leg, failures from owed_legs');

test('a follow and its end come to the home of who is followed', async () => {
  await act(a, ann, 'follow', bob.user);
  await flush(a);
  expect(await follows(b)).toEqual([{ active: true }]);
  await act(a, ann, 'unfollow', bob.user);
  await flush(a);
  expect(await follows(b)).toEqual([{ active: false }]);
  expect(await owed(a)).toEqual([]);
});

test('an act is owed until it is answered; the newest of a pair takes the place of an older', async () => {
  wire.fate = () => 'lose-request';
  await act(a, ann, 'follow', bob.user);
  await flush(a);
  await act(a, ann, 'unfollow', bob.user);
  await act(a, ann, 'follow', bob.user);
  await flush(a);
  expect(await owed(a)).toEqual([{ leg: 'follow', failures: 0 }]);
  wire.fate = () => 'lose-answer';
  await flush(a);
  wire.fate = () => 'repeat';
  await flush(a);
  expect(await follows(b)).toEqual([{ active: true }]);
  expect(await owed(a)).toEqual([]);
});

test('an older act that comes late changes nothing', async () => {
  const first = await act(a, ann, 'follow', bob.user);
  await act(a, ann, 'unfollow', bob.user);
  await flush(a);
  await wire.call({ from: a.id, to: b.id, leg: 'follow', body: encodeAct(first.certificate) });
  expect(await follows(b)).toEqual([{ active: false }]);
});

test('a like counts at the home of the reed, once', async () => {
  wire.fate = () => 'repeat';
  await act(a, ann, 'like', reed);
  await flush(a);
  const likes = () => b.rows('select likes from reed_stats where reed_id = $1', reed);
  expect(await likes()).toEqual([{ likes: 1 }]);
  await act(a, ann, 'unlike', reed);
  await flush(a);
  expect(await likes()).toEqual([{ likes: 0 }]);
});

test('a block holds at the home of the blocked, who is told there, and whose follow ends', async () => {
  await act(b, bob, 'follow', ann.user);
  await flush(b);
  await act(a, ann, 'block', bob.user);
  await flush(a);
  expect(await b.rows('select active from blocks where user_id = $1 and target = $2', ann.user, bob.user)).toEqual([{ active: true }]);
  expect(await b.rows('select kind from owed_notices where user_id = $1 and about_user_id = $2', bob.user, ann.user)).toEqual([
    { kind: 'block' },
  ]);
  for (const home of [a, b])
    expect(await home.rows('select active from follows where user_id = $1 and target = $2', bob.user, ann.user)).toEqual([
      { active: false },
    ]);
  await expect(act(b, bob, 'follow', ann.user)).rejects.toMatchObject({ code: 'BLOCKED' });
  await act(a, ann, 'unblock', bob.user);
  await flush(a);
  await act(b, bob, 'follow', ann.user);
});

test('who is blocked is refused with the block, and is owed no further answer', async () => {
  await act(b, bob, 'block', ann.user);
  wire.fate = ({ leg }) => (leg === 'block' ? 'lose-request' : 'deliver');
  await act(a, ann, 'follow', bob.user);
  const calls: number[] = [];
  const through = wire.fate;
  wire.fate = (call) => {
    if (call.leg === 'follow') calls.push(1);
    return through(call);
  };
  await flush(a);
  await flush(a);
  expect(calls).toHaveLength(1);
  expect(await follows(b)).toEqual([]);
});

test.each([
  { before: 'the peering rests there', refused: { status: 403, code: 'FORBIDDEN' } },
  { before: 'the clocks differ', refused: { status: 401, code: 'CLOCK_DIFFERS' } },
] as const)('an act is no less owed because $before, and is sent when the peer is there again', async ({ refused }) => {
  wire.fate = () => refused;
  await act(a, ann, 'block', bob.user);
  await flush(a);
  expect(await owed(a)).toEqual([{ leg: 'block', failures: 1 }]);
  wire.fate = () => 'deliver';
  a.streams.sender.wake(b.id);
  await a.rest();
  expect(await owed(a)).toEqual([]);
  expect(await b.rows('select active from blocks where user_id = $1 and target = $2', ann.user, bob.user)).toEqual([{ active: true }]);
});

test('nobody of a server that is no peer can be followed or blocked', async () => {
  const stranger = `${'b'.repeat(16)}@${'c'.repeat(16)}`;
  await expect(act(a, ann, 'follow', stranger)).rejects.toMatchObject({ code: 'INVALID' });
  await expect(act(a, ann, 'block', stranger)).rejects.toMatchObject({ code: 'INVALID' });
});

test('a peer speaks for its own people, to ours, in acts that they signed', async () => {
  const c = await openHome(wire);
  await peer(c, b);
  const { certificate } = await act(a, ann, 'follow', bob.user);
  const send = (from: Home, leg: string, body: Uint8Array) => wire.call({ from: from.id, to: b.id, leg, body });
  expect(await send(c, 'follow', encodeAct(certificate))).toMatchObject({ status: 403 });
  expect(await send(a, 'unfollow', encodeAct(certificate))).toMatchObject({ status: 422 });
  const altered = structuredClone(certificate) as { statement: { target: string } };
  altered.statement.target = (await signUp(b)).user;
  expect(await send(a, 'follow', encodeAct(altered))).toMatchObject({ status: 422 });
  expect(await send(a, 'follow', new Uint8Array([1, 2, 3]))).toMatchObject({ status: 400 });
  expect(await follows(b)).toEqual([]);
  await c.close();
});

test('of a member that the home does not know nothing is kept', async () => {
  const nobody = `${'b'.repeat(16)}@${b.id}`;
  await act(a, ann, 'follow', nobody);
  await flush(a);
  expect(await owed(a)).toEqual([]);
  expect(await b.rows('select from follows where target = $1', nobody)).toEqual([]);
});

test('persons, keys and certificates are told of by their home, and kept once proven', async () => {
  expect(await a.streams.persons.learnPerson(bob.user)).toMatchObject({ ok: true });
  expect(await a.rows('select username from foreign_profiles where user_id = $1', bob.user)).toEqual([{ username: bob.username }]);
  expect(await a.rows('select id from keys where user_id = $1', bob.user)).toEqual([{ id: bob.keyId }]);
  expect(await a.streams.persons.learnPerson(`${'b'.repeat(16)}@${b.id}` as Person['user'])).toMatchObject({
    ok: false,
    reason: 'unknown',
  });
  for (const fate of ['lose-request', { status: 403, code: 'FORBIDDEN' }] as const) {
    wire.fate = () => fate;
    expect(await a.streams.persons.learnPerson(bob.user)).toMatchObject({ ok: false, reason: 'away' });
  }
});

test('a follower whose name could not be had is listed once their home is back', async () => {
  await act(a, ann, 'follow', bob.user);
  wire.fate = ({ leg }) => (leg === 'profile' ? 'lose-request' : 'deliver');
  await flush(a);
  await b.rest();
  const listed = async () => (await b.identity.follows.followers(bob.user, bob.user, { after: '', limit: 10 })).map(({ id }) => id);
  expect([await follows(b), await listed()]).toEqual([[{ active: true }], []]);
  wire.fate = () => 'deliver';
  b.streams.peerBack(a.id);
  await b.rest();
  expect(await b.rows('select username from foreign_profiles where user_id = $1', ann.user)).toEqual([{ username: ann.username }]);
  expect(await listed()).toEqual([ann.user]);
  wire.calls.length = 0;
  b.streams.peerBack(a.id);
  await b.rest();
  expect(wire.calls.filter(({ leg }) => leg === 'profile')).toEqual([]);
});

test('a member of a peer is shown as their home says, and as known while that is away', async () => {
  const shown = await a.identity.users.profile(ann.user, bob.user);
  expect(shown).toMatchObject({ id: bob.user, username: bob.username, role: 'user', identity: { statement: { user: bob.user } } });
  expect(await a.identity.follows.counts(ann.user, bob.user)).toMatchObject({ followers: 0 });
  wire.calls.length = 0;
  await a.identity.users.profile(ann.user, bob.user);
  expect(wire.calls).toEqual([]);
  wire.fate = () => 'lose-request';
  a.clock.advance(2 * a.limits.foreignProfileMs);
  expect(await a.identity.users.profile(ann.user, bob.user)).toEqual(shown);
  b.clock.advance(2 * a.limits.foreignProfileMs);
  const nobody = `${'b'.repeat(16)}@${b.id}` as Person['user'];
  await expect(a.identity.users.profile(ann.user, nobody)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
