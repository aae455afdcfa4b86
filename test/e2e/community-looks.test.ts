// The community's pages with something on them, at both widths, light and dark. What others do is done by members without a browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { goTo, type Person, publish, seesText, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ada: Person;
const others: Record<string, Member> = {};

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  const ben = await makeMember(server, { name: 'ben', invite: server.rootInvite });
  others['ben'] = ben;
  for (const name of ['cleo', 'dora', 'Magdalena.of-the-reeds'])
    others[name] = await makeMember(server, { name, invite: await ben.createInvite() });
  ada = await signUp(browser, server.url, await ben.createInvite(), 'ada');
});

afterAll(async () => {
  for (const member of Object.values(others)) await member.close();
  await browser?.close();
  await server?.dispose();
});

const named = (name: string): Member => {
  const member = others[name];
  if (!member) throw new Error(`nobody is called ${name}`);
  return member;
};
const idOf = (name: string): UserId => named(name).account?.user as UserId;

async function say(name: string, text: string, about: { replyTo?: ReedId; echoOf?: ReedId } = {}): Promise<ReedId> {
  const { reedId, published } = await named(name).publish({ text, ...about });
  await published;
  return reedId;
}

const openPath = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${server.url}${path}`);
};
const pathOf = (reedId: string): string => `/reed/${encodeURIComponent(reedId)}`;

let pond: ReedId;

test('home, the community stream and a pipe', async () => {
  const { page } = ada;
  const me = (await page.locator('footer .me').getAttribute('title')) as UserId;
  await named('ben').editProfile({ bio: 'Counts birds before breakfast.\nKeeps this server’s backups.' });
  await openPath(page, `/profile/${encodeURIComponent(idOf('ben'))}`);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Unfollow' }).waitFor();
  await goTo(page, 'Home');

  pond = await say(
    'ben',
    `Seven #herons at the pond this morning, @${me}. Photos never do them justice; go and look: https://example.org/pond?at=dawn`,
  );
  await named('ben').editProfile({ pinned: pond });
  const { published } = await named('ben').publish({
    texts: ['A walk around the marsh.', 'Then there was mud, and after it more #mud.', 'Home again, wet.'],
  });
  await published;
  const own = await publish(page, `My first reed. It has a long word: ${'reed'.repeat(40)}`);
  const ownId = decodeURIComponent(new URL(own).pathname.slice('/reed/'.length)) as ReedId;
  await say('ben', 'Welcome! What brings you here?', { replyTo: ownId });
  await page.getByRole('button', { name: /new reeds?, show$/ }).click();
  await page.getByLabel('Write a reed').fill(`Thanks @ben and @nobody-here, see #birds`);
  await page.getByText('Mentions ben').waitFor();
  await look(page, 'c-home');
  await page.getByLabel('Write a reed').fill('');

  await goTo(page, 'Broadcast');
  await page.getByText('Listening.').waitFor();
  await say('dora', 'Anybody with a spare pair of boots, size 39?');
  await seesText(page, 'spare pair of boots');
  // Whoever was sent one less than a second ago is not sent the next: then it counts as gone by.
  const news = page.getByRole('button', { name: /^\d+ new reeds?, show$/ });
  while ((await news.count()) === 0) await say('cleo', 'Boots? Ask in #boots.');
  await look(page, 'c-broadcast');

  await openPath(page, '/pipe/herons');
  await page.getByText('You are listening').waitFor();
  await seesText(page, 'Seven #herons');
  // The server takes a sync once in five seconds: until then a page that was loaded anew is told of nothing.
  while ((await news.count()) === 0) await say('cleo', 'There are #herons at the canal, too.');
  await news.click();
  await look(page, 'c-pipe');
});

test('a reed with its replies, and where one is named and answered', async () => {
  const { page } = ada;
  const counted = await say('cleo', 'How many did you count?', { replyTo: pond });
  await say(
    'Magdalena.of-the-reeds',
    'I was there, too, and saw none. It depends on where one stands, and on the hour, and on the light.',
    { replyTo: pond },
  );
  const deeper = await say('ben', 'Seven.', { replyTo: counted });
  await say('dora', 'Seven and an egret.', { replyTo: deeper });
  await say('dora', 'Go and look, everybody', { echoOf: pond });
  await (await named('cleo').relations.like(pond)).accepted;
  await openPath(page, pathOf(pond));
  await seesText(page, 'I was there, too');
  await page.getByRole('button', { name: 'Show 2 replies' }).click();
  await seesText(page, 'Seven.');
  await page.getByRole('button', { name: 'Show 1 reply' }).click();
  await seesText(page, 'Seven and an egret');
  await page.getByRole('button', { name: 'Like 1' }).first().click();
  await page.getByRole('button', { name: 'Liked 2' }).waitFor();
  await page
    .getByRole('button', { name: /^Reply/ })
    .first()
    .click();
  await look(page, 'c-reed');

  await goTo(page, 'Mentions');
  await seesText(page, 'Seven #herons');
  await look(page, 'c-mentions');
  await page.getByRole('button', { name: 'Replies and echoes' }).click();
  await seesText(page, 'Welcome!');
  await look(page, 'c-answers');
});

test('people, their profiles and a block', async () => {
  const { page } = ada;
  await goTo(page, 'People');
  await page.getByRole('region', { name: 'You follow' }).getByRole('link', { name: 'ben' }).waitFor();
  await look(page, 'c-people');
  await page.getByLabel('Find somebody').fill('mag');
  await page.getByRole('link', { name: 'Magdalena' }).waitFor();
  await look(page, 'c-people-search');
  await page.getByRole('link', { name: 'Magdalena' }).click();
  await page.getByRole('heading', { level: 1, name: 'Magdalena' }).waitFor();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await look(page, 'c-block');
  await page.getByRole('button', { name: /^Block Magda/ }).click();
  await page.getByText('You have blocked').waitFor();
  await look(page, 'c-profile-blocked');

  await openPath(page, `/profile/${encodeURIComponent(idOf('ben'))}`);
  await seesText(page, 'Seven #herons');
  await seesText(page, 'A walk around');
  await look(page, 'c-profile');
  await page.getByRole('link', { name: /follower/ }).click();
  await page.getByRole('link', { name: 'ada' }).waitFor();
  await look(page, 'c-followers');
  expect(ada.complaints).toEqual([]);
});

test('the pages about oneself, and what is left of what was removed', async () => {
  const { page } = ada;
  await goTo(page, 'You');
  await seesText(page, 'My first reed');
  await look(page, 'c-you');
  await page.getByRole('link', { name: 'On this device' }).click();
  await page.getByText('By you (').waitFor();
  await look(page, 'c-device');
  await goTo(page, 'You');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('About you').fill('New here.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('region', { name: 'Blocked' }).getByRole('link', { name: 'Magdalena' }).waitFor();
  await look(page, 'c-settings');

  await goTo(page, 'Home');
  await page
    .locator('article', { hasText: 'A walk around' })
    .getByRole('link', { name: /A thread of 3/ })
    .click();
  await page.locator('[data-part="3"]').waitFor();
  await look(page, 'c-thread');
  await goTo(page, 'Home');
  await page
    .locator('article', { has: page.locator('.text', { hasText: 'My first reed' }) })
    .locator('time')
    .click();
  await page.getByRole('button', { name: 'Remove this reed' }).click();
  await look(page, 'c-remove');
  await page.getByRole('button', { name: 'Remove it for everyone' }).click();
  await page.getByText('You removed it').waitFor();
  await look(page, 'c-removed');

  await (await named('dora').relations.block((await page.locator('footer .me').getAttribute('title')) as UserId)).accepted;
  await openPath(page, `/profile/${encodeURIComponent(idOf('dora'))}`);
  await page.getByText('This member has blocked you').waitFor();
  await look(page, 'c-profile-blocks-me');
  expect(ada.complaints).toEqual([]);
});
