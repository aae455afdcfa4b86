// Carries one act to the server and gives back its certificate. Repeating it is harmless: the server answers the first certificate.
import { AppError } from '../base/errors.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import type { Certificate, Signed } from '../wire/canonical.ts';
import { type ActStatement, actPath, actStatement, type By, isRemoval, isThatAct } from './acts.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyDirectory } from './keys.ts';
import type { ServerTime } from './server-time.ts';
import type { ActRecord } from './store.ts';

export type ActCertificate = Certificate<ActStatement>;

export type ActCarrierDeps = By & {
  readonly api: Api;
  readonly session: TokenSource;
  readonly keys: Pick<KeyDirectory, 'context'>;
  readonly keyRing: KeyRing;
  readonly time: ServerTime;
};

export class ActCarrier {
  readonly #deps: ActCarrierDeps;

  constructor(deps: ActCarrierDeps) {
    this.#deps = deps;
  }

  sign(act: ActRecord['act'], target: ActRecord['target'], atMs: number): Promise<Signed<ActStatement>> {
    const { keyRing, time } = this.#deps;
    return keyRing.sign(actStatement(act, target, { ...this.#deps, atMs }), time.now());
  }

  /** @throws AppError */
  async carry(record: ActRecord): Promise<ActCertificate> {
    const written = record.signed as Signed<ActStatement>;
    try {
      return await this.#send(record, written);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Taken back before, by another device or an older life of this one.
      if (isRemoval(record.act) && error.code === 'REMOVED' && error.certificate) return this.#accept(record, error.certificate);
      // The key was replaced before the act arrived.
      if (error.code !== 'KEY_REVOKED' || written.statement.key === this.#deps.key) throw error;
      return this.#send(record, await this.sign(record.act, record.target, this.#deps.time.now()));
    }
  }

  async #send(record: ActRecord, body: Signed<ActStatement>): Promise<ActCertificate> {
    const { api, session } = this.#deps;
    const answer = await api.call(actPath(record.act, record.target), { method: 'POST', body, session });
    return this.#accept(record, (answer as { certificate?: unknown }).certificate);
  }

  async #accept(record: ActRecord, value: unknown): Promise<ActCertificate> {
    const accepted = await verifyCertificate(value, record.act, this.#deps.keys.context);
    const certificate = accepted.ok ? (accepted.value.certificate as ActCertificate) : null;
    // Not a refusal: the server may be right the next time, so the act stays in the outbox.
    if (!certificate || !isThatAct(certificate.statement, record))
      throw new AppError('UNAVAILABLE', "the server's certificate does not hold");
    return certificate;
  }
}
