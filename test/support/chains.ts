// Chains of keys with real certificates, by hand: who comes after whom, signed how, countersigned when.
import type { ChainKey } from '../../src/crypto/key-chain.ts';
import { verifyKeyChain } from '../../src/crypto/key-chain.ts';
import { generatePrivateKey, type PrivateKey } from '../../src/crypto/openpgp.ts';
import { countersign, type KeyLookup, signStatement } from '../../src/crypto/statement.ts';
import {
  type Fingerprint,
  type ServerId,
  type ServerKeyId,
  serverIdFromFingerprint,
  serverKeyId,
  type UserId,
  type UserKeyId,
  userIdFromFingerprint,
  userKeyId,
} from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';

export type Entry = { readonly certificate: unknown; readonly revocation?: unknown };
export type Link = { readonly id: UserKeyId; readonly key: PrivateKey; readonly recovery: PrivateKey };

export class ChainMaker {
  readonly server: ServerId;
  readonly serverKey: ServerKeyId;
  readonly user: UserId;
  readonly first: Link;
  readonly nowMs: number;
  readonly #serverSecret: PrivateKey;
  #seq = 0;

  private constructor(nowMs: number, server: { id: ServerId; secret: PrivateKey }, first: { user: UserId; link: Link }) {
    this.nowMs = nowMs;
    this.server = server.id;
    this.#serverSecret = server.secret;
    this.serverKey = serverKeyId(server.secret.fingerprint, server.id);
    this.user = first.user;
    this.first = first.link;
  }

  static async make(nowMs: number): Promise<ChainMaker> {
    const [secret, key, recovery] = [await generatePrivateKey(nowMs), await generatePrivateKey(nowMs), await generatePrivateKey(nowMs)];
    const id = await serverIdFromFingerprint(secret.fingerprint);
    const user = await userIdFromFingerprint(key.fingerprint, id);
    return new ChainMaker(nowMs, { id, secret }, { user, link: { id: userKeyId(user, key.fingerprint), key, recovery } });
  }

  get lookup(): KeyLookup {
    const known = { id: this.serverKey, publicKey: this.#serverSecret.publicKey };
    return { userKey: async () => null, serverKey: async (id) => (id === this.serverKey ? known : null) };
  }

  async link(): Promise<Link> {
    const [key, recovery] = [await generatePrivateKey(this.nowMs), await generatePrivateKey(this.nowMs)];
    return { id: userKeyId(this.user, key.fingerprint), key, recovery };
  }

  /** The certificate of a link's key: the first of the id, or after `before`, signed by its key or by its recovery key. */
  async key(link: Link, after?: { readonly before: Link; readonly by: 'key' | 'recovery'; readonly atMs?: number }): Promise<unknown> {
    const by = after?.by === 'recovery' ? after.before.recovery : after?.before.key;
    const statement: StatementOf<'key'> = {
      ...heading('key'),
      ...{ user: this.user, key: link.id, armor: link.key.publicKey.armor, recovery: link.recovery.fingerprint as Fingerprint },
      ...(after ? { predecessor: after.before.id } : {}),
      ...(after?.by === 'recovery' ? { recoveryArmor: after.before.recovery.publicKey.armor } : {}),
    };
    const signers = [{ key: link.key, keyId: link.id as string }];
    if (by) signers.push({ key: by, keyId: userKeyId(this.user, by.fingerprint) });
    return countersign(await signStatement(statement, signers, this.nowMs), this.#as(after?.atMs));
  }

  async revocation(link: Link, successor?: Link): Promise<unknown> {
    const named = successor ? { successor: successor.id } : {};
    const statement = { ...heading('key-revocation'), user: this.user, key: link.id, reason: '', ...named };
    return countersign(await signStatement(statement, [{ key: link.key, keyId: link.id }], this.nowMs), this.#as());
  }

  /** The keys of a chain that holds, or why it does not. */
  async prove(entries: readonly Entry[]): Promise<readonly ChainKey[] | string> {
    const proven = await verifyKeyChain(entries, this.user, { keys: this.lookup, now: this.nowMs + 100 * 86_400_000 });
    return proven.ok ? proven.value : `${proven.reason} ${proven.detail}`;
  }

  #as(atMs = this.nowMs) {
    const { serverKey: serverKeyId, server } = this;
    return { serverKey: this.#serverSecret, serverKeyId, server, seq: ++this.#seq, signedAt: printTime(atMs) };
  }
}
