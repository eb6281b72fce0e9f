import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { needsBrowser, SCREENS, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

const listed = companyByScenario('owners-listed');
const cellar = companyByScenario('group-cellar');
/** Texts of boxes of the drawing that end outside of their box. */
const OUTSIDE = (drawing: Element): readonly (string | null)[] =>
  [...drawing.querySelectorAll('.node')].flatMap((box) => {
    const { right, bottom } = box.getBoundingClientRect();
    const parts = [...box.children].map((part) => part.getBoundingClientRect());
    return parts.some((part) => part.right > right + 1 || part.bottom > bottom + 1) ? [box.textContent] : [];
  });
/** Badges with a text of more than one line. */
const WRAPPED = `[...document.querySelectorAll('.badge')].filter((badge) => badge.getBoundingClientRect().height > 30).map((badge) => badge.textContent)`;
const REVIEW = 'Owners: 11 of 13 need review, 4 by exact tax id';

describe('the dossier of a company, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  async function openCompany(page: Page, { cnpj, name }: { readonly cnpj: string; readonly name: string }): Promise<void> {
    await page.goto(`${run.url}/dashboard/company/BR/${cnpj}`);
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
  }

  it('begins with the status and its date, the level, and the owners to review beside a low verdict', async () => {
    const page = await run.signedIn();
    await openCompany(page, listed);
    const header = await page.locator('.dossier').innerText();
    expect(header).toMatch(/Low[\s\S]*Brazil 99\.040\.023\/0001-97[\s\S]*Active, since \d{1,2} \w+ \d{4}[\s\S]*Not watched/);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    expect(await verdict.innerText()).toContain(REVIEW);
    expect(await verdict.locator('.owners-to-review').getAttribute('class')).toContain('high');
  });

  it.each([
    [
      'CL',
      chileanByScenario('cl-debtor').rut,
      /^Medium[\s\S]*Tax debtor/,
      ['Registration', 'Sanctions', 'Owners', 'Tax standing'],
      /labour, lawsuits/,
    ],
    [
      'CO',
      colombianByScenario('co-cancelled').nit,
      /^Medium[\s\S]*Registration not active/,
      ['Registration', 'Sanctions', 'Legal representative', 'Contract fines'],
      /partners, whom no register/,
    ],
  ])(
    'has the verdict of a company of %s, with the checks of the country and what they do not cover',
    async (country, id, reasons, checks, gap) => {
      const page = await run.signedIn();
      await page.goto(`${run.url}/dashboard/company/${country}/${id}`);
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await verdict.waitFor(SHOWN);
      expect(await verdict.locator('.body').innerText()).toMatch(reasons);
      expect(await verdict.innerText()).toMatch(gap);
      expect(await page.locator('.checks h3').allInnerTexts()).toEqual(checks);
      expect(await page.locator('.checks .badge', { hasText: 'No answer' }).count()).toBe(0);
    },
  );

  it('assesses the companies of Chile in the list of companies, too', async () => {
    const page = await run.signedIn();
    const row = page.locator('.companies li', { hasText: chileanByScenario('cl-ended').name });
    await expect.poll(() => row.innerText(), SOON).toMatch(/Medium[\s\S]*Registration not active/);
  });

  it('has the whole registration, with dates and money in the language of the page', async () => {
    const page = await run.signedIn();
    await page.locator('header select').first().selectOption('pt');
    await openCompany(page, companyByScenario('clean'));
    const card = page.locator('.registration');
    expect(await card.innerText()).toMatch(
      /Natureza jurídica[\s\S]*Capital social\s+R\$\s[\d.]+,\d\d[\s\S]*Atividade principal[\s\S]*Endereço/,
    );
    expect(await card.innerText()).not.toMatch(/\d{4}-\d\d-\d\d/);
  });

  it('has the registration on demand for a key with kyb alone, and says for the branches that the service has no copy', async () => {
    const page = await run.openPage();
    const { cnpj, name } = companyByScenario('clean');
    await page.goto(`${run.url}/dashboard/company/BR/${cnpj}#key=${await run.keyWith('kyb')}`);
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
    await page.getByRole('button', { name: 'Read the registration (counts 1 check of registration)' }).click();
    const card = page.locator('.registration');
    await card.getByText('Legal nature').waitFor(SHOWN);
    await card.getByRole('button', { name: 'Read the branches (counts 1 check of registration)' }).click();
    await card.getByText('This service has no copy of the registry, from which branches are read.').waitFor(SHOWN);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('has the registration beside a candidate once it was read, for a key without the consolidated check', async () => {
    const page = await run.openPage();
    const { cnpj, name } = companyByScenario('homonym');
    await page.goto(`${run.url}/dashboard/company/BR/${cnpj}#key=${await run.keyWith('kyb,sanctions')}`);
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
    const candidate = page.getByRole('region', { name: 'Candidates' }).locator('[data-candidate]').first();
    await candidate.getByText('Compare field by field').click();
    await candidate.getByRole('button', { name: 'Read its address and date of opening' }).waitFor();
    await page.getByRole('button', { name: 'Read the registration (counts 1 check of registration)' }).click();
    const founded = candidate.getByRole('row', { name: /^Founded/ }).getByRole('cell');
    await expect.poll(() => founded.first().innerText(), SOON).toMatch(/\d{1,2} \w+ \d{4}/);
    expect(await page.evaluate('document.activeElement.className')).toBe('panel registration');
  });

  it('has all registrations of a Colombian company at chambers of commerce', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/company/CO/${colombianByScenario('co-several-rows').nit}`);
    const chambers = page.locator('.registration details', { hasText: 'Registrations at chambers of commerce: 3' });
    await chambers.locator('summary').click();
    expect(await chambers.locator('li').count()).toBe(3);
    expect(await chambers.locator('li').first().innerText()).toMatch(/ACTIVA .*its state is that of the company$/);
  });

  it('watches the company by one button, and then lists it with its owners, filters by them and saves the list as CSV', async () => {
    const page = await run.signedIn();
    await openCompany(page, listed);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.locator('.dossier').getByText('Watched', { exact: true }).waitFor(SHOWN);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    const row = page.locator('.companies li', { hasText: listed.name });
    await expect.poll(() => row.innerText(), SOON).toContain(REVIEW);
    const all = await page.locator('.companies li').count();
    await page.getByRole('button', { name: /^Owners with hits: \d+$/ }).click();
    await row.waitFor();
    expect(await page.locator('.companies li').count()).toBeLessThan(all);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toMatch(
      /^\uFEFFCountry,Tax id,Name,Risk,Completeness,Reasons,Owners and officers,Owners to review,Owners by exact tax id,/,
    );
    expect(text).toMatch(/BR,99\.040\.023\/0001-97,SOCIOS CONHECIDOS LTDA,Low,complete,,13,11,4,0,\d{4}-/);
  });

  it('marks the findings of the group on its companies, with the path, and says first what it counts', async () => {
    const page = await run.signedIn();
    await openCompany(page, cellar);
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('query Group(') ?? false);
    await page.getByRole('button', { name: 'Read the group (counts 2 answers of owners)' }).click();
    expect((await (await answered).json()).extensions.cost.counted).toEqual({ OWNERS: 1 });
    const row = page.locator(`[data-group="${companyByScenario('debarred-both').cnpj}"]`);
    await row.waitFor(SHOWN);
    expect(await row.innerText()).toMatch(/owner, level 3[\s\S]*CEIS[\s\S]*path: .* ← DOBRADINHA CONTRATOS LTDA/);
    const group = page.getByRole('region', { name: 'Group', exact: true });
    expect(await group.innerText()).toMatch(/On a list: 1 of 4[\s\S]*this service has no copy of the registry/);
  });

  it('draws the group: findings on the boxes, text inside of its box, one more level where it ends, and the ultimate owners as a sentence', async () => {
    const page = await run.signedIn();
    await openCompany(page, companyByScenario('owners-level-1'));
    await page.getByRole('button', { name: 'Read the group' }).click();
    const drawing = page.getByRole('region', { name: 'Drawing of the group' });
    await drawing.locator('[data-node]').first().waitFor(SHOWN);
    await page.getByText(/^Ultimate owners: /).waitFor(SHOWN);
    expect(await drawing.evaluate(OUTSIDE)).toEqual([]);
    const width = async () => (await drawing.locator('[data-node]').first().boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole('button', { name: 'Larger' }).click();
    expect(await width()).toBeGreaterThan(before);
    await drawing.getByRole('link').first().press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith(companyByScenario('owners-level-1').cnpj));
  });

  it('keeps the marks where the group ends if the reading of one more level fails', async () => {
    const page = await run.signedIn();
    let asked = 0;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Group(')) return route.fallback();
      asked += 1;
      if (asked > 1) return route.abort();
      const answer = await (await route.fetch()).json();
      const { group } = answer.data.company;
      group.notSeen = [{ reason: 'DEPTH', count: 1, companies: [] }];
      group.nodes = group.nodes.map((node: { readonly relation: string }) => (node.relation === 'OWNER' ? { ...node, depth: 4 } : node));
      return route.fulfill({ json: answer });
    });
    await openCompany(page, companyByScenario('owners-level-1'));
    await page.getByRole('button', { name: 'Read the group' }).click();
    const marks = page.getByRole('region', { name: 'Drawing of the group' }).getByRole('button', { name: /^\+1 level/ });
    await marks.first().waitFor(SHOWN);
    const before = await marks.count();
    await marks.first().click();
    await page.getByRole('region', { name: 'Group', exact: true }).getByText('the server does not answer').waitFor(SHOWN);
    expect([asked, await marks.count()]).toEqual([2, before]);
  });

  it('keeps notes in the timeline with who wrote them, beside verdicts, list entries and decisions', async () => {
    const page = await run.signedIn();
    await openCompany(page, companyByScenario('debarred-ceis'));
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.locator('[data-event=entry]').first().waitFor(SHOWN);
    await timeline.getByLabel('Write a note').fill('Talked to 529.982.247-25: approved.');
    await timeline.getByRole('button', { name: 'Add the note' }).click();
    const note = timeline.locator('[data-event=note]');
    await note.getByText('Talked to ***982247**: approved.').waitFor(SHOWN);
    // Chromium lays out no row outside the window, so its innerText would be empty.
    expect(await note.textContent()).toMatch(/by .+ \([0-9a-f]{8}…\)/);
    expect(await timeline.locator('[data-event]').first().getAttribute('data-event')).toBe('note');
    await page.reload();
    await note.waitFor(SHOWN);
    await note.getByRole('button', { name: 'Delete the note', exact: true }).click();
    await note.getByRole('button', { name: 'Yes, delete the note' }).click();
    await expect.poll(() => note.count(), SOON).toBe(0);
  });

  it('has the findings in one table with body, period, number and the page of the publisher', async () => {
    const page = await run.signedIn();
    await openCompany(page, companyByScenario('debarred-ceis'));
    const row = page.locator('[data-finding=CEIS]').first();
    await row.waitFor(SHOWN);
    expect(await row.innerText()).toMatch(/\d{1,2} \w{3,4} \d{4} –/);
    expect(await row.getByRole('link').getAttribute('href')).toMatch(/^https:\/\/portaldatransparencia\.gov\.br/);
  });

  it('has a header of at most 110 px on a phone, and no pill on two lines', async () => {
    const page = await run.signedIn({ viewport: SCREENS.phone });
    await openCompany(page, listed);
    expect((await page.locator('.top').boundingBox())?.height).toBeLessThanOrEqual(110);
    expect(await page.evaluate(WRAPPED)).toEqual([]);
  });

  it('copies a link without the key, and prints without menus and buttons', async () => {
    const page = await run.signedIn();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openCompany(page, listed);
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${run.url}/dashboard/company/BR/${listed.cnpj}`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
  });

  it.each(Object.entries(SCREENS))('has no serious finding of axe and fits, on a %s', async (_, viewport) => {
    const page = await run.signedIn({ viewport });
    await openCompany(page, cellar);
    await page.getByRole('button', { name: 'Read the group' }).click();
    await page.locator('[data-group]').first().waitFor(SHOWN);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
