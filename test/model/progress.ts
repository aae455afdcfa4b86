// What the stages of one model test have in common: how far they are, and which one failed. The others end then, so that it is soon told and made
// smaller.

type Share = { readonly name: string; readonly of: number; readonly every: number };

export class Progress {
  readonly #share: Share;
  #failing: number | null = null;
  done = 0;

  /** Says each `every` runs how many of all there were. */
  constructor(share: Share) {
    this.#share = share;
  }

  /** @throws Error for every stage but the one that failed */
  begin(stage: number): void {
    if (this.isOver(stage)) throw new Error('another stage failed');
  }

  isOver(stage: number): boolean {
    return this.#failing !== null && this.#failing !== stage;
  }

  agreed(): void {
    this.done += 1;
    const { every, name, of } = this.#share;
    if (this.done % every === 0) process.stdout.write(`model ${name}: ${this.done} of ${of} runs\n`);
  }

  failed(stage: number, error: unknown): void {
    if (this.#failing !== null) return;
    this.#failing = stage;
    // At once; the rest is told in the end, of the smallest.
    const [why] = String(error).split('\n\n');
    process.stdout.write(`model ${this.#share.name}: ${why}\n`);
  }
}
