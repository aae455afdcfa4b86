// Members who fail: a holder that freezes, answers at its very deadline, errs for ever or loses one of its sockets, and a requester who
// vanishes in whatever state its request is. The server's clock is moved to where the deadline is; nothing is slept through.
import { afterEach, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { type Child, startChild } from '../support/child.ts';
import type { LightAccount, LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();
/** So long that a loaded machine does not reach it by itself. */
const DEADLINE_MS = 600_000;
const HOUR_MS = 3_600_000;
const children: Child[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.send('SIGKILL');
    await child.exit;
  }
});

const events = () =>
  stage.community.rows<{ state: number; attempt: number; holder: string | null }>(
    'select state, attempt, holder from pending_events order by seq',
  );
const attempts = () => stage.community.rows<{ failures: number }>('select failures from pending_event_attempts');
const cast = async (): Promise<{ author: LightMember; viewer: LightMember; reed: ReedId; accounts: readonly LightAccount[] }> => {
  const accounts = await stage.accounts(2);
  const author = await stage.join(accounts[0], { answer: 'nothing' });
  const viewer = await stage.join(accounts[1]);
  const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
  return { author, viewer, reed, accounts };
};

describe('a holder', () => {
  it('that is frozen is found out by its silence, and what it had is asked of another', async () => {
    const [a, b, c] = await stage.accounts(3);
    const child = startChild('test/support/holder-child.ts', { args: [stage.server.url, JSON.stringify(a)] });
    children.push(child);
    expect(await child.line()).toBe('online');
    const [reed] = (await stage.community.reeds(a.userId, 1, [a.userId, b.userId])) as [ReedId];
    const viewer = await stage.join(c);
    viewer.request(reed);
    expect(await child.line()).toBe('asked');
    child.send('SIGSTOP');
    const other = await stage.join(b);
    // The heartbeat is not moved by a test: this takes the 8 seconds that it takes. The deadline may come first; both end with the other holder.
    await other.next('relayRequest');
    await viewer.next('settled');
    await expect
      .poll(() => stage.community.rows('select from online_users where user_id = $1', [a.userId]), { timeout: 60_000 })
      .toEqual([]);
  });

  it.each([
    { when: 'before its deadline is heard', byMs: DEADLINE_MS - 60_000, attempt: 1 },
    { when: 'after it is not, and is asked again', byMs: DEADLINE_MS, attempt: 2 },
  ])('that answers $when', async ({ byMs, attempt }) => {
    await stage.again({ dispatchDeadlineMs: DEADLINE_MS });
    const { author, viewer, reed } = await cast();
    viewer.request(reed);
    const { id } = await author.next('relayRequest');
    await stage.pass(byMs);
    expect(await events()).toMatchObject([attempt === 1 ? { state: 2, attempt: 1 } : { state: 4, holder: null }]);
    author.answer(id, 1);
    await stage.server.settle();
    // Late, it changes nothing: it is asked again after its back-off, and counts then.
    expect(viewer.frames.filter((frame) => frame.type === 'dataResponse')).toHaveLength(attempt === 1 ? 1 : 0);
    if (attempt === 2) {
      await stage.pass(2_000);
      author.answer(id, (await author.next('relayRequest', ({ body }) => body.attempt === 2)).body.attempt);
    }
    expect((await viewer.next('settled')).body.events).toEqual([{ eventId: id, outcome: 'HELD' }]);
  });

  it('that answers in the very moment of its deadline either delivers or is asked again, never both', async () => {
    await stage.again({ dispatchDeadlineMs: DEADLINE_MS });
    const { author, viewer, reed } = await cast();
    viewer.request(reed);
    const { id } = await author.next('relayRequest');
    const passing = stage.pass(DEADLINE_MS);
    author.answer(id, 1);
    await passing;
    await stage.server.settle();
    const [event] = await events();
    if (event !== undefined) {
      await stage.pass(2_000);
      await author.next('relayRequest', ({ body }) => body.attempt === 2);
      author.answerAll();
    }
    await viewer.next('settled');
    expect(viewer.frames.filter((frame) => frame.type === 'dataResponse')).toHaveLength(1);
    expect(await events()).toEqual([]);
  });

  it('that is the only one and errs for ever is given up by name after a day, and never asked more than eight times', async () => {
    const { author, viewer, reed } = await cast();
    author.behaviour.answer = 'error';
    const id = viewer.request(reed);
    const isOver = () => viewer.frames.some((frame) => frame.type === 'error' && frame.body.requestId === id);
    await stage.passUntil(HOUR_MS / 2, isOver);
    expect(await viewer.next('error')).toMatchObject({ body: { code: 'EXPIRED' } });
    expect(author.frames.filter((frame) => frame.type === 'relayRequest').length).toBeLessThanOrEqual(8);
  });

  it('with two sockets that loses the one on which it was asked is asked on the other, at its own charge of nothing', async () => {
    const { author, viewer, reed, accounts } = await cast();
    const newest = await stage.join(accounts[0] as LightAccount, { answer: 'nothing' });
    viewer.request(reed);
    const asked = await newest.next('relayRequest');
    await newest.vanish();
    await stage.passUntil(1_000, () => author.asked.size > 0);
    const again = await author.next('relayRequest');
    expect(again).toMatchObject({ id: asked.id, body: { attempt: 2 } });
    expect(await attempts()).toEqual([]);
    author.answerAll();
    await viewer.next('settled');
  });

  it('with two sockets that loses the one on which it had all that it may have in hand is asked at once on the other what stood in its queue', async () => {
    await stage.again({ undeliverableRetryMs: HOUR_MS, waitingFirstMs: HOUR_MS, dispatchDeadlineMs: DEADLINE_MS });
    const { author, viewer, accounts } = await cast();
    const newest = await stage.join(accounts[0] as LightAccount, { answer: 'nothing' });
    const reeds = await stage.community.reeds(author.userId, 5);
    for (const reed of reeds) viewer.request(reed);
    await viewer.next('requestAck', ({ body }) => body.state === 'IN_TURN');
    const [queued] = await stage.community.rows<{ event_id: string }>('select event_id from pending_events where state = 1');
    await newest.vanish();
    expect((await author.next('relayRequest')).id).toBe(queued?.event_id);
    expect((await events()).map(({ state }) => state).sort()).toEqual([2, 4, 4, 4, 4]);
  });

  it('with two sockets that loses one is not asked anew for what it answered before', async () => {
    const { author, viewer, reed, accounts } = await cast();
    viewer.behaviour.acknowledge = 'nothing';
    const newest = await stage.join(accounts[0] as LightAccount);
    viewer.request(reed);
    const { id } = await viewer.next('dataResponse');
    await newest.vanish();
    await expect.poll(() => stage.community.rows('select from online_connections where user_id = $1', [author.userId])).toHaveLength(1);
    await stage.pass(1_000);
    expect(await events()).toMatchObject([{ state: 3, attempt: 1 }]);
    viewer.send({ id, type: 'dataAck', body: {} });
    await viewer.next('settled');
  });

  it('of whom all are away: the first that returns is asked', async () => {
    const [a, b, c] = await stage.accounts(3);
    const viewer = await stage.join(c);
    const [reed] = (await stage.community.reeds(a.userId, 1, [a.userId, b.userId])) as [ReedId];
    const id = viewer.request(reed);
    await viewer.next('requestAck', ({ body }) => body.requestId === id && body.state === 'NOBODY_ONLINE');
    await stage.pass(HOUR_MS);
    await stage.join(b);
    await viewer.next('settled');
    expect(await stage.allocations(reed)).toEqual([a.userId, b.userId, c.userId].sort());
  });
});

describe('a requester that vanishes', () => {
  type Parts = Awaited<ReturnType<typeof cast>>;
  const STATES: Readonly<Record<string, (parts: Parts) => Promise<number>>> = {
    unassigned: async ({ author, viewer, reed }) => {
      viewer.request(reed);
      const { id } = await author.next('relayRequest');
      author.send({ id, type: 'relayError', body: { attempt: 1, reason: 'FAILED' } });
      return 4;
    },
    waiting: async ({ author, viewer }) => {
      for (const other of await stage.community.reeds(author.userId, 5)) viewer.request(other);
      await viewer.next('requestAck', ({ body }) => body.state === 'IN_TURN');
      return 1;
    },
    dormant: async ({ author, viewer, reed }) => {
      await author.leave();
      await expect.poll(() => stage.community.rows('select from online_users')).toHaveLength(1);
      viewer.request(reed);
      await viewer.next('requestAck');
      return 0;
    },
    dispatched: async ({ author, viewer, reed }) => {
      viewer.request(reed);
      await author.next('relayRequest');
      return 2;
    },
    relayed: async ({ author, viewer, reed }) => {
      viewer.behaviour.acknowledge = 'nothing';
      viewer.request(reed);
      await author.next('relayRequest');
      author.answerAll();
      await viewer.next('dataResponse');
      return 3;
    },
  };

  it.each(Object.keys(STATES))('while its request is %s leaves nothing, and its holder serves the next', async (name) => {
    const parts = await cast();
    const reach = STATES[name];
    if (reach === undefined) throw new Error('no such state');
    const state = await reach(parts);
    await expect.poll(async () => (await events()).some((event) => event.state === state)).toBe(true);
    await parts.viewer.vanish();
    await expect.poll(events).toEqual([]);
    expect(await attempts()).toEqual([]);
    const [c] = await stage.accounts(1);
    const next = await stage.join(c);
    if (name === 'dormant') await stage.join(parts.accounts[0] as LightAccount);
    parts.author.behaviour.answer = 'bytes';
    next.request(parts.reed);
    await next.next('settled');
  });
});
