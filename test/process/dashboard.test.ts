import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { describe, expect, inject, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { MAX_SCRIPT_BYTES, needsBrowser, SCREENS, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';
import { receiver } from '../support/receiver.ts';

/** A process that was killed holds the companies that it checked for 40 s. */
const AFTER_LEASE = { timeout: 60_000 };

describe('the built dashboard', () => {
  it('loads less than 250 kB of script, compressed, and nothing from elsewhere', async () => {
    const pages = path.join(inject('build'), 'pages');
    for (const page of ['index.html', 'status.html', 'dashboard.html']) {
      const html = await readFile(path.join(pages, page), 'utf8');
      const names = [...html.matchAll(/assets\/[\w.-]+/g)].map(([name]) => path.join(pages, name));
      const assets = await Promise.all(names.map((name) => readFile(name)));
      expect(assets.length).toBeGreaterThan(1);
      expect(assets.reduce((sum, content) => sum + gzipSync(content).length, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
      expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].filter(([, address]) => !address?.startsWith('/dashboard/'))).toEqual([]);
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
    }
  });
});

describe('the dashboard in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();

  const shownIds = (page: Page): Promise<string[]> =>
    page.locator('[data-observation]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-observation') ?? ''));

  /** The observations of the change log, by the API. */
  async function loggedIds(): Promise<string[]> {
    const data = await run.query<{ changes: { nodes: readonly { observationId: string }[] } }>(
      '{ changes(first: 100) { nodes { observationId } } }',
    );
    return data.changes.nodes.map(({ observationId }) => observationId);
  }

  async function missing(page: Page): Promise<string[]> {
    const logged = await loggedIds();
    const shown = new Set(await shownIds(page));
    return logged.filter((id) => !shown.has(id));
  }

  /** Changes the registration of a watched company, and waits until the log has one more change of it. */
  async function changeCompany(status: 'ATIVA' | 'BAIXADA'): Promise<void> {
    const { cnpj } = companyByScenario('clean');
    const before = (await loggedIds()).length;
    await fetch(`${run.sandbox}/_control/companies/${cnpj}`, { method: 'PATCH', body: JSON.stringify({ status }) });
    await expect.poll(async () => (await loggedIds()).length, AFTER_LEASE).toBeGreaterThan(before);
  }

  it('signs in by the printed link, keeps the key out of the address, and shows a change without a reload', async () => {
    const page = await run.signedIn();
    expect(page.url()).toBe(`${run.url}/dashboard`);
    expect(await page.evaluate('[sessionStorage.getItem("quipu.key"), JSON.stringify({ ...localStorage })]')).toEqual([
      run.key,
      expect.not.stringContaining(run.key),
    ]);
    const before = new Set(await shownIds(page));
    await changeCompany('BAIXADA');
    await expect.poll(async () => (await shownIds(page)).some((id) => !before.has(id)), SOON).toBe(true);
    const row = page.locator('.companies li', { hasText: 'PADARIA LUA DE PAPEL LTDA' });
    await expect.poll(() => row.innerText(), SOON).toMatch(/Medium[\s\S]*Registration not active/);
    await changeCompany('ATIVA');
    await page.reload();
    await page.locator('[data-connection=live]').waitFor();
  });

  it('loses no change while the server restarts and while it cannot be reached', async () => {
    const page = await run.signedIn();
    run.service.child.kill('SIGKILL');
    await run.service.ended;
    await page.locator('[data-connection=offline]').waitFor();
    await page.route('**/graphql', (request) => request.abort());
    await run.start(new URL(run.url).port);
    await changeCompany('BAIXADA');
    expect(await missing(page)).not.toEqual([]);
    await page.unroute('**/graphql');
    await page.locator('[data-connection=live]').waitFor();
    await expect.poll(() => missing(page), SOON).toEqual([]);
    await changeCompany('ATIVA');
    await expect.poll(() => missing(page), SOON).toEqual([]);
  });

  it('falls back to an event stream where WebSockets are blocked', async () => {
    const page = await run.openPage();
    await page.routeWebSocket('**/graphql', (socket) => void socket.close());
    await page.goto(`${run.url}/dashboard#key=${run.key}`);
    await page.getByText('event stream').waitFor();
    await changeCompany('BAIXADA');
    await expect.poll(() => missing(page), SOON).toEqual([]);
    await changeCompany('ATIVA');
  });

  it('refuses a wrong key with a sentence, and opens with a right one', async () => {
    const page = await run.openPage();
    await page.goto(`${run.url}/dashboard`);
    await page.getByLabel('API key').fill('sk_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    await page.getByLabel('API key').fill(run.key);
    await page.keyboard.press('Enter');
    await page.locator('.companies li').first().waitFor();
  });

  it('opens a company by keyboard alone, and shows its verdict, reasons, five checks and owners', async () => {
    const page = await run.signedIn();
    const { name } = companyByScenario('debarred-ceis');
    const focused = () => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    for (let presses = 0; (await focused()) !== name; presses += 1) {
      expect(presses).toBeLessThan(80);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/Verdict[\s\S]*Medium[\s\S]*Debarred from public contracts/);
    expect(await page.locator('.card').count()).toBe(5);
    expect(text).toMatch(/BRUNO DA SILVA INVENTADA/);
    await page.goBack();
    await page.locator('.board').waitFor();
  });

  const places = [
    { path: '/', ready: '.card' },
    { path: '/status', ready: '[data-source]' },
    { path: '/dashboard', ready: '.companies li' },
    { path: `/dashboard/company/BR/${companyByScenario('debarred-ceis').cnpj}`, ready: '.card' },
    { path: `/dashboard/company/BR/${companyByScenario('homonym').cnpj}`, ready: '[data-candidate]' },
    { path: `/dashboard/company/CL/${chileanByScenario('cl-clean').rut}`, ready: '.card' },
    { path: '/dashboard/candidates', ready: '[data-candidate]' },
    { path: '/dashboard/sources', ready: '[data-source]' },
    { path: '/dashboard/portfolio', ready: 'textarea' },
    { path: '/dashboard/deliveries', ready: '.empty, [data-endpoint]' },
    { path: '/dashboard/sandbox', ready: '[name=source]:enabled' },
    { path: '/dashboard/usage', ready: '.usage tbody tr' },
  ];

  async function show(page: Page, { path: at, ready }: (typeof places)[number]): Promise<void> {
    await page.goto(run.url + at);
    await page.locator(ready).first().waitFor();
  }

  it('shows every page on 390 px without scrolling sideways', async () => {
    const page = await run.signedIn({ viewport: SCREENS.phone });
    for (const place of places) {
      await show(page, place);
      expect([place.path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([place.path, SCREENS.phone.width]);
    }
  });

  it('has no serious finding of axe on any page, in light and in dark colours', async () => {
    const page = await run.signedIn();
    for (const place of places) {
      await show(page, place);
      expect([place.path, await seriousFindings(page)]).toEqual([place.path, []]);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('checks pasted tax ids one by one, and watches those that can be watched', async () => {
    const page = await run.signedIn();
    const [watched, added] = ['clean', 'clean-coffee'].map((scenario) => companyByScenario(scenario));
    await page.goto(`${run.url}/dashboard/portfolio`);
    await page.getByLabel('Tax ids (CNPJ, RUT, NIT)').fill([watched?.cnpj, added?.cnpj, 'not a tax id', added?.cnpj].join('\n'));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('tr[data-state]').first().waitFor();
    const states = await page.locator('tr[data-state]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-state')));
    expect(states).toEqual([expect.stringMatching('already|ready'), 'ready', 'wrong', 'repeated']);
    await page.getByRole('button', { name: /^Watch \d/ }).click();
    await page.getByRole('status').getByText('Watched from now on').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.companies li', { hasText: added?.name }).waitFor();
  });

  it('sends a test event to a webhook, and shows its delivery with what the receiver answered', async () => {
    const input = `country: BR, identifiers: ["${companyByScenario('clean').cnpj}"], webhookUrl: "${run.sandbox}/_control/webhooks/page"`;
    await run.query(`mutation { createMonitor(input: { ${input} }) { monitor { id } } }`);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const delivery = page.locator('.deliveries > li', { hasText: 'Test event' }).filter({ hasText: 'Delivered' });
    await delivery.waitFor();
    await delivery.getByText('Attempts: 1').click();
    await delivery.getByText(/1\. 204, \d+ ms/).waitFor();
  });

  it('shows the webhook of a screening with the reason of a failed attempt, and sends it again', async () => {
    const { url, received } = await receiver((response, nth) => response.writeHead(nth === 1 ? 410 : 204).end(nth === 1 ? 'moved' : ''));
    await run.query(`mutation { startScreening(input: { identifiers: ["hello"], name: "suppliers", webhookUrl: "${url}" }) { secret } }`);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    const endpoint = page.getByRole('region', { name: `Screening suppliers: ${url}` });
    const delivery = endpoint.locator('.deliveries > li', { hasText: 'End of the screening' });
    await delivery.getByText('Failed', { exact: true }).waitFor();
    await delivery.getByText('Attempts: 1').click();
    await delivery.getByText(/1\. 410, \d+ ms/).waitFor();
    await delivery.getByText('The receiver did not accept the event.').waitFor();
    await delivery.getByText('moved').waitFor();
    await delivery.getByRole('button', { name: 'Send again' }).click();
    await delivery.getByText('Delivered', { exact: true }).waitFor();
    await delivery.getByText(/2\. 204, \d+ ms/).waitFor();
    expect(received).toHaveLength(2);
  });

  it.each(['monitor', 'screening'])('replaces the secret of the webhook of a %s, and shows the new one', async (owner) => {
    const { url, received } = await receiver((response) => response.writeHead(410).end());
    const identifiers = `identifiers: ["${companyByScenario('clean').cnpj}"], webhookUrl: "${url}"`;
    if (owner === 'monitor') await run.query(`mutation { createMonitor(input: { country: BR, ${identifiers} }) { secret } }`);
    else await run.query(`mutation { startScreening(input: { ${identifiers} }) { secret } }`);
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    const endpoint = page.locator('[data-endpoint]', { hasText: url });
    await endpoint.getByRole('button', { name: 'Replace the secret' }).click();
    const [secret = ''] = (await endpoint.getByRole('status').innerText()).match(/whsec_[\w+/=]+/) ?? [];
    await endpoint.getByRole('button', { name: owner === 'monitor' ? 'Send a test event' : 'Send again' }).click();
    const verifier = new Webhook(secret);
    const signs = ({ body, headers }: (typeof received)[number]): boolean => {
      try {
        return Boolean(verifier.verify(body, headers));
      } catch {
        return false;
      }
    };
    await expect.poll(() => received.some(signs), SOON).toBe(true);
  });

  it('shows a source that stopped answering, and keeps its last data beside a failure of the API', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/sources`);
    const tile = page.locator('[data-source=RECEITA_FEDERAL]');
    const group = page.locator('[data-group]').first();
    await expect.poll(() => tile.getAttribute('data-usable'), SOON).toBe('true');
    for (const mirror of ['receita_federal', 'opencnpj'])
      await fetch(`${run.sandbox}/_control/faults/${mirror}`, { method: 'PUT', body: '{"mode":"down"}' });
    await expect.poll(() => tile.getAttribute('data-usable'), SOON).toBe('false');
    expect(await tile.innerText()).toMatch(/^Receita Federal registry \(CNPJ\)\s+Does not answer[\s\S]*a low level is not confirmed/);
    expect(await group.locator('h2').innerText()).toBe('Brazil');
    expect(await group.locator('[data-source]').first().getAttribute('data-source')).toBe('RECEITA_FEDERAL');
    await tile.locator('summary').press('Enter');
    expect(await tile.innerText()).toMatch(/Code: RECEITA_FEDERAL[\s\S]*last failure: /);
    await page.route('**/graphql', (request) => request.abort());
    await page.getByRole('alert').getByText('the server does not answer').first().waitFor();
    expect(await tile.innerText()).toMatch(/Does not answer/);
  });

  /** Companies that no test has read before the registry stopped: no answer about them is in a cache. */
  const unread = ['clean-micro', 'clean-sa-open'].map(companyByScenario);

  it('says of a company whose registry does not answer that its name is unknown, shows its low level without green, and names the source', async () => {
    for (const source of ['receita_federal', 'opencnpj'])
      await fetch(`${run.sandbox}/_control/faults/${source}`, { method: 'PUT', body: '{"mode":"down"}' });
    const [{ cnpj } = { cnpj: '' }] = unread;
    await run.query(`mutation { createMonitor(input: { country: BR, identifiers: ["${cnpj}"] }) { monitor { id } } }`);
    const page = await run.signedIn();
    const row = page.locator('.companies li', { has: page.locator(`a[href$="/BR/${cnpj}"]`) });
    await expect.poll(() => row.innerText(), SOON).toMatch(/Name unknown: the registry did not answer[\s\S]*Low, partial/);
    expect(await row.locator('.badge').getAttribute('class')).toBe('badge none');
    const field = page.locator('.board').getByRole('button', { name: /^Low, partial: [1-9]/ });
    expect(await field.getAttribute('class')).toBe('none');
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Name unknown: the registry did not answer', level: 1 }).waitFor();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    expect(await verdict.innerText()).toMatch(/Low, partial[\s\S]*Not every source could be read/);
    expect(await verdict.locator('.badge.low').count()).toBe(0);
    const main = await page.locator('main').innerText();
    expect(main).toMatch(/answered from 5 of 6 sources: \d read for it, \d from the cache[\s\S]*Not answered: Receita Federal registry/);
    expect(main).not.toContain('Name not on record');
  });

  it('does not show a screening in green whose verdicts lack a source', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/portfolio`);
    await page.getByLabel('Tax ids (CNPJ, RUT, NIT)').fill(unread.map(({ cnpj }) => cnpj).join('\n'));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('button', { name: /^Screen \d/ }).click();
    const row = page.locator('[data-screening=DONE]');
    await row.getByText('Some sources did not answer').waitFor();
    expect(await row.locator('.badge').first().getAttribute('class')).toBe('badge medium');
  });
});
