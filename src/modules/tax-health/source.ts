import { boundsOf } from '../../domain/spreadsheet-numbers.ts';
import {
  bareId,
  companiesOfCutRut,
  FIRST_LEGAL_PERSON,
  FIRST_PERSON,
  isPersonsRut,
  isProblem,
  numberOfRut,
  readRut,
  rutOfNumber,
  strip,
} from '../../domain/tax-id.ts';
import { companyRutsIn } from '../../domain/tax-ids-in-text.ts';
import { DAY_MS, fromDayMonthYear, isIsoDate } from '../../domain/time.ts';
import { unreadableRowsOf } from '../../sources/registry/company-documents.ts';
import { ColumnErrors, isBlankRow, readColumns, rowIds } from '../../sources/registry/csv-table.ts';
import { DateColumn } from '../../sources/registry/date-column.ts';
import { defineRegistry } from '../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../sources/registry/registry.ts';

/** One debt of a company. */
export interface TaxDebtEntry {
  /** Amount in CLP; null if the list states no readable amount. */
  readonly amountClp: number | null;
  /** ISO date of the debt; null if the list states no date. */
  readonly owedOn: string | null;
  /** True if the check digit of the RUT is missing or wrong, so that the debt may be another company's. */
  readonly isDoubtful?: true;
  /** Bounds of the number of a rounded RUT; absent on other rows. */
  readonly rounded?: Bounds;
  /** Groups of digits that a RUT still has which cannot be read, in their order; absent on other rows and without any digit of a RUT. */
  readonly digits?: readonly string[];
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The key of rows whose RUT cannot be read. They may be about any company that `mayMean` does not exclude. */
export const UNREADABLE_DEBTORS = unreadableRowsOf('CL');

/** True unless the digits of a row whose RUT cannot be read exclude a company. @param rut bare RUT of the company */
export function mayMean({ rounded, digits = [] }: TaxDebtEntry, rut: string): boolean {
  if (rounded) return [numberOfRut(rut), Number(rut)].some((number) => number >= rounded.min && number <= rounded.max);
  let from = 0;
  return digits.every((group) => {
    if (group.length >= rut.length) return group.includes(String(numberOfRut(rut)));
    const at = rut.indexOf(group, from);
    from = at + group.length;
    return at >= 0;
  });
}

/** The debtor that a cell names. */
type Debtor =
  /** Companies by bare RUT: more than one for a cell that names several. */
  | { readonly kind: 'companies'; readonly ruts: readonly string[] }
  /** Companies with a number whose check digit is missing or wrong. */
  | { readonly kind: 'doubtful'; readonly ruts: readonly string[] }
  | { readonly kind: 'person' }
  | { readonly kind: 'unreadable'; readonly legible: Pick<TaxDebtEntry, 'rounded' | 'digits'> };

const COLUMNS = { rut: 'rut', amount: 'monto_clp', date: 'fecha' };

/**
 * Reads a list of debtors: a csv with the columns `rut;monto_clp;fecha` in any order and among others, separated by `;` or `,`.
 * The RUT has any form, with its check digit; the amount is in whole CLP, with or without dots for thousands; the date is `YYYY-MM-DD`,
 * `DD-MM-YYYY` or `DD/MM/YYYY`; amount and date may be empty. A company with several rows owes all of them; an amount of 0 is not a debt.
 * A row whose check digit is missing or wrong is stored, as doubtful, for the company with that number. A row whose RUT cannot be read is
 * stored for all companies that it may mean. Rows of natural persons are counted but not stored.
 * @throws ListFileError for missing columns, a truncated row, an unreadable last row, or a column with 5 % unreadable cells
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<TaxDebtEntry>, ListSummary, void> {
  const columns = Object.values(COLUMNS).map((name) => new ColumnErrors(name, 0.05));
  const dates = new DateColumn(COLUMNS.date);
  const idOf = rowIds();
  let newest: string | null = null;
  let whole = true;
  let rowsRead = 0;
  let rowsSkipped = 0;
  let rowsUnmatched = 0;
  for await (const { row, cell } of tableRows(file)) {
    rowsRead += 1;
    const { debtor, amountClp, owedOn, legible } = readRow(cell);
    columns.forEach((column, i) => void column.add(legible[i] ?? false));
    whole = legible.every(Boolean);
    if (cell.date !== '' && !isIsoDate(cell.date)) dates.read(cell.date.replaceAll('-', '/'));
    if (owedOn !== null && owedOn > (newest ?? '')) newest = owedOn;
    if (debtor.kind === 'unreadable') rowsUnmatched += 1;
    if (debtor.kind === 'person' || debtor.kind === 'unreadable' || amountClp === 0) rowsSkipped += 1;
    if (debtor.kind === 'person' || amountClp === 0) continue;
    const { name, keys } = namesOf(debtor);
    const id = idOf(name, row);
    if (id !== null) yield { id, keys, record: { amountClp, owedOn, ...doubtsAbout(debtor) } };
  }
  if (!whole) throw new ListFileError('the last row is truncated');
  for (const column of columns) column.assertFew();
  dates.assertDates(file.nameDate ?? file.lastModified);
  return { publishedOn: file.nameDate ?? file.lastModified ?? newest, rowsRead, rowsSkipped, rowsUnmatched };
}

/** Returns the name of a debtor within the ids of the list, and the keys of its row. */
const namesOf = (debtor: Exclude<Debtor, { kind: 'person' }>): { readonly name: string; readonly keys: readonly string[] } =>
  debtor.kind === 'unreadable'
    ? { name: '?', keys: [UNREADABLE_DEBTORS] }
    : { name: debtor.ruts.join(' '), keys: debtor.ruts.map((rut) => `CL:${rut}`) };

const doubtsAbout = (debtor: Debtor): Pick<TaxDebtEntry, 'isDoubtful' | 'rounded' | 'digits'> => ({
  ...(debtor.kind !== 'companies' && { isDoubtful: true }),
  ...(debtor.kind === 'unreadable' && debtor.legible),
});

/**
 * Parses the cells of a row; null for an empty or unreadable cell. `legible` is in the order of the columns. Where the cells of a row are
 * exchanged, the RUT stands in another one.
 */
function readRow(cell: Row): TaxDebtEntry & { readonly debtor: Debtor; readonly legible: readonly boolean[] } {
  const amountClp = wholePesos(cell.amount);
  const owedOn = dateOf(cell.date);
  const named = debtorOf(cell.rut);
  const inOtherCells = [amountClp === null ? cell.amount : '', owedOn === null ? cell.date : ''].flatMap((text) => companyRutsIn(text));
  const isExchanged = inOtherCells.length > 0 && (named.kind === 'person' || named.kind === 'unreadable');
  const debtor: Debtor = isExchanged ? { kind: 'doubtful', ruts: inOtherCells } : named;
  const isLegible = debtor.kind === 'companies' || !isProblem(readRut(cell.rut));
  const legible = [isLegible, cell.amount === '' || amountClp !== null, cell.date === '' || owedOn !== null];
  return { debtor, amountClp, owedOn, legible };
}

/** Matches the number of a person, seven or eight digits, without its check digit or with one that may be wrong. */
const PERSONS_NUMBER = /^\d{7,8}[\dK]?$/;

/** Matches the beginning of a date in any usual form, which stands in the cell where the cells of a row are exchanged. */
const DATE = /^\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)/;

/** Matches zero, and eight times one digit, which are written where the RUT is not known. A check digit may follow. */
const PLACEHOLDER = /^(?:0+|(\d)\1{7})[\dK]?$/;

/** Matches the beginning of a company's number with its dots, and signs in place of digits, which a person's number does not have. */
const NOT_A_PERSONS = /^\D{0,8}[5-9]\d\.\d{1,3}(?:\.|$)|#/;

/** Matches eight digits within a text, which may be the number of a RUT whose check digit is missing or wrong. */
const NUMBER_WITHIN = /(?<!\d)\d{2}[ .]?\d{3}[ .]?\d{3}(?!\d)/g;

/**
 * Reads a cell of RUTs. Where it is not a RUT itself, the RUTs of companies within it count, whose check digits are right. They are doubtful
 * beside a number without one. A placeholder and a date name nobody.
 */
function debtorOf(text: string): Debtor {
  const rut = readRut(text);
  if (!isProblem(rut) && !isPersonsRut(rut)) return { kind: 'companies', ruts: [rut] };
  if (DATE.test(text) || PLACEHOLDER.test(bareId(text))) return { kind: 'unreadable', legible: {} };
  const possible = possibleRuts(text);
  if (possible.length > 0) return { kind: 'doubtful', ruts: possible };
  const isPersons = hasPersonsNumber(text) || (!isProblem(rut) && numberOfRut(rut) >= FIRST_PERSON);
  if (isPersons && !NOT_A_PERSONS.test(text)) return { kind: 'person' };
  const ruts = companyRutsIn(text);
  const printed = [...text.matchAll(NUMBER_WITHIN)].map(([number]) => number.replace(/\D/g, ''));
  const numbers = printed.filter((number) => !PLACEHOLDER.test(number)).map((number) => rutOfNumber(Number(number)));
  const others = numbers.filter((one) => !isPersonsRut(one) && !ruts.includes(one));
  if (others.length > 0) return { kind: 'doubtful', ruts: [...ruts, ...others] };
  if (ruts.length > 0) return { kind: 'companies', ruts };
  if (numbers.length > 0) return { kind: 'person' };
  const rounded = boundsOf(text);
  if (rounded === null || rounded.max < FIRST_PERSON) return { kind: 'unreadable', legible: digitsIn(text) };
  return rounded.max < FIRST_LEGAL_PERSON ? { kind: 'person' } : { kind: 'unreadable', legible: { rounded } };
}

/** True for the number of a person. A lower number may be the rest of any. */
function hasPersonsNumber(text: string): boolean {
  const bare = strip(text).replace(/^0+/, '');
  return PERSONS_NUMBER.test(CHECK_DIGIT.test(text) ? bare.slice(0, -1) : bare);
}

/** Minimum number of digits that are the rest of a RUT. Fewer say nothing: `1-9` is written where the RUT is not known. */
const MIN_DIGITS = 4;

/** Returns the digits of a cell that has only these, punctuation, and signs in place of other digits. Those beside a word may mean something else. */
function digitsIn(text: string): Pick<TaxDebtEntry, 'digits'> {
  const bare = text.replace(/[\s.-]/g, '');
  const digits = /^[\dKX#*?]*$/i.test(bare) && bare.match(/\d+/g);
  return digits && digits.join('').length >= MIN_DIGITS ? { digits } : {};
}

/** Matches a check digit after a dash. */
const CHECK_DIGIT = /[-\u2010-\u2015\u2212]\s*[\dK]\s*$/i;

/**
 * Returns the RUTs of the companies that a cell without a right check digit may mean. Its eight digits are the number of one, or its ninth
 * character is a wrong check digit. The last of eight digits without a dash may by chance be the right check digit of a person's RUT. Seven
 * digits with a wrong one may be the rest of eight.
 */
function possibleRuts(text: string): readonly string[] {
  const bare = bareId(text).replace(/^0+/, '');
  if (bare.length === 8 && CHECK_DIGIT.test(text)) return isProblem(readRut(text)) ? companiesOfCutRut(bare) : [];
  if (!/^\d{8}[\dK]?$/.test(bare)) return [];
  const rut = rutOfNumber(Number(bare.slice(0, 8)));
  return isPersonsRut(rut) ? [] : [rut];
}

type Row = typeof COLUMNS;

/** Yields the rows below the header; detects the separator. */
async function* tableRows(file: ListFile): AsyncGenerator<{ readonly row: readonly string[]; readonly cell: Row }> {
  let cells: ((row: readonly string[]) => Row) | null = null;
  for await (const row of file.rows({ delimiter: await delimiterOf(file) })) {
    if (cells) {
      if (!isBlankRow(row)) yield { row, cell: cells(row) };
    } else cells = readColumns(row, COLUMNS);
  }
  if (!cells) throw new ListFileError('the file has no header');
}

async function delimiterOf(file: ListFile): Promise<';' | ','> {
  if (file.format === 'xlsx') return ';';
  let head = '';
  for await (const piece of file.text()) {
    head += piece;
    if (/[\r\n]/.test(head.trimStart())) break;
  }
  return /^[^\r\n]*;/.test(head.trimStart()) ? ';' : ',';
}

/** Parses `18450000`, `18.450.000` or `$ 18.450.000`; null for any other text. */
function wholePesos(text: string): number | null {
  const digits = /^\$?\s*(\d{1,15}|\d{1,3}(?:\.\d{3}){1,4})$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits.replaceAll('.', ''));
}

const dateOf = (text: string): string | null => (isIsoDate(text) ? text : fromDayMonthYear(text.replaceAll('-', '/')));

export const taxDebtorsSpec: RegistrySpec<TaxDebtEntry> = {
  name: 'TAX_DEBTORS_CL',
  attribution: 'A list of Chilean tax debtors that the operator of this service brings; no public register of them exists.',
  setting: 'QUIPU_TAX_DEBTORS_URL',
  address: {
    live: '',
    sandbox: '/tax_debtors_cl/deudores.csv',
    description:
      "Chilean tax debtors, the operator's own list: csv rut;monto_clp;fecha. Empty for none: then tax_debtor is null, which means unknown.",
    optional: true,
  },
  schemaVersion: 4,
  guard: { minRows: 1, maxShrink: 0.1, maxGrowth: 1 },
  everyMs: DAY_MS,
  staleAfterMs: 8 * DAY_MS,
  read,
};

/**
 * List of Chilean tax debtors. There is no public, machine-readable register, because the treasury certifies debts to the taxpayer only,
 * and private registers are commercial. An operator can provide such a list; without one, this source is switched off.
 */
export const taxDebtors = defineRegistry(taxDebtorsSpec);
