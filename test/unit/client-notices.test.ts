// What ends by a notice of the server: removals and blocks with true, false and unprovable certificates, and the requests they answer.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ok } from '../../src/base/result.ts';
import { Agreements } from '../../src/client/agreements.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { type NoticeFrame, Notices } from '../../src/client/notices.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { Tombstones } from '../../src/client/tombstones.ts';
import { type MemberEvent, RequestFailure } from '../../src/client/types.ts';
import { Viewer } from '../../src/client/viewer.ts';
import { Watches } from '../../src/client/watches.ts';
import type { PrivateKey } from '../../src/crypto/openpgp.ts';
import { countersign, signStatement, type VerifyContext } from '../../src/crypto/statement.ts';
import type { ReedId, UserId, UserKeyId } from '../../src/wire/address.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { certificateOf, copyOf, countingRandom, newReedId, turns, userNamed } from '../support/sdk-parts.ts';
import { makeKeys, makeWorld, type World } from '../support/statements.ts';

const NOW = Date.UTC(2026, 0, 1);
let world: World;
beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
});

type Side = { readonly user: UserId; readonly key: UserKeyId; readonly signer: PrivateKey };
const me = (): Side => ({ user: world.user, key: world.key, signer: world.keys.member });
const author = (): Side => ({ user: world.other, key: world.otherKey, signer: world.keys.other });

type Certified = 'block' | 'unblock' | 'reed-removal' | 'thread-removal' | 'account-removal';
const certify = async (statement: StatementOf<Certified>, key: UserKeyId, signer: PrivateKey, seq = 1) => {
  const signed = await signStatement(statement, [{ key: signer, keyId: key }], NOW);
  const { server, serverKey, keys } = world;
  return countersign(signed, { serverKey: keys.server, serverKeyId: serverKey, server, seq, signedAt: printTime(NOW) });
};

const block = ({ user, key, signer }: Side, target: UserId) =>
  certify({ ...heading('block'), user, key, target, createdAt: printTime(NOW) }, key, signer);
const removal = (id: ReedId, { user, key, signer }: Side = author()) =>
  certify({ ...heading('reed-removal'), id, author: user, key }, key, signer);

const makeShared = () => {
  const [sent, events]: [Frame[], MemberEvent[]] = [[], []];
  const shared = {
    ...{ store: new MemoryStore(), user: world.user },
    send: (frame: Frame) => sent.push(frame) > 0,
    emit: (event: MemberEvent) => void events.push(event),
  };
  return { sent, events, shared };
};

const setUp = async () => {
  const { sent, events, shared } = makeShared();
  const { store } = shared;
  let context: VerifyContext = { keys: world.lookup, now: NOW };
  const keys = {
    get context() {
      return context;
    },
    revoked: async () => true,
  };
  const tombstones: Tombstones = new Tombstones({
    ...{ ...shared, keys },
    ended: (id, certificate) => viewer.gone(id, 'removed', certificate),
  });
  const watched = new Watches({ ...shared, limits: DEFAULT_LIMITS });
  const agreements = new Agreements({ ...shared, limits: DEFAULT_LIMITS, watched });
  const viewer: Viewer = new Viewer({
    ...{ ...shared, tombstones, agreements, declined: { note: async () => undefined } },
    missed: () => undefined,
    time: new ServerTime(new ManualClock(NOW)),
    random: countingRandom,
    limits: DEFAULT_LIMITS,
    check: async (_ciphertext, id) => ok(copyOf(id)),
  });
  viewer.connected(64);
  const notices = new Notices({
    ...shared,
    keys,
    viewer,
    tombstones,
    voidKeys: { learn: async () => null },
    shut: (user) => watched.blocked(user),
  });
  const ask = async (reedId: ReedId) => {
    const outcome = viewer.request(reedId).then(
      () => null,
      (error: unknown) => error,
    );
    await turns();
    const [frame] = sent.filter(({ type }) => type === 'requestReed').slice(-1);
    return { outcome, requestId: frame?.type === 'requestReed' ? frame.body.requestId : '' };
  };
  const take = (type: NoticeFrame['type'], given: { requestId?: string; certificate: unknown; id?: string }) =>
    notices.take({
      id: given.id ?? '',
      type,
      body: { requestId: given.requestId ?? '', certificate: new TextEncoder().encode(JSON.stringify(given.certificate)) },
    });
  return {
    ...{ store, sent, events, ask, take },
    unreachable: () => {
      const fails = () => Promise.reject(new AppError('UNAVAILABLE', 'no network'));
      context = { keys: { userKey: fails, serverKey: fails }, now: NOW };
    },
    unproven: () => events.filter(({ type }) => type === 'unproven'),
    sentOf: (type: Frame['type']) => sent.filter((frame) => frame.type === type),
  };
};

let on: Awaited<ReturnType<typeof setUp>>;
let reed: ReedId;
beforeEach(async () => {
  on = await setUp();
  reed = newReedId(world.other);
});

const failure = async (outcome: Promise<unknown>): Promise<RequestFailure> => {
  const error = await outcome;
  if (!(error instanceof RequestFailure)) throw new Error('the request did not fail');
  return error;
};

describe('USER_BLOCKED in answer to a request', () => {
  test('by the author ends it with the certificate, and is acknowledged', async () => {
    const { outcome, requestId } = await on.ask(reed);
    const certificate = await block(author(), world.user);
    await on.take('userBlocked', { requestId, certificate });
    expect(await failure(outcome)).toMatchObject({ outcome: 'blocked', certificate: { statement: { user: world.other } } });
    expect(on.sentOf('userBlockedAck')).toHaveLength(1);
    expect(on.unproven()).toEqual([]);
    expect(await on.store.get('requests', reed)).toBe(null);
  });

  test('by the requester’s own block ends it with the certificate', async () => {
    const { outcome, requestId } = await on.ask(reed);
    await on.take('userBlocked', { requestId, certificate: await block(me(), world.other) });
    expect(await failure(outcome)).toMatchObject({ outcome: 'blocked', certificate: { statement: { user: world.user } } });
    expect(on.sentOf('userBlockedAck')).toEqual([]);
    expect(on.unproven()).toEqual([]);
  });

  test.each([
    ['that is no certificate', async () => ({ nothing: true })],
    ['that somebody else signed', async () => block({ ...author(), signer: world.keys.second }, world.user)],
    ['of people it is not about', async () => block(author(), userNamed('c'))],
  ])('by a block %s ends it without one, and that is reported', async (_name, make) => {
    const { outcome, requestId } = await on.ask(reed);
    await on.take('userBlocked', { requestId, certificate: await make() });
    const ended = await failure(outcome);
    expect([ended.outcome, ended.certificate]).toEqual(['blocked', undefined]);
    expect(on.unproven()).toEqual([{ type: 'unproven', frame: 'userBlocked', reedId: reed }]);
    expect(on.sentOf('userBlockedAck')).toEqual([]);
  });

  test('by a true block of another author ends it without one', async () => {
    const { outcome, requestId } = await on.ask(newReedId(userNamed('c')));
    await on.take('userBlocked', { requestId, certificate: await block(author(), world.user) });
    const ended = await failure(outcome);
    expect([ended.outcome, ended.certificate]).toEqual(['blocked', undefined]);
    expect(on.sentOf('userBlockedAck')).toHaveLength(1);
  });

  test('that can not be checked now ends it all the same', async () => {
    const { outcome, requestId } = await on.ask(reed);
    const certificate = await block(author(), world.user);
    on.unreachable();
    await expect(on.take('userBlocked', { requestId, certificate })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await failure(outcome)).outcome).toBe('blocked');
    expect(on.sentOf('userBlockedAck')).toEqual([]);
  });
});

describe('REED_REMOVED', () => {
  test('in answer to a request ends it with the certificate', async () => {
    const { outcome, requestId } = await on.ask(reed);
    await on.take('reedRemoved', { requestId, certificate: await removal(reed) });
    expect(await failure(outcome)).toMatchObject({ outcome: 'removed', certificate: { statement: { id: reed } } });
    expect(on.unproven()).toEqual([]);
  });

  test('of another reed ends the request without a certificate, and that is reported', async () => {
    const { outcome, requestId } = await on.ask(reed);
    await on.take('reedRemoved', { requestId, certificate: await removal(newReedId(world.other)) });
    const ended = await failure(outcome);
    expect([ended.outcome, ended.certificate]).toEqual(['removed', undefined]);
    expect(on.unproven()).toHaveLength(1);
  });

  test('that is false deletes no copy, and is answered as invalid', async () => {
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    const certificate = await removal(reed, { ...author(), signer: world.keys.second });
    await on.take('reedRemoved', { id: 'event', certificate });
    expect(await on.store.get('copies', reed)).not.toBe(null);
    expect(on.sentOf('dataInvalid')).toMatchObject([{ id: 'event', body: { reason: 'BAD_CERTIFICATE' } }]);
  });

  test('of a copy that is here deletes it, and is acknowledged', async () => {
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    await on.take('reedRemoved', { id: 'event', certificate: await removal(reed) });
    expect(await on.store.get('copies', reed)).toBe(null);
    expect(on.sentOf('dataAck')).toMatchObject([{ id: 'event' }]);
    expect(on.events).toContainEqual({ type: 'copy', reedId: reed, state: 'gone' });
  });
});

describe('ACCOUNT_REMOVED', () => {
  test('deletes everything by that author, wherever from, and the follow, and is acknowledged after that (F14, F37)', async () => {
    const { user, key, signer } = author();
    const theirs = Array.from({ length: 150 }, () => newReedId(user));
    const [other] = [newReedId(userNamed('z'))];
    await on.store.write([
      ...[...theirs, other].map((id) => ({ put: 'copies', record: copyOf(id) }) as const),
      { put: 'follows', record: { id: user } },
    ]);
    const { outcome } = await on.ask(newReedId(user));
    const statement = { ...heading('account-removal'), user, key, note: 'farewell' };
    await on.take('accountRemoved', { id: 'event', certificate: await certify(statement, key, signer) });
    expect((await on.store.list('copies')).map(({ id }) => id)).toEqual([other]);
    expect(await on.store.list('requests')).toEqual([]);
    expect(await on.store.get('follows', user)).toBe(null);
    expect(await on.store.get('tombstones', user)).toMatchObject({ kind: 'account' });
    expect((await failure(outcome)).outcome).toBe('removed');
    expect(on.sentOf('dataAck').map(({ id }) => id)).toEqual(['event']);
    expect(on.events.filter((event) => event.type === 'copy' && event.state === 'gone')).toHaveLength(150);
  });

  test('that somebody else signed deletes nothing', async () => {
    const { user, key } = author();
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    const statement = { ...heading('account-removal'), user, key, note: '' };
    await on.take('accountRemoved', { id: 'event', certificate: await certify(statement, key, world.keys.second) });
    expect(await on.store.get('copies', reed)).not.toBe(null);
    expect(on.sentOf('dataInvalid')).toHaveLength(1);
  });
});

describe('THREAD_REMOVED', () => {
  test('deletes every part that is here, and leaves a tombstone for each', async () => {
    const { user, key, signer } = author();
    const [head, part] = [newReedId(user), newReedId(user)];
    const parts = [head, part].map((id, index) => copyOf(id, { certificate: certificateOf(id, { thread: { head, index } }) }));
    await on.store.write(parts.map((record) => ({ put: 'copies', record }) as const));
    const statement = { ...heading('thread-removal'), id: head, author: user, key };
    await on.take('threadRemoved', { id: 'event', certificate: await certify(statement, key, signer) });
    expect(await on.store.list('copies')).toEqual([]);
    expect((await on.store.list('tombstones')).map(({ id, kind }) => [id, kind])).toEqual([head, part].sort().map((id) => [id, 'thread']));
    expect(on.sentOf('dataAck')).toHaveLength(1);
  });
});

describe('a block by somebody', () => {
  const unblock = ({ user, key, signer }: Side, target: UserId, seq: number) =>
    certify({ ...heading('unblock'), user, key, target, createdAt: printTime(NOW) }, key, signer, seq);

  test('deletes their reeds and ends the follow', async () => {
    await on.store.write([
      { put: 'copies', record: copyOf(reed) },
      { put: 'follows', record: { id: world.other } },
    ]);
    await on.take('userBlocked', { certificate: await block(author(), world.user) });
    expect(await on.store.list('copies')).toEqual([]);
    expect(await on.store.list('follows')).toEqual([]);
    expect(on.events).toContainEqual({ type: 'blocker', user: world.other, active: true });
  });

  test('that ended before this device saw it has deleted their reeds all the same', async () => {
    await on.store.write([
      { put: 'copies', record: copyOf(reed) },
      { put: 'follows', record: { id: world.other } },
    ]);
    await on.take('userUnblocked', { certificate: await unblock(author(), world.user, 2) });
    expect(await on.store.list('copies')).toEqual([]);
    expect(await on.store.list('follows')).toEqual([]);
    expect(await on.store.get('blockers', world.other)).toMatchObject({ active: false, seq: 2 });
  });

  test('that is older than what is known changes nothing, and is acknowledged', async () => {
    await on.take('userUnblocked', { certificate: await unblock(author(), world.user, 2) });
    await on.take('userBlocked', { certificate: await block(author(), world.user) });
    expect(await on.store.get('blockers', world.other)).toMatchObject({ active: false, seq: 2 });
    expect(on.sentOf('userUnblockedAck')).toHaveLength(1);
    expect(on.sentOf('userBlockedAck')).toHaveLength(1);
  });
});
