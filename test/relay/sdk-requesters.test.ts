// How requests end by their requesters' doing, with members as they really are: going away in every state, never acknowledging,
// cancelling, asking twice, waiting for ever. A holder has one place here and nothing is swept, so that a place not freed is seen.
import { describe, expect, test } from 'vitest';
import { STATE } from '../../src/ledger/state.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { AlteredStore, holdAnswers } from '../support/altered-parts.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const NO_SWEEP = { sweepEveryMs: 3_600_000, auditEveryMs: 3_600_000 };
const HOUR_MS = 3_600_000;
const stage = SdkStage.forEachTest({ ...NO_SWEEP, holderWindow: 1, dispatchDeadlineMs: HOUR_MS, acknowledgeMs: HOUR_MS });

const dropAcks = ({ line }: Actor): void => {
  line.fate = (frame, way) => (way === 'out' && frame.type === 'dataAck' ? 'drop' : 'pass');
};

/** Resolves when no event is left, with nothing done for it but what the server does by itself. */
const gone = async (): Promise<void> => {
  while ((await stage.states()).length > 0) await new Promise((turn) => setImmediate(turn));
  expect(await stage.rows('select event_id from pending_event_attempts')).toEqual([]);
};

describe('a requester that goes', () => {
  test('while nobody online has the reed leaves nothing behind', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    await author.member.close();
    const leaver = await stage.join();
    await stage.ask(leaver, reed).shown('nobody-online');
    expect(await stage.states()).toEqual([STATE.dormant]);
    await stage.vanish(leaver);
    await gone();
    const back = await stage.join(author);
    await stage.keep(await stage.join(), reed);
    expect(back.line.frames('in', 'relayRequest')).toHaveLength(1);
  });

  test('while waiting in a queue leaves it to those behind', async () => {
    const author = await stage.join();
    const [first, second, third] = (await stage.publish(author, 3)) as [ReedId, ReedId, ReedId];
    author.line.fate = holdAnswers;
    const [served, leaver, next] = [await stage.join(), await stage.join(), await stage.join()];
    const inHand = stage.ask(served, first);
    await author.line.seen('out', 'relayResponse');
    await stage.ask(leaver, second).shown('in-turn');
    const behind = stage.ask(next, third);
    await behind.shown('in-turn');
    expect(await stage.states()).toEqual([STATE.dispatched, STATE.waiting, STATE.waiting]);
    await stage.vanish(leaver);
    while ((await stage.states()).length > 2) await new Promise((turn) => setImmediate(turn));
    author.line.release();
    await Promise.all([inHand.copy, behind.copy]);
    await gone();
    expect(author.line.frames('in', 'relayRequest').map(({ body }) => body.reedId)).toEqual([first, third]);
  });

  test('while a holder is at work frees its place at once; the answer goes nowhere', async () => {
    const author = await stage.join();
    const [reed, other] = (await stage.publish(author, 2)) as [ReedId, ReedId];
    author.line.fate = holdAnswers;
    const [leaver, next] = [await stage.join(), await stage.join()];
    stage.ask(leaver, reed);
    await author.line.seen('out', 'relayResponse');
    const behind = stage.ask(next, other);
    await behind.shown('in-turn');
    expect(await stage.states()).toEqual([STATE.dispatched, STATE.waiting]);
    await stage.vanish(leaver);
    await author.line.seen('in', 'relayRequest', ({ body }) => body.requesterId === next.user);
    author.line.release();
    await behind.copy;
    await gone();
    expect(await stage.allocations(reed)).toEqual([author.user]);
  });

  test('after a failure of the holder leaves no attempt behind', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.store.copyRead = () => {
      throw new Error('unreadable');
    };
    const leaver = await stage.join();
    await stage.ask(leaver, reed).shown('holders-failing');
    expect(await stage.rows('select failures from pending_event_attempts')).toEqual([{ failures: 1 }]);
    expect(await stage.states()).toEqual([STATE.unassigned]);
    await stage.vanish(leaver);
    await gone();
    author.store.copyRead = (copy) => copy;
    await stage.keep(await stage.join(), reed);
  });

  test('before it acknowledges is no holder, and nothing is sent for it again', async () => {
    const author = await stage.join();
    const [reed, other] = (await stage.publish(author, 2)) as [ReedId, ReedId];
    const leaver = await stage.join();
    dropAcks(leaver);
    await stage.ask(leaver, reed).copy;
    await leaver.line.seen('out', 'dataAck');
    expect(await stage.states()).toEqual([STATE.relayed]);
    await stage.vanish(leaver);
    await gone();
    expect(await stage.allocations(reed)).toEqual([author.user]);
    await stage.keep(await stage.join(), other);
    expect(author.line.frames('in', 'relayRequest').map(({ body }) => body.reedId)).toEqual([reed, other]);
  });

  test('with more open than it has places leaves none of them behind', async () => {
    await stage.again({ ...NO_SWEEP, awakeEventsPerMember: 1, dispatchDeadlineMs: HOUR_MS });
    const author = await stage.join();
    const reeds = (await stage.publish(author, 3)) as [ReedId, ReedId, ReedId];
    author.line.fate = holdAnswers;
    const leaver = await stage.join();
    const asked = reeds.map((reed) => stage.ask(leaver, reed));
    await Promise.all([asked[1]?.shown('in-turn'), asked[2]?.shown('in-turn')]);
    expect((await stage.states()).sort()).toEqual([STATE.dispatched, STATE.unassigned, STATE.unassigned]);
    await stage.vanish(leaver);
    await gone();
    author.line.release();
    await stage.keep(await stage.join(), reeds[2]);
  });
});

describe('a requester that never acknowledges', () => {
  test('is sent the reed twice, is told so, and is no holder', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    const deaf = await stage.join();
    deaf.line.fate = (frame, way) => (way === 'in' && frame.type === 'dataResponse' ? 'drop' : 'pass');
    const asked = stage.ask(deaf, reed);
    for (const times of [1, 2]) {
      await deaf.line.seen('in', 'dataResponse', () => deaf.line.frames('in', 'dataResponse').length >= times);
      while ((await stage.states())[0] !== STATE.relayed) await new Promise((turn) => setImmediate(turn));
      await stage.expire(STATE.relayed);
      await stage.server.settle();
    }
    expect((await asked.failure()).outcome).toBe('not-acknowledged');
    await gone();
    expect(deaf.line.frames('in', 'dataResponse')).toHaveLength(2);
    expect(author.line.frames('in', 'relayRequest')).toHaveLength(2);
    expect(await stage.allocations(reed)).toEqual([author.user]);
  });
});

describe('a requester that cancels', () => {
  test('what a holder is at work on frees its place at once, and is delivered nothing', async () => {
    const author = await stage.join();
    const [reed, other] = (await stage.publish(author, 2)) as [ReedId, ReedId];
    author.line.fate = holdAnswers;
    const reader = await stage.join();
    const [dropped, wanted] = [stage.ask(reader, reed), stage.ask(await stage.join(), other)];
    await Promise.all([dropped.shown('asking'), wanted.shown('in-turn')]);
    await reader.member.cancel(reed);
    expect((await dropped.failure()).outcome).toBe('cancelled');
    await author.line.seen('in', 'relayRequest', ({ body }) => body.reedId === other);
    author.line.release();
    await wanted.copy;
    await gone();
    expect(reader.line.frames('in', 'dataResponse')).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([author.user]);
  });
});

describe('a second request', () => {
  test('of the same member for the same reed joins the first under its own id, and is answered by one delivery', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.line.fate = holdAnswers;
    const first = await stage.join();
    // Another tab of the same device that knows of no request yet.
    const store = new AlteredStore();
    await store.write((await first.store.list('meta')).map((record) => ({ put: 'meta', record })));
    const asked = stage.ask(first, reed);
    await author.line.seen('out', 'relayResponse');
    const second = await stage.join({ store, safe: first.safe });
    expect(second.user).toBe(first.user);
    const joined = stage.ask(second, reed);
    const { body } = await second.line.seen('out', 'requestReed');
    await second.line.seen('in', 'requestAck', (frame) => frame.body.requestId === body.requestId);
    const [own] = first.line.frames('out', 'requestReed');
    expect(body.requestId).not.toBe(own?.body.requestId);
    expect(await stage.rows('select request_id, state from pending_events')).toEqual([
      { request_id: body.requestId, state: STATE.dispatched },
    ]);
    author.line.release();
    expect(await joined.copy).toContain('reed 0');
    await gone();
    expect(author.line.frames('in', 'relayRequest')).toHaveLength(1);
    const deliveries = [...first.line.frames('in', 'dataResponse'), ...second.line.frames('in', 'dataResponse')];
    expect(deliveries.map((frame) => frame.body.requestId)).toEqual([body.requestId]);
    await first.member.cancel(reed);
    expect((await asked.failure()).outcome).toBe('cancelled');
  });
});

describe('a request that nobody serves', () => {
  test('for its whole life ends by name', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    await author.member.close();
    const asked = stage.ask(await stage.join(), reed);
    await asked.shown('nobody-online');
    await stage.rows("update pending_events set requested_at = now() - interval '25 hours'");
    await stage.expire(STATE.dormant);
    await stage.server.settle();
    expect((await asked.failure()).outcome).toBe('expired');
    await gone();
  });
});
