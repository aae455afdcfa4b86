// Fetches from its home the certificate of a reed or thread that this server was never told of, since it is of before the peering. What comes back is
// verified as a stream's items are before it is kept; it is announced to nobody.
import { AppError } from '../base/errors.ts';
import type { AcceptedCertificate } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { ForeignPersons } from '../identity/foreign.ts';
import type { ForeignReeds } from '../reeds/foreign.ts';
import { type ReedId, serverOf, userOf } from '../wire/address.ts';
import { type CertificateAnswer, decodeCertificateAnswer, encodeAbout } from '../wire/streams.ts';
import type { ItemJudge, Told } from './stream-judge.ts';
import type { Called, PeerCalls } from './stream-ports.ts';

export type LearnReedsDeps = {
  readonly db: Database;
  readonly calls: PeerCalls;
  readonly judge: Pick<ItemJudge, 'accept'>;
  readonly reeds: Pick<ForeignReeds, 'fetch' | 'remove'>;
  readonly foreign: Pick<ForeignPersons, 'removeAccount'>;
  readonly told: Pick<Told, 'removed' | 'accountRemoved'>;
};

const OK = 200;
const GONE = 410;

export class LearnReeds {
  readonly #deps: LearnReedsDeps;

  constructor(deps: LearnReedsDeps) {
    this.#deps = deps;
  }

  /** @returns whether it is here now. @throws AppError REMOVED with the certificate */
  learn(id: ReedId): Promise<boolean> {
    return this.#ask(id, false);
  }

  /** isHead: a part named it as its thread's; it is no part of yet another one, or its home would send us from one to the next without an end. */
  async #ask(id: ReedId, isHead: boolean): Promise<boolean> {
    const called = await this.#deps.calls.call(serverOf(id), 'certificate', encodeAbout(id));
    if (called.kind !== 'answer') return false;
    if (called.status === GONE) return this.#removed(id, called);
    const answer = called.status === OK ? decodeCertificateAnswer(called.body) : null;
    if (!answer?.ok) return false;
    if (answer.value.parts.length > 0) return this.#thread(id, answer.value);
    return !isHead && this.#reed(id, answer.value.certificate);
  }

  async #reed(id: ReedId, certificate: object): Promise<boolean> {
    const accepted = await this.#deps.judge.accept(userOf(id), certificate, 'reed');
    if (!accepted.ok || accepted.value.certificate.statement.id !== id) return false;
    const { thread } = accepted.value.certificate.statement;
    // A part comes with its thread, whose head names them all.
    if (thread !== undefined) return thread.head !== id && userOf(thread.head) === userOf(id) && this.#ask(thread.head, true);
    return this.#keep([accepted.value], null);
  }

  async #thread(id: ReedId, { certificate, parts }: CertificateAnswer): Promise<boolean> {
    const { judge } = this.#deps;
    const record = await judge.accept(userOf(id), certificate, 'thread');
    if (!record.ok || record.value.certificate.statement.id !== id) return false;
    if (record.value.certificate.statement.reeds.length !== parts.length) return false;
    const accepted: AcceptedCertificate<'reed'>[] = [];
    for (const part of parts) {
      const reed = await judge.accept(userOf(id), part, 'reed');
      if (!reed.ok) return false;
      accepted.push(reed.value);
    }
    return this.#keep(accepted, record.value);
  }

  async #keep(reeds: readonly AcceptedCertificate<'reed'>[], record: AcceptedCertificate<'thread'> | null): Promise<boolean> {
    const { db, reeds: foreign } = this.#deps;
    return (await db.transaction((tx) => foreign.fetch(tx, { reeds, record, broadcast: false }))).ok;
  }

  async #removed(id: ReedId, { refusal }: Extract<Called, { kind: 'answer' }>): Promise<false> {
    const { db, foreign, judge, reeds, told } = this.#deps;
    const { certificate } = refusal ?? {};
    const gone = { certificate: certificate ?? {} };
    for (const kind of ['reed-removal', 'thread-removal'] as const) {
      const removal = await judge.accept(userOf(id), certificate, kind);
      if (!removal.ok || removal.value.certificate.statement.id !== id) continue;
      const taken = await db.transaction((tx) => reeds.remove(tx, { removal: removal.value, record: null, isFetched: true }));
      if (taken.ok && taken.value === 'accepted') told.removed(kind, id);
      throw new AppError('REMOVED', 'removed by its author', gone);
    }
    const account = await judge.accept(userOf(id), certificate, 'account-removal');
    if (!account.ok) return false;
    if (await db.transaction((tx) => foreign.removeAccount(tx, account.value))) told.accountRemoved(userOf(id));
    throw new AppError('REMOVED', 'the account was removed', gone);
  }
}
