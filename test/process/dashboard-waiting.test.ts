import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { holdQueries, needsBrowser, SHOWN, useDashboard } from '../support/dashboard.ts';

/** Pages below `/dashboard` that have an item in the menu. */
const PATHS = ['', '/candidates', '/portfolio', '/trends', '/screenings', '/deliveries', '/sources', '/usage', '/sandbox'];

describe('the dashboard while its data is read, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it.each(PATHS)('shows no number and nothing as empty on the page %j before anything was read', async (path) => {
    const page = await run.openPage();
    await page.addInitScript("localStorage.setItem('quipu.tour', 'done')");
    const held = await holdQueries(page, /query (?!Session)/);
    await page.goto(`${run.url}/dashboard${path}#key=${run.key}`);
    await held.first;
    await page.locator('main').getByText('Loading').first().waitFor(SHOWN);
    expect(await page.locator('main .skeleton').count()).toBeGreaterThan(0);
    const text = await page.locator('main').innerText();
    expect(text.replace(/HTTP status 500|3 s late/g, '')).not.toMatch(/\d/); // names of faults
    expect(await page.getByText(/no change yet|Nothing is watched/i).count()).toBe(0);
    held.release();
    await expect.poll(() => page.locator('main').getByText('Loading').count(), SHOWN).toBe(0);
  });

  it('says how many companies were read while it reads them, and shows no level and no count of levels before', async () => {
    const page = await run.openPage();
    const held = await holdQueries(page, /query Verdicts/);
    await page.goto(`${run.url}/dashboard#key=${run.key}`);
    await held.first;
    const board = page.getByRole('region', { name: 'Risk of the portfolio' });
    const { monitors } = await run.query<{ monitors: { nodes: readonly { identifiers: readonly string[] }[] } }>(
      '{ monitors { nodes { identifiers } } }',
    );
    const watched = new Set(monitors.nodes.flatMap(({ identifiers }) => identifiers)).size;
    await board.getByText(new RegExp(`^\\d+ of ${watched} read$`)).waitFor(SHOWN);
    expect(await board.locator('.board').innerText()).not.toMatch(/\d/);
    expect(await page.locator('.companies .badge', { hasText: /High|Medium|Low/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Candidates', exact: true }).click();
    await page
      .getByRole('region', { name: 'To be reviewed' })
      .getByText(new RegExp(`^\\d+ of ${watched} read$`))
      .waitFor(SHOWN);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    held.release();
    await board.getByText(`${watched} of ${watched} read`).waitFor(SHOWN);
    await board.getByRole('button', { name: /^High, complete: [1-9]/ }).waitFor(SHOWN);
  });

  it('names a company and the parts of its page while its sources are read, and shows no level, no badge and no count', async () => {
    const page = await run.signedIn();
    const held = await holdQueries(page, /query CompanyPage\(/);
    const { cnpj, name } = companyByScenario('debarred-ceis');
    await page.getByRole('link', { name, exact: true }).click();
    await held.first;
    const main = page.locator('main');
    await main.locator('[aria-busy=true]', { hasText: 'Verdict' }).waitFor(SHOWN);
    expect((await main.innerText()).replace(cnpj, '')).not.toMatch(/\d/);
    expect(await main.innerText()).toContain(name);
    expect(await main.locator('.badge').count()).toBe(0);
    held.release();
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
    expect(await main.locator('[aria-busy=true]').count()).toBe(0);
  });
});
