// The crowd of the border scenario: many light members of one server who all ask for the same few reeds of the other, whose author is light, too.
// Who was cut off comes back and asks for what is still missing.
import pg from 'pg';
import type { ReedId } from '../../wire/address.ts';
import { LightReader, type Run, writeAccounts, writeKnown, writeReeds, writeSessions } from './light.ts';

/** A server of either side. */
export type CrowdHome = {
  readonly id: string;
  readonly url: string;
  /** Calls `work` with the address of its database. */
  withDatabase<T>(work: (url: string) => Promise<T>): Promise<T>;
};

export type CrowdSizes = { readonly readers: number; readonly reeds: number };

const AT_ONCE = 50;

const inDatabase = <T>(server: CrowdHome, work: (run: Run) => Promise<T>): Promise<T> =>
  server.withDatabase(async (url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work((text, values) => client.query(text, [...values]));
    } finally {
      await client.end();
    }
  });

export class BorderCrowd implements Disposable {
  readonly #asking: CrowdHome;
  readonly #author: LightReader;
  readonly #readers: readonly LightReader[];
  readonly reeds: readonly ReedId[];

  private constructor(asking: CrowdHome, author: LightReader, of: { readers: LightReader[]; reeds: ReedId[] }) {
    this.#asking = asking;
    this.#author = author;
    this.#readers = of.readers;
    this.reeds = of.reeds;
  }

  /** Writes everybody into the databases. Nobody is connected yet but the author, who is at `home`. */
  static async gather(home: CrowdHome, asking: CrowdHome, { readers, reeds }: CrowdSizes): Promise<BorderCrowd> {
    const [known, author, written] = await inDatabase(asking, (there) =>
      inDatabase(home, async (here) => {
        const accounts = await writeAccounts(there, asking.id, readers);
        await writeKnown(here, there, accounts);
        const [writer] = await writeAccounts(here, home.id, 1);
        if (writer === undefined) throw new Error('the crowd has no author');
        return [accounts, writer, await writeReeds(here, writer.userId, reeds)] as const;
      }),
    );
    const crowd = new BorderCrowd(asking, new LightReader(author), {
      readers: known.map((account) => new LightReader(account)),
      reeds: written,
    });
    await crowd.#author.connect(home.url);
    return crowd;
  }

  get wanted(): number {
    return this.#readers.length * this.reeds.length;
  }

  /** Reeds that have come, of each reader. */
  get got(): number {
    return this.#readers.reduce((sum, { has }) => sum + has.size, 0);
  }

  async connect(): Promise<void> {
    const left = [...this.#readers];
    const lane = async (): Promise<void> => {
      for (let reader = left.pop(); reader !== undefined; reader = left.pop()) await reader.connect(this.#asking.url);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }

  /** Signs in again after the server was gone. */
  async reconnect(): Promise<void> {
    const accounts = this.#readers.map(({ account }) => account);
    await inDatabase(this.#asking, (run) => writeSessions(run, accounts));
    await this.connect();
  }

  /** Everybody asks for everything that they do not have, in the same order. */
  ask(): void {
    for (const reed of this.reeds) for (const reader of this.#readers) if (!reader.has.has(reed)) reader.ask(reed);
  }

  [Symbol.dispose](): void {
    for (const reader of [this.#author, ...this.#readers]) reader.close();
  }
}
