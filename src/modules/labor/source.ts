import { isMaskedCpf, maskCpfs, maskCpfsInName } from '../../domain/personal-ids.ts';
import { isProblem, readCnpj, strip } from '../../domain/tax-id.ts';
import { DAY_MS, fromDayMonthYear } from '../../domain/time.ts';
import { DocumentCounts, type HolderDocuments, holderKeys, holderOf } from '../../sources/registry/company-documents.ts';
import { ColumnErrors, cellText, columnName, isBlankRow, readColumns, rowIds } from '../../sources/registry/csv-table.ts';
import { DateColumn } from '../../sources/registry/date-column.ts';
import { defineRegistry } from '../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../sources/registry/registry.ts';

/** A company or person in the registry of employers found using labour analogous to slavery. Dates are ISO. */
export interface LaborEntry extends HolderDocuments {
  readonly employer: string;
  /** Year of the inspection. */
  readonly year: number;
  /** State (UF) of the inspection. */
  readonly state: string;
  /** Place of the inspection as printed; null for a person, for a home, and if the document cannot be read, because it is personal data. */
  readonly establishment: string | null;
  /** Municipality in capitals, as printed at the end of the establishment; null if that does not end in `CITY/UF`. */
  readonly municipality: string | null;
  readonly workersRescued: number;
  /** CNAE class as printed, e.g. `0134-2/00`. */
  readonly cnae: string;
  readonly decisionOn: string | null;
  /** Start of the current listing, or of the last one. */
  readonly listedOn: string | null;
  /** End of the last listing; null while listed. */
  readonly removedOn: string | null;
  readonly firstListedOn: string | null;
}

const COLUMNS = {
  id: 'ID',
  year: 'Ano da ação fiscal',
  state: 'UF',
  employer: 'Empregador',
  document: 'CNPJ/CPF',
  establishment: 'Estabelecimento',
  workers: 'Trabalhadores envolvidos',
  cnae: 'CNAE',
  decision: 'Decisão administrativa de procedência',
  listing: 'Inclusão no Cadastro de Empregadores',
};
type Row = Readonly<Record<keyof typeof COLUMNS, string>>;

/**
 * Reads the employers' list. It masks the CPF of an employer who is a person, and omits the place. A damaged CNPJ with a root is kept.
 * @throws ListFileError for missing columns, a truncated row, a row outside the table, more than 1 % unreadable documents, or dates that
 * are not written DD/MM/YYYY
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<LaborEntry>, ListSummary, void> {
  const documents = new DocumentCounts(COLUMNS.document);
  const listings = new ColumnErrors(COLUMNS.listing, 0.2);
  const dates = new DateColumn(COLUMNS.listing);
  const decisions = new DateColumn(COLUMNS.decision);
  const date = new ListDate();
  const idOf = rowIds();
  let rowsRead = 0;
  let rowsSkipped = 0;
  for await (const { row, cell } of tableRows(file, date)) {
    rowsRead += 1;
    const holder = holderOf(cell.document, null, cell.employer);
    documents.add(holder, cell.employer);
    listings.add(readListing(cell.listing).listedOn !== null);
    for (const [one] of cell.listing.matchAll(ONE_DATE)) dates.read(one);
    if (cellText(cell.decision)) decisions.read(cell.decision);
    const named = holderKeys(holder);
    if (!named?.documents.document) rowsSkipped += 1;
    if (!named) continue;
    const id = idOf(cell.id, row);
    if (id !== null) yield { id, keys: named.keys, record: toEntry(named.documents, cell) };
  }
  documents.assertFew();
  listings.assertFew();
  const publishedOn = date.found ?? (await companionDate(file)) ?? file.lastModified;
  dates.assertDates(publishedOn);
  decisions.assertDates(publishedOn);
  return { publishedOn, rowsRead, rowsSkipped, rowsUnmatched: documents.unmatched };
}

/**
 * Yields the rows of the table, which starts at the `ID` header and ends at the first row without a number. Some versions have free
 * text before and after the table.
 */
async function* tableRows(file: ListFile, date: ListDate): AsyncGenerator<{ readonly row: readonly string[]; readonly cell: Row }> {
  let cells: ((row: readonly string[]) => Row) | null = null;
  let ended = false;
  let last: Row | null = null;
  for await (const row of file.rows({ delimiter: ';', relaxColumns: true })) {
    const first = row[0] ?? '';
    if (isBlankRow(row)) continue;
    if (!cells && columnName(first) === COLUMNS.id) cells = readColumns(row, COLUMNS);
    else if (cells && !ended && isNumber(first)) {
      last = cells(row);
      yield { row, cell: last };
    } else {
      ended = cells !== null;
      if (ended && (isNumber(first) || row.some(namesHolder))) throw new ListFileError('a row of the table is outside of it');
      date.read(`${row.join(' ')} `);
    }
  }
  if (!cells) throw new ListFileError('the file has no table with an ID column');
  if (last && !ended && !isWholeListing(last.listing)) throw new ListFileError('the last row is truncated');
}

/** Finds `Cadastro atualizado em DD/MM/AAAA`, the only date in the file, in text that arrives in chunks. */
class ListDate {
  /** ISO date; null until found. */
  found: string | null = null;
  private remainder = '';

  read(piece: string): void {
    const text = this.remainder + piece;
    this.found ??= fromDayMonthYear(/Cadastro atualizado em:?\s+(\d{2}\/\d{2}\/\d{4})/i.exec(text)?.[1] ?? '');
    this.remainder = text.slice(-60);
  }
}

/**
 * Reads the date from the text file published beside the table. Returns null on any failure, because a missing date must not reject the
 * list.
 */
async function companionDate(file: ListFile): Promise<string | null> {
  if (!/^cadastro_de_empregadores.*\.\w+$/i.test(file.name)) return null;
  const date = new ListDate();
  try {
    const companion = await file.companion(file.name.replace(/\.\w+$/, '.txt'));
    if (companion) for await (const piece of companion.text()) date.read(piece);
  } catch {
    return null;
  }
  return date.found;
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);
/** True for a CNPJ, and for the CPF of a person. */
const namesHolder = (text: string): boolean =>
  strip(text).length >= 11 && (!isProblem(readCnpj(text)) || holderOf(text, null).kind === 'person');

const toEntry = (documents: HolderDocuments, row: Row): LaborEntry => {
  const { document } = documents;
  const isPersonal = document === '' || isMaskedCpf(document) || /^RESIDENCIA\b/.test(columnName(row.establishment));
  return {
    ...documents,
    employer: maskCpfsInName(withoutNotes(row.employer)),
    year: integer(row.year, COLUMNS.year),
    state: row.state,
    establishment: isPersonal ? null : maskCpfs(row.establishment) || null,
    municipality: isPersonal ? null : municipality(row.establishment),
    workersRescued: integer(row.workers, COLUMNS.workers),
    cnae: row.cnae,
    decisionOn: fromDayMonthYear(row.decision),
    ...readListing(row.listing),
  };
};

function integer(text: string, column: string): number {
  const digits = /^(?:\d{1,3}(?:\.\d{3}){1,2}|\d{1,9})(?!\d|[.,]\d{3})/.exec(text)?.[0]; // 1.064 is written for 1064
  if (digits === undefined) throw new ListFileError(`a cell of ${column} is not a number`);
  return Number(digits.replaceAll('.', ''));
}

/** Removes notes such as `(*)` and `(**2)` from the end of a name. */
function withoutNotes(name: string): string {
  const note = /\s?\(\*{1,9}\d{0,9}\)$/.exec(name.slice(-24))?.[0];
  return note === undefined ? name : withoutNotes(name.slice(0, -note.length).trimEnd());
}

/** Returns the city of `…, UBERABA/MG` or `UBERABA/MG`; null if no comma or dash separates it from the rest. */
function municipality(establishment: string): string | null {
  const beforeState = establishment.slice(0, -3 - (establishment.endsWith('.') ? 1 : 0));
  if (!/^\/[A-Z]{2}\.?$/.test(establishment.slice(beforeState.length))) return null;
  const city = beforeState.slice(Math.max(...SEPARATORS.map((mark) => endOfLast(mark, beforeState)))).trim();
  return city && !/[/\d]/.test(city) && !PLACE.test(columnName(city)) ? city : null;
}
const SEPARATORS = [',', ';', ' - ', ' – ', ' — '];

/** Returns the index after the last occurrence of a mark; 0 without one. */
const endOfLast = (mark: string, text: string): number => (text.includes(mark) ? text.lastIndexOf(mark) + mark.length : 0);

const PLACE =
  /^(?:FAZENDA|FAZ|SITIO|CHACARA|ESTANCIA|RUA|AVENIDA|AV|ESTRADA|RODOVIA|ROD|ZONA|CARVOARIA|GARIMPO|OBRA|CANTEIRO|PROPRIEDADE)\b/;

const DATE = String.raw`\d{2}/\d{2}/\d{4}`;
const ONE_DATE = new RegExp(DATE, 'g');
const PERIODS = new RegExp(String.raw`(${DATE})(?:\s*(?:a|à|até|[-–])\s*(${DATE}))?`, 'gi');

/** Parses one date or several periods: `05/10/2022 a 13/01/2023, 11/11/2024` means listed, removed by injunction and listed again. */
function readListing(cell: string): Pick<LaborEntry, 'listedOn' | 'removedOn' | 'firstListedOn'> {
  const periods = [...cell.matchAll(PERIODS)].map(([, start = '', end = '']) => ({
    start: fromDayMonthYear(start),
    end: fromDayMonthYear(end),
  }));
  const last = periods.at(-1);
  return { listedOn: last?.start ?? null, removedOn: last?.end ?? null, firstListedOn: periods[0]?.start ?? null };
}

/** Returns false for a cell that ends in the middle of a date or a period. */
const isWholeListing = (cell: string): boolean => /^[\s,;e]*$/.test(cell.replace(PERIODS, '')) && /\d$/.test(cell);

export const trabalhoEscravoSpec: RegistrySpec<LaborEntry> = {
  name: 'TRABALHO_ESCRAVO',
  attribution:
    'Ministério do Trabalho e Emprego: Cadastro de Empregadores que submeteram trabalhadores a condições análogas à escravidão, public register.',
  setting: 'QUIPU_LABOR_URL',
  address: {
    live: 'https://www.gov.br/trabalho-e-emprego/pt-br/assuntos/inspecao-do-trabalho/areas-de-atuacao/cadastro_de_empregadores.csv',
    sandbox: '/trabalho_escravo/cadastro_de_empregadores.csv',
    description: 'Registry of employers found using labour analogous to slavery: csv or xlsx.',
  },
  schemaVersion: 6,
  guard: { minRows: 400, maxShrink: 0.1, maxGrowth: 1 },
  everyMs: DAY_MS,
  staleAfterMs: 8 * DAY_MS,
  read,
};

export const trabalhoEscravo = defineRegistry(trabalhoEscravoSpec);
