// Calls between tabs: what happens to a page's questions while the tab that answers them comes, goes and is replaced.
import { afterEach, expect, test } from 'vitest';
import { type ActError, Calls } from '../../web/src/link/calls.ts';
import { type ActName, CHANNEL_NAME, type PageMessage, STARTING, type Status, type WorkerMessage } from '../../web/src/link/protocol.ts';
import { type ActTable, type Service, serveActs } from '../../web/src/worker/serve.ts';

const STATUS: Status = { ...STARTING, phase: 'online' };
/** Those that the tests ask for. */
const ACT_NAMES = [
  'server',
  'join',
  'publish',
  'open',
  'copies',
  'giveUp',
  'makeInvite',
  'reconnect',
  'watch',
] as const satisfies ActName[];

const open: { close(): void }[] = [];
const owned = <T extends { close(): void }>(thing: T): T => {
  open.push(thing);
  return thing;
};

afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

const refuse = async (): Promise<never> => {
  throw Object.assign(new Error('no'), { code: 'FORBIDDEN', detail: 'not here' });
};

/** A leading tab's worker that does the given acts and refuses every other. */
const leader = (acts: Partial<ActTable>): Service =>
  owned(serveActs({ ...Object.fromEntries(ACT_NAMES.map((act) => [act, refuse])), status: async () => STATUS, ...acts } as ActTable));

const page = (onStatus: (status: Status) => void = () => undefined): Calls => owned(new Calls(onStatus, () => undefined));

const never = new Promise<never>(() => undefined);

/** A promise and the function that fulfils it. */
const gate = (): { passed: Promise<void>; pass(): void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, pass: resolve };
};

test('a question asked before anyone leads is answered by the first leader', async () => {
  const answer = page().ask('status', null);
  leader({});
  expect(await answer).toEqual(STATUS);
});

test('an answer and its progress reach the page that asked, and only that one', async () => {
  leader({
    restore: async (input, { progress }) => {
      progress({ done: 1, total: 2, label: 'half' });
      return { userId: 'u', username: input.words, server: 's', key: 'k', backedUp: true };
    },
  });
  const [one, other] = [page(), page()];
  const seen: string[] = [];
  const quiet = other.ask('status', null);
  const me = await one.ask('restore', { backup: '', words: 'ada' }, { onProgress: (step) => seen.push(step.label) });
  expect(me.username).toBe('ada');
  expect(seen).toEqual(['half']);
  expect(await quiet).toEqual(STATUS);
});

test('a refusal arrives with its code and words', async () => {
  leader({});
  await expect(page().ask('makeInvite', null)).rejects.toMatchObject({ code: 'FORBIDDEN', detail: 'not here' } satisfies Partial<ActError>);
});

test('a harmless question is asked again of the next leader', async () => {
  const taken = gate();
  const first = leader({
    copies: () => {
      taken.pass();
      return never;
    },
  });
  const answer = page().ask('copies', null);
  await taken.passed;
  first.close();
  leader({ copies: async () => ({ shown: [], more: false }) });
  expect(await answer).toEqual({ shown: [], more: false });
});

test('what may already be done is not done a second time by the next leader', async () => {
  const taken = gate();
  const first = leader({
    publish: () => {
      taken.pass();
      return never;
    },
  });
  const answer = page().ask('publish', { texts: ['once'], broadcast: true });
  await taken.passed;
  first.close();
  let published = 0;
  leader({
    publish: async () => {
      published += 1;
      return { reedId: 'r' };
    },
  });
  await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(published).toBe(0);
});

test('what a leader answered is looked at anew under the next one, which may not know what its acts changed', async () => {
  const first = leader({});
  const told: boolean[] = [];
  const asking = owned(
    new Calls(
      () => undefined,
      (own) => told.push(own),
    ),
  );
  await asking.ask('status', null);
  expect(told).toEqual([]);
  first.close();
  leader({});
  await expect.poll(() => told).toEqual([true]);
});

test('a page that was answered by nobody yet has nothing to look at anew', async () => {
  const told: boolean[] = [];
  const answer = owned(
    new Calls(
      () => undefined,
      (own) => told.push(own),
    ),
  ).ask('status', null);
  leader({});
  await answer;
  expect(told).toEqual([]);
});

test('a call that is heard again after it was done is not done again', async () => {
  let published = 0;
  leader({
    publish: async () => {
      published += 1;
      return { reedId: 'r' };
    },
  });
  const channel = new BroadcastChannel(CHANNEL_NAME);
  owned(channel);
  const call: PageMessage = { to: 'worker', kind: 'call', call: 'c', act: 'publish', input: { texts: ['once'], broadcast: true } };
  const answered = new Promise((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<WorkerMessage>) => data.kind === 'result' && resolve(data);
  });
  channel.postMessage(call);
  await answered;
  channel.postMessage(call);
  // What is asked after it is answered after it.
  await page().ask('status', null);
  expect(published).toBe(1);
});

test('a page that stops waiting tells the worker', async () => {
  const [taken, stopped] = [gate(), gate()];
  leader({
    open: (_input, { signal }) => {
      taken.pass();
      signal.addEventListener('abort', () => stopped.pass());
      return never;
    },
  });
  const stop = new AbortController();
  const answer = page().ask('open', { reedId: 'r' }, { signal: stop.signal });
  await taken.passed;
  stop.abort();
  await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  await stopped.passed;
});

test('every tab hears how things stand', async () => {
  const heard = Promise.withResolvers<Status>();
  const other = Promise.withResolvers<Status>();
  page(heard.resolve);
  page(other.resolve);
  leader({}).tell({ to: 'pages', kind: 'status', status: STATUS });
  expect(await Promise.all([heard.promise, other.promise])).toEqual([STATUS, STATUS]);
});

test('what a page watches is watched by the next leader, let go of while the page is put away, and taken up again', async () => {
  const watched: string[] = [];
  // A worker that is closed answers nothing any more.
  let isClosing = true;
  const watch = (name: string): Partial<ActTable> => ({
    watch: async (_input, { signal, progress }) => {
      watched.push(`${name} begins`);
      progress({ stats: { replies: watched.length, echoes: 0, likes: 0, coveragePercent: 0, holderServers: 0 } });
      await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
      watched.push(`${name} ends`);
      return isClosing ? never : null;
    },
  });
  const heard: number[] = [];
  const asking = page();
  const first = leader(watch('first'));
  const answer = asking.ask('watch', { kind: 'broadcast' }, { onProgress: ({ stats }) => heard.push(stats?.replies ?? 0) });
  await expect.poll(() => heard).toEqual([1]);
  first.close();
  leader(watch('second'));
  await expect.poll(() => heard.length).toBe(2);
  isClosing = false;
  asking.pause();
  await expect.poll(() => watched.at(-1)).toBe('second ends');
  isClosing = true;
  asking.resume();
  await expect.poll(() => heard.length).toBe(3);
  expect(watched.filter((line) => line.endsWith('begins'))).toEqual(['first begins', 'second begins', 'second begins']);
  // It ends only by being cancelled.
  expect(await Promise.race([answer.then(() => 'ended'), Promise.resolve('watching')])).toBe('watching');
});
