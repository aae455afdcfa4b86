// A requester's places on a whole server that sweeps only once an hour: whatever gives one back, what is behind gets it at once.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { FrameOf } from '../../src/wire/frames.ts';
import type { LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();
const acked = (id: string) => (frame: FrameOf<'requestAck'>) => frame.body.requestId === id;

describe('a requester with more open than it has places', () => {
  it('gets the rest as places are freed, without waiting for the sweeper', async () => {
    await stage.again({ sweepEveryMs: 3_600_000, auditEveryMs: 3_600_000 });
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a), await stage.join(b, { acknowledge: 'nothing' })];
    const reeds = await stage.community.reeds(author.userId, 40);
    const ids = reeds.map((reed) => viewer.request(reed));
    await Promise.all(
      ids.map(async (requestId) => {
        const { id } = await viewer.next('dataResponse', (frame) => frame.body.requestId === requestId);
        viewer.send({ id, type: 'dataAck', body: {} });
        await viewer.next('settled', (frame) => frame.body.events.some((event) => event.eventId === id));
      }),
    );
    expect(await stage.community.rows('select event_id from pending_events')).toEqual([]);
  });

  it('gets what is behind those that nobody can be asked for any more, without waiting for the sweeper', async () => {
    await stage.again({ sweepEveryMs: 3_600_000, auditEveryMs: 3_600_000, awakeEventsPerMember: 2 });
    const accounts = await stage.accounts(4);
    const [busy, leaver, stayer, viewer] = (await Promise.all(accounts.map((account) => stage.join(account, { answer: 'nothing' })))) as [
      LightMember,
      LightMember,
      LightMember,
      LightMember,
    ];
    const [last] = (await stage.community.reeds(stayer.userId, 1)) as [ReedId];
    // Two have the places; three more than a look at the viewer's takes without them are behind, and then the one that can be had.
    for (const reed of [...(await stage.community.reeds(busy.userId, 2)), ...(await stage.community.reeds(leaver.userId, 3)), last])
      await viewer.next('requestAck', acked(viewer.request(reed)));
    await leaver.leave();
    await stage.server.settle();
    await busy.leave();
    await stayer.next('relayRequest', (frame) => frame.body.reedId === last);
  });
});
