import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsBrowser, SCREENS, SHOWN, seriousFindings, useDashboard } from '../support/dashboard.ts';

/** Windows from the narrowest phone to the width at which the drawing changes, and beyond. */
const WIDTHS = [320, 390, 560, 600, 620, 621, 1360];
const MIN_TEXT_PX = 11;
/** WCAG 2.2, 2.2.2: what moves by itself for a longer time needs a button that stops it. */
const MAX_MOTION_MS = 5_000;

/** Heights of the letters of the drawing that is shown, in pixels of the window. */
const TEXT_SIZES = `(() => {
  const drawing = [...document.querySelectorAll('.landing-graph')].find((one) => one.checkVisibility());
  const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
  return [...drawing.querySelectorAll('text')].map((one) => Number.parseFloat(getComputedStyle(one).fontSize) * scale);
})()`;
/** Texts that are wider than the box or the pill that they are in. */
const OVERFLOWS = `[...document.querySelectorAll('.landing-graph')].filter((one) => one.checkVisibility()).flatMap((drawing) =>
  [...drawing.querySelectorAll('g')].flatMap((group) => {
    const box = group.querySelector('rect').getBoundingClientRect();
    return [...group.querySelectorAll('text')].filter((one) => one.getBoundingClientRect().width > box.width - 4).map((one) => one.textContent);
  }))`;
/** Times in ms at which the motions of the page end. */
const MOTIONS = 'document.getAnimations().map((one) => one.effect.getComputedTiming().endTime)';

describe('the landing page in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();

  async function opened({ language = 'en', viewport = SCREENS.phone } = {}): Promise<Page> {
    const page = await run.openPage({ viewport });
    await page.addInitScript(`localStorage.setItem('quipu.language', '${language}')`);
    await page.goto(run.url);
    await page.locator('.scenarios').waitFor(SHOWN);
    return page;
  }

  it.each(['en', 'es', 'pt'])(
    'draws the answer with texts of at least 11 pixels within their boxes on each width, in %s',
    async (language) => {
      const page = await opened({ language });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const sizes = await page.evaluate<number[]>(TEXT_SIZES);
        expect(sizes.length).toBe(12);
        expect([width, Math.min(...sizes)]).toEqual([width, expect.toSatisfy((size: number) => size >= MIN_TEXT_PX)]);
        expect([width, await page.evaluate(OVERFLOWS)]).toEqual([width, []]);
        expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width);
      }
    },
  );

  it.each(['en', 'es', 'pt'])('has no serious finding of axe, also beside a wrong CNPJ, in %s', async (language) => {
    const page = await opened({ language });
    await page.getByLabel('CNPJ', { exact: true }).fill('99.010.001/0001-85');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByRole('link', { name: '99.010.001/0001-84' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows a change that arrives once, and only its end where less motion is wanted', async () => {
    const page = await opened();
    const ends = await page.evaluate<number[]>(MOTIONS);
    expect(ends.length).toBeGreaterThan(0);
    expect(Math.max(...ends)).toBeLessThanOrEqual(MAX_MOTION_MS);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    expect(await page.evaluate(MOTIONS)).toEqual([]);
    for (const text of ['new entry', 'now: high risk'])
      expect(await page.locator('.landing-graph', { hasText: text }).filter({ visible: true }).count()).toBe(1);
  });

  it('opens the company of a CNPJ with punctuation', async () => {
    const page = await opened();
    await page.getByLabel('CNPJ', { exact: true }).fill('99.010.001/0001-84');
    await page.getByRole('button', { name: 'Open the company' }).click();
    await page.waitForURL('**/dashboard/company/BR/99010001000184');
    await page.getByLabel('API key').waitFor(SHOWN);
  });

  it('offers the right number for wrong check digits, and says what a CNPJ is for another text', async () => {
    const page = await opened();
    const open = () => page.getByRole('button', { name: 'Open the company' }).click();
    await page.getByLabel('CNPJ', { exact: true }).fill('padaria');
    await open();
    await page.getByRole('alert').getByText('This is not a valid CNPJ.').waitFor();
    await page.getByLabel('CNPJ', { exact: true }).fill('99.010.001/0001-48');
    await open();
    expect(await page.getByRole('alert').innerText()).toBe('The check digits do not fit. Did you mean 99.010.001/0001-84?');
    await page.getByRole('alert').getByRole('link').click();
    await page.waitForURL('**/dashboard/company/BR/99010001000184');
  });

  it.each([
    ['On no list', companyByScenario('clean').name],
    ['Debarred from public contracts', companyByScenario('debarred-ceis').name],
    ['With owners on sanctions lists', companyByScenario('owners-listed').name],
  ])('opens the scenario "%s" in a tab that is signed in', async (scenario, name) => {
    const page = await run.signedIn({ viewport: SCREENS.phone });
    await page.goto(run.url);
    await page.getByRole('link', { name: scenario }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
  });
});
