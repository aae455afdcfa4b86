// A stage whose members have keys and state things as they would over HTTP: the same people for all runs of a stage, each process with its own
// services on the one identity of the server.
import { cryptoRandom } from '../../src/base/ids.ts';
import type { Limits } from '../../src/base/limits.ts';
import { Blocks } from '../../src/identity/blocks.ts';
import { Countersigner } from '../../src/identity/countersign.ts';
import { Follows } from '../../src/identity/follows.ts';
import { openIdentity } from '../../src/identity/identity.ts';
import { StoredKeys } from '../../src/identity/key-lookup.ts';
import type { ServerIdentity } from '../../src/identity/server-identity.ts';
import { openReeds } from '../../src/reeds/reeds.ts';
import { PASSPHRASE, type Person, signUp } from '../support/people.ts';
import { type ActsOf, Stage } from './stage.ts';

export type OwedStage = { readonly stage: Stage; readonly people: readonly Person[] };

/** A process's own services, which tell its relay what was committed. */
const actsOf =
  (server: ServerIdentity, { clock, limits }: Stage): ActsOf =>
  (db, relay) => {
    const storedKeys = new StoredKeys({ db, server, clock, limits });
    const countersigner = new Countersigner({ db, server, clock });
    const common = { db, clock, limits, home: server.id, keys: storedKeys, countersigner };
    const effects: ConstructorParameters<typeof Blocks>[0]['effects'] = {
      cutOff: (tx, author, viewer) => relay().cutOff(tx, author, viewer),
      changed: (kind, author, viewer) => relay().changed(kind, author, viewer),
    };
    return {
      ...openReeds({
        ...{ db, clock, limits, identity: { server, storedKeys, countersigner } },
        onRemoved: (kind, subject) => relay().removed(kind, subject),
      }),
      follows: new Follows({ ...common, onFollowed: (member, target) => relay().followed(member, target) }),
      blocks: new Blocks({ ...common, effects }),
    };
  };

export const openOwedStage = async (limits: Partial<Limits>, members: number): Promise<OwedStage> => {
  const people: Person[] = [];
  const stage = await Stage.open(limits, async (opening) => {
    const ignored = () => undefined;
    const opened = await openIdentity({
      ...{ db: opening.application, clock: opening.clock, limits: opening.limits, random: cryptoRandom },
      ...{ passphrase: PASSPHRASE, name: 'Test', publicUrl: () => 'http://localhost:8080', signup: 'open' },
      ...{ onSessionEnded: ignored, onFollowed: ignored, onKeyEnded: ignored, onAccountRemoved: ignored },
      blockEffects: { cutOff: async () => ignored, changed: ignored },
    });
    if (!opened.ok) throw new Error(opened.detail);
    const identity = opened.value;
    for (let at = 0; at < members; at += 1) people.push(await signUp({ identity, clock: opening.clock }));
    return actsOf(identity.server, opening);
  });
  return { stage, people };
};

/** The same people begin anew, with nothing between them and no copies of anything. */
export const clearOwed = async ({ stage }: OwedStage): Promise<void> => {
  await stage.world.clear();
  await stage.application.query({ text: 'with f as (delete from follows) delete from owed_notices' });
};
