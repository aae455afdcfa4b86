// The plan of a fan-out, as a property of any community: one delivery a member, by the strongest path; the community stream bounded.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Candidate, PATHS, planFanout } from '../../src/relay/fanout-plan.ts';
import type { UserId } from '../../src/wire/address.ts';

const NOW = 1_000_000;
const candidate = fc.record({
  member: fc.integer({ min: 0, max: 30 }).map((n) => `m${n}` as UserId),
  paths: fc.subarray(PATHS.map(({ path }) => path)),
  servedAtMs: fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.integer({ min: NOW - 5_000, max: NOW })),
});
const facts = fc.record({
  candidates: fc.uniqueArray(candidate, { selector: ({ member }) => member }),
  now: fc.constant(NOW),
  listeners: fc.integer({ min: 0, max: 10 }),
  listenerPauseMs: fc.constant(1_000),
});
const onlyListens = ({ paths }: Candidate): boolean => paths.length === 1 && paths[0] === 'broadcast';

it('delivers at most once to each member, by the strongest of its paths, though it is named twice', () => {
  fc.assert(
    fc.property(facts, fc.array(candidate), (of, again) => {
      const given = { ...of, candidates: [...of.candidates, ...again] };
      const { deliveries } = planFanout(given);
      expect(new Set(deliveries.map(({ member }) => member)).size).toBe(deliveries.length);
      for (const { member, eventName } of deliveries) {
        const paths = given.candidates.find((each) => each.member === member)?.paths ?? [];
        expect(eventName).toBe(PATHS.find(({ path }) => paths.includes(path))?.eventName);
      }
    }),
  );
});

it('delivers to every member with a path other than the community stream', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const reached = new Set(planFanout(given).deliveries.map(({ member }) => member));
      for (const each of given.candidates) if (each.paths.length > 0 && !onlyListens(each)) expect(reached).toContain(each.member);
    }),
  );
});

it('serves of the listeners those that were served longest ago, no more than it may, nobody twice within the pause, and counts the rest', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { deliveries, skipped } = planFanout(given);
      const listeners = given.candidates.filter(onlyListens);
      const served = listeners.filter(({ member }) => deliveries.some((each) => each.member === member));
      expect(served.length).toBe(Math.min(given.listeners, listeners.filter(({ servedAtMs }) => servedAtMs + 1_000 <= NOW).length));
      expect([...served.map(({ member }) => member), ...skipped].sort()).toEqual(listeners.map(({ member }) => member).sort());
      const left = listeners.filter(({ member, servedAtMs }) => skipped.includes(member) && servedAtMs + 1_000 <= NOW);
      for (const one of served) for (const other of left) expect(one.servedAtMs).toBeLessThanOrEqual(other.servedAtMs);
      for (const { servedAtMs } of served) expect(servedAtMs + 1_000).toBeLessThanOrEqual(NOW);
    }),
  );
});
