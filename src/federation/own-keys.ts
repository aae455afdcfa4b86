// Rotation of this server's own keys, as an act of the operator: peers are told to look at the document again, and are asked to approve anew where
// a key was compromised, as are our own admins.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { AdminActs } from '../identity/admin-acts.ts';
import type { Executor } from '../identity/executor.ts';
import { type KeyRevocation, rotateIdentityKey, rotateTransportKey } from '../identity/server-key-rotation.ts';
import type { ServerId } from '../wire/address.ts';
import { goingPeers, lockPeer, movePeer, oweNotices } from './peer-rows.ts';

export type OwnKeysDeps = {
  readonly acts: AdminActs;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly passphrase: string;
  readonly server: ServerId;
};

export type KeyKind = 'identity' | 'transport';
export type Rotated = {
  readonly kind: KeyKind;
  /** `fingerprint@server`, or a transport key's kid. */
  readonly key: string;
  readonly effectiveAt: Date;
};

/**
 * @param restored this server came back from a backup: what it says next is newer than whatever it had said since
 * @throws AppError CONFLICT while another new key of the kind is announced, or the chain is at its end
 */
export async function rotateOwnKey(deps: OwnKeysDeps, kind: KeyKind, compromised: boolean, restored = false): Promise<Rotated> {
  const { acts, clock, limits } = deps;
  let rotated: Rotated | null = null;
  const act = compromised ? (`keys-compromised-${kind}` as const) : (`keys-rotate-${kind}` as const);
  await acts.take('operator', { act, target: deps.server }, async (tx) => {
    const nowMs = clock.now();
    const made = { ...deps, nowMs };
    const peers = await goingPeers(tx);
    // The running server takes up the new key within this time, and shows it then.
    const shownAt = new Date(nowMs + limits.serverKeysReadEveryMs);
    if (kind === 'transport') {
      const { kid, effectiveAt } = await rotateTransportKey(tx, made, compromised);
      rotated = { kind, key: kid, effectiveAt };
    } else {
      const { key, effectiveAt, revocation } = await rotateIdentityKey(tx, made, compromised);
      rotated = { kind, key, effectiveAt };
      if (revocation !== null) await askAgain(tx, peers, { at: new Date(nowMs), revocation });
    }
    // More than a server ever counts up to: it says something new by far less often than once a second.
    if (restored)
      await sql`update servers set serial = greatest(serial, ${Math.floor(nowMs / 1_000)}) where id = ${deps.server}`.execute(tx);
    await oweNotices(tx, peers, { kinds: ['back'], at: shownAt });
    return 'done';
  });
  if (rotated === null) throw new Error('an act was taken without its effects');
  return rotated;
}

async function askAgain(
  tx: Executor,
  peers: readonly ServerId[],
  { at, revocation }: { at: Date; revocation: KeyRevocation },
): Promise<void> {
  for (const server of peers) {
    await movePeer(tx, await lockPeer(tx, server), { server, event: 'compromised', by: null, at });
    await sql`update peers set approved_there_at = null where server_id = ${server}`.execute(tx);
  }
  await oweNotices(tx, peers, { kinds: ['compromised'], at, revocation });
}
