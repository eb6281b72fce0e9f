import { isPersonsRut, isProblem, readRut, rutOfNumber, strip } from '../../domain/tax-id.ts';
import { DAY_MS, fromDayMonthYear, isIsoDate } from '../../domain/time.ts';
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
}

const COLUMNS = { rut: 'rut', amount: 'monto_clp', date: 'fecha' };

/**
 * Reads a list of debtors: a csv with the columns `rut;monto_clp;fecha` in any order and among others, separated by `;` or `,`.
 * The RUT has any form, with its check digit; the amount is in whole CLP, with or without dots for thousands; the date is `YYYY-MM-DD`,
 * `DD-MM-YYYY` or `DD/MM/YYYY`; amount and date may be empty. A company with several rows owes all of them; an amount of 0 is not a debt.
 * A row whose check digit is missing or wrong is stored, as doubtful, for the company with that number. Rows of natural persons, and rows
 * without the number of a company, are counted but not stored.
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
    const { rut, amountClp, owedOn, legible } = readRow(cell);
    columns.forEach((column, i) => void column.add(legible[i] ?? false));
    whole = legible.every(Boolean);
    if (cell.date !== '' && !isIsoDate(cell.date)) dates.read(cell.date.replaceAll('-', '/'));
    if (owedOn !== null && owedOn > (newest ?? '')) newest = owedOn;
    const isCertain = rut !== null && !isPersonsRut(rut);
    const company = isCertain ? rut : possibleRut(cell.rut);
    if (rut === null && company === null) rowsUnmatched += 1;
    if (company === null || amountClp === 0) {
      rowsSkipped += 1;
      continue;
    }
    const id = idOf(company, row);
    const record = { amountClp, owedOn, ...(!isCertain && { isDoubtful: true as const }) };
    if (id !== null) yield { id, keys: [`CL:${company}`], record };
  }
  if (!whole) throw new ListFileError('the last row is truncated');
  for (const column of columns) column.assertFew();
  dates.assertDates(file.nameDate ?? file.lastModified);
  return { publishedOn: file.nameDate ?? file.lastModified ?? newest, rowsRead, rowsSkipped, rowsUnmatched };
}

/** Parses the cells of a row; null for an empty or unreadable cell. `legible` is in the order of the columns. */
function readRow(cell: Row): TaxDebtEntry & { readonly rut: string | null; readonly legible: readonly boolean[] } {
  const rut = readRut(cell.rut);
  const amountClp = wholePesos(cell.amount);
  const owedOn = dateOf(cell.date);
  const legible = [!isProblem(rut), cell.amount === '' || amountClp !== null, cell.date === '' || owedOn !== null];
  return { rut: isProblem(rut) ? null : rut, amountClp, owedOn, legible };
}

/** Matches a check digit after a dash. */
const CHECK_DIGIT = /[-\u2010-\u2015\u2212]\s*[\dK]\s*$/i;

/**
 * Returns the RUT of the company that a cell without a right check digit may mean; null for none. Its eight digits are the number, or its
 * ninth character is a wrong check digit. The last of eight digits without a dash may by chance be the right check digit of a person's RUT.
 */
function possibleRut(text: string): string | null {
  const bare = strip(text).replace(/^0+/, '');
  if (!/^\d{8}[\dK]?$/.test(bare) || (bare.length === 8 && CHECK_DIGIT.test(text))) return null;
  const rut = rutOfNumber(Number(bare.slice(0, 8)));
  return isPersonsRut(rut) ? null : rut;
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
  schemaVersion: 2,
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
