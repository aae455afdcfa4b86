// Members who lie about others' copies, alone and together, and members who waste what others do for them: strikes make a holder the last
// to be chosen, never unreachable, so the honest go on being served; and nobody is asked without end on behalf of one who cancels.
import { describe, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { AbuseStage } from '../support/abuse-stage.ts';
import type { LightAccount } from '../support/light-member.ts';
import { type RawSocket, textOf } from '../support/raw-socket.ts';
import type { RawFrame } from '../support/raw-wire.ts';

const PLENTY = 1_000_000;
const stage = AbuseStage.forFile({ costBurst: PLENTY, costPerMinute: PLENTY });
/** Reasons of DATA_INVALID: the first four accuse the copy. */
const [BAD_SIGNATURE, BAD_CERTIFICATE, OTHER_REED, UNDECRYPTABLE, CLAIM_MISMATCH, UNSOLICITED, CANNOT_STORE] = [1, 2, 3, 4, 5, 6, 7];
const ACCUSING = [BAD_SIGNATURE, BAD_CERTIFICATE, OTHER_REED, UNDECRYPTABLE] as const;

const strikes = (reed: ReedId, counted: boolean): Promise<object[]> =>
  stage.community.rows(`select holder from holder_strikes where reed_id = $1 and (counted_at is not null) = $2`, [reed, counted]);

type Liar = { readonly account: LightAccount; readonly socket: RawSocket };
const liars = async (count: number): Promise<Liar[]> =>
  Promise.all((await stage.accounts(count)).map(async (account) => ({ account, socket: await stage.signIn(account) })));

/** Asks for a reed and answers the delivery; resolves with its outcome (1 held, 2 gone), or null if nobody is left who may serve it. */
async function asks({ account, socket }: Liar, reed: ReedId, answer: number | 'ack'): Promise<number | null> {
  socket.frames.length = 0;
  socket.send('requestReed', { requestId: stage.requestId(account), reedId: reed, authorId: reed.split('/')[0] as string });
  const nobody = ({ type, body }: RawFrame): boolean => type === 'requestAck' && Number(body['onlineHolders'] ?? 0) === 0;
  const { id, type } = await socket.take((found) => found.type === 'dataResponse' || nobody(found));
  if (type === 'requestAck') return null;
  socket.send(answer === 'ack' ? 'dataAck' : 'dataInvalid', answer === 'ack' ? {} : { reason: answer }, id);
  const settled = await socket.next('settled');
  return settled.body['events'] ? Number((settled.body['events'] as Buffer).at(-1)) : null;
}

/** Takes a copy, and is gone before it could be asked for it. */
async function takes(liar: Liar, reed: ReedId): Promise<void> {
  expect(await asks(liar, reed, 'ack')).toBe(1);
  await liar.socket.leave();
  await stage.server.settle();
}

describe('two liars', () => {
  test('against every holder of a reed keep it from nobody else', async () => {
    const [author, ...others] = (await stage.accounts(4)) as [LightAccount, ...LightAccount[]];
    const reed = await stage.reed(author, [author, ...others]);
    await Promise.all([author, ...others].map((account) => stage.join(account)));
    for (const liar of await liars(2)) {
      // Each finds false whatever it gets, until nobody but the author may serve it, and then takes the author's copy, so that its word counts.
      for (const reason of [...ACCUSING, BAD_SIGNATURE, BAD_SIGNATURE]) expect([2, null]).toContain(await asks(liar, reed, reason));
      await takes(liar, reed);
    }
    expect((await strikes(reed, true)).length).toBeGreaterThan(0);
    const [honest] = (await liars(1)) as [Liar];
    expect(await asks(honest, reed, 'ack')).toBe(1);
    const all = await stage.community.rows('select from reed_allocations where reed_id = $1', [reed]);
    expect(all.length).toBeGreaterThanOrEqual(5);
  });

  test('cannot strike the author, nor anybody by a reason that is their own affair', async () => {
    const [author, other] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const [own, held] = [await stage.reed(author), await stage.reed(author, [other])];
    await Promise.all([author, other].map((account) => stage.join(account)));
    for (const liar of await liars(2)) {
      for (const reason of ACCUSING) expect(await asks(liar, own, reason)).toBe(2);
      for (const reason of [0, CLAIM_MISMATCH, UNSOLICITED, CANNOT_STORE]) expect(await asks(liar, held, reason)).toBe(2);
    }
    expect([...(await strikes(own, false)), ...(await strikes(own, true)), ...(await strikes(held, false))]).toEqual([]);
  });
});

describe('thirty-two liars', () => {
  test('before one who is honest do not keep the only holder from serving him', async () => {
    const [author, only] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const reed = await stage.reed(author, [only]);
    await stage.join(only);
    const crowd = await liars(32);
    for (const outcome of await Promise.all(crowd.map((liar) => asks(liar, reed, BAD_SIGNATURE)))) expect(outcome).toBe(2);
    expect(await strikes(reed, false)).toHaveLength(32);
    // Nobody serves a liar that reed again who was called false by him.
    expect(await asks(crowd[0] as Liar, reed, BAD_SIGNATURE)).toBe(null);
    const [honest] = (await liars(1)) as [Liar];
    expect(await asks(honest, reed, 'ack')).toBe(1);
  });

  test('whose word counts put a holder last, and still not out', async () => {
    const [author, holder] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const reed = await stage.reed(author, [holder]);
    await stage.join(holder);
    const crowd = await liars(32);
    await Promise.all(crowd.map((liar) => asks(liar, reed, UNDECRYPTABLE)));
    // The author's device comes, and each takes the copy from there: now thirty-two strikes count.
    const home = await stage.join(author);
    await stage.community.rows(
      `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
      [author.userId, reed],
    );
    for (const liar of crowd) await takes(liar, reed);
    expect(await strikes(reed, true)).toHaveLength(32);
    await home.leave();
    await stage.server.settle();
    const [honest] = (await liars(1)) as [Liar];
    expect(await asks(honest, reed, 'ack')).toBe(1);
  });
});

describe('somebody who asks and cancels a thousand times', () => {
  test('leaves no event, no strike, no failure and no taken place, and is served at the end', async () => {
    const [author] = (await stage.accounts(1)) as [LightAccount];
    const reed = await stage.reed(author);
    const holder = await stage.join(author, { answer: 'nothing' });
    const [hostile] = (await liars(1)) as [Liar];
    const { account, socket } = hostile;
    const reeds = [reed, ...(await stage.community.reeds(author.userId, 19))];
    for (let round = 0; round < 50; round += 1) {
      const asked = reeds.map((reedId) => ({ requestId: stage.requestId(account), reedId }));
      for (const ask of asked) socket.send('requestReed', { ...ask, authorId: author.userId });
      for (const { requestId } of asked) socket.send('cancelRequest', { requestId });
    }
    expect(await socket.echo()).toBe(null);
    await stage.server.settle();
    const mine = 'select from pending_events where requester_user_id = $1';
    expect(await stage.community.rows(mine, [account.userId])).toEqual([]);
    const attempts = 'select from pending_event_attempts where holder = $1';
    expect(await stage.community.rows(attempts, [author.userId])).toEqual([]);
    // What the holder answers late is nobody's.
    holder.answerAll();
    holder.behaviour.answer = 'bytes';
    expect(await asks(hostile, reed, 'ack')).toBe(1);
  });

  test('in one burst with a request that is meant leaves that one alone', async () => {
    const [author] = (await stage.accounts(1)) as [LightAccount];
    const [wanted, other] = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    await stage.join(author);
    const [{ account, socket }] = (await liars(1)) as [Liar];
    const meant = stage.requestId(account);
    for (let at = 0; at < 200; at += 1) {
      const requestId = stage.requestId(account);
      socket.send('requestReed', { requestId, reedId: other, authorId: author.userId });
      if (at === 100) socket.send('requestReed', { requestId: meant, reedId: wanted, authorId: author.userId });
      socket.send('cancelRequest', { requestId });
    }
    const delivered = await socket.next('dataResponse', (found) => textOf(found, 'reedId') === wanted);
    expect(textOf(delivered, 'requestId')).toBe(meant);
    socket.send('dataAck', {}, delivered.id);
    await socket.next('settled');
  });
});
