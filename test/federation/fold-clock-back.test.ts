// An asking server that forgot what it asked for, its ledger emptied, and whose clock was set back since: what it asks for now has ids below those
// that its home remembers, as a late repeat of something old has. What it still knows of is cancelled by nobody's word.
import { expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { FoldPair } from '../support/fold-pair.ts';
import type { LightMember } from '../support/light-member.ts';

const pair = FoldPair.forEachTest();
const HOUR_MS = 3_600_000;

/** A member there asked, and nobody answers yet; that crossing's id was given an hour ahead of the clock. */
const askedAhead = async (): Promise<{ author: LightMember; reader: LightMember; reed: ReedId; ahead: string }> => {
  const { author, reed } = await pair.reed({ answer: 'nothing' });
  const reader = await pair.member(pair.asking);
  reader.request(reed);
  await author.next('relayRequest');
  await pair.settle();
  const ahead = uuidv7(pair.clock.now() + HOUR_MS, (bytes) => new Uint8Array(bytes).fill(7));
  await pair.home.community.rows('update foreign_relay_requests set peer_request_id = $1', [ahead]);
  return { author, reader, reed, ahead };
};

it('is served at once: it cancels what its home names and it does not know, and asks again', async () => {
  const { author, reed, ahead } = await askedAhead();
  for (const table of ['foreign_pending_events', 'pending_events']) await pair.asking.community.rows(`truncate ${table}`);
  author.behaviour.answer = 'bytes';
  const reader = await pair.member(pair.asking);
  reader.request(reed);
  await reader.next('settled');
  await pair.settle();
  expect(await pair.holders(pair.asking, reed)).toEqual([reader.userId]);
  expect(reader.frames.filter(({ type }) => type === 'peerServerLost' || type === 'error')).toEqual([]);
  expect(pair.wire.legs).toEqual(['request', 'request', 'cancel', 'request', 'deliver', 'ack']);
  const cancelled = pair.wire.calls.find(({ leg }) => leg === 'cancel');
  expect(Buffer.from(cancelled?.body ?? []).toString('latin1')).toContain(ahead);
  expect(pair.wire.mostCopies).toBe(1);
});

it('cancels nothing that it knows of, though its home names it', async () => {
  const { ahead } = await askedAhead();
  const { community } = pair.asking;
  // Both crossings are its own, and the request of the older one comes once more.
  await community.rows(
    `insert into foreign_pending_events (crossing_id, event_id, asked_server_id, subject, kind, requester, slot, due_at, created_at)
      select $1, event_id, asked_server_id, subject, kind, requester, 2, 'infinity', created_at from foreign_pending_events`,
    [ahead],
  );
  await community.rows("update foreign_pending_events set answered_at = null, due_at = '-infinity' where slot = 1");
  await pair.settle();
  expect(pair.wire.legs).toEqual(['request', 'request']);
  await community.rows('delete from foreign_pending_events where slot = 2');
});
