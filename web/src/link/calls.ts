// A page's side of the channel: asks acts of whichever tab's worker leads, and survives a change of leader.
// A call the old leader had not taken is sent again; one it had taken is sent again only if repeating it is harmless. What the old one
// answered is taken to be old: it may have ended before it told what an act of its changed.
import { base64url, cryptoRandom } from '../../../src/base/ids.ts';
import {
  type ActFailure,
  type ActName,
  type Acts,
  CHANNEL_NAME,
  type PageMessage,
  REPEATABLE,
  type Status,
  type WorkerMessage,
} from './protocol.ts';

const CALL_ID_BYTES = 16;

/** Why an act was not done; `code` is one of the server's error codes or one of the app's own words. */
export class ActError extends Error {
  override readonly name = 'ActError';
  readonly code: string;
  readonly detail: string;

  constructor(failure: ActFailure) {
    super(`${failure.code}: ${failure.detail}`);
    this.code = failure.code;
    this.detail = failure.detail;
  }
}

type OpenCall = {
  readonly act: ActName;
  readonly input: unknown;
  taken: boolean;
  resolve(value: unknown): void;
  reject(error: ActError): void;
  progress(value: unknown): void;
};

export type AskOptions<K extends ActName> = {
  readonly onProgress?: (progress: Acts[K]['progress']) => void;
  readonly signal?: AbortSignal;
};

export class Calls {
  readonly #channel = new BroadcastChannel(CHANNEL_NAME);
  readonly #open = new Map<string, OpenCall>();
  readonly #onStatus: (status: Status) => void;
  readonly #onChanged: (own: boolean) => void;
  #wasAnswered = false;

  constructor(onStatus: (status: Status) => void, onChanged: (own: boolean) => void) {
    this.#onStatus = onStatus;
    this.#onChanged = onChanged;
    this.#channel.onmessage = (event: MessageEvent<WorkerMessage | PageMessage>) => {
      if (event.data.to === 'pages') this.#hear(event.data);
    };
  }

  /** Asks for one act. Rejects with ActError; with code `cancelled` after `signal` aborts. */
  ask<K extends ActName>(act: K, input: Acts[K]['input'], options: AskOptions<K> = {}): Promise<Acts[K]['output']> {
    const call = base64url(cryptoRandom(CALL_ID_BYTES));
    return new Promise((resolve, reject) => {
      this.#open.set(call, {
        act,
        input,
        taken: false,
        resolve: (value) => resolve(value as Acts[K]['output']),
        reject,
        progress: (value) => options.onProgress?.(value as Acts[K]['progress']),
      });
      options.signal?.addEventListener('abort', () => this.#cancel(call), { once: true });
      this.#send({ to: 'worker', kind: 'call', call, act, input });
    });
  }

  /** The page is put away: what it watches is let go of, and taken up again by `resume`. */
  pause(): void {
    for (const [call, { act }] of this.#open) if (act === 'watch') this.#send({ to: 'worker', kind: 'cancel', call });
  }

  resume(): void {
    for (const [call, { act, input }] of this.#open) if (act === 'watch') this.#send({ to: 'worker', kind: 'call', call, act, input });
  }

  /** Hears and answers nothing any more; calls still open stay so. */
  close(): void {
    this.#channel.close();
  }

  #send(message: PageMessage): void {
    this.#channel.postMessage(message);
  }

  #cancel(call: string): void {
    const open = this.#open.get(call);
    if (!open) return;
    this.#open.delete(call);
    this.#send({ to: 'worker', kind: 'cancel', call });
    open.reject(new ActError({ code: 'cancelled', detail: '' }));
  }

  #hear(message: WorkerMessage): void {
    if (message.kind === 'status') this.#onStatus(message.status);
    else if (message.kind === 'changed') this.#onChanged(message.own);
    else if (message.kind === 'leader') this.#leaderChanged();
    else this.#hearAnswer(message);
  }

  #hearAnswer(message: Extract<WorkerMessage, { readonly call: string }>): void {
    const open = this.#open.get(message.call);
    if (!open) return;
    this.#wasAnswered = true;
    if (message.kind === 'taken') open.taken = true;
    else if (message.kind === 'progress') open.progress(message.progress);
    else if (open.act === 'watch' && message.kind === 'result') return;
    else {
      this.#open.delete(message.call);
      if (message.kind === 'result') open.resolve(message.value);
      else open.reject(new ActError(message.failure));
    }
  }

  #leaderChanged(): void {
    for (const [call, open] of this.#open) {
      if (open.taken && !REPEATABLE.has(open.act)) {
        this.#open.delete(call);
        open.reject(new ActError({ code: 'INTERRUPTED', detail: 'The tab that was doing this was closed.' }));
        continue;
      }
      open.taken = false;
      this.#send({ to: 'worker', kind: 'call', call, act: open.act, input: open.input });
    }
    if (this.#wasAnswered) this.#onChanged(true);
    this.#wasAnswered = false;
  }
}
