// What a person reads when something is not as it should be: a file that is no backup, a word that is misspelt, a server that is away; and how
// they connect as soon as it is back.
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium, openProfile } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { card, connected, goTo, makeInvite, type Person, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ada: Person;
let ben: Member;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ada = await signUp(browser, server.url, server.rootInvite, 'ada');
  ben = await makeMember(server, { name: 'ben', invite: await makeInvite(ada.page) });
});

afterAll(async () => {
  await ben?.close();
  await browser?.close();
  await server?.dispose();
});

test('a file that is no backup is called that, and a misspelt word is named', async () => {
  const elsewhere = await openProfile(browser, server.url);
  const page = await elsewhere.open('/restore');
  const give = async (file: string, words: readonly string[]): Promise<void> => {
    await page.setInputFiles('#file', { name: 'backup.asc', mimeType: 'text/plain', buffer: Buffer.from(file) });
    await page.fill('#words', words.join(' '));
    await page.getByRole('button', { name: 'Open it and sign in' }).click();
  };
  const { file, words } = ada.backup;
  await give('my shopping list', words);
  await page.getByText('This file is not a Reedbed backup').waitFor();
  await give(file, ['xylofone', ...words.slice(1)]);
  await page.getByText('“xylofone” is none of the words').waitFor();
  await look(page, 'x-restore-misspelt');
  expect(elsewhere.complaints).toEqual([]);
  await elsewhere.context.close();
});

test('a name that could not be had is looked for again, and stands there without a press', async () => {
  const { page, context } = ada;
  const [anyUser, refuse] = [/\/users\//, (route: Route): Promise<void> => route.abort()];
  await context.route(anyUser, refuse);
  await goTo(page, 'Broadcast');
  await (await ben.publish({ text: 'Who am I?' })).published;
  await card(page, 'Who am I?')
    .getByRole('link', { name: /^member / })
    .waitFor();
  await context.unroute(anyUser, refuse);
  await card(page, 'Who am I?').getByRole('link', { name: 'ben', exact: true }).waitFor();
});

test('a server that is away is told as that without moving the page, and is tried again at a press', async () => {
  const { page } = ada;
  await goTo(page, 'People');
  const invite = page.getByRole('heading', { name: 'Invite someone' });
  await page.getByText('You follow nobody yet').waitFor();
  const before = await invite.boundingBox();
  await server.stop();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  await page.getByText('The server can’t be reached').first().waitFor();
  expect(await invite.boundingBox()).toEqual(before);
  await look(page, 'x-people-away');
  server = await startServer(server);
  await page.getByRole('button', { name: 'Try now' }).click();
  await connected(page);
  await page.getByText('You follow nobody yet').waitFor();
});
