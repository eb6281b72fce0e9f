import { ListFileError } from '../registry/list-file.ts';
import type { CopyLines } from './copy-lines.ts';
import type { Legible } from './legible.ts';
import { PARTS } from './parts.ts';
import { MARK, type Roster } from './roster.ts';
import { BLANK_CELL, ILLEGIBLE, type Row } from './row.ts';
import type { Places, Table } from './tables.ts';

/** What the files were read into so far. */
export interface Gathered {
  readonly roster: Roster;
  /** Subtype codes of legal persons → their names. */
  readonly subtypes: ReadonlyMap<string, string>;
  /** Version of the edition. */
  readonly version: string;
  /** By code: activities whose text was told. */
  readonly catalogue: Uint8Array;
  companies: number;
  newestYear: number;
}

/** Writes what a row adds, in the order of the columns of a line. */
export type RowReader = (rut: number, row: Row, rowBytes: number, out: CopyLines) => void;

type Reader<T extends Table> = (at: Places<T>, gathered: Gathered, legible: Legible) => RowReader;

const BRACKETS = 13;

/** The newest year of a company is its row; of other years only the dates of its start count. */
const companies: Reader<'companies'> = (at, gathered, legible) => {
  const { roster, version } = gathered;
  return (rut, row, rowBytes, out) => {
    const year = row.whole(at.year);
    if (year < FIRST_YEAR || year > LAST_YEAR) throw new ListFileError('a row has no commercial year');
    const before = roster.year(rut);
    const isNewest = before === null || before < year;
    if (isNewest && before !== null) {
      out.begin(PARTS.superseded, rut, 0);
      out.whole(before);
      out.nulls(12);
      out.end();
    }
    out.begin(isNewest ? version : PARTS.past, rut, rowBytes);
    out.whole(year);
    if (isNewest) out.text(row, at.name);
    else out.nulls(1);
    out.date(legible.number('start', row.date(at.startedOn)));
    out.date(legible.number('first inscription', row.date(at.firstRegisteredOn)));
    if (isNewest) {
      if (before === null) gathered.companies += 1;
      gathered.newestYear = Math.max(gathered.newestYear, year);
      roster.keep(rut, year);
      situation(rut, row, out);
    } else out.nulls(9);
    out.end();
  };

  /** What only the newest year's row tells. */
  function situation(rut: number, row: Row, out: CopyLines): void {
    const endedOn = legible.number('end', row.date(at.endedOn));
    out.date(endedOn);
    if (endedOn === BLANK_CELL) out.nulls(1);
    else out.label(row, at.endKind);
    const bracket = row.whole(at.bracket);
    out.whole(legible.number('sales bracket', bracket === 0 || bracket > BRACKETS ? ILLEGIBLE : bracket));
    out.whole(legible.number('number of workers', row.whole(at.workers)));
    const region = row.region(at.region);
    roster.mark(rut, MARK.needsActivity, row.isNone(at.activity));
    roster.mark(rut, MARK.needsPlace, region === null);
    activity(row, at.activity, out);
    out.word(region);
    out.label(row, at.commune);
    out.label(row, at.kind);
  }
};

/** Years before the registry, or well after this was written, are no years. */
const FIRST_YEAR = 1_990;
const LAST_YEAR = 2_100;

/** `620200 - ACTIVIDADES …` → code and text; the text alone where no code leads. */
function activity(row: Row, cell: number, out: CopyLines): void {
  const start = row.start(cell);
  const text = row.afterCode(cell);
  out.whole(text === start ? BLANK_CELL : row.leading(start), CODE_DIGITS);
  if (row.isNone(cell)) out.nulls(1);
  else out.text(row, cell, text);
}

const CODE_DIGITS = 6;

/** Who is not in the nómina is known by name; of the others the list of names may know later dates. */
const names: Reader<'names'> = (at, gathered, legible) => {
  const { roster, subtypes, version } = gathered;
  return (rut, row, rowBytes, out) => {
    if (roster.is(rut, MARK.named)) return;
    roster.mark(rut, MARK.named, true);
    const isNew = !roster.has(rut);
    out.begin(isNew ? version : PARTS.standing, rut, rowBytes);
    out.nulls(1);
    if (isNew) out.text(row, at.name);
    else out.nulls(1);
    out.date(legible.number('start', row.date(at.startedOn)));
    out.nulls(1);
    out.date(legible.number('end', row.date(at.endedOn)));
    out.nulls(7);
    out.word(isNew ? (subtypes.get(row.text(at.subtype)) ?? null) : null);
    out.end();
    if (!isNew) return;
    gathered.companies += 1;
    roster.keep(rut, null);
    roster.mark(rut, MARK.needsActivity, true);
    roster.mark(rut, MARK.needsPlace, true);
  };
};

/** The first activity listed stands for a company whose row has none; all of them tell the text of a code. */
const activities: Reader<'activities'> = (at, { roster, catalogue }, legible) => {
  function tell(part: string, rut: number, code: number, row: Row, rowBytes: number, out: CopyLines): void {
    out.begin(part, rut, rowBytes);
    out.nulls(8);
    out.whole(code, CODE_DIGITS);
    out.text(row, at.activity);
    out.nulls(3);
    out.end();
  }
  return (rut, row, rowBytes, out) => {
    const code = legible.number('code', row.whole(at.code));
    if (code < 0 || code >= catalogue.length || row.isNone(at.activity)) return;
    if (catalogue[code] === 0) tell(PARTS.catalogue, 0, code, row, rowBytes, out);
    catalogue[code] = 1;
    if (roster.is(rut, MARK.needsActivity)) tell(PARTS.activity, rut, code, row, rowBytes, out);
    roster.mark(rut, MARK.needsActivity, false);
  };
};

/** Where a company whose row names no region says that it is now. Streets are not read. */
const domiciles: Reader<'domiciles'> = (at, { roster }, legible) => {
  return (rut, row, rowBytes, out) => {
    if (!roster.is(rut, MARK.needsPlace) || row.text(at.inForce) !== 'S') return;
    const region = row.region(at.region);
    if (region === null && row.isNone(at.commune)) return;
    out.begin(PARTS.place, rut, rowBytes);
    out.nulls(2);
    out.date(legible.number('date', row.date(at.since)));
    out.nulls(7);
    out.word(region);
    out.label(row, at.commune);
    out.nulls(1);
    out.end();
  };
};

export const READERS: { readonly [T in Table]: Reader<T> } = { companies, names, activities, domiciles };
