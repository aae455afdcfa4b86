// What an item of a stream does at its receiver is one with the number that is taken for it: neither is there without the other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { heading } from '../../src/wire/statements.ts';
import { flush, type Home, openPeers } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, sign, signUp } from '../support/people.ts';
import { removalOf, rotate } from '../support/rotations.ts';

const DAY_MS = 86_400_000;

let a: Home;
let b: Home;
let wire: PeerWire;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ a, b, wire, close } = await openPeers());
  await b.rows(`create function refuse_it() returns trigger language plpgsql as $$ begin raise 'nothing can be written'; end $$`);
});
afterAll(() => close());

const takeBack = async (author: Person, id: ReedId): Promise<void> => {
  const statement = { ...heading('reed-removal'), id, author: author.user, key: author.keyId };
  await a.reeds.removal.remove(author.member, 'reed-removal', id, await sign(author, statement, a.clock.now()));
};

const leave = async (author: Person): Promise<void> => {
  await a.identity.accountRemovals.request(author.member, await removalOf(a, author));
  for (const home of [a, b]) home.clock.advance(2 * DAY_MS);
  await a.identity.accountRemovals.finish();
  await a.reeds.voiding.account(author.user, '');
};

test.each([
  ['a reed', async (author: Person) => void (await publishReed(a, author))],
  ['a removal', takeBack],
  ['a key', async (author: Person) => void (await rotate(a, author))],
  ['the end of an account', leave],
] as const)('%s that can not be written takes no number, and comes when it can', async (_, act) => {
  wire.fate = () => 'deliver';
  const author = await signUp(a);
  const first = await publishReed(a, author);
  await flush(a);
  const standing = () => b.rows('select number::int, token from received_streams where author_id = $1', author.user);
  const statements = () => b.rows<{ type: string }>('select type from statements where user_id = $1', author.user);
  const [stood, known] = [await standing(), await statements()];
  wire.fate = () => 'lose-request';
  wire.calls.length = 0;
  await act(author, first);
  await flush(a);
  const sent = wire.calls.find(({ leg }) => leg === 'stream');
  await b.rows('create trigger refusing before insert on statements for each row execute function refuse_it()');
  const taking = await Promise.allSettled([b.legs.get('stream')?.handle(a.id, sent?.body ?? new Uint8Array(0))]);
  await b.rows('drop trigger refusing on statements');
  expect(taking).toMatchObject([{ status: 'rejected', reason: { code: 'INTERNAL' } }]);
  expect(await standing()).toEqual(stood);
  wire.fate = () => 'deliver';
  a.streams.peerBack(b.id);
  await flush(a);
  expect(await standing()).toMatchObject(
    await a.rows('select last_number::int as number from author_streams where author_id = $1', author.user),
  );
  expect((await statements()).length).toBeGreaterThan(known.length);
});
