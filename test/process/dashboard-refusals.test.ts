import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { holdQueries, needsBrowser, SHOWN, useDashboard } from '../support/dashboard.ts';

/** A query that a page needs, and a page that cannot show its numbers without it. */
const NEEDED = [
  ['/', 'Session'],
  ['/', 'RecentChanges'],
  ['/', 'WatchedCompanies'],
  ['/candidates', 'WatchedCompanies'],
  ['/candidates', 'DismissedMatches'],
  ['/portfolio', 'WatchedCompanies'],
  ['/trends', 'Session'],
  ['/sandbox', 'WatchedCompanies'],
] as const;

/** Sentence of the refusals, which no retry of the page itself ends. */
const REFUSAL = 'This is refused by a test.';

/** Refuses a query as the service does: its fields are null, beside an error. @returns a function that ends it */
async function refuse(page: Page, query: string, fields: readonly string[] = []): Promise<() => Promise<void>> {
  const isMeant = (text: string | null): boolean => new RegExp(`query ${query}\\b`).test(text ?? '');
  const errors = [{ message: REFUSAL, path: fields, extensions: { code: 'FORBIDDEN' } }];
  const data = fields[0] === undefined ? null : { [fields[0]]: null };
  const handle = (route: Route) => (isMeant(route.request().postData()) ? route.fulfill({ json: { data, errors } }) : route.fallback());
  await page.route('**/graphql', handle);
  return () => page.unroute('**/graphql', handle);
}

describe('the dashboard when the service refuses a query, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it.each(NEEDED)('shows on the page %s a sentence and a button in place of what %s did not read', async (path, query) => {
    const page = await run.openPage();
    await page.addInitScript("localStorage.setItem('quipu.tour', 'done')");
    const end = await refuse(page, query, query === 'DismissedMatches' ? ['decided'] : []);
    await page.goto(`${run.url}/dashboard${path}#key=${run.key}`);
    const notice = page.locator('main').getByRole('alert').filter({ hasText: REFUSAL });
    await notice.first().waitFor(SHOWN);
    await expect.poll(() => page.locator('main .skeleton').count(), SHOWN).toBe(0);
    await end();
    await notice.first().getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => notice.count(), SHOWN).toBe(0);
    await page.locator('[data-connection=live]').waitFor(SHOWN);
  });

  it.each([[[]], [['company']], [['company', 'receipts']]])('says that the records of a company could not be read: %j', async (fields) => {
    const page = await run.signedIn();
    const end = await refuse(page, 'CompanyRecords', fields);
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('clean-micro').cnpj}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const notice = timeline.getByRole('alert').filter({ hasText: REFUSAL });
    await notice.waitFor(SHOWN);
    expect(await timeline.innerText()).toContain('could not be read');
    expect(await timeline.getByText('No change').count()).toBe(0);
    await end();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await timeline.locator('[data-event=verdict]').or(timeline.getByText('No change')).first().waitFor(SHOWN);
    expect(await notice.count()).toBe(0);
  });
});

describe('what a browser keeps of companies, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it('is not counted before the watched companies are known', async () => {
    const page = await run.signedIn();
    await expect.poll(() => page.evaluate('Object.keys(localStorage).some((key) => key.startsWith("quipu.companies."))'), SHOWN).toBe(true);
    await page.evaluate(`(() => {
      const key = Object.keys(localStorage).find((one) => one.startsWith('quipu.companies.'));
      const [first] = JSON.parse(localStorage.getItem(key));
      const ids = Array.from({ length: 90 }, (_, i) => String(90_000_000_000_000 + i));
      localStorage.setItem(key, JSON.stringify(ids.map((identifier) => ({ ...first, identifier, readAt: Date.now() }))));
    })()`);
    const held = await holdQueries(page, /query (WatchedCompanies|Verdicts)/);
    await page.reload();
    await held.first;
    expect(await page.getByRole('region', { name: 'Risk of the portfolio' }).innerText()).not.toMatch(/\d+ of \d+ read/);
    held.release();
    await page
      .getByText(/^\d+ of \d+ read/)
      .first()
      .waitFor(SHOWN);
    const [, read, all] = /(\d+) of (\d+) read/.exec(await page.getByRole('region', { name: 'Risk of the portfolio' }).innerText()) ?? [];
    expect(Number(read)).toBeLessThanOrEqual(Number(all));
  });
});

describe('the focus in a list with pages, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();
  const focused = (page: Page) => page.evaluate<string>('document.activeElement?.textContent ?? ""');

  it('stays on the button when the last or the first page is shown', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    await page.locator('#pasted').fill(Array.from({ length: 150 }, (_, i) => `wrong ${i}`).join('\n'));
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('button', { name: 'Next' }).press('Enter');
    await result.getByText('101 to 150 of 150').waitFor(SHOWN);
    await expect.poll(() => focused(page), SHOWN).toBe('Next');
    await result.getByRole('button', { name: 'Previous' }).press('Enter');
    await result.getByText('1 to 100 of 150').waitFor(SHOWN);
    await expect.poll(() => focused(page), SHOWN).toBe('Previous');
  });
});
