import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { needsBrowser, SCREENS, SHOWN, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';
import { run as runProgram } from '../support/process.ts';

const DECISIONS = '{ dismissedMatches(first: 100) { nodes { id } } confirmedMatches(first: 100) { nodes { id } } }';
type Decisions = Readonly<Record<'dismissedMatches' | 'confirmedMatches', { readonly nodes: readonly { readonly id: string }[] }>>;

describe('candidates of the dashboard in Chromium', { timeout: 60_000, ...needsBrowser }, () => {
  const run = useDashboard();

  /** Withdraws the decisions that a failed test has left, so that they do not fail the tests after it. */
  afterEach(async () => {
    const { dismissedMatches, confirmedMatches } = await run.query<Decisions>(DECISIONS);
    const withdrawals = [
      ...dismissedMatches.nodes.map(({ id }) => `reopenMatch(input: { id: "${id}" }) { dismissedMatch { id } }`),
      ...confirmedMatches.nodes.map(({ id }) => `unconfirmMatch(input: { id: "${id}" }) { confirmedMatch { id } }`),
    ];
    for (const one of withdrawals) await run.query(`mutation { ${one} }`).catch(() => undefined); // the page may be withdrawing it, too
  });

  /** Opens the page of the candidates, and waits until it has read all watched companies. */
  async function candidatesPage(): Promise<Page> {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
    const heading = page.getByRole('region', { name: 'To be reviewed' }).getByRole('heading');
    await expect.poll(() => heading.innerText(), SHOWN).toMatch(/^To be reviewed \d+$/);
    return page;
  }

  /** Returns a key of another person in an account. */
  async function secondPerson(account: string): Promise<string> {
    const created = runProgram(
      'src/cli.ts',
      ['keys', 'create', '--name', 'Second person', '--account', account, '--modules', MODULES.join(), '--json'],
      run.env,
    );
    expect(await created.ended).toBe(0);
    return JSON.parse(created.out()).key;
  }

  /** Changes the setting of the account, and waits until the service has read it. */
  async function setApproval(id: string, needsApproval: boolean): Promise<void> {
    await run.db.knex('accounts').where({ id }).update({ needs_approval: needsApproval });
    const read = async () => (await run.query<{ readonly apiKey: unknown }>('{ apiKey { needsApproval } }')).apiKey;
    await expect.poll(read, SOON).toEqual({ needsApproval });
  }

  it('dismisses a candidate with a reason and reopens it, by keyboard alone', async () => {
    const page = await candidatesPage();
    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    const dismissed = page.getByRole('region', { name: 'Dismissed' }).locator('[data-candidate]');
    await open.first().focus();
    const before = await open.count();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.dataset.candidate')).toBe(await open.nth(1).getAttribute('data-candidate'));
    await page.keyboard.press('d');
    await page.keyboard.type('Founded later, in another country.');
    await page.keyboard.press('Enter');
    await dismissed.getByText('Founded later, in another country.').waitFor();
    expect(await open.count()).toBe(before - 1);
    await page.reload();
    await dismissed.first().getByRole('button', { name: 'Reopen' }).waitFor(); // the page knows the role of the key, without which r does nothing
    await dismissed.first().focus();
    await page.keyboard.press('r');
    await expect.poll(() => open.count(), SOON).toBe(before);
  });

  it('confirms a candidate with a reason by keyboard, shows it as confirmed on the page of its company, and reopens it there', async () => {
    const page = await candidatesPage();
    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    const confirmed = page.getByRole('region', { name: 'Confirmed' }).locator('[data-candidate]');
    await open
      .filter({ hasText: companyByScenario('homonym').name })
      .first()
      .focus();
    const before = await open.count();
    await page.keyboard.press('c');
    await page.keyboard.type('The same address.');
    await page.keyboard.press('Enter');
    await confirmed.getByText('The same address.').waitFor();
    expect(await confirmed.innerText()).toMatch(/Confirmed: it is the company[\s\S]*by [\w ]+ ·/);
    expect(await open.count()).toBe(before - 1);
    await confirmed.getByRole('link').click();
    const ofCompany = page.getByRole('region', { name: 'Candidates' }).locator('[data-candidate]', { hasText: 'The same address.' });
    await ofCompany.waitFor();
    expect(await page.getByRole('region', { name: 'Verdict' }).innerText()).toMatch(/Low/);
    await ofCompany.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('link', { name: 'Candidates' }).click();
    await expect.poll(() => open.count(), SOON).toBe(before);
  });

  it('leaves Ctrl-C on a candidate to the browser', async () => {
    const page = await candidatesPage();
    const row = page.locator('[data-candidate]').first();
    await row.focus();
    await page.keyboard.press('Control+c');
    expect(await row.getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('c');
    await row.getByRole('textbox').waitFor();
  });

  it('decides about several candidates for one reason, shows who decided and the record beside the company, and counts them in the menu', async () => {
    const page = await candidatesPage();
    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    const dismissed = page.getByRole('region', { name: 'Dismissed' }).locator('[data-candidate]', { hasText: 'All founded later.' });
    const inMenu = page.getByRole('navigation').getByRole('link', { name: 'Candidates' }).locator('.count');
    await page.getByRole('searchbox', { name: 'Name, tax id, reason or person' }).fill(companyByScenario('homonym').name);
    await open.nth(1).waitFor();
    const before = await open.count();
    await open.first().getByText('Compare field by field').click();
    await open
      .first()
      .getByRole('row', { name: /^Tax id/ })
      .waitFor();
    await open.first().getByRole('button', { name: 'Read its address and date of opening (counts 1 check of registration)' }).click();
    const founded = open.first().getByRole('row', { name: /^Founded/ });
    await expect.poll(() => founded.getByRole('cell').first().innerText(), SOON).toMatch(/\d{1,2} \w+ \d{4}/);
    await page.getByRole('button', { name: `Select all (${before})` }).click();
    await page.getByRole('button', { name: 'Dismiss the selected' }).click();
    await page.keyboard.type('All founded later.');
    await page.keyboard.press('Enter');
    await expect.poll(() => open.count(), SOON).toBe(0);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => dismissed.count(), SOON).toBe(before);
    expect(await dismissed.first().innerText()).toMatch(/by [\w ]+ ·/);
    expect((await inMenu.count()) === 0 || Number(await inMenu.innerText()) === (await open.count())).toBe(true);
    for (let left = before; left > 0; left -= 1) {
      await dismissed.first().getByRole('button', { name: 'Reopen' }).click();
      await expect.poll(() => dismissed.count(), SOON).toBe(left - 1);
    }
  });

  it('keeps the reason of a decision about several that the service did not accept', async () => {
    const page = await run.signedIn();
    const refused = { dismissedMatch: null, error: { code: 'MATCH_NOT_FOUND', message: 'It is gone.' } };
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('mutation DismissMatches(')
        ? route.fulfill({ json: { data: { dismissMatches: { results: [refused] } } } })
        : route.fallback(),
    );
    await page.goto(`${run.url}/dashboard/candidates`);
    await page.getByRole('searchbox', { name: 'Name, tax id, reason or person' }).fill(companyByScenario('homonym').name);
    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    await open.first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Dismiss the selected' }).click();
    await page.keyboard.type('Founded later.');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Not decided: 1. It is gone.').waitFor();
    expect(await page.getByLabel('Why it is another party').inputValue()).toBe('Founded later.');
  });

  it('lets a second person approve a decision, where the account needs it, and offers no approval to the one who decided', async () => {
    const { id } = await run.db.knex('accounts').first('id');
    onTestFinished(() => setApproval(id, false));
    await setApproval(id, true);
    const page = await candidatesPage();
    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    await open.first().getByRole('button', { name: 'Dismiss' }).click();
    await page.keyboard.type('Another director.');
    await page.keyboard.press('Enter');
    const waiting = open.filter({ hasText: 'Waits for a second person: dismiss it, because “Another director.”' });
    await waiting.waitFor();
    expect(await waiting.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    const second = await run.openPage({ viewport: SCREENS.phone });
    await second.goto(`${run.url}/dashboard/candidates#key=${await secondPerson(id)}`);
    const toApprove = second.getByRole('region', { name: 'Dismissals that wait for a second person' }).locator('[data-candidate]');
    await toApprove.getByRole('button', { name: 'Approve' }).click();
    const dismissed = second.getByRole('region', { name: 'Dismissed' }).locator('[data-candidate]', { hasText: 'Another director.' });
    await dismissed.waitFor();
    expect(await dismissed.innerText()).toMatch(/by [\w ]+, approved by Second person/);
    await expect.poll(() => toApprove.count(), SOON).toBe(0);
    await dismissed.getByRole('button', { name: 'Reopen' }).click();
    await expect.poll(() => dismissed.count(), SOON).toBe(0);
  });

  it('asks nobody about a candidate whose tax id is that of the company', async () => {
    const page = await candidatesPage();
    const named = { hasText: companyByScenario('sanctioned').name };
    const byId = page.getByRole('region', { name: 'Decided by tax id' }).locator('[data-candidate]', named);
    await byId.waitFor();
    expect(await byId.innerText()).toContain('Decided by tax id');
    expect(await byId.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]', named).count()).toBe(0);
  });

  it('keeps a candidate in the list when its dismissal fails, and says why', async () => {
    const page = await candidatesPage();
    const first = page.locator('[data-candidate]').first();
    await first.getByRole('button', { name: 'Dismiss' }).click();
    await page.keyboard.type('Another city.');
    await page.route('**/graphql', (request) => request.abort());
    await page.keyboard.press('Enter');
    await first.getByRole('alert').getByText('the server does not answer').waitFor();
    await first.getByRole('button', { name: 'Cancel' }).waitFor();
  });

  it('dismisses candidates of owners with a reason, one or all of an owner, says so in the timeline, and reopens them', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('owners-listed').cnpj}`);
    const review = page.getByRole('region', { name: 'Verdict' }).locator('.owners-to-review');
    await review.getByText('Owners: 11 of 13 need review, 4 by exact tax id').waitFor(SHOWN);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const rowOf = (name: string) => page.getByRole('region', { name: /^Owners/ }).getByRole('row', { name });
    const ofOwner = (name: string) => rowOf(name).locator('[data-owner-candidate]');
    const person = ofOwner('PEDRO EJEMPLO INVENTADO').first();
    await person.getByRole('button', { name: /^Dismiss: / }).click();
    await page.keyboard.type('Born in another year.');
    await page.keyboard.press('Enter');
    await person.getByText('Dismissed: Born in another year.').waitFor();
    await timeline.getByText(/Owner or officer PEDRO EJEMPLO INVENTADO: .* is another party: Born in another year\./).waitFor();

    const condor = ofOwner('CONDOR IMAGINARIO TRADING LTDA');
    const all = rowOf('CONDOR IMAGINARIO TRADING LTDA').getByRole('button', { name: 'Dismiss all found by name: 2' });
    await all.click();
    await page.keyboard.press('Escape');
    expect(await all.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('A company of Panama.');
    await page.keyboard.press('Enter');
    await expect.poll(() => condor.getByText('Dismissed: A company of Panama.').count(), SOON).toBe(2);
    expect(await page.evaluate('document.activeElement.querySelectorAll("[data-owner-candidate]").length')).toBe(2);
    await review.getByText('Owners: 9 of 13 need review, 4 by exact tax id').waitFor();
    const byId = ofOwner('IMPORTADORA FURA BLOQUEIO LTDA');
    expect(await byId.innerText()).toContain('Decided by tax id');
    expect(await byId.getByRole('button').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);

    await page.reload();
    await review.getByText('Owners: 9 of 13 need review, 4 by exact tax id').waitFor(SHOWN);
    for (const one of [person, condor.first(), condor.last()]) await one.getByRole('button', { name: /^Reopen: / }).click();
    await review.getByText('Owners: 11 of 13 need review, 4 by exact tax id').waitFor();
  });
});
