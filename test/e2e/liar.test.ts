// A holder that sends something else than what was signed: the reader is told, sees nothing of it, and keeps nothing of it.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { SocketFactory } from '../../src/client/ports.ts';
import { webSocketFactory } from '../../src/client/web-socket.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium } from './support/chromium.ts';
import { openReed, signUp } from './support/person.ts';
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

const honest = webSocketFactory(WebSocket);

/** Sends every frame as it is, but for answers: a few signs in the middle of the ciphertext are changed. */
const lyingSocket: SocketFactory = (url, protocol, handlers) => {
  const socket = honest(url, protocol, handlers);
  const send = (bytes: Uint8Array): void => {
    const decoded = decodeFrame(bytes, DEFAULT_LIMITS);
    if (!decoded.ok || decoded.value.type !== 'relayResponse') return socket.send(bytes);
    const { body, id } = decoded.value;
    const ciphertext = Uint8Array.from(body.ciphertext);
    const middle = Math.floor(ciphertext.length / 2);
    for (let at = middle; at < middle + 8; at++) if (ciphertext[at] !== 10) ciphertext[at] = ciphertext[at] === 65 ? 66 : 65;
    socket.send(encodeFrame({ id, type: 'relayResponse', body: { ...body, ciphertext } }));
  };
  return { send, close: (code, reason) => socket.close(code, reason) };
};

test('what a lying holder sends is not shown, and the page says that it was broken', async () => {
  const liar = await makeMember(server, { name: 'liar', invite: server.rootInvite, deps: { socket: lyingSocket } });
  const { reedId, published } = await liar.publish({ text: 'this never arrives as it was signed' });
  await published;
  const reader = await signUp(browser, server.url, await liar.createInvite(), 'reader');
  await openReed(reader.page, `${server.url}/reed/${encodeURIComponent(reedId)}`);
  await reader.page.locator('[data-state="invalid"]').waitFor();
  await reader.page.getByText('Its signature is broken').waitFor();
  expect(await reader.page.locator('article .text').count()).toBe(0);
  await reader.page.goto(`${server.url}/device`);
  await reader.page.getByRole('button', { name: 'By others (0)' }).waitFor();
  expect(reader.complaints).toEqual([]);
  await liar.close();
});
