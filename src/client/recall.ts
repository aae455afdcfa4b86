// What a new device lacks: the server's list of what this member has is compared with what is here. Own reeds and those of followed and kept
// authors are asked back, a few at a time and threads whole; of the rest the server is told that it is not here. What is left to ask for is in the
// store, so that it goes on after any stop.
import type { Timer } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { Slots } from '../base/slots.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import type { Evictions } from './evictions.ts';
import type { Lists } from './lists.ts';
import type { ServerTime } from './server-time.ts';
import type { Change, RecallRecord, Store } from './store.ts';
import { type Emit, type RecallProgress, RequestFailure, type RequestOutcome, type RequestProgress } from './types.ts';
import type { Viewer } from './viewer.ts';

const META = 'recall';
const PAGE = 50;

/** Whoever has it is not there now. */
const AWAY: ReadonlySet<RequestProgress['state']> = new Set(['nobody-online', 'holders-failing', 'peer-away'] as const);
const LOST: ReadonlySet<RequestOutcome> = new Set(['not-found', 'not-held', 'removed', 'blocked', 'invalid'] as const);

export type RecallDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly user: UserId;
  readonly limits: Pick<Limits, 'recallsAtOnce' | 'recallPauseMs' | 'recallAgainMs'>;
  readonly lists: Pick<Lists, 'allocations' | 'ownReeds'>;
  readonly viewer: Pick<Viewer, 'request'>;
  readonly evictions: Pick<Evictions, 'lacking'>;
  /** Whether it is known whom this member follows, asked for now if it was not. */
  relationsKnown(): Promise<boolean>;
  emit: Emit;
};

type Saved = Pick<RecallProgress, 'state' | 'total' | 'here' | 'lost'>;
type Outcome = 'here' | 'lost' | 'later';

export class Recall {
  readonly #deps: RecallDeps;
  #saved: Saved | null = null;
  #later = 0;
  #running: Promise<void> | null = null;
  #again: Timer | null = null;
  #isClosed = false;
  #pausing: Promise<void> = Promise.resolve();

  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /** Null where no device change was ever made good. */
  get progress(): RecallProgress | null {
    return this.#saved && { ...this.#saved, later: this.#later };
  }

  async load(): Promise<void> {
    this.#saved = ((await this.#deps.store.get('meta', META))?.value as Saved | undefined) ?? null;
  }

  /** This device has become the member's, and another one was it before. */
  async begin(): Promise<void> {
    await this.#save({ state: 'listing', total: 0, here: 0, lost: 0 });
  }

  /** A connection is ready, and whom this member follows is known. */
  connected(): void {
    if (!this.#saved || this.#saved.state === 'done' || this.#running || this.#isClosed) return;
    this.#again?.cancel();
    this.#running = this.#run()
      // The next connection goes on, or this one after a while.
      .catch(() => this.#goOnLater())
      .finally(() => {
        this.#running = null;
      });
  }

  close(): void {
    this.#isClosed = true;
    this.#again?.cancel();
  }

  async #run(): Promise<void> {
    if (this.#saved?.state === 'listing') await this.#list();
    await this.#fetchAll();
  }

  async #list(): Promise<void> {
    const { store, lists, evictions, user, relationsKnown } = this.#deps;
    this.#tell();
    // Without knowing whom this member follows, their reeds would be given up instead of asked for.
    if (!(await relationsKnown())) throw new AppError('UNAVAILABLE', 'it is not known yet whom this member follows');
    for await (const page of lists.allocations()) {
      const lacking = await this.#lacking(page);
      const wanted = await this.#wanted(lacking);
      await this.#want(lacking.filter((id) => wanted.has(userOf(id))).map((id) => ({ id })));
      await evictions.lacking(lacking.filter((id) => !wanted.has(userOf(id))));
    }
    // What is on neither this device nor that list may still be with others.
    for await (const page of lists.ownReeds(user)) {
      const lacking = new Set(await this.#lacking(page.map(({ reedId }) => reedId)));
      const heads = page.flatMap(({ reedId, certificate }) =>
        lacking.has(reedId) ? [{ reedId, head: certificate.statement.thread?.head }] : [],
      );
      await this.#want(heads.map(({ reedId, head }): RecallRecord => (head ? { id: head, thread: true } : { id: reedId })));
    }
    const total = (await store.list('recalls')).length;
    await this.#save({ state: 'fetching', total, here: 0, lost: 0 });
  }

  async #lacking(ids: readonly ReedId[]): Promise<ReedId[]> {
    const lacking: ReedId[] = [];
    for (const id of ids) if (!(await this.#deps.store.get('copies', id))) lacking.push(id);
    return lacking;
  }

  /** Of these authors, whose reeds stay here: one's own, and of those who are followed or kept. */
  async #wanted(ids: readonly ReedId[]): Promise<Set<UserId>> {
    const { store, user } = this.#deps;
    const wanted = new Set<UserId>();
    for (const author of new Set(ids.map(userOf))) {
      const isKept = author === user || (await store.get('follows', author)) !== null || (await store.get('marks', author))?.kept === true;
      if (isKept) wanted.add(author);
    }
    return wanted;
  }

  async #want(records: readonly RecallRecord[]): Promise<void> {
    await this.#deps.store.write(records.map((record): Change => ({ put: 'recalls', record })));
  }

  /** One round over what is left; what nobody who is online has comes in the next. */
  async #fetchAll(): Promise<void> {
    const { store, limits } = this.#deps;
    const slots = new Slots(limits.recallsAtOnce);
    this.#later = 0;
    for (let after: string | undefined = ''; after !== undefined && !this.#isClosed; ) {
      const page: RecallRecord[] = await store.list('recalls', { after, limit: PAGE });
      await Promise.all(page.map((record) => slots.run(() => this.#fetch(record))));
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
    }
    if (this.#isClosed) return;
    const left = (await store.list('recalls')).length;
    const counts = this.#counts();
    await this.#save({ ...counts, total: counts.here + counts.lost + left, ...(left === 0 ? { state: 'done' } : {}) });
    // Threads of which a part has come are asked for at once, too.
    if (left > this.#later) return this.#fetchAll();
    if (left > 0) this.#goOnLater();
  }

  #goOnLater(): void {
    const { limits, time } = this.#deps;
    if (!this.#isClosed) this.#again = time.after(limits.recallAgainMs, () => this.connected());
  }

  async #fetch(record: RecallRecord): Promise<void> {
    await this.#pause();
    if (this.#isClosed) return;
    const outcome = await this.#ask(record);
    if (this.#isClosed) return;
    if (outcome === 'later') {
      this.#later++;
      return this.#tell();
    }
    const changes: Change[] = [{ delete: 'recalls', id: record.id }];
    const head = outcome === 'here' && !record.thread ? await this.#headOf(record.id) : undefined;
    // A part alone is no thread: the whole of it is asked for.
    const isMore = head !== undefined && (head === record.id || !(await this.#deps.store.get('recalls', head)));
    if (head) changes.push({ put: 'recalls', record: { id: head, thread: true } });
    await this.#deps.store.write(changes);
    // Read only now: others that were asked for at the same time count as well.
    const counts = this.#counts();
    await this.#save({
      ...counts,
      total: counts.total + (isMore ? 1 : 0),
      here: counts.here + (outcome === 'here' ? 1 : 0),
      lost: counts.lost + (outcome === 'lost' ? 1 : 0),
    });
  }

  async #ask({ id, thread }: RecallRecord): Promise<Outcome> {
    const abort = new AbortController();
    const onProgress = ({ state }: RequestProgress): void => {
      if (AWAY.has(state)) abort.abort();
    };
    try {
      await this.#deps.viewer.request(id, { thread: thread ?? false, onProgress, signal: abort.signal });
      return 'here';
    } catch (error) {
      return error instanceof RequestFailure && LOST.has(error.outcome) ? 'lost' : 'later';
    }
  }

  async #headOf(id: ReedId): Promise<ReedId | undefined> {
    const { store } = this.#deps;
    const head = (await store.get('copies', id))?.certificate.statement.thread?.head;
    return head && !(await store.get('threads', head)) ? head : undefined;
  }

  /** One after the other, so that what people ask for has its share of the budget. */
  #pause(): Promise<void> {
    const { time, limits } = this.#deps;
    this.#pausing = this.#pausing.then(() => new Promise((done) => void time.after(limits.recallPauseMs, done)));
    return this.#pausing;
  }

  #counts(): Saved {
    return this.#saved ?? { state: 'fetching', total: 0, here: 0, lost: 0 };
  }

  async #save(saved: Saved): Promise<void> {
    this.#saved = saved;
    await this.#deps.store.write([{ put: 'meta', record: { id: META, value: saved } }]);
    this.#tell();
  }

  #tell(): void {
    const { progress } = this;
    if (progress) this.#deps.emit({ type: 'recall', ...progress });
  }
}
