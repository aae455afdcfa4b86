// What the members of a scenario asked for and got, counted at their own side, and how long it took them.
import type { Member } from '../../client/member.ts';

export class Tally {
  requested = 0;
  /** Requests that ended with a verified copy whose text is the author's. */
  delivered = 0;
  invalid = 0;
  readonly #tookMs: number[] = [];
  /** By member: copies that the server confirmed. */
  readonly #confirmed = new Map<number, number>();
  readonly #delivered = new Map<number, number>();
  readonly #waiting = new Set<{ readonly holds: () => boolean; readonly done: () => void }>();

  /** Counts what this member's software says from now on. */
  follow(member: Member, who: number): void {
    member.subscribe((event) => {
      if (event.type === 'invalid') this.invalid += 1;
      if (event.type === 'copy' && event.state === 'held') this.#confirmed.set(who, (this.#confirmed.get(who) ?? 0) + 1);
      this.#look();
    });
  }

  arrived(who: number, tookMs: number): void {
    this.delivered += 1;
    this.#delivered.set(who, this.deliveredTo(who) + 1);
    this.#tookMs.push(tookMs);
    this.#look();
  }

  deliveredTo(who: number): number {
    return this.#delivered.get(who) ?? 0;
  }

  /** Copies whose acknowledgement the server has confirmed. */
  get acked(): number {
    return [...this.#confirmed.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Whether the server has confirmed every copy that came to one of these. */
  isConfirmed(members: readonly number[]): boolean {
    return members.every((who) => (this.#confirmed.get(who) ?? 0) >= this.deliveredTo(who));
  }

  /** Resolves when `holds` does; it is looked at whenever something was counted. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((done) => {
      this.#waiting.add({ holds, done });
      this.#look();
    });
  }

  /** The least time in which `share` of the copies had come, in whole milliseconds; null if none came. */
  percentileMs(share: number): number | null {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    const at = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return at === undefined ? null : Math.round(at);
  }

  #look(): void {
    for (const entry of this.#waiting) {
      if (!entry.holds()) continue;
      this.#waiting.delete(entry);
      entry.done();
    }
  }
}
