// New keys that the server refuses, or certified and could not say so: nothing of them stays on a device that keeps anybody from it, and none is let go
// that may be all that is left of an account.
import { describe, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { type KeySafe, memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { openTestMember } from '../support/members.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const LIMITS = { syncIntervalMs: 0, failedSignInsPerMinute: 1_000, signUpsPerHour: 1_000, challengesPerHour: 10_000 };
const stage = SdkStage.forEachTest(LIMITS);

const PASSPHRASE = 'seven words that nobody would guess but us';
type Kept = { readonly backup: string; readonly passphrase: string };
type Device = { readonly member: Member; readonly safe: KeySafe };

const backupOf = async ({ member }: { member: Member }): Promise<Kept> => {
  const backup = await member.backup(PASSPHRASE);
  await member.backupSaved();
  return { backup, passphrase: PASSPHRASE };
};
const newName = (): string => `m${crypto.randomUUID().slice(0, 12)}`;

type Answered = (call: { readonly path: string; readonly isPost: boolean }, answer: Response) => Response;
/** A device without an account, whose answers a test may change. */
const newDevice = async (answered: Answered = (_call, answer) => answer, store = new MemoryStore()): Promise<Device> => {
  const safe = memoryKeySafe();
  const fetch: typeof globalThis.fetch = async (url, init) =>
    answered({ path: new URL(String(url)).pathname, isPost: init?.method === 'POST' }, await globalThis.fetch(url, init));
  return { member: await openTestMember(stage.server, { store, safe, deps: { fetch } }), safe };
};
/** Loses the answer to the first new key. */
const losesOne = (): Answered => {
  let isLost = false;
  return ({ path, isPost }, answer) => {
    if (isLost || !isPost || !path.endsWith('/keys')) return answer;
    isLost = true;
    throw new TypeError('the connection was cut');
  };
};
/** Signed up on this device, and backed up. */
const joined = async (device: Device): Promise<Kept> => {
  await device.member.signUp({ username: newName() });
  return backupOf(device);
};
const keysOf = async ({ member }: { member: Member }): Promise<string[]> => {
  const rows = await stage.rows<{ id: string }>('select id from keys where user_id = $1 order by created_at', [member.account?.user]);
  return rows.map(({ id }) => id);
};
const comesOnline = async ({ member }: { member: Member }): Promise<void> => {
  member.connect();
  await member.online();
  await member.close();
};

describe('a new key whose answer was lost', () => {
  it('is let go once it is off the chain: the account comes back by the backup of the key that is on it', async () => {
    const device = await newDevice(losesOne());
    const first = await joined(device);
    await expect(device.member.rotateKey()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const elsewhere = await newDevice();
    await elsewhere.member.recover(first);
    const { key } = await device.member.recover(await backupOf(elsewhere));
    expect((await keysOf(device)).at(-1)).toBe(key);
    expect(await keysOf(device)).toHaveLength(4);
    expect(await device.safe.load()).not.toHaveProperty('next');
    await comesOnline(device);
  });

  it('is let go then also by a device that stopped right after it had', async () => {
    const store = new MemoryStore();
    const device = await newDevice(losesOne(), store);
    const first = await joined(device);
    await expect(device.member.rotateKey()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const elsewhere = await newDevice();
    await elsewhere.member.recover(first);
    const kept = await backupOf(elsewhere);
    const write = store.write.bind(store);
    store.write = async (changes) => {
      if (changes.some((change) => 'put' in change && change.put === 'meta' && change.record.id === 'rotation')) throw new Error('stopped');
      await write(changes);
    };
    await expect(device.member.recover(kept)).rejects.toThrow();
    store.write = write;
    const { key } = await device.member.recover(kept);
    expect((await keysOf(device)).at(-1)).toBe(key);
    await comesOnline(device);
  });

  it('is the account’s as soon as the backup of the one before would take it back', async () => {
    const device = await newDevice(losesOne());
    const kept = await joined(device);
    const old = device.member.account?.key;
    await expect(device.member.rotateKey()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { key } = await device.member.recover(kept);
    expect(await keysOf(device)).toEqual([old, key]);
    await comesOnline(device);
  });

  it('is not let go for a backup that is too old', async () => {
    const author = await newDevice();
    const tooOld = await joined(author);
    await author.member.rotateKey();
    const kept = await backupOf(author);
    const device = await newDevice(losesOne());
    await expect(device.member.recover(kept)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(device.member.recover(tooOld)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { key } = await device.member.recover(kept);
    expect((await keysOf(device)).at(-1)).toBe(key);
    expect(await keysOf(device)).toHaveLength(3);
    await comesOnline(device);
  });

  it('names what frees the device where another account is wanted on it', async () => {
    const device = await newDevice(losesOne());
    await expect(device.member.recover(await joined(await newDevice()))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const detail = expect.stringContaining("clear this device's data") as string;
    await expect(device.member.signUp({ username: newName() })).rejects.toMatchObject({ code: 'CONFLICT', detail });
  });
});

describe('taking an account back that the server refuses for good', () => {
  /** Each a refused device, and what it was refused with. */
  const refusals: Readonly<Record<string, () => Promise<[Device, code: string, Kept]>>> = {
    'as its key has a next one': async () => {
      const kept = await joined(await newDevice());
      await (await newDevice()).member.recover(kept);
      return [await newDevice(), 'CONFLICT', kept];
    },
    'as its key has a next one, at the second try': async () => {
      const kept = await joined(await newDevice());
      let isAway = true;
      const device = await newDevice(({ path, isPost }, answer) => {
        if (!isAway || !isPost || !path.endsWith('/keys')) return answer;
        isAway = false;
        return Response.json({ code: 'UNAVAILABLE' }, { status: 503 });
      });
      // What it sent is refused, and nobody hears of that.
      await (await newDevice()).member.recover(kept);
      await expect(device.member.recover(kept)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      return [device, 'CONFLICT', kept];
    },
    'as it is removed': async () => {
      const author = await stage.join();
      const kept = await backupOf(author);
      await author.member.removeAccount();
      await stage.rows("update account_removals set due_at = now() - interval '1 minute' where user_id = $1", [author.user]);
      const isFinal = async () =>
        (await stage.rows('select from account_removals where user_id = $1 and statement_hash is not null', [author.user])).length === 1;
      await expect.poll(isFinal, { timeout: 20_000 }).toBe(true);
      return [await newDevice(), 'UNAUTHENTICATED', kept];
    },
    'as it was removed just then': async () => {
      const removed = Response.json({ code: 'REMOVED' }, { status: 410 });
      const device = await newDevice(({ path, isPost }, answer) => (isPost && path.endsWith('/keys') ? removed : answer));
      return [device, 'REMOVED', await joined(await newDevice())];
    },
  };
  describe.each(Object.entries(refusals))('%s', (_name, refused) => {
    it.each<[string, (member: Member, others: Kept) => Promise<unknown>]>([
      ['signing up', (member) => member.signUp({ username: newName() })],
      ['restoring', (member, others) => member.restore(others)],
    ])('leaves no key on the device, which is free for %s', async (_way, another) => {
      const others = await joined(await newDevice());
      const [device, code, kept] = await refused();
      await expect(device.member.recover(kept)).rejects.toMatchObject({ code });
      expect(Object.keys((await device.safe.load()) ?? {})).toEqual([]);
      await another(device.member, others);
      await comesOnline(device);
    });
  });

  it('leaves the device free for taking back another one', async () => {
    const others = await joined(await newDevice());
    const [device, code, kept] = await (refusals['as its key has a next one'] as () => Promise<[Device, string, Kept]>)();
    await expect(device.member.recover(kept)).rejects.toMatchObject({ code });
    await device.member.recover(others);
    await comesOnline(device);
  });

  it('leaves the keys there of a sign-up whose answer was lost', async () => {
    const kept = await joined(await newDevice());
    await (await newDevice()).member.recover(kept);
    let isLost = true;
    const device = await newDevice(({ path, isPost }, answer) => {
      if (isLost && isPost && path.endsWith('/users')) throw new TypeError('the connection was cut');
      return answer;
    });
    const username = newName();
    await expect(device.member.signUp({ username })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isLost = false;
    await expect(device.member.recover(kept)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await device.member.signUp({ username })).username).toBe(username);
    await comesOnline(device);
  });
});

it('undoes the removal of an account also where another one’s new key waits', async () => {
  const author: Actor = await stage.join();
  const removed = await backupOf(author);
  await author.member.removeAccount();
  const device = await newDevice(losesOne());
  await expect(device.member.recover(await joined(await newDevice()))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await device.member.withdrawRemoval(removed);
  author.member.connect();
  await author.member.online();
});
