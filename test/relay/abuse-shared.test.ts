// What members share without seeing it: the database connections of the server. Whoever keeps his own transactions busy keeps nobody else's waiting,
// and whoever keeps all of them busy ends nobody's presence.
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { AbuseStage } from '../support/abuse-stage.ts';
import { type LightAccount, LightMember } from '../support/light-member.ts';
import { ERROR } from '../support/raw-wire.ts';

const POOL = 8;
const stage = AbuseStage.forFile({ replicaRefreshMs: 100 });
const open: pg.Client[] = [];

/** Holds what a statement locks until the test ends, or sooner. */
const hold = async (text: string, values: readonly unknown[] = []): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: stage.server.database.url });
  await client.connect();
  open.push(client);
  await client.query('begin');
  await client.query(text, [...values]);
  return client;
};
afterEach(() => Promise.all(open.splice(0).map((client) => client.end())));

const waiting = async (): Promise<number> =>
  (await stage.community.rows(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).length;

test('PUBLISH_READY and KEY_EVICTION by the hundred, stuck in the database, keep neither sign-ins nor HTTP nor the publishing of others waiting', async () => {
  const [a, b, c, honest] = (await stage.accounts(4)) as [LightAccount, LightAccount, LightAccount, LightAccount];
  const reeds = await Promise.all([a, b, c].map((account) => stage.reed(account)));
  const lock = await hold('select from reed_allocations where reed_id = any($1) for update', [reeds]);
  const hostile = await Promise.all([a, b, c].map((account) => stage.signIn(account)));
  for (const [at, socket] of hostile.entries()) {
    for (let nth = 0; nth < 30; nth += 1) socket.send('publishReady', { reedId: reeds[at] as string });
    for (let nth = 0; nth < 30; nth += 1) socket.send('keyEviction', { keyId: `${honest.userId}/${'a'.repeat(40)}` });
  }
  while ((await waiting()) < hostile.length);
  const own = await stage.reed(honest);
  const socket = await stage.signIn(honest);
  socket.send('publishReady', { reedId: own });
  await socket.next('publishReadyAck');
  const answers = await Promise.all(
    Array.from({ length: 2 * POOL }, () =>
      fetch(`${stage.server.url}/api/v1/devices`, { headers: { authorization: `Bearer ${honest.token}` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(2 * POOL).fill(200));
  expect(await waiting()).toBe(hostile.length);
  await lock.query('rollback');
  for (const sender of hostile) {
    for (let nth = 0; nth < 30; nth += 1) await sender.next('publishReadyAck');
    for (let nth = 0; nth < 30; nth += 1) await sender.next('keyEvictionAck');
    expect(sender.frames.filter(({ type, body }) => type === 'error' && body['code'] === ERROR.unavailable)).toEqual([]);
  }
});

test('the lease is kept though every other connection to the database is stuck', async () => {
  const member = await LightMember.connect(stage.server.url, await stage.account());
  const lock = await hold('lock table invites in access exclusive mode');
  const secret = Buffer.alloc(32).toString('base64url');
  const calls = Array.from({ length: 2 * POOL }, () =>
    fetch(`${stage.server.url}/api/v1/invites/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    }),
  );
  while ((await waiting()) < POOL);
  const leases = new Set<string>();
  while (leases.size < 4) {
    const [replica] = await stage.community.rows<{ until: string }>('select lease_until::text as until from replicas');
    leases.add(replica?.until ?? '');
  }
  await lock.query('rollback');
  for (const answer of await Promise.all(calls)) await answer.text();
  await member.vanish();
});

test('SUBSCRIBE by the hundred, stuck in the database, keep neither sign-ins nor HTTP nor the watching of others waiting', async () => {
  const accounts = (await stage.accounts(4)) as [LightAccount, LightAccount, LightAccount, LightAccount];
  const [honest, ...others] = accounts;
  const hostile = await Promise.all(others.map((account) => stage.signIn(account)));
  const lock = await hold('select from online_users where user_id = any($1) for no key update', [others.map(({ userId }) => userId)]);
  for (const sender of hostile) for (let nth = 0; nth < 60; nth += 1) sender.send('subscribePipe', { tag: `t${nth}` });
  while ((await waiting()) < hostile.length);
  const socket = await stage.signIn(honest);
  socket.send('subscribePipe', { tag: 'reeds' });
  while ((await stage.community.rows('select from pipe_subscriptions where viewer = $1', [honest.userId])).length === 0);
  const answers = await Promise.all(
    Array.from({ length: 2 * POOL }, () =>
      fetch(`${stage.server.url}/api/v1/devices`, { headers: { authorization: `Bearer ${honest.token}` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(2 * POOL).fill(200));
  expect(await waiting()).toBe(hostile.length);
  await lock.query('rollback');
  for (const sender of hostile) {
    for (let nth = 0; nth < 10; nth += 1) await sender.next('error', ({ body }) => body['code'] === ERROR.tooManyOpen);
    expect(await sender.echo()).toBe(null);
  }
});
