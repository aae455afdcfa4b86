// Everybody is cut off at the same moment and comes back at the same moment: everybody is let in, every open request is driven again and
// answered, nothing is lost, and it costs statements by the batch, not by the member. Ten thousand of them: test/long.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { type LightAccount, LightMember } from '../support/light-member.ts';
import { ANSWERING, SILENT, StormStage } from '../support/storm-stage.ts';

describe('a holder who is cut off and comes back', () => {
  it('is asked again at once, though it was back before its leaving was looked at', async () => {
    await using stage = await StormStage.open();
    const { community, server } = stage;
    const [holder, viewer] = (await community.accounts(2)) as [LightAccount, LightAccount];
    const [reed] = (await community.reedOfEach([holder])) as [ReedId];
    const first = await LightMember.connect(server.url, holder, SILENT);
    const reader = await LightMember.connect(server.url, viewer);
    reader.request(reed);
    await first.next('relayRequest');
    const ledger = new pg.Client({ connectionString: server.database.url });
    await ledger.connect();
    await ledger.query('begin');
    // Presence goes on; looks at what it left or brings have to wait.
    await ledger.query('lock table pending_events in access exclusive mode');
    await first.vanish();
    await expect.poll(() => stage.counted('online_users'), { timeout: 60_000 }).toBe(1);
    const second = await LightMember.connect(server.url, holder, ANSWERING);
    await ledger.query('rollback');
    await ledger.end();
    await reader.next('settled');
    expect(second.frames.filter(({ type }) => type === 'relayRequest')).toHaveLength(1);
  });
});

describe('members who are cut off together and come back together', () => {
  it('are let in at once, a thousand of them, and get what they had asked for', async () => {
    const members = 1_000;
    await using stage = await StormStage.open();
    await stage.gather(members, members, 1);
    await stage.come(SILENT, members);
    expect(await stage.ask()).toBe(members);
    await stage.server.settle();
    expect(await stage.counted('pending_events where state in (1, 2)')).toBe(members);

    const before = stage.statements();
    await stage.cut();
    const back = await stage.come(ANSWERING, members);
    expect(back.turnedAway).toBe(0);
    expect(back.asked + back.resumed).toBe(members);
    expect(await stage.served()).toBe(members);
    // Each of them left, came, asked, answered and was answered. A busy machine makes small batches; ten thousand have a bound of their own.
    expect(stage.statements() - before).toBeLessThan(2 * members);
    await stage.expectNothingLost(members, members);
  });
});
