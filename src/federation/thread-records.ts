// The record of a thread that came with its copy: which reeds are its parts. Believed only as a certificate of its author and home.
import type { Clock } from '../base/clock.ts';
import { type KeyLookup, verifyCertificate } from '../crypto/statement.ts';
import type { ReedId } from '../wire/address.ts';
import type { ThreadRecords } from './fold-ports.ts';

export class VerifiedRecords implements ThreadRecords {
  readonly #deps: { readonly keys: KeyLookup; readonly clock: Clock };

  constructor(deps: { readonly keys: KeyLookup; readonly clock: Clock }) {
    this.#deps = deps;
  }

  async partsOf(thread: ReedId, record: object): Promise<readonly ReedId[] | null> {
    const { clock, keys } = this.#deps;
    const accepted = await verifyCertificate(record, 'thread', { keys, now: clock.now() });
    if (!accepted.ok) return null;
    const { id, reeds } = accepted.value.certificate.statement;
    return id === thread ? reeds : null;
  }
}
