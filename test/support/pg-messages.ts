// What of the Postgres wire protocol a proxy has to understand: where messages begin and end, and which statement a client's message is about.
// Reads only; bytes are passed on as they came.

/** A whole message with its bytes; `type` is '' for the first of a client, which has none (startup, cancel). */
export type PgMessage = { readonly type: string; readonly bytes: Buffer };

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into messages; what is not whole yet waits. */
export class PgMessages {
  #rest: Buffer = Buffer.alloc(0);
  #untyped: boolean;

  constructor(from: 'client' | 'server') {
    this.#untyped = from === 'client';
  }

  take(chunk: Buffer): PgMessage[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: PgMessage[] = [];
    for (;;) {
      const typeBytes = this.#untyped ? 0 : 1;
      if (this.#rest.length < typeBytes + LENGTH_BYTES) return messages;
      const size = typeBytes + this.#rest.readUInt32BE(typeBytes);
      if (this.#rest.length < size) return messages;
      const type = typeBytes === 0 ? '' : String.fromCharCode(this.#rest[0] ?? 0);
      messages.push({ type, bytes: this.#rest.subarray(0, size) });
      this.#rest = this.#rest.subarray(size);
      this.#untyped = false;
    }
  }
}

const text = (bytes: Buffer, from: number): { readonly value: string; readonly end: number } => {
  const end = bytes.indexOf(0, from);
  return { value: bytes.toString('utf8', from, end), end: end + 1 };
};

/** Knows a client's prepared statements, so that what it binds has a name and a text. */
export class PgStatements {
  readonly #texts = new Map<string, string>();

  /** The statement that a client's message carries out: `name text`; null for one that carries out none. */
  of({ type, bytes }: PgMessage): string | null {
    if (type === 'Q') return text(bytes, 5).value;
    if (type === 'P') {
      const name = text(bytes, 5);
      this.#texts.set(name.value, `${name.value} ${text(bytes, name.end).value}`);
    }
    if (type !== 'B') return null;
    const portal = text(bytes, 5);
    return this.#texts.get(text(bytes, portal.end).value) ?? null;
  }
}
