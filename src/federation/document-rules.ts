// Which documents of a server are believed, as a pure function of the keys that were seen of it and when: older ones never, and none that is
// signed by a key which has not been announced for long enough, so that whoever has stolen a key can't be the server overnight.
import type { ServerKeyId } from '../wire/address.ts';

export type PinnedKey = {
  readonly id: ServerKeyId;
  /** Milliseconds since the epoch from which it counts. */
  readonly effectiveAtMs: number;
  readonly isRevoked: boolean;
};

/** What is known of a server; `keys` from its first on. */
export type Pinned = { readonly serial: number; readonly keys: readonly PinnedKey[] };

/** A document whose signatures and chain hold. */
export type Shown = { readonly serial: number; readonly keys: readonly ServerKeyId[]; readonly signer: ServerKeyId };

export type NewKey = { readonly id: ServerKeyId; readonly effectiveAtMs: number };

/**
 * accepted · announced: only its new keys are noted, and count later · old: a lower serial than one seen · forked: not the chain that was seen ·
 * revoked: signed by, or ending in, a key that was compromised
 */
export type Verdict =
  | { readonly kind: 'accepted' | 'announced'; readonly newKeys: readonly NewKey[] }
  | { readonly kind: 'old' | 'forked' | 'revoked' };

/** @param delayMs from when a new key was seen until it counts */
export function judgeDocument(pinned: Pinned, shown: Shown, now: { readonly nowMs: number; readonly delayMs: number }): Verdict {
  const { nowMs, delayMs } = now;
  const later = nowMs + delayMs;
  const signerAt = shown.keys.indexOf(shown.signer);
  // Seen for the first time: the key that speaks for the server now counts, with those before it.
  if (pinned.keys.length === 0) {
    return { kind: 'accepted', newKeys: shown.keys.map((id, at) => ({ id, effectiveAtMs: at <= signerAt ? nowMs : later })) };
  }
  if (!pinned.keys.every(({ id }, at) => shown.keys[at] === id)) return { kind: 'forked' };
  if (shown.serial < pinned.serial) return { kind: 'old' };
  const signer = pinned.keys.find(({ id }) => id === shown.signer);
  if (signer?.isRevoked || pinned.keys.at(-1)?.isRevoked) return { kind: 'revoked' };
  const newKeys = shown.keys.slice(pinned.keys.length).map((id) => ({ id, effectiveAtMs: later }));
  const counts = signer !== undefined && signer.effectiveAtMs <= nowMs;
  return { kind: counts ? 'accepted' : 'announced', newKeys };
}
