// Five members hold a conversation, each in a profile of their own: what one does, the others see, and only those who should.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './support/chromium.ts';
import { answer, card, goTo, makeInvite, openCard, type Person, publish, seesText, showsNew, signUp } from './support/person.ts';
import { PICTURES } from './support/pictures.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

const NAMES = ['ben', 'cleo', 'dora', 'eve'] as const;

let browser: Browser;
let server: RunningServer;
let [ada, ben, cleo, dora, eve] = [] as unknown as [Person, Person, Person, Person, Person];

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ada = await signUp(browser, server.url, server.rootInvite, 'ada');
  const invites: string[] = [];
  for (const _name of NAMES) invites.push(await makeInvite(ada.page));
  const others = await Promise.all(NAMES.map((name, at) => signUp(browser, server.url, invites[at] ?? '', name)));
  [ben, cleo, dora, eve] = others as [Person, Person, Person, Person];
});

afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

/** Of a test that fails, what everybody saw. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const [at, { page }] of [ada, ben, cleo, dora, eve].entries()) {
    await page.screenshot({ path: join(PICTURES, `failed-${task.id}-${at}.png`), fullPage: true });
  }
});

async function openProfileOf(page: Page, name: string): Promise<void> {
  await goTo(page, 'People');
  await page.getByLabel('Find somebody').fill(name);
  await page.getByRole('region', { name: 'Found' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function follow(page: Page, name: string): Promise<void> {
  await openProfileOf(page, name);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Unfollow' }).waitFor();
}

let pondLink = '';
const POND = 'are back at the pond';

test('a reed reaches those who follow, are named, listen to its pipe, or to everything', async () => {
  await Promise.all([follow(ben.page, 'ada'), follow(cleo.page, 'ada'), goTo(dora.page, 'Broadcast'), goTo(eve.page, 'Broadcast')]);
  await dora.page.getByText('Listening.').waitFor();
  await eve.page.getByLabel('Open a pipe').fill('#Herons');
  await eve.page.getByRole('button', { name: 'Open' }).click();
  await eve.page.getByText('You are listening').waitFor();
  pondLink = await publish(ada.page, `The #herons ${POND}, @ben.`);

  await goTo(cleo.page, 'Home');
  await Promise.all([
    seesText(cleo.page, POND),
    seesText(dora.page, POND),
    seesText(eve.page, POND),
    goTo(ben.page, 'Mentions').then(() => seesText(ben.page, POND)),
  ]);
  await card(ben.page, POND).getByRole('link', { name: '@ben' }).waitFor();
  // Whom it did not name has no mention.
  await goTo(eve.page, 'Mentions');
  await eve.page.getByText('Nobody has mentioned you yet').waitFor();
});

test('likes, replies and echoes are seen while they happen, and replies open one level at a time', async () => {
  await openCard(ada.page, POND);
  await openCard(ben.page, POND);
  await card(ben.page, POND).getByRole('button', { name: 'Like' }).click();
  await card(ben.page, POND).getByRole('button', { name: 'Liked 1' }).waitFor();
  await card(ada.page, POND).getByRole('button', { name: 'Like 1' }).waitFor();
  await answer(ben.page, 'Reply', { to: POND, text: 'How many did you count?' });
  await seesText(ada.page, 'How many did you count?');
  await card(ada.page, POND).getByRole('button', { name: 'Reply 1' }).waitFor();

  await answer(cleo.page, 'Echo', { to: POND, text: 'Go and look, everybody' });
  await showsNew(cleo.page, 'Go and look, everybody');
  await openCard(cleo.page, 'Go and look, everybody');
  await card(ada.page, POND).getByRole('button', { name: 'Echo 1' }).waitFor();

  // From the stream, where it was only looked at, opening it keeps it.
  await openCard(dora.page, POND);
  await seesText(dora.page, 'How many did you count?');
  await answer(dora.page, 'Reply', { to: 'How many did you count?', text: 'Seven, and one egret' });
  await cleo.page.getByRole('link', { name: 'Echo of ada' }).click();
  const asked = card(cleo.page, 'How many did you count?');
  await asked.getByRole('button', { name: 'Show 1 reply' }).click();
  await seesText(cleo.page, 'Seven, and one egret');

  await card(ben.page, POND).getByRole('button', { name: 'Liked 1' }).first().click();
  await card(ada.page, POND).getByRole('button', { name: 'Like', exact: true }).first().waitFor();
  await ada.page.getByRole('button', { name: 'Echoes (1)' }).click();
  await seesText(ada.page, 'Go and look, everybody');
  await goTo(ada.page, 'Mentions');
  await ada.page.getByRole('button', { name: 'Replies and echoes' }).click();
  await seesText(ada.page, 'How many did you count?');
});

test('a thread is written part by part and read as one', async () => {
  await goTo(ada.page, 'Home');
  await ada.page.getByLabel('Write a reed').fill('A walk around the marsh, first part');
  await ada.page.getByRole('button', { name: 'Add a part' }).click();
  await ada.page.getByLabel('Part 2').fill('Second part, with mud');
  await ada.page.getByRole('button', { name: 'Add a part' }).click();
  await ada.page.getByLabel('Part 3').fill('Third part, home again');
  await ada.page.getByRole('button', { name: 'Publish', exact: true }).click();
  await goTo(ben.page, 'Home');
  await showsNew(ben.page, 'first part');
  await card(ben.page, 'first part').getByRole('link', { name: 'A thread of 3 parts' }).click();
  await ben.page.locator('[data-part="3"]', { hasText: 'home again' }).waitFor();
});

test('who is blocked sees nothing more, and is told so', async () => {
  await openProfileOf(dora.page, 'ada');
  await openProfileOf(ada.page, 'dora');
  await ada.page.getByRole('button', { name: 'Block', exact: true }).click();
  const dialog = ada.page.getByRole('dialog', { name: 'Block dora?' });
  await dialog.getByText('Their device is sent your signed block').waitFor();
  await dialog.getByRole('button', { name: 'Block dora' }).click();
  await ada.page.getByText('You have blocked dora').waitFor();
  await dora.page.getByText('This member has blocked you').waitFor();
  // What dora had of ada's is gone, and is not fetched again.
  await dora.page.goto(pondLink);
  await dora.page.getByText('Its author has blocked you').waitFor();
  await goTo(dora.page, 'Broadcast');
  await goTo(eve.page, 'Broadcast');
  await publish(ada.page, 'Written after the block');
  await showsNew(eve.page, 'Written after the block');
  await goTo(cleo.page, 'Home');
  await showsNew(cleo.page, 'Written after the block');
  expect(await card(dora.page, 'Written after the block').count()).toBe(0);

  await openProfileOf(ada.page, 'dora');
  await ada.page.getByRole('button', { name: 'End the block' }).click();
  await ada.page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
  await follow(dora.page, 'ada');
});

test('what its author removes is gone for everybody, and its link says so', async () => {
  await goTo(cleo.page, 'Home');
  await seesText(cleo.page, POND);
  await goTo(ben.page, 'Mentions');
  await openCard(ben.page, POND);
  await ada.page.goto(pondLink);
  await ada.page.getByRole('button', { name: 'Remove this reed' }).click();
  const dialog = ada.page.getByRole('dialog', { name: 'Remove this reed?' });
  await dialog.getByText('What it can’t do').waitFor();
  await dialog.getByRole('button', { name: 'Remove it for everyone' }).click();
  await ada.page.getByText('You removed it').waitFor();
  await ben.page.getByText('Its author removed it').waitFor();
  await cleo.page.locator('[data-gone]').waitFor();
  for (const { page } of [ben, cleo]) expect(await card(page, POND).count()).toBe(0);
  await eve.page.goto(pondLink);
  await eve.page.locator('[data-state="removed"]').waitFor();
  expect([ada, ben, cleo, dora, eve].flatMap(({ complaints }) => complaints)).toEqual([]);
});
