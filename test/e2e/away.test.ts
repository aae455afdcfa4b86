// What a person reads when something is not as it should be: a file that is no backup, a word that is misspelt, a server that is away; and how
// they connect as soon as it is back.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { connected, goTo, type Person, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ada: Person;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ada = await signUp(browser, server.url, server.rootInvite, 'ada');
});

afterAll(async () => {
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
