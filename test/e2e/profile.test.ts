// One profile: tabs that share a connection, the waiting that is told as it is, coming back with a backup, and what the app
// refuses to do over a plain address.
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { connected, goTo, keepBackup, makeInvite, openReed, type Person, publish, seesText, signUp } from './support/person.ts';
import { POLICY } from './support/policy.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

const FIRST_LOAD_BYTES = 250 * 1024;

let browser: Browser;
let server: RunningServer;
let ada: Person;

beforeAll(async () => {
  server = await startServer();
  browser = await launchChromium(['--host-resolver-rules=MAP plain.test 127.0.0.1']);
  ada = await signUp(browser, server.url, server.rootInvite, 'ada');
});

afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

const workers = (page: Page): number => page.workers().length;

test('tabs of a profile share one connection, and the next tab takes over when the leading one closes', async () => {
  const second = await ada.open('/');
  await connected(second);
  expect([workers(ada.page), workers(second)]).toEqual([1, 0]);

  const fromSecond = await publish(second, 'written in a tab that does not lead');
  await ada.page.locator('article .text', { hasText: 'written in a tab that does not lead' }).waitFor();

  const tookOver = second.waitForEvent('worker');
  await ada.page.close();
  await tookOver;
  await connected(second);
  expect(workers(second)).toBe(1);
  await publish(second, 'written in the tab that took over');

  const ben = await signUp(browser, server.url, await makeInvite(second), 'ben');
  await openReed(ben.page, fromSecond);
  await seesText(ben.page, 'written in a tab that does not lead');
  expect([...ada.complaints, ...ben.complaints]).toEqual([]);
  ada = { ...ada, page: second };
  await ben.context.close();
});

test('a reed that nobody online has says so, and fills in without moving the page when its holder returns', async () => {
  const link = await publish(ada.page, 'a reed that waits for its author');
  const invite = await makeInvite(ada.page);
  await ada.page.close();

  const cleo = await signUp(browser, server.url, invite, 'cleo');
  await openReed(cleo.page, link);
  await cleo.page.locator('[data-state="nobody-online"]').waitFor();
  await cleo.page.getByText('No one who has it is online').waitFor();
  await cleo.page.evaluate(() => {
    const seen = globalThis as { shift?: number };
    seen.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift = (seen.shift ?? 0) + (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift' });
  });

  const returned = await ada.open('/');
  await seesText(cleo.page, 'a reed that waits for its author');
  const shift = await cleo.page.evaluate(() => (globalThis as { shift?: number }).shift);
  expect(shift).toBeLessThan(0.02);
  expect([...ada.complaints, ...cleo.complaints]).toEqual([]);
  ada = { ...ada, page: returned };
  await cleo.context.close();
});

test('asking can be stopped and taken up again', async () => {
  await connected(ada.page);
  const link = await publish(ada.page, 'asked for twice');
  const invite = await makeInvite(ada.page);
  await ada.page.close();
  const dora = await signUp(browser, server.url, invite, 'dora');
  await openReed(dora.page, link);
  await dora.page.locator('[data-state="nobody-online"]').waitFor();
  await dora.page.getByRole('button', { name: 'Stop asking' }).click();
  await dora.page.getByText('You stopped asking').waitFor();
  const returned = await ada.open('/');
  await connected(returned);
  await dora.page.getByRole('button', { name: 'Ask again' }).click();
  await seesText(dora.page, 'asked for twice');

  // What she has she can give up; it is then no longer on her device.
  await dora.page.getByText('Kept on this device. While this tab is open').waitFor();
  await dora.page.getByRole('button', { name: 'Give up this copy' }).click();
  await dora.page.getByRole('button', { name: 'Delete this copy' }).click();
  await dora.page.getByRole('button', { name: 'By others (0)' }).waitFor();
  expect(dora.complaints).toEqual([]);
  ada = { ...ada, page: returned };
  await dora.context.close();
});

test('whoever leaves before keeping the backup comes back to it, and to nothing else', async () => {
  await connected(ada.page);
  const invite = await makeInvite(ada.page);
  const eve = await openProfile(browser, server.url);
  const page = await eve.open(invite);
  await page.waitForSelector('text=The invite is good');
  await page.fill('#name', 'eve');
  await page.getByRole('button', { name: 'Make my key and join' }).click();
  await page.waitForSelector('a[download]');
  await page.goto(server.url);
  await page.waitForSelector('a[download]');
  expect(await page.locator('#reed').count()).toBe(0);
  await page.fill('#word', 'wrong');
  await page.getByRole('button', { name: 'I have both, go on' }).click();
  await page.getByText('“wrong” is not the').waitFor();
  await keepBackup(page);
  await page.locator('#reed').waitFor();
  expect(eve.complaints).toEqual([]);
  await eve.context.close();
});

test('a link opened without an account says what to do, and a false link that it leads nowhere', async () => {
  const stranger = await openProfile(browser, server.url);
  const page = await stranger.open(`/reed/${encodeURIComponent('aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb/01890000-0000-7000-8000-000000000000')}`);
  await page.getByText('This reed is for members').waitFor();
  await page.goto(`${server.url}/join#not-an-invite`);
  await page.getByText('This invite doesn’t open').waitFor();
  expect(stranger.complaints).toEqual([]);
  await stranger.context.close();
});

test('when the server goes away the page says so, keeps what is written, and sends it when the server is back', async () => {
  await connected(ada.page);
  await server.stop();
  await ada.page.getByText('Offline, trying again by itself').waitFor();
  await goTo(ada.page, 'Home');
  await ada.page.fill('#reed', 'written while the server was away');
  await ada.page.getByRole('button', { name: 'Publish', exact: true }).click();
  const waiting = ada.page.locator('article', { hasText: 'written while the server was away' });
  await waiting.getByText('Not published yet').waitFor();
  await ada.page.getByText('1 waiting to be sent').waitFor();

  server = await startServer(server);
  await connected(ada.page);
  await waiting.getByText('Not published yet').waitFor({ state: 'detached' });
  // The browser itself reports each attempt that found nobody there.
  const others = ada.complaints.splice(0).filter((complaint) => !complaint.includes('ERR_CONNECTION_REFUSED'));
  expect(others).toEqual([]);
});

test('a backup brings its owner back on another device, which takes the place of the first', async () => {
  const elsewhere = await openProfile(browser, server.url);
  const page = await elsewhere.open('/restore');
  await page.setInputFiles('#file', { name: 'backup.asc', mimeType: 'application/pgp-encrypted', buffer: Buffer.from(ada.backup.file) });
  await page.fill('#words', ada.backup.words.toReversed().join(' '));
  await page.getByRole('button', { name: 'Open it and sign in' }).click();
  await page.getByText('These words do not open this backup').waitFor();
  await page.fill('#words', ada.backup.words.join(' '));
  await page.getByRole('button', { name: 'Open it and sign in' }).click();
  await connected(page);
  await page.locator('footer .me', { hasText: 'ada' }).waitFor();
  await ada.page.waitForSelector('[role=status][data-phase=stopped]');
  await publish(page, 'written after coming back');

  // Whoever would rather go on with the first device takes it back, also after having closed the page.
  await ada.page.getByText('you are signed in on another device now').waitFor();
  await ada.page.reload();
  await ada.page.getByText('the server does not sign this device in').waitFor();
  await ada.page.getByRole('button', { name: 'Use this device again' }).click();
  await connected(ada.page);
  await page.getByText('you are signed in on another device now').waitFor();
  await publish(ada.page, 'written on the first device again');
  expect([...elsewhere.complaints, ...ada.complaints]).toEqual([]);
  await elsewhere.context.close();
});

test('over a plain address the app says why it makes no key, and makes none', async () => {
  const origin = `http://plain.test:${new URL(server.url).port}`;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/join`);
  await page.getByText('Reedbed needs a secure address').waitFor();
  expect(workers(page)).toBe(0);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
  await context.close();
});

test('every answer carries the policy, and the first load stays small', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const policies: { url: string; policy: string | undefined }[] = [];
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    const headers = response.headers();
    policies.push({ url: response.url(), policy: headers['content-security-policy'] });
    if ((headers['content-type'] ?? '').includes('javascript')) bodies.push(response.body());
  });
  await page.goto(server.url);
  await page.getByText('You need an invite from a member').waitFor();
  expect(policies.filter(({ policy }) => policy !== POLICY)).toEqual([]);
  const scripts = await Promise.all(bodies);
  const bytes = scripts.reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
  await context.close();
});
