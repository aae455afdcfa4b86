// Which next key a member's chain takes, decided from how it stands. Pure: whoever calls it holds the lock on the member's keys.
import type { ErrorCode } from '../base/codes.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { replaces } from '../crypto/key-chain.ts';
import { type Fingerprint, fingerprintOf, type UserKeyId } from '../wire/address.ts';

/** A key of the member, void ones included. Times in milliseconds since the epoch. */
export type HeldKey = {
  readonly id: UserKeyId;
  readonly predecessor: UserKeyId | null;
  readonly recovery: Fingerprint;
  readonly byRecovery: boolean;
  readonly isVoid: boolean;
  readonly isRevoked: boolean;
  readonly signedAtMs: number;
};

export type AskedRotation = {
  readonly key: UserKeyId;
  readonly recovery: Fingerprint;
  readonly predecessor: UserKeyId;
  readonly byRecovery: boolean;
  /** Whether a revocation of the predecessor came with it. */
  readonly revokes: boolean;
};

export type Ruling = {
  /** Whether the predecessor is revoked by this. */
  readonly revokes: boolean;
  /** Keys that are off the chain from now on. */
  readonly voids: readonly UserKeyId[];
};

export type Refused = { readonly code: ErrorCode; readonly detail: string; readonly retryAfterMs?: number; readonly about?: UserKeyId };

const refuse = (refused: Refused): Result<never, 'refused'> & { readonly refused: Refused } => ({ ...fail('refused'), refused });

export type Judged = { readonly ok: true; readonly value: Ruling } | { readonly ok: false; readonly refused: Refused };

/** Judges a rotation. `now`: milliseconds since the epoch, as its countersignature will say. */
export function judgeRotation(keys: readonly HeldKey[], asked: AskedRotation, limits: Limits, now: number): Judged {
  const chain = keys.filter(({ isVoid }) => !isVoid);
  const before = chain.find(({ id }) => id === asked.predecessor);
  if (before === undefined) return refuse({ code: 'INVALID', detail: 'predecessor: no key on your chain' });
  const reused = reusedField(keys, asked);
  if (reused !== null) return refuse(reused);
  const next = successorOf(chain, before.id);
  if (next !== undefined) return judgeReplacement(chain, { before, next, asked }, now);
  if (chain.length >= limits.keyChain) return refuse({ code: 'CONFLICT', detail: 'predecessor: the chain is as long as it may be' });
  if (before.isRevoked && !asked.byRecovery)
    return refuse({ code: 'KEY_REVOKED', detail: 'predecessor: revoked; only the recovery key goes on from here', about: before.id });
  const waitMs = asked.byRecovery ? 0 : lastRotationMs(chain) + limits.rotationEveryMs - now;
  if (waitMs > 0) return refuse({ code: 'RATE_LIMITED', detail: 'your key was replaced less than a day ago', retryAfterMs: waitMs });
  if (!before.isRevoked && !asked.revokes) return refuse({ code: 'INVALID', detail: 'revocation: missing' });
  return ok({ revokes: !before.isRevoked, voids: [] });
}

/** A key is used once, for one thing. */
function reusedField(keys: readonly HeldKey[], { key, recovery }: AskedRotation): Refused | null {
  if (keys.some(({ id }) => id === key)) return { code: 'CONFLICT', detail: 'key: used before' };
  if (keys.some((held) => held.recovery === fingerprintOf(key))) return { code: 'INVALID', detail: 'key: a recovery key of yours' };
  if (keys.some(({ id }) => fingerprintOf(id) === recovery)) return { code: 'INVALID', detail: 'recovery: a key of yours' };
  return null;
}

type Replacement = { readonly before: HeldKey; readonly next: HeldKey; readonly asked: AskedRotation };

function judgeReplacement(chain: readonly HeldKey[], { before, next, asked }: Replacement, now: number): Judged {
  if (!replaces(next, { byRecovery: asked.byRecovery, signedAtMs: now }))
    return refuse({ code: 'CONFLICT', detail: 'predecessor: has a successor that stands', about: before.id });
  const voids = [next.id];
  for (let after = successorOf(chain, next.id); after !== undefined; after = successorOf(chain, after.id)) voids.push(after.id);
  return ok({ revokes: false, voids });
}

const successorOf = (chain: readonly HeldKey[], key: UserKeyId): HeldKey | undefined =>
  chain.find(({ predecessor }) => predecessor === key);

/** When the member's key was last replaced; the first key replaced none. */
const lastRotationMs = (chain: readonly HeldKey[]): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...chain.flatMap(({ predecessor, signedAtMs }) => (predecessor === null ? [] : [signedAtMs])));
