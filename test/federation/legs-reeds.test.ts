// Certificates of reeds that are of before a peering: whoever is asked for one asks its home, believes what is proven, keeps it and tells nobody.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PeopleSearch } from '../../src/federation/people-search.ts';
import { ProfilePages } from '../../src/federation/profile-pages.ts';
import type { Leg } from '../../src/federation/stream-ports.ts';
import type { Api } from '../../src/http/api.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { decodeFound, encodeSearchRequest } from '../../src/wire/legs.ts';
import { heading } from '../../src/wire/statements.ts';
import { decodeAbout, encodeAbout, encodeCertificateAnswer } from '../../src/wire/streams.ts';
import { makeHttp } from '../support/http.ts';
import { flush, type Home, openHome, peer } from '../support/peer-stage.ts';
import { PeerWire } from '../support/peer-wire.ts';
import { newReedId, type Person, publishReed, reedStatement, sign, signUp } from '../support/people.ts';

const wire = new PeerWire();
let a: Home;
let b: Home;
let http: Api;
let ann: Person;
let bob: Person & { token: string };
let thread: ReedId[];
let removed: ReedId;
let removedThread: ReedId[];
beforeAll(async () => {
  [a, b] = [await openHome(wire), await openHome(wire)];
  http = await makeHttp(b);
  [ann, bob] = [await signUp(a), await signUp(b)];
  thread = await publishThread();
  removed = await publishReed(a, ann);
  await takeBack(removed);
  removedThread = await publishThread();
  await takeBack(removedThread[0] as ReedId, 'thread-removal');
  for (let count = 0; count < 6; count += 1) old.push(await publishReed(a, ann));
  await peer(a, b);
});
afterAll(async () => {
  await http.close();
  await Promise.all([a.close(), b.close()]);
});
beforeEach(() => {
  wire.join(a.id, a);
  wire.fate = () => 'deliver';
  wire.calls.length = 0;
  b.told.length = 0;
});

const old: ReedId[] = [];
/** One that no test has asked for. */
const another = (): ReedId => old.pop() as ReedId;
async function publishThread(): Promise<ReedId[]> {
  const ids = [newReedId(a, ann), newReedId(a, ann)];
  const [head] = ids as [ReedId, ReedId];
  const { certificate } = await a.reeds.register.reed(
    ann.member,
    await sign(ann, reedStatement(a, ann, { id: head, thread: { head, index: 0 } }), a.clock.now()),
  );
  expect(certificate.statement.id).toBe(head);
  const part = reedStatement(a, ann, { id: ids[1] as ReedId, previous: head, thread: { head, index: 1 } });
  await a.reeds.register.reed(ann.member, await sign(ann, part, a.clock.now()));
  const record = { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds: ids };
  await a.reeds.threads.register(ann.member, await sign(ann, record, a.clock.now()));
  await a.reeds.publish.publishReady(ann.member, head, undefined);
  return ids;
}
async function takeBack(id: ReedId, kind: 'reed-removal' | 'thread-removal' = 'reed-removal'): Promise<void> {
  const statement = { ...heading(kind), id, author: ann.user, key: ann.keyId };
  await a.reeds.removal.remove(ann.member, kind, id, await sign(ann, statement, a.clock.now()));
}
const get = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await http.inject({ url: `/api/v1/${path}`, headers: { authorization: `Bearer ${bob.token}` } });
  return { status: answer.statusCode, body: answer.json() };
};
const reedAt = (id: ReedId) => get(`reeds/${encodeURIComponent(id)}`);
const asked = () => wire.calls.filter(({ leg }) => leg === 'certificate').map(({ body }) => decodeAbout(body));
const stored = (id: ReedId) => b.rows('select fetched from reeds where id = $1', id);

describe('of a reed of before the peering', () => {
  test('the certificate is had from its home, once, and is told to nobody', async () => {
    const reed = another();
    const [one, two] = await Promise.all([reedAt(reed), reedAt(reed)]);
    expect(one).toMatchObject({ status: 200, body: { certificate: { statement: { id: reed, author: ann.user } } } });
    expect(two).toEqual(one);
    expect(await reedAt(reed)).toEqual(one);
    expect(asked()).toHaveLength(1);
    await b.rest();
    expect(b.told).toEqual([]);
    expect(await b.rows('select from pending_fanout where subject_id = $1', reed)).toEqual([]);
  });

  test('what answers it can be listed, and it can be liked', async () => {
    const [listed, liked] = [another(), another()];
    expect(await get(`reeds/${encodeURIComponent(listed)}/replies`)).toEqual({ status: 200, body: { reeds: [], next: null } });
    const statement = { ...heading('like'), user: bob.user, key: bob.keyId, target: liked, createdAt: printTime(b.clock.now()) };
    const headers = { authorization: `Bearer ${bob.token}`, 'content-type': 'application/json' };
    const payload = JSON.stringify(await sign(bob, statement, b.clock.now()));
    const answer = await http.inject({ method: 'POST', url: `/api/v1/reeds/${encodeURIComponent(liked)}/like`, headers, payload });
    expect(answer.statusCode).toBe(200);
    await flush(b);
    expect(await a.rows('select likes from reed_stats where reed_id = $1', liked)).toEqual([{ likes: 1 }]);
  });

  test('of a thread the record and all parts are had, by whichever part it is asked for', async () => {
    const [head, part] = thread as [ReedId, ReedId];
    expect(await reedAt(part)).toMatchObject({ status: 200, body: { certificate: { statement: { id: part } } } });
    const whole = await get(`threads/${encodeURIComponent(head)}`);
    expect(whole).toMatchObject({ status: 200, body: { certificate: { statement: { id: head, reeds: thread } } } });
    expect(whole.body['reeds']).toHaveLength(2);
    expect(asked()).toHaveLength(2);
  });

  test('that was taken back the removal is had, and kept', async () => {
    const first = await reedAt(removed);
    expect(first).toMatchObject({ status: 410, body: { certificate: { statement: { type: 'reed-removal', id: removed } } } });
    expect(await reedAt(removed)).toMatchObject({ status: 410, body: { certificate: first.body['certificate'] } });
    expect(asked()).toHaveLength(1);
  });

  test('of a thread that was taken back the removal is had, kept, and told to whoever has it', async () => {
    const [head] = removedThread as [ReedId];
    const path = `threads/${encodeURIComponent(head)}`;
    const first = await get(path);
    expect(first).toMatchObject({ status: 410, body: { certificate: { statement: { type: 'thread-removal', id: head } } } });
    await b.rest();
    expect(b.told).toEqual([`thread-removal ${head}`]);
    expect(await b.rows('select kind from pending_fanout where subject_id = $1', head)).toEqual([{ kind: 'thread-removal' }]);
    for (const at of [path, `reeds/${encodeURIComponent(head)}`])
      expect(await get(at)).toMatchObject({ status: 410, body: { certificate: first.body['certificate'] } });
    expect(asked()).toHaveLength(1);
  });

  test('that does not exist the home is not asked again at once', async () => {
    const none = newReedId(a, ann);
    for (let time = 0; time < 3; time += 1) expect((await reedAt(none)).status).toBe(404);
    expect(asked()).toHaveLength(1);
    b.clock.advance(b.limits.notHadMs + 1);
    expect((await reedAt(none)).status).toBe(404);
    expect(asked()).toHaveLength(2);
  });

  test('of a server that is no peer nobody is asked', async () => {
    const strange = `${'b'.repeat(16)}@${'c'.repeat(16)}/${newReedId(a, ann).split('/')[1]}` as ReedId;
    expect((await reedAt(strange)).status).toBe(404);
    expect(asked()).toEqual([]);
  });
});

describe('a home that lies', () => {
  /** Answers `certificate` with what the honest home says of another reed. */
  const lies = (change: (answer: Uint8Array, honest: Leg) => Promise<Uint8Array>): void => {
    const honest = a.legs.get('certificate') as Leg;
    const lying: Leg = {
      limitBytes: honest.limitBytes,
      handle: async (from, body) => ({ status: 200, body: await change((await honest.handle(from, body)).body as Uint8Array, honest) }),
    };
    wire.join(a.id, { legs: new Map([...a.legs, ['certificate', lying]]) });
  };

  test.each([
    ['gives another reed', async (_: Uint8Array, honest: Leg, other: Uint8Array) => (await honest.handle(b.id, other)).body as Uint8Array],
    ['gives what can not be read', async () => new Uint8Array([255, 255, 255])],
    [
      'changes the certificate',
      async (answer: Uint8Array) => Buffer.from(Buffer.from(answer).toString('latin1').replace('"tags":[]', '"tags": 1'), 'latin1'),
    ],
  ] as const)('and %s is not believed, nothing is kept', async (_what, change) => {
    const reed = old.at(-1) as ReedId;
    const other = encodeAbout(old[0] as ReedId);
    lies((answer, honest) => change(answer, honest, other));
    expect((await reedAt(reed)).status).toBe(404);
    expect(await stored(reed)).toEqual([]);
    b.clock.advance(b.limits.notHadMs + 1);
  });

  test('of which head a part is of, without an end, is asked for the part and its head, and no more', async () => {
    const [one, two] = [newReedId(a, ann), newReedId(a, ann)];
    const certificates = new Map<string, object>();
    for (const [id, head] of [[one, two] as const, [two, one] as const]) {
      const part = reedStatement(a, ann, { id, thread: { head, index: 1 } });
      const { certificate } = await a.reeds.register.reed(ann.member, await sign(ann, part, a.clock.now()));
      certificates.set(id, certificate);
    }
    const handle: Leg['handle'] = async (_from, body) => {
      const about = decodeAbout(body);
      const certificate = certificates.get(about.ok ? about.value : '') ?? {};
      return { status: 200, body: encodeCertificateAnswer({ certificate, parts: [] }) };
    };
    wire.join(a.id, { legs: new Map([...a.legs, ['certificate', { limitBytes: 1_024, handle }]]) });
    // Whoever goes on asking has an end here at least.
    wire.fate = () => (wire.calls.length > 8 ? 'lose-request' : 'deliver');
    expect((await reedAt(one)).status).toBe(404);
    expect(asked().map((about) => about.ok && about.value)).toEqual([one, two]);
    expect([await stored(one), await stored(two)]).toEqual([[], []]);
  });
});

test('what was fetched before its home’s stream brought it is announced when that does', async () => {
  wire.fate = ({ leg }) => (leg === 'stream' ? 'lose-request' : 'deliver');
  const reed = await publishReed(a, ann);
  expect((await reedAt(reed)).status).toBe(200);
  expect(await stored(reed)).toEqual([{ fetched: true }]);
  wire.fate = () => 'deliver';
  a.clock.advance(60_000);
  await flush(a);
  expect(b.told).toEqual([`published ${reed}`]);
  expect(await stored(reed)).toEqual([{ fetched: false }]);
});

test('a page that is refused with a block is refused with its certificate, if that is one between the two', async () => {
  const act = { user: ann.user, key: ann.keyId, createdAt: printTime(a.clock.now()) };
  const block = async (target: Person['user']) => {
    const post = await sign(ann, { ...heading('block'), ...act, target }, a.clock.now());
    return (await a.identity.blocks.set(ann.member, target, 'block', post)).certificate;
  };
  const ask = (certificate: object) =>
    new ProfilePages({
      ...{ ...b, home: b.id, foreign: b.identity.foreign, refusals: { blockCertificate: async () => null } },
      calls: { call: async () => ({ kind: 'answer', status: 403, body: new Uint8Array(), refusal: { retryAfterMs: 0, certificate } }) },
    }).ask(ann.user, bob.user, 1);
  const [between, other] = [await block(bob.user), await block((await signUp(b)).user)];
  expect(await ask(between)).toEqual({ kind: 'blocked', certificate: between });
  expect(await ask(other)).toEqual({ kind: 'away', isLost: true });
  expect(await ask({ ...between, countersignature: other.countersignature })).toEqual({ kind: 'away', isLost: true });
});

test('a server that lets no peer search its people says so', async () => {
  const search = (isAllowed: boolean) =>
    new PeopleSearch({
      ...a,
      isAllowed,
      calls: wire.callsOf(() => a.id),
      peers: { near: async () => [], far: async () => [] },
      users: a.identity.users,
    });
  const body = encodeSearchRequest({ query: ann.username, limit: 5 });
  await expect(search(false).handle(b.id, body)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(decodeFound((await search(true).handle(b.id, body)).body as Uint8Array, 5)).toMatchObject({ ok: true, value: [{ id: ann.user }] });
});

test('the key of somebody of whom nothing came yet is had from its home, proven, and kept', async () => {
  const eve = await signUp(a);
  const path = `keys/${encodeURIComponent(eve.keyId)}?chain`;
  expect(await get(path)).toMatchObject({ status: 200, body: { chain: [{ certificate: { statement: { key: eve.keyId } } }] } });
  expect((await get(path)).status).toBe(200);
  expect(wire.calls.filter(({ leg }) => leg === 'key')).toHaveLength(1);
  const nobody = eve.keyId.replace(/^.{16}/, 'b'.repeat(16));
  for (let time = 0; time < 2; time += 1) expect((await get(`keys/${encodeURIComponent(nobody)}`)).status).toBe(404);
  expect(wire.calls.filter(({ leg }) => leg === 'key')).toHaveLength(2);
});
