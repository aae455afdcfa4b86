// The pure decisions of peering: what a step makes of it, when a peer is called, which documents are believed, who may finish what another began.
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { afterFault, breakerOf, CLOSED } from '../../src/federation/breaker.ts';
import { judgeDocument, type Pinned } from '../../src/federation/document-rules.ts';
import { type PeeringEvent, type PeerState, type Standing, step } from '../../src/federation/peering-state.ts';
import { judgePair } from '../../src/identity/second-admin.ts';
import type { ServerKeyId, UserId } from '../../src/wire/address.ts';

const EVENTS: readonly PeeringEvent[] = [
  ...(['invite', 'connect', 'approve', 'approved-there', 'suspend', 'resume', 'revoke', 'disconnected-there', 'compromised'] as const),
];

/** Takes steps one after the other; those that can't be taken now change nothing. */
const standing = (...events: readonly PeeringEvent[]): Standing | null =>
  events.reduce<Standing | null>((now, event) => {
    const taken = step(now, event);
    return taken.ok ? taken.value.next : now;
  }, null);

/** Every standing that can be reached. */
function reachable(): Standing[] {
  const seen = new Map<string, Standing>();
  const open: (Standing | null)[] = [null];
  for (let now = open.shift(); now !== undefined; now = open.shift()) {
    for (const event of EVENTS) {
      const taken = step(now, event);
      if (!taken.ok || seen.has(JSON.stringify(taken.value.next))) continue;
      seen.set(JSON.stringify(taken.value.next), taken.value.next);
      open.push(taken.value.next);
    }
  }
  return [...seen.values()];
}

describe('a peering', () => {
  test('is live exactly while both sides have approved it and it is not suspended', () => {
    expect(standing('invite', 'connect', 'approve', 'approved-there')?.state).toBe('live');
    expect(standing('invite', 'connect', 'approved-there', 'approve')?.state).toBe('live');
    for (const { state, here, there } of reachable()) {
      if (state === 'suspended') continue;
      expect(state === 'live', JSON.stringify({ state, here, there })).toBe(here && there);
    }
  });

  test('is changed by no step that comes twice', () => {
    for (const now of reachable()) {
      for (const event of EVENTS) {
        const once = step(now, event);
        if (!once.ok) continue;
        const twice = step(once.value.next, event);
        expect(twice.ok && twice.value.next, `${JSON.stringify(now)} ${event}`).toEqual(once.value.next);
      }
    }
  });

  test.each<[PeeringEvent, readonly PeerState[]]>([
    ['invite', ['pending', 'approved-by-us', 'live', 'suspended']],
    ['approve', ['invited', 'suspended', 'revoked']],
    ['suspend', ['invited', 'revoked']],
    ['resume', ['invited', 'revoked']],
  ])('refuses what can not follow: %s', (event, states) => {
    const refused = reachable().filter((now) => !step(now, event).ok);
    expect([...new Set(refused.map(({ state }) => state))].sort()).toEqual([...states].sort());
  });

  test('that was suspended comes back as it was, and tells the peer so', () => {
    const live = standing('invite', 'connect', 'approve', 'approved-there');
    const suspended = step(live, 'suspend');
    expect(suspended.ok && suspended.value).toMatchObject({ next: { state: 'suspended' }, tell: ['going-away'] });
    const resumed = step(suspended.ok ? suspended.value.next : null, 'resume');
    expect(resumed.ok && resumed.value).toMatchObject({ next: live, tell: ['back', 'approved'], forget: ['going-away'] });
  });

  test('with a compromised key waits for both admins again', () => {
    expect(standing('invite', 'connect', 'approve', 'approved-there', 'compromised')).toEqual({
      state: 'pending',
      here: false,
      there: false,
    });
    expect(standing('invite', 'connect', 'approve', 'approved-there', 'suspend', 'compromised', 'resume')?.state).toBe('pending');
  });

  test('that has ended is begun by an invitation alone', () => {
    const ended = standing('invite', 'connect', 'approve', 'approved-there', 'revoke') ?? null;
    const later = EVENTS.filter((event) => {
      const taken = step(ended, event);
      return taken.ok && taken.value.next.state !== 'revoked';
    });
    expect(later).toEqual(['invite', 'connect']);
  });
});

describe('the breaker', () => {
  const limits = DEFAULT_LIMITS;
  const fault = (failures: number, random: number) =>
    afterFault({ failures, retryAtMs: 0 }, { nowMs: 1_000, random: () => random }, limits);

  test('is closed until a fault, open for its time, then lets a probe through', () => {
    expect(breakerOf(CLOSED, 0)).toEqual({ state: 'closed' });
    const stored = fault(0, 1);
    expect(breakerOf(stored, 1_999)).toEqual({ state: 'open', untilMs: 2_000 });
    expect(breakerOf(stored, 2_000)).toEqual({ state: 'half-open' });
  });

  test('waits twice as long after each fault, up to a quarter of an hour', () => {
    const waits = Array.from({ length: 14 }, (_, failures) => (fault(failures, 1).retryAtMs ?? 0) - 1_000);
    expect(waits.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(waits.at(-1)).toBe(900_000);
    expect((fault(13, 0).retryAtMs ?? 0) - 1_000).toBe(90_000);
  });
});

describe('a document of a server', () => {
  const [k1, k2, k3] = ['k1', 'k2', 'k3'] as unknown as [ServerKeyId, ServerKeyId, ServerKeyId];
  const now = { nowMs: 1_000, delayMs: 72 };
  const key = (id: ServerKeyId, effectiveAtMs = 0, isRevoked = false) => ({ id, effectiveAtMs, isRevoked });
  const none: Pinned = { serial: 0, keys: [] };

  test('is believed at first sight, its keys up to the one that signed it at once', () => {
    expect(judgeDocument(none, { serial: 3, keys: [k1, k2, k3], signer: k2 }, now)).toEqual({
      kind: 'accepted',
      newKeys: [
        { id: k1, effectiveAtMs: 1_000 },
        { id: k2, effectiveAtMs: 1_000 },
        { id: k3, effectiveAtMs: 1_072 },
      ],
    });
  });

  test('announces a new key, which counts from three days after it was seen', () => {
    const pinned = { serial: 3, keys: [key(k1)] };
    const announced = [{ id: k2, effectiveAtMs: 1_072 }];
    expect(judgeDocument(pinned, { serial: 4, keys: [k1, k2], signer: k1 }, now)).toEqual({ kind: 'accepted', newKeys: announced });
    expect(judgeDocument(pinned, { serial: 4, keys: [k1, k2], signer: k2 }, now)).toEqual({ kind: 'announced', newKeys: announced });
    const seen = (at: number): Pinned => ({ serial: 4, keys: [key(k1), key(k2, at)] });
    expect(judgeDocument(seen(1_001), { serial: 5, keys: [k1, k2], signer: k2 }, now).kind).toBe('announced');
    expect(judgeDocument(seen(1_000), { serial: 5, keys: [k1, k2], signer: k2 }, now).kind).toBe('accepted');
  });

  test('is not believed with a lower serial, another chain, or a key that was compromised', () => {
    const pinned = { serial: 3, keys: [key(k1), key(k2)] };
    expect(judgeDocument(pinned, { serial: 2, keys: [k1, k2], signer: k2 }, now).kind).toBe('old');
    expect(judgeDocument(pinned, { serial: 9, keys: [k1, k3], signer: k1 }, now).kind).toBe('forked');
    expect(judgeDocument(pinned, { serial: 9, keys: [k1], signer: k1 }, now).kind).toBe('forked');
    const stolen = { serial: 3, keys: [key(k1, 0, true)] };
    expect(judgeDocument(stolen, { serial: 4, keys: [k1, k2], signer: k2 }, now).kind).toBe('revoked');
    expect(judgeDocument(stolen, { serial: 4, keys: [k1], signer: k1 }, now).kind).toBe('revoked');
  });
});

describe('what one admin began', () => {
  const [ann, bob] = ['ann', 'bob'] as unknown as [UserId, UserId];

  test('another one finishes, unless the first has made or invited them, or is alone', () => {
    const pair = { admins: 2, first: ann, second: bob, isMadeByFirst: false } as const;
    expect(judgePair(pair)).toBe('confirmed');
    expect(judgePair({ ...pair, second: ann })).toBe('same');
    expect(judgePair({ ...pair, isMadeByFirst: true })).toBe('made');
    expect(judgePair({ ...pair, admins: 1, second: ann })).toBe('alone');
    expect(judgePair({ ...pair, first: 'operator', second: 'operator' })).toBe('same');
    expect(judgePair({ ...pair, first: 'operator' })).toBe('confirmed');
  });
});
