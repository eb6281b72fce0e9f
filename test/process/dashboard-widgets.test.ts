import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { holdQueries, needsBrowser, SHOWN, SOON, useDashboard } from '../support/dashboard.ts';
import { textOf } from '../support/pdf.ts';

describe('widgets of the dashboard in Chromium', { timeout: 60_000, ...needsBrowser }, () => {
  const run = useDashboard();

  /** What the key was counted for this month, by module. */
  async function counted(): Promise<Readonly<Record<string, number>>> {
    const { apiKey } = await run.query<{ apiKey: { usage: readonly { module: string; used: number }[] } }>(
      '{ apiKey { usage { module used } } }',
    );
    return Object.fromEntries(apiKey.usage.map(({ module, used }) => [module, used]));
  }

  /** Stops the changes of the made-up world that come by themselves: each of them reads a verdict again. */
  async function stopChanges(): Promise<void> {
    for (const scenario of ['living-status', 'living-all'])
      await fetch(`${run.sandbox}/_control/companies/${companyByScenario(scenario).cnpj}`, { method: 'PATCH', body: '{"status":"ATIVA"}' });
  }

  /** A change before the first check of its company is no change. */
  async function hasBaseline(): Promise<boolean> {
    const { monitors } = await run.query<{ monitors: { nodes: readonly { checks: { lastCheckedAt: string | null; failing: number } }[] } }>(
      '{ monitors { nodes { checks { lastCheckedAt failing } } } }',
    );
    return monitors.nodes.every(({ checks }) => checks.lastCheckedAt !== null && checks.failing === 0);
  }

  const assessed = (page: Page): Promise<number> => page.locator('.companies .badge:not(.none)').count();

  it('counts a company once: opening the page again reads no verdict and no name a second time', async () => {
    await stopChanges();
    const page = await run.signedIn();
    const { monitors } = await run.query<{ monitors: { nodes: readonly { identifiers: readonly string[] }[] } }>(
      '{ monitors { nodes { identifiers } } }',
    );
    const watched = new Set(monitors.nodes.flatMap(({ identifiers }) => identifiers)).size;
    await expect.poll(() => assessed(page), SOON).toBe(watched);
    const before = await counted();
    expect((before.COMPLIANCE_BR ?? 0) + (before.COMPLIANCE ?? 0)).toBeGreaterThanOrEqual(watched);
    await page.reload();
    await page.locator('[data-connection=live]').waitFor();
    await expect.poll(() => assessed(page), SOON).toBe(watched);
    await page.getByRole('link', { name: 'Candidates' }).click();
    await page.locator('[data-candidate]').first().waitFor();
    const after = await counted();
    expect(after.KYB).toBe(before.KYB);
    // A change that was on its way reads the verdict of its company again.
    expect((after.COMPLIANCE_BR ?? 0) - (before.COMPLIANCE_BR ?? 0)).toBeLessThanOrEqual(2);
    expect((after.COMPLIANCE ?? 0) - (before.COMPLIANCE ?? 0)).toBeLessThanOrEqual(2);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(companyByScenario('homonym').name);
  });

  it('says that filters hide all companies and changes of the overview, and shows them again', async () => {
    const page = await run.signedIn();
    await page.locator('.feed li').first().waitFor();
    await page.getByLabel('Field', { exact: true }).selectOption('CONTRACT_FINES');
    await page.getByText('No change matches the filters.').waitFor();
    await page.getByLabel('Filter by name or tax id').fill('no such company');
    await page.getByText('No company matches the filters.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    expect(await page.evaluate('document.activeElement?.type')).toBe('search');
    await page.locator('.companies li').first().waitFor();
  });

  it('changes a company of the sandbox and shows its change arrive, and breaks and repairs a source', async () => {
    const page = await run.signedIn();
    await expect.poll(hasBaseline, SOON).toBe(true);
    await page.getByRole('link', { name: 'Sandbox' }).click();
    const { cnpj, name } = companyByScenario('clean');
    await page.getByLabel('Company', { exact: true }).selectOption(`BR/${cnpj}`);
    await page.getByRole('button', { name: 'Apply' }).first().click();
    const arrived = page.locator('[data-arrived]', { hasText: name });
    await arrived.waitFor();
    expect(await arrived.innerText()).toMatch(/Arrived after \d+s[\s\S]*inactive/);
    await page.getByLabel('Source', { exact: true }).selectOption('sii');
    await page.getByRole('button', { name: 'Apply' }).last().click();
    await page.locator('[data-fault=sii]').getByText('connection reset').waitFor();
    await page.locator('[data-fault=sii]').getByRole('button', { name: 'Repair' }).click();
    await page.getByText('Every source works.').waitFor();
  });

  it('shows the name of a changed company that is read after the change was sent', async () => {
    const page = await run.openPage();
    const verdicts = await holdQueries(page, /query Verdicts/);
    await page.goto(`${run.url}/dashboard/sandbox#key=${run.key}`);
    await verdicts.first;
    const { cnpj, name } = companyByScenario('clean-software');
    await page.getByLabel('Company', { exact: true }).selectOption(`BR/${cnpj}`);
    await page.getByRole('button', { name: 'Apply' }).first().click();
    const arrived = page.locator('[data-arrived]');
    await arrived.waitFor(SHOWN);
    expect(await arrived.innerText()).not.toContain(name);
    verdicts.release();
    await arrived.getByRole('link', { name }).waitFor(SHOWN);
  });

  it('shows changes that are held until an operator decides, with the values, the time and the command', async () => {
    const page = await run.signedIn();
    await page.getByRole('link', { name: 'Sources' }).click();
    await page.getByText('Nothing is held.').waitFor();
    const { cnpj, name } = companyByScenario('clean-software');
    // A change of a list: a check of the registry would drop one of the registry that it does not see.
    const held = { source: 'CEIS', reason: 'share', fields: JSON.stringify([{ field: 'debarment', from: '0', to: '1', list: 'CEIS' }]) };
    const row = { country: 'BR', tax_id: cnpj, ...held, observed: '[]', held_at: new Date() };
    await run.db.knex('held_changes').insert(row);
    const group = page.locator('[data-held=CEIS]', { hasText: name });
    await group.waitFor();
    expect(await group.innerText()).toMatch(
      /Too many at once[\s\S]*Companies: 1[\s\S]*held for[\s\S]*quipu monitor release --source ceis --field debarment[\s\S]*0 →/,
    );
    await run.db.knex('held_changes').delete();
    await page.getByText('Nothing is held.').waitFor();
  });

  it('leads a first visit through three steps, and does not come back once it is closed', async () => {
    const page = await run.signedIn();
    const tour = page.getByRole('region', { name: 'Tour' });
    await tour.getByText('1 of 3').waitFor();
    expect(await page.locator('.toured').getByRole('heading').innerText()).toBe('Risk of the portfolio');
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByText('2 of 3').waitFor();
    expect(await page.locator('.toured').getByRole('heading').innerText()).toBe('Changes');
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { name: 'Sandbox' }).waitFor();
    await page.goto(`${run.url}/dashboard`);
    await page.locator('.companies li').first().waitFor();
    expect(await tour.count()).toBe(0);
  });

  it('checks the tax ids of a CSV file row by row, and says so when it has none', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    const [known, added] = ['clean', 'clean-micro'].map((scenario) => companyByScenario(scenario).cnpj);
    const upload = (text: string) =>
      page.getByLabel('or a CSV file').setInputFiles({ name: 'suppliers.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await upload('nothing');
    await page.locator('tr[data-state=wrong]').waitFor();
    await upload('');
    await page.getByRole('alert').getByText('There is no tax id').waitFor();
    await upload(`"${known}`);
    await page.getByRole('alert').getByText('suppliers.csv cannot be read as CSV').waitFor();
    await upload(`\uFEFFname;CNPJ;note\r\n"A; ""B""\nLtda";${known};x\r\nC;${added};\r\nD;123;\r\nE;;\r\nF;${added};`);
    await page.locator('tr[data-state=repeated]').waitFor();
    const rows = () =>
      page
        .locator('tr[data-state]')
        .evaluateAll((all) => all.map((row) => [row.getAttribute('data-state'), (row.textContent ?? '').match(/Line \d+/)?.[0]]));
    const expected = [
      ['already', 'Line 3'],
      ['ready', 'Line 4'],
      ['wrong', 'Line 5'],
      ['repeated', 'Line 7'],
    ];
    expect(await rows()).toEqual(expected);
    const summary = page.getByRole('region', { name: 'Result' }).locator('header');
    expect(await summary.innerText()).toMatch(/^2 valid, 1 wrong, 1 repeated\s+Line 5: 123: \w+/);
    expect(await page.evaluate("document.getElementById('file').files[0].name")).toBe('suppliers.csv');
    await page.getByRole('button', { name: 'Check' }).click();
    await expect.poll(rows, SOON).toEqual(expected);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Watch 1 company' }).waitFor();
  });

  it('takes a file that is dropped on the page Portfolio, with the countries of its rows, until it is removed', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    const { cnpj } = companyByScenario('clean');
    const text = `tax_id,country\n${cnpj},br\n67000001K,CL\n${cnpj},CL\n${cnpj},Peru\n`;
    await page.locator('.drop').evaluate((place, content) => {
      const moved = new DataTransfer();
      moved.items.add(new File([content], 'dropped.csv', { type: 'text/csv' }));
      place.dispatchEvent(new DragEvent('drop', { dataTransfer: moved, bubbles: true }));
    }, text);
    const summary = page.getByRole('region', { name: 'Result' }).locator('header');
    await summary.getByText('2 valid, 2 wrong, 0 repeated').waitFor();
    expect(await summary.innerText()).toMatch(/Line 5: \d+: Peru is no country of this service/);
    await page.getByRole('button', { name: 'Remove the file' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('alert').getByText('There is no tax id').waitFor();
  });

  it('downloads the receipt of a company and its report as PDF, and shows its orders by year', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/company/BR/${companyByScenario('clean-software').cnpj}`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Receipt as PDF' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^evd_.*\.pdf$/);
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
    const reporting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Report as PDF' }).click();
    const report = await reporting;
    expect(report.suggestedFilename()).toMatch(/^evd_.*-report\.pdf$/);
    expect(textOf(await readFile(await report.path()))).toContain('Company report');
    await expect.poll(() => page.locator('[data-event=verdict]').count(), SOON).toBe(2); // the timeline has both receipts, without a reload
    await page.getByRole('button', { name: 'Read the orders' }).click();
    const year = page.locator('[data-year]').first();
    await year.waitFor();
    expect(await year.innerText()).toMatch(/^20\d\d[\s\S]*\d BRL/);
    await page.route('**/graphql', (request) => request.abort());
    await page.getByRole('button', { name: 'Receipt as PDF (counts one check)' }).click();
    await page.getByRole('alert').getByText('the server does not answer').waitFor();
  });

  it('screens pasted companies in the background, shows the progress, and downloads the results', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    await page.getByText('No screening yet.').waitFor();
    const { cnpj, name } = companyByScenario('debarred-ceis');
    await page.getByLabel('Tax ids (CNPJ, RUT, NIT)').fill([cnpj, companyByScenario('clean').cnpj, '123'].join('\n'));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('button', { name: 'Screen 2 companies now' }).click();
    const row = page.locator('[data-screening=DONE]');
    await row.waitFor({ timeout: 50_000 });
    expect(await row.innerText()).toMatch(/2 of 2 checked/);
    const saved = async () => {
      const downloading = page.waitForEvent('download');
      await row.getByRole('button', { name: 'Results as csv' }).click();
      const file = await downloading;
      expect(file.suggestedFilename()).toMatch(/^scr_[0-9a-f]{32}\.csv$/);
      return readFile(await file.path(), 'utf8');
    };
    expect(await saved()).toMatch(new RegExp(`,"?${name}"?,`));
    await row.getByLabel('Column separator').selectOption('semicolon');
    expect(await saved()).toMatch(new RegExp(`;"?${name}"?;`));
    await page.reload();
    await row.waitFor(SHOWN);
    expect(await row.getByLabel('Column separator').inputValue()).toBe('semicolon');
    await page.evaluate("localStorage.removeItem('quipu.delimiter'); localStorage.setItem('quipu.language', 'pt')");
    await page.reload();
    expect(await row.getByLabel('Separador de colunas').inputValue()).toBe('semicolon');
  });

  it('shows what the lists say about the owners of a company', async () => {
    const page = await run.signedIn();
    const { cnpj } = companyByScenario('owners-level-1');
    await page.goto(`${run.url}/dashboard/company/BR/${cnpj}`);
    const owners = page.getByRole('region', { name: 'Owners and officers' });
    await owners
      .getByText(/Lists compared: 5 of 5/)
      .first()
      .waitFor();
  });

  // The last test: the circuit breaker of the registry stays open for half a minute.
  it('shows when the companies are checked next, and which checks fail while their registry does', async () => {
    const page = await run.signedIn();
    const row = page.locator('[data-checks]').filter({ hasText: 'BR' });
    await expect.poll(() => row.innerText(), SOON).toMatch(/\d+ of \d+ checked within 1s[\s\S]*next in[\s\S]*last/);
    for (const mirror of ['receita_federal', 'opencnpj'])
      await fetch(`${run.sandbox}/_control/faults/${mirror}`, { method: 'PUT', body: '{"mode":"status_500"}' });
    await row.getByText(/Last check failed: [1-9]/).waitFor();
    await fetch(`${run.sandbox}/_control/faults`, { method: 'DELETE' });
  });
});
