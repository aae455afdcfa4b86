// Something that is watched as long as a component shows it: the community stream, a pipe, a profile, or a reed with its counts.
import type { StatsView, WatchWish } from '../link/community.ts';
import { session } from './session.svelte.ts';

/** Of the 50 things that the server lets a member watch, so many at most are reeds in lists. */
const LISTED_MAX = 30;
let listed = 0;

export class Watched {
  stats = $state.raw<StatsView | null>(null);
  /** Whether what comes of it comes here now: only whoever has asked for what they missed is told what is new. */
  readonly isLive = $derived.by(() => this.#began && this.refused === '' && !['away', 'held-back'].includes(session.status.sync.state));
  #began = $state(false);
  /** Why it is not watched; empty if it is. */
  refused = $state('');

  /** To be made while a component begins. `isListed`: one of many, so that it may do without. */
  constructor(wish: () => WatchWish, { isListed = false }: { readonly isListed?: boolean } = {}) {
    $effect(() => {
      if (isListed && listed >= LISTED_MAX) return undefined;
      if (isListed) listed++;
      const stop = this.#watch(wish());
      return () => {
        if (isListed) listed--;
        stop();
      };
    });
  }

  #watch(wish: WatchWish): () => void {
    const end = new AbortController();
    session.calls
      .ask('watch', wish, {
        signal: end.signal,
        onProgress: ({ stats, refused = '' }) => {
          this.#began = true;
          if (stats) this.stats = stats;
          this.refused = refused;
        },
      })
      .catch(() => undefined);
    return () => end.abort();
  }
}
