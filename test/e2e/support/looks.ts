// How a page looks at phone and desktop width, light and dark: what no page may have, and pictures for a person to look at.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PICTURES } from './pictures.ts';

const SIZES = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1280, height: 800 },
] as const;

/** What a page must not have: things wider than the screen, controls without a name, two things with one id. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push(`wider than the screen by ${root.scrollWidth - root.clientWidth}`);
    for (const control of document.querySelectorAll<HTMLElement>('a[href], button, input, textarea')) {
      const labels = (control as HTMLInputElement).labels ?? [];
      const name = control.ariaLabel || [...labels].map((label) => label.textContent).join('') || control.textContent?.trim();
      if (!name) faults.push(`no name: ${control.outerHTML.slice(0, 80)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    if (new Set(ids).size !== ids.length) faults.push(`an id twice: ${ids.join(' ')}`);
    if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one main heading');
    return faults;
  });

/** Leaves four pictures of the page, and fails for what no page may have. */
export async function look(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  for (const { name: size, width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // As high as the page, so that what stays at the bottom of the screen stands at the bottom of the picture.
      await page.setViewportSize({ width, height: Math.max(height, await page.evaluate(() => document.documentElement.scrollHeight)) });
      await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`), fullPage: true });
    }
    await page.setViewportSize({ width, height });
    expect({ name, size, faults: await faultsOf(page) }).toEqual({ name, size, faults: [] });
  }
}
