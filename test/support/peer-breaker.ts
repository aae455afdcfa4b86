// What stands between a home's streams and its wire in a server: the breaker, the probes of who does not answer, and the word that they are back.
import { cryptoRandom } from '../../src/base/ids.ts';
import { PeerCalls } from '../../src/federation/calls.ts';
import type { CallResult } from '../../src/federation/client.ts';
import { PeerSender } from '../../src/federation/sender.ts';
import type { Called, PeerCalls as CallsOfStreams } from '../../src/federation/stream-ports.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { silent, type World } from './people.ts';

const UINT32 = 2 ** 32;
const chance = (): number => new DataView(cryptoRandom(4).buffer).getUint32(0) / UINT32;

export type Breaker = { readonly calls: CallsOfStreams; readonly sender: PeerSender };

/** @param onBack tells the home's streams, as its watch would */
export function breakerOf(world: World, wire: CallsOfStreams, onBack: (peer: ServerId) => void): Breaker {
  const ground = { ...world, chance, documents: { refresh: async () => false } };
  const calls = new PeerCalls({
    ...ground,
    client: { call: async ({ id }, leg, body) => resultOf(await wire.call(id, leg, body)) },
    onChange: (peer, change) => {
      if (change === 'back') onBack(peer);
    },
  });
  const sender = new PeerSender({
    ...{ ...ground, calls, log: silent, isAlone: async () => false },
    ...{ nonces: { sweep: async () => 0 }, document: async () => ({}) },
  });
  return { calls, sender };
}

const resultOf = (called: Called): CallResult => {
  if (called.kind !== 'answer') return { kind: 'transport', reason: 'unreachable' };
  const { body, refusal, status } = called;
  const answer = { kind: 'answer', status, body, epoch: '' } as const;
  return refusal === undefined ? answer : { ...answer, refusal: { ...refusal, detail: '', code: refusal.code ?? 'INTERNAL' } };
};

/** Lets peers of a home be called: they have an address, and a document in which nothing stands. */
export const address = (home: World): Promise<unknown> =>
  home.db.query({
    text: `with documents as (update servers set document = '{"statement":{"transportKeys":[]}}' where not is_self)
      update peers set base_url = 'https://' || server_id || '.example'`,
  });
