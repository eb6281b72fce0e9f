import { describe, expect, it } from 'vitest';
import { changingCompanies } from '../../sandbox/world/brazil/companies/changing.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type DashboardRun, needsBrowser, SOON, useDashboard } from '../support/dashboard.ts';
import { run as runProcess } from '../support/process.ts';
import { monthsOfShare } from '../support/registry-copy.ts';

const { cnpj } = companyByScenario('clean-school');
const TITLES = { en: 'Owners who left', es: 'Socios que salieron', pt: 'Sócios que saíram' };

async function importMonth(run: DashboardRun, month: string): Promise<void> {
  const { ended, err } = runProcess('src/cli.ts', ['import', 'receita', '--month', month], { ...run.env, PORT: '0' });
  expect([await ended, err()]).toEqual([0, expect.any(String)]);
}

interface Answer {
  readonly company: {
    readonly owners: { readonly owners: readonly { readonly name: string }[]; readonly freshness: { dataAsOf: string } };
  };
}
const ownersNow = async (run: DashboardRun) => {
  const { company } = await run.query<Answer>(`{ company(identifier: "${cnpj}") { owners { owners { name } freshness { dataAsOf } } } }`);
  return { names: company.owners.owners.map(({ name }) => name), dataAsOf: company.owners.freshness.dataAsOf };
};

interface Checked {
  readonly createMonitor: { readonly monitor: { readonly id: string } };
}
const watch = async (run: DashboardRun): Promise<string> => {
  const input = `country: BR, identifiers: ["${cnpj}"], webhookUrl: "${run.sandbox}/_control/webhooks/owners"`;
  return (await run.query<Checked>(`mutation { createMonitor(input: { ${input} }) { monitor { id } } }`)).createMonitor.monitor.id;
};
const checkedBy = async (run: DashboardRun, monitor: string): Promise<number> => {
  const query = `{ monitor(id: "${monitor}") { checks { checked } } }`;
  return (await run.query<{ monitor: { checks: { checked: number } } }>(query)).monitor.checks.checked;
};

describe('what the copy of the registry adds to the dashboard, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard({ QUIPU_RECEITA_MODE: 'copy-then-live' });

  it('names a partner who left since the month before by a change of the company, in every language', async () => {
    const [before = '', after = ''] = await monthsOfShare(run.sandbox);
    await importMonth(run, before);
    await expect.poll(async () => (await ownersNow(run)).dataAsOf, SOON).toBe(`${before}-14`); // a server sees a switch within seconds
    const { names } = await ownersNow(run);
    const monitor = await watch(run);
    await expect.poll(() => checkedBy(run, monitor), SOON).toBe(1);
    const page = await run.signedIn();

    await importMonth(run, after);
    await expect.poll(async () => (await ownersNow(run)).dataAsOf, SOON).toBe(`${after}-14`);
    const staying = (await ownersNow(run)).names;
    const left = names.find((name) => !staying.includes(name)) ?? '';
    expect(left).not.toBe('');
    const line = page.locator('.feed .what', { hasText: TITLES.en }).filter({ hasText: left }).first();
    await line.waitFor({ timeout: 60_000 });
    expect(await line.innerText()).toMatch(/\(\*{3}\d{6}\*{2}\)/);
    for (const [language, title] of Object.entries(TITLES)) {
      await page.locator('header select').first().selectOption(language);
      await page.locator('.feed .what', { hasText: title }).filter({ hasText: left }).first().waitFor();
    }
  });

  it('has the branches of a company, on demand', async () => {
    const newest = (await monthsOfShare(run.sandbox)).at(-1) ?? '';
    await importMonth(run, newest);
    const middle = companyByScenario('group-middle');
    const query = `{ company(identifier: "${middle.cnpj}") { branches { companyKnown } } }`;
    await expect.poll(() => run.query(query), SOON).toMatchObject({ company: { branches: { companyKnown: true } } });
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/company/BR/${middle.cnpj}`);
    const branches = page.locator('[data-branches]');
    await branches.getByRole('button', { name: 'Read the branches' }).click();
    await branches.getByText('Branches: 2').waitFor();
    expect(await branches.locator('li').first().innerText()).toMatch(/^99\.041\.001\/\d{4}-\d\d MEIO ANDAR · /);
    const other = await run.openPage();
    await other.goto(`${run.url}/dashboard/company/BR/${middle.cnpj}#key=${await run.keyWith('kyb')}`);
    await other.getByRole('button', { name: 'Read the branches' }).click();
    await other.getByText('Branches: 2').waitFor();
    await other.getByRole('button', { name: 'Read the registration' }).click();
    await other.getByText('Legal nature').waitFor();
    expect(await other.locator('[data-branches] li').count()).toBe(2);
  });

  it('says on the page Sandbox that no watched company can be changed there, although companies are watched', async () => {
    const page = await run.openPage();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query WatchedCompanies(')) return route.fallback();
      const { data } = (await (await route.fetch()).json()) as { readonly data: { readonly companies: readonly object[] } };
      const companies = data.companies.map((company) => ({ ...company, country: 'CL' }));
      return route.fulfill({ json: { data: { companies } } });
    });
    await page.goto(`${run.url}/dashboard/sandbox#key=${run.key}`);
    await page.getByText('No watched company can be changed here.').waitFor();
    expect(await page.getByText('Nothing is watched yet.').count()).toBe(0);
  });

  it('leaves only companies to the page Sandbox that the monthly files lack, because others cannot change there', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/sandbox`);
    await page.getByText('newer than the files').waitFor();
    const offered = async () => (await page.locator('select[name=company] option').allInnerTexts()).toSorted();
    await expect.poll(offered, SOON).toEqual(changingCompanies.map(({ name }) => name).toSorted());
  });
});
