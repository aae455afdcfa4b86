// What a member may cost, and that answers to what was asked are free exactly once.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Budgets } from '../../src/gateway/budget.ts';
import { Costs } from '../../src/gateway/costs.ts';
import type { UserId } from '../../src/wire/address.ts';
import { encodeDelivery, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';

const ANN = 'aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb' as UserId;
const FROM_ANN = { userId: ANN, connectionId: 'one' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const limits = DEFAULT_LIMITS;
const request = (reedId: string, requestId = 'r'): Frame => ({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: '' } });
const asking = (subject: string) => ({ subject, cost: 1, isRepeated: false });
const response = (id: string): Frame => ({ id, type: 'relayResponse', body: { ciphertext: new Uint8Array(1), attempt: 1 } });
const ack = (id: string): Frame => ({ id, type: 'dataAck', body: {} });
const relayRequest = (id: string): Uint8Array =>
  encodeFrame({ id, type: 'relayRequest', body: { reedId: 'x', requesterId: 'y', requesterKeyId: 'z', attempt: 1, deadlineMs: 5_000 } });

describe('budget of a member', () => {
  it('gives 300 at once, then one a second', () => {
    const budgets = new Budgets(limits);
    for (let at = 0; at < 300; at++) expect(budgets.spend(ANN, 1, 0)).toBe(0);
    expect(budgets.spend(ANN, 1, 0)).toBe(1_000);
    expect(budgets.spend(ANN, 1, 999)).toBe(1);
    expect(budgets.spend(ANN, 1, 1_000)).toBe(0);
  });

  it('takes nothing when there is not enough', () => {
    const budgets = new Budgets(limits);
    expect(budgets.spend(ANN, 295, 0)).toBe(0);
    expect(budgets.spend(ANN, 10, 0)).toBe(5_000);
    expect(budgets.spend(ANN, 5, 0)).toBe(0);
  });

  it('does not count what an open request is driven again with after its connection was cut', () => {
    const costs = new Costs(new Budgets(limits), limits);
    for (let at = 0; at < 20; at++) expect(costs.charge({ userId: ANN, connectionId: `${at}` }, request('reed'), 0)).toBe(0);
    // On one connection the same request counts each time, and so does one that was cancelled.
    const more = [1, 2, 3, 4, 5].map(() => costs.charge({ userId: ANN, connectionId: '19' }, request('reed'), 0));
    expect(more).toEqual([0, 0, 0, 0, HOUR_MS]);
  });

  it('takes nothing for as many acknowledgements of blocks as were told, and the rest from what other frames cost', () => {
    const costs = new Costs(new Budgets({ ...limits, freeFramesBurst: 1, freeFramesPerSecond: 1 }), limits);
    const told = encodeFrame({ id: '', type: 'userBlocked', body: { requestId: '', certificate: new Uint8Array(1) } });
    const blockAck: Frame = { id: '', type: 'userBlockedAck', body: { userId: '', countersignatureHash: '' } };
    for (let at = 0; at < 2_000; at++) costs.noteAsk(ANN, told, 0);
    for (let at = 0; at < 2_001; at++) expect(costs.charge(FROM_ANN, blockAck, 0)).toBe(0);
    expect(costs.charge(FROM_ANN, blockAck, 0)).toBe(1_000);
  });

  it('takes as much for a report of a reed as for a request, each being a line of the log', () => {
    const costs = new Costs(new Budgets(limits), limits);
    const report: Frame = { id: '', type: 'contentRejected', body: { reedId: 'x', reason: 'claim mismatch: text' } };
    for (let at = 0; at < limits.costBurst; at++) expect(costs.charge(FROM_ANN, report, 0)).toBe(0);
    expect(costs.charge(FROM_ANN, report, 0)).toBeGreaterThan(0);
    expect(costs.charge(FROM_ANN, request('reed'), 0)).toBeGreaterThan(0);
  });

  it('counts them by themselves, so that nobody who comes back each time asks for a reed without an end', () => {
    const costs = new Costs(new Budgets(limits), limits);
    const ask = (at: number) => costs.charge({ userId: ANN, connectionId: `${at}` }, request('reed'), at);
    for (let at = 0; at <= 60; at++) expect(ask(at)).toBe(0);
    expect(ask(61)).toBe(HOUR_MS - 60);
    expect(ask(HOUR_MS + 1)).toBe(0);
  });

  it('lets the same reed be asked for five times in any hour', () => {
    const costs = new Costs(new Budgets(limits), limits);
    for (let at = 0; at < 5; at++) expect(costs.charge(FROM_ANN, request('reed'), at * MINUTE_MS)).toBe(0);
    expect(costs.charge(FROM_ANN, request('reed'), 5 * MINUTE_MS)).toBe(HOUR_MS - 5 * MINUTE_MS);
    expect(costs.charge(FROM_ANN, request('other'), 5 * MINUTE_MS)).toBe(0);
    expect(costs.charge(FROM_ANN, request('reed'), HOUR_MS)).toBe(0);
    expect(costs.charge(FROM_ANN, request('reed'), HOUR_MS)).toBe(MINUTE_MS);
  });

  it('lets one sync in five seconds, at a cost of 20', () => {
    const budgets = new Budgets(limits);
    const costs = new Costs(budgets, limits);
    const sync: Frame = { id: '', type: 'syncRequest', body: { requestId: 's' } };
    expect(costs.charge(FROM_ANN, sync, 0)).toBe(0);
    expect(costs.charge(FROM_ANN, sync, 4_000)).toBe(1_000);
    expect(costs.charge(FROM_ANN, sync, 5_000)).toBe(0);
    expect(budgets.spend(ANN, 266, 5_000)).toBe(1_000);
  });

  it('frees one answer for each relay request, and charges a second or forged one', () => {
    const costs = new Costs(new Budgets({ ...limits, costBurst: 1 }), limits);
    costs.noteAsk(ANN, relayRequest('event-1'), 0);
    expect(costs.charge(FROM_ANN, response('event-1'), 0)).toBe(0);
    expect(costs.charge(FROM_ANN, response('event-1'), 0)).toBe(0);
    expect(costs.charge(FROM_ANN, response('event-1'), 0)).toBe(1_000);
    expect(costs.charge(FROM_ANN, response('forged'), 0)).toBe(1_000);
    costs.noteAsk(ANN, relayRequest('event-2'), 0);
    expect(costs.charge(FROM_ANN, response('event-2'), 0)).toBe(0);
  });

  it('frees one acknowledgement for each delivery, and does not take it for an answer', () => {
    const costs = new Costs(new Budgets({ ...limits, costBurst: 0, costPerMinute: 1 }), limits);
    costs.noteAsk(ANN, encodeDelivery('dataResponse', 'event', { requestId: '', reedId: 'x' }, new Uint8Array(9)), 0);
    expect(costs.charge(FROM_ANN, response('event'), 0)).toBeGreaterThan(0);
    expect(costs.charge(FROM_ANN, ack('event'), 0)).toBe(0);
    expect(costs.charge(FROM_ANN, ack('event'), 0)).toBeGreaterThan(0);
  });

  it('frees one cancellation for each request and gives nothing back for it', () => {
    const costs = new Costs(new Budgets({ ...limits, costBurst: 1 }), limits);
    const cancel: Frame = { id: '', type: 'cancelRequest', body: { requestId: 'r' } };
    expect(costs.charge(FROM_ANN, request('reed'), 0)).toBe(0);
    expect(costs.charge(FROM_ANN, cancel, 0)).toBe(0);
    expect(costs.charge(FROM_ANN, cancel, 0)).toBe(1_000);
    expect(costs.charge(FROM_ANN, request('reed'), 0)).toBe(1_000);
  });

  it('counts requests for one reed however high the limit is, and those for others do not count', () => {
    const budgets = new Budgets({ ...limits, sameReedPerHour: 2_000, costBurst: 1_000_000 });
    for (let at = 0; at < 2_000; at++) {
      expect(budgets.request(ANN, asking('reed'), at)).toBe(0);
      expect(budgets.request(ANN, asking(`other-${at}`), at)).toBe(0);
    }
    expect(budgets.request(ANN, asking('reed'), 2_000)).toBe(HOUR_MS - 2_000);
    expect(budgets.request(ANN, asking('reed'), HOUR_MS)).toBe(0);
  });

  it('remembers only so many requests, so that a limit above them limits nothing', () => {
    const budgets = new Budgets({ ...limits, sameReedPerHour: 3, requestsRemembered: 3, costBurst: 1_000_000 });
    for (const subject of ['a', 'a', 'b', 'a']) expect(budgets.request(ANN, asking(subject), 0)).toBe(0);
    expect(budgets.request(ANN, asking('a'), 0)).toBe(HOUR_MS);
    for (const subject of ['c', 'd']) budgets.request(ANN, asking(subject), 0);
    expect(budgets.request(ANN, asking('a'), 0)).toBe(0);
    const lenient = new Budgets({ ...limits, sameReedPerHour: 4, requestsRemembered: 3, costBurst: 1_000_000 });
    for (let at = 0; at < 100; at++) expect(lenient.request(ANN, asking('a'), 0)).toBe(0);
  });

  it('remembers only so many asks, the last ones', () => {
    const budgets = new Budgets({ ...limits, asksRemembered: 2 });
    for (const id of ['a', 'b', 'c']) budgets.asked(ANN, id, 0);
    expect([budgets.answers(ANN, 'a', 0), budgets.answers(ANN, 'b', 0), budgets.answers(ANN, 'c', 0)]).toEqual([false, true, true]);
  });

  it('remembers only so many members, the last ones', () => {
    const budgets = new Budgets({ ...limits, budgetMembers: 2, costBurst: 1 });
    for (const name of ['a', 'b', 'c']) budgets.spend(`${name}@b` as UserId, 1, 0);
    expect(['c', 'b', 'a'].map((name) => budgets.spend(`${name}@b` as UserId, 1, 0))).toEqual([1_000, 1_000, 0]);
  });

  it('forgets members whose budget is as good as new, a step at a time', () => {
    const budgets = new Budgets(limits);
    const members = Array.from({ length: 10 }, (_, at) => `m${at}@b` as UserId);
    for (const member of members) budgets.asked(member, 'ask', 0);
    budgets.expire(HOUR_MS - 1, 100);
    budgets.expire(HOUR_MS, 4);
    expect(members.map((member) => budgets.answers(member, 'ask', HOUR_MS))).toEqual(members.map((_, at) => at >= 4));
  });

  it('tells a member who goes on in spite of refusals from one who is refused now and then', () => {
    const budgets = new Budgets({ ...limits, rateLimitedFramesBeforeClose: 3 });
    expect([0, 1, 2].map((now) => budgets.persists(ANN, now))).toEqual([false, false, false]);
    expect(budgets.persists(ANN, MINUTE_MS)).toBe(false);
    expect([1, 2, 3].map((ms) => budgets.persists(ANN, MINUTE_MS + ms))).toEqual([false, false, true]);
  });

  it('never remembers what is too long to be an id', () => {
    const costs = new Costs(new Budgets({ ...limits, sameReedPerHour: 1 }), limits);
    const long = 'x'.repeat(256);
    expect(costs.charge(FROM_ANN, request(long), 0)).toBe(0);
    expect(costs.charge(FROM_ANN, request(long), 0)).toBe(0);
  });
});
