import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { watchUnchecked } from '../modules/monitor/support.ts';
import { needsBrowser, SCREENS, SOON, useDashboard } from '../support/dashboard.ts';

/** Cumulative layout shift up to which a page counts as stable: https://web.dev/articles/cls. */
const MOST_SHIFT = 0.1;

/** Notes how far parts of a page move without an input of the person. The list of changes is left out: new rows push the others down. */
const OBSERVE_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const elements = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
      const moved = elements.filter((one) => one && !one.closest('.feed')).map((one) => one.className || one.nodeName);
      if (!hadRecentInput && moved.length > 0) shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly value: number;
  /** Classes or names of the elements that moved. */
  readonly moved: readonly string[];
}

describe('the dashboard at its limits, in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const assessed = (page: Page): Promise<number> => page.locator('.companies .badge:not(.none)').count();

  it.each(Object.entries(SCREENS))(
    'does not move what is being read, while it loads and while changes arrive, on a %s',
    async (_, viewport) => {
      const page = await run.openPage({ viewport });
      await page.addInitScript(OBSERVE_SHIFTS);
      await page.goto(`${run.url}/dashboard#key=${run.key}`);
      await expect.poll(() => assessed(page), SOON).toBeGreaterThan(10);
      const before = await page.locator('[data-observation]').count();
      const status = before % 2 === 0 ? 'BAIXADA' : 'ATIVA';
      const { cnpj } = companyByScenario('clean');
      await fetch(`${run.sandbox}/_control/companies/${cnpj}`, { method: 'PATCH', body: JSON.stringify({ status }) });
      await expect.poll(() => page.locator('[data-observation]').count(), { timeout: 60_000 }).toBeGreaterThan(before);
      const shifts = await page.evaluate<readonly Shift[]>('shifts');
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      expect(sum, JSON.stringify(shifts)).toBeLessThan(MOST_SHIFT);
    },
  );

  it('speaks English, Spanish and Portuguese, and remembers the choice', async () => {
    const page = await run.signedIn();
    for (const [language, name, title] of [
      ['es', 'Idioma', 'Riesgo de las empresas monitoreadas'],
      ['pt', 'Idioma', 'Risco das empresas monitoradas'],
      ['en', 'Language', 'Risk of the portfolio'],
    ] as const) {
      await page.locator('header select').first().selectOption(language);
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      await page.reload();
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByLabel(name, { exact: true }).waitFor();
    }
  });

  it('lists a portfolio of 1,000 companies, finds one of them, and reaches the last one', async () => {
    const companies = await watchUnchecked(run.db.knex, 1_000);
    const page = await run.signedIn();
    const rows = page.locator('.companies li');
    await expect.poll(() => rows.count(), SOON).toBeGreaterThan(1_000);
    await rows.last().scrollIntoViewIfNeeded();
    expect(await rows.last().isVisible()).toBe(true);
    const last = companies.at(-1)?.taxId ?? '';
    await page.getByRole('searchbox').fill(last);
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await rows.getByRole('link').click();
    await page.waitForURL(`**/company/BR/${last}`);
  });
});
