// The body of a signed request: hashed while it is read, never beyond its leg's limit, and given on only if it is what was signed.
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { matchesDigest } from './digest.ts';

/** A body in pieces. Leaving it early must not end the connection, over which the answer has to go; who begins again gets what is left. */
export type Pieces = AsyncIterable<Uint8Array>;

export type BodyRules = {
  readonly limitBytes: number;
  /** The `content-digest` field. */
  readonly digest: string;
  readonly spend: (bytes: number) => void;
};

/** A body that is read at most once, by whoever comes first to need it. */
export class SignedBody {
  readonly #pieces: Pieces;
  /** Everything that was sent has been taken from the connection. */
  isRead = false;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  /** @throws AppError TOO_LARGE; BAD_REQUEST for a body that broke off, or another than was signed */
  async read({ limitBytes, digest, spend }: BodyRules): Promise<Uint8Array> {
    const hash = createHash('sha256');
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#upTo(limitBytes)) {
      spend(chunk.length);
      hash.update(chunk);
      chunks.push(chunk);
    }
    if (!this.isRead) throw new AppError('TOO_LARGE', `at most ${limitBytes} bytes`);
    if (!matchesDigest(hash.digest(), digest)) throw new AppError('BAD_REQUEST', 'the body is not the one of content-digest');
    return Buffer.concat(chunks);
  }

  /** Takes what a refused caller still sends, as far as a taken one could send, so that it reads its answer. */
  async drain(limitBytes: number, spend: (bytes: number) => void): Promise<void> {
    try {
      for await (const chunk of this.#upTo(limitBytes)) spend(chunk.length);
    } catch {
      // Broken off: there is nobody to answer.
    }
  }

  /** Ends without `isRead` at the piece that goes over the limit. */
  async *#upTo(limitBytes: number): AsyncGenerator<Uint8Array> {
    let length = 0;
    try {
      for await (const chunk of this.#pieces) {
        length += chunk.length;
        if (length > limitBytes) return;
        yield chunk;
      }
    } catch (error) {
      throw new AppError('BAD_REQUEST', 'the body broke off', { cause: error });
    }
    this.isRead = true;
  }
}
