// A part of a storm in a process of its own: a process may have only so many open files.
import { serveCalls } from '../bench/calls.ts';
import type { LightBehaviour } from './light-member.ts';
import { type Entry, type Person, Storm } from './storm.ts';

let storm = new Storm('', []);

const api = {
  begin: ({ url, people }: { readonly url: string; readonly people: readonly Person[] }): void => {
    storm = new Storm(url, people);
  },
  come: ({ behaviour, together }: { readonly behaviour: Partial<LightBehaviour>; readonly together?: number }): Promise<Entry> =>
    storm.come(behaviour, together),
  ask: (_: null): Promise<number> => storm.ask(),
  cut: (_: null): Promise<void> => storm.cut(),
  served: (_: null): Promise<number> => storm.served(),
};
export type StormApi = typeof api;

serveCalls(api, async () => undefined);
