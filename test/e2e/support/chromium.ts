// Debian's Chromium for the browser tests, and what a page did that it must not: errors on the console, which is where the browser
// tells a breach of the policy, uncaught errors, requests to another origin.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** `more` adds command line switches. */
export const launchChromium = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: [...ARGS, ...more] });

/** What went wrong on the pages of one profile, in the order it happened. Empty is what a test wants. */
export type Complaints = string[];

function watchPage(page: Page, origin: string, complaints: Complaints): void {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'blob:' && protocol !== 'data:') complaints.push(`foreign origin: ${request.url()}`);
  });
}

export type Profile = { readonly context: BrowserContext; readonly complaints: Complaints; open(path: string): Promise<Page> };

/** A browser profile of its own: its own storage, keys and connection. */
export async function openProfile(browser: Browser, origin: string): Promise<Profile> {
  const context = await browser.newContext({ acceptDownloads: true, baseURL: origin });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const complaints: Complaints = [];
  context.on('page', (page) => watchPage(page, origin, complaints));
  return {
    context,
    complaints,
    open: async (path) => {
      const page = await context.newPage();
      await page.goto(path.startsWith('http') ? path : `${origin}${path}`);
      return page;
    },
  };
}
