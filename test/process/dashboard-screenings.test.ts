import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { unknownCnpjs } from '../modules/screening/support.ts';
import { needsBrowser, SCREENS, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

const DONE = { timeout: 120_000 };

const clean = companies.filter(({ scenario }) => scenario.startsWith('clean-')).map(({ cnpj }) => cnpj);
/** A file of 1,000 lines with own columns, every fiftieth of which is wrong. */
const LINES = [...clean, ...unknownCnpjs(1_000 - clean.length, 63)].map((cnpj, i) => `ref ${i + 2};${i % 50 === 7 ? 'wrong' : cnpj}`);
const SUPPLIERS = `our ref;cnpj\n${LINES.join('\n')}\n`;

describe('the pages of screenings, in Chromium', { timeout: 300_000, ...needsBrowser }, () => {
  const run = useDashboard();

  async function screen(page: Page, name: string, csv: string): Promise<void> {
    await page.goto(`${run.url}/dashboard/screenings`);
    const field = page.getByLabel('CSV file');
    await field.waitFor(SHOWN);
    await field.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Screen the file' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor(SHOWN);
    await page.locator('[data-screening=DONE]').waitFor(DONE);
  }

  const numberOf = async (page: Page, filter: string): Promise<number> =>
    Number((await page.getByRole('button', { name: new RegExp(`^${filter}: `) }).innerText()).replace(/\D/g, ''));

  const watched = async (): Promise<number> => {
    const { monitors } = await run.query<{ monitors: { nodes: readonly { identifiers: readonly string[] }[] } }>(
      '{ monitors { nodes { identifiers } } }',
    );
    return new Set(monitors.nodes.flatMap(({ identifiers }) => identifiers)).size;
  };

  it('screens a file of 1,000 lines with 20 wrong ones, shows the results by level, and watches the low ones', async () => {
    const page = await run.signedIn();
    await screen(page, 'suppliers.csv', SUPPLIERS);
    await page.getByRole('button', { name: 'All: 980' }).waitFor(SHOWN);
    await page.getByRole('button', { name: 'Rows not checked: 20' }).click();
    await page.locator('[data-rejected=INVALID]').first().waitFor(SHOWN);
    expect(await page.locator('[data-rejected]').first().innerText()).toMatch(/Row 9[\s\S]*Wrong[\s\S]*neither a CNPJ/);
    const low = await numberOf(page, 'Low');
    expect(low).toBeGreaterThan(10);
    await page.getByRole('button', { name: `Low: ${low}` }).click();
    await expect.poll(() => page.locator('[data-result] .badge.low').count(), SHOWN).toBe(Math.min(low, 50));
    expect(await seriousFindings(page)).toEqual([]);
    const before = await watched();
    await page.getByRole('button', { name: `Watch all of these: ${low}` }).click();
    const text = await page
      .getByRole('status')
      .filter({ hasText: /Watched from now on: \d+/ })
      .innerText(SHOWN);
    await expect.poll(watched, SOON).toBe(before + Number(/: (\d+)/.exec(text)?.[1]));
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Results as csv' }).click();
    const [head, ...rows] = parse(await readFile(await (await downloading).path(), 'utf8'), { bom: true }) as string[][];
    expect([head?.slice(0, 3), rows.length]).toEqual([['Row', 'our ref', 'Tax id'], 1_000]);
    await page.locator('[data-result]').first().getByRole('link').click();
    await page.waitForURL(/\/company\/BR\/\d{14}$/);
  });

  it('pages through results, and watches those that are chosen, by keyboard on a phone in Portuguese', async () => {
    const page = await run.signedIn({ viewport: SCREENS.phone });
    const ids = unknownCnpjs(60, 64);
    await screen(page, 'unknown.csv', `cnpj\n${ids.join('\n')}\n`);
    await page.getByLabel('Language', { exact: true }).selectOption('pt');
    await page.getByRole('button', { name: 'Todas: 60' }).waitFor(SHOWN);
    await expect.poll(() => page.locator('[data-result]').count(), SHOWN).toBe(50);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('button', { name: 'Próxima' }).press('Enter');
    await expect.poll(() => page.locator('[data-result]').count(), SHOWN).toBe(10);
    await page.locator('[data-result="61"]').getByRole('checkbox').press('Space');
    const before = await watched();
    await page.getByRole('button', { name: 'Monitorar as selecionadas: 1' }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Monitoradas a partir de agora: 1' }).waitFor(SHOWN);
    expect(await watched()).toBe(before + 1);
    await page.getByRole('link', { name: 'Todas as avaliações' }).press('Enter');
    await page.getByRole('link', { name: 'unknown.csv' }).first().waitFor(SHOWN);
  });

  it('says why a file is not screened, and that a screening does not exist', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/screenings`);
    await page.getByRole('button', { name: 'Screen the file' }).click();
    await page.getByRole('alert').getByText('Choose a file first.').waitFor(SHOWN);
    await page.getByLabel('CSV file').setInputFiles({ name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from('cnpj\n"1') });
    await page.getByRole('button', { name: 'Screen the file' }).click();
    await page.getByRole('alert').getByText('This is no csv file').waitFor(SHOWN);
    await page.goto(`${run.url}/dashboard/screenings/scr_4f0c4a1be2a94d3f8a1f6cbb0a6f7d10`);
    await page.locator('.empty', { hasText: 'This key has no such screening.' }).waitFor(SHOWN);
  });
});
