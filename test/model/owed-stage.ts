// A stage whose members have keys and state things as they would over HTTP: the same people for all runs of a stage, each process with its own
// services on the one identity of the server.
import { cryptoRandom } from '../../src/base/ids.ts';
import type { Limits } from '../../src/base/limits.ts';
import { AccountRemovals } from '../../src/identity/account-removal.ts';
import { Blocks } from '../../src/identity/blocks.ts';
import { Countersigner } from '../../src/identity/countersign.ts';
import { Follows } from '../../src/identity/follows.ts';
import { type Identity, openIdentity } from '../../src/identity/identity.ts';
import { StoredKeys } from '../../src/identity/key-lookup.ts';
import { Keys } from '../../src/identity/keys.ts';
import { Rotation } from '../../src/identity/rotation.ts';
import type { ServerIdentity } from '../../src/identity/server-identity.ts';
import { openReeds } from '../../src/reeds/reeds.ts';
import { identityStatement, makePerson, PASSPHRASE, type Person, sign, signUpBody } from '../support/people.ts';
import { type ActsOf, Stage } from './stage.ts';

export type OwedStage = { readonly stage: Stage; readonly people: readonly Person[]; readonly identity: Identity };

/** Places of people: who may have copies of all, and who lets no archivist have any. */
export const ARCHIVIST = 2;
export const PRIVATE = 3;

/** A process's own services, which tell its relay what was committed. */
const actsOf =
  (server: ServerIdentity, { bus, clock, limits }: Stage): ActsOf =>
  (db, relay) => {
    const storedKeys = new StoredKeys({ db, server, clock, limits });
    const countersigner = new Countersigner({ db, server, clock });
    const common = { db, clock, limits, home: server.id, keys: storedKeys, countersigner };
    const effects: ConstructorParameters<typeof Blocks>[0]['effects'] = {
      cutOff: (tx, author, viewer) => relay().cutOff(tx, author, viewer),
      changed: (kind, author, viewer) => relay().changed(kind, author, viewer),
    };
    const ends: Pick<ConstructorParameters<typeof Rotation>[0], 'onSessionEnded' | 'onKeyEnded'> = {
      onSessionEnded: (user) => bus.endSessions(user, { code: 'CLOSE_SESSION_ENDED' }),
      onKeyEnded: (key) => relay().keyEnded(key),
    };
    return {
      keys: new Keys({ db, clock, limits, learnKey: async () => undefined }),
      rotation: new Rotation({ ...common, ...ends }),
      accountRemovals: new AccountRemovals({
        ...common,
        ...ends,
        onAccountRemoved: (user) => relay().accountRemoved(user),
        onRemovalWithdrawn: () => undefined,
      }),
      ...openReeds({
        ...{ db, clock, limits, identity: { server, storedKeys, countersigner } },
        onRemoved: (kind, subject) => relay().removed(kind, subject),
        onLiked: () => undefined,
        learnReed: async () => false,
      }),
      follows: new Follows({ ...common, onFollowed: (member, target) => relay().followed(member, target), onActed: () => undefined }),
      blocks: new Blocks({ ...common, effects }),
    };
  };

export const openOwedStage = async (limits: Partial<Limits>, members: number): Promise<OwedStage> => {
  const people: Person[] = [];
  let opened: Identity | null = null;
  const stage = await Stage.open(limits, async (opening) => {
    const ignored = () => undefined;
    const result = await openIdentity({
      ...{ db: opening.application, clock: opening.clock, limits: opening.limits, random: cryptoRandom },
      ...{ passphrase: PASSPHRASE, name: 'Test', publicUrl: () => 'http://localhost:8080', signup: 'open' },
      ...{
        onSessionEnded: ignored,
        onFollowed: ignored,
        onActed: ignored,
        learnPerson: async () => undefined,
        learnKey: async () => undefined,
        onKeyEnded: ignored,
        onAccountRemoved: ignored,
        onRemovalWithdrawn: ignored,
      },
      blockEffects: { cutOff: async () => ignored, changed: ignored },
    });
    if (!result.ok) throw new Error(result.detail);
    opened = result.value;
    for (let at = 0; at < members; at += 1) people.push(await joined(opening, opened, at));
    return actsOf(opened.server, opening);
  });
  if (opened === null) throw new Error('nobody prepared it');
  return { stage, people, identity: opened };
};

/** Somebody new in a place. */
const joined = async ({ application, clock }: Stage, identity: Identity, at: number): Promise<Person> => {
  const person = await makePerson(identity.server.id, clock.now());
  const statement = { ...identityStatement(person, clock.now()), archive: at !== PRIVATE };
  await identity.signUp.run({ ...(await signUpBody({ identity, clock }, person)), identity: await sign(person, statement, clock.now()) });
  if (at === ARCHIVIST) await application.query({ text: `update users set role = 'archivist' where id = $1`, values: [person.user] });
  return person;
};

/** The same people begin anew, with nothing between them and no copies of anything; others come for those whose key or account ended. */
export const clearOwed = async ({ identity, people, stage }: OwedStage): Promise<OwedStage> => {
  await stage.world.clear();
  await stage.application.query({
    text: 'with f as (delete from follows), k as (delete from key_allocations), e as (delete from pending_ends) delete from owed_notices',
  });
  const as = await stage.application.query<{ id: string }>({
    text: `select u.key_id as id from users u where not exists (select from key_revocations r where r.key_id = u.key_id)
      and not exists (select from account_removals a where a.user_id = u.id) and u.key_id = any($1::text[])`,
    values: [people.map(({ keyId }) => keyId)],
  });
  const there = new Set(as.map(({ id }) => id));
  return {
    ...{ identity, stage },
    people: await Promise.all(people.map((person, at) => (there.has(person.keyId) ? person : joined(stage, identity, at)))),
  };
};
