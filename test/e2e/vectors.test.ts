// The frozen vectors hold in Chromium, under the app's policy, with the code as the app's build makes it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VECTOR_FILES, type Vectors } from '../support/vectors.ts';
import { launchChromium, openProfile } from './support/chromium.ts';
import { type PageServer, servePage } from './support/page-server.ts';

const FOLDER = join(import.meta.dirname, '../../specs/vectors');

let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  server = await servePage(join(import.meta.dirname, 'pages/vectors'));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function readVectors(): Promise<Vectors> {
  const read = async (name: string) => [name, JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8'))] as const;
  return Object.fromEntries(await Promise.all(VECTOR_FILES.map(read))) as Vectors;
}

type Check = (vectors: Vectors) => Promise<string[]>;

// Handed over as JSON text, in which a lone surrogate survives.
const check = (page: Page, vectors: Vectors): Promise<string[]> =>
  page.evaluate(
    (text) => (globalThis as unknown as { checkVectors: Check }).checkVectors(JSON.parse(text) as Vectors),
    JSON.stringify(vectors),
  );

test('every frozen vector holds in Chromium', async () => {
  const profile = await openProfile(browser, server.origin);
  const page = await profile.open('/');
  await page.waitForFunction(() => 'checkVectors' in globalThis);
  const vectors = await readVectors();
  expect(await check(page, vectors)).toEqual([]);
  expect(profile.complaints).toEqual([]);

  // A vector that is wrong is noticed.
  const [first] = vectors.canonical.accepted;
  if (!first) throw new Error('there are no canonical vectors');
  const wrong = { ...vectors, canonical: { ...vectors.canonical, accepted: [{ ...first, hash: 'AAAA' }] } };
  expect(await check(page, wrong)).toHaveLength(1);
});
