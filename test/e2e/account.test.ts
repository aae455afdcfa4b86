// A member's key and account over time: a changed key, a frozen account taken back, a removed one kept after all; and a new device that gets its
// reeds back from those who have them.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { look } from './support/looks.ts';
import {
  type Backup,
  connected,
  goTo,
  keepBackup,
  makeInvite,
  openAccount,
  openReed,
  type Person,
  publish,
  seesText,
  signUp,
} from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ada: Person;
let ben: Person;
let backup: Backup;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ada = await signUp(browser, server.url, server.rootInvite, 'ada');
  ben = await signUp(browser, server.url, await makeInvite(ada.page), 'ben');
});

afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

async function giveBackup(page: Page, press: string): Promise<void> {
  await page.setInputFiles('#file', { name: 'backup.asc', mimeType: 'application/pgp-encrypted', buffer: Buffer.from(backup.file) });
  await page.fill('#words', backup.words.join(' '));
  await page.getByRole('button', { name: press }).click();
}

test('a changed key needs a new backup first, and then everything goes on', async () => {
  const { page } = ada;
  const before = await publish(page, 'Signed with the first key');
  await openReed(ben.page, before);
  await seesText(ben.page, 'Signed with the first key');
  await openAccount(page);
  const fingerprint = await page.locator('code').first().textContent();
  expect(fingerprint, 'as servers print theirs').toMatch(/^([0-9A-F]{4} ){9}[0-9A-F]{4}$/);
  await look(page, 'account');
  await page.getByRole('button', { name: 'Change the key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
  backup = await keepBackup(page);
  await connected(page);
  await openAccount(page);
  expect(await page.locator('code').first().textContent()).not.toBe(fingerprint);
  const after = await publish(page, 'Signed with the second key');
  for (const [link, text] of [
    [before, 'Signed with the first key'],
    [after, 'Signed with the second key'],
  ] as const) {
    await openReed(ben.page, link);
    await seesText(ben.page, text);
  }
  await ben.page.getByText('Kept on this device. While this tab is open').waitFor();
});

test('a new device gets back what others have of one’s own', async () => {
  const elsewhere = await openProfile(browser, server.url);
  const page = await elsewhere.open('/restore');
  await giveBackup(page, 'Open it and sign in');
  await connected(page);
  await seesText(page, 'Signed with the first key');
  await seesText(page, 'Signed with the second key');
  await ada.page.getByText('you are signed in on another device now').waitFor();
  await ada.page.getByRole('button', { name: 'Use this device again' }).click();
  await connected(ada.page);
  expect(elsewhere.complaints).toEqual([]);
  await elsewhere.context.close();
});

test('a frozen account says so, after a reload too, and is taken back with a backup', async () => {
  const { page } = ada;
  await openAccount(page);
  await page.getByRole('button', { name: 'Freeze the account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Freeze the account?' });
  await dialog.getByLabel('Why').fill('I left my laptop on a train');
  await dialog.getByRole('button', { name: 'Freeze it' }).click();
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor();
  await page.goto(server.url);
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor();
  await look(page, 'account-frozen');
  await page.getByRole('link', { name: 'Take it back' }).click();
  await look(page, 'recover');
  await giveBackup(page, 'Make a new key and take it back');
  backup = await keepBackup(page);
  await connected(page);
  await publish(page, 'Signed with the third key');
});

test('a removed account is hidden at once, and kept after all with a backup', async () => {
  const { page } = ada;
  await goTo(page, 'You');
  const profile = page.url();
  await openAccount(page);
  await page.getByRole('button', { name: 'Remove the account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the account' }).click();
  await page.getByRole('heading', { name: 'Your account is being removed' }).waitFor();
  await ben.page.goto(profile);
  await ben.page.locator('[data-state="NOT_FOUND"], [data-state="REMOVED"]').waitFor();
  await goTo(page, 'Home');
  await look(page, 'account-leaving');
  await page.getByRole('link', { name: 'Keep it after all' }).click();
  await giveBackup(page, 'Keep the account');
  await connected(page);
  await ben.page.reload();
  await ben.page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
  const refused = /status of (4\d\d|503)/;
  expect([...ada.complaints, ...ben.complaints].filter((line) => !refused.test(line))).toEqual([]);
});

test('what nobody online has is waited for on a new device, and told', async () => {
  await ben.context.close();
  const elsewhere = await openProfile(browser, server.url);
  const page = await elsewhere.open('/restore');
  await giveBackup(page, 'Open it and sign in');
  await connected(page);
  await page.getByText(/waits? for somebody who is not online/).waitFor();
  await look(page, 'recall-waiting');
  expect(elsewhere.complaints).toEqual([]);
  await elsewhere.context.close();
});
