import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, isoDate } from '../../src/domain/time.ts';
import { append } from '../modules/monitor/feed-support.ts';
import { needsBrowser, SCREENS, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

/** The calls of the test, and those that the service itself has made and recorded meanwhile. */
const ANSWERED = /Commercial register RUES \(NIT\): \d+ calls, of which 3 failed\./;

describe('plots of the dashboard, in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it('shows the levels of the portfolio over time with their numbers as a table, and says which days are made up', async () => {
    const page = await run.signedIn();
    const recorded = async () => (await run.db.knex('portfolio_days').where({ day: isoDate(Date.now()), is_made_up: false })).length;
    await expect.poll(recorded, SOON).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Trends' }).click();
    const levels = page.getByRole('region', { name: 'Levels of the portfolio' });
    await levels.getByText('are made up').waitFor();
    expect(await levels.getByRole('img').getAttribute('aria-label')).toMatch(/\d{1,2} \w+ \d{4}: high \d+, medium \d+, low \d+/);
    expect(await levels.locator('rect.high').count()).toBeGreaterThan(10);
    await levels.getByText('The same as a table').focus();
    await page.keyboard.press('Enter');
    const rows = levels.locator('tbody tr');
    expect(await rows.count()).toBe(13);
    expect(await rows.first().innerText()).not.toContain('made up');
    expect(await rows.last().innerText()).toContain('made up');
    await levels.getByLabel('Show by').selectOption('month');
    await expect.poll(() => rows.count(), SOON).toBeLessThan(6);
  });

  it('shows the changes per week on a phone, in light and dark, without scrolling the page sideways', async () => {
    const keyId = (await run.query<{ apiKey: { id: string } }>('{ apiKey { id } }')).apiKey.id;
    await append(run.db.knex, 3, { keyId, detectedAt: Date.now() - 14 * DAY_MS });
    const page = await run.signedIn({ viewport: SCREENS.phone });
    await page.goto(`${run.url}/dashboard/trends`);
    const changes = page.getByRole('region', { name: 'Changes per week' });
    await changes.locator('summary').click();
    await expect.poll(() => changes.locator('tbody tr').count(), SOON).toBe(3);
    const heading = await changes.locator('th').nth(1).boundingBox();
    expect(heading?.height).toBeLessThan(50); // a heading that breaks after each letter is far higher
    expect(await changes.locator('tbody tr').last().innerText()).toMatch(/\d{4}\s+3\s+0\s+0\s+0/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows usage by day with a forecast against the plan, and none without three complete days', async () => {
    const keyId = (await run.query<{ apiKey: { id: string } }>('{ apiKey { id } }')).apiKey.id;
    const use = (module: string, days: number) =>
      run.db
        .knex('usage_days')
        .insert(Array.from({ length: days }, (_, i) => ({ key_id: keyId, module, day: isoDate(Date.now() - (i + 1) * DAY_MS), used: 20 })));
    await use('compliance_br', 10);
    await use('tech', 2);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/usage`);
    const plot = page.getByRole('region', { name: 'Usage by day (UTC)' });
    await plot.getByLabel('Module').selectOption('COMPLIANCE_BR');
    await plot
      .getByText(/Expected until \d{1,2} \w+ \d{4}: about \d+ answers\..* last 7 complete days, 20\. The plan includes 500/)
      .waitFor();
    await plot.getByLabel('Module').selectOption('TECH');
    await plot.getByText('There is no forecast yet: it needs 3 complete days').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows the calls of a source that fail, and its latency, on a phone', async () => {
    const failed = { source: 'rues', calls: 8, failed: 3, durations: [0, 0, 5] };
    await run.db.knex('source_hours').insert({ ...failed, hour: new Date(Date.now() - (Date.now() % HOUR_MS) - 3 * HOUR_MS) });
    const page = await run.signedIn({ viewport: SCREENS.phone });
    await page.goto(`${run.url}/dashboard/sources`);
    const plots = page.getByRole('region', { name: 'Latency and outages' });
    await plots.getByLabel('Source').selectOption('RUES');
    await plots.getByText(ANSWERED).waitFor();
    expect(await plots.locator('g rect.high').count()).toBe(1);
    await plots.getByText('The same as a table').last().click();
    await plots
      .getByRole('cell', { name: /\d+ ms$/ })
      .first()
      .waitFor();
    await plots.getByRole('combobox').last().selectOption('30');
    await plots.getByText(ANSWERED).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
