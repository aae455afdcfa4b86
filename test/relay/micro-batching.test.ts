// Micro-batching is real: with many requests outstanding, one statement serves many steps.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LightCommunity, LightMember } from '../support/light-member.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ limits: { costBurst: 1_000_000, costPerMinute: 1_000_000, sameReedPerHour: 1_000_000 } });
});
afterAll(() => server.close());

it('with 100 requests outstanding all the time, statements are under a tenth of the steps', async () => {
  const [HOLDERS, VIEWERS, EACH, ROUNDS] = [50, 25, 4, 25];
  const community = new LightCommunity(server.database.url, server.app.serverId);
  const accounts = await community.accounts(HOLDERS + VIEWERS);
  const members = await Promise.all(accounts.map((account) => LightMember.connect(server.url, account)));
  const [holders, viewers] = [members.slice(0, HOLDERS), members.slice(HOLDERS)];
  const byHolder = await Promise.all(holders.map((holder) => community.reeds(holder.userId, (VIEWERS * EACH * ROUNDS) / HOLDERS)));
  // In turn: no holder is asked for more than it takes at once, so what is counted are the steps and not the queues.
  const reeds = byHolder[0]?.flatMap((_, index) => byHolder.flatMap((of) => of[index] ?? [])) ?? [];
  await server.settle();
  const before = server.app.statements().ledger;
  let next = 0;
  const keepAsking = async (viewer: LightMember): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const reed = reeds[next++];
      if (!reed) throw new Error('out of reeds');
      const requestId = viewer.request(reed);
      const { id } = await viewer.next('dataResponse', (frame) => frame.body.requestId === requestId);
      await viewer.next('settled', (frame) => frame.body.events.some((event) => event.eventId === id && event.outcome === 'HELD'));
    }
  };
  await Promise.all(viewers.flatMap((viewer) => Array.from({ length: EACH }, () => keepAsking(viewer))));
  const deliveries = VIEWERS * EACH * ROUNDS;
  const statements = server.app.statements().ledger - before;
  // Each delivery is three steps, one for each frame that takes effect: request, answer, acknowledgement.
  expect(statements).toBeLessThan((deliveries * 3) / 10);
  await server.settle();
  expect(await community.rows('select event_id from pending_events')).toEqual([]);
  expect(await community.rows('select holder_user_id from reed_allocations')).toHaveLength(2 * deliveries);
  await Promise.all(members.map((member) => member.leave()));
}, 60_000);
