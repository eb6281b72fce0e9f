import { expect } from 'vitest';
import { companies, companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { unknownCnpjs } from '../../modules/screening/support.ts';
import { SHOWN } from '../../support/dashboard.ts';
import { type Journey, openPage, type Step, withNumber } from './journey.ts';

const DONE = { timeout: 400_000 };
const FILE = 'suppliers.csv';

/** Companies with four candidates. */
const homonyms = ['homonym', 'homonym-weak', 'homonym-un'].map(companyByScenario);
const ofListedOwners = companyByScenario('owners-listed');

const known = [...companies.filter(({ scenario }) => scenario.startsWith('clean-')), ...homonyms, ofListedOwners].map(({ cnpj }) => cnpj);
/** A file of 1,000 lines with own columns, every fiftieth of which is wrong. */
const LINES = [...known, ...unknownCnpjs(1_000 - known.length, 63)].map((cnpj, i) => `ref ${i + 2};${i % 50 === 7 ? '123' : cnpj}`);

async function importFile({ page, keyboard, text, ...journey }: Journey): Promise<void> {
  await openPage({ page, keyboard, text, ...journey }, 'nav.screenings');
  await keyboard.chooseFile(page.getByLabel(text('screened.file')), FILE, `ref;cnpj\n${LINES.join('\n')}\n`);
  await keyboard.press(page.getByRole('button', { name: text('screened.start') }));
  await page.getByRole('heading', { name: FILE, level: 1 }).waitFor(SHOWN);
  await page.locator('[data-screening=DONE]').waitFor(DONE);
}

async function seeResults({ page, keyboard, text }: Journey): Promise<void> {
  await page.getByRole('button', { name: text('screened.filter.ALL', { n: 980 }) }).waitFor(SHOWN);
  await keyboard.press(page.getByRole('button', { name: text('screened.filter.REJECTED', { n: 20 }) }));
  await page.locator('[data-rejected=INVALID]').first().waitFor(SHOWN);
  expect(await page.locator('[data-rejected]').count()).toBe(20);
}

async function watchLow({ page, keyboard, text }: Journey): Promise<void> {
  const filter = page.getByRole('button', { name: withNumber(text, 'screened.filter.LOW') });
  await keyboard.press(filter);
  const low = Number((await filter.innerText()).replace(/\D/g, ''));
  await expect.poll(() => page.locator('[data-result] .badge.low').count(), SHOWN).toBe(Math.min(low, 50));
  await keyboard.press(page.getByRole('button', { name: text('screened.watchAll', { n: low }) }));
  await page
    .getByRole('status')
    .filter({ hasText: text('portfolio.done', { n: low }) })
    .waitFor(SHOWN);
}

/** What the person writes, by language. */
const REASON = { en: 'Founded later.', es: 'Fundada después.', pt: 'Fundada depois.' };

/** Chooses candidates by the key x and decides about them for one reason. @param count number of candidates */
async function decide(journey: Journey, decision: 'dismiss' | 'confirm', count: number): Promise<void> {
  const { page, keyboard, text, variant } = journey;
  const open = page.getByRole('region', { name: text('candidates.open') }).locator('[data-candidate]');
  await keyboard.press(open.first(), 'x');
  for (let chosen = 1; chosen < count; chosen += 1) {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
  }
  await page
    .getByRole('status')
    .getByText(text('decisions.chosen', { n: count }))
    .waitFor(SHOWN);
  const before = await open.count();
  await keyboard.press(page.getByRole('button', { name: text(`decisions.${decision}All`) }));
  await page.keyboard.type(REASON[variant.language]);
  await page.keyboard.press('Enter');
  await expect.poll(() => open.count(), SHOWN).toBe(before - count);
  const outcome = page.getByRole('region', { name: text(decision === 'dismiss' ? 'candidates.dismissed' : 'candidates.confirmed') });
  await expect.poll(() => outcome.locator('[data-candidate]').getByText(REASON[variant.language]).count(), SHOWN).toBe(count);
}

async function decideInBulk(journey: Journey): Promise<void> {
  const { page, keyboard, text } = journey;
  await openPage(journey, 'nav.candidates');
  await keyboard.press(page.getByRole('button', { name: withNumber(text, 'companies.assess') }));
  const open = page.getByRole('region', { name: text('candidates.open') }).locator('[data-candidate]');
  await expect.poll(() => open.count(), SHOWN).toBe(4);
  await decide(journey, 'dismiss', 2);
  await decide(journey, 'confirm', 2);
}

async function findOwners(journey: Journey): Promise<void> {
  const { page, keyboard, text } = journey;
  await openPage(journey, 'nav.portfolio');
  await keyboard.press(page.getByRole('button', { name: text('list.hits'), exact: true }));
  const row = page.locator(`tr[data-company="BR/${ofListedOwners.cnpj}"]`);
  await keyboard.press(row.getByRole('link'));
  await page.getByRole('heading', { level: 1, name: ofListedOwners.name }).waitFor(SHOWN);
  const verdict = page.getByRole('region', { name: text('company.verdict') });
  await verdict.getByText(text('owners.reviewById', { total: 11, owners: 13, byTaxId: 4 })).waitFor(SHOWN);
}

/** A person checks the companies of a file, watches some, and decides what their checks leave open. */
export const portfolioSteps: readonly Step[] = [
  ['imports a CSV file of 1,000 lines with 20 wrong ones', importFile],
  ['sees the results and the wrong lines', seeResults],
  ['watches the low ones', watchLow],
  ['dismisses and confirms candidates in bulk', decideInBulk],
  ['finds a company whose owners need review', findOwners],
];
