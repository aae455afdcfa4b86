// The feeds of a store whose medium has no index of its own: the places of every copy, feed by feed in order, in memory.
import { boundsOf } from './feeds.ts';
import type { Feed, Page } from './store.ts';

type Placed = { readonly place: string; readonly id: string };

export class FeedIndex {
  readonly #byFeed = new Map<string, string[]>();
  readonly #byCopy = new Map<string, readonly string[]>();

  /** Puts a copy into these places and no other. */
  set(id: string, places: readonly string[]): void {
    const before = this.#byCopy.get(id) ?? [];
    for (const place of before) if (!places.includes(place)) this.#remove(place);
    for (const place of places) if (!before.includes(place)) this.#add(place);
    if (places.length === 0) this.#byCopy.delete(id);
    else this.#byCopy.set(id, places);
  }

  page(feed: Feed, { after, limit = Number.POSITIVE_INFINITY }: Page): Placed[] {
    const places = this.#byFeed.get(feed) ?? [];
    const { from } = boundsOf(feed, after);
    let start = lowest(places, from);
    if (places[start] === from) start++;
    return places.slice(start, start + limit).map((place) => ({ place, id: place.slice(place.lastIndexOf('\u0000') + 1) }));
  }

  #add(place: string): void {
    const feed = feedOf(place);
    const places = this.#byFeed.get(feed);
    if (places) places.splice(lowest(places, place), 0, place);
    else this.#byFeed.set(feed, [place]);
  }

  #remove(place: string): void {
    const feed = feedOf(place);
    const places = this.#byFeed.get(feed) ?? [];
    places.splice(lowest(places, place), 1);
    if (places.length === 0) this.#byFeed.delete(feed);
  }
}

const feedOf = (place: string): string => place.slice(0, place.indexOf('\u0000'));

/** Where the first place stands that is not lower. */
function lowest(places: readonly string[], place: string): number {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((places[middle] as string) < place) from = middle + 1;
    else to = middle;
  }
  return from;
}
