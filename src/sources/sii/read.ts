import { CopyTuples } from '../../db/copy-tuples.ts';
import { FIRST_LEGAL_PERSON, isProblem, numberOfRut, readRut } from '../../domain/tax-id.ts';
import { ListFileError } from '../registry/list-file.ts';
import type { SyncProgress } from '../source.ts';
import { Row, UNREADABLE, UnreadableCells } from './row.ts';
import { READERS, type ReadState, type RowReader, SeenCompanies } from './rows.ts';
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
  /** Number of rows that may be about a company which no other row names, see `unmatchedRows`. */
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
    catalogue: new Uint8Array(CODES),
    subtypes,
    version,
    companies: 0,
    newestYear: 0,
  };
  const read: (TableRead & Counts)[] = [];
  for (const table of TABLES) {
    const counts: Counts = { rows: 0, skipped: 0, lost: { unknown: 0, numbers: new Set() } };
    for (const file of tables[table]) yield* readFile(file, table, state, counts, onProgress);
    if (tables[table].length > 0) read.push({ table, ...counts });
  }
  return {
    tables: read.map(({ table, rows, skipped }) => ({ table, rows, skipped })),
    companies: state.companies,
    newestYear: state.newestYear,
    unmatched: unmatchedRows(read, state.seen),
  };
}

interface Counts {
  rows: number;
  skipped: number;
  readonly lost: LostRows;
}

/** Rows whose RUT cannot be read. */
interface LostRows {
  /** Number of rows without the number of a company. */
  unknown: number;
  /** Numbers of companies beside another check digit. */
  readonly numbers: Set<number>;
}

/** Tables with a row of every company. */
const COMPLETE: ReadonlySet<Table> = new Set(['companies', 'names']);

/**
 * Returns the number of rows that may be about a company which no row names. A company is missing only if its rows in every complete table
 * are lost, so that the table with the fewest of them counts.
 */
function unmatchedRows(read: readonly (Pick<TableRead, 'table'> & Pick<Counts, 'lost'>)[], seen: SeenCompanies): number {
  const lost = read.filter(({ table }) => COMPLETE.has(table)).map(({ lost }) => lost);
  return Math.min(...lost.map(({ unknown, numbers }) => unknown + [...numbers].filter((one) => seen.year(one) === undefined).length));
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
          lose(row, isRow ? rutCell : null, counts.lost);
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

/** Maximum number of such numbers that are kept, above those of a file that is accepted. */
const MAX_NUMBERS = 100_000;

/** Counts a row whose RUT cannot be read. @param rutCell null for a row whose cells are in other columns */
function lose(row: Row, rutCell: number | null, lost: LostRows): void {
  const number = rutCell === null ? UNREADABLE : row.whole(rutCell);
  if (number >= FIRST_LEGAL_PERSON && number < END && lost.numbers.size < MAX_NUMBERS) lost.numbers.add(number);
  else lost.unknown += 1;
}

/** Returns the number of a RUT that is printed with dots, or with its check digit; `UNREADABLE` for any other cell. */
function printedNumber(row: Row, rutCell: number, dvCell: number): number {
  const [printed, digit] = [row.text(rutCell), row.text(dvCell)];
  if (!/^[\d.]{7,10}(?:-[\dk])?$/i.test(printed) || digit.length > 1) return UNREADABLE;
  const rut = readRut(printed.includes('-') ? printed : `${printed}-${digit}`);
  return isProblem(rut) || (digit !== '' && !rut.endsWith(digit.toUpperCase())) ? UNREADABLE : numberOfRut(rut);
}

const END = 100_000_000;

/** Returns the RUT of a legal person without check digit; 0 for a natural person; `UNREADABLE` if number and check digit do not match. */
function legalPerson(row: Row, rutCell: number, dvCell: number): number {
  const whole = row.whole(rutCell);
  const rut = whole === UNREADABLE ? printedNumber(row, rutCell, dvCell) : whole;
  if (rut <= 0 || rut >= END) return UNREADABLE;
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
