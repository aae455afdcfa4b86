// Threads on a whole server: asked for whole, missed by the part, held by every part.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

describe('a thread', () => {
  it('is asked of a holder of all its parts; one that misses a part loses that part, and the requester holds every part in the end', async () => {
    const [a, b, c] = await stage.accounts(3);
    const [author, half, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b), await stage.join(c)];
    const parts = (await stage.community.reeds(author.userId, 3)) as [ReedId, ReedId, ReedId];
    await stage.community.thread(parts);
    await stage.community.rows(
      "insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)",
      [half.userId, parts[0]],
    );
    const requestId = `${viewer.userId}/01890000-0000-7000-8000-000000000001`;
    viewer.send({ id: '', type: 'requestThread', body: { requestId, threadId: parts[0] } });
    const asked = await author.next('relayThread');
    expect(asked.body).toMatchObject({ threadId: parts[0], requesterId: viewer.userId, attempt: 1 });
    author.send({ id: asked.id, type: 'relayMiss', body: { attempt: 1, missingReedId: parts[1] } });
    await viewer.next('requestAck', (frame) => frame.body.requestId === requestId && frame.body.state === 'NOBODY_ONLINE');
    expect(await stage.allocations(parts[1])).toEqual([]);
    // The author restored the part and says so.
    await stage.community.rows(
      "insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)",
      [author.userId, parts[1]],
    );
    author.behaviour.answer = 'bytes';
    author.send({ id: '', type: 'syncRequest', body: { requestId: `${author.userId}/01890000-0000-7000-8000-000000000002` } });
    await viewer.next('settled');
    for (const part of parts) expect(await stage.allocations(part)).toContain(viewer.userId);
  });

  it('that is asked for whole takes no part from who has it already', async () => {
    const [a, b] = await stage.accounts(2);
    const [author, viewer] = [await stage.join(a, { answer: 'nothing' }), await stage.join(b)];
    const parts = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    await stage.community.thread(parts);
    await stage.community.rows(
      "insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select $1, unnest($2::text[]), 'd', current_date",
      [viewer.userId, parts],
    );
    const requestId = `${viewer.userId}/01890000-0000-7000-8000-000000000003`;
    viewer.send({ id: '', type: 'requestThread', body: { requestId, threadId: parts[0] } });
    await author.next('relayThread');
    viewer.send({ id: '', type: 'cancelRequest', body: { requestId } });
    await stage.server.settle();
    for (const part of parts) expect(await stage.allocations(part)).toContain(viewer.userId);
  });
});
