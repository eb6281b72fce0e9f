import { FIRST_LEGAL_PERSON } from '../../domain/rut.ts';
import type { CopyTuples } from './copy-tuples.ts';
import { COLUMNS, PARTS } from './merge.ts';
import { BLANK_CELL, ILLEGIBLE, type Legible, type Row } from './row.ts';
import type { Places, Table } from './tables.ts';

const END = 100_000_000;

/** Years before the registry, or well after this was written, are no years: six bits are enough. */
const FIRST_YEAR = 1_990;
const LAST_YEAR = FIRST_YEAR + 61;
const YEAR_BITS = 0x3f;
/** Stands for the year of a row that has none. */
const NO_YEAR = YEAR_BITS;

/** What a company's row leaves open. */
const NEEDS = { activity: 0x40, place: 0x80 } as const;

/**
 * Who was read so far: a byte for every number that a company can have, of which the system keeps only the pages that are used.
 * So it is known at once which row of a company counts, however the rows are ordered, and memory has a limit.
 */
export class Roster {
  private readonly bytes = new Uint8Array(END - FIRST_LEGAL_PERSON);

  /** Year of the row that a company has, 0 for a row that has none; undefined where there is no row yet. */
  year(rut: number): number | undefined {
    const year = this.byte(rut) & YEAR_BITS;
    if (year === 0) return undefined;
    return year === NO_YEAR ? 0 : year - 1 + FIRST_YEAR;
  }

  /** Notes a company's row in place of any other. `year`: 0 for none. `needs`: what it leaves open, of `NEEDS`, added up. */
  note(rut: number, year: number, needs: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = (year === 0 ? NO_YEAR : year - FIRST_YEAR + 1) | needs;
  }

  needs(rut: number, need: number): boolean {
    return (this.byte(rut) & need) !== 0;
  }

  /** Notes that a need is met. */
  meet(rut: number, need: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = this.byte(rut) & ~need;
  }

  private byte(rut: number): number {
    return this.bytes[rut - FIRST_LEGAL_PERSON] ?? 0;
  }
}

/** What the files were read into so far. */
export interface Gathered {
  readonly roster: Roster;
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

type Reader<T extends Table> = (at: Places<T>, gathered: Gathered, legible: Legible) => RowReader;

const BRACKETS = 13;
const CODE_DIGITS = 6;

function begin(out: CopyTuples, version: number, rut: number, rowBytes: number): void {
  out.begin(COLUMNS.length, rowBytes);
  out.bigint(version);
  out.integer(rut);
}

/** The newest year of a company is its row; of other years only the dates of its start count. */
const companies: Reader<'companies'> = (at, gathered, legible) => {
  const { roster, version } = gathered;
  return (rut, row, rowBytes, out) => {
    const year = row.whole(at.year);
    if (year < FIRST_YEAR || year > LAST_YEAR) return legible.noteVital('commercial year');
    const startedOn = legible.number('start', row.date(at.startedOn));
    const registeredOn = legible.number('first inscription', row.date(at.firstRegisteredOn));
    const before = roster.year(rut);
    if (before !== undefined && before >= year) {
      begin(out, PARTS.past, rut, 0);
      out.nulls(2);
      out.date(startedOn);
      out.date(registeredOn);
      out.nulls(9);
      return;
    }
    if (before === undefined) gathered.companies += 1;
    gathered.newestYear = Math.max(gathered.newestYear, year);
    const region = row.region(at.region);
    roster.note(rut, year, (row.isNone(at.activity) ? NEEDS.activity : 0) | (region === null ? NEEDS.place : 0));
    begin(out, before === undefined ? version : PARTS.later, rut, rowBytes);
    out.text(row, at.name);
    out.smallint(year);
    out.date(startedOn);
    out.date(registeredOn);
    situation(row, region, out);
  };

  /** What only the newest year's row tells. */
  function situation(row: Row, region: string | null, out: CopyTuples): void {
    const endedOn = legible.number('end', row.date(at.endedOn));
    out.date(endedOn);
    if (endedOn === BLANK_CELL) out.nulls(1);
    else out.label(row, at.endKind);
    const bracket = row.whole(at.bracket);
    out.smallint(legible.number('sales bracket', bracket === 0 || bracket > BRACKETS ? ILLEGIBLE : bracket));
    out.integer(legible.number('number of workers', row.whole(at.workers)));
    activity(row, at.activity, out);
    out.word(region);
    out.label(row, at.commune);
    out.label(row, at.kind);
  }
};

/** `620200 - ACTIVIDADES …` → code and text; the text alone where no code leads. */
function activity(row: Row, cell: number, out: CopyTuples): void {
  const start = row.start(cell);
  const text = row.afterCode(cell);
  out.digits(text === start ? BLANK_CELL : row.leading(start), CODE_DIGITS);
  if (row.isNone(cell)) out.nulls(1);
  else out.text(row, cell, text);
}

/** Who is not in the nómina is known by name; of the others the list of names may know later dates. */
const names: Reader<'names'> = (at, gathered, legible) => {
  const { roster, subtypes, version } = gathered;
  return (rut, row, rowBytes, out) => {
    const before = roster.year(rut);
    if (before === 0) return; // named twice
    const isNew = before === undefined;
    begin(out, isNew ? version : PARTS.standing, rut, rowBytes);
    if (isNew) out.text(row, at.name);
    else out.nulls(1);
    out.nulls(1);
    out.date(legible.number('start', row.date(at.startedOn)));
    out.nulls(1);
    out.date(legible.number('end', row.date(at.endedOn)));
    out.nulls(7);
    out.word(isNew ? (subtypes.get(row.text(at.subtype)) ?? null) : null);
    if (!isNew) return;
    gathered.companies += 1;
    roster.note(rut, 0, NEEDS.activity | NEEDS.place);
  };
};

/** The first activity listed stands for a company whose row has none; all of them tell the text of a code. */
const activities: Reader<'activities'> = (at, { roster, catalogue }, legible) => {
  function tell(part: number, rut: number, code: number, row: Row, rowBytes: number, out: CopyTuples): void {
    begin(out, part, rut, rowBytes);
    out.nulls(8);
    out.digits(code, CODE_DIGITS);
    out.text(row, at.activity);
    out.nulls(3);
  }
  return (rut, row, rowBytes, out) => {
    const code = legible.number('code', row.whole(at.code));
    if (code < 0 || code >= catalogue.length || row.isNone(at.activity)) return;
    if (catalogue[code] === 0) tell(PARTS.catalogue, 0, code, row, rowBytes, out);
    catalogue[code] = 1;
    if (roster.needs(rut, NEEDS.activity)) tell(PARTS.activity, rut, code, row, rowBytes, out);
    roster.meet(rut, NEEDS.activity);
  };
};

/** Where a company whose row names no region says that it is now. Streets are not read. */
const domiciles: Reader<'domiciles'> = (at, { roster }, legible) => {
  return (rut, row, rowBytes, out) => {
    if (!roster.needs(rut, NEEDS.place) || row.text(at.inForce) !== 'S') return;
    const region = row.region(at.region);
    if (region === null && row.isNone(at.commune)) return;
    begin(out, PARTS.place, rut, rowBytes);
    out.nulls(2);
    out.date(legible.number('date', row.date(at.since)));
    out.nulls(7);
    out.word(region);
    out.label(row, at.commune);
    out.nulls(1);
  };
};

export const READERS: { readonly [T in Table]: Reader<T> } = { companies, names, activities, domiciles };
