import { maskCpfs, maskCpfsInName } from '../../domain/personal-ids.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { DocumentCounts, type HolderDocuments, holderKeys, holderOf } from '../../sources/registry/company-documents.ts';
import { cellText, columnName, isBlankRow, readColumns, rowIds } from '../../sources/registry/csv-table.ts';
import { DateColumn } from '../../sources/registry/date-column.ts';
import { defineRegistry } from '../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySource, RegistrySpec } from '../../sources/registry/registry.ts';
import { DEBARMENT_LISTS, type DebarmentList } from './domain.ts';
import { type DebarmentEntry, endDate } from './sources/entry.ts';

const COLUMNS = {
  list: 'CADASTRO',
  code: 'CÓDIGO DA SANÇÃO',
  type: 'TIPO DE PESSOA',
  document: 'CPF OU CNPJ DO SANCIONADO',
  name: 'NOME DO SANCIONADO',
  process: 'NÚMERO DO PROCESSO',
  category: 'CATEGORIA DA SANÇÃO',
  start: 'DATA INÍCIO SANÇÃO',
  end: 'DATA FINAL SANÇÃO',
  body: 'ÓRGÃO SANCIONADOR',
};

type Row = Readonly<Record<keyof typeof COLUMNS, string> & { fine?: string }>;

/**
 * Reads a daily CEIS or CNEP csv. Masks the CPF of a person. Keeps the name of a row whose document cannot be read, for `companyListing`.
 * A damaged CNPJ with a root is kept. Identical rows count once.
 * @throws ListFileError for rows of another list, missing columns, a truncated row, more than 1 % unreadable documents, or dates
 * that are not written DD/MM/YYYY
 */
async function* read(list: DebarmentList, file: ListFile): AsyncGenerator<ListEntry<DebarmentEntry>, ListSummary, void> {
  const columns: Row = list === 'CNEP' ? { ...COLUMNS, fine: 'VALOR DA MULTA' } : COLUMNS;
  const documents = new DocumentCounts(COLUMNS.document);
  const starts = new DateColumn(COLUMNS.start);
  const ends = new DateColumn(COLUMNS.end);
  const idOf = rowIds();
  let cells: ((row: readonly string[]) => Row) | null = null;
  let rowsRead = 0;
  let rowsSkipped = 0;
  for await (const row of file.rows({ delimiter: ';', relaxColumns: true })) {
    if (isBlankRow(row)) continue;
    if (!cells) {
      cells = readColumns(row, columns);
      continue;
    }
    const cell = cells(row);
    rowsRead += 1;
    if (columnName(cell.list) !== list) throw new ListFileError(`a row is not of ${list}`);
    const holder = holderOf(cell.document, cell.type, cell.name);
    documents.add(holder, cell.name);
    const startsOn = cellText(cell.start) && starts.read(cell.start);
    const endsOn = endDate(cellText(cell.end) && ends.read(cell.end));
    const named = holderKeys(holder);
    if (!named?.documents.document) rowsSkipped += 1;
    if (!named) continue;
    const id = idOf(cell.code, row);
    if (id !== null)
      yield {
        id,
        keys: named.keys,
        record: toEntry(named.documents, cell, { startsOn, endsOn }),
      };
  }
  if (!cells) throw new ListFileError('the file has no header');
  documents.assertFew();
  starts.assertDates(file.nameDate);
  ends.assertDates();
  return { publishedOn: file.nameDate, rowsRead, rowsSkipped, rowsUnmatched: documents.unmatched };
}

const toEntry = (documents: HolderDocuments, row: Row, dates: Pick<DebarmentEntry, 'startsOn' | 'endsOn'>): DebarmentEntry => ({
  ...documents,
  name: maskCpfsInName(row.name),
  category: maskCpfs(row.category),
  bodyName: maskCpfs(row.body),
  ...dates,
  processId: cellText(maskCpfs(row.process)),
  fineBrl: fine(row.fine ?? ''),
  sanctionCode: row.code,
});

/** Parses `517662,90` (csv) or `47.391.386,87` (API) to 517662.9; null for zero and for text that is not an amount. */
function fine(text: string): number | null {
  const plain = text.replace(/^R\$\s*/, '').replace(/\.(?=\d{3}(?:\D|$))/g, '');
  return /^\d+(?:[.,]\d+)?$/.test(plain) ? Number(plain.replace(',', '.')) || null : null;
}

const shared = {
  schemaVersion: 7,
  everyMs: 6 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  maxAgeMs: 8 * DAY_MS, // the files are daily; the longest holidays, of Carnival, have five days
  redirectHosts: ['dadosabertos-download.cgu.gov.br'],
} as const;

export const ceisSpec: RegistrySpec<DebarmentEntry> = {
  ...shared,
  name: 'CEIS',
  attribution:
    'Controladoria-Geral da União, Portal da Transparência: Cadastro Nacional de Empresas Inidôneas e Suspensas (CEIS), open data of the Brazilian government.',
  setting: 'QUIPU_CEIS_URL',
  address: {
    live: 'https://portaldatransparencia.gov.br/download-de-dados/ceis/{date}',
    sandbox: '/ceis/{date}',
    description: 'CEIS, companies barred from public contracts: daily csv, zipped or not; {date} becomes YYYYMMDD.',
  },
  guard: { minRows: 15_000, maxShrink: 0.05, maxGrowth: 0.25 },
  read: (file) => read('CEIS', file),
};

export const cnepSpec: RegistrySpec<DebarmentEntry> = {
  ...shared,
  name: 'CNEP',
  attribution:
    'Controladoria-Geral da União, Portal da Transparência: Cadastro Nacional de Empresas Punidas (CNEP), open data of the Brazilian government.',
  setting: 'QUIPU_CNEP_URL',
  address: {
    live: 'https://portaldatransparencia.gov.br/download-de-dados/cnep/{date}',
    sandbox: '/cnep/{date}',
    description: 'CNEP, penalties of the anti-corruption law: daily csv, zipped or not; {date} becomes YYYYMMDD.',
  },
  guard: { minRows: 1_000, maxShrink: 0.05, maxGrowth: 0.25 },
  read: (file) => read('CNEP', file),
};

export const ceis = defineRegistry(ceisSpec);
export const cnep = defineRegistry(cnepSpec);

const SOURCE_OF: Readonly<Record<DebarmentList, RegistrySource<DebarmentEntry>>> = { CEIS: ceis, CNEP: cnep };

/** The source of each list, in the order of `DEBARMENT_LISTS`. */
export const debarmentSources: readonly RegistrySource<DebarmentEntry>[] = DEBARMENT_LISTS.map((list) => SOURCE_OF[list]);
