// The main job as three people live it: one reed from its author's browser to a reader's, and from there to another reader's
// when the author is gone; and nothing of it on the server.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './support/chromium.ts';
import { makeInvite, openReed, publish, seesText, signUp } from './support/person.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

const TEXT = 'The heron with the crooked wing is back at the third pool';

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

test('a reed goes from its author to a reader, and from that reader to the next, past a server that keeps none of it', async () => {
  const ada = await signUp(browser, server.url, server.rootInvite, 'ada');
  const link = await publish(ada.page, TEXT);
  const toBen = await makeInvite(ada.page);

  const ben = await signUp(browser, server.url, toBen, 'ben');
  await openReed(ben.page, link);
  await seesText(ben.page, TEXT);
  // The server has confirmed the copy: from now on it may be asked for it.
  await ben.page.getByText('Kept on this device. While this tab is open').waitFor();
  await ben.page.goto(server.url);
  const toCleo = await makeInvite(ben.page);

  await ada.context.close();

  const cleo = await signUp(browser, server.url, toCleo, 'cleo');
  await openReed(cleo.page, link);
  await seesText(cleo.page, TEXT);
  await cleo.page.getByText('About this reed').click();
  await cleo.page.getByText('came from the device of a member who had it').waitFor();

  expect(await server.find(TEXT)).toEqual([]);
  // The search does find what is there: the name of a member, which is no secret.
  expect(await server.find('cleo')).toContain('table public.usernames');
  expect([...ada.complaints, ...ben.complaints, ...cleo.complaints]).toEqual([]);

  expect(await server.stop()).toBe(0);
  expect(await server.find(TEXT)).toEqual([]);
  expect(await server.find('cleo')).not.toEqual([]);
});
