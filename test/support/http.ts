// The HTTP server over a world of test/support/people.ts, for `inject` and for listening.
import { cryptoRandom } from '../../src/base/ids.ts';
import { openPeering } from '../../src/federation/federation.ts';
import type { Api } from '../../src/http/api.ts';
import { createHttp, type HttpDeps } from '../../src/http/server.ts';
import { AddressBudget } from '../../src/identity/address-budget.ts';
import { silent, type World } from './people.ts';

export const makeHttp = (world: World, changes: Partial<HttpDeps> = {}): Promise<Api> => {
  const { peering, directory } = openPeering({ ...world, random: cryptoRandom, log: silent, allowPrivatePeers: true });
  return createHttp({
    peering,
    peers: directory,
    identity: world.identity,
    reeds: world.reeds,
    clock: world.clock,
    limits: world.limits,
    signup: 'open',
    name: 'Test',
    version: '0.0.0',
    addresses: new AddressBudget({ clock: world.clock, limits: world.limits }),
    log: silent,
    random: cryptoRandom,
    trustProxy: false,
    webFolder: null,
    ready: async () => true,
    people: { elsewhere: async () => ({ people: [], away: [] }) },
    federation: { answer: async () => ({ kind: 'stranger', code: 'FORBIDDEN' }) },
    ...changes,
  });
};
