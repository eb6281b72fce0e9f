import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { ColumnErrors, cellText, tableRows } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import type { ListFile } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { CompanyRows, companyOf } from './company-rows.ts';
import type { DebarmentEntry } from './entry.ts';

const COLUMNS = {
  document: 'CNPJ ENTIDADE',
  name: 'NOME ENTIDADE',
  agreement: 'NÚMERO CONVÊNIO',
  organ: 'ÓRGÃO CONCEDENTE',
  reason: 'MOTIVO DO IMPEDIMENTO',
};

/**
 * Reads a csv of CEPIM: one row per agreement, so that an entity may have several. The list has no dates: a listed entity is barred now.
 * @throws ListFileError for missing columns, a truncated row, more than 1 % unreadable CNPJs or numbers of agreements, or more than 5 %
 * rows without a reason
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<DebarmentEntry>, ListSummary, void> {
  const companies = new CompanyRows(COLUMNS.document);
  const agreements = new ColumnErrors(COLUMNS.agreement, 0.01);
  const reasons = new ColumnErrors(COLUMNS.reason, 0.05);
  for await (const { row, cell } of tableRows(file, COLUMNS, { delimiter: ';' })) {
    agreements.add(/\d/.test(cell.agreement));
    reasons.add(/\p{L}/u.test(cell.reason));
    const agreement = maskCpfs(cell.agreement);
    const kept = companies.take(companyOf(cell.document, cell.name), cell.name, agreement, row);
    if (!kept) continue;
    const { documents, ...key } = kept;
    const record = {
      ...documents,
      name: maskCpfsInName(cell.name),
      category: 'IMPEDIMENTO',
      bodyName: maskCpfs(cell.organ),
      startsOn: null,
      endsOn: null,
      processId: null,
      fineBrl: null,
      sanctionCode: '',
      reference: cellText(agreement),
      reason: cellText(maskCpfs(cell.reason)),
    };
    yield { ...key, record };
  }
  agreements.assertFew();
  reasons.assertFew();
  return companies.summary(file.nameDate);
}

export const cepimSpec: RegistrySpec<DebarmentEntry> = {
  name: 'CEPIM',
  attribution:
    'Controladoria-Geral da União, Portal da Transparência: Cadastro de Entidades Privadas sem Fins Lucrativos Impedidas (CEPIM), open data of the Brazilian government.',
  coverage: [
    'Grants of federal bodies to non-profit entities, one record per agreement. It says nothing about public contracts.',
    'The list has no dates: a listed entity is barred now, and one that is no longer listed was removed.',
    'The number of the agreement is text, whose left zeros count: `reference` of the record. The printed reason is `reason`.',
    'The file is not published every day, so the newest one of the last fifteen days is read.',
  ],
  setting: 'QUIPU_CEPIM_URL',
  address: {
    live: 'https://portaldatransparencia.gov.br/download-de-dados/cepim/{date}',
    sandbox: '/cepim/{date}',
    description: 'CEPIM, non-profit entities barred from federal agreements: csv, zipped or not; {date} becomes YYYYMMDD. Empty for none.',
    optional: true,
  },
  schemaVersion: 3,
  guard: { minRows: 2_500, maxRows: 6_000, maxShrink: 0.2, maxGrowth: 0.25 },
  everyMs: 6 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  redirectHosts: ['dadosabertos-download.cgu.gov.br'],
  read,
};

export const cepim = defineRegistry(cepimSpec);
