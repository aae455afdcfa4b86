// Takes up keys of this server that a command has made while the server runs.
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerIdentity } from './server-identity.ts';

export type KeyReadingDeps = {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'serverKeysReadEveryMs'>;
  readonly log: { warn(message: string): void };
};

export function readKeysAgain({ clock, limits, log }: KeyReadingDeps, server: ServerIdentity): { close(): void } {
  let timer: Timer | null = null;
  let isClosed = false;
  const again = (): void => {
    timer = clock.after(limits.serverKeysReadEveryMs, () => {
      server
        .reload()
        .then(() => server.document())
        .catch(() => log.warn("the server's keys could not be read again"))
        .finally(() => isClosed || again());
    });
  };
  again();
  return {
    close: () => {
      isClosed = true;
      timer?.cancel();
    },
  };
}
