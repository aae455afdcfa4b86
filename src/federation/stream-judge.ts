// What an item of a stream is, before anything of it is stored: each certificate verified under keys on its author's chain and the countersignature
// under its home's, all of one author, of the kind that the item says. What then is to be stored is a step of the caller's transaction.
import type { Transaction } from 'kysely';
import type { Result } from '../base/result.ts';
import type { AcceptedCertificate } from '../crypto/statement.ts';
import type { DB } from '../db/types.ts';
import type { ForeignPersons } from '../identity/foreign.ts';
import type { ForeignReeds } from '../reeds/foreign.ts';
import type { RemovalKind } from '../reeds/removal.ts';
import { parseUserKeyId, type ReedId, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import { plainKeys } from '../wire/kinds.ts';
import { checkStatement, type UserStatementType } from '../wire/statements.ts';
import type { StreamItem } from '../wire/streams.ts';
import type { AskForChain } from './stream-ports.ts';

/** What follows the commit of an item. */
export interface Told {
  published(reed: ReedId): void;
  removed(kind: RemovalKind, subject: ReedId): void;
  accountRemoved(user: UserId): void;
}

export type Judged =
  | {
      readonly kind: 'take';
      readonly take: (tx: Transaction<DB>) => Promise<Result<'accepted' | 'known'>>;
      readonly afterCommit: () => void;
    }
  | { readonly kind: 'chain'; readonly entries: readonly object[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string };

export type ItemJudgeDeps = {
  readonly foreign: ForeignPersons;
  readonly reeds: ForeignReeds;
  readonly told: Told;
  readonly askForChain: AskForChain;
};

/** Reasons that time or another message may mend. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['unknown-key', 'unknown-server-key', 'dated-ahead', 'undone', 'too-many-keys']);
export const isOfTheMoment = (reason: string): boolean => OF_THE_MOMENT.has(reason);

const refused = (reason: string, detail = ''): Judged => ({ kind: 'refused', reason, detail });
const KNOWN: Judged = { kind: 'take', take: async () => ({ ok: true, value: 'known' }), afterCommit: () => undefined };

type Of<T extends UserStatementType> = Result<AcceptedCertificate<T>>;

export class ItemJudge {
  readonly #deps: ItemJudgeDeps;

  constructor(deps: ItemJudgeDeps) {
    this.#deps = deps;
  }

  async judge(author: UserId, item: StreamItem): Promise<Judged> {
    const { certificate } = item;
    if (certificate === null) return refused('malformed', 'certificate');
    switch (item.kind) {
      case 'new-reed':
        return this.#publication(author, item, [certificate], null);
      case 'new-thread':
        return this.#publication(author, item, item.parts, certificate);
      case 'reed-removal':
      case 'thread-removal':
        return this.#removal(author, item.kind, item);
      case 'account-removal':
        return this.#accountRemoval(author, certificate);
      case 'key':
      case 'key-revocation':
        return this.#chain(author, item.kind, certificate);
      default:
        return refused('unknown-kind');
    }
  }

  async #publication(author: UserId, item: StreamItem, parts: readonly object[], record: object | null): Promise<Judged> {
    const { reeds, told } = this.#deps;
    const accepted: AcceptedCertificate<'reed'>[] = [];
    for (const part of parts) {
      const reed = await this.accept(author, part, 'reed');
      if (!reed.ok) return refused(reed.reason, reed.detail);
      accepted.push(reed.value);
    }
    const thread = record === null ? null : await this.accept(author, record, 'thread');
    if (thread !== null && !thread.ok) return refused(thread.reason, thread.detail);
    const head = accepted[0]?.certificate.statement.id;
    if (head === undefined) return refused('thread-parts');
    const publication = { reeds: accepted, record: thread?.value ?? null, broadcast: item.broadcast };
    return { kind: 'take', take: (tx) => reeds.publish(tx, publication), afterCommit: () => told.published(head) };
  }

  async #removal(author: UserId, kind: RemovalKind, { certificate, record: given }: StreamItem): Promise<Judged> {
    const { reeds, told } = this.#deps;
    // Void with the key that signed it: that key's end says so already, to us as to its home.
    if (typeOf(certificate) === 'key') {
      const key = await this.accept(author, certificate, 'key');
      return key.ok ? KNOWN : refused(key.reason, key.detail);
    }
    const removal = await this.accept(author, certificate, kind);
    if (!removal.ok) return refused(removal.reason, removal.detail);
    const record = given === null ? null : await this.accept(author, given, 'thread');
    if (record !== null && !record.ok) return refused(record.reason, record.detail);
    const { id } = removal.value.certificate.statement;
    const taken = { removal: removal.value, record: kind === 'thread-removal' ? (record?.value ?? null) : null };
    return { kind: 'take', take: (tx) => reeds.remove(tx, taken), afterCommit: () => told.removed(kind, id) };
  }

  async #accountRemoval(author: UserId, certificate: object): Promise<Judged> {
    const { foreign, told } = this.#deps;
    const removal = await this.accept(author, certificate, 'account-removal');
    if (!removal.ok) return refused(removal.reason, removal.detail);
    return {
      kind: 'take',
      take: async (tx) => ({ ok: true, value: (await foreign.removeAccount(tx, removal.value)) ? 'accepted' : 'known' }),
      afterCommit: () => told.accountRemoved(author),
    };
  }

  /** A key or a revocation is one more of the chain that is known here; of one that is not known, its home is asked for all. */
  async #chain(author: UserId, kind: 'key' | 'key-revocation', certificate: object): Promise<Judged> {
    const { askForChain, foreign } = this.#deps;
    const statement = checkStatement((certificate as { statement?: unknown }).statement, kind);
    if (!statement.ok) return refused(statement.reason, statement.detail);
    const { key, user } = statement.value;
    if (user !== author) return refused('other-author');
    const known = await foreign.chain(author);
    const place = known.findIndex((entry) => keyIn(entry.certificate) === key);
    if (kind === 'key-revocation' && place >= 0) {
      const revoked = known.map((entry, at) =>
        at === place && entry.revocation === undefined ? { ...entry, revocation: certificate } : entry,
      );
      return { kind: 'chain', entries: revoked };
    }
    const { predecessor } = statement.value as { predecessor?: UserKeyId };
    const before = predecessor === undefined ? -1 : known.findIndex((entry) => keyIn(entry.certificate) === predecessor);
    if (kind === 'key' && place >= 0) return { kind: 'chain', entries: known };
    if (kind === 'key' && before >= 0) return { kind: 'chain', entries: [...known.slice(0, before + 1), { certificate }] };
    const asked = await askForChain(key);
    return asked === null ? refused('unknown-key', 'key') : { kind: 'chain', entries: asked };
  }

  /** Accepts a certificate of this author's; a key that is not known is asked for once. */
  async accept<T extends UserStatementType>(author: UserId, value: unknown, type: T): Promise<Of<T>> {
    const { askForChain, foreign } = this.#deps;
    let accepted: Of<T> = await foreign.accept(value, type);
    const key = keyIn(value);
    if (!accepted.ok && accepted.reason === 'unknown-key' && key !== null && userOf(key) === author) {
      const chain = await askForChain(key);
      if (chain === null) return accepted;
      const learned = await foreign.learnChain(author, chain);
      if (!learned.ok) return learned;
      accepted = await foreign.accept(value, type);
    }
    if (!accepted.ok) return accepted;
    const { user } = accepted.value.certificate.countersignature.statement;
    return user === author ? accepted : { ok: false, reason: 'other-author', detail: '' };
  }
}

const statementIn = (value: unknown): Readonly<Record<string, unknown>> | null => {
  if (plainKeys(value)?.includes('statement') !== true) return null;
  const { statement } = value as { statement: unknown };
  return plainKeys(statement) === null ? null : (statement as Record<string, unknown>);
};

/** The key that a certificate which nobody has verified yet names. */
const keyIn = (value: unknown): UserKeyId | null => {
  const key = statementIn(value)?.['key'];
  return typeof key === 'string' ? parseUserKeyId(key) : null;
};

const typeOf = (value: unknown): unknown => statementIn(value)?.['type'];
