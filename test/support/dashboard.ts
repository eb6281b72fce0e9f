import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type TestDb, testDb } from './db.ts';
import { needs } from './needs.ts';
import { endRun, type Run, run as runProcess, startRun } from './process.ts';

const OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const MORE_OPTIONS = ['--disable-component-update', '--disable-sync'];

export const SCREENS = { laptop: { width: 1360, height: 860 }, phone: { width: 390, height: 844 } };

/** Time in ms in which the service and the browser start on a busy machine. */
const STARTED_MS = 180_000;

/** Timeout of a poll. A browser on a busy machine is slow. */
export const SOON = { timeout: 20_000 };
/** Timeout of what waits for several answers of the service. */
export const SHOWN = { timeout: 60_000 };

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Path of the browser of the tests; undefined if it is not installed. */
export const browserFile = (process.env.PATH ?? '')
  .split(':')
  .map((folder) => path.join(folder, 'chromium'))
  .find(isProgram);
export const needsBrowser = needs(browserFile !== undefined, 'chromium is not installed (apt-get install chromium)');

/** Maximum size of the compressed script of a page, in bytes. */
export const MAX_SCRIPT_BYTES = 250_000;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns the serious and critical findings of axe on a page in its present colours: rule and elements. A page loads axe once.
 * @param rules tags of rules; all by default
 */
export async function presentFindings(page: Page, rules: readonly string[] = []): Promise<readonly unknown[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) };
  return page.evaluate<unknown[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))`);
}

/** Returns the serious and critical findings of axe on a page: colours, rule and elements. */
export async function seriousFindings(page: Page): Promise<readonly unknown[]> {
  const serious: unknown[] = [];
  // The two runs differ only in their colours.
  for (const [colorScheme, rules] of [
    ['light', []],
    ['dark', ['color-contrast']],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    for (const finding of await presentFindings(page, rules)) serious.push([colorScheme, finding]);
  }
  return serious;
}

/** Requests of one query. */
export interface Requests {
  sent: number;
  /** If true, the requests fail. */
  fail: boolean;
}

/** Counts the requests of a query that a page sends, and fails them on demand. */
export async function requestsOf(page: Page, query: string): Promise<Requests> {
  const requests: Requests = { sent: 0, fail: false };
  await page.route('**/graphql', (route) => {
    if (!route.request().postData()?.includes(query)) return route.fallback();
    requests.sent += 1;
    return requests.fail ? route.abort() : route.fallback();
  });
  return requests;
}

/** Holds the answers of queries back until they are released. `first` settles when one is held. */
export async function holdQueries(page: Page, wanted: RegExp): Promise<{ readonly first: Promise<void>; readonly release: () => void }> {
  const first = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (!wanted.test(route.request().postData() ?? '')) return route.fallback();
    first.resolve();
    await released.promise;
    return route.fallback();
  });
  return { first: first.promise, release: released.resolve };
}

interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Language of the browser. */
  readonly locale?: string;
  readonly colorScheme?: 'light' | 'dark';
}

/** A sandbox that checks its portfolio every second, and a browser that opens its dashboard. */
export class DashboardRun {
  service!: Run;
  browser!: Browser;
  db!: TestDb;
  dataDir!: string;
  url = '';
  sandbox = '';
  key = '';
  readonly #settings: Readonly<Record<string, string>>;

  /** @param settings additional settings of the service */
  constructor(settings: Readonly<Record<string, string>> = {}) {
    this.#settings = settings;
  }

  /** Settings of the service and of commands beside it. */
  get env(): Readonly<Record<string, string>> {
    return { DATABASE_URL: this.db.url, QUIPU_DATA_DIR: this.dataDir, ...this.#settings };
  }

  /** Starts the service, also again after it ended. Data and demo key are kept. */
  async start(port: string): Promise<void> {
    const env = { QUIPU_MONITOR_INTERVAL: '1s', LOG_LEVEL: 'silent', ...this.env, PORT: port };
    this.service = startRun('src/main.ts', [], env);
    [, this.url = '', this.key = '', this.sandbox = ''] = await this.service.printed(
      /Dashboard: (\S+)\/dashboard#key=(\S+)\n[\s\S]*world at (\S+)\n[\s\S]*Explorer:\n/,
    );
  }

  /** Opens a page in a separate browser profile, in which every failure is reported. */
  async openPage({ viewport = SCREENS.laptop, locale = 'en', colorScheme = 'light' }: PageOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport, locale, colorScheme });
    const page = await context.newPage();
    onTestFinished(async () => {
      await page.unrouteAll({ behavior: 'ignoreErrors' }); // a request may still be on its way through a route of the test, which then fails
      await context.close();
    });
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    onTestFinished(() => expect(failures).toEqual([]));
    return page;
  }

  async signedIn(options: PageOptions = {}): Promise<Page> {
    const page = await this.openPage(options);
    await page.goto(`${this.url}/dashboard#key=${this.key}`);
    await page.locator('[data-connection=live]').waitFor();
    await page.locator('.companies li').first().waitFor();
    return page;
  }

  /** Screens companies, and waits for the results. @param request body of `POST /v1/screenings` @returns id of the screening */
  async screen(request: object): Promise<string> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const answer = await fetch(`${this.url}/v1/screenings`, { method: 'POST', headers, body: JSON.stringify(request) });
    const { screening_id: id } = (await answer.json()) as { screening_id: string };
    const states = () => this.query<{ screening: { state: string } }>(`{ screening(id: "${id}") { state } }`);
    await expect.poll(async () => (await states()).screening.state, SHOWN).toBe('DONE');
    return id;
  }

  /** Creates a key of the demo account. @param modules names, separated by commas */
  async keyWith(modules: string): Promise<string> {
    const created = runProcess('src/cli.ts', ['keys', 'create', '--name', `With ${modules}`, '--modules', modules, '--json'], this.env);
    expect(await created.ended).toBe(0);
    return JSON.parse(created.out()).key;
  }

  /** Returns the data of a GraphQL operation. */
  async query<Data>(query: string): Promise<Data> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const answer = await fetch(`${this.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { data, errors } = (await answer.json()) as { readonly data: Data; readonly errors?: unknown };
    expect(errors).toBeUndefined();
    return data;
  }
}

/**
 * Starts the service and the browser before the tests of the suite, and ends them after it.
 * @param settings additional settings of the service
 */
export function useDashboard(settings: Readonly<Record<string, string>> = {}): DashboardRun {
  const run = new DashboardRun(settings);
  beforeAll(async () => {
    run.db = await testDb();
    run.dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-dashboard-'));
    [run.browser] = await Promise.all([
      chromium.launch({ executablePath: browserFile ?? '', args: [...OPTIONS, ...MORE_OPTIONS] }),
      run.start('0'),
    ]);
  }, STARTED_MS);
  afterAll(async () => {
    await run.browser.close();
    await endRun(run.service);
    await run.db.close();
    await rm(run.dataDir, { recursive: true, force: true });
  });
  return run;
}
