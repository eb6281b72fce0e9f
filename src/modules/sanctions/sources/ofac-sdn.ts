import { DAY_MS, HOUR_MS, isIsoDate } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { type PrintedId, type SanctionsAlias, type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { IdFloors } from './id-floors.ts';
import { PRINTED_TYPES } from './list-tax-ids.ts';
import { below, textBelow, textsBelow, type XmlElement, xmlRecords } from './xml-records.ts';

const CSV_KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  '': 'entity',
  individual: 'individual',
  vessel: 'vessel',
  aircraft: 'aircraft',
};
const ALIAS_TYPES: Readonly<Record<string, string>> = { aka: 'a.k.a.', fka: 'f.k.a.', nka: 'n.k.a.' };

/** The publisher truncates remarks at this length, within a word; `sdn_comments.csv` has the rest. */
const REMARKS_LENGTH = 1000;

/**
 * Reads `sdn.csv`, with `alt.csv` (strong aliases), `add.csv` (countries) and `sdn_comments.csv` (the rest of long remarks)
 * where they are available. Ids and weak aliases are in the remarks. The csv has no publication date.
 * @throws ListFileError for a row without twelve columns and a number in the first
 */
async function* readOfacCsv(file: ListFile, floors: IdFloors): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  const lost = { records: 0 };
  const aliases = await readCompanion(file, 'alt.csv', 5, lost, ([, , type = '', name = '']) => ({
    name,
    type: ALIAS_TYPES[type] ?? type,
    weak: false,
  }));
  const countries = await readCompanion(file, 'add.csv', 6, lost, ([, , , , country = '']) => country);
  const overflow = await readCompanion(file, 'sdn_comments.csv', 2, lost, ([, text = '']) => text);
  const uids = new Uids();
  let rowsRead = 0;
  for await (const row of partyRows(file, 12, refuseLost)) {
    const [uid = '', name = '', type = '', program = ''] = row;
    const kind = CSV_KINDS[type];
    if (!name || !kind) throw new ListFileError('a party has no name or an unknown type');
    uids.add(uid);
    rowsRead += 1;
    const pieces = remarkPieces(row[11] ?? '', overflow.get(uid)?.join(''));
    const ids = pieces.flatMap(printedId);
    const entry = toEntry(
      {
        uid,
        kind,
        name,
        aliases: [...(aliases.get(uid) ?? []), ...pieces.flatMap(weakAlias)],
        programs: program.split(/\]\s*\[/).filter(Boolean),
        countries: [...new Set(countries.get(uid))].filter(Boolean),
        nationalities: kind === 'individual' ? personalRemarks(pieces, /^(?:alt\. )?(?:nationality|citizen) (.+)$/) : [],
        datesOfBirth: kind === 'individual' ? personalRemarks(pieces, /^(?:alt\. )?DOB (.+)$/) : [],
        reference: null,
      },
      ids,
    );
    floors.add(entry.record, ids);
    yield entry;
  }
  return { publishedOn: file.lastModified, rowsRead, rowsSkipped: 0, rowsUnmatched: lost.records };
}

/** Refuses the file, because a party that was skipped would look clean. */
function refuseLost(): never {
  throw new ListFileError('a row has quotes that are not doubled, and its cells cannot be told apart');
}

/**
 * Yields the rows about parties, those with quotes that are not doubled included, with `-0-` replaced by the empty text.
 * @throws ListFileError for a row of another width or without the number of a party, and for a truncated last row: one that ends before
 * its last cell, which is never empty, or within the `-0-` of that cell
 */
async function* partyRows(file: ListFile, width: number, onLost: () => void): AsyncGenerator<readonly string[]> {
  let ending: string | undefined;
  for await (const row of file.rows({ delimiter: ',', relaxColumns: true, recovery: { width, onLost } })) {
    if (row.length !== width) throw new ListFileError(`a row has ${row.length} cells, not ${width}`);
    if (!/^\d+$/.test(row[0] ?? '')) throw new ListFileError('a row does not start with the number of a party');
    ending = row.at(-1);
    yield row.map((cell) => (cell === '-0-' ? '' : cell));
  }
  if (ending === '' || ending === '-' || ending === '-0') throw new ListFileError('the last row is truncated');
}

/** Maximum share of skipped records in a file beside the list. */
const MAX_LOST = 0.01;

/**
 * Reads a file published beside the list, by party; empty where it does not exist. Rows of parties no longer listed have no effect. Adds the
 * records that cannot be read to `lost`.
 * @throws ListFileError for more than 1 % of them
 */
async function readCompanion<T>(
  file: ListFile,
  name: string,
  width: number,
  lost: { records: number },
  read: (row: readonly string[]) => T,
): Promise<Map<string, T[]>> {
  const byParty = new Map<string, T[]>();
  const companion = await file.companion(name);
  if (!companion) return byParty;
  let rows = 0;
  let unread = 0;
  const onLost = () => {
    unread += 1;
  };
  for await (const row of partyRows(companion, width, onLost)) {
    rows += 1;
    const known = byParty.get(row[0] ?? '');
    if (known) known.push(read(row));
    else byParty.set(row[0] ?? '', [read(row)]);
  }
  if (unread > (rows + unread) * MAX_LOST) throw new ListFileError(`${unread} of ${rows + unread} rows of ${name} are malformed`);
  lost.records += unread;
  return byParty;
}

/** Splits remarks and their continuation. Drops the last piece when the continuation is missing, because it is truncated. */
function remarkPieces(remarks: string, rest: string | undefined): string[] {
  const truncated = remarks.length >= REMARKS_LENGTH;
  const pieces = (remarks + (truncated ? (rest ?? '') : '')).replace(/\.$/, '').split('; ');
  return truncated && rest === undefined ? pieces.slice(0, -1) : pieces;
}

/** Parses `a.k.a. 'BNC'`, an alias that the publisher marks as weak. */
function weakAlias(piece: string): SanctionsAlias[] {
  const [, type = '', name = ''] = /^([afn]\.k\.a\.) '(.+)'$/.exec(piece) ?? [];
  return name ? [{ name, type, weak: true }] : [];
}

/** Returns the values of remarks of one form, each once: `DOB 02 Feb 1980`, `alt. DOB 1981` → both dates. */
const personalRemarks = (pieces: readonly string[], form: RegExp): readonly string[] => [
  ...new Set(pieces.flatMap((piece) => form.exec(piece)?.[1] ?? [])),
];

/** Parses `[alt. ]<type> <number>[ (<country>)][ issued …| expires …]`. It returns an empty list for another remark. */
function printedId(piece: string): PrintedId[] {
  const [whole = ''] = piece.replace(/^alt\. /, '').split(/ (?:issued|expires) /i, 1);
  const [, body = whole, country = null] = /^(.*) \(([^()]*)\)$/.exec(whole) ?? [];
  const known = PRINTED_TYPES.find((one) => body.startsWith(`${one} `));
  const type = known ?? (/^(.{1,100}?)(?= #?\S{0,100}\d)/.exec(body) ?? /^([A-Za-z][A-Za-z. ]{1,40}?)(?=\W{0,3}\d)/.exec(body))?.[1];
  return type === undefined ? [] : [{ type, value: body.slice(type.length).trim(), country }];
}

const XML_KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  Entity: 'entity',
  Individual: 'individual',
  Vessel: 'vessel',
  Aircraft: 'aircraft',
};

/**
 * The known elements of a party, an alias and an id. The reader rejects others: an unknown element could hold an id or a name, and without
 * it the party would not be found.
 */
const PARTY = new Set([
  ...['uid', 'firstName', 'lastName', 'title', 'sdnType', 'remarks', 'programList', 'idList', 'akaList', 'addressList'],
  ...['nationalityList', 'citizenshipList', 'dateOfBirthList', 'placeOfBirthList', 'vesselInfo'],
]);
const ALIAS = new Set(['uid', 'type', 'category', 'lastName', 'firstName']);
const ID = new Set(['uid', 'idType', 'idNumber', 'idCountry', 'issueDate', 'expirationDate']);

/**
 * Reads `SDN.XML` as a stream.
 * @throws ListFileError for a document that is not well-formed up to `</sdnList>`, has unknown elements, or whose `Record_Count`, if
 * stated, differs from the number of its parties
 */
async function* readOfacXml(file: ListFile, floors: IdFloors): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  let header: XmlElement | null = null;
  const uids = new Uids();
  let rowsRead = 0;
  for await (const { path, element } of xmlRecords(file, 'sdnList', 1)) {
    if (path === 'sdnList/publshInformation') header = element;
    if (path !== 'sdnList/sdnEntry') continue;
    rowsRead += 1;
    const party = readParty(element, floors);
    uids.add(party.id);
    yield party;
  }
  const count = header && textBelow(header, 'Record_Count');
  if (count !== null && count !== String(rowsRead)) throw new ListFileError(`Record_Count is ${count}, the file holds ${rowsRead} parties`);
  return { publishedOn: publishDate(header), rowsRead, rowsSkipped: 0 };
}

function readParty(party: XmlElement, floors: IdFloors): ListEntry<SanctionsEntry> {
  allowOnly(party, PARTY);
  for (const list of below(party, 'idList')) allowOnly(list, new Set(['id']));
  for (const id of below(party, 'idList', 'id')) allowOnly(id, ID);
  for (const alias of below(party, 'akaList', 'aka')) allowOnly(alias, ALIAS);
  const uid = textBelow(party, 'uid');
  const name = fullName(party);
  const kind = XML_KINDS[textBelow(party, 'sdnType') ?? ''];
  if (!uid || !name || !kind) throw new ListFileError('a party has no uid, no name or an unknown type');
  const aliases = below(party, 'akaList', 'aka').flatMap((aka) => {
    const alias = fullName(aka);
    return alias ? [{ name: alias, type: textBelow(aka, 'type') ?? 'a.k.a.', weak: textBelow(aka, 'category') === 'weak' }] : [];
  });
  const ids = below(party, 'idList', 'id').map((id) => ({
    type: textBelow(id, 'idType') ?? '',
    value: textBelow(id, 'idNumber') ?? '',
    country: textBelow(id, 'idCountry'),
  }));
  const programs = textsBelow(party, 'programList', 'program');
  const countries = [...new Set(textsBelow(party, 'addressList', 'address', 'country'))];
  const nationalities = [
    ...textsBelow(party, 'nationalityList', 'nationality', 'country'),
    ...textsBelow(party, 'citizenshipList', 'citizenship', 'country'),
  ];
  const datesOfBirth = [...new Set(textsBelow(party, 'dateOfBirthList', 'dateOfBirthItem', 'dateOfBirth'))];
  const person = { nationalities: [...new Set(nationalities)], datesOfBirth };
  const entry = toEntry({ uid, kind, name, aliases, programs, countries, ...person, reference: null }, ids);
  floors.add(entry.record, ids);
  return entry;
}

function allowOnly(element: XmlElement, known: ReadonlySet<string>): void {
  const unknown = element.children.find(({ name }) => !known.has(name));
  if (unknown) throw new ListFileError(`${element.name} holds ${unknown.name}, which is not part of the format`);
}

/** Returns the full name: the `lastName` of an entity, `FAMILY, Given` of a person as in the csv. */
const fullName = (element: XmlElement): string =>
  [textBelow(element, 'lastName'), textBelow(element, 'firstName')].filter((part) => part !== null).join(', ');

/** Converts `MM/DD/YYYY` to an ISO date; null if the list states none. @throws ListFileError for another text */
function publishDate(header: XmlElement | null): string | null {
  const printed = header && textBelow(header, 'Publish_Date');
  if (printed === null) return null;
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(printed) ?? [];
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  if (!isIsoDate(date)) throw new ListFileError('Publish_Date is not written MM/DD/YYYY');
  return date;
}

/** Reads the list as xml or csv. Both have the same parties. @throws ListFileError */
async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  const floors = new IdFloors();
  const summary = yield* readerOf(file, floors);
  floors.assertReached();
  return { ...summary, rowsUnmatched: floors.unread + (summary.rowsUnmatched ?? 0) };
}

function readerOf(file: ListFile, floors: IdFloors): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  if (file.format === 'xml') return readOfacXml(file, floors);
  if (file.format === 'csv') return readOfacCsv(file, floors);
  throw new ListFileError(`the list is published as xml or csv, not ${file.format}`);
}

export const ofacSdnSpec: RegistrySpec<SanctionsEntry> = {
  name: 'OFAC_SDN',
  attribution:
    'US Department of the Treasury, Office of Foreign Assets Control: Specially Designated Nationals list, a US government work in the public domain.',
  setting: 'QUIPU_OFAC_SDN_URL',
  address: {
    live: 'https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP',
    sandbox: '/ofac_sdn/SDN_XML.ZIP',
    description: 'OFAC SDN list: SDN.XML, or sdn.csv with alt.csv and sdn_comments.csv in the same folder, zipped or not.',
  },
  schemaVersion: 3,
  guard: { minRows: 10_000, maxShrink: 0.05, maxGrowth: 0.15 },
  everyMs: 2 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  members: ['sdn.xml', 'sdn.csv'],
  redirectHosts: ['wc2h-sls-prod-public-published.s3.us-gov-west-1.amazonaws.com'],
  read,
};

export const ofacSdn = defineRegistry(ofacSdnSpec);
