import { expect, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import { holdQueries, SHOWN } from '../../support/dashboard.ts';
import { settled } from '../../support/settled.ts';
import { type Journey, openPage, type Step } from './journey.ts';

/** A company on no list, by language, that nothing has read before: no answer about it is in a cache. */
const UNREAD = { en: 'group-leaf', es: 'group-neighbour', pt: 'owners-level-2' };

async function openBeforeAnswers({ run, page, keyboard, text }: Journey): Promise<void> {
  await keyboard.press(page.getByRole('button', { name: text('tour.close') }));
  // A browser keeps what it has read for a day. Without it the page is loaded as for the first time.
  await page.evaluate("localStorage.clear(); localStorage.setItem('quipu.tour', 'done')");
  const held = await holdQueries(page, /query (?!Session)/);
  await page.reload();
  await held.first;
  await page.locator('main').getByText(text('loading')).first().waitFor(SHOWN);
  expect(await page.locator('main').innerText()).not.toMatch(/\d/);
  expect(await page.locator('main .badge').count()).toBe(0);
  held.release();
  await settled(page);
  await page.locator('.companies li .badge').first().waitFor(SHOWN);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await keyboard.focus(page.locator('.companies li').first().getByRole('link').first());
  expect(page.url()).toBe(`${run.url}/dashboard`);
}

async function seeWhatIsMissing({ run, page, text, variant: { language } }: Journey): Promise<void> {
  const faults = `${run.sandbox}/_control/faults`;
  onTestFinished(() => void fetch(faults, { method: 'DELETE' }));
  for (const mirror of ['receita_federal', 'opencnpj']) await fetch(`${faults}/${mirror}`, { method: 'PUT', body: '{"mode":"down"}' });
  const { cnpj } = companyByScenario(UNREAD[language]);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(cnpj);
  await page
    .locator('.lookup')
    .getByRole('option')
    .filter({ hasText: text('lookup.counts.consolidated') })
    .first()
    .waitFor(SHOWN);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: text('companies.nameGap.REGISTRY') }).waitFor(SHOWN);
  await page
    .locator('.dossier .missing')
    .getByText(text('company.missing', { names: sourceNameIn('RECEITA_FEDERAL', language) }))
    .waitFor(SHOWN);
  const verdict = page.getByRole('region', { name: text('company.verdict') });
  expect(await verdict.innerText()).toContain(`${text('risk.LOW')}, ${text('completeness.PARTIAL')}`);
  expect(await verdict.locator('.badge.low').count()).toBe(0);
}

async function seeTheSource(journey: Journey): Promise<void> {
  const { page, text } = journey;
  await openPage(journey, 'nav.sources');
  const tile = page.locator('[data-source=RECEITA_FEDERAL][data-usable=false]');
  await tile.getByText(text('sources.unusable')).first().waitFor(SHOWN);
}

/** A person sees what is not known yet, and what could not be read. */
export const failureSteps: readonly Step[] = [
  ['sees no number before it is known', openBeforeAnswers],
  ['sees that a low level lacks a source, which is named', seeWhatIsMissing],
  ['sees which source does not answer', seeTheSource],
];
