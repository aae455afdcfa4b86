// Somebody's first day: a wrong link and a taken name, the backup that survives a reload, an empty home that says where to go, and what is new told
// by marks. Those they meet are members without a browser.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { UserId } from '../../src/wire/address.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium, openProfile, type Profile } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { connected, goTo, keepBackup, PLACES, seesText } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

let browser: Browser;
let server: RunningServer;
let ben: Member;
let dora: Member;
let ada: Profile;
let page: Page;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium();
  ben = await makeMember(server, { name: 'ben', invite: server.rootInvite });
  dora = await makeMember(server, { name: 'dora', invite: await ben.createInvite() });
  ada = await openProfile(browser, server.url);
});

afterAll(async () => {
  for (const member of [ben, dora]) await member?.close();
  await browser?.close();
  await server?.dispose();
});

const idOf = ({ account }: Member): UserId => account?.user as UserId;
const place = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const openProfileOf = (member: Member): Promise<unknown> => page.goto(`${server.url}/profile/${encodeURIComponent(idOf(member))}`);

async function says(member: Member, text: string): Promise<void> {
  await (await member.publish({ text })).published;
}

test('a link that does not open takes another one, and a name that is taken is forgotten with the next sign', async () => {
  page = await ada.open('/join#not.an.invite');
  await page.getByText('This invite doesn’t open').waitFor();
  await look(page, 'n-join-refused');
  await page.fill('#invite', 'https://reeds.example/without-a-secret');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('That is not an invite link').waitFor();
  await page.fill('#invite', await ben.createInvite());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The invite is good').waitFor();
  await page.fill('#name', 'BEN');
  await page.getByRole('button', { name: 'Make my key and join' }).click();
  await page.getByText('already has this name').waitFor();
  await page.locator('#name').press('End');
  await page.locator('#name').pressSequentially('n');
  await page.getByText('already has this name').waitFor({ state: 'detached' });
  await page.fill('#name', 'ada');
  await page.getByRole('button', { name: 'Make my key and join' }).click();
  await page.waitForSelector('a[download]');
});

test('the backup page shows the same words and the same file after a reload, and says what is wrong with a word', async () => {
  const words = await page.locator('.words .word').allTextContents();
  expect(
    words.every((word) => /^[a-z]+$/.test(word)),
    words.join(' '),
  ).toBe(true);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[download]')]);
  const before = await readFile(await download.path(), 'utf8');
  await page.reload();
  await page.waitForSelector('a[download]');
  expect(await page.locator('.words .word').allTextContents()).toEqual(words);

  const label = (await page.locator('label[for=word]').textContent()) ?? '';
  const asked = PLACES.findIndex((name) => label.includes(name));
  const goOn = page.getByRole('button', { name: 'I have both, go on' });
  await page.fill('#word', 'xylophone');
  await goOn.click();
  await page.getByText(`“xylophone” is not the ${PLACES[asked]} word. Look at number ${asked + 1} on your paper`).waitFor();
  await look(page, 'n-backup-wrong-word');
  const other = (asked + 1) % words.length;
  await page.fill('#word', words[other] ?? '');
  await goOn.click();
  await page.getByText(`is the ${PLACES[other]} word. The ${PLACES[asked]} one is asked for`).waitFor();
  await page.fill('#word', words[asked] ?? '');
  await goOn.click();
  await page.getByText('Download the file too, above').waitFor();
  expect((await keepBackup(page)).file).toBe(before);
  await connected(page);
  // Nothing of it is left on the device.
  const left = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((done, failed) => {
      const opening = indexedDB.open('reedbed');
      opening.onsuccess = () => done(opening.result);
      opening.onerror = () => failed(opening.error);
    });
    const keys = await new Promise<IDBValidKey[]>((done) => {
      const asking = database.transaction('secrets').objectStore('secrets').getAllKeys();
      asking.onsuccess = () => done(asking.result);
    });
    database.close();
    return keys;
  });
  expect(left.sort()).toEqual(['keys', 'sealing-key']);
});

test('an empty home leads to people and the stream, and to who sent the invite', async () => {
  await page.getByText('Nothing here yet').waitFor();
  await page.getByRole('link', { name: 'Listen to the whole community' }).waitFor();
  await look(page, 'n-home-empty');
  await page.getByRole('region', { name: 'Whom you may know' }).getByRole('link', { name: 'ben' }).click();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('button', { name: 'Unfollow' }).waitFor();
  await goTo(page, 'People');
  await page.getByRole('region', { name: 'You follow' }).getByText('ben').waitFor();
  expect(await page.getByRole('region', { name: 'Whom you may know' }).getByText('ben').count()).toBe(0);
});

test('what came and was not looked at is marked, and the mark goes when it is', async () => {
  const me = (await page.locator('footer .me').getAttribute('title')) ?? '';
  await says(ben, 'One for home');
  await says(ben, `One for you, @${me}`);
  await place('Home').getByText('2').waitFor();
  await place('Mentions').getByText('1').waitFor();
  expect(await place('Mentions').getAttribute('title')).toBe('1 new');
  await page.getByText('keeping 2 reeds by others').waitFor();
  await look(page, 'n-people-marks');
  await goTo(page, 'Home');
  await seesText(page, 'One for home');
  await place('Home').locator('.fresh').waitFor({ state: 'detached' });
  // Below a list that is being read it is new until it is shown.
  await says(ben, 'Another one for home');
  await page.getByRole('button', { name: '1 new reed, show' }).waitFor();
  await place('Home').getByText('1').waitFor();
  await page.getByRole('button', { name: '1 new reed, show' }).click();
  await place('Home').locator('.fresh').waitFor({ state: 'detached' });
  await page.reload();
  await connected(page);
  await place('Mentions').getByText('1').waitFor();
  expect(await place('Home').locator('.fresh').count()).toBe(0);
  await goTo(page, 'Mentions');
  await seesText(page, 'One for you');
  await place('Mentions').locator('.fresh').waitFor({ state: 'detached' });
});

test('what a bio names is linked, and nothing in it is markup', async () => {
  await ben.editProfile({ bio: `Counts #herons with @${idOf(dora)}, see https://example.org/herons. <b>Not bold</b>` });
  await openProfileOf(ben);
  const bio = page.locator('.bio');
  await bio.getByRole('link', { name: '#herons' }).waitFor();
  await bio.getByRole('link', { name: '@dora' }).waitFor();
  expect(await bio.getByRole('link', { name: 'https://example.org/herons' }).getAttribute('rel')).toContain('noreferrer');
  await bio.getByText('<b>Not bold</b>').waitFor();
  await look(page, 'n-profile-bio');
});

test('a block is ended where the blocked are listed', async () => {
  await openProfileOf(dora);
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Block dora' }).click();
  await page.getByText('You have blocked dora').waitFor();
  await page.goto(`${server.url}/settings`);
  await page.getByRole('button', { name: 'End the block of dora' }).waitFor();
  await look(page, 'n-settings-blocks');
  await page.getByRole('button', { name: 'End the block of dora' }).click();
  await page.getByText('Nobody.').waitFor();
  await openProfileOf(dora);
  await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
});

test.each([
  ['desktop', 1280, 800],
  ['phone', 390, 844],
])('an answer is written above what stays at the bottom of the screen: %s', async (name, width, height) => {
  await page.setViewportSize({ width, height });
  await page.goto(server.url);
  await seesText(page, 'One for home');
  for (let written = 0; written < 8; written++) await says(ben, `Line ${written}\n\n\nof the log`);
  await page.getByRole('button', { name: '8 new reeds, show' }).click();
  const bottom = (): Promise<number> => page.evaluate(() => document.querySelector('footer')?.getBoundingClientRect().top ?? 0);
  const cards = page.locator('article');
  for (const at of [1, 3, 5]) {
    // Wherever on the screen the reed stands.
    await cards.nth(at).evaluate((card) => card.scrollIntoView({ block: 'end' }));
    await cards.nth(at).getByRole('button', { name: 'Reply' }).click();
    const publish = cards.nth(at).getByRole('button', { name: 'Publish', exact: true });
    await publish.waitFor();
    const box = await publish.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0), `${name}, card ${at}`).toBeLessThanOrEqual(await bottom());
    await cards.nth(at).getByRole('button', { name: 'Cancel' }).click();
  }
});

test('a profile whose storage was taken away says so, and does not ask a member to join', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => {
    const newer = indexedDB.open('reedbed', 1_000);
    newer.onupgradeneeded = () => newer.transaction?.abort();
  });
  await page.getByText('Reedbed can’t open what it keeps here').waitFor();
  await look(page, 'n-storage');
  expect(await page.getByText('You need an invite').count()).toBe(0);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await connected(page);
  const refused = /status of (4\d\d|503)/;
  expect(ada.complaints.filter((line) => !refused.test(line))).toEqual([]);
});
