// Where other servers stand, for pages that show something of them. Nobody is told when one is back: while one that matters is away, it is asked.
import { type Elsewhere, elsewhere } from '../text/servers.ts';
import { session } from './session.svelte.ts';

const EVERY_MS = 10_000;

/** The server of somebody or of a reed, if it is another than one's own. */
export const elsewhereOf = (id: string): Elsewhere | null => elsewhere(id, session.status);

/** Asks at once, then for as long as it is needed and somebody looks. To be made while a component begins. */
export function askForPeers(isNeeded: () => boolean): void {
  const ask = (): void => void session.calls.ask('peers', null).catch(() => undefined);
  const isOnline = $derived(session.status.phase === 'online');
  const again = $derived(isOnline && isNeeded());
  $effect(() => {
    if (isOnline) ask();
  });
  $effect(() => {
    if (!again) return;
    const timer = setInterval(() => document.hidden || ask(), EVERY_MS);
    return () => clearInterval(timer);
  });
}
