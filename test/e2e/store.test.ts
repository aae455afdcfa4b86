// The browser's store keeps the same contract as the others, in Chromium, under the app's policy.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openProfile } from './support/chromium.ts';
import { type PageServer, servePage } from './support/page-server.ts';

let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  server = await servePage(join(import.meta.dirname, 'pages/store'));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test('IndexedDB keeps the store contract and seals secrets', async () => {
  const profile = await openProfile(browser, server.origin);
  const page = await profile.open('/');
  const outcomes = await page
    .waitForFunction(() => (globalThis as { outcomes?: { name: string; problem: string | null }[] }).outcomes)
    .then((handle) => handle.jsonValue());
  expect(outcomes?.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(outcomes?.length).toBeGreaterThan(8);
  expect(profile.complaints).toEqual([]);
});
