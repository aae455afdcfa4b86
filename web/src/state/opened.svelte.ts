// One reed that a component shows: from this device, else asked for; and from then on as it is here, its removal included.
import { untrack } from 'svelte';
import { ActError } from '../link/calls.ts';
import type { CopyView, StoneView } from '../link/community.ts';
import type { Waiting } from '../link/protocol.ts';
import { session } from './session.svelte.ts';

const SENDING: Waiting = { state: 'sending', onlineHolders: 0, brokenCopies: 0 };

export class Opened {
  copy = $state.raw<CopyView | null>(null);
  stone = $state.raw<StoneView | null>(null);
  waiting = $state.raw<Waiting>(SENDING);
  ended = $state.raw<{ readonly outcome: string; readonly detail: string } | null>(null);
  readonly #reedId: string;
  #stop: AbortController | null = null;

  /** To be made while a component begins. */
  constructor(reedId: string) {
    this.#reedId = reedId;
    $effect(() => {
      if (session.signedIn && !this.#stop) untrack(() => void this.ask());
    });
    $effect(() => {
      void session.changes;
      untrack(() => this.#look());
    });
  }

  get isWaiting(): boolean {
    return this.copy === null && this.stone === null && this.ended === null;
  }

  /** Asks for it, again if it was asked for before. */
  async ask(): Promise<void> {
    this.#stop?.abort();
    const mine = new AbortController();
    this.#stop = mine;
    this.ended = null;
    this.waiting = SENDING;
    const onProgress = (now: Waiting): void => {
      if (this.#stop === mine) this.waiting = now;
    };
    try {
      this.copy = await session.calls.ask('open', { reedId: this.#reedId }, { signal: mine.signal, onProgress });
    } catch (error) {
      if (this.#stop !== mine) return;
      this.ended =
        error instanceof ActError ? { outcome: error.code, detail: error.detail } : { outcome: 'refused', detail: String(error) };
      this.#look();
    }
  }

  stop(): void {
    this.#stop?.abort();
  }

  /** What is here may have become another: confirmed, liked, taken back. */
  #look(): void {
    if (!session.signedIn || this.isWaiting) return;
    session.calls.ask('look', { reedId: this.#reedId }).then(
      ({ copy, stone }) => {
        this.stone = stone;
        if (stone) this.copy = null;
        else if (copy) this.copy = copy;
        else if (this.copy) {
          this.copy = null;
          this.ended = { outcome: 'left', detail: '' };
        }
      },
      () => undefined,
    );
  }
}
