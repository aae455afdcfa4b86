// Removals of what somebody of another server wrote: whoever holds a copy or follows is told, and who acknowledges has nothing of it left.
// Found by the whole id, for such an author is in no table of accounts and such a reed in no table of reeds.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { type NoticeAbout, serve } from '../../src/ledger/serve.ts';
import { acknowledge } from '../../src/ledger/settle.ts';
import { NOTICE_NAMES, type NoticeKind } from '../../src/ledger/state.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const ELSEWHERE = 'b'.repeat(16);
const AUTHOR = `${'c'.repeat(16)}@${ELSEWHERE}` as UserId;
const now = Date.now();

let world: World;
let holder: UserId;
let follower: UserId;
let reeds: ReedId[];
beforeEach(async () => {
  world = await World.open();
  [holder, follower] = (await world.community('holder', 'follower', 'stranger')) as [UserId, UserId, UserId];
  reeds = Array.from({ length: 2 }, () => `${AUTHOR}/${uuidv7(now, cryptoRandom)}` as ReedId);
  const run = (text: string, ...values: unknown[]) => world.db.query({ text, values });
  await run(`insert into servers (id, name, first_seen_at) values ($1, 'elsewhere', now())`, ELSEWHERE);
  await run('insert into identities (id, server_id, first_seen_at) values ($1, $2, now())', AUTHOR, ELSEWHERE);
  await run('insert into reed_identities (id, server_id, author_id) select unnest($1::text[]), $2, $3', reeds, ELSEWHERE, AUTHOR);
  for (const reed of reeds) await world.hold(reed, holder);
  await run(
    `insert into follows (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1`,
    follower,
    AUTHOR,
  );
});
afterEach(() => world.close());

const told = async (kind: NoticeKind, subject: string) => {
  const about: NoticeAbout = { kind, eventName: NOTICE_NAMES[kind], subject };
  return (await serve(world.context, about, { after: '', limit: 100 }, now)).served;
};
const held = async (): Promise<string[]> =>
  (await world.db.query<{ id: string }>({ text: 'select reed_id as id from reed_allocations order by 1' })).map(({ id }) => id);

describe('the removal of an account of another server', () => {
  it('is told to who holds copies and who follows, and leaves neither once they acknowledge it (F14, F37)', async () => {
    const served = await told('account_removal', AUTHOR);
    expect(served.map(({ requester }) => requester).sort()).toEqual([holder, follower].sort());
    await acknowledge(
      world.context,
      served.map(({ eventId, requester }) => ({ eventId, requester, deviceId: 'd' })),
      [],
      now,
    );
    expect(await held()).toEqual([]);
    expect(await world.db.query({ text: 'select active from follows' })).toEqual([{ active: false }]);
  });
});

describe('the removal of an account', () => {
  it('is told by pages of those online, each looked at once, whatever they have of it', async () => {
    const about: NoticeAbout = { kind: 'account_removal', eventName: NOTICE_NAMES.account_removal, subject: AUTHOR };
    const pages: string[][] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof serve>> = await serve(world.context, about, { after, limit: 1 }, now);
      pages.push(page.served.map(({ requester }) => requester));
      after = page.next;
    }
    // Three are online, one a page, and then nobody.
    expect(pages).toHaveLength(4);
    expect(pages.flat()).toEqual([holder, follower].sort());
  });
});

describe('the removal of a reed of another server', () => {
  it('is told to its holders, whoever they follow, and takes that copy alone (F16)', async () => {
    const [removed, other] = reeds as [ReedId, ReedId];
    const served = await told('reed_removal', removed);
    expect(served.map(({ requester }) => requester)).toEqual([holder]);
    await acknowledge(world.context, [{ eventId: served[0]?.eventId as string, requester: holder, deviceId: 'd' }], [], now);
    expect(await held()).toEqual([other]);
  });
});
