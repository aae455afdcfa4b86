// A member's keys through the SDK, whole: a new key, a revoked one, one taken back from a thief, an account removed and its removal undone; and what
// others see of it, who hold copies and know keys.
import { describe, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { isA, nextEvent, openTestMember } from '../support/members.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

// Those who are shut out try to come back more often than strangers may.
const LIMITS = {
  syncIntervalMs: 0,
  requestCost: 0,
  syncCost: 0,
  failedSignInsPerMinute: 1_000,
  signUpsPerHour: 1_000,
  challengesPerHour: 10_000,
};
const stage = SdkStage.forEachTest(LIMITS);

const PASSPHRASE = 'seven words that nobody would guess but us';

const keyOf = ({ member }: { member: Member }) => member.account?.key;
const backupOf = async ({ member }: { member: Member }): Promise<{ backup: string; passphrase: string }> => {
  const backup = await member.backup(PASSPHRASE);
  await member.backupSaved();
  return { backup, passphrase: PASSPHRASE };
};
/** Another device of whoever can open it. */
const otherDevice = async (): Promise<Member> => openTestMember(stage.server, { store: new MemoryStore(), safe: memoryKeySafe() });
const told = (actor: Actor, user: UserId, state: 'revoked' | 'replaced') =>
  nextEvent(
    actor.member,
    isA('key', (event) => event.user === user && event.state === state),
  );
const allocated = async (user: UserId): Promise<string[]> =>
  (await stage.rows<{ key_id: string }>('select key_id from key_allocations where user_id = $1 order by 1', [user])).map(
    ({ key_id }) => key_id,
  );
const publish = async (actor: Actor): Promise<ReedId> => (await stage.publish(actor))[0] as ReedId;
/** Resolves once the key allocation of what a notice told has ended. */
const settledUntil = async (isSo: () => Promise<boolean>): Promise<void> => {
  do await stage.server.settle();
  while (!(await isSo()));
};

/** What was cut is done to its end: one new key, with which the device comes online. */
const goesOn = async (device: Member, author: Actor, kept: { backup: string; passphrase: string }): Promise<void> => {
  const { key } = await device.recover(kept);
  const keys = await stage.rows('select id from keys where user_id = $1 order by created_at', [author.user]);
  expect(keys).toEqual([{ id: keyOf(author) }, { id: key }]);
  device.connect();
  await device.online();
  await device.close();
};

describe('a rotated key', () => {
  it('is the member’s on every side: they write and read with it, and what was written before stays good', async () => {
    const [author, reader] = [await stage.join(), await stage.join()];
    const before = await publish(author);
    await stage.keep(reader, before);
    const old = keyOf(author);
    const news = told(reader, author.user, 'revoked');
    const account = await author.member.rotateKey();
    expect(account.key).not.toBe(old);
    expect(account.backedUp).toBe(false);
    await Promise.all([author.member.online(), news]);
    const after = await publish(author);
    await stage.keep(reader, after);
    expect((await reader.member.copy(after))?.certificate.statement.key).toBe(account.key);
    const late = await stage.join();
    await stage.keep(late, before);
    await stage.keep(late, after);
    const own = await publish(reader);
    await stage.keep(author, own);
    expect((await author.member.copy(own))?.state).toBe('held');
  });

  it('is told to who knows the old one, now or at the next sync, until they have acknowledged it', async () => {
    const [author, here, away] = [await stage.join(), await stage.join(), await stage.join()];
    const reed = await publish(author);
    await stage.keep(here, reed);
    await stage.keep(away, reed);
    const old = String(keyOf(author));
    await away.member.close();
    const news = told(here, author.user, 'revoked');
    await author.member.rotateKey();
    await news;
    await settledUntil(async () => !(await allocated(here.user)).includes(old));
    expect(await allocated(away.user)).toContain(old);
    const again = await stage.join(away);
    await settledUntil(async () => !(await allocated(away.user)).includes(old));
    expect((await again.member.copy(reed))?.state).toBe('held');
  });

  it('waits for nobody: when its answer was lost, the same rotation is asked for again', async () => {
    const store = new MemoryStore();
    const safe = memoryKeySafe();
    let isLost = true;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await globalThis.fetch(input, init);
      if (!String(input).endsWith('/keys') || !isLost) return answer;
      isLost = false;
      throw new TypeError('the connection was cut');
    };
    const member = await openTestMember(stage.server, { store, safe, deps: { fetch } });
    await member.signUp({ username: `m${crypto.randomUUID().slice(0, 12)}` });
    const old = member.account?.key;
    await expect(member.rotateKey()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(member.account?.key).toBe(old);
    const { key } = await member.rotateKey();
    member.connect();
    await member.online();
    const rows = await stage.rows('select id from keys where user_id = $1 order by created_at', [member.account?.user]);
    expect(rows).toEqual([{ id: old }, { id: key }]);
    await member.close();
  });

  it('refuses a second rotation within a day and stays as it is', async () => {
    const author = await stage.join();
    const { key } = await author.member.rotateKey();
    await author.member.online();
    await expect(author.member.rotateKey()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(keyOf(author)).toBe(key);
    await publish(author);
  });

  it('has a backup of its own, from which another device goes on', async () => {
    const author = await stage.join();
    await backupOf(author);
    await author.member.rotateKey();
    const { backup, passphrase } = await backupOf(author);
    const device = await otherDevice();
    await device.restore({ backup, passphrase });
    expect(device.account?.key).toBe(keyOf(author));
    device.connect();
    await device.online();
    await device.close();
  });

  it('is the account’s after a stop between the ring and the store, too', async () => {
    const author = await stage.join();
    const old = author.member.account;
    const { key } = await author.member.rotateKey();
    await stage.vanish(author);
    // As the store was before the last write, and the ring as it is now.
    const draft = { predecessor: old?.key, byRecovery: false, key: { statement: { key } } };
    await author.store.write([
      { put: 'meta', record: { id: 'account', value: old } },
      { put: 'meta', record: { id: 'rotation', value: draft } },
    ]);
    const again = await stage.join(author);
    expect(again.member.account?.key).toBe(key);
    await publish(again);
  });
});

describe('a revoked key', () => {
  it('freezes the account; its recovery key takes it back, on a device that has nothing', async () => {
    const [author, reader] = [await stage.join(), await stage.join()];
    const reed = await publish(author);
    await stage.keep(reader, reed);
    const kept = await backupOf(author);
    const news = told(reader, author.user, 'revoked');
    await author.member.revokeKey('left on a train');
    await news;
    author.member.connect();
    await expect(author.member.online()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await reader.member.copy(reed))?.state).toBe('held');
    const device = await otherDevice();
    const account = await device.recover(kept);
    expect([account.user, account.username]).toEqual([author.user, author.member.account?.username]);
    device.connect();
    await device.online();
    const { reedId, published } = await device.publish({ text: 'here again' });
    await published;
    await stage.keep(reader, reedId);
    await device.close();
  });

  it('is taken back by the same backup again when the connection is lost right after the new key was certified', async () => {
    const author = await stage.join();
    const kept = await backupOf(author);
    await author.member.revokeKey();
    let isCut = true;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (isCut && String(url).endsWith('/devices')) throw new TypeError('the connection was cut');
      return globalThis.fetch(url, init);
    };
    const [store, safe] = [new MemoryStore(), memoryKeySafe()];
    const open = () => openTestMember(stage.server, { store, safe, deps: { fetch } });
    await expect((await open()).recover(kept)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isCut = false;
    await goesOn(await open(), author, kept);
  });

  describe.each([
    ['the answer to its new key was lost', '/keys'],
    ['its new key was certified and its device not linked', '/devices'],
  ])('whose taking back was cut when %s', (_name, path) => {
    /** A device without an account, on which that happened. */
    const halfDone = async (of: { backup: string; passphrase: string }): Promise<Member> => {
      let isCut = true;
      const fetch: typeof globalThis.fetch = async (url, init) => {
        const answer = await globalThis.fetch(url, init);
        if (isCut && String(url).endsWith(path) && init?.method === 'POST') throw new TypeError('the connection was cut');
        return answer;
      };
      const [store, safe] = [new MemoryStore(), memoryKeySafe()];
      const cut = await openTestMember(stage.server, { store, safe, deps: { fetch } });
      await expect(cut.recover(of)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      isCut = false;
      return openTestMember(stage.server, { store, safe });
    };
    it('is not lost to who then comes back with the backup, whose key is none any more', async () => {
      const author = await stage.join();
      const kept = await backupOf(author);
      const device = await halfDone(kept);
      await expect(device.restore(kept)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
      await goesOn(device, author, kept);
    });

    it('is not lost to another account either, which waits for another store', async () => {
      const [author, other] = [await stage.join(), await stage.join()];
      const [kept, others] = [await backupOf(author), await backupOf(other)];
      const device = await halfDone(kept);
      const waits = { code: 'CONFLICT', detail: expect.stringContaining('take that account back first') as string };
      await expect(device.restore(others)).rejects.toMatchObject(waits);
      await expect(device.recover(others)).rejects.toMatchObject(waits);
      await expect(device.signUp({ username: `m${crypto.randomUUID().slice(0, 12)}` })).rejects.toMatchObject(waits);
      await goesOn(device, author, kept);
    });
  });

  it('keeps nobody waiting once the server has refused what would take it back', async () => {
    const [author, other] = [await stage.join(), await stage.join()];
    const [kept, others] = [await backupOf(author), await backupOf(other)];
    await (await otherDevice()).recover(kept);
    const device = await otherDevice();
    await expect(device.recover(kept)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await device.restore(others)).toMatchObject({ user: other.user });
    await device.close();
  });

  it('leaves no key on a device that it could not bring back, which may be a new member’s', async () => {
    const author = await stage.join();
    const kept = await backupOf(author);
    await author.member.revokeKey();
    const device = await otherDevice();
    await expect(device.restore(kept)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
    await device.signUp({ username: `m${crypto.randomUUID().slice(0, 12)}` });
    expect(device.account?.user).not.toBe(author.user);
    await device.close();
  });

  it('asks for the passphrase of the backup, and for the backup of this account', async () => {
    const [author, other] = [await stage.join(), await stage.join()];
    const kept = await backupOf(author);
    await expect(author.member.recover({ ...kept, passphrase: 'another' })).rejects.toMatchObject({ code: 'INVALID' });
    await expect(other.member.recover(kept)).rejects.toMatchObject({ code: 'INVALID' });
    await publish(author);
  });
});

describe('a key that a thief replaced', () => {
  it('comes back to its owner, and nothing that the thief wrote stays with anybody', async () => {
    const [owner, reader] = [await stage.join(), await stage.join()];
    const kept = await backupOf(owner);
    const [before] = await stage.publish(owner);
    await stage.keep(reader, before as ReedId);
    const theft = memoryKeySafe(await owner.safe.load());
    const store = new MemoryStore();
    await store.write([{ put: 'meta', record: { id: 'account', value: owner.member.account } }]);
    await stage.vanish(owner);
    const thief = await openTestMember(stage.server, { store, safe: theft });
    await thief.rotateKey();
    thief.connect();
    await thief.online();
    const { reedId: forged, published } = await thief.publish({ text: 'give me your money' });
    await published;
    await stage.keep(reader, forged);
    const gone = nextEvent(
      reader.member,
      isA('copy', ({ state, reedId }) => state === 'gone' && reedId === forged),
    );
    const again = await stage.join(owner, {}).catch(() => null);
    expect(again).toBeNull();
    const device = await otherDevice();
    const account = await device.recover(kept);
    await gone;
    expect(await reader.member.copy(forged)).toBeNull();
    expect((await reader.member.copy(before as ReedId))?.state).toBe('held');
    device.connect();
    await device.online();
    const { reedId, published: said } = await device.publish({ text: 'that was not me' });
    await said;
    await stage.keep(reader, reedId);
    expect((await reader.member.copy(reedId))?.certificate.statement.key).toBe(account.key);
    await expect(reader.member.request(forged)).rejects.toMatchObject({ outcome: 'removed' });
    await expect(thief.online()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await Promise.all([thief.close(), device.close()]);
  });
});

describe('a removed account', () => {
  it('is gone from who held of it, once it is for good', async () => {
    await stage.again({ ...LIMITS, accountRemovalMs: 0 });
    const [author, here, away] = [await stage.join(), await stage.join(), await stage.join()];
    const reed = await publish(author);
    await stage.keep(here, reed);
    await stage.keep(away, reed);
    await away.member.close();
    const gone = nextEvent(
      here.member,
      isA('tombstone', ({ id, kind }) => id === author.user && kind === 'account'),
    );
    await author.member.removeAccount('goodbye');
    await gone;
    expect(await here.member.copy(reed)).toBeNull();
    const again = await stage.join(away);
    await settledUntil(async () => (await stage.allocations(reed)).length === 0);
    expect(await again.member.copy(reed)).toBeNull();
    await expect(here.member.request(reed)).rejects.toMatchObject({ outcome: 'removed' });
    author.member.connect();
    await expect(author.member.online()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is hidden meanwhile and comes back as it was, by the recovery key', async () => {
    const [author, reader] = [await stage.join(), await stage.join()];
    const reed = await publish(author);
    const kept = await backupOf(author);
    const { dueAt } = await author.member.removeAccount();
    expect(Date.parse(dueAt)).toBeGreaterThan(Date.now());
    await expect(reader.member.request(reed)).rejects.toMatchObject({ outcome: 'not-found' });
    expect(await reader.member.author(author.user)).toBeNull();
    await author.member.withdrawRemoval(kept);
    author.member.connect();
    await author.member.online();
    await stage.keep(reader, reed);
    expect((await reader.member.author(author.user))?.username).toBe(author.member.account?.username);
  });
});
