import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsBrowser, SCREENS, SOON, useDashboard } from '../support/dashboard.ts';
import { animatedWebp, type Frame } from '../support/webp.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/images');
/** Of all pictures together: every clone has them. */
const MAX_BYTES = 1_500_000;
const QUALITY = 70;
const SMALL = { width: 1080, height: 680 };

// Only `npm run pictures` runs this file: it writes the pictures of the documentation anew.
describe('the pictures of the dashboard', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();
  const written = new Map<string, number>();

  /** A picture of what the window shows, as WebP: playwright-core itself has PNG and JPEG only. */
  async function capture(page: Page, quality = QUALITY): Promise<Buffer> {
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality });
    await devtools.detach();
    return Buffer.from(data, 'base64');
  }

  async function save(name: string, picture: Buffer): Promise<void> {
    await writeFile(path.join(FOLDER, name), picture);
    written.set(name, picture.length);
  }

  async function opened(viewport: { readonly width: number; readonly height: number }): Promise<Page> {
    const page = await run.signedIn({ viewport });
    await page.getByRole('button', { name: 'Close the tour' }).click();
    await expect.poll(() => page.locator('.companies .badge:not(.none)').count(), SOON).toBeGreaterThan(10);
    await page.locator('[data-observation]').nth(2).waitFor({ timeout: 90_000 });
    return page;
  }

  it('show the overview in light and dark colours, a company, its owners, the candidates, and a phone', async () => {
    const page = await opened(SCREENS.laptop);
    await save('dashboard-light.webp', await capture(page));
    await page.emulateMedia({ colorScheme: 'dark' });
    await save('dashboard-dark.webp', await capture(page));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('debarred-ceis').cnpj}`);
    await page.locator('.card').first().waitFor();
    await save('dashboard-company.webp', await capture(page));
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('owners-level-1').cnpj}`);
    await page.getByRole('button', { name: 'Read the group' }).click();
    await page.locator('.drawing [data-node]').first().waitFor();
    await page.getByRole('heading', { name: 'Owners and officers' }).scrollIntoViewIfNeeded();
    await save('dashboard-owners.webp', await capture(page));
    await page.goto(`${run.url}/dashboard/candidates`);
    await page.locator('[data-candidate]').first().waitFor();
    await page.locator('[data-connection=live]').waitFor();
    await expect.poll(() => page.locator('.skeleton').count(), SOON).toBe(0);
    await save('dashboard-candidates.webp', await capture(page));
    await save('dashboard-phone.webp', await capture(await opened(SCREENS.phone)));
  });

  it('show a change that arrives, as an animation', async () => {
    const page = await opened(SMALL);
    const frames: Frame[] = [];
    const film = async (ms: number): Promise<void> => void frames.push({ webp: await capture(page, 50), ms });
    const { cnpj, name } = companyByScenario('clean');
    await film(1_800);
    await page.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByLabel('Company', { exact: true }).selectOption(`BR/${cnpj}`);
    await film(1_500);
    await page.getByRole('button', { name: 'Apply' }).first().click();
    await page.getByText('Waiting for the next check').waitFor();
    await film(900);
    await page.locator('[data-arrived]', { hasText: name }).waitFor();
    await film(1_800);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.companies li', { hasText: name }).getByText('Medium').waitFor();
    for (let rest = 4; rest > 0; rest -= 1) {
      await film(600);
      await page.waitForTimeout(600);
    }
    await page.locator('.companies a', { hasText: name }).click();
    await page.locator('.card').first().waitFor();
    await film(2_500);
    const animation = animatedWebp(frames, SMALL);
    await save('dashboard-live.webp', animation);
    const decoded = await page.evaluate<number>(`(async () => {
      const data = Uint8Array.from(atob('${animation.toString('base64')}'), (one) => one.charCodeAt(0));
      const decoder = new ImageDecoder({ data, type: 'image/webp' });
      await Promise.all([decoder.tracks.ready, decoder.completed]);
      return decoder.tracks.selectedTrack.frameCount;
    })()`);
    expect(decoded).toBe(frames.length);
  });

  it('are small', () => {
    expect([...written.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MAX_BYTES);
    expect(written.size).toBe(7);
  });
});
