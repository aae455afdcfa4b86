// What each answer of the server means, shown by killing it right after the answer. While the commit is held back no answer comes; once the
// answer is here and the process is dead, what it said is in the database and is still so after the next start.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base64url, cryptoRandom, sha256, uuidv7 } from '../../src/base/ids.ts';
import { makeInviteId, makeReedId } from '../../src/wire/address.ts';
import type { FrameType } from '../../src/wire/frames.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
import * as scenes from '../support/kill-scenes.ts';
import { KillStage, type Scene } from '../support/kill-stage.ts';
import { byTurns } from '../support/length.ts';
import { identityStatement, keyStatement, makePerson, type Person, sessionStatement, sign } from '../support/people.ts';

let stage: KillStage;
beforeAll(async () => {
  stage = await KillStage.start();
  await stage.standBeside();
});
afterAll(() => stage.end());

type Guest = Person & { token: string };
type Answer = { readonly status: number; readonly json: unknown };

const call = async (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
  const answer = await fetch(`${stage.ready.url}/api/v1/${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
};
const nonce = async (): Promise<string> => ((await call('POST', 'auth/challenge')).json as { nonce: string }).nonce;
const server = () => stage.ready.serverId as Parameters<typeof makePerson>[0];
const signed = (person: Person, statement: Parameters<typeof sign>[1]) => sign(person, statement, Date.now());
const somebody = (): Promise<Person> => makePerson(server(), Date.now(), `u${randomUUID().slice(0, 8)}`);

const session = async (person: Person, purpose: 'token' | 'link-device') => {
  const statement = sessionStatement(person, server(), await nonce(), purpose);
  return { statement, signature: (await signed(person, statement)).signatures[0]?.signature };
};
const signUp = async (person: Person): Promise<Answer> =>
  call('POST', 'users', {
    identity: await signed(person, identityStatement(person, Date.now())),
    key: await signed(person, keyStatement(person)),
    session: await signed(person, sessionStatement(person, server(), await nonce(), 'signup')),
  });
const guest = async (): Promise<Guest> => {
  const person = await somebody();
  const { json } = await signUp(person);
  return { ...person, token: (json as { token: string }).token };
};
const invite = async (ann: Guest): Promise<StatementOf<'invite'>> => ({
  ...heading('invite'),
  id: makeInviteId(ann.user, uuidv7(Date.now(), cryptoRandom)) as StatementOf<'invite'>['id'],
  user: ann.user,
  key: ann.keyId,
  tokenHash: base64url(await sha256(cryptoRandom(32))),
  role: 'user',
  expiresAt: new Date(Date.now() + 86_400_000).toISOString() as StatementOf<'invite'>['expiresAt'],
});
const newReed = (ann: Guest) => makeReedId(ann.user, uuidv7(Date.now(), cryptoRandom));
const reed = (ann: Guest): StatementOf<'reed'> => ({
  ...heading('reed'),
  ...{ id: newReed(ann), author: ann.user, key: ann.keyId, bodyHash: base64url(cryptoRandom(32)), tags: [], mentions: [] },
});
const countOf = async (text: string, values: readonly unknown[]): Promise<number> =>
  (await stage.rows<{ n: number }>(`select count(*)::int as n ${text}`, values))[0]?.n ?? -1;

/** A write over HTTP: the statement it makes, its answer, and how many rows say so. */
type Write = {
  readonly statement: RegExp;
  readonly status: number;
  readonly prepare: () => Promise<{ send: () => Promise<Answer>; said: () => Promise<number>; was?: number; is?: number }>;
};

const WRITES: Readonly<Record<string, Write>> = {
  'POST users': {
    statement: /insert into "?users/,
    status: 201,
    prepare: async () => {
      const person = await somebody();
      return { send: () => signUp(person), said: () => countOf('from users where id = $1 and identity_hash is not null', [person.user]) };
    },
  },
  'POST users/me/identity': {
    statement: /insert into "?statements/,
    status: 200,
    prepare: async () => {
      const ann = await guest();
      const statement = { ...identityStatement(ann, Date.now()), bio: 'changed' };
      const body = await signed(ann, statement);
      return {
        send: () => call('POST', 'users/me/identity', body, ann.token),
        said: () => countOf(`from statements where user_id = $1 and type = 'identity'`, [ann.user]),
        ...{ was: 1, is: 2 },
      };
    },
  },
  'POST auth/token': {
    statement: /insert into "?sessions/,
    status: 200,
    prepare: async () => {
      const ann = await guest();
      const body = await session(ann, 'token');
      return {
        send: () => call('POST', 'auth/token', body),
        said: () => countOf('from sessions where user_id = $1', [ann.user]),
        was: 1,
        is: 2,
      };
    },
  },
  'DELETE auth/token': {
    statement: /^session-end/,
    status: 204,
    prepare: async () => {
      const ann = await guest();
      return {
        send: () => call('DELETE', 'auth/token', undefined, ann.token),
        said: () => countOf('from sessions where user_id = $1', [ann.user]),
        ...{ was: 1, is: 0 },
      };
    },
  },
  'POST devices': {
    statement: /insert into "?devices/,
    status: 201,
    prepare: async () => {
      const ann = await guest();
      const device = uuidv7(Date.now(), cryptoRandom);
      const body = await session({ ...ann, device }, 'link-device');
      // The new one is linked and the old one is not, or neither.
      const text = `from devices where user_id = $1 and ((id = $2 and unlinked_at is null) or (id = $3 and unlinked_at is not null))`;
      return { send: () => call('POST', 'devices', body), said: () => countOf(text, [ann.user, device, ann.device]), was: 0, is: 2 };
    },
  },
  'POST invites': {
    statement: /insert into "?invites/,
    status: 201,
    prepare: async () => {
      const ann = await guest();
      const statement = await invite(ann);
      const body = await signed(ann, statement);
      return { send: () => call('POST', 'invites', body, ann.token), said: () => countOf('from invites where id = $1', [statement.id]) };
    },
  },
  'POST invites/{id}/revoke': {
    statement: /update "?invites/,
    status: 204,
    prepare: async () => {
      const ann = await guest();
      const statement = await invite(ann);
      await call('POST', 'invites', await signed(ann, statement), ann.token);
      return {
        send: () => call('POST', `invites/${encodeURIComponent(statement.id)}/revoke`, undefined, ann.token),
        said: () => countOf('from invites where id = $1 and revoked_at is not null', [statement.id]),
      };
    },
  },
  'POST reeds': {
    statement: /insert into "?reeds/,
    status: 201,
    prepare: async () => {
      const ann = await guest();
      const statement = reed(ann);
      const body = await signed(ann, statement);
      const text = 'from reeds r join reed_identities i on i.id = r.id join statements s on s.hash = r.statement_hash where r.id = $1';
      return { send: () => call('POST', 'reeds', body, ann.token), said: () => countOf(text, [statement.id]) };
    },
  },
  'POST threads': {
    statement: /insert into "?threads/,
    status: 201,
    prepare: async () => {
      const ann = await guest();
      const [head, second] = [newReed(ann), newReed(ann)];
      for (const [index, id] of [head, second].entries()) {
        const part = { ...reed(ann), id, thread: { head, index }, ...(index > 0 ? { previous: head } : {}) };
        expect((await call('POST', 'reeds', await signed(ann, part), ann.token)).status).toBe(201);
      }
      const statement: StatementOf<'thread'> = { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds: [head, second] };
      const body = await signed(ann, statement);
      return { send: () => call('POST', 'threads', body, ann.token), said: () => countOf('from threads where id = $1', [statement.id]) };
    },
  },
};

describe('an answer over HTTP', () => {
  it.each(byTurns(Object.keys(WRITES), 4))('to %s comes after the commit, and is true of whoever starts next', async (name) => {
    const { statement, status, prepare } = WRITES[name] as Write;
    await stage.anew();
    const { send, said, was = 0, is = 1 } = await prepare();
    const committing = stage.proxy.at({ statement, side: 'at-commit' });
    let answered: Answer | null = null;
    const answer = send().then((given) => {
      answered = given;
      return given;
    });
    const hold = await Promise.race([committing, answer.then((early) => Promise.reject(new Error(JSON.stringify(early))))]);
    expect((await call('GET', 'server')).status).toBe(200);
    expect(answered, 'not before the commit').toBe(null);
    expect(await said()).toBe(was);
    hold.release();
    expect((await answer).status).toBe(status);
    await stage.kill();
    expect(await said(), 'it was true when it was said').toBe(is);
    await stage.startServer();
    expect(await said(), 'and is true now').toBe(is);
  });
});

type Told = {
  readonly scene: (stage: KillStage) => Promise<Scene>;
  readonly statement: RegExp;
  /** Which member of the scene is told, and by what. */
  readonly who: number;
  readonly by: FrameType;
  readonly was: unknown;
  readonly is: unknown;
};
const sight = (events: readonly string[], holders: number) => ({ events, holders, attempts: 0 });

const TOLD: Readonly<Record<string, Told>> = {
  REQUEST_ACK: { scene: scenes.open, statement: /^ledger_open/, who: 1, by: 'requestAck', was: sight([], 1), is: sight(['dispatched'], 1) },
  'SETTLED held': {
    scene: scenes.acknowledge,
    statement: /^ledger_ack/,
    who: 1,
    by: 'settled',
    was: sight(['relayed'], 1),
    is: sight([], 2),
  },
  'SETTLED gone': {
    scene: scenes.invalid,
    statement: /^ledger_invalid/,
    who: 1,
    by: 'settled',
    was: sight(['relayed'], 1),
    is: sight([], 1),
  },
  PUBLISH_READY_ACK: {
    scene: scenes.publish,
    ...{ statement: /insert into reed_allocations/, who: 0, by: 'publishReadyAck' },
    was: { published: false, facts: 0, holders: 0 },
    is: { published: true, facts: 1, holders: 1 },
  },
  EVICTION_ACK: { scene: scenes.evict, statement: /^ledger_evict/, who: 0, by: 'evictionAck', was: sight([], 1), is: sight([], 0) },
  KEY_EVICTION_ACK: { scene: scenes.evictKey, statement: /^keys-evict/, who: 0, by: 'keyEvictionAck', was: { kept: 1 }, is: { kept: 0 } },
  REED_NOT_HELD: {
    scene: scenes.miss,
    statement: /^ledger_last_copies/,
    who: 1,
    by: 'reedNotHeld',
    was: sight(['dormant'], 0),
    is: sight([], 0),
  },
  WELCOME: {
    scene: scenes.signIn,
    ...{ statement: /insert into online_users/, who: 0, by: 'welcome' },
    was: { users: 0, connections: 0 },
    is: { users: 1, connections: 1 },
  },
};

describe('an answer on the socket', () => {
  it.each(byTurns(Object.keys(TOLD), 3))('%s comes after the commit, and holds after the process is gone', async (name) => {
    const { scene, statement, who, by, was, is } = TOLD[name] as Told;
    await stage.anew();
    const { about, again, go, look, members } = await scene(stage);
    const told = () => members[who]?.lives.flatMap((life) => life.frames.filter((frame) => frame.type === by)).length ?? 0;
    const before = told();
    const committing = stage.proxy.at({ statement, side: 'at-commit', ...(about === undefined ? {} : { about }) });
    await go();
    const hold = await committing;
    expect((await call('GET', 'server')).status).toBe(200);
    expect(told(), 'not before the commit').toBe(before);
    expect(await look()).toEqual(was);
    hold.release();
    await expect.poll(told, { timeout: 30_000, interval: 1 }).toBe(before + 1);
    await stage.kill();
    expect(await look(), 'it was true when it was said').toEqual(is);
    expect(await stage.audit()).toEqual([]);
    await stage.recover(members, again);
  });
});
