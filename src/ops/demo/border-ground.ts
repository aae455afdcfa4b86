// What the border scenario plays on: a temporary folder with two whole servers, and what is on the wire between them. Made in steps while it is played,
// and gone after close(), whenever that comes.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CopyCount } from './copy-count.ts';
import { Served } from './served.ts';

export class BorderGround {
  readonly copies = new CopyCount();
  /** Empty before `open`. */
  folder = '';
  readonly #owned = new AsyncDisposableStack();
  #opening: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Makes the servers, without starting them. Once. */
  open(): Promise<{ readonly a: Served; readonly b: Served }> {
    const opening = this.#open();
    this.#opening = opening.catch(() => undefined);
    return opening;
  }

  async #open() {
    const folder = await mkdtemp(join(tmpdir(), 'reedbed-demo-'));
    this.folder = folder;
    this.#owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
    // Run by root, Postgres is another user's and has to pass.
    await chmod(folder, 0o711);
    return { a: await this.#server('A', folder), b: await this.#server('B', folder) };
  }

  async #server(name: string, folder: string): Promise<Served> {
    const served = await Served.prepare(name, folder, this.copies);
    this.#owned.defer(() => served.close());
    return served;
  }

  /** Ends everything and removes the folder. May be called more than once. */
  close(): Promise<void> {
    this.#closing ??= this.#opening.then(() => this.#owned.disposeAsync());
    return this.#closing;
  }
}
