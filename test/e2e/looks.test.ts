// Every page at phone and desktop width, light and dark: nothing wider than the screen, everything named for a screen reader,
// reachable by keyboard. Pictures are left in a folder for a person to look at.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { connected, keepBackup, publish, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

const FOLDER = process.env['WEB_PICTURES'] ?? join(tmpdir(), 'reedbed-pictures');
const SIZES = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1280, height: 800 },
] as const;

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  server = await startServer();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

/** What a page must not have: things wider than the screen, controls without a name, two things with one id. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push(`wider than the screen by ${root.scrollWidth - root.clientWidth}`);
    for (const control of document.querySelectorAll<HTMLElement>('a[href], button, input, textarea')) {
      const labels = (control as HTMLInputElement).labels ?? [];
      const name = control.ariaLabel || [...labels].map((label) => label.textContent).join('') || control.textContent?.trim();
      if (!name) faults.push(`no name: ${control.outerHTML.slice(0, 80)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    if (new Set(ids).size !== ids.length) faults.push(`an id twice: ${ids.join(' ')}`);
    if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one main heading');
    return faults;
  });

async function look(page: Page, name: string): Promise<void> {
  for (const { name: size, width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`), fullPage: true });
    }
    expect({ name, size, faults: await faultsOf(page) }).toEqual({ name, size, faults: [] });
  }
}

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
  await page.getByText('You have written nothing yet').waitFor();
  await look(page, 'home-empty');

  await page.locator('#reed').focus();
  await page.keyboard.type('Written without a mouse');
  await page.keyboard.press('Control+Enter');
  await page.locator('#published').waitFor();
  const link = await publish(page, 'A second one, with\nlines and a long word: '.concat('x'.repeat(200)));
  await page.getByRole('button', { name: 'Make an invite link' }).click();
  await page.locator('#invite-link').waitFor();
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

  const reader = await signUp(browser, server.url, server.url.concat(await inviteOf(profile.open('/'))), 'ben');
  await profile.context.close();
  await reader.page.goto(link);
  await reader.page.locator('[data-state="nobody-online"]').waitFor();
  await look(reader.page, 'reed-nobody-online');
  expect(reader.complaints).toEqual([]);
  await reader.context.close();
});

async function inviteOf(opening: Promise<Page>): Promise<string> {
  const page = await opening;
  await page.getByRole('button', { name: 'Make an invite link' }).click();
  const { pathname, hash } = new URL(await page.locator('#invite-link').inputValue());
  return pathname + hash;
}
