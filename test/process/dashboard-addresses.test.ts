import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsBrowser, requestsOf, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

describe('the lists of the dashboard in addresses, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const parameters = (page: Page): string => new URL(page.url()).search;
  const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true });

  it('keep the filters of the candidates for a reload and for a return from another page', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByLabel('Country').selectOption('BR');
    await filters.getByLabel('State').selectOption('open');
    await filters.getByRole('searchbox').fill('a');
    await expect.poll(() => parameters(page), SOON).toBe('?q=a&country=BR&state=open');
    const shown = page.locator('[data-candidate]');
    await shown.first().getByRole('link').first().click();
    await page.waitForURL('**/company/BR/*');
    await page.goBack();
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await shown.first().waitFor(SHOWN);
      expect(await filters.getByLabel('Country').inputValue()).toBe('BR');
      expect(await page.getByRole('region', { name: 'Dismissed' }).count()).toBe(0);
    }
    await page.goto(`${run.url}/dashboard/candidates?q=nobody`);
    await page.getByRole('region', { name: 'Dismissed' }).getByText('none matches the filters').waitFor(SHOWN);
    await filters.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('region', { name: 'Dismissed' }).getByText('Nothing is dismissed.').waitFor(SHOWN);
    await expect.poll(() => parameters(page), SOON).toBe('');
  });

  it('keep the page of the deliveries for a reload, and show a webhook that is created on a later page', async () => {
    const { cnpj } = companyByScenario('clean');
    for (const name of ['first', ...Array.from({ length: 10 }, (_, at) => `later-${at}`)])
      await run.query(
        `mutation { createMonitor(input: { country: BR, identifiers: ["${cnpj}"], webhookUrl: "https://receiver.example/${name}" }) { secret } }`,
      );
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    const endpoint = (name: string) => page.locator('[data-endpoint]', { hasText: `https://receiver.example/${name}` });
    await endpoint('later-9').waitFor(SHOWN);
    await next(page).click();
    await endpoint('first').waitFor(SHOWN);
    await page.reload();
    await endpoint('first').waitFor(SHOWN);
    await page.getByRole('button', { name: 'Previous', exact: true }).click();
    await endpoint('later-9').waitFor(SHOWN);
    await expect.poll(() => parameters(page), SOON).toBe('');
    await next(page).click();
    await endpoint('first').waitFor(SHOWN);
    const form = page.getByRole('region', { name: 'Create a webhook' });
    await form.getByLabel('Address (https)').fill('https://receiver.example/newest');
    await form.getByLabel('Tax ids').fill(cnpj);
    await form.getByRole('button', { name: 'Create a webhook' }).click();
    await endpoint('newest').waitFor(SHOWN);
    await form.getByText('Keep the secret that signs its events').waitFor();
  });

  it('keep the shown results of a screening, and their page, for a reload', async () => {
    const cnpjs = Array.from({ length: 51 }, (_, at) => `not a tax id ${at}`);
    const id = await run.screen({ identifiers: [companyByScenario('sanctioned').cnpj, ...cnpjs], modules: ['compliance_br'] });
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/screenings/${id}`);
    await page.getByRole('button', { name: 'Rows not checked: 51' }).click();
    await expect.poll(() => page.locator('[data-rejected]').count(), SHOWN).toBe(50);
    await next(page).click();
    await expect.poll(() => page.locator('[data-rejected]').count(), SHOWN).toBe(1);
    await page.reload();
    await expect.poll(() => page.locator('[data-rejected]').count(), SHOWN).toBe(1);
    await page.getByRole('button', { name: /^High: / }).click();
    await expect.poll(() => parameters(page), SOON).toBe('?show=HIGH');
    await page.locator('[data-result]').getByRole('link').click();
    await page.waitForURL('**/company/BR/*');
    await page.goBack();
    await expect.poll(() => page.locator('[data-result]').count(), SHOWN).toBe(1);
    expect(await page.getByRole('button', { name: /^High: / }).getAttribute('aria-pressed')).toBe('true');
  });

  it('has all results of a search that the box shows in part', async () => {
    const page = await run.signedIn();
    const searches = await requestsOf(page, 'query SearchByName(');
    const box = page.locator('.lookup');
    await box.getByRole('combobox').fill('spa');
    await box.getByRole('option').filter({ hasText: 'Search Chile' }).click();
    await box.getByText('Results: more than 8').waitFor(SHOWN);
    const all = box.getByRole('option').filter({ hasText: 'All results for “spa” in Chile' });
    expect(await all.innerText()).toContain('counts 1 check of registration');
    await all.click();
    await page.getByRole('heading', { level: 1, name: 'Search by name' }).waitFor(SHOWN);
    await page.locator('[data-found]').first().waitFor(SHOWN);
    expect(await page.locator('[data-found]').count()).toBeGreaterThan(8);
    expect(searches.sent).toBe(1);
    expect(await page.title()).toBe('Search by name · Quipu');
    expect(await seriousFindings(page)).toEqual([]);
    const first = page.locator('[data-found]').first().getByRole('link');
    const name = await first.innerText();
    await first.click();
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
    await page.goBack();
    await page.locator('[data-found]').first().waitFor(SHOWN);
    expect(searches.sent).toBe(1); // a return does not count again
  });
});
