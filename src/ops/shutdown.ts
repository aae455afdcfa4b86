// Ends a server once, in one order, for every reason to end: a signal drains, a second one cuts the drain short, a fault that nobody caught is
// logged and ends with 1. Whatever happens, the last step runs, so that no process is left.
import type { Logger } from 'pino';

export type Stops = {
  /** Stops accepting, drains, gives back. May take a while. */
  readonly drain: () => Promise<void>;
  /** Ends what must not outlive us. Quick; runs after the drain, or instead of the rest of it. */
  readonly last: () => Promise<void>;
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// npm passes a Ctrl-C on to us that the terminal has already sent: two signals this close are one wish.
const SAME_WISH_MS = 500;
const FAULT = 1;

const attempt = async (step: () => Promise<void>, log: Logger): Promise<boolean> => {
  try {
    await step();
    return true;
  } catch (err) {
    log.error({ err }, 'a step of the shutdown failed');
    return false;
  }
};

const within = async (limitMs: number, work: Promise<boolean>, log: Logger): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      log.error('the drain took too long');
      resolve(false);
    }, limitMs);
  });
  const outcome = await Promise.race([work, late]);
  clearTimeout(timer);
  return outcome;
};

/** Installs the handlers. @param drainMs after which the drain is given up. @returns a promise of the exit code. */
export const untilStopped = (stops: Stops, log: Logger, drainMs: number): Promise<number> =>
  new Promise((resolve) => {
    let firstAt: number | null = null;
    let isLast = false;
    const finish = async (code: number): Promise<void> => {
      if (isLast) return;
      isLast = true;
      const isDone = await attempt(stops.last, log);
      resolve(isDone ? code : FAULT);
    };
    const onSignal = (signal: string): void => {
      const now = performance.now();
      if (firstAt === null) {
        firstAt = now;
        log.info({ signal }, 'draining; a second signal stops at once');
        void within(drainMs, attempt(stops.drain, log), log).then((isDone) => finish(isDone ? 0 : FAULT));
      } else if (now - firstAt > SAME_WISH_MS) {
        log.warn('stopping at once');
        void finish(FAULT);
      }
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
    process.on('uncaughtException', (err) => {
      log.fatal({ err }, 'a fault that nobody caught');
      void finish(FAULT);
    });
  });
