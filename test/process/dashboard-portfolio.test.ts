import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { companiesOf, watchUnchecked } from '../modules/monitor/support.ts';
import { needsBrowser, SCREENS, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

describe('the list of watched companies, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const rows = (page: Page) => page.locator('.watched tbody tr');

  async function openList(page: Page): Promise<void> {
    await page.goto(`${run.url}/dashboard/portfolio`);
    await rows(page).locator('.badge:not(.none)').first().waitFor(SHOWN);
  }

  const levels = (page: Page): Promise<readonly string[]> => page.locator('.watched tbody .badge').allInnerTexts();
  const address = (page: Page): string => new URL(page.url()).search;

  it('is sorted by each column and filtered, and a link to it shows the same', async () => {
    const page = await run.signedIn();
    await openList(page);
    await expect.poll(async () => (await levels(page))[0], SHOWN).toContain('High');
    for (const country of ['BR', 'CL', 'CO']) await page.locator(`.watched tr[data-company^="${country}/"]`).first().waitFor(SHOWN);
    for (const name of ['Company', 'Country', 'Risk', 'Owners to review', 'Tags', 'Watched since', 'Last change']) {
      await page.locator('.watched thead').getByRole('button', { name }).click();
      expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').allInnerTexts()).toEqual([
        expect.stringMatching(new RegExp(`^${name} [↑↓]$`)),
      ]);
    }
    await page.locator('.watched thead').getByRole('button', { name: 'Company' }).click();
    const all = await rows(page).count();
    await page.getByLabel('Risk', { exact: true }).selectOption('MEDIUM');
    await expect.poll(() => rows(page).count(), SOON).toBeLessThan(all);
    expect((await levels(page)).filter((level) => !level.startsWith('Medium'))).toEqual([]);
    expect(address(page)).toBe('?level=MEDIUM&sort=name');
    const names = await rows(page).locator('.name').allInnerTexts();
    await rows(page).getByRole('link').first().click();
    await page.waitForURL('**/company/**');
    await page.goBack();
    await expect.poll(() => rows(page).locator('.name').allInnerTexts(), SOON).toEqual(names);
    await page.getByRole('searchbox').fill('no company has this name');
    await page.locator('.portfolio .empty', { hasText: 'No company matches the filters' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    expect(await page.evaluate('document.activeElement?.type')).toBe('search');
    await expect.poll(() => rows(page).count(), SOON).toBe(all);
  });

  it('tags the selected companies, filters by the tag, saves them as CSV, and stops watching them after a confirmation', async () => {
    const page = await run.signedIn();
    await openList(page);
    const { cnpj, name } = companyByScenario('clean');
    const row = page.locator(`tr[data-company="BR/${cnpj}"]`);
    await row.getByRole('checkbox', { name: `Select ${name}` }).press('Space');
    const actions = page.getByRole('region', { name: 'Actions for the selected companies' });
    await actions.getByText('Selected: 1').waitFor();
    await actions.getByLabel('Tag', { exact: true }).fill(' key  supplier ');
    await actions.getByRole('button', { name: 'Add tag' }).click();
    await row.locator('.tag', { hasText: 'key supplier' }).waitFor(SHOWN);
    await page.locator('.portfolio header').getByLabel('Tag', { exact: true }).selectOption('key supplier');
    await expect.poll(() => rows(page).count(), SOON).toBe(1);
    await page.reload();
    await row.locator('.tag').waitFor(SHOWN);
    await page.getByRole('checkbox', { name: 'Select all companies of the list: 1' }).check();
    const [file] = await Promise.all([page.waitForEvent('download'), actions.getByRole('button', { name: 'Save as CSV' }).click()]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toMatch(/^\uFEFFCountry,Tax id,Name,Risk,[^\n]*,Tags,Watched since,Last change\r\n[^\n]*,key supplier,20\d\d-[^\n]*\r\n$/);
    await actions.getByRole('button', { name: 'Stop watching 1 company' }).click();
    await actions.getByText('No change of 1 company will be reported any more').waitFor();
    await actions.getByRole('button', { name: 'Yes, stop watching' }).click();
    await page.locator('.portfolio .empty').waitFor(SHOWN);
    expect(await run.db.knex('monitor_companies').where({ tax_id: cnpj })).toEqual([]);
  });

  it.each(Object.entries(SCREENS))('has no serious finding of axe, and fits, on a %s', async (_, viewport) => {
    const page = await run.signedIn({ viewport });
    await openList(page);
    await rows(page).getByRole('checkbox').first().check();
    await page.getByRole('region', { name: 'Actions for the selected companies' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('imports a file of 1,000 lines with 20 wrong ones, which are saved as CSV, and offers the next steps beside the result', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    const lines = companiesOf(980).map(({ taxId }, n) => (n % 49 === 0 ? `${taxId};x\nno id ${n};y` : `${taxId};x`));
    const buffer = Buffer.from(`cnpj;note\n${lines.join('\n')}\n`);
    await page.getByLabel('or a CSV file').setInputFiles({ name: 'suppliers.csv', mimeType: 'text/csv', buffer });
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('980 valid, 20 wrong, 0 repeated').waitFor(SHOWN);
    await result.getByRole('button', { name: 'Watch 980 companies' }).waitFor();
    await result.getByRole('button', { name: 'Screen 980 companies now' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      result.getByRole('button', { name: 'Save 20 wrong lines as CSV' }).click(),
    ]);
    const saved = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(saved).toHaveLength(21);
    expect(saved[1]).toMatch(/^3,no id 0,,.+/);
  });

  it('has 1,000 companies on pages of 50 rows, and reaches the last one', async () => {
    const companies = await watchUnchecked(run.db.knex, 1_000);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio?sort=name&page=1000`);
    await rows(page).first().waitFor(SHOWN);
    expect(await rows(page).count()).toBeLessThanOrEqual(50);
    expect(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => rows(page).count(), SOON).toBe(50);
    await page.goBack();
    await expect.poll(() => address(page), SOON).toBe('?sort=name&page=1000');
    await page.getByRole('searchbox').fill(companies.at(-1)?.taxId ?? '');
    await expect.poll(() => rows(page).count(), SOON).toBe(1);
  });
});
