import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatTaxId } from '../../../src/domain/company.ts';
import { SHOWN } from '../../support/dashboard.ts';
import { textOf } from '../../support/pdf.ts';
import { englishTexts } from '../../support/shown-texts.ts';
import type { Journey, Step } from './journey.ts';

const sanctioned = companyByScenario('sanctioned');
const clean = companyByScenario('clean');
const chilean = chileanByScenario('cl-clean');

/** What the person writes, by language. */
const NOTE = { en: 'Rejected as a supplier.', es: 'Rechazada como proveedora.', pt: 'Recusada como fornecedora.' };

const option = ({ page }: Journey, text: string): Locator => page.locator('.lookup').getByRole('option').filter({ hasText: text });

/** Types a text into the box that finds companies, and waits for a choice. */
async function find(journey: Journey, typed: string, choice: string): Promise<void> {
  const { page } = journey;
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("role")'), SHOWN).toBe('combobox');
  await page.keyboard.type(typed);
  await option(journey, choice).first().waitFor(SHOWN);
}

/** Opens the chosen company, and waits until its page is read. */
async function open({ page }: Journey, name: string): Promise<void> {
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor(SHOWN);
}

async function byTaxId(journey: Journey, country: 'BR' | 'CL', taxId: string, name: string): Promise<void> {
  const typed = formatTaxId({ country, taxId });
  await find(journey, typed, typed);
  await open(journey, name);
}

/** Opens a company by its CNPJ. */
export const openCompany = (journey: Journey, { cnpj, name }: { readonly cnpj: string; readonly name: string }): Promise<void> =>
  byTaxId(journey, 'BR', cnpj, name);

async function byDomain(journey: Journey): Promise<void> {
  await find(journey, 'luadepapel-ficticia.com.br', journey.text('lookup.domain', { domain: 'luadepapel-ficticia.com.br' }));
  await journey.page.keyboard.press('Enter');
  await option(journey, formatTaxId({ country: 'BR', taxId: clean.cnpj })).waitFor(SHOWN);
  await open(journey, clean.name);
}

async function byName(journey: Journey): Promise<void> {
  const { page, keyboard, text } = journey;
  const search = text('lookup.name', { country: text('country.CL'), name: 'inventada s.a' });
  await find(journey, 'inventada s.a', search);
  await keyboard.pressUntilSelected(option(journey, search), 'ArrowDown');
  await page.keyboard.press('Enter');
  await page
    .locator('.lookup')
    .getByRole('status')
    .getByText(text('lookup.found', { n: '' }).trim())
    .waitFor(SHOWN);
  await open(journey, await page.locator('.lookup').getByRole('option').first().locator('.title').innerText());
}

async function seeReasons(journey: Journey): Promise<void> {
  const { page, text } = journey;
  await openCompany(journey, sanctioned);
  const verdict = page.getByRole('region', { name: text('company.verdict') });
  await verdict.locator('.badge.high').first().waitFor(SHOWN);
  expect(await verdict.locator('.badge.high').first().innerText()).toContain(text('risk.HIGH'));
  expect(await verdict.locator('.reasons li').first().innerText()).toContain(text('reason.MATCH'));
}

async function openGroup({ page, keyboard, text }: Journey): Promise<void> {
  await keyboard.press(page.getByRole('button', { name: text('group.read') }));
  await keyboard.focus(page.getByRole('region', { name: text('group.drawing') }));
  await keyboard.focus(page.locator(`[data-group="${sanctioned.cnpj}"]`).getByRole('link'));
}

async function watch({ page, keyboard, text }: Journey): Promise<void> {
  await keyboard.press(page.getByRole('button', { name: text('dossier.watch'), exact: true }));
  await page.locator('.dossier').getByText(text('company.watched'), { exact: true }).waitFor(SHOWN);
}

async function writeDecision({ page, keyboard, text, variant }: Journey): Promise<void> {
  await keyboard.type(page.getByLabel(text('note.label')), NOTE[variant.language]);
  await keyboard.press(page.getByRole('button', { name: text('note.add') }));
  await page.locator('[data-event=note]').getByText(NOTE[variant.language]).waitFor(SHOWN);
}

/** A hash, a signature or a part of one, whose letters may be an English word by chance. */
const SEAL = /(?<!\S)(?:\S{30,}|\S*[\d+/=]\S*)(?!\S)/g;

async function downloadReport({ page, keyboard, text, variant }: Journey): Promise<void> {
  const downloading = page.waitForEvent('download', SHOWN);
  await keyboard.press(page.getByRole('button', { name: text('report.download') }));
  const lines = textOf(await readFile(await (await downloading).path()));
  expect(lines.replaceAll(/\s+/g, ' ')).toContain(sanctioned.name);
  if (variant.language !== 'en') expect(englishTexts(lines.replaceAll(SEAL, ' ').split('\n'))).toEqual([]);
}

/** A person finds companies and deals with one of them. */
export const companySteps: readonly Step[] = [
  ['looks up a company by CNPJ', (journey) => byTaxId(journey, 'BR', clean.cnpj, clean.name)],
  ['looks up a company by RUT', (journey) => byTaxId(journey, 'CL', chilean.rut, chilean.name)],
  ['looks up a company by domain', byDomain],
  ['looks up a company by name', byName],
  ['sees why a company is high', seeReasons],
  ['opens its group', openGroup],
  ['watches it', watch],
  ['writes a decision about it', writeDecision],
  ['downloads its report', downloadReport],
];
