// One whole SDK member comes back to a backlog of many pages: everything it is owed comes, once each, paced by what it acknowledged.
// `SDK_BACKLOG=4000 npx vitest run test/relay/sdk-backlog.test.ts` does it with more, under the usual limits.
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { DELIVERY_TYPES } from '../../src/wire/frames.ts';
import { RAISED_LIMITS } from '../support/raised-limits.ts';
import { eventsOf, follow, waitsOn } from '../support/receiving.ts';
import { SdkStage } from '../support/sdk-stage.ts';

const LARGE = Number(process.env['SDK_BACKLOG'] ?? 0);
const OWED = LARGE || 60;
const AUTHORS = 2;
const PATIENCE_MS = 60_000 + OWED * 300;
/** Few enough that even a small backlog comes in many pages. */
const SMALL_PAGES: Partial<Limits> = LARGE ? {} : { catchupServed: 12, catchupBelow: 6, awakeEventsPerMember: 4 };
const SERVED = SMALL_PAGES.catchupServed ?? DEFAULT_LIMITS.catchupServed;

const stage = SdkStage.forEachTest({ ...RAISED_LIMITS, ...SMALL_PAGES });
const { synced } = waitsOn(stage);

it(
  'a member who was away gets all that it is owed, once each, with a bounded share of it in hand',
  async () => {
    const authors = await Promise.all(Array.from({ length: AUTHORS }, () => stage.join()));
    const away = await stage.join();
    await Promise.all(authors.map((author) => follow(away, author)));
    await synced(away, ...authors);
    await stage.vanish(away);
    const reeds: ReedId[] = (await Promise.all(authors.map((author) => stage.publish(author, OWED / AUTHORS)))).flat();

    const back = await stage.join(away);
    const events = eventsOf(back);
    let mostWaiting = 0;
    const all = new Promise<void>((done) => {
      let held = 0;
      back.member.subscribe((event) => {
        mostWaiting = Math.max(mostWaiting, back.member.receiving.viewer.intake.waiting);
        if (event.type === 'copy' && event.state === 'held' && ++held === OWED) done();
      });
    });
    await all;
    await stage.empty();
    await back.member.idle();

    const came = back.line
      .all('in')
      .flatMap((frame) =>
        (DELIVERY_TYPES as readonly string[]).includes(frame.type) && 'reedId' in frame.body ? [frame.body.reedId] : [],
      );
    expect(came).toHaveLength(OWED);
    expect(new Set(came)).toEqual(new Set(reeds));
    expect(events.filter(({ type }) => type === 'invalid' || type === 'unsolicited' || type === 'rejected')).toEqual([]);
    // Never more than the server serves at once, so nothing was left unanswered and asked for again.
    expect(mostWaiting).toBeGreaterThan(0);
    expect(mostWaiting).toBeLessThanOrEqual(SERVED);
    expect(back.line.frames('out', 'requestReed')).toEqual([]);
    expect(back.line.frames('out', 'syncRequest')).toHaveLength(1);
    expect(await back.store.list('requests')).toEqual([]);
  },
  PATIENCE_MS,
);
