import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { columnName, isBlankRow, readColumns } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import type { SanctionsEntry } from './entry.ts';
import { IdFloors } from './id-floors.ts';
import { listDate } from './list-dates.ts';
import { toUkEntry, UkParty, type UkRow } from './uk-party.ts';

/** The needed columns: our name → the publisher's. */
const COLUMNS = {
  uid: 'Unique ID',
  name6: 'Name 6',
  name1: 'Name 1',
  name2: 'Name 2',
  name3: 'Name 3',
  name4: 'Name 4',
  name5: 'Name 5',
  nameType: 'Name type',
  aliasStrength: 'Alias strength',
  otherScript: 'Name non-latin script',
  regime: 'Regime Name',
  kind: 'Designation Type',
  measures: 'Sanctions Imposed',
  country: 'Address Country',
  designatedOn: 'Date Designated',
  birth: 'D.O.B',
  nationality: 'Nationality(/ies)',
  registrations: 'Business registration number(s)',
} as const satisfies Readonly<Record<keyof UkRow, string>>;

/** Names that earlier versions of the file have for a column. */
const EARLIER_NAMES: Readonly<Record<string, string>> = { 'INDIVIDUAL, ENTITY, SHIP': COLUMNS.kind };

/** Maximum number of lines before the header. The file has one, with the date of the report. */
const MAX_LINES_BEFORE = 10;

/** Minimum share of parties whose assets are frozen, in files of at least 300 parties. All but a few per cent of the real list are. */
const MIN_FROZEN = 0.5;
const MIN_PARTIES = 300;

/**
 * Reads the list as csv: one row per name and address of a party. The rows of a party need not follow each other, so that all are in memory
 * before the first one is yielded.
 * @throws ListFileError for a missing column, a row of another width, an unknown kind of party, and a list that has lost its aliases or
 * its measures
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  if (file.format !== 'csv') throw new ListFileError(`the list is published as csv, not ${file.format}`);
  const { parties, publishedOn } = await readParties(file);
  const floors = new IdFloors(null);
  let frozen = 0;
  for (const party of parties) {
    const { entry, ids } = toUkEntry(party);
    floors.add(entry.record, ids);
    if (entry.record.effect === 'blocking') frozen += 1;
    yield entry;
  }
  floors.assertReached();
  if (parties.length >= MIN_PARTIES && frozen < parties.length * MIN_FROZEN) {
    throw new ListFileError(`the assets of ${frozen} of ${parties.length} parties are frozen`);
  }
  return { publishedOn: publishedOn ?? file.lastModified, rowsRead: parties.length, rowsSkipped: 0, rowsUnmatched: floors.unread };
}

async function readParties(file: ListFile): Promise<{ readonly parties: readonly UkParty[]; readonly publishedOn: string | null }> {
  const parties = new Map<string, UkParty>();
  let publishedOn: string | null = null;
  let cellsOf: ((row: readonly string[]) => UkRow) | null = null;
  let linesBefore = 0;
  for await (const row of file.rows({ delimiter: ',', relaxColumns: true })) {
    if (isBlankRow(row)) continue;
    if (cellsOf) {
      const cells = cellsOf(row);
      const party = parties.get(cells.uid) ?? new UkParty(cells);
      parties.set(cells.uid, party);
      party.add(cells);
    } else if (row.some((cell) => columnName(cell) === columnName(COLUMNS.uid))) {
      cellsOf = readColumns(row.map(currentName), COLUMNS);
    } else {
      linesBefore += 1;
      publishedOn ??= reportDate(row.join(' '));
      if (linesBefore > MAX_LINES_BEFORE) break;
    }
  }
  if (!cellsOf) throw new ListFileError(`no line has the column ${COLUMNS.uid}`);
  return { parties: [...parties.values()], publishedOn };
}

/** Returns the name of a column in the current version, with one way to write its parentheses. */
const currentName = (cell: string): string => {
  const name = columnName(cell).replaceAll(' (', '(');
  return EARLIER_NAMES[name] ?? name;
};

const REPORT_DATE = 'REPORT DATE:';

/** Reads `Report Date: 08-Oct-2026`; null for another line. @throws ListFileError for a date in another form */
function reportDate(line: string): string | null {
  const text = columnName(line);
  if (!text.startsWith(REPORT_DATE)) return null;
  const date = listDate(text.slice(REPORT_DATE.length));
  if (date === null) throw new ListFileError('the date of the report is not readable');
  return date;
}

export const ukSanctionsSpec: RegistrySpec<SanctionsEntry> = {
  name: 'UK_SANCTIONS',
  attribution:
    'UK Foreign, Commonwealth and Development Office: UK Sanctions List, public sector information licensed under the Open Government Licence v3.0.',
  setting: 'QUIPU_UK_SANCTIONS_URL',
  address: {
    live: 'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv',
    sandbox: '/uk_sanctions/UK-Sanctions-List.csv',
    description: 'UK Sanctions List of the FCDO: csv, zipped or not. The list of OFSI was closed in January 2026 and is not read.',
    optional: true,
  },
  schemaVersion: 2,
  guard: { minRows: 4_000, maxRows: 9_500, maxShrink: 0.05, maxGrowth: 0.15 },
  everyMs: 4 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  maxAgeMs: 30 * DAY_MS,
  read,
};

export const ukSanctions = defineRegistry(ukSanctionsSpec);
