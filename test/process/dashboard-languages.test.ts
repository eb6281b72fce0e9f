import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { needsBrowser, SHOWN, useDashboard } from '../support/dashboard.ts';
import { countRequests, look, settled } from '../support/settled.ts';
import { foreignTexts } from './journeys/page-language.ts';

/** Companies whose pages have every kind of finding, owner, registration and failure. */
const COMPANIES = [
  ...['clean', 'debarred-both', 'labor-removed', 'sanctioned', 'homonym', 'worst', 'unknown', 'status-closed', 'owners-listed'].map(
    (scenario) => `BR/${companyByScenario(scenario).cnpj}`,
  ),
  ...['owners-foreign', 'owners-many', 'branch-open', 'group-middle', 'living-all'].map(
    (scenario) => `BR/${companyByScenario(scenario).cnpj}`,
  ),
  ...['cl-debtor', 'cl-ended', 'cl-not-informed', 'cl-listed-owner', 'cl-unknown'].map(
    (scenario) => `CL/${chileanByScenario(scenario).rut.replaceAll(/[.-]/g, '')}`,
  ),
  ...['co-fined', 'co-not-renewed', 'co-branch-left', 'co-never-registered', 'co-unknown-state'].map(
    (scenario) => `CO/${colombianByScenario(scenario).nit}`,
  ),
];

const PAGES = [
  '',
  '/candidates',
  '/portfolio',
  '/trends',
  '/screenings',
  '/deliveries',
  '/sources',
  '/usage',
  '/sandbox',
  '/search?country=CL&q=spa',
];
/** Pages that say what is wrong with their address. */
const WRONG = ['/nowhere', '/search', '/company/BR/11222333000182', '/company/XX/1', '/screenings/scr_4f0c4a1be2a94d3f8a1f6cbb0a6f7d10'];
/** Typed into the box that finds companies: a number with wrong check digits, a name, a domain, nothing that is one of these. */
const TYPED = ['11.222.333/0001-82', 'padaria', 'example.com.br', '12345'];

describe('the pages in Spanish and Portuguese, in Chromium', { timeout: 600_000, ...needsBrowser }, () => {
  const run = useDashboard();

  /** Screens a portfolio with companies of each level, wrong rows and a repeated one. */
  function screened(): Promise<string> {
    const identifiers = [...COMPANIES.map((one) => one.slice(3)), '11.222.333/0001-80', 'hello', '76.123.456-1', COMPANIES[0]?.slice(3)];
    return run.screen({ identifiers });
  }

  it.each(['es', 'pt'] as const)(
    'have no English text in %s, but those that are marked as English, one form of dates, and no code in place of the name of a list or a country',
    async (language) => {
      const id = await screened();
      const page = await run.openPage();
      countRequests(page);
      await page.addInitScript(`localStorage.setItem('quipu.language', '${language}')`);
      const found: Record<string, readonly string[]> = {};
      const add = (name: string, texts: readonly string[]) => {
        if (texts.length > 0) found[name] = texts;
      };
      const visit = async (path: string) => {
        await look(page, run.url + path);
        add(path, await foreignTexts(page, language));
      };
      await visit('/dashboard'); // the form that asks for the key
      await page.goto(`${run.url}/dashboard#key=${run.key}`);
      await page.locator('.companies li').first().waitFor(SHOWN);
      for (const path of [...PAGES, ...WRONG]) await visit(`/dashboard${path}`);
      await look(page, `${run.url}/dashboard/portfolio`);
      await page.locator('main textarea').first().fill('11.222.333/0001-80\nhello\n76.123.456-1\n99.010.001/0001-84\n99.010.001/0001-84');
      await settled(page);
      add('pasted', await foreignTexts(page, language));
      for (const text of TYPED) {
        await page.locator('input[role=combobox]').fill(text);
        await page.locator('.lookup .options').waitFor(SHOWN);
        await settled(page);
        add(`typed ${text}`, await foreignTexts(page, language));
      }
      for (const company of COMPANIES) await visit(`/dashboard/company/${company}`);
      await visit(`/dashboard/screenings/${id}`);
      for (const path of ['/', '/status', '/graphql']) await visit(path);
      expect(found).toEqual({});
    },
  );

  it('shows a company in the language that is chosen while its page is open, and marks an explanation that was read in another one', async () => {
    const page = await run.signedIn();
    const choose = (language: string) => page.locator('header select').first().selectOption(language);
    await page.goto(`${run.url}/dashboard/candidates`);
    const explanation = page.locator('[data-candidate]').getByText('Same words').first();
    await explanation.waitFor(SHOWN);
    await choose('pt');
    await expect.poll(() => explanation.getAttribute('lang'), SHOWN).toBe('en');
    await choose('en');
    await expect.poll(() => explanation.getAttribute('lang'), SHOWN).toBeNull();
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('debarred-ceis').cnpj}`);
    const reasons = page.locator('.reasons');
    await reasons.getByText('1 record on CEIS (barred from public contracts)').waitFor(SHOWN);
    await choose('pt');
    await reasons.getByText('1 registro em “CEIS (empresas inidôneas e suspensas)”').waitFor(SHOWN);
  });
});
