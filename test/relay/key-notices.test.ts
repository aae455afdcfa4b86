// What is owed to who knows a key that ended, or has something of an account that is gone: committed with the end, told by whoever takes the debt up,
// again until it is acknowledged, at the next sync to who was away.
import { describe, expect, it } from 'vitest';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import type { LightAccount, LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

type Notice = 'keyRevoked' | 'accountRemoved';
const told = (member: LightMember, type: Notice) => member.frames.filter((frame) => frame.type === type);
const acknowledge = (member: LightMember, type: Notice): void => {
  for (const { id } of told(member, type)) member.send({ id, type: 'dataAck', body: {} });
};
const synced = async (account: LightAccount): Promise<LightMember> => {
  const member = await stage.join(account);
  member.sync();
  await stage.quiet();
  return member;
};
const rows = <Row extends object>(text: string, values: readonly unknown[] = []) => stage.community.rows<Row>(text, values);
const keyOf = async ({ userId }: LightAccount): Promise<string> =>
  (await rows<{ key_id: string }>('select key_id from users where id = $1', [userId]))[0]?.key_id ?? '';
/** As somebody who read it to verify with. */
const knows = (reader: LightAccount, key: string) =>
  rows('insert into key_allocations (user_id, key_id) values ($1, $2)', [reader.userId, key]);
const readers = async (key: string): Promise<unknown[]> => rows('select user_id from key_allocations where key_id = $1', [key]);

/** A committed end, and the debt of telling it, as a process leaves them that stops right after its commit. */
const STATEMENT = `insert into statements (hash, user_id, type, seq, signed_at, certificate)
  values (sha256(convert_to($1 || $2, 'utf8')), $1, $2, 1000000, now(), jsonb_build_object('statement', jsonb_build_object('type', $2::text, 'user', $1::text))) returning hash`;
const debt = (kind: string, subject: string) =>
  rows('insert into pending_ends (kind, subject_id, due_at) values ($1, $2, now())', [kind, subject]);
const revoked = async (account: LightAccount): Promise<string> => {
  const key = await keyOf(account);
  await rows(`with s as (${STATEMENT}) insert into key_revocations (key_id, statement_hash, seq) select $3, hash, 1000000 from s`, [
    account.userId,
    'key-revocation',
    key,
  ]);
  await debt('key-revocation', key);
  return key;
};
const gone = async ({ userId }: { userId: UserId }): Promise<void> => {
  await rows(
    `with s as (${STATEMENT}) insert into account_removals (user_id, statement, due_at, statement_hash) select $1, '{}', now(), hash from s`,
    [userId, 'account-removal'],
  );
  await debt('account-removal', userId);
};

describe('the revocation of a key', () => {
  it('is told to who knows the key and to nobody else, three times, then at the next sync, until it is acknowledged', async () => {
    await stage.again({ syncIntervalMs: 0 });
    const [owner, reader, away, stranger] = await stage.accounts(4);
    const key = await keyOf(owner);
    await knows(reader, key);
    await knows(away, key);
    const [r, s] = [await synced(reader), await synced(stranger)];
    await revoked(owner);
    await stage.quiet();
    expect([told(r, 'keyRevoked').length, told(s, 'keyRevoked').length]).toEqual([1, 0]);
    await stage.passUntil(31_000, async () => (await rows('select event_id from pending_events')).length === 0);
    expect(told(r, 'keyRevoked')).toHaveLength(3);
    r.sync();
    await stage.quiet();
    expect(told(r, 'keyRevoked')).toHaveLength(4);
    acknowledge(r, 'keyRevoked');
    const a = await synced(away);
    expect(told(a, 'keyRevoked')).toHaveLength(1);
    acknowledge(a, 'keyRevoked');
    await stage.quiet();
    expect(await readers(key)).toEqual([]);
    r.sync();
    await stage.quiet();
    expect(told(r, 'keyRevoked')).toHaveLength(4);
  });

  it('reaches who read the key while it was being committed', async () => {
    const [owner, reader] = await stage.accounts(2);
    const r = await synced(reader);
    const key = await revoked(owner);
    await stage.quiet();
    await knows(reader, key);
    await stage.pass(15_000);
    await stage.quiet();
    expect(told(r, 'keyRevoked')).toHaveLength(1);
    acknowledge(r, 'keyRevoked');
    await stage.quiet();
    expect(await readers(key)).toEqual([]);
    await stage.pass(15_000);
    expect(await rows('select kind from pending_ends')).toEqual([]);
  });
});

describe('the removal of an account', () => {
  it('ends its reeds and what it held, and is told to holders and followers, who have neither after it', async () => {
    const [author, holder, follower, other] = await stage.accounts(4);
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, holder.userId])) as [ReedId];
    const [foreign] = (await stage.community.reeds(other.userId, 1, [other.userId, author.userId])) as [ReedId];
    await stage.community.follows([[follower.userId, author.userId]]);
    const [h, o] = [await synced(holder), await synced(other)];
    await gone(author);
    await stage.quiet();
    expect([told(h, 'accountRemoved').length, told(o, 'accountRemoved').length]).toEqual([1, 0]);
    expect(await rows('select removed_at is null as there from reeds where id = $1', [reed])).toEqual([{ there: false }]);
    expect(await stage.allocations(foreign)).toEqual([other.userId]);
    acknowledge(h, 'accountRemoved');
    const f = await synced(follower);
    expect(told(f, 'accountRemoved')).toHaveLength(1);
    acknowledge(f, 'accountRemoved');
    await stage.quiet();
    expect(await stage.allocations(reed)).toEqual([]);
    expect(await rows('select user_id from follows where active')).toEqual([]);
  });

  it('lets no late copy pass, and opens no request for what is hidden', async () => {
    const [author, holder, asking] = await stage.accounts(3);
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, holder.userId])) as [ReedId];
    const h = await stage.join(holder, { answer: 'nothing' });
    const a = await synced(asking);
    a.request(reed);
    await stage.quiet();
    const asked = [...h.asked];
    expect(asked).toHaveLength(1);
    // Hidden, not yet for good.
    await rows(`insert into account_removals (user_id, statement, due_at) values ($1, '{}', now() + interval '1 day')`, [author.userId]);
    for (const [id, attempt] of asked) h.answer(id, attempt);
    await stage.quiet();
    expect(a.frames.filter(({ type }) => type === 'dataResponse')).toEqual([]);
    const requestId = a.request(reed);
    await stage.quiet();
    expect(a.frames.filter((frame) => frame.type === 'reedNotFound' && frame.body.requestId === requestId)).toHaveLength(1);
    await rows('delete from account_removals where user_id = $1', [author.userId]);
  });
});
