// One tab of the profile leads: it holds the lock and with it the only worker, key ring and socket. When it closes, the
// browser gives the lock to the next tab, whose worker takes over. The trusted-types policy lets exactly the worker's URL through.
import workerUrl from '../worker/main.ts?worker&url';
import { LEADER_LOCK } from './protocol.ts';

type ScriptUrlPolicy = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): ScriptUrlPolicy };

const onlyTheWorker = (url: string): string => {
  if (url !== workerUrl) throw new TypeError('The app starts no script but its own worker.');
  return url;
};

const scriptUrl = (): string => {
  const factory = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const policy = factory?.createPolicy('reedbed', { createScriptURL: onlyTheWorker });
  return policy ? policy.createScriptURL(workerUrl) : onlyTheWorker(workerUrl);
};

const untilTheTabIsGone = new Promise<never>(() => undefined);

/** Waits to lead and then leads until the tab is gone. `onFailure` hears a worker that could not be started. */
export function lead(onFailure: (detail: string) => void): void {
  void navigator.locks.request(LEADER_LOCK, () => {
    const worker = new Worker(scriptUrl(), { type: 'module', name: 'reedbed' });
    worker.onerror = (event) => onFailure(event.message || 'The worker could not be loaded.');
    return untilTheTabIsGone;
  });
}
