// What a peering that ends leaves of what was owed to that peer: words of holders, which outlive it as copies do, and nothing else; a page at a time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerGone, peersLive } from '../../src/ledger/fold-peers.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const PEER = 'bbbbbbbbbbbbbbbb' as ServerId;
let world: World;
beforeAll(async () => {
  world = await World.open({});
  await peersLive(world.db, [PEER]);
});
afterAll(() => world.close());

describe('a peering that ends', () => {
  it('leaves nothing owed to it but words of holders, however much that is', async () => {
    await world.db.query({
      text: `insert into holder_notices (server_id, reed_id, due_at) select $1, 'r' || g, now() from generate_series(1, 7) g`,
      values: [PEER],
    });
    await world.db.query({
      text: `insert into foreign_pending_events (crossing_id, event_id, asked_server_id, subject, kind, requester, owes, due_at, created_at)
        select gen_random_uuid(), gen_random_uuid(), $1, 's' || g, 'reed', 'r', 'ack', now(), now() from generate_series(1, 5) g`,
      values: [PEER],
    });
    await peerGone({ ...world.context, limits: { ...world.limits, batchItems: 2 } }, PEER);
    for (const [table, left] of Object.entries({ holder_notices: 7, foreign_pending_events: 0, fold_peers: 0 }))
      expect(await world.db.query({ text: `select from ${table}` }), table).toHaveLength(left);
  });
});
