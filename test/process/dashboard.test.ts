import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../src/sandbox/world/brazil/world.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { endRun, type Run, startRun } from '../support/process.ts';

const OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const MORE_OPTIONS = ['--disable-component-update', '--disable-sync'];
const MAX_SCRIPT_BYTES = 250_000;
const SCREENS = { laptop: { width: 1360, height: 860 }, phone: { width: 390, height: 844 } };

/** How long a poll waits: a browser on a busy machine is slow. */
const SOON = { timeout: 20_000 };

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
const browserFile = (process.env.PATH ?? '')
  .split(':')
  .map((folder) => path.join(folder, 'chromium'))
  .find(isProgram);
if (!browserFile) console.warn('The tests of the dashboard are SKIPPED: they need the program chromium (apt-get install chromium).');

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('the built dashboard', () => {
  it('loads less than 250 kB of script, compressed, and nothing from elsewhere', async () => {
    const pages = path.join(inject('build'), 'pages');
    const assets = await Promise.all((await readdir(path.join(pages, 'assets'))).map((name) => readFile(path.join(pages, 'assets', name))));
    expect(assets.reduce((sum, content) => sum + gzipSync(content).length, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
    for (const page of ['index.html', 'dashboard.html']) {
      const html = await readFile(path.join(pages, page), 'utf8');
      expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].filter(([, address]) => !address?.startsWith('/dashboard/'))).toEqual([]);
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
    }
  });
});

describe.skipIf(!browserFile)('the dashboard in Chromium', { timeout: 60_000 }, () => {
  let db: TestDb;
  let dataDir: string;
  let service: Run;
  let browser: Browser;
  let url: string;
  let sandbox: string;
  let key: string;

  async function start(port: string): Promise<void> {
    const env = { PORT: port, DATABASE_URL: db.url, QUIPU_DATA_DIR: dataDir, QUIPU_MONITOR_INTERVAL: '1s', LOG_LEVEL: 'silent' };
    service = startRun('src/main.ts', [], env);
    [, url = '', key = '', sandbox = ''] = await service.printed(
      /Dashboard: (\S+)\/dashboard#key=(\S+)\n.*world at (\S+)\n[\s\S]*Explorer:\n/,
    );
  }

  beforeAll(async () => {
    db = await testDb();
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-dashboard-'));
    [browser] = await Promise.all([
      chromium.launch({ executablePath: browserFile ?? '', args: [...OPTIONS, ...MORE_OPTIONS] }),
      start('0'),
    ]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await endRun(service);
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** A page in a browser profile of its own, on which nothing may fail unseen. */
  async function openPage({ viewport = SCREENS.laptop } = {}): Promise<Page> {
    const context = await browser.newContext({ viewport, locale: 'en' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    onTestFinished(() => expect(failures).toEqual([]));
    return page;
  }

  async function signedIn(options: Parameters<typeof openPage>[0] = {}): Promise<Page> {
    const page = await openPage(options);
    await page.goto(`${url}/dashboard#key=${key}`);
    await page.locator('[data-connection=live]').waitFor();
    await page.locator('.companies li').first().waitFor();
    return page;
  }

  const shownIds = (page: Page): Promise<string[]> =>
    page.locator('[data-observation]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-observation') ?? ''));

  /** The observations of the change log, by the API. */
  async function loggedIds(): Promise<string[]> {
    const query = '{ changes(first: 100) { nodes { observationId } } }';
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { data } = (await answer.json()) as { data: { changes: { nodes: readonly { observationId: string }[] } } };
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
    await fetch(`${sandbox}/_control/companies/${cnpj}`, { method: 'PATCH', body: JSON.stringify({ status }) });
    await expect.poll(async () => (await loggedIds()).length, SOON).toBeGreaterThan(before);
  }

  it('signs in by the printed link, keeps the key out of the address, and shows a change without a reload', async () => {
    const page = await signedIn();
    expect(page.url()).toBe(`${url}/dashboard`);
    expect(await page.evaluate('[sessionStorage.getItem("quipu.key"), JSON.stringify({ ...localStorage })]')).toEqual([
      key,
      expect.not.stringContaining(key),
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
    const page = await signedIn();
    service.child.kill('SIGKILL');
    await service.ended;
    await page.locator('[data-connection=offline]').waitFor();
    await page.route('**/graphql', (request) => request.abort());
    await start(new URL(url).port);
    await changeCompany('BAIXADA');
    expect(await missing(page)).not.toEqual([]);
    await page.unroute('**/graphql');
    await page.locator('[data-connection=live]').waitFor();
    await expect.poll(() => missing(page), SOON).toEqual([]);
    await changeCompany('ATIVA');
    await expect.poll(() => missing(page), SOON).toEqual([]);
  });

  it('falls back to an event stream where WebSockets are blocked', async () => {
    const page = await openPage();
    await page.routeWebSocket('**/graphql', (socket) => void socket.close());
    await page.goto(`${url}/dashboard#key=${key}`);
    await page.getByText('event stream').waitFor();
    await changeCompany('BAIXADA');
    await expect.poll(() => missing(page), SOON).toEqual([]);
    await changeCompany('ATIVA');
  });

  it('refuses a wrong key with a sentence, and opens with a right one', async () => {
    const page = await openPage();
    await page.goto(`${url}/dashboard`);
    await page.getByLabel('API key').fill('sk_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('.companies li').first().waitFor();
  });

  it('opens a company by keyboard alone, and shows its verdict, reasons, five checks and owners', async () => {
    const page = await signedIn();
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
    { path: '/dashboard', ready: '.companies li' },
    { path: `/dashboard/company/BR/${companyByScenario('debarred-ceis').cnpj}`, ready: '.card' },
    { path: '/dashboard/sources', ready: '[data-source]' },
    { path: '/dashboard/portfolio', ready: 'textarea' },
    { path: '/dashboard/deliveries', ready: '.empty, [data-monitor]' },
    { path: '/dashboard/usage', ready: '.usage tbody tr' },
  ];

  async function show(page: Page, { path: at, ready }: (typeof places)[number]): Promise<void> {
    await page.goto(url + at);
    await page.locator(ready).first().waitFor();
  }

  it('shows every page on 390 px without scrolling sideways', async () => {
    const page = await signedIn({ viewport: SCREENS.phone });
    for (const place of places) {
      await show(page, place);
      expect([place.path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([place.path, SCREENS.phone.width]);
    }
  });

  it('has no serious finding of axe on any page, in light and in dark colours', async () => {
    const page = await signedIn();
    for (const place of places) {
      await show(page, place);
      await page.evaluate(axe);
      // Colours are all that differs between the two.
      for (const [colorScheme, options] of [
        ['light', '{}'],
        ['dark', "{ runOnly: ['color-contrast'] }"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate<Finding[]>(`axe.run(${options}).then(({ violations }) => violations)`);
        const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(serious.map(({ id, nodes }) => [place.path, colorScheme, id, nodes.map(({ html }) => html)])).toEqual([]);
      }
    }
  });

  it('checks pasted tax ids one by one, and watches those that can be watched', async () => {
    const page = await signedIn();
    const [watched, added] = ['clean', 'clean-coffee'].map((scenario) => companyByScenario(scenario));
    await page.goto(`${url}/dashboard/portfolio`);
    await page.getByLabel('Tax ids').fill([watched?.cnpj, added?.cnpj, 'not a tax id', added?.cnpj].join('\n'));
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
    const input = `country: BR, identifiers: ["${companyByScenario('clean').cnpj}"], webhookUrl: "${sandbox}/_control/webhooks/page"`;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const query = `mutation { createMonitor(input: { ${input} }) { monitor { id } } }`;
    expect(await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json()).not.toHaveProperty(
      'errors',
    );
    const page = await signedIn();
    await page.goto(`${url}/dashboard/deliveries`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const delivery = page.locator('.deliveries > li', { hasText: 'Test event' }).filter({ hasText: 'Delivered' });
    await delivery.waitFor();
    await delivery.getByText('Attempts: 1').click();
    await delivery.getByText(/1\. 204, \d+ ms/).waitFor();
  });

  it('shows a source that stopped answering, and keeps its last data beside a failure of the API', async () => {
    const page = await signedIn();
    await page.goto(`${url}/dashboard/sources`);
    const tile = page.locator('[data-source=RECEITA_FEDERAL]');
    await expect.poll(() => tile.getAttribute('data-usable'), SOON).toBe('true');
    await fetch(`${sandbox}/_control/faults/receita_federal`, { method: 'PUT', body: '{"mode":"down"}' });
    await expect.poll(() => tile.getAttribute('data-usable'), SOON).toBe('false');
    expect(await tile.innerText()).toMatch(/Does not answer[\s\S]*last failure: /);
    await page.route('**/graphql', (request) => request.abort());
    await page.getByRole('alert').getByText('the server does not answer').waitFor();
    expect(await tile.innerText()).toMatch(/Does not answer/);
  });
});

/** A violation that axe found. */
interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
