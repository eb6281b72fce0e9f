import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { MAX_SCRIPT_BYTES, needsBrowser, SCREENS, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';

describe('the explorer in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();
  const { cnpj, name } = companyByScenario('clean');

  async function opened(fragment = `#key=${run.key}&company=${cnpj}`, viewport = SCREENS.laptop): Promise<Page> {
    const page = await run.openPage({ viewport });
    await page.goto(`${run.url}/graphql${fragment}`);
    await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    return page;
  }
  const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });
  /** Runs the operation until its answer has a text: a service on a busy machine may ask to try again. */
  const runsTo = (page: Page, text: string, start = () => page.getByRole('button', { name: 'Run', exact: true }).click()) =>
    expect
      .poll(
        async () => {
          await start();
          await page.getByRole('button', { name: 'Run', exact: true }).and(page.locator(':enabled')).waitFor();
          return answerOf(page).innerText();
        },
        { ...SOON, interval: 500 },
      )
      .toContain(text);

  it('loads less than 250 kB of script, compressed, with the editor', async () => {
    const page = await run.openPage();
    const scripts: string[] = [];
    page.on('response', (response) => void (/\.js$/.test(response.url()) && scripts.push(new URL(response.url()).pathname)));
    await page.goto(`${run.url}/graphql`);
    await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    const pages = path.join(inject('build'), 'pages');
    const sizes = scripts.map((file) => gzipSync(readFileSync(path.join(pages, file.replace('/dashboard/', '')))).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('runs the operation of a link, and keeps its key in the session storage only', async () => {
    const page = await opened();
    expect(page.url()).toBe(`${run.url}/graphql`);
    expect(await page.evaluate('[sessionStorage.getItem("quipu.key"), JSON.stringify({ ...localStorage })]')).toEqual([
      run.key,
      expect.not.stringContaining(run.key),
    ]);
    await runsTo(page, name);
    await page.getByRole('button', { name: 'Remove the key' }).click();
    expect(await page.evaluate('sessionStorage.getItem("quipu.key")')).toBeNull();
  });

  it('shows and runs the operation that is chosen while the editor loads', async () => {
    const page = await run.openPage();
    const schema = Promise.withResolvers<void>();
    await page.route('**/schema.graphql', (route) => schema.promise.then(() => route.continue()));
    await page.goto(`${run.url}/graphql#key=${run.key}&company=${cnpj}`);
    await page.getByRole('button', { name: 'sources' }).click();
    schema.resolve();
    await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    const sent = page.waitForRequest('**/graphql');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect((await sent).postDataJSON().query).toContain('query Sources');
  });

  it('says what is missing without a key, and takes one', async () => {
    const page = await opened('');
    await page.getByText('Operations need an API key').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('API key').fill(run.key);
    await page.keyboard.press('Enter');
    await page.getByText(`Key of this tab: …${run.key.slice(-4)}`).waitFor();
  });

  it('fills in the company of a scenario, and runs by keyboard', async () => {
    const page = await opened();
    const debarred = companyByScenario('debarred-ceis');
    await page.getByLabel('Company of the sandbox').selectOption('debarred-ceis');
    expect(await page.getByLabel('Variables (JSON)').inputValue()).toContain(debarred.cnpj.slice(-2));
    await page.getByRole('textbox', { name: 'Operation' }).click();
    await runsTo(page, debarred.name, () => page.keyboard.press('Control+Enter'));
  });

  it('shows the events of a subscription as they come, until it is stopped', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'change-feed' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Waiting for the answer').waitFor();
    await fetch(`${run.sandbox}/_control/companies/${cnpj}`, { method: 'PATCH', body: JSON.stringify({ status: 'BAIXADA' }) });
    await expect.poll(() => answerOf(page).innerText(), { timeout: 60_000 }).toContain('companyChanged');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  });

  it('shows the sentence of the service for a wrong key', async () => {
    const page = await opened('#key=sk_wrong');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => answerOf(page).innerText(), SOON).toContain('INVALID_API_KEY');
  });

  it('has the documentation of the schema', async () => {
    const page = await opened();
    await page.getByLabel('Type', { exact: true }).selectOption('Company');
    const docs = page.getByRole('region', { name: 'Schema' });
    expect(await docs.innerText()).toContain('compliance');
    await docs.getByRole('button', { name: 'ComplianceResult' }).first().click();
    await expect.poll(() => docs.innerText(), SOON).toContain('riskLevel');
  });

  it('fits 390 px, and has no serious finding of axe in light and in dark colours', async () => {
    const page = await opened(undefined, SCREENS.phone);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SCREENS.phone.width);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
