// What a home was asked for and did not give: it is not asked for again for a while, whoever asks. The oldest is forgotten.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';

export class NotHad {
  readonly #deps: { readonly clock: Clock; readonly limits: Pick<Limits, 'notHadMs' | 'notHadRemembered'> };
  readonly #until = new Map<string, number>();

  constructor(deps: { readonly clock: Clock; readonly limits: Pick<Limits, 'notHadMs' | 'notHadRemembered'> }) {
    this.#deps = deps;
  }

  has(id: string): boolean {
    return (this.#until.get(id) ?? 0) > this.#deps.clock.now();
  }

  note(id: string): void {
    const { clock, limits } = this.#deps;
    this.#until.delete(id);
    this.#until.set(id, clock.now() + limits.notHadMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > limits.notHadRemembered && oldest !== undefined) this.#until.delete(oldest);
  }
}
