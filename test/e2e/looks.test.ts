// Every page at phone and desktop width, light and dark: nothing wider than the screen, everything named for a screen reader,
// reachable by keyboard. Pictures are left in a folder for a person to look at.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { connected, keepBackup, makeInvite, publish, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

test('pages for someone who is not a member', async () => {
  const stranger = await openProfile(browser, server.url);
  const page = await stranger.open('/');
  await page.getByText('You need an invite from a member').waitFor();
  await look(page, 'welcome');
  await page.goto(`${server.url}/reed/${encodeURIComponent('aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb/01890000-0000-7000-8000-000000000000')}`);
  await page.getByText('This reed is for members').waitFor();
  await look(page, 'reed-for-members');
  await page.goto(`${server.url}/restore`);
  await page.getByText('Come back with your backup').waitFor();
  await look(page, 'restore');
  await page.goto(`${server.url}/join#nothing`);
  await page.getByText('This invite doesn’t open').waitFor();
  await look(page, 'join-refused');
  await page.goto(`${server.url}/about`);
  await page.getByText('New members come by invite').waitFor();
  await page.getByText(/^([0-9A-F]{4} ){9}[0-9A-F]{4}$/).waitFor();
  await look(page, 'about');
  await page.goto(`${server.url}/nowhere`);
  await page.getByText('There is no such page').waitFor();
  await look(page, 'unknown');
  expect(stranger.complaints).toEqual([]);
  await stranger.context.close();
});

test('signing up by keyboard alone, and the pages of a member', async () => {
  const profile = await openProfile(browser, server.url);
  const page = await profile.open(server.rootInvite);
  await page.getByText('The invite is good').waitFor();
  await look(page, 'join');
  await page.locator('#name').focus();
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await page.waitForSelector('a[download]');
  await look(page, 'backup');
  await keepBackup(page);
  await connected(page);
  await page.getByText('Nothing here yet').waitFor();
  await look(page, 'home-empty');

  await page.locator('#reed').focus();
  await page.keyboard.type('Written without a mouse');
  await page.keyboard.press('Control+Enter');
  await page.locator('#published').waitFor();
  const link = await publish(page, 'A second one, with\nlines and a long word: '.concat('x'.repeat(200)));
  await look(page, 'home');

  await page.goto(link);
  await page.locator('summary').click();
  await look(page, 'reed');
  const unknown = link.replace(/.{4}$/, '0000');
  await page.goto(unknown);
  await page.getByText('There is no such reed').waitFor();
  await look(page, 'reed-not-found');
  await page.goto(`${server.url}/about`);
  await page.getByText('What it keeps about you').waitFor();
  await look(page, 'about-member');
  expect(profile.complaints).toEqual([]);

  const reader = await signUp(browser, server.url, await makeInvite(await profile.open('/')), 'ben');
  await profile.context.close();
  await reader.page.goto(link);
  await reader.page.locator('[data-state="nobody-online"]').waitFor();
  await look(reader.page, 'reed-nobody-online');
  expect(reader.complaints).toEqual([]);
  await reader.context.close();
});
