import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { formatTaxId } from '../../src/domain/company.ts';
import { holdQueries, needsBrowser, requestsOf, SCREENS, SHOWN, seriousFindings, useDashboard } from '../support/dashboard.ts';

const brazilian = companyByScenario('clean-coffee');
const chilean = chileanByScenario('cl-clean');
const colombian = colombianByScenario('co-supplier');

describe('the box that finds a company, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const option = (page: Page, text: string | RegExp) => page.locator('.lookup').getByRole('option').filter({ hasText: text });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);

  /** Types a text into the box by keyboard alone. */
  async function type(page: Page, text: string, shortcut = '/'): Promise<void> {
    await page.getByRole('combobox').last().waitFor();
    await page.keyboard.press(shortcut);
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("role")')).toBe('combobox');
    await page.keyboard.type(text);
  }

  it.each([
    ['a CNPJ', '/', brazilian.cnpj, brazilian.name, `/company/BR/${brazilian.cnpj}`],
    [
      'a CNPJ with punctuation',
      'Control+k',
      formatTaxId({ country: 'BR', taxId: brazilian.cnpj }),
      brazilian.name,
      `/company/BR/${brazilian.cnpj}`,
    ],
    ['a RUT', '/', formatTaxId({ country: 'CL', taxId: chilean.rut }), chilean.name, `/company/CL/${chilean.rut}`],
    ['a NIT', '/', formatTaxId({ country: 'CO', taxId: colombian.nit }), colombian.name, `/company/CO/${colombian.nit}`],
  ])('opens the company of %s by keyboard alone', async (_, shortcut, text, name, path) => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/usage`);
    await type(page, text, shortcut);
    await option(page, /Open|clean|counts/)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await heading(page, name);
    expect(new URL(page.url()).pathname).toBe(`/dashboard${path}`);
    expect(await page.evaluate('document.activeElement?.id')).toBe('content');
  });

  it('offers the right number for wrong check digits, and opens nothing by itself', async () => {
    const page = await run.signedIn();
    const requests = await requestsOf(page, 'query CompanyPage(');
    const wrong = chilean.rut.slice(0, -1) + (chilean.rut.endsWith('1') ? '2' : '1');
    await type(page, formatTaxId({ country: 'CL', taxId: wrong }));
    const right = formatTaxId({ country: 'CL', taxId: chilean.rut });
    await option(page, `The check digits do not fit. Did you mean ${right}?`).waitFor();
    expect(requests.sent).toBe(0);
    await page.keyboard.press('Enter');
    await heading(page, chilean.name);
  });

  it('finds a watched company by name without a request, and another by the registry of its country', async () => {
    const page = await run.signedIn();
    const requests = await requestsOf(page, 'query FindByName(');
    await type(page, 'lua de papel');
    await option(page, /PADARIA LUA DE PAPEL LTDA.*watched/).waitFor();
    expect(requests.sent).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.type('inventada s.a');
    const search = option(page, /Search Chile for “inventada s\.a”.*counts 1 check of registration/);
    await search.waitFor();
    for (let presses = 0; (await search.getAttribute('aria-selected')) !== 'true'; presses += 1) {
      expect(presses).toBeLessThan(10);
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await page.locator('.lookup').getByText('Results: ').waitFor(SHOWN);
    expect(requests.sent).toBe(1);
    const name = await page.locator('.lookup').getByRole('option').first().locator('.title').innerText();
    expect(name).toMatch(/INVENTADA S\.?A/);
    await page.keyboard.press('Enter');
    await heading(page, name);
  });

  /** The searches that the page has sent, by the country of each. */
  function searchedCountries(page: Page): readonly string[] {
    const countries: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('query FindByName(')) countries.push(JSON.parse(body).variables.country);
    });
    return countries;
  }

  const isMarked = (page: Page, text: string) => expect.poll(() => option(page, text).getAttribute('aria-selected')).toBe('true');
  const status = (page: Page) => page.locator('.lookup').getByRole('status');

  it('searches the same text in the other country after a search', async () => {
    const page = await run.signedIn();
    const countries = searchedCountries(page);
    await type(page, 'inventada s.a');
    await option(page, 'Search Chile').click();
    await status(page).getByText('Results: ').waitFor(SHOWN);
    await option(page, 'Search Brazil').click();
    await status(page).getByText('This service has no copy of the registry of Brazil').waitFor(SHOWN);
    expect(countries).toEqual(['CL', 'BR']);
  });

  it('keeps the marked choice while others arrive, and begins what an Enter chose while a search is under way', async () => {
    const page = await run.signedIn();
    await page.evaluate('localStorage.clear()');
    const portfolio = await holdQueries(page, /query (?!Session|FindByName)/);
    const countries = searchedCountries(page);
    await page.reload();
    await portfolio.first;
    await type(page, 'padaria lua de papel');
    await page.keyboard.press('ArrowDown');
    await isMarked(page, 'Search Chile');
    portfolio.release();
    await option(page, 'watched').waitFor(SHOWN);
    await isMarked(page, 'Search Chile');
    const searches = await holdQueries(page, /query FindByName/);
    await page.keyboard.press('Enter');
    await searches.first;
    await page.keyboard.press('ArrowUp');
    await isMarked(page, 'Search Brazil');
    await page.keyboard.press('Enter');
    await expect.poll(() => countries).toEqual(['CL', 'BR']);
    searches.release();
    await status(page).getByText('This service has no copy of the registry of Brazil').waitFor(SHOWN);
  });

  it('says that names of Brazil need a copy of the registry, where the service has none', async () => {
    const page = await run.signedIn();
    await type(page, 'uma empresa que ninguem monitora');
    await page.keyboard.press('Enter');
    const said = () => page.locator('.lookup').getByRole('status').innerText();
    await expect.poll(said, { timeout: 20_000 }).toContain('This service has no copy of the registry of Brazil');
  });

  it('opens the company of a domain, and of an e-mail address of which it sends the domain only', async () => {
    const page = await run.signedIn();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await type(page, 'Maria.Fulana@luadepapel-ficticia.com.br');
    await option(page, /Find the company of luadepapel-ficticia\.com\.br.*counts 1 company profile/).waitFor();
    await page.keyboard.press('Enter');
    await option(page, formatTaxId({ country: 'BR', taxId: companyByScenario('clean').cnpj })).waitFor(SHOWN);
    await page.keyboard.press('Enter');
    await heading(page, companyByScenario('clean').name);
    expect(sent.filter((body) => body.includes('FindByDomain'))).toHaveLength(1);
    expect(sent.filter((body) => /fulana/i.test(body))).toEqual([]);
  });

  it.each([
    ['BR', brazilian.cnpj, 'counts 1 consolidated check', { COMPLIANCE_BR: 1 }],
    ['CL', chilean.rut, 'counts 1 consolidated check', { COMPLIANCE: 1 }],
    ['CO', colombian.nit, 'counts 1 consolidated check', { COMPLIANCE: 1 }],
  ])('says what the page of a company of %s counts, before it counts', async (_, identifier, text, counted) => {
    const page = await run.signedIn();
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('query CompanyPage(') ?? false);
    await type(page, identifier);
    await option(page, text).first().waitFor();
    await page.keyboard.press('Enter');
    const { extensions } = await (await answered).json();
    expect(extensions.cost.counted).toEqual(counted);
  });

  it.each(Object.entries(SCREENS))('has no serious finding of axe while it is open, and fits, on a %s', async (_, viewport) => {
    const page = await run.signedIn({ viewport });
    await page.goto(`${run.url}/dashboard/usage`);
    await type(page, 'pico de oro');
    await option(page, 'Search Chile').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('speaks Spanish and Portuguese', async () => {
    const page = await run.signedIn();
    for (const [language, label, sentence] of [
      ['es', 'Buscar una empresa', 'Ningún identificador tiene esta forma'],
      ['pt', 'Buscar uma empresa', 'Nenhum identificador tem esta forma'],
    ] as const) {
      await page.locator('header select').first().selectOption(language);
      await page.getByRole('combobox', { name: label }).fill('12345');
      await page.getByRole('status').getByText(sentence).waitFor();
    }
  });
});
