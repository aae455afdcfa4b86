// Calls between the bench and its child processes: one message for a call, one for its answer, over the channel that `fork` opens.
// A child that ends, or whose bench ends, is never left waiting.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** What a child process can do, by name. */
export type Api = Record<string, (argument: never) => unknown>;
type Question = { readonly id: number; readonly name: string; readonly argument: unknown };
type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };

type Argument<Method> = Method extends (argument: infer A) => unknown ? A : never;
type Outcome<Method> = Method extends (argument: never) => infer R ? Awaited<R> : never;

/** Serves calls in a child until the bench goes away; then `end` runs and the process exits. */
export const serveCalls = (api: Api, end: () => Promise<void>): void => {
  process.on('message', async ({ id, name, argument }: Question) => {
    let answer: Answer;
    try {
      answer = { id, value: await api[name]?.(argument as never) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    if (process.connected) process.send?.(answer);
  });
  // Ctrl-C, or whoever ends the bench, reaches the whole group: its children go when it is gone, and clear up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => {
    void end().finally(() => process.exit(0));
  });
  process.send?.({ id: 0 });
};

export class Child<T extends Api> {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  private constructor(child: ChildProcess, name: string) {
    this.#process = child;
    this.pid = child.pid ?? 0;
    child.on('message', ({ id, value, error }: Answer) => {
      const waiter = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiter?.resolve(value);
      else waiter?.reject(new Error(`${name}: ${error}`));
    });
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        for (const waiter of this.#waiting.values()) waiter.reject(new Error(`${name} ended (${signal ?? code})`));
        resolve();
      });
    });
  }

  /** Starts `test/bench/<script>` and waits until it serves calls. */
  static async start<T extends Api>(script: string, execArgv: readonly string[] = []): Promise<Child<T>> {
    const options = {
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'] as const,
      serialization: 'advanced' as const,
    };
    const child = fork(join(import.meta.dirname, script), [], { ...options, stdio: [...options.stdio] });
    const started = new Child<T>(child, script);
    const ready = Promise.withResolvers<unknown>();
    started.#waiting.set(0, ready);
    await ready.promise;
    return started;
  }

  /** @throws what the call threw in the child, or that the child ended */
  async call<K extends keyof T & string>(name: K, argument: Argument<T[K]>): Promise<Outcome<T[K]>> {
    this.#calls += 1;
    const waiter = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#calls, waiter);
    this.#process.send({ id: this.#calls, name, argument } satisfies Question);
    return (await waiter.promise) as Outcome<T[K]>;
  }

  /** Lets the child clear up and end. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.ended;
  }
}
