import type { CopyTuples } from '../../db/copy-tuples.ts';
import { type LostRows, NEWEST, NO_END } from './lost-rows.ts';
import { EMPTY_CELL, END_OF_RUTS, type Row, UNREADABLE, type UnreadableCells } from './row.ts';
import { MISSING, type SeenCompanies, yearIn } from './seen-companies.ts';
import { COLUMNS, PARTS } from './store/merge.ts';
import type { ColumnIndexes, Table } from './tab-file.ts';

/** State of a read across the files of one publication. */
export interface ReadState {
  readonly seen: SeenCompanies;
  /** The rows that cannot be read, by their table. */
  readonly lost: Readonly<Record<Table, LostRows>>;
  /** Subtype codes of legal persons → their names. */
  readonly subtypes: ReadonlyMap<string, string>;
  /** Version id of the load. */
  readonly version: number;
  /** Flags by activity code: 1 if the code's text was already written. */
  readonly catalogue: Uint8Array;
  companies: number;
  newestYear: number;
}

/** Writes the tuples of one row, with columns in the order of `COLUMNS` in merge.ts. */
export type RowReader = (rut: number, row: Row, rowBytes: number, out: CopyTuples) => void;

type Reader<T extends Table> = (at: ColumnIndexes<T>, state: ReadState, unreadable: UnreadableCells) => RowReader;

const BRACKETS = 13;
const CODE_DIGITS = 6;

function begin(out: CopyTuples, version: number, rut: number, rowBytes: number): void {
  out.begin(COLUMNS.length, rowBytes);
  out.bigint(version);
  out.integer(rut);
}

/** Writes a number about which a row may be that cannot be read. Its RUT is outside those of companies, so that no lookup returns it as one. */
export function writeDoubtful(number: number, version: number, out: CopyTuples): void {
  begin(out, version, number + END_OF_RUTS, 0);
  out.string('');
  out.nulls(COLUMNS.length - 3);
}

/** Writes the text of a cell. */
const text = (row: Row, cell: number, out: CopyTuples): void => out.text(row.bytes, row.start(cell), row.end(cell));

/** Writes the text of a cell; null for an empty cell. */
function label(row: Row, cell: number, out: CopyTuples): void {
  if (row.isEmpty(cell)) out.nulls(1);
  else text(row, cell, out);
}

/**
 * Reads the nómina. It keeps the row of a company's newest year, and only the start dates of other years. Of further rows of the newest year
 * it also keeps the end, because the rows of some companies contradict each other about it.
 */
const companies: Reader<'companies'> = (at, state, unreadable) => {
  const { seen, lost, version } = state;
  return (rut, row, rowBytes, out) => {
    const year = yearIn(row, at.year);
    if (year === UNREADABLE) {
      lost.companies.add(rut, row.date(at.endedOn) === EMPTY_CELL ? NO_END : NEWEST);
      return unreadable.addEssential('commercial year');
    }
    const startedOn = unreadable.checked('start', row.date(at.startedOn));
    const registeredOn = unreadable.checked('first inscription', row.date(at.firstRegisteredOn));
    const before = seen.year(rut);
    if (before !== undefined && before >= year) {
      begin(out, PARTS.past, rut, rowBytes);
      out.nulls(1);
      if (before === year) out.smallint(year);
      else out.nulls(1);
      out.date(startedOn);
      out.date(registeredOn);
      if (before === year) writeEnd(rut, year, row, out);
      else out.nulls(2);
      out.nulls(7);
      return;
    }
    if (before === undefined) state.companies += 1;
    state.newestYear = Math.max(state.newestYear, year);
    const region = row.region(at.region);
    seen.record(rut, year, (row.isEmpty(at.activity) ? MISSING.activity : 0) | (region === null ? MISSING.domicile : 0));
    begin(out, before === undefined ? version : PARTS.later, rut, rowBytes);
    text(row, at.name, out);
    out.smallint(year);
    out.date(startedOn);
    out.date(registeredOn);
    writeEnd(rut, year, row, out);
    writeNewestState(row, region, out);
  };

  /** Writes the other columns that are taken from the newest year's row only. */
  function writeNewestState(row: Row, region: string | null, out: CopyTuples): void {
    const bracket = row.whole(at.bracket);
    out.smallint(unreadable.checked('sales bracket', bracket === 0 || bracket > BRACKETS ? UNREADABLE : bracket));
    out.integer(unreadable.checked('number of workers', row.whole(at.workers)));
    activity(row, at.activity, out);
    out.string(region);
    label(row, at.commune, out);
    label(row, at.kind, out);
  }

  /** Writes the end and its kind. A company whose end cannot be read would count as active, so its row counts as lost, too. */
  function writeEnd(rut: number, year: number, row: Row, out: CopyTuples): void {
    const endedOn = unreadable.checkedEssential('end', row.date(at.endedOn));
    if (endedOn === UNREADABLE) lost.companies.add(rut, year);
    out.date(endedOn);
    if (endedOn === EMPTY_CELL) out.nulls(1);
    else label(row, at.endKind, out);
  }
};

/** Writes code and text of `620200 - ACTIVIDADES …`; only the text when the cell starts with no code. */
function activity(row: Row, cell: number, out: CopyTuples): void {
  const start = row.afterCode(cell);
  out.digits(start === row.start(cell) ? EMPTY_CELL : row.leading(row.start(cell)), CODE_DIGITS);
  if (row.isEmpty(cell)) out.nulls(1);
  else out.text(row.bytes, start, row.end(cell));
}

/**
 * Adds companies that are not in the nómina by name and dates; for the others, and of further rows of a company, writes dates that may be newer
 * than those before.
 */
const names: Reader<'names'> = (at, state, unreadable) => {
  const { seen, lost, subtypes, version } = state;
  return (rut, row, rowBytes, out) => {
    const isNew = seen.year(rut) === undefined;
    const endedOn = unreadable.checkedEssential('end', row.date(at.endedOn));
    if (endedOn === UNREADABLE) lost.names.add(rut, NEWEST);
    seen.list(rut);
    begin(out, isNew ? version : PARTS.dates, rut, rowBytes);
    if (isNew) text(row, at.name, out);
    else out.nulls(1);
    out.nulls(1);
    out.date(unreadable.checked('start', row.date(at.startedOn)));
    out.nulls(1);
    out.date(endedOn);
    out.nulls(7);
    out.string(isNew ? (subtypes.get(row.text(at.subtype)) ?? null) : null);
    if (!isNew) return;
    state.companies += 1;
    seen.record(rut, 0, MISSING.activity | MISSING.domicile);
  };
};

/**
 * Reads activities. A company whose row has no activity gets the first one listed. Every row also provides the text of its activity code.
 */
const activities: Reader<'activities'> = (at, { seen, catalogue }, unreadable) => {
  function writeActivity(part: number, rut: number, code: number, row: Row, rowBytes: number, out: CopyTuples): void {
    begin(out, part, rut, rowBytes);
    out.nulls(8);
    out.digits(code, CODE_DIGITS);
    text(row, at.activity, out);
    out.nulls(3);
  }
  return (rut, row, rowBytes, out) => {
    const code = unreadable.checked('code', row.whole(at.code));
    if (code < 0 || code >= catalogue.length || row.isEmpty(at.activity)) return;
    if (catalogue[code] === 0) writeActivity(PARTS.catalogue, 0, code, row, rowBytes, out);
    catalogue[code] = 1;
    if (seen.lacks(rut, MISSING.activity)) writeActivity(PARTS.activity, rut, code, row, rowBytes, out);
    seen.fill(rut, MISSING.activity);
  };
};

/** Reads domiciles. A company whose row has no region gets its current domicile. Streets are not read. */
const domiciles: Reader<'domiciles'> = (at, { seen }, unreadable) => {
  return (rut, row, rowBytes, out) => {
    if (!seen.lacks(rut, MISSING.domicile) || row.text(at.inForce) !== 'S') return;
    const region = row.region(at.region);
    if (region === null && row.isEmpty(at.commune)) return;
    begin(out, PARTS.domicile, rut, rowBytes);
    out.nulls(2);
    out.date(unreadable.checked('date', row.date(at.since)));
    out.nulls(7);
    out.string(region);
    label(row, at.commune, out);
    out.nulls(1);
  };
};

export const READERS: { readonly [T in Table]: Reader<T> } = { companies, names, activities, domiciles };
