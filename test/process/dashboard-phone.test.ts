import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { needsBrowser, SCREENS, SHOWN, useDashboard } from '../support/dashboard.ts';
import { layoutOf } from '../support/phone.ts';
import { inFullRun } from '../support/rounds.ts';
import { countRequests, look } from '../support/settled.ts';

const MAX_HEADER_PX = 110;
/** Height of a badge of one line, with room for another font. */
const MAX_BADGE_PX = 32;

/** Companies whose pages have every table, drawing and card. */
const COMPANIES = [
  ...['debarred-both', 'sanctioned', 'owners-listed', 'owners-level-1', 'clean-software', 'unknown'].map(
    (scenario) => `BR/${companyByScenario(scenario).cnpj}`,
  ),
  `CL/${chileanByScenario('cl-listed-owner').rut}`,
  `CO/${colombianByScenario('co-fined').nit}`,
];

/** True for a link that is within the part of the menu that is seen. */
function isInMenu(link: Element): boolean {
  const [own, menu] = [link.getBoundingClientRect(), link.closest('ul')?.getBoundingClientRect()];
  return menu !== undefined && own.left >= menu.left - 1 && own.right <= menu.right + 1;
}

/** Pages that need no key. The documentation has no other language than the one of its file. */
const PUBLIC = ['/', '/status', '/graphql', '/docs', '/docs/dashboard', '/docs/api', '/docs/schema', '/docs/decisions'];

const PAGES = ['', '/candidates', '/portfolio', '/trends', '/screenings', '/deliveries', '/sources', '/usage', '/sandbox'];
/** Pages that have no item in the menu. */
const OTHER_PAGES = ['/search?country=CL&q=spa', '/nowhere'];

const PASTED = '11.222.333/0001-80\nhello\n76.123.456-1\n99.010.001/0001-84\n99.010.001/0001-84';

describe('every page on a phone of 390 pixels, in Chromium', { timeout: 900_000, ...needsBrowser }, () => {
  const run = useDashboard();
  let screening = '';

  /**
   * Fills the pages that are empty in a new sandbox: tags, decisions, a webhook with a delivery, a mail subscription. Returns the id of a
   * screening that has ended.
   */
  async function fill(): Promise<string> {
    const [{ cnpj }, homonym] = [companyByScenario('clean'), companyByScenario('homonym').cnpj];
    await run.query(`mutation { tagCompanies(input: { country: BR, identifiers: ["${cnpj}"],
      add: ["storage of refrigerated goods", "critical"] }) { companies { id } } }`);
    await run.query(`mutation { saveMailSubscription(input: { email: "ana.maria.de.souza@a-long-name-of-a-company.example", language: PT,
      timeZone: "America/Argentina/ComodRivadavia" }) { mailSubscription { id } } }`);
    const webhookUrl = `${run.sandbox}/_control/webhooks/a-path-that-is-long-enough-to-need-more-than-one-line`;
    const { createMonitor } = await run.query<{ createMonitor: { monitor: { id: string } } }>(
      `mutation { createMonitor(input: { country: BR, identifiers: ["${cnpj}"], webhookUrl: "${webhookUrl}" }) { monitor { id } } }`,
    );
    await run.query(`mutation { testMonitor(input: { id: "${createMonitor.monitor.id}" }) { __typename } }`);
    const { company } = await run.query<{ company: { sanctions: { possibleMatches: readonly { list: string; entityId: string }[] } } }>(
      `{ company(identifier: "${homonym}", country: BR) { sanctions { possibleMatches { list entityId } } } }`,
    );
    for (const [i, { list, entityId }] of company.sanctions.possibleMatches.slice(0, 2).entries())
      await run.query(`mutation { ${i === 0 ? 'confirmMatch' : 'dismissMatch'}(input: { country: BR, identifier: "${homonym}", list: ${list},
        entityId: "${entityId}", reason: "Founded in another year, in another country." }) { __typename } }`);
    const identifiers = [...COMPANIES.map((one) => one.slice(3)), '11.222.333/0001-80', 'hello'];
    return run.screen({ identifiers, webhook_url: webhookUrl });
  }

  /** Opens a page, reads what it reads on demand, and opens its details. */
  async function lookInside(page: Page, path: string): Promise<void> {
    await look(page, run.url + path);
    await page.locator('main details').evaluateAll((all) => {
      for (const one of all as unknown as { open: boolean }[]) one.open = true;
    });
  }

  /** Badges that are higher than their line. */
  const tallBadges = (page: Page): Promise<readonly string[]> =>
    page.evaluate<readonly string[]>(`[...document.querySelectorAll('main .badge')]
      .filter((badge) => badge.getBoundingClientRect().height > ${MAX_BADGE_PX}).map((badge) => badge.textContent)`);

  /** What is wrong with the layout of a page; nothing for a right one. */
  async function problemsOf(page: Page): Promise<readonly unknown[]> {
    const { width, outside, header, wrapped, tables, small } = await layoutOf(page);
    const tall = await tallBadges(page);
    return [
      ...(tall.length > 0 ? [`badges higher than ${MAX_BADGE_PX} px: ${tall}`] : []),
      ...(width > SCREENS.phone.width ? [`${width} px wide`] : []),
      ...(header !== null && header > MAX_HEADER_PX ? [`a header of ${header} px`] : []),
      ...[outside, wrapped, tables, small].filter((one) => one.length > 0),
    ];
  }

  it.each(['es', 'en', 'pt'].slice(0, inFullRun(3, 1)))(
    'fits, with a low header, pills on one line, tables that fit or are cards, and controls of 24 pixels, in %s',
    async (language) => {
      screening ||= await fill();
      const page = await run.openPage({ viewport: SCREENS.phone });
      countRequests(page);
      await page.addInitScript(`localStorage.setItem('quipu.language', '${language}')`);
      const found: Record<string, readonly unknown[]> = {};
      const add = async (name: string) => {
        const problems = await problemsOf(page);
        if (problems.length > 0) found[name] = problems;
      };
      const visit = async (path: string) => {
        await lookInside(page, path);
        await add(path);
      };
      for (const path of ['/dashboard', ...PUBLIC]) await visit(path); // the first one is the form that asks for the key
      await page.goto(`${run.url}/dashboard#key=${run.key}`);
      await page.locator('.companies li').first().waitFor(SHOWN);
      for (const path of PAGES) {
        await visit(`/dashboard${path}`);
        await expect.poll(() => page.locator('.top nav [aria-current]').evaluate(isInMenu), SHOWN).toBe(true);
      }
      for (const path of OTHER_PAGES) await visit(`/dashboard${path}`);
      await lookInside(page, '/dashboard/portfolio');
      await page.locator('main textarea').first().fill(PASTED);
      await page.locator('main form button[type=submit]').first().click();
      await page.locator('tr[data-state]').first().waitFor(SHOWN);
      await page.locator('.watched input[type=checkbox]').nth(1).check();
      await add('pasted rows and a selected company');
      await page.locator('input[role=combobox]').fill('11.222.333/0001-82');
      await page.locator('.lookup .options').waitFor(SHOWN);
      await add('the box that finds companies');
      for (const company of COMPANIES) await visit(`/dashboard/company/${company}`);
      await visit(`/dashboard/screenings/${screening}`);
      await visit('/graphql'); // with the key
      expect(found).toEqual({});
    },
  );
});
