import type { CopyTuples } from './copy-tuples.ts';
import type { Legible } from './legible.ts';
import { COLUMNS, PARTS } from './parts.ts';
import { FIRST_YEAR, LAST_YEAR, NEEDS, type Roster } from './roster.ts';
import { BLANK_CELL, ILLEGIBLE, type Row } from './row.ts';
import type { Places, Table } from './tables.ts';

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
