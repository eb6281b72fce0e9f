import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsBrowser, requestsOf, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

/** Holds a request back. `answered` sends it, and waits until the page has taken its answer. */
async function holdRequest(page: Page, address: string, wanted = /./) {
  const [held, released] = [Promise.withResolvers<Request>(), Promise.withResolvers<void>()];
  await page.route(address, async (route) => {
    if (!wanted.test(route.request().postData() ?? '')) return route.fallback();
    held.resolve(route.request());
    await released.promise;
    return route.fallback();
  });
  const answered = async (): Promise<void> => {
    const request = await held.promise;
    const response = page.waitForResponse((one) => one.request() === request);
    released.resolve();
    await (await response).finished();
    await page.waitForTimeout(500);
  };
  return { held: held.promise, answered };
}

describe('the lists of the dashboard in addresses, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const parameters = (page: Page): string => new URL(page.url()).search;
  const hasFocus = (field: Element): boolean => field === field.ownerDocument.activeElement;
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
    await filters.getByRole('button', { name: 'Clear the filters' }).press('Enter');
    expect(await filters.getByRole('searchbox').evaluate(hasFocus)).toBe(true);
    await page.getByRole('region', { name: 'Dismissed' }).getByText('Nothing is dismissed.').waitFor(SHOWN);
    await expect.poll(() => parameters(page), SOON).toBe('');
  });

  it('step back from the older decisions of candidates to the newest ones', async () => {
    const page = await run.signedIn();
    await page.route('**/graphql', async (route) => {
      const { query, variables } = route.request().postDataJSON();
      if (!query.includes('query DismissedMatches(') || variables.after !== null) return route.fallback();
      const response = await route.fetch();
      const answer = await response.json();
      answer.data.decided.pageInfo = { hasNextPage: true, endCursor: 'x' };
      return route.fulfill({ response, json: answer });
    });
    await page.goto(`${run.url}/dashboard/candidates?country=BR`);
    const dismissed = page.getByRole('region', { name: 'Dismissed' });
    await dismissed.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => parameters(page), SOON).toBe('?country=BR&dismissed=x');
    await dismissed.getByRole('button', { name: 'Newest' }).click();
    await expect.poll(() => parameters(page), SOON).toBe('?country=BR');
    await page.goBack();
    await expect.poll(() => parameters(page), SOON).toBe('?country=BR&dismissed=x');
    await page.goBack();
    await expect.poll(() => parameters(page), SOON).toBe('?country=BR');
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
    await page.goBack(); // to the page before the press of Previous, and to the one before that of Next
    await endpoint('first').waitFor(SHOWN);
    await page.goBack();
    await endpoint('later-9').waitFor(SHOWN);
    await page.goForward();
    await endpoint('first').waitFor(SHOWN);
    const form = page.getByRole('region', { name: 'Create a webhook' });
    await form.getByLabel('Address (https)').fill('https://receiver.example/newest');
    await form.getByLabel('Tax ids').fill(cnpj);
    await form.getByRole('button', { name: 'Create a webhook' }).click();
    await endpoint('newest').waitFor(SHOWN);
    await form.getByText('Keep the secret that signs its events').waitFor();
  });

  it('leave the address of another page as it is when work ends whose page was left', async () => {
    const page = await run.signedIn();
    const leave = () =>
      page.evaluate(`history.pushState(null, '', '/dashboard/nowhere?after=x'); dispatchEvent(new PopStateEvent('popstate'))`);
    const { cnpj } = companyByScenario('clean');
    await page.goto(`${run.url}/dashboard/deliveries`);
    const creation = await holdRequest(page, '**/graphql', /mutation CreateWebhook/);
    const form = page.getByRole('region', { name: 'Create a webhook' });
    await form.getByLabel('Address (https)').fill('https://receiver.example/late');
    await form.getByLabel('Tax ids').fill(cnpj);
    await form.getByRole('button', { name: 'Create a webhook' }).click();
    await creation.held;
    await leave();
    await creation.answered();
    expect(page.url()).toBe(`${run.url}/dashboard/nowhere?after=x`);
    await page.goto(`${run.url}/dashboard/screenings`);
    const screening = await holdRequest(page, '**/v1/screenings');
    await page.locator('#screened-file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(`cnpj\n${cnpj}`) });
    await page.getByRole('button', { name: 'Screen the file' }).click();
    await screening.held;
    await leave();
    await screening.answered();
    expect(page.url()).toBe(`${run.url}/dashboard/nowhere?after=x`);
  });

  it('say that a page is empty whose rows are gone, and open the first one', async () => {
    const id = await run.screen({ identifiers: [companyByScenario('sanctioned').cnpj, 'not a tax id'], modules: ['compliance_br'] });
    const end = 'pageInfo { endCursor }';
    const ends = await run.query<Record<'screenings' | 'screening', Record<string, unknown>>>(
      `{ screenings(first: 50) { ${end} } screening(id: "${id}") { results(first: 50) { ${end} } rejectedRows(first: 50) { ${end} } } }`,
    );
    const cursorOf = (list: unknown): string => encodeURIComponent((list as { pageInfo: { endCursor: string } }).pageInfo.endCursor);
    const page = await run.signedIn();
    for (const [path, rows] of [
      [`/screenings?after=${cursorOf(ends.screenings)}`, '[data-screening]'],
      [`/screenings/${id}?after=${cursorOf(ends.screening.results)}`, '[data-result]'],
      [`/screenings/${id}?show=REJECTED&after=${cursorOf(ends.screening.rejectedRows)}`, '[data-rejected]'],
    ] as const) {
      await page.goto(`${run.url}/dashboard${path}`);
      await page.locator('.empty', { hasText: 'There is nothing on this page of the list any more.' }).waitFor(SHOWN);
      await page.getByRole('button', { name: 'First page' }).click();
      await page.locator(rows).first().waitFor(SHOWN);
      expect(parameters(page)).not.toContain('after');
    }
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
    expect(await page.title()).toBe('spa · Search by name · Quipu');
    expect(await seriousFindings(page)).toEqual([]);
    const first = page.locator('[data-found]').first().getByRole('link');
    const name = await first.innerText();
    await first.click();
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
    await page.goBack();
    await page.locator('[data-found]').first().waitFor(SHOWN);
    expect(searches.sent).toBe(1); // a return does not count again
  });

  it('send a search that a link or a reload has opened after a click, and one more for each further page', async () => {
    const page = await run.signedIn();
    const searches = await requestsOf(page, 'query SearchByName(');
    await page.route('**/graphql', async (route) => {
      const variables = route.request().postDataJSON()?.variables;
      if (variables?.name !== 'spa' || variables.after !== null) return route.fallback();
      searches.sent += 1;
      const response = await route.fetch();
      const answer = await response.json();
      answer.data.searchCompanies.pageInfo.hasNextPage = true; // the companies of the second page are gone
      return route.fulfill({ response, json: answer });
    });
    const found = page.locator('[data-found]').first();
    const ask = page.getByRole('button', { name: 'Search (counts 1 check)' });
    await page.goto(`${run.url}/dashboard/search?country=CL&q=spa`);
    await ask.waitFor(SHOWN);
    await page.getByText('Companies of Chile found by “spa”').waitFor();
    expect(await page.title()).toBe('spa · Search by name · Quipu');
    expect(await seriousFindings(page)).toEqual([]);
    expect(searches.sent).toBe(0);
    await ask.click();
    await found.waitFor(SHOWN);
    await next(page).click();
    const first = page.getByRole('button', { name: 'First page' });
    await first.waitFor(SHOWN);
    expect(searches.sent).toBe(2);
    await page.goBack();
    await found.waitFor(SHOWN);
    await page.goForward();
    await first.click();
    await found.waitFor(SHOWN);
    expect(searches.sent).toBe(2);
    await page.reload();
    await ask.waitFor(SHOWN);
    expect(searches.sent).toBe(2);
  });
});
