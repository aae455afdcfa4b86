// Looks that ride on acknowledgements: when they wait for a ride, and when they go by themselves.
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { HolderOfSubject } from '../../src/ledger/claim.ts';
import { Probes } from '../../src/ledger/probes.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { ManualClock } from '../support/manual-clock.ts';

const scene = () => {
  const clock = new ManualClock();
  const found: HolderOfSubject[] = [];
  const ride = { isComing: false };
  const probes = new Probes(
    { clock, limits: DEFAULT_LIMITS },
    (pair) => void found.push(pair),
    () => ride.isComing,
  );
  return { clock, found, ride, probes };
};

const PAIR: HolderOfSubject = { holder: 'h' as UserId, subject: 'a/b' as ReedId };

it('with no acknowledgement about, a look goes by itself after the grace', () => {
  const { clock, found, probes } = scene();
  probes.add(PAIR);
  clock.advance(DEFAULT_LIMITS.probeGraceMs - 1);
  expect(found).toEqual([]);
  clock.advance(1);
  expect(found).toEqual([PAIR]);
  expect(probes.idle).toBe(true);
});

it('while acknowledgements are on their way it waits for them, however long they take', () => {
  const { clock, found, ride, probes } = scene();
  ride.isComing = true;
  probes.add(PAIR);
  clock.advance(100 * DEFAULT_LIMITS.probeGraceMs);
  expect(found).toEqual([]);
  expect([...probes.take().keys()]).toEqual([PAIR.subject]);
  clock.advance(100 * DEFAULT_LIMITS.probeGraceMs);
  expect(found).toEqual([]);
});

it('when the acknowledgements came to nothing it goes by itself all the same', () => {
  const { clock, found, ride, probes } = scene();
  ride.isComing = true;
  probes.add(PAIR);
  clock.advance(10 * DEFAULT_LIMITS.probeGraceMs);
  ride.isComing = false;
  clock.advance(DEFAULT_LIMITS.probeGraceMs);
  expect(found).toEqual([PAIR]);
});
