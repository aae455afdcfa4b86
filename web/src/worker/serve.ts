// Answers the pages' calls: one act each, its progress and its end go back under the call's id. A call heard twice is done once: a page sends
// what it asked before it heard of this leader once more.
import { type ActFailure, type ActName, type Acts, CHANNEL_NAME, type PageMessage, type WorkerMessage } from '../link/protocol.ts';

export type ActContext<K extends ActName> = {
  readonly signal: AbortSignal;
  progress(now: Acts[K]['progress']): void;
};

export type ActTable = { readonly [K in ActName]: (input: Acts[K]['input'], context: ActContext<K>) => Promise<Acts[K]['output']> };

type AnyAct = (input: unknown, context: { signal: AbortSignal; progress(now: unknown): void }) => Promise<unknown>;

/** Calls that are done, for as long as a page may take to hear of it. */
const REMEMBERED = 1_000;

/** What a page may know of an error: a code and words, never a stack. */
function failureOf(error: unknown): ActFailure {
  if (error instanceof Error) {
    const { code, outcome, detail } = error as { code?: unknown; outcome?: unknown; detail?: unknown };
    const word = typeof outcome === 'string' ? outcome : typeof code === 'string' ? code : 'FAILED';
    return { code: word, detail: typeof detail === 'string' ? detail : error.message };
  }
  return { code: 'FAILED', detail: 'It did not work.' };
}

export type Service = {
  /** Tells all pages something. */
  tell(message: WorkerMessage): void;
  /** Hears no call any more; running ones are told to stop. */
  close(): void;
};

/** Says that there is a new leader and starts answering. */
export function serveActs(acts: ActTable): Service {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  const running = new Map<string, AbortController>();
  const done = new Set<string>();
  const tell = (message: WorkerMessage): void => channel.postMessage(message);

  const remember = (call: string): void => {
    const [oldest] = done.size >= REMEMBERED ? done : [];
    if (oldest !== undefined) done.delete(oldest);
    done.add(call);
  };

  const run = async (call: string, act: ActName, input: unknown): Promise<void> => {
    const abort = new AbortController();
    running.set(call, abort);
    tell({ to: 'pages', kind: 'taken', call });
    try {
      const progress = (now: unknown): void => tell({ to: 'pages', kind: 'progress', call, progress: now });
      const value = await (acts[act] as AnyAct)(input, { signal: abort.signal, progress });
      tell({ to: 'pages', kind: 'result', call, value });
    } catch (error) {
      tell({ to: 'pages', kind: 'failure', call, failure: failureOf(error) });
    } finally {
      running.delete(call);
      // What was called off may be called for again.
      if (!abort.signal.aborted) remember(call);
    }
  };

  channel.onmessage = (event: MessageEvent<PageMessage | WorkerMessage>) => {
    const message = event.data;
    if (message.to !== 'worker') return;
    if (message.kind === 'cancel') running.get(message.call)?.abort();
    else if (!running.has(message.call) && !done.has(message.call) && Object.hasOwn(acts, message.act))
      void run(message.call, message.act, message.input);
  };
  tell({ to: 'pages', kind: 'leader' });
  return {
    tell,
    close: () => {
      channel.close();
      for (const abort of running.values()) abort.abort();
    },
  };
}
