// Acts that end a key or an account, or take such an end back: each ends the sessions of who makes it.
import { type UserId, userOf } from '../../src/wire/address.ts';
import type { Person } from '../support/people.ts';
import { recovering, removalOf, revocationOf, rotationOf, withdrawalOf, withNextKey } from '../support/rotations.ts';
import type { Act } from './owed-acts.ts';
import type { OwedModel } from './owed-model.ts';
import type { Acts } from './stage.ts';

type At = { readonly clock: { now(): number } };

const finallyGone = (model: OwedModel, user: UserId): string | null => (model.gone.has(user) ? 'REMOVED' : null);

/** A next key, by the one before it or by the recovery key. */
export const rotate = async (by: Person, how: 'key' | 'recovery', isFrozen: boolean, at: At): Promise<Act> => {
  const next = await withNextKey(at, by);
  const whole = await rotationOf(at, by, next, how);
  const { key } = whole;
  const { revocation } = isFrozen ? {} : whole;
  const who = how === 'key' ? { userId: by.user } : recovering(by);
  return {
    ...{ by, next, about: [], signed: revocation === undefined ? [key] : [revocation, key] },
    name: `${by.user} has another key, by its ${how}`,
    run: ({ rotation }: Acts) => rotation.rotate(who, { key, ...(revocation === undefined ? {} : { revocation }) }),
    apply: (model) => model.endKey(by.keyId, true),
    refuses: (model) => finallyGone(model, by.user),
  };
};

/** A key ends without a next one: the account is frozen. */
export const revoke = async (by: Person, at: At): Promise<Act> => {
  const revocation = await revocationOf(at, by);
  return {
    ...{ by, next: by, about: [], signed: [revocation] },
    name: `${by.user} has no key any more`,
    run: ({ rotation }: Acts) => rotation.revoke(by.keyId, revocation),
    apply: (model) => model.endKey(by.keyId, false),
    refuses: (model) => finallyGone(model, by.user),
  };
};

export const removeAccount = async (by: Person, at: At): Promise<Act> => {
  const removal = await removalOf(at, by);
  const { user } = by;
  return {
    ...{ by, next: by, about: [], signed: [removal] },
    name: `${user} removes its account`,
    run: ({ accountRemovals }: Acts) => accountRemovals.request(by.member, removal),
    trace: { text: 'select from account_removals where user_id = $1', values: [user] },
    apply: (model) => void model.hidden.add(user),
    refuses: (model) => finallyGone(model, user),
  };
};

export const withdraw = async (by: Person, at: At): Promise<Act> => {
  const withdrawal = await withdrawalOf(at, by);
  return {
    ...{ by, next: by, signed: [withdrawal] },
    // A sweep may make it for good meanwhile.
    about: ['time'],
    name: `${by.user} takes the removal of its account back`,
    run: ({ accountRemovals }: Acts) => accountRemovals.withdraw(recovering(by), withdrawal),
    apply: (model) => void model.hidden.delete(userOf(by.keyId)),
    refuses: (model) => finallyGone(model, by.user),
  };
};
