import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CompanyKey } from '../../src/domain/company.ts';
import { publish } from '../../src/modules/monitor/service/publish.ts';
import { watchUnchecked } from '../modules/monitor/support.ts';
import { needsBrowser, SHOWN, SOON, useDashboard } from '../support/dashboard.ts';

const COMPANIES = 1_000;
/** Time in ms in which the list is scrolled from its begin to its end. */
const SCROLL_MS = 5_000;
/** Maximum number of rows whose content is laid out and painted: those on the screen, and near it. */
const MOST_RENDERED = 150;
/** Maximum duration in ms of a task of the page. It is generous, because other work on the machine makes each task longer. */
const LONGEST_TASK_MS = 5_000;
/** Number of changes that a page keeps. */
const KEPT_CHANGES = 1_000;
const CHANGES = 50;
const PAUSE_MS = 100;
/** Selects the new values of the newest changes, among which are some that the sandbox makes of itself. */
const NEWEST = `.feed > li:nth-child(-n + ${4 * CHANGES}) ins`;

/** Counts the rows of a list, and those whose content is not skipped. */
const COUNT_ROWS = `(list) => {
  const rows = [...document.querySelectorAll(list + ' > li')];
  const isRendered = ({ firstElementChild }) => firstElementChild.checkVisibility({ contentVisibilityAuto: true });
  return { rows: rows.length, rendered: rows.filter(isRendered).length };
}`;

/** Runs `work` in the page, and returns its frames, their longest distance and its longest task, in ms. */
const MEASURE = `async (work) => {
  const tasks = [0];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  const frames = [];
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame((at) => { frames.push(at); resolve(at); }));
  await work(nextFrame);
  observer.disconnect();
  const pauses = frames.slice(1).map((at, n) => at - frames[n]);
  const seconds = (frames.at(-1) - frames[0]) / 1000;
  return { framesPerSecond: Math.round(pauses.length / seconds), longestFrame: Math.round(Math.max(...pauses)), longestTask: Math.round(Math.max(...tasks)) };
}`;

interface Measured {
  readonly framesPerSecond: number;
  readonly longestFrame: number;
  readonly longestTask: number;
}

interface Rows {
  readonly rows: number;
  readonly rendered: number;
}

const countRows = (page: Page, list: string): Promise<Rows> => page.evaluate<Rows>(`(${COUNT_ROWS})('${list}')`);

describe('the rates of the dashboard, in Chromium', { timeout: 90_000, ...needsBrowser }, () => {
  const run = useDashboard();
  let companies: readonly CompanyKey[];
  beforeAll(async () => {
    companies = await watchUnchecked(run.db.knex, COMPANIES);
  });

  async function opened(): Promise<Page> {
    const page = await run.signedIn();
    await expect.poll(() => page.locator('.companies > li').count(), SOON).toBeGreaterThan(COMPANIES);
    await expect.poll(() => page.locator('.companies .skeleton').count(), SHOWN).toBe(0);
    return page;
  }

  it('renders the rows on the screen while 1,000 companies are scrolled', async () => {
    const page = await opened();
    const before = await countRows(page, '.companies');
    const measured = await page.evaluate<Measured>(`(${MEASURE})(async (nextFrame) => {
      const start = await nextFrame();
      for (let at = start; at - start < ${SCROLL_MS}; at = await nextFrame())
        scrollTo(0, ((at - start) / ${SCROLL_MS}) * document.documentElement.scrollHeight);
    })`);
    console.log('1,000 companies scrolled:', measured);
    expect(measured.longestTask).toBeLessThan(LONGEST_TASK_MS);
    expect(before.rows).toBeGreaterThan(COMPANIES);
    expect(before.rendered).toBeLessThan(MOST_RENDERED);
    expect((await countRows(page, '.companies')).rows).toBe(before.rows);
  });

  it('shows each of 1,000 companies by scrolling, and renders few rows at a time', async () => {
    const page = await opened();
    const { seen, most } = await page.evaluate<{ readonly seen: readonly string[]; readonly most: Rows }>(`(async () => {
      const count = ${COUNT_ROWS};
      const nextFrame = () => new Promise(requestAnimationFrame);
      const seen = new Set();
      const most = { rows: 0, rendered: 0 };
      scrollTo(0, 0);
      for (let last = -1; scrollY > last; scrollBy(0, innerHeight / 2)) {
        last = scrollY;
        await nextFrame();
        await nextFrame();
        for (const row of document.querySelectorAll('.companies > li')) {
          const { top, bottom } = row.getBoundingClientRect();
          const isRendered = row.firstElementChild.checkVisibility({ contentVisibilityAuto: true });
          if (bottom > 0 && top < innerHeight && isRendered) seen.add(row.querySelector('a').pathname.split('/').at(-1));
        }
        const { rows, rendered } = count('.companies');
        Object.assign(most, { rows: Math.max(most.rows, rows), rendered: Math.max(most.rendered, rendered) });
      }
      return { seen: [...seen], most };
    })()`);
    console.log('1,000 companies, rows at most:', most);
    expect(seen).toEqual(expect.arrayContaining(companies.map(({ taxId }) => taxId)));
    expect(seen).toHaveLength(most.rows);
    expect(most.rendered).toBeLessThan(MOST_RENDERED);
  });

  /** Publishes a change of the address of each company, as a check does. */
  const publishAddresses = (of: readonly CompanyKey[], address: string): Promise<void> =>
    run.db.knex.transaction((trx) =>
      publish(
        trx,
        of.map((company) => ({ company, source: 'receita_federal', fields: [{ field: 'address', from: 'BELEM/PA', to: address }] })),
        Date.now(),
      ),
    );

  it('shows 10 changes a second in their order, without a reload, in a list of bounded length', async () => {
    const page = await opened();
    await publishAddresses(companies, 'MANAUS/AM');
    const feed = page.locator('.feed > li');
    await expect.poll(() => feed.count(), SHOWN).toBe(KEPT_CHANGES);
    const wanted = Array.from({ length: CHANGES }, (_, n) => `CHANGE ${n}/SP`);
    await page.evaluate(`{
      globalThis.shown = {};
      const note = () => {
        for (const { textContent } of document.querySelectorAll('${NEWEST}')) shown[textContent] ??= Date.now();
      };
      new MutationObserver(note).observe(document.querySelector('.feed'), { childList: true });
    }`);
    const published: Record<string, number> = {};
    async function publishAll(): Promise<number> {
      const start = Date.now();
      for (const [n, address] of wanted.entries()) {
        await sleep(Math.max(0, start + n * PAUSE_MS - Date.now()));
        published[address] = Date.now();
        await publishAddresses(companies.slice(n, n + 1), address);
      }
      return Date.now() - start;
    }
    const [{ longestTask, ...frames }, tookMs] = await Promise.all([
      page.evaluate<Measured>(`(${MEASURE})(async (nextFrame) => {
        const start = await nextFrame();
        while ((await nextFrame()) - start < ${CHANGES * PAUSE_MS});
      })`),
      publishAll(),
    ]);
    const newest = async () => (await page.locator(NEWEST).allTextContents()).filter((text) => wanted.includes(text));
    await expect.poll(newest, SHOWN).toEqual(wanted.toReversed());
    const shown = await page.evaluate<Readonly<Record<string, number>>>('shown'); // a reload would have removed it
    const delays = wanted.map((address) => (shown[address] ?? Number.NaN) - (published[address] ?? Number.NaN)).sort((a, b) => a - b);
    console.log(CHANGES, 'changes:', { tookMs, medianDelay: delays[CHANGES / 2], longestDelay: delays.at(-1), longestTask, ...frames });
    expect(delays.every(Number.isFinite)).toBe(true);
    expect(longestTask).toBeLessThan(LONGEST_TASK_MS);
    const { rows, rendered } = await countRows(page, '.feed');
    expect(rows).toBe(KEPT_CHANGES);
    expect(rendered).toBeLessThan(MOST_RENDERED);
  });
});
