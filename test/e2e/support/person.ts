// What a person does in the app, step by step as they would, waiting for what they would see.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { openProfile, type Profile } from './chromium.ts';

/** Of the words of a backup, as the page calls them. */
export const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];

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

/** Goes to one of the app's places by its navigation. */
export async function goTo(page: Page, place: 'Home' | 'Broadcast' | 'Mentions' | 'People' | 'You'): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();
}

/** Presses a button and gives what an element then says; what it said before stays in it until then. */
async function newValue(page: Page, element: string, press: () => Promise<void>): Promise<string> {
  const read = ([selector, old]: readonly [string, string]): string | false => {
    const found = document.querySelector<HTMLInputElement | HTMLAnchorElement>(selector);
    const value = found instanceof HTMLAnchorElement ? found.href : (found?.value ?? '');
    return value !== old && value;
  };
  const before = (await page.evaluate(read, [element, ''] as const)) || '';
  await press();
  return String(await (await page.waitForFunction(read, [element, before] as const)).jsonValue());
}

/** Writes a reed on the home page; gives its link once the server has taken it. */
export async function publish(page: Page, text: string): Promise<string> {
  await goTo(page, 'Home');
  await page.fill('#reed', text);
  const link = await newValue(page, '#published', () => page.getByRole('button', { name: 'Publish', exact: true }).click());
  const reedId = decodeURIComponent(new URL(link).pathname.slice('/reed/'.length));
  await page.locator(`article[data-reed="${reedId}"]`).waitFor();
  await page.locator(`article[data-reed="${reedId}"] .tag`).waitFor({ state: 'detached' });
  return link;
}

export async function makeInvite(page: Page): Promise<string> {
  await goTo(page, 'People');
  return newValue(page, '#invite-link', () => page.getByRole('button', { name: /^Make (an invite link|another)$/ }).click());
}

export async function openReed(page: Page, link: string): Promise<void> {
  await page.goto(link);
}

export async function seesText(page: Page, text: string): Promise<void> {
  await page.locator('article .text', { hasText: text }).first().waitFor();
}

/** The card of the reed with this text, in a list or alone. */
export const card = (page: Page, text: string) => page.locator('article', { has: page.locator('.text', { hasText: text }) });

/** Opens a reed's own page from a list. */
export async function openCard(page: Page, text: string): Promise<void> {
  await card(page, text).locator('time').first().click();
  await page.getByRole('group', { name: 'Replies or echoes' }).waitFor();
}

export async function answer(page: Page, how: 'Reply' | 'Echo', { to, text }: { to: string; text: string }): Promise<void> {
  const about = card(page, to).first();
  await about.getByRole('button', { name: how }).first().click();
  await about.locator('textarea').fill(text);
  await about.getByRole('button', { name: 'Publish' }).click();
  await about.locator('textarea').waitFor({ state: 'detached' });
}

/** Waits for a text in a list that is being read: what came meanwhile is counted, and shown when one asks for it. */
export async function showsNew(page: Page, text: string): Promise<void> {
  const news = page.getByRole('button', { name: /^\d+ new reeds?, show$/ });
  await news.or(card(page, text)).first().waitFor();
  if ((await card(page, text).count()) === 0) await news.click();
  await seesText(page, text);
}

export async function openAccount(page: Page): Promise<void> {
  await goTo(page, 'You');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Your key, freezing or removing the account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Key and account' }).waitFor();
}
