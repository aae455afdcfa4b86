// Being behind: what is published while a member has no room may lie before the place that its catch-up has come to, whoever is at it just then.
import { describe, expect, it } from 'vitest';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

describe('a member who is found behind', () => {
  it('has a stage begun anew that somebody is far on in, when more is published than there is room for', async () => {
    await stage.again({ eventsPerMember: 10, catchupRows: 5 });
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    await stage.community.reeds(author.userId, 25);
    const a = await stage.join(author, { answer: 'nothing' });
    const member = await stage.join(away);
    member.sync();
    await stage.quiet();
    const until = new Date(stage.time() + 3_600_000);
    await stage.community.rows(
      `insert into catchup_positions (user_id, stage, at, id, lease_until, due_at) values ($1, 'follows', now(), 'x', $2, $2)
        on conflict (user_id, stage) do update set at = excluded.at, id = excluded.id, lease_until = excluded.lease_until, due_at = excluded.due_at`,
      [away.userId, until],
    );
    const reedId = await stage.community.registered(author.userId);
    a.send({ id: '', type: 'publishReady', body: { reedId } });
    await stage.quiet();
    const of = `select id, at, lease_until from catchup_positions where stage = 'follows'`;
    expect(await stage.community.rows(of)).toEqual([{ id: null, at: null, lease_until: until }]);
  });
});
