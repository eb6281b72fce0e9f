import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsBrowser, SOON, useDashboard } from '../support/dashboard.ts';

describe('candidates of the dashboard in Chromium', { timeout: 60_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it('dismisses a candidate with a reason and reopens it, by keyboard alone', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
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
    await dismissed.first().focus();
    await page.keyboard.press('r');
    await expect.poll(() => open.count(), SOON).toBe(before);
  });

  it('confirms a candidate with a reason by keyboard, shows it as confirmed on the page of its company, and reopens it there', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
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

  it('decides about several candidates for one reason, shows who decided and the record beside the company, and counts them in the menu', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
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

  it('asks nobody about a candidate whose tax id is that of the company', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
    const named = { hasText: companyByScenario('sanctioned').name };
    const byId = page.getByRole('region', { name: 'Decided by tax id' }).locator('[data-candidate]', named);
    await byId.waitFor();
    expect(await byId.innerText()).toContain('Decided by tax id');
    expect(await byId.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]', named).count()).toBe(0);
  });

  it('keeps a candidate in the list when its dismissal fails, and says why', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/candidates`);
    const first = page.locator('[data-candidate]').first();
    await first.getByRole('button', { name: 'Dismiss' }).click();
    await page.keyboard.type('Another city.');
    await page.route('**/graphql', (request) => request.abort());
    await page.keyboard.press('Enter');
    await first.getByRole('alert').getByText('the server does not answer').waitFor();
    await first.getByRole('button', { name: 'Cancel' }).waitFor();
  });
});
