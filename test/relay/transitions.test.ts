// Every way an event can go on a whole server, driven by members that behave and misbehave on their sockets. The server's clock
// is moved where a deadline is meant; what is waited for is always a frame or a row.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { FrameOf } from '../../src/wire/frames.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();
const acked = (id: string) => (frame: FrameOf<'requestAck'>) => frame.body.requestId === id;
const state = (id: string, name: string) => (frame: FrameOf<'requestAck'>) => frame.body.requestId === id && frame.body.state === name;

describe('a request', () => {
  it('is answered, acknowledged and settled; the requester is a holder from then on', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a), await stage.join(b)];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    const ack = await viewer.next('requestAck', acked(id));
    expect(ack.body).toMatchObject({ state: 'ASKING', onlineHolders: 1, reedId: reed });
    const asked = await author.next('relayRequest');
    expect(asked).toMatchObject({ id: ack.id, body: { reedId: reed, requesterId: viewer.userId, attempt: 1 } });
    expect(asked.body.requesterKeyId).toContain(viewer.userId);
    const delivery = await viewer.next('dataResponse');
    expect(delivery).toMatchObject({ id: ack.id, body: { requestId: id, reedId: reed } });
    expect(delivery.body.ciphertext).toHaveLength(2_000);
    expect((await viewer.next('settled')).body.events).toEqual([{ eventId: ack.id, outcome: 'HELD' }]);
    expect(await stage.allocations(reed)).toEqual([author.userId, viewer.userId].sort());
  });

  it('made twice is one event under the newer id', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b)];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const first = await viewer.next('requestAck', acked(viewer.request(reed)));
    const newer = viewer.request(reed);
    expect((await viewer.next('requestAck', acked(newer))).id).toBe(first.id);
    const asked = await author.next('relayRequest');
    author.answer(asked.id, 1);
    expect((await viewer.next('dataResponse')).body.requestId).toBe(newer);
    await viewer.next('settled');
    expect(author.frames.filter((frame) => frame.type === 'relayRequest')).toHaveLength(1);
  });

  it("for an unknown reed, a stranger's author or a foreign request id is refused by name", async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a), await stage.join(b)];
    const unknown = `${author.userId}/01890000-0000-7000-8000-000000000000` as ReedId;
    const id = viewer.request(unknown);
    expect((await viewer.next('reedNotFound')).body).toEqual({ requestId: id, reedId: unknown });
    viewer.request(unknown, `${author.userId}/01890000-0000-7000-8000-000000000001` as never);
    expect((await viewer.next('error')).body).toMatchObject({ code: 'INVALID' });
    viewer.send({ id: '', type: 'requestReed', body: { requestId: id, reedId: unknown, authorId: viewer.userId } });
    expect((await viewer.next('error', (frame) => frame.body.requestId === id)).body.code).toBe('INVALID');
  });

  it("cancelled frees the holder's place and is not delivered", async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b)];
    const [reed, other] = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    const id = viewer.request(reed);
    const asked = await author.next('relayRequest');
    viewer.send({ id: '', type: 'cancelRequest', body: { requestId: id } });
    // Frames of a connection take effect in order: once this is acknowledged, the cancel has been.
    await viewer.next('requestAck', acked(viewer.request(other)));
    author.answer(asked.id, 1);
    await author.next('relayRequest', (frame) => frame.body.reedId === other);
    await stage.server.settle();
    expect(await stage.community.rows('select subject_id from pending_events')).toEqual([{ subject_id: other }]);
    expect(viewer.frames.some((frame) => frame.type === 'dataResponse')).toBe(false);
  });
});

describe('requests and cancels of one connection', () => {
  it('take effect in their order, however fast they come', async () => {
    const [a, b, absent] = await stage.accounts(3);
    const [author, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b)];
    const reeds = [...(await stage.community.reeds(author.userId, 10)), ...(await stage.community.reeds(absent.userId, 10))];
    for (const reed of reeds) {
      const id = viewer.request(reed);
      viewer.send({ id: '', type: 'cancelRequest', body: { requestId: id } });
    }
    const last = viewer.request(reeds[0] as ReedId);
    await viewer.next('requestAck', acked(last));
    await stage.server.settle();
    expect(await stage.community.rows('select request_id from pending_events')).toEqual([{ request_id: last }]);
  });
});

describe('a holder that', () => {
  it('misses loses the allocation; another is asked', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, other, viewer] = [await stage.join(a, { answer: 'miss' }), await stage.join(b, { answer: 'miss' }), await stage.join(c)];
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, other.userId])) as [ReedId];
    const id = viewer.request(reed);
    // Both miss: the last copy is gone, and the requester is told so.
    expect((await viewer.next('reedNotHeld')).body).toEqual({ requestId: id, reedId: reed });
    expect(await stage.allocations(reed)).toEqual([]);
    expect([...author.frames, ...other.frames].filter((frame) => frame.type === 'relayRequest')).toHaveLength(2);
  });

  it('errs is asked again later, and another one meanwhile', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, other, viewer] = [
      await stage.join(a, { answer: 'error' }),
      await stage.join(b, { answer: 'nothing' }),
      await stage.join(c),
    ];
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, other.userId])) as [ReedId];
    viewer.request(reed);
    const asked = await other.next('relayRequest');
    other.answer(asked.id, asked.body.attempt);
    await viewer.next('settled');
    expect(await stage.allocations(reed)).toHaveLength(3);
  });

  it('errs is not waited for when another comes online, or becomes a holder', async () => {
    const [a, b, c, d] = await stage.accounts(4);
    const [erring, viewer, other] = [await stage.join(a, { answer: 'error' }), await stage.join(b), await stage.join(c)];
    const [reed] = (await stage.community.reeds(d.userId, 1, [d.userId, erring.userId])) as [ReedId];
    const id = viewer.request(reed);
    await viewer.next('requestAck', state(id, 'HOLDERS_FAILING'));
    // Not for the back-off, and not for the sweeper: for whoever arrives.
    await stage.join(d);
    await viewer.next('settled');
    other.request(reed);
    await other.next('settled');
  });

  it('errs for ever is asked a bounded number of times, and the requester is shown it', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a, { answer: 'error' }), await stage.join(b)];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    await viewer.next('requestAck', state(id, 'HOLDERS_FAILING'));
    const asked = () => author.frames.filter((frame) => frame.type === 'relayRequest').length;
    const states = () => stage.community.rows<{ state: number }>('select state from pending_events');
    await stage.passUntil(300_000, async () => {
      // An answer that is still on its way when time goes on is too late: the copy would be taken for lost, and never be asked for eight times.
      await stage.quiet();
      return asked() === 8 && (await states())[0]?.state === 0;
    });
    for (let looks = 0; looks < 5; looks += 1) await stage.pass(600_000);
    expect(asked()).toBe(8);
    expect(await stage.allocations(reed)).toEqual([author.userId]);
    // Signed in anew it may be asked again.
    await author.leave();
    const back = await stage.join(a);
    await back.next('relayRequest');
    await viewer.next('settled');
  });

  it('never answers loses the event at its deadline; what it sends later changes nothing', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, other, viewer] = [
      await stage.join(a, { answer: 'nothing' }),
      await stage.join(b, { answer: 'nothing' }),
      await stage.join(c),
    ];
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, other.userId])) as [ReedId];
    viewer.request(reed);
    const first = await Promise.race([author.next('relayRequest').then(() => author), other.next('relayRequest').then(() => other)]);
    const second = first === author ? other : author;
    await stage.pass(5_000);
    const asked = await second.next('relayRequest');
    first.answer(asked.id, 1, new Uint8Array([1]));
    second.answer(asked.id, asked.body.attempt, new Uint8Array([2]));
    const delivery = await viewer.next('dataResponse');
    expect([...delivery.body.ciphertext]).toEqual([2]);
    await viewer.next('settled');
    await stage.server.settle();
    expect(viewer.frames.filter((frame) => frame.type === 'dataResponse')).toHaveLength(1);
  });

  it('leaves with events in hand and in its queue hands them to those who stay', async () => {
    const [a, b, ...rest] = await stage.accounts(9);
    const author = await stage.join(a, { answer: 'nothing' });
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, b.userId])) as [ReedId];
    const viewers = await Promise.all(rest.map((account) => stage.join(account)));
    for (const viewer of viewers) await viewer.next('requestAck', acked(viewer.request(reed)));
    const other = await stage.join(b);
    await author.vanish();
    await Promise.all(viewers.map((viewer) => viewer.next('settled')));
    expect(await stage.allocations(reed)).toHaveLength(9);
    expect(other.frames.some((frame) => frame.type === 'relayRequest')).toBe(true);
  });

  it("answers for somebody else's event, or none, is not heard", async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, liar, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b), await stage.join(c)];
    const [reed, other] = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    viewer.request(reed);
    const asked = await author.next('relayRequest');
    for (const id of [asked.id, 'no-event', '', '01890000-0000-7000-8000-000000000000']) {
      liar.answer(id, 1);
      liar.send({ id, type: 'relayMiss', body: { attempt: 1, missingReedId: '' } });
      liar.send({ id, type: 'relayError', body: { attempt: 4_294_967_295, reason: 'FAILED' } });
      liar.send({ id, type: 'dataAck', body: {} });
      liar.send({ id, type: 'dataInvalid', body: { reason: 'BAD_SIGNATURE' } });
    }
    liar.request(other);
    await author.next('relayRequest', (frame) => frame.body.reedId === other);
    await stage.server.settle();
    expect(viewer.frames.some((frame) => frame.type === 'dataResponse')).toBe(false);
    author.answer(asked.id, 1);
    await viewer.next('settled');
  });
});

describe('nobody online', () => {
  it('a request waits and is served by whoever comes back', async () => {
    const [a, b] = await stage.accounts(2);
    const viewer = await stage.join(b);
    const [reed] = (await stage.community.reeds(a.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    expect((await viewer.next('requestAck', acked(id))).body).toMatchObject({ state: 'NOBODY_ONLINE', onlineHolders: 0 });
    await stage.join(a);
    await viewer.next('requestAck', state(id, 'ASKING'));
    await viewer.next('settled');
  });

  it('a holder that is back before it was found to have left is served as if it had never gone', async () => {
    const [a, b] = await stage.accounts(2);
    const viewer = await stage.join(b);
    let author = await stage.join(a);
    for (const reed of await stage.community.reeds(author.userId, 12)) {
      const [, , back] = await Promise.all([author.vanish(), viewer.request(reed), stage.join(a)]);
      await viewer.next('dataResponse', (frame) => frame.body.reedId === reed);
      author = back;
    }
  });

  it('a request whose holder erred, left and came back within its back-off is served when that is over', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, other, viewer] = [
      await stage.join(a, { answer: 'error' }),
      await stage.join(b, { answer: 'nothing' }),
      await stage.join(c),
    ];
    const [reed] = (await stage.community.reeds(author.userId, 1, [author.userId, other.userId])) as [ReedId];
    const id = viewer.request(reed);
    // Whoever is asked first: the author erred once the other has it.
    await stage.passUntil(5_000, () => author.frames.some((frame) => frame.type === 'relayRequest') && other.asked.size > 0);
    await author.leave();
    await other.leave();
    await viewer.next('requestAck', state(id, 'NOBODY_ONLINE'));
    await stage.join(a);
    await stage.passUntil(2_000, () => viewer.frames.some((frame) => frame.type === 'settled'));
  });

  it('a request that nobody serves for its life expires by name', async () => {
    const [a, b] = await stage.accounts(2);
    const viewer = await stage.join(b);
    const [reed] = (await stage.community.reeds(a.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    await viewer.next('requestAck', acked(id));
    await stage.pass(86_400_000);
    expect((await viewer.next('error')).body).toMatchObject({ code: 'EXPIRED', requestId: id });
  });
});

describe('a requester that', () => {
  it('leaves takes its events along, whatever state they are in, and frees the holder', async () => {
    const [a, b, c, absent] = await stage.accounts(4);
    const author = await stage.join(a, { answer: 'nothing' });
    const viewer = await stage.join(b, { acknowledge: 'nothing' });
    const [one, two, ...others] = (await stage.community.reeds(author.userId, 8)) as [ReedId, ReedId, ...ReedId[]];
    const [dormant] = (await stage.community.reeds(absent.userId, 1)) as [ReedId];
    for (const reed of [one, two, ...others, dormant]) await viewer.next('requestAck', acked(viewer.request(reed)));
    const asked = await author.next('relayRequest', (frame) => frame.body.reedId === one);
    author.answer(asked.id, 1);
    await viewer.next('dataResponse');
    await stage.server.settle();
    const states = await stage.community.rows<{ state: number }>('select distinct state from pending_events order by 1');
    expect(states.map((row) => row.state)).toEqual([0, 1, 2, 3]);
    await viewer.vanish();
    const next = await stage.join(c);
    next.request(two);
    const request = await author.next('relayRequest', (frame) => frame.body.requesterId === next.userId);
    author.answer(request.id, request.body.attempt);
    await next.next('settled');
    while ((await stage.community.rows('select event_id from pending_events')).length > 0) await stage.server.settle();
  });

  it('never acknowledges is sent the reed twice, then told', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a), await stage.join(b, { acknowledge: 'nothing' })];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    const deliveries = () => viewer.frames.filter((frame) => frame.type === 'dataResponse').length;
    await viewer.next('dataResponse');
    await stage.passUntil(30_000, () => deliveries() === 2);
    await stage.pass(30_000);
    expect((await viewer.next('error')).body).toMatchObject({ code: 'NOT_ACKNOWLEDGED', requestId: id });
    expect(viewer.frames.filter((frame) => frame.type === 'dataResponse')).toHaveLength(2);
    expect(await stage.allocations(reed)).toEqual([author.userId]);
  });

  it('finds the copy false is not made a holder, and is never served it by that holder again', async () => {
    const [a, b, c] = await stage.accounts(3);
    const liar = await stage.join(b);
    const viewer = await stage.join(c, { acknowledge: 'invalid' });
    const [reed] = (await stage.community.reeds(a.userId, 1, [a.userId, liar.userId])) as [ReedId];
    viewer.request(reed);
    expect((await viewer.next('settled')).body.events[0]?.outcome).toBe('GONE');
    viewer.behaviour.acknowledge = 'ack';
    const id = viewer.request(reed);
    expect((await viewer.next('requestAck', acked(id))).body).toMatchObject({ state: 'HOLDERS_FAILING', onlineHolders: 0 });
    await stage.join(a);
    await viewer.next('settled', (frame) => frame.body.events[0]?.outcome === 'HELD');
    expect(liar.frames.filter((frame) => frame.type === 'relayRequest')).toHaveLength(1);
  });

  it('acknowledges before the relay, for another or twice changes nothing', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, viewer, stranger] = [
      await stage.join(a, { answer: 'nothing' }),
      await stage.join(b, { acknowledge: 'nothing' }),
      await stage.join(c),
    ];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const { id } = await viewer.next('requestAck', acked(viewer.request(reed)));
    viewer.send({ id, type: 'dataAck', body: {} });
    const asked = await author.next('relayRequest');
    stranger.send({ id, type: 'dataAck', body: {} });
    author.answer(asked.id, 1);
    await viewer.next('dataResponse');
    stranger.send({ id, type: 'dataAck', body: {} });
    stranger.send({ id, type: 'dataInvalid', body: { reason: 'BAD_SIGNATURE' } });
    viewer.send({ id, type: 'dataAck', body: {} });
    viewer.send({ id, type: 'dataAck', body: {} });
    await viewer.next('settled');
    await stage.server.settle();
    expect(await stage.allocations(reed)).toEqual([author.userId, viewer.userId].sort());
    expect(viewer.frames.filter((frame) => frame.type === 'settled')).toHaveLength(1);
    expect(stranger.frames.filter((frame) => frame.type === 'settled')).toHaveLength(0);
  });
});

describe('eviction', () => {
  it('gives up a copy; the last one gone, whoever waits is told', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a, { answer: 'busy' }), await stage.join(b)];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const id = viewer.request(reed);
    await author.next('relayRequest');
    author.send({ id: '', type: 'eviction', body: { reedId: reed } });
    author.send({ id: '', type: 'eviction', body: { reedId: reed } });
    await author.next('evictionAck');
    expect((await viewer.next('reedNotHeld')).body.requestId).toBe(id);
    await stage.server.settle();
    expect(author.frames.filter((frame) => frame.type === 'evictionAck')).toHaveLength(2);
    expect(await stage.allocations(reed)).toEqual([]);
  });
});

describe('the swarm', () => {
  it('spreads a reed in few rounds, and never asks more than W at once of anyone', async () => {
    const [a, ...rest] = await stage.accounts(60);
    const author = await stage.join(a, { answer: 'nothing' });
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const viewers = await Promise.all(rest.map((account) => stage.join(account, { answer: 'nothing' })));
    for (const viewer of viewers) await viewer.next('requestAck', acked(viewer.request(reed)));
    const everyone = [author, ...viewers];
    // A round: everybody keeps the answers back until nothing more is asked for, then all answer.
    let rounds = 0;
    for (let served = 0; served < viewers.length; rounds += 1) {
      await stage.server.settle();
      expect(Math.max(...everyone.map((member) => member.asked.size))).toBeLessThanOrEqual(4);
      const answered = everyone.reduce((sum, member) => sum + member.answerAll(), 0);
      served += answered;
      const settled = () => viewers.filter((viewer) => viewer.frames.some((frame) => frame.type === 'settled')).length;
      await stage.passUntil(0, () => settled() === served);
    }
    expect(rounds).toBeLessThanOrEqual(2 + 2 * Math.log2(viewers.length / 4));
    expect(await stage.allocations(reed)).toHaveLength(60);
  });
});
