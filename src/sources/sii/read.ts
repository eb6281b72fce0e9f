import { CopyTuples } from '../../db/copy-tuples.ts';
import { FIRST_LEGAL_PERSON, isProblem, numberOfRut, readRut } from '../../domain/tax-id.ts';
import { nextSlice } from '../../scheduling/slices.ts';
import { ListFileError } from '../registry/list-file.ts';
import type { SyncProgress } from '../source.ts';
import { doubtfulCompanies } from './doubtful.ts';
import { LostRows, NEWEST, NO_END } from './lost-rows.ts';
import { EMPTY_CELL, END_OF_RUTS, Row, UNREADABLE, UnreadableCells } from './row.ts';
import { READERS, type ReadState, type RowReader, writeDoubtful } from './rows.ts';
import { SeenCompanies, yearIn } from './seen-companies.ts';
import { COLUMNS, type ColumnIndexes, columnIndexes, rowsOf, TABLES, type TabFile, type Table } from './tab-file.ts';

/** Files of one publication of the registry, by their table. */
export interface RegistryFiles {
  readonly tables: { readonly [T in Table]: readonly TabFile[] };
  /** Subtype codes of legal persons → their names. */
  readonly subtypes: ReadonlyMap<string, string>;
}

/** Number of rows that were read from one table. */
export interface TableRead {
  readonly table: Table;
  readonly rows: number;
  /** Number of rows of natural persons and of unreadable rows. */
  readonly skipped: number;
}

/** Totals of a finished read. */
export interface ReadSummary {
  readonly tables: readonly TableRead[];
  /** Number of companies in the new version. */
  readonly companies: number;
  /** Number of rows that may be about any company which no other row names, because nothing of their RUT can be read. */
  readonly unmatched: number;
  readonly newestYear: number;
}

/** Number of possible codes of six digits. */
const CODES = 1_000_000;

/** Returns the table that a file holds, recognised by its header; null when it holds none. */
export const tableOf = ({ header }: TabFile): Table | null =>
  TABLES.find((table) => columnIndexes(header, COLUMNS[table]) !== null) ?? null;

/**
 * Reads the files as a stream: yields tuples for `copyTuples`, about 256 KiB at a time, and returns the totals.
 * @param version version id to write into the tuples of companies
 * @throws ListFileError for a file that contains no rows, is cut, or has a column with too many unreadable cells
 */
export async function* readRegistryFiles(
  { tables, subtypes }: RegistryFiles,
  version: number,
  onProgress: (progress: SyncProgress) => void,
): AsyncGenerator<Buffer, ReadSummary, void> {
  const state: ReadState = {
    seen: new SeenCompanies(),
    lost: { companies: new LostRows(), names: new LostRows(), activities: new LostRows(), domiciles: new LostRows() },
    catalogue: new Uint8Array(CODES),
    subtypes,
    version,
    companies: 0,
    newestYear: 0,
  };
  const read: TableRead[] = [];
  for (const table of TABLES) {
    const counts: Counts = { rows: 0, skipped: 0 };
    for (const file of tables[table]) yield* readFile(file, table, state, counts, onProgress);
    if (tables[table].length > 0) read.push({ table, ...counts });
  }
  const hasList = tables.names.length > 0;
  const out = new CopyTuples('utf-8');
  let written = 0;
  for (const number of await doubtfulCompanies(state, hasList)) {
    writeDoubtful(number, version, out);
    written += 1;
    if (written % DOUBTFUL_AT_ONCE > 0) continue;
    yield* out.drain();
    await nextSlice();
  }
  yield* out.drain();
  const { companies, newestYear, lost } = state;
  return { tables: read, companies, newestYear, unmatched: lost[hasList ? 'names' : 'companies'].unknown };
}

/** Number of doubtful companies that are written before other work goes on. */
const DOUBTFUL_AT_ONCE = 5_000;

interface Counts {
  rows: number;
  skipped: number;
}

async function* readFile(
  file: TabFile,
  table: Table,
  state: ReadState,
  counts: Counts,
  onProgress: (progress: SyncProgress) => void,
): AsyncGenerator<Buffer, void, void> {
  const indexes = columnIndexes(file.header, COLUMNS[table]);
  if (!indexes) throw new ListFileError(`${file.name} has other columns`);
  const unreadable = new UnreadableCells();
  const reader = (READERS[table] as (at: unknown, ...rest: unknown[]) => RowReader)(indexes, state, unreadable);
  const { rut: rutCell, dv: dvCell } = indexes as ColumnIndexes<Table>;
  const maxCells = file.header.length;
  const minCells = Math.max(...Object.values(indexes)) + 1; // some tools omit the empty cells at the end of a row
  const out = new CopyTuples(file.charset);
  const row = new Row();
  const before = counts.rows;
  let isCut = false;
  for await (const { bytes, bytesRead } of rowsOf(file)) {
    for (let at = 0; at < bytes.length; ) {
      const next = row.load(bytes, at);
      if (row.width > 0) {
        counts.rows += 1;
        const isCutRow = row.width >= minCells && row.width < maxCells && isAligned(row, indexes);
        const isRow = row.width === maxCells || isCutRow;
        const rut = isRow ? legalPerson(row, rutCell, dvCell) : UNREADABLE;
        if (rut === UNREADABLE) {
          unreadable.add(isRow ? 'RUT' : 'cells');
          addLost(row, isRow, indexes, state.lost[table]);
        }
        if (rut > 0) reader(rut, row, next - at, out);
        else counts.skipped += 1;
      }
      at = next;
    }
    isCut = !row.isEnded && row.width < maxCells;
    yield* out.drain();
    onProgress({ step: file.name, rows: counts.rows - before, share: bytesRead / file.bytes });
  }
  if (counts.rows === before) throw new ListFileError(`${file.name} holds no rows`);
  if (isCut) throw new ListFileError(`${file.name} is cut: its last row is not whole`);
  unreadable.assertFew(counts.rows - before);
}

/**
 * True unless a row with fewer cells than the header has another text in place of its region: it then lacks a tab in its middle and not the
 * cells at its end, so that the cells after that tab, such as the end of activities, are in the columns before theirs.
 */
function isAligned(row: Row, indexes: Readonly<Record<string, number>>): boolean {
  const { region } = indexes;
  return region === undefined || row.isEmpty(region) || row.region(region) !== null;
}

/** Adds a row to those that cannot be read. `isRow`: false for a row with other cells in the wrong columns. */
function addLost(row: Row, isRow: boolean, indexes: Readonly<Record<string, number>>, lost: LostRows): void {
  const { rut: rutCell = 0, dv: dvCell = 0 } = indexes;
  const year = yearOfEnd(row, isRow, indexes);
  const number = isRow ? UNREADABLE : legalPerson(row, rutCell, dvCell);
  if (number > 0) lost.add(number, year);
  else if (isRow) lost.addPossible(row, numberIn(row, rutCell), digitIn(row, rutCell, dvCell), year);
  else if (number === UNREADABLE) lost.addPossible(row, number, '', year);
}

/** Returns the year of a row that may state an end, as in `LostRows`. */
function yearOfEnd(row: Row, isRow: boolean, { year, endedOn }: Readonly<Record<string, number>>): number {
  if (isRow && endedOn !== undefined && row.date(endedOn) === EMPTY_CELL) return NO_END;
  const stated = year === undefined ? UNREADABLE : yearIn(row, year);
  return stated === UNREADABLE ? NEWEST : stated;
}

/** Matches a RUT with dots, or with its check digit; both may be missing. */
const PRINTED_RUT = /^([\d.]{7,10})(?:-[\dk])?$/i;

/** Returns the number of a RUT without a right check digit; `UNREADABLE` for other cells. */
function numberIn(row: Row, rutCell: number): number {
  const whole = row.whole(rutCell);
  const printed = whole === UNREADABLE && PRINTED_RUT.exec(row.text(rutCell))?.[1];
  return printed ? Number(printed.replaceAll('.', '')) : whole;
}

/** Returns the check digit beside such a number, or within its cell; empty for none. */
function digitIn(row: Row, rutCell: number, dvCell: number): string {
  const digit = row.text(dvCell) || /-([\dk])$/i.exec(row.text(rutCell))?.[1] || '';
  return digit.toUpperCase();
}

/** Returns the number of a RUT that is printed with dots, or with its check digit; `UNREADABLE` for any other cell. */
function printedNumber(row: Row, rutCell: number, dvCell: number): number {
  const [printed, digit] = [row.text(rutCell), row.text(dvCell)];
  const isWhole = printed.includes('-');
  if (!PRINTED_RUT.test(printed) || digit.length > 1 || (digit === '' && !isWhole)) return UNREADABLE;
  const rut = readRut(isWhole ? printed : `${printed}-${digit}`);
  return isProblem(rut) || (digit !== '' && !rut.endsWith(digit.toUpperCase())) ? UNREADABLE : numberOfRut(rut);
}

/** Returns the RUT of a legal person without check digit; 0 for a natural person; `UNREADABLE` if number and check digit do not match. */
function legalPerson(row: Row, rutCell: number, dvCell: number): number {
  const whole = row.whole(rutCell);
  const rut = whole === UNREADABLE ? printedNumber(row, rutCell, dvCell) : whole;
  if (rut <= 0 || rut >= END_OF_RUTS) return UNREADABLE;
  if (whole === UNREADABLE) return rut < FIRST_LEGAL_PERSON ? 0 : rut;
  let sum = 0;
  for (let rest = rut, factor = 2; rest > 0; rest = (rest / 10) | 0, factor = factor === 7 ? 2 : factor + 1) sum += (rest % 10) * factor;
  const digit = CHECK_DIGITS.charCodeAt(sum % 11);
  const start = row.start(dvCell);
  const isRight = row.end(dvCell) === start + 1 && (row.bytes[start] === digit || (row.bytes[start] === SMALL_K && digit === CAPITAL_K));
  if (!isRight) return UNREADABLE;
  return rut < FIRST_LEGAL_PERSON ? 0 : rut;
}

/** Check digits by the remainder of the weighted sum modulo 11. */
const CHECK_DIGITS = '0K987654321';
const CAPITAL_K = 0x4b;
const SMALL_K = 0x6b;
