// What a person does in the app, step by step as they would, waiting for what they would see.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { openProfile, type Profile } from './chromium.ts';

const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];

export type Backup = { readonly file: string; readonly words: readonly string[] };
export type Person = Profile & { readonly page: Page; readonly backup: Backup };

/** Saves the backup and shows that its words are known; ends on whatever page comes next. */
export async function keepBackup(page: Page): Promise<Backup> {
  await page.waitForSelector('a[download]');
  const words = await page.locator('.words .word').allTextContents();
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[download]')]);
  const asked = await page.locator('label[for=word]').textContent();
  const at = PLACES.findIndex((place) => asked?.includes(place));
  await page.fill('#word', words[at] ?? '');
  await page.getByRole('button', { name: 'I have both, go on' }).click();
  await page.waitForSelector('label[for=word]', { state: 'detached' });
  return { file: await readFile(await download.path(), 'utf8'), words };
}

/** Opens an invite in a new profile, signs up and keeps the backup; the page is then home and connected. */
export async function signUp(browser: Browser, origin: string, invite: string, name: string): Promise<Person> {
  const profile = await openProfile(browser, origin);
  const page = await profile.open(invite);
  await page.waitForSelector('text=The invite is good');
  await page.fill('#name', name);
  await page.getByRole('button', { name: 'Make my key and join' }).click();
  const backup = await keepBackup(page);
  await connected(page);
  return { ...profile, page, backup };
}

export async function connected(page: Page): Promise<void> {
  await page.waitForSelector('[role=status][data-phase=online]');
}

/** Writes a reed on the home page; gives its link once the server has taken it. */
/** Presses a button and gives the link that then stands in a field; the one before stays in it until the new one is there. */
async function newLink(page: Page, field: string, press: () => Promise<void>): Promise<string> {
  const input = page.locator(field);
  const before = (await input.count()) > 0 ? await input.inputValue() : '';
  await press();
  const made = await page.waitForFunction(
    ([selector, old]) => {
      const value = document.querySelector<HTMLInputElement>(selector ?? '')?.value ?? '';
      return value !== old && value;
    },
    [field, before],
  );
  return String(await made.jsonValue());
}

export async function publish(page: Page, text: string): Promise<string> {
  await page.fill('#reed', text);
  const link = await newLink(page, '#published', () => page.getByRole('button', { name: 'Publish', exact: true }).click());
  const reedId = decodeURIComponent(new URL(link).pathname.slice('/reed/'.length));
  await page.locator(`article[data-reed="${reedId}"]`).waitFor();
  await page.locator(`article[data-reed="${reedId}"] .tag`).waitFor({ state: 'detached' });
  return link;
}

export const makeInvite = (page: Page): Promise<string> =>
  newLink(page, '#invite-link', () => page.getByRole('button', { name: /^Make (an invite link|another)$/ }).click());

export async function openReed(page: Page, link: string): Promise<void> {
  await page.goto(link);
}

export async function seesText(page: Page, text: string): Promise<void> {
  await page.locator('article .text', { hasText: text }).waitFor();
}
