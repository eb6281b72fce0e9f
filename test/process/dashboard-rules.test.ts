import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { SOURCES_OF } from '../../dashboard/state/check-sources.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { needsBrowser, requestsOf, SCREENS, SHOWN, SOON, useDashboard } from '../support/dashboard.ts';

/** Badges that end to the right of where the element beside them, in the same row of a list, begins. */
const OVERLAPS = `[...document.querySelectorAll('.badge')].flatMap((badge) => {
  const box = badge.getBoundingClientRect();
  const cell = badge.closest('li > *') ?? badge;
  const beside = cell.nextElementSibling?.getBoundingClientRect();
  return beside && beside.top < box.bottom && beside.bottom > box.top && beside.left < box.right - 1 ? [badge.textContent] : [];
})`;
/** Lines of the first year of a table of orders. */
const LINES = `(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('[data-year] th'));
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
})()`;

/** A part of a page, where its numbers are, and the texts with their ages. */
const PARTS = [
  { path: '/dashboard', part: '[aria-labelledby=board-title]', ready: '.board', age: /age of the oldest verdict: \d+\w/ },
  { path: '/dashboard', part: '.next-check', ready: '[data-checks]', age: /last check (just now|\d+ \w+ ago)/ },
  { path: '/dashboard/usage', part: '[aria-labelledby=usage-title]', ready: 'tbody tr', age: /age of the data: (now|\d+s)/ },
  { path: '/dashboard/sources', part: '[data-source=CEIS]', ready: 'h3', age: /last success (just now|\d+ \w+ ago)/ },
] as const;

/** Pages below `/dashboard` that have an item in the menu. */
const PATHS = ['', '/candidates', '/portfolio', '/trends', '/screenings', '/deliveries', '/sources', '/usage', '/sandbox'];

describe('the rules of every widget of the dashboard, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it('shows how old its numbers are', async () => {
    const page = await run.signedIn();
    for (const { path, part, ready, age } of PARTS) {
      await page.goto(run.url + path);
      await page.locator(part).locator(ready).first().waitFor(SHOWN);
      await expect.poll(() => page.locator(part).innerText(), SOON).toMatch(age);
      const moments = await page
        .locator(part)
        .locator('time')
        .evaluateAll((all) => all.map((one) => one.getAttribute('title')));
      expect(moments, part).not.toEqual([]);
      for (const moment of moments) expect(moment).toMatch(/20\d\d.*\d:\d\d:\d\d.*(GMT|UTC|[A-Z]{3,4})/);
    }
  });

  it.each([
    ['usage', '.usage tbody tr'],
    ['deliveries', '.empty'],
    ['sources', '[data-source=CEIS]'],
  ])('keeps the last data of the page %s with its age when the API fails, says so, and goes on by itself', async (name, data) => {
    const page = await run.signedIn();
    await blockSubscriptions(page);
    await page.goto(`${run.url}/dashboard/${name}`);
    const shown = page.locator('main').locator(data).first();
    await shown.waitFor(SHOWN);
    const abort = (route: Route) => route.abort();
    await page.route('**/graphql', abort);
    const notice = page.getByRole('alert').getByText(/Not up to date: the server does not answer \(age of the data: \d+/);
    await notice.first().waitFor(SHOWN);
    expect(await shown.isVisible()).toBe(true);
    await page.unroute('**/graphql', abort);
    await expect.poll(() => notice.count(), SHOWN).toBe(0);
  });

  it('keeps the last data of the status page with its age when the service does not answer, and says so', async () => {
    const page = await run.openPage();
    await page.goto(`${run.url}/status`);
    const source = page.locator('[data-source=CEIS]');
    await source.waitFor(SHOWN);
    await page.route('**/status.json', (route) => route.abort());
    await page
      .getByRole('alert')
      .getByText(/Not up to date: the server does not answer \(age of the data: \d+/)
      .waitFor(SHOWN);
    expect(await source.isVisible()).toBe(true);
  });

  it('says what to do where there is nothing', async () => {
    const page = await run.signedIn();
    const empty = (path: string, text: RegExp) => [path, text] as const;
    for (const [path, text] of [
      empty('/dashboard/deliveries', /Create one below/),
      empty('/dashboard/portfolio', /No screening yet\. Its progress and its results as a csv file appear here/),
      empty('/dashboard/candidates', /Confirm a candidate that is the company itself/),
      empty('/dashboard/sources', /Nothing is held\. A change that looks like an error of its source appears here/),
      empty('/dashboard/sandbox', /Choose one and a fault/),
      empty(`/dashboard/company/BR/${companyByScenario('clean-micro').cnpj}`, /add it on the page Portfolio/),
    ]) {
      await page.goto(run.url + path);
      await page.locator('.empty', { hasText: text }).first().waitFor(SHOWN);
    }
    await page.goto(`${run.url}/dashboard`);
    await page.getByRole('searchbox').fill('no company has this name');
    await page.locator('.empty', { hasText: 'Press “Show all”' }).waitFor(SHOWN);
  });

  it('shows no state by colour alone: each badge has words, and each of its colours a shape of its own', async () => {
    const page = await run.signedIn();
    const shapes = new Map<string, string>();
    for (const [path, ready] of [
      ['/dashboard', '.companies .badge.low'],
      ['/dashboard/sources', '[data-source=CEIS] .badge'],
      [`/dashboard/company/BR/${companyByScenario('debarred-ceis').cnpj}`, '.card .badge'],
      ['/dashboard/candidates', '[data-candidate] .badge'],
    ] as const) {
      await page.goto(run.url + path);
      await page.locator(ready).first().waitFor(SHOWN);
      for (const { tone, shape, words } of await badgesOf(page)) {
        expect([path, words]).toEqual([path, expect.stringMatching(/\p{L}{2}/u)]);
        expect([tone, shape]).toEqual([tone, shapes.get(tone) ?? shape]);
        shapes.set(tone, shape);
      }
    }
    expect(shapes.size).toBeGreaterThan(2);
    expect(new Set(shapes.values()).size).toBe(shapes.size);
  });

  it('names each page in the title of the tab', async () => {
    const page = await run.signedIn();
    const { cnpj, name } = companyByScenario('debarred-ceis');
    const paths = [...PATHS, `/company/BR/${cnpj}`];
    const titles: string[] = [];
    for (const path of paths) {
      await page.goto(`${run.url}/dashboard${path}`);
      await page.locator('h1').first().waitFor(SHOWN);
      titles.push(await page.title());
    }
    expect(new Set(titles).size).toBe(paths.length);
    expect([titles[0], titles.at(-1)]).toEqual(['Overview · Quipu', `${name} · Quipu`]);
    await page.getByLabel('Language', { exact: true }).selectOption('pt');
    await page.getByRole('link', { name: 'Fontes' }).click();
    expect(await page.title()).toBe('Fontes · Quipu');
  });

  it('writes every date in one form', async () => {
    const page = await run.signedIn();
    const { cnpj } = companyByScenario('debarred-ceis');
    for (const [path, ready] of [
      [`/company/BR/${cnpj}`, '.card'],
      ['/sources', '[data-source=CEIS]'],
    ]) {
      await page.goto(`${run.url}/dashboard${path}`);
      await page
        .locator(ready ?? '')
        .first()
        .waitFor(SHOWN);
      const text = await page.locator('main').innerText();
      expect(text).toMatch(/\b\d{1,2} [A-Z][a-z]{2,3} (19|20)\d\d\b/);
      expect(text).not.toMatch(/\d{4}-\d\d-\d\d|\d+\/\d+\/\d{4}|[A-Z][a-z]{2} \d{1,2}, \d{4}/);
    }
  });

  it.each(Object.entries(SCREENS))('draws no badge over what is beside it, on a %s', async (_, viewport) => {
    const page = await run.signedIn({ viewport });
    await page.getByLabel('Language', { exact: true }).selectOption('es');
    const held = { source: 'CEIS', reason: 'share', fields: JSON.stringify([{ field: 'debarment', from: '0', to: '1', list: 'CEIS' }]) };
    const row = { country: 'BR', tax_id: companyByScenario('clean-software').cnpj, ...held, observed: '[]', held_at: new Date() };
    await run.db.knex('held_changes').insert(row);
    await page.goto(`${run.url}/dashboard/sources`);
    await page.locator('[data-held]', { hasText: 'Demasiados a la vez' }).waitFor(SHOWN);
    expect(await page.evaluate(OVERLAPS)).toEqual([]);
    await run.db.knex('held_changes').delete();
    await page.goto(`${run.url}/dashboard/candidates`);
    await page.locator('[data-candidate]').first().waitFor(SHOWN);
    expect(await page.evaluate(OVERLAPS)).toEqual([]);
  });

  it('breaks no year of a table where it is narrow', async () => {
    const page = await run.signedIn({ viewport: { width: 320, height: 640 } });
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('clean-software').cnpj}`);
    await page.getByRole('button', { name: 'Read the orders' }).click();
    await page.locator('[data-year] th').first().waitFor(SHOWN);
    expect(await page.evaluate(LINES)).toBe(1);
  });

  it.each([
    ['BR', companyByScenario('clean-software').cnpj],
    ['CL', chileanByScenario('cl-clean').rut],
    ['CO', colombianByScenario('co-supplier').nit],
  ] as const)('counts as sources of a company of %s those that the API names for its checks', async (country, identifier) => {
    const { company } = await run.query<{ company: { compliance: { checks: Readonly<Record<string, ReadSources | null>> } } }>(
      `{ company(identifier: "${identifier}", country: ${country}) { compliance { checks {
        KYB: kyb { source } SANCTIONS: sanctions { sourcesChecked } DEBARMENT: debarment { sourcesChecked } LABOR: labor { sourcesChecked }
        OWNERS: owners { source } TAX_HEALTH: taxHealth { source debtorsChecked } CONTRACT_FINES: contractFines { sourcesChecked } } } } }`,
    );
    const read = Object.entries(company.compliance.checks).flatMap(([check, answer]) => {
      if (!answer) return [];
      const { source, sourcesChecked, debtorsChecked } = answer;
      return [[check, source ? [source, ...(debtorsChecked ? ['TAX_DEBTORS_CL'] : [])] : (sourcesChecked ?? []).toSorted()]];
    });
    expect(Object.fromEntries(read)).toEqual(SOURCES_OF[country]);
  });

  it('says from how many sources one query about a company was answered, and how many of them from the cache', async () => {
    const page = await run.signedIn();
    const requests = await requestsOf(page, 'query CompanyPage(');
    const { cnpj } = companyByScenario('clean-coffee');
    const answered = (read: number, cached: number) =>
      page.getByText(`1 query, answered from 6 of 6 sources: ${read} read for it, ${cached} from the cache`).waitFor(SHOWN);
    await page.goto(`${run.url}/dashboard/company/BR/${cnpj}`);
    await answered(6, 0);
    await page.reload();
    await answered(0, 6);
    expect(requests.sent).toBe(2);
  });

  it('shows how often rate limits refused the key', async () => {
    const check = () =>
      fetch(`${run.url}/v1/compliance-br`, {
        method: 'POST',
        headers: { 'x-api-key': run.key, 'content-type': 'application/json' },
        body: JSON.stringify({ cnpj: companyByScenario('clean').cnpj }),
      });
    const statuses = (await Promise.all(Array.from({ length: 60 }, check))).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    expect(refused).toBeGreaterThan(0);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/usage`);
    const text = page.getByText(/Refused by rate limits: \d+, counted by this server for \d+/);
    await text.waitFor(SHOWN);
    expect(Number((await text.innerText()).match(/: (\d+),/)?.[1])).toBeGreaterThanOrEqual(refused);
  });

  it('says of a list whether it is read in time, late or overdue', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/sources`);
    const tile = page.locator('[data-source=CEIS]');
    await tile.locator('summary').press('Enter');
    await tile.getByText(/next reading in \d+h/).waitFor(SHOWN);
    const readBefore = (hours: number) =>
      run.db
        .knex('registries')
        .where({ name: 'CEIS' })
        .update({ checked_at: new Date(Date.now() - hours * 3_600_000) });
    await readBefore(10);
    await tile.getByText(/Late[\s\S]*still used for 2d/).waitFor(SHOWN);
    await readBefore(73);
    await tile.getByText('Overdue, no longer used').waitFor(SHOWN);
    expect(await tile.getAttribute('data-usable')).toBe('false');
    await page.goto(`${run.url}/status`);
    await page.locator('[data-source=CEIS]').getByText('Overdue, no longer used').waitFor(SHOWN);
  });
});

/** The sources of a check, as its answer names them. */
interface ReadSources {
  readonly source?: string;
  readonly sourcesChecked?: readonly string[];
  readonly debtorsChecked?: boolean;
}

/** Pages that follow a subscription then read by query. */
async function blockSubscriptions(page: Page): Promise<void> {
  await page.routeWebSocket('**/graphql', (socket) => void socket.close());
  await page.route('**/graphql', (route) => (route.request().postData()?.includes('subscription ') ? route.abort() : route.fallback()));
}

interface ShownBadge {
  /** Class that sets its colour. */
  readonly tone: string;
  /** Markup of its shape. */
  readonly shape: string;
  readonly words: string;
}

const badgesOf = (page: Page): Promise<readonly ShownBadge[]> =>
  page
    .locator('.badge')
    .evaluateAll((all) =>
      all.map((one) => ({ tone: one.className, shape: one.querySelector('svg')?.innerHTML ?? '', words: one.textContent ?? '' })),
    );
