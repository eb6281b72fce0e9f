import { FIRST_LEGAL_PERSON } from '../../domain/rut.ts';
import type { CopyTuples } from './copy-tuples.ts';
import { COLUMNS, PARTS } from './merge.ts';
import { EMPTY_CELL, type Row, UNREADABLE, type UnreadableCells } from './row.ts';
import type { ColumnIndexes, Table } from './tables.ts';

const END = 100_000_000;

/** Years before the registry, or well after this was written, are no years: six bits are enough. */
const FIRST_YEAR = 1_990;
const LAST_YEAR = FIRST_YEAR + 61;
const YEAR_BITS = 0x3f;
/** Stands for the year of a row that has none. */
const NO_YEAR = YEAR_BITS;

/** What a company's row leaves open. */
const MISSING = { activity: 0x40, domicile: 0x80 } as const;

/**
 * Who was read so far: a byte for every number that a company can have, of which the system keeps only the pages that are used.
 * So it is known at once which row of a company counts, however the rows are ordered, and memory has a limit.
 */
export class SeenCompanies {
  private readonly bytes = new Uint8Array(END - FIRST_LEGAL_PERSON);

  /** Year of the row that a company has, 0 for a row that has none; undefined where there is no row yet. */
  year(rut: number): number | undefined {
    const year = this.byte(rut) & YEAR_BITS;
    if (year === 0) return undefined;
    return year === NO_YEAR ? 0 : year - 1 + FIRST_YEAR;
  }

  /** Notes a company's row in place of any other. `year`: 0 for none. `needs`: what it leaves open, of `MISSING`, added up. */
  record(rut: number, year: number, missing: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = (year === 0 ? NO_YEAR : year - FIRST_YEAR + 1) | missing;
  }

  lacks(rut: number, fact: number): boolean {
    return (this.byte(rut) & fact) !== 0;
  }

  /** Notes that a need is met. */
  fill(rut: number, fact: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = this.byte(rut) & ~fact;
  }

  private byte(rut: number): number {
    return this.bytes[rut - FIRST_LEGAL_PERSON] ?? 0;
  }
}

/** What the files were read into so far. */
export interface ReadState {
  readonly seen: SeenCompanies;
  /** Subtype codes of legal persons → their names. */
  readonly subtypes: ReadonlyMap<string, string>;
  /** Version of the edition. */
  readonly version: number;
  /** By code: activities whose text was told. */
  readonly catalogue: Uint8Array;
  companies: number;
  newestYear: number;
}

/** Writes what a row adds, in the order of `COLUMNS`. */
export type RowReader = (rut: number, row: Row, rowBytes: number, out: CopyTuples) => void;

type Reader<T extends Table> = (at: ColumnIndexes<T>, state: ReadState, unreadable: UnreadableCells) => RowReader;

const BRACKETS = 13;
const CODE_DIGITS = 6;

function begin(out: CopyTuples, version: number, rut: number, rowBytes: number): void {
  out.begin(COLUMNS.length, rowBytes);
  out.bigint(version);
  out.integer(rut);
}

/** The newest year of a company is its row; of other years only the dates of its start count. */
const companies: Reader<'companies'> = (at, state, unreadable) => {
  const { seen, version } = state;
  return (rut, row, rowBytes, out) => {
    const year = row.whole(at.year);
    if (year < FIRST_YEAR || year > LAST_YEAR) return unreadable.addEssential('commercial year');
    const startedOn = unreadable.checked('start', row.date(at.startedOn));
    const registeredOn = unreadable.checked('first inscription', row.date(at.firstRegisteredOn));
    const before = seen.year(rut);
    if (before !== undefined && before >= year) {
      begin(out, PARTS.past, rut, 0);
      out.nulls(2);
      out.date(startedOn);
      out.date(registeredOn);
      out.nulls(9);
      return;
    }
    if (before === undefined) state.companies += 1;
    state.newestYear = Math.max(state.newestYear, year);
    const region = row.region(at.region);
    seen.record(rut, year, (row.isEmpty(at.activity) ? MISSING.activity : 0) | (region === null ? MISSING.domicile : 0));
    begin(out, before === undefined ? version : PARTS.later, rut, rowBytes);
    out.text(row, at.name);
    out.smallint(year);
    out.date(startedOn);
    out.date(registeredOn);
    writeNewestState(row, region, out);
  };

  /** What only the newest year's row tells. */
  function writeNewestState(row: Row, region: string | null, out: CopyTuples): void {
    const endedOn = unreadable.checked('end', row.date(at.endedOn));
    out.date(endedOn);
    if (endedOn === EMPTY_CELL) out.nulls(1);
    else out.label(row, at.endKind);
    const bracket = row.whole(at.bracket);
    out.smallint(unreadable.checked('sales bracket', bracket === 0 || bracket > BRACKETS ? UNREADABLE : bracket));
    out.integer(unreadable.checked('number of workers', row.whole(at.workers)));
    activity(row, at.activity, out);
    out.string(region);
    out.label(row, at.commune);
    out.label(row, at.kind);
  }
};

/** `620200 - ACTIVIDADES …` → code and text; the text alone where no code leads. */
function activity(row: Row, cell: number, out: CopyTuples): void {
  const start = row.start(cell);
  const text = row.afterCode(cell);
  out.digits(text === start ? EMPTY_CELL : row.leading(start), CODE_DIGITS);
  if (row.isEmpty(cell)) out.nulls(1);
  else out.text(row, cell, text);
}

/** Who is not in the nómina is known by name; of the others the list of names may know later dates. */
const names: Reader<'names'> = (at, state, unreadable) => {
  const { seen, subtypes, version } = state;
  return (rut, row, rowBytes, out) => {
    const before = seen.year(rut);
    if (before === 0) return; // named twice
    const isNew = before === undefined;
    begin(out, isNew ? version : PARTS.dates, rut, rowBytes);
    if (isNew) out.text(row, at.name);
    else out.nulls(1);
    out.nulls(1);
    out.date(unreadable.checked('start', row.date(at.startedOn)));
    out.nulls(1);
    out.date(unreadable.checked('end', row.date(at.endedOn)));
    out.nulls(7);
    out.string(isNew ? (subtypes.get(row.text(at.subtype)) ?? null) : null);
    if (!isNew) return;
    state.companies += 1;
    seen.record(rut, 0, MISSING.activity | MISSING.domicile);
  };
};

/** The first activity listed stands for a company whose row has none; all of them tell the text of a code. */
const activities: Reader<'activities'> = (at, { seen, catalogue }, unreadable) => {
  function writeActivity(part: number, rut: number, code: number, row: Row, rowBytes: number, out: CopyTuples): void {
    begin(out, part, rut, rowBytes);
    out.nulls(8);
    out.digits(code, CODE_DIGITS);
    out.text(row, at.activity);
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

/** Where a company whose row names no region says that it is now. Streets are not read. */
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
    out.label(row, at.commune);
    out.nulls(1);
  };
};

export const READERS: { readonly [T in Table]: Reader<T> } = { companies, names, activities, domiciles };
