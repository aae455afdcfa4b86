// Sockets whose sessions ended without a word to this replica: the regular look finds them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLOSE_CODES } from '../../src/base/codes.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { fail } from '../../src/base/result.ts';
import type { Member } from '../../src/identity/sessions.ts';
import { createGatewayWorld, eventually, type GatewayWorld, type RawClient } from '../support/gateway-world.ts';
import { createPresenceWorld, type PresenceWorld } from '../support/presence-world.ts';

let presence: PresenceWorld;
let world: GatewayWorld;
let client: RawClient;
beforeAll(async () => {
  presence = await createPresenceWorld();
});
afterAll(() => presence.close());
beforeEach(async () => {
  world = await createGatewayWorld(presence);
  client = await world.signIn(world.enrol(1).token);
});
afterEach(() => world.close());

describe('the end of sessions that nobody was told of', () => {
  const SECOND_MS = 1_000;
  /** Lets so much time pass, in which whoever is still connected shows that it is alive. */
  const pass = async (seconds: number, alive: readonly RawClient[]): Promise<void> => {
    for (let at = 0; at < seconds; at++) {
      await Promise.all(alive.map((each) => each.echo()));
      world.node.clock.advance(SECOND_MS);
      await eventually(() => world.gateway.idle);
    }
  };

  it('is found by the regular look: of those members the sockets are closed, and of no others', async () => {
    const [left, moved, stays] = [world.enrol(2), world.enrol(3), world.enrol(4)];
    const [l, m, s] = [await world.signIn(left.token), await world.signIn(moved.token), await world.signIn(stays.token)];
    world.members.delete(left.token);
    world.members.delete(moved.token);
    world.enrol(3);
    await pass(DEFAULT_LIMITS.sessionLookMs / SECOND_MS - 5, [client, l, m, s]);
    expect(l.socket.readyState).toBe(l.socket.OPEN);
    const closed = Promise.all([l.closed, m.closed]);
    await pass(10, [client, s]);
    expect((await closed).map(({ code }) => code)).toEqual([CLOSE_CODES.CLOSE_SESSION_ENDED.number, CLOSE_CODES.CLOSE_REPLACED.number]);
    expect(s.socket.readyState).toBe(s.socket.OPEN);
  });

  it('is looked for again after a look that failed', async () => {
    await world.close();
    let fails = true;
    const endedOf = async (members: readonly Member[]): Promise<('ended' | null)[]> => {
      if (!fails) return members.map(() => 'ended');
      fails = false;
      throw new Error('the database is away');
    };
    const token = 'token';
    world = await createGatewayWorld(presence, {
      deps: ({ members }) => ({
        sessions: {
          authenticateToken: async () => members.get(token) ?? null,
          authenticateStatement: async () => fail('unauthenticated'),
          endedOf,
        },
      }),
    });
    world.members.set(token, world.enrol(1));
    const lasting = await world.signIn(token);
    await pass(DEFAULT_LIMITS.sessionLookMs / SECOND_MS + 5, [lasting]);
    const closed = lasting.closed;
    for (let at = 0; at < 8 && lasting.socket.readyState === lasting.socket.OPEN; at++) await pass(4, [lasting]).catch(() => undefined);
    expect((await closed).code).toBe(CLOSE_CODES.CLOSE_SESSION_ENDED.number);
  });
});
