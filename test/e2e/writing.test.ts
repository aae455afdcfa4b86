// Writing as a newcomer does: what is published is no draft any more, names are picked without losing the place, an answer says that it was
// written where it was written. Whom they answer is a member without a browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { connected, goTo, type Person, seesText, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ben: Member;
let ada: Person;
let page: Page;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ben = await makeMember(server, { name: 'ben', invite: server.rootInvite });
  ada = await signUp(browser, server.url, await ben.createInvite(), 'ada');
  page = ada.page;
});

afterAll(async () => {
  await ben?.close();
  await browser?.close();
  await server?.dispose();
});

const benId = (): UserId => ben.account?.user as UserId;
const card = (text: string) => page.locator('article', { has: page.locator('.text', { hasText: text }) }).first();
const drafts = (): Promise<string[]> => page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('reedbed-draft')));
const openBen = (): Promise<unknown> => page.goto(`${server.url}/profile/${encodeURIComponent(benId())}`);

/** Of ada's newest reed, as ben knows it. */
async function answeredId(): Promise<ReedId> {
  const { value } = await ben.lists.people('ada').next();
  const ada = value?.[0]?.user as UserId;
  await ben.receiving.profilePage(ada, 1);
  const newest = async (): Promise<ReedId | undefined> => (await ben.receiving.timeline({ kind: 'profile', user: ada })).copies[0]?.id;
  await expect.poll(newest).toBeDefined();
  return (await newest()) as ReedId;
}

async function says(text: string): Promise<void> {
  await (await ben.publish({ text })).published;
}

test('a name is picked by keys or a press, anywhere in the text, and one goes on writing behind it', async () => {
  const box = page.locator('#reed');
  await box.fill('Thanks , see you');
  await box.press('Home');
  for (let sign = 0; sign < 'Thanks '.length; sign++) await box.press('ArrowRight');
  await box.pressSequentially('@be');
  const offered = page.getByRole('button', { name: '@ben', exact: true });
  await offered.waitFor();
  await look(page, 'w-suggested');
  await box.press('Enter');
  await page.keyboard.type('and all');
  expect(await box.inputValue()).toBe('Thanks @ben and all, see you');
  await offered.waitFor({ state: 'detached' });

  await box.fill('');
  await box.pressSequentially('First @b');
  await offered.click();
  await page.keyboard.type('second');
  expect(await box.inputValue()).toBe('First @ben second');
  // A whole name is nobody else's beginning: Enter is a new line then.
  await box.fill('');
  await box.pressSequentially('@ben');
  await page.getByText('Mentions ben').waitFor();
  await box.press('Enter');
  expect(await box.inputValue()).toBe('@ben\n');
  await box.fill('');
});

test('a published answer is no draft any more, and says that it was written without moving what stands below', async () => {
  await says('Above the one that is answered');
  await says('Who has seen the bittern?');
  await says('Below it at first, then above');
  await openBen();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Unfollow' }).waitFor();
  await seesText(page, 'Above the one that is answered');
  const asked = card('Who has seen the bittern?');
  await asked.getByRole('button', { name: 'Reply' }).click();
  await asked.locator('textarea').fill('I have, twice');
  await page.waitForFunction(() => Object.values(localStorage).some((kept) => String(kept).includes('I have, twice')));
  const below = card('Above the one that is answered');
  const before = await below.boundingBox();
  await page.keyboard.press('Control+Enter');
  await asked.getByText('Written and signed').waitFor();
  expect((await below.boundingBox())?.y).toBe(before?.y);
  expect(await drafts()).toEqual([]);
  await look(page, 'w-answered');
  await asked.getByRole('button', { name: 'Reply' }).click();
  expect(await asked.locator('textarea').inputValue()).toBe('');
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await asked.getByRole('button', { name: 'Reply' }).click();
  await asked.locator('textarea').fill('And once more');
  await asked.getByRole('button', { name: 'Publish' }).click();
  await asked.getByRole('link', { name: 'Open it' }).click();
  await seesText(page, 'And once more');
  await page.reload();
  await connected(page);
  expect(await drafts()).toEqual([]);
});

test('at home an answer is written in the middle of the list, and nothing moves', async () => {
  await goTo(page, 'Home');
  await seesText(page, 'Who has seen the bittern?');
  const asked = card('Who has seen the bittern?');
  await asked.getByRole('button', { name: 'Reply' }).click();
  await asked.locator('textarea').fill('A third time');
  const before = await asked.boundingBox();
  await page.keyboard.press('Control+Enter');
  await asked.getByText('Written and signed').waitFor();
  await page.getByRole('button', { name: '1 new reed, show' }).waitFor();
  expect((await asked.boundingBox())?.y).toBe(before?.y);
  await page.getByRole('button', { name: '1 new reed, show' }).click();
  await seesText(page, 'A third time');
});

test('an echo says that its author is not told by it alone, and offers to name them', async () => {
  const echoed = card('Below it at first, then above');
  await echoed.getByRole('button', { name: 'Echo' }).click();
  await echoed.getByText('An echo alone does not go to ben').waitFor();
  await look(page, 'w-echo');
  await echoed.locator('textarea').fill('Look');
  await echoed.getByRole('button', { name: 'Mention ben' }).click();
  await page.keyboard.type('!');
  expect(await echoed.locator('textarea').inputValue()).toBe('Look @ben !');
  await echoed.getByText('ben is named in it').waitFor();
  await echoed.getByRole('button', { name: 'Publish' }).click();
  await echoed.getByText('Written and signed').waitFor();
});

test('what was read on its author’s profile is not new at home', async () => {
  await openBen();
  await seesText(page, 'Who has seen the bittern?');
  await says('Read where it was written');
  const news = page.getByRole('button', { name: '1 new reed, show' });
  await news.waitFor();
  const home = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home', exact: true });
  await home.getByText('1', { exact: true }).waitFor();
  await news.click();
  await seesText(page, 'Read where it was written');
  await home.locator('.fresh').waitFor({ state: 'detached' });
});

test('a mark on one of the two lists of mentions moves nothing', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await goTo(page, 'Mentions');
  await page.getByText('Nobody has mentioned you yet').waitFor();
  const title = page.getByRole('heading', { level: 2 });
  const before = await title.boundingBox();
  await (await ben.publish({ text: 'An answer of mine', replyTo: await answeredId() })).published;
  await page.getByRole('group', { name: 'Which list' }).locator('.fresh').waitFor();
  expect(await title.boundingBox()).toEqual(before);
  await look(page, 'w-mentions-mark');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a pipe says that it does not list everything', async () => {
  await page.goto(`${server.url}/pipe/herons`);
  await page.getByText('there may be more that others have').waitFor();
  await look(page, 'w-pipe');
});

test('all copies of an author are given up at once, after asking', async () => {
  await page.goto(`${server.url}/device`);
  await page.getByText('it lets Reedbed have').waitFor();
  await page.getByRole('button', { name: /^By others \(\d/ }).click();
  await page.getByText('By whom').click();
  const [whole, mark] = [card('Who has seen the bittern?'), card('Who has seen the bittern?').locator('header > [aria-hidden]')];
  expect((await mark.boundingBox())?.y).toBeGreaterThan((await whole.boundingBox())?.y ?? 0);
  await look(page, 'w-device');
  await page.getByRole('button', { name: 'Give up all by ben' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete these copies' }).click();
  await page.getByRole('button', { name: 'By others (0)' }).waitFor();
  await page.getByText('Nothing of others is kept here yet').waitFor();
});

test('what was begun goes with the account', async () => {
  await goTo(page, 'Home');
  await page.fill('#reed', 'Begun and never published');
  await page.waitForFunction(() => Object.values(localStorage).some((kept) => String(kept).includes('Begun and')));
  await page.goto(`${server.url}/account`);
  await page.getByRole('button', { name: 'Remove the account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the account' }).click();
  await page.getByRole('heading', { name: 'Your account is being removed' }).waitFor();
  await expect.poll(drafts).toEqual([]);
  const refused = /status of (4\d\d|503)/;
  expect(ada.complaints.filter((line) => !refused.test(line))).toEqual([]);
});
