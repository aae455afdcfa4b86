// Three whole servers on three loopback addresses, made peers by their operators on the command line. Members of two of them use the web app in
// Chromium, one of the third the SDK: they follow, answer, like, name, remove, change a key and block across the border; one server crashes
// and comes back, and the pages say so.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { parseReedId, parseUserId, type ReedId, type UserId } from '../../src/wire/address.ts';
import { makeMember } from '../support/members.ts';
import { launchChromium } from './support/chromium.ts';
import { look } from './support/looks.ts';
import { becomePeers, operate } from './support/operator.ts';
import {
  answer,
  card,
  goTo,
  keepBackup,
  makeInvite,
  openAccount,
  openCard,
  type Person,
  publish,
  seesText,
  showsNew,
  signUp,
} from './support/person.ts';
import { PICTURES } from './support/pictures.ts';
import { type RunningServer, startServer } from './support/running-server.ts';

const named = (name: string) => ({ REEDBED_ALLOW_PRIVATE_PEERS: 'on', REEDBED_NAME: name });

let folder: string;
let browser: Browser;
let [heron, marsh, third] = [] as unknown as [RunningServer, RunningServer, RunningServer];
let [ada, ben] = [] as unknown as [Person, Person];
let [cleo, dora] = [] as unknown as [Member, Member];
/** Of dora's, whom nobody follows. */
let unread = '';
let link = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reedbed-operators-'));
  [heron, marsh, third] = await Promise.all([
    startServer(undefined, { host: '127.0.0.1', settings: named('Heron') }),
    startServer(undefined, { host: '127.0.0.2', settings: named('Marsh') }),
    startServer(undefined, { host: '127.0.0.3', settings: named('Third') }),
  ]);
  browser = await launchChromium();
  [ada, ben, cleo] = await Promise.all([
    signUp(browser, heron.url, heron.rootInvite, 'ada'),
    signUp(browser, marsh.url, marsh.rootInvite, 'ben'),
    makeMember(third, { name: 'cleo', invite: third.rootInvite }),
  ]);
  // Their pages are open by now, and are told of no peer: they meet its people first.
  await Promise.all([becomePeers(heron, marsh, folder), becomePeers(heron, third, folder), becomePeers(third, marsh, folder)]);
  dora = await makeMember(heron, { name: 'dora', invite: await makeInvite(ada.page) });
  const { published, reedId } = await dora.publish({ text: 'Written where nobody looked yet' });
  await published;
  unread = `${marsh.url}/reed/${encodeURIComponent(reedId)}`;
});

afterAll(async () => {
  await Promise.all([cleo?.close(), dora?.close()]);
  await browser?.close();
  await Promise.all([heron, marsh, third].map((server) => server?.dispose()));
  await rm(folder, { recursive: true, force: true });
});

/** Of a test that fails, what everybody saw. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const [at, { page }] of [ada, ben].entries())
    await page.screenshot({ path: join(PICTURES, `failed-${task.id}-${at}.png`), fullPage: true });
});

const at = (server: RunningServer): string => new URL(server.url).host;
const reedIn = (address: string): ReedId => parseReedId(decodeURIComponent(new URL(address).pathname.slice('/reed/'.length))) as ReedId;
/** A link that was copied on another server, as it is found on one's own. */
const here = (address: string, own: RunningServer): string => `${own.url}${new URL(address).pathname}`;
const isHeld = (reed: ReedId) => expect.poll(async () => (await cleo.copy(reed))?.state, { timeout: 20_000 }).toBe('held');

async function profileLink(page: Page): Promise<string> {
  await goTo(page, 'You');
  await page.getByRole('link', { name: 'Settings' }).waitFor();
  return page.url();
}

async function peersAs(page: Page, states: readonly string[]): Promise<void> {
  await page.goto(new URL('/about', page.url()).href);
  for (const state of states) await page.locator(`[data-peer]${state}`).first().waitFor();
}

test('the page about the server lists its peers', async () => {
  await peersAs(ben.page, [`[data-peer="${heron.serverId}"][data-state=live]`, `[data-peer="${third.serverId}"][data-state=live]`]);
});

test('somebody of another server is found by a link and followed, and what they write comes', async () => {
  const address = await profileLink(ada.page);
  const user = parseUserId(decodeURIComponent(new URL(address).pathname.slice('/profile/'.length))) as UserId;
  await goTo(ben.page, 'People');
  await ben.page.getByLabel('Find somebody').fill(address);
  await ben.page.getByRole('link', { name: 'Open this profile' }).click();
  await ben.page.getByRole('heading', { level: 1, name: `ada@${at(heron)}` }).waitFor();
  await ben.page.getByText('Member of Heron').waitFor();
  await look(ben.page, 'profile-elsewhere');
  await ben.page.getByRole('button', { name: 'Follow', exact: true }).click();
  await ben.page.getByRole('button', { name: 'Unfollow' }).waitFor();
  await (await cleo.relations.follow(user)).accepted;
  link = await publish(ada.page, 'The herons are back at the pond');
  await goTo(ben.page, 'Home');
  await showsNew(ben.page, 'back at the pond');
  await card(ben.page, 'back at the pond')
    .getByRole('link', { name: `ada@${at(heron)}` })
    .waitFor();
  await isHeld(reedIn(link));
});

test('people of other servers are found by name when they are asked for', async () => {
  await goTo(ben.page, 'People');
  await ben.page.getByLabel('Find somebody').fill('cle');
  await ben.page.getByRole('button', { name: 'Look on other servers, too' }).click();
  await ben.page
    .getByRole('region', { name: 'Found on other servers' })
    .getByRole('link', { name: `cleo@${at(third)}` })
    .waitFor();
  await look(ben.page, 'people-elsewhere');
  await ben.page.getByLabel('Find somebody').fill(`ben@${at(marsh)}`);
  await ben.page.getByRole('region', { name: 'Found', exact: true }).getByRole('link', { name: 'ben' }).waitFor();
  await ben.page.getByLabel('Find somebody').fill(`cleo@${at(third)}`);
  await ben.page.getByRole('button', { name: 'Look on other servers, too' }).click();
  await ben.page
    .getByRole('region', { name: 'Found on other servers' })
    .getByRole('link', { name: `cleo@${at(third)}` })
    .waitFor();
});

test('likes, answers and mentions cross the border both ways', async () => {
  await goTo(ben.page, 'Home');
  await openCard(ada.page, 'back at the pond');
  await openCard(ben.page, 'back at the pond');
  await card(ben.page, 'back at the pond').getByRole('button', { name: 'Like' }).click();
  await card(ada.page, 'back at the pond').getByRole('button', { name: 'Like 1' }).waitFor();
  await answer(ben.page, 'Reply', { to: 'back at the pond', text: 'How many did you count?' });
  await seesText(ada.page, 'How many did you count?');
  await ada.page
    .getByRole('link', { name: `ben@${at(marsh)}` })
    .first()
    .waitFor();
  await look(ada.page, 'reed-answered-elsewhere');
  await ada.page.getByText(/on (another server|2 other servers) ha(s|ve) it, too/).waitFor();
  await publish(ada.page, `Seven, and one egret, @ben@${at(marsh)}`);
  await goTo(ben.page, 'Mentions');
  await showsNew(ben.page, 'Seven, and one egret');
  await card(ben.page, 'one egret').getByRole('link', { name: '@ben' }).waitFor();
});

test('what its author takes back is gone on every server', async () => {
  await ben.page.goto(here(link, marsh));
  await seesText(ben.page, 'back at the pond');
  await ada.page.goto(link);
  await ada.page.getByRole('button', { name: 'Remove this reed' }).click();
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Remove it for everyone' }).click();
  await ada.page.getByText('You removed it').waitFor();
  await ben.page.getByText('Its author removed it').waitFor();
  await expect.poll(async () => cleo.receiving.tombstone(reedIn(link)), { timeout: 20_000 }).not.toBeNull();
});

test('what is signed with a changed key is believed elsewhere, too', async () => {
  await openAccount(ada.page);
  await ada.page.getByRole('button', { name: 'Change the key' }).click();
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
  await keepBackup(ada.page);
  const after = await publish(ada.page, 'Signed with the second key');
  await goTo(ben.page, 'Home');
  await showsNew(ben.page, 'Signed with the second key');
  await isHeld(reedIn(after));
});

test('a server that crashes is told as away, and what is asked of it comes when it is back', async () => {
  await heron.kill();
  await ben.page.goto(unread);
  await ben.page.getByText(`${at(heron)} is away at the moment`).waitFor();
  await look(ben.page, 'reed-server-away');
  await peersAs(ben.page, [`[data-peer="${heron.serverId}"][data-state=away]`, `[data-peer="${third.serverId}"][data-state=live]`]);
  await look(ben.page, 'about-server-away');
  await ben.page.goto(unread);
  await ben.page.getByText(`${at(heron)} is away at the moment`).waitFor();
  heron = await startServer(heron);
  await seesText(ben.page, 'Written where nobody looked yet');
  await peersAs(ben.page, [`[data-peer="${heron.serverId}"][data-state=live]`]);
});

test('who is blocked from another server sees nothing more, and is told so; others there go on', async () => {
  const [adas, bens] = [await profileLink(ada.page), await profileLink(ben.page)];
  await ben.page.goto(here(adas, marsh));
  await ben.page.getByRole('button', { name: 'Unfollow' }).waitFor();
  await ada.page.goto(here(bens, heron));
  await ada.page.getByRole('button', { name: 'Block', exact: true }).click();
  const dialog = ada.page.getByRole('dialog', { name: `Block ben@${at(marsh)}?` });
  await dialog.getByText('Their server is told, too').waitFor();
  await dialog.getByRole('button', { name: `Block ben@${at(marsh)}` }).click();
  await ada.page.getByText(`You have blocked ben@${at(marsh)}`).waitFor();
  await ben.page.getByText('This member has blocked you').waitFor();
  await look(ben.page, 'profile-blocked-elsewhere');
  const after = await publish(ada.page, 'Written after the block');
  await isHeld(reedIn(after));
  await ben.page.goto(here(after, marsh));
  await ben.page.getByText('Its author has blocked you').waitFor();
});

test('when a peering ends, members see it where they meet what was there', async () => {
  const doras = `${marsh.url}/profile/${encodeURIComponent(dora.account?.user ?? '')}`;
  await ben.page.goto(doras);
  await ben.page.getByText('Member of Heron').waitFor();
  await seesText(ben.page, 'Written where nobody looked yet');
  await look(ben.page, 'profile-elsewhere-reeds');
  await operate(heron, 'peers', 'revoke', marsh.serverId, '--yes');
  await peersAs(ben.page, [`[data-peer="${heron.serverId}"][data-state=ended]`, `[data-peer="${third.serverId}"][data-state=live]`]);
  await look(ben.page, 'about-peering-ended');
  await ben.page.goto(doras);
  await ben.page.getByText(`nothing new comes from ${at(heron)}`).waitFor();
  expect(await ben.page.getByRole('button', { name: 'Follow', exact: true }).isDisabled()).toBe(true);
  await seesText(ben.page, 'Written where nobody looked yet');
  await look(ben.page, 'profile-peering-ended');
  const { published, reedId } = await dora.publish({ text: 'Said after the end' });
  await published;
  await ben.page.goto(`${marsh.url}/reed/${encodeURIComponent(reedId)}`);
  await ben.page.getByText('It is of a server that yours exchanges nothing with').waitFor();
  const refused = /status of (4\d\d|503)|ERR_CONNECTION_REFUSED|WebSocket connection/;
  expect([...ada.complaints, ...ben.complaints].filter((line) => !refused.test(line))).toEqual([]);
});
