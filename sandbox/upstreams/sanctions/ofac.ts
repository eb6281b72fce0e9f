import { stringify } from 'csv-stringify/sync';
import { americanDate, lastDay } from '../../world/calendar.ts';
import { branch, fileReply, leaf, type Published, type Simulator, zipped } from '../simulator.ts';
import { type OfacAlias, type OfacId, type OfacParty, ofacParties } from './ofac-parties.ts';

/** Returns the last publication date. OFAC publishes about twice a week, the simulator on Tuesdays and Thursdays. */
const publishedOn = (now: number): number => lastDay(now, (day) => day.getUTCDay() === 2 || day.getUTCDay() === 4);

/** True for a user agent that looks like a browser: `Mozilla/<digit>` and at least 40 characters. The host answers only such agents. */
const looksLikeBrowser = (userAgent = ''): boolean => /^Mozilla\/\d/.test(userAgent) && userAgent.length >= 40;

/** The files of one of OFAC's lists: names in capitals. */
interface OfacFiles {
  readonly xml: string;
  readonly zip?: string;
  readonly csvFiles: Readonly<Record<string, (parties: readonly OfacParty[]) => string[]>>;
}

/**
 * OFAC's list service: `GET /{file}`, names in any case. The list as xml, the same zipped, and csv files.
 * 403 for agents that do not look like a browser.
 */
export const ofacSimulator = (name: string, parties: readonly OfacParty[], { xml, zip, csvFiles }: OfacFiles): Simulator => ({
  name,
  handle({ path, headers, now }) {
    if (!looksLikeBrowser(headers['user-agent']))
      return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><title>403 Forbidden</title></html>' };
    const file = path.slice(1).toUpperCase();
    const version = publishedOn(now);
    const rows = csvFiles[file]?.(parties);
    if (rows) return fileReply('text/csv', csvOf(rows), version);
    if (file === xml) return fileReply('application/xml', listOf(parties, version), version);
    if (file === zip)
      return fileReply('application/zip', { ...listOf(parties, version), pack: (bytes) => zipped(xml, bytes, version) }, version);
    return { status: 404, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>NoSuchKey</Code></Error>' };
  },
});

const listOf = (parties: readonly OfacParty[], version: number): Published => ({
  format: 'xml',
  rows: parties.map(sdnEntry),
  frame: (entries) => sdnXml(americanDate(version), entries),
  renameRequired: (text) => text.replaceAll('sdnEntry>', 'party>'),
  charset: 'utf-8',
});

/** Creates a csv file. The files have no header, so the fault removes the first column. */
const csvOf = (rows: readonly string[]): Published => ({
  format: 'csv',
  rows,
  frame: csvFile,
  renameRequired: (text) => text.replace(/^\d+,/gm, ''),
  charset: 'utf-8',
});

/** XML namespace since May 2024. */
const NAMESPACE = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML';

/** Wraps the entries into the list. `publishedOn` is MM/DD/YYYY; the misspelt element is OFAC's. */
export const sdnXml = (publishedOn: string, entries: readonly string[]): string =>
  `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NAMESPACE}">
  <publshInformation>
    <Publish_Date>${publishedOn}</Publish_Date>
    <Record_Count>${entries.length}</Record_Count>
  </publshInformation>
${entries.join('')}</sdnList>
`;

/** Writes one `sdnEntry`, with its elements in the order of the schema. */
export function sdnEntry(party: OfacParty): string {
  const items = '      ';
  const inner = '        ';
  const uid = (i: number): string => leaf('uid', String(party.uid * 10 + i), inner);
  const ids = party.ids.map((id, i) =>
    branch(
      'id',
      uid(i) + leaf('idType', id.type, inner) + leaf('idNumber', id.number, inner) + leaf('idCountry', id.country ?? '', inner),
      items,
    ),
  );
  const aliases = party.aliases.map(({ kind, name, weak }, i) =>
    branch(
      'aka',
      uid(i) + leaf('type', kind, inner) + leaf('category', weak ? 'weak' : 'strong', inner) + leaf('lastName', name, inner),
      items,
    ),
  );
  const addresses = party.addresses.map(({ street, city, country }, i) =>
    branch('address', uid(i) + leaf('address1', street, inner) + leaf('city', city, inner) + leaf('country', country, inner), items),
  );
  const field = (name: string, text: string): string => leaf(name, text, '    ');
  const list = (name: string, children: readonly string[]): string => branch(name, children.join(''), '    ');
  return branch(
    'sdnEntry',
    field('uid', String(party.uid)) +
      field('firstName', party.givenName) +
      field('lastName', party.name) +
      field('title', party.title) +
      field('sdnType', party.type) +
      field('remarks', party.remarks.join('; ')) +
      list(
        'programList',
        party.programs.map((program) => leaf('program', program, items)),
      ) +
      list('idList', ids) +
      list('akaList', aliases) +
      list('addressList', addresses) +
      list(
        'nationalityList',
        party.nationalities.map((country, i) => branch('nationality', uid(i) + leaf('country', country, inner), items)),
      ) +
      list(
        'dateOfBirthList',
        party.births.map((date, i) => branch('dateOfBirthItem', uid(i) + leaf('dateOfBirth', date, inner), items)),
      ) +
      list('vesselInfo', vesselInfo(party)),
    '  ',
  );
}

const VESSEL_FIELDS = ['callSign', 'vesselType', 'vesselFlag', 'vesselOwner', 'tonnage', 'grossRegisteredTonnage'];

const vesselInfo = ({ vessel }: OfacParty): string[] => (vessel ?? []).map((text, i) => leaf(VESSEL_FIELDS[i] ?? '', text, '      '));

/** Length at which `Remarks` is cut, in the middle of a word. The rest is in SDN_COMMENTS.CSV. */
const REMARKS_LIMIT = 1_000;

/** The files beside the XML: no header, `-0- ` for null, CRLF, 0x1A at the very end. */
export const CSV_FILES = csvFilesOf('SDN.CSV', '', 'SDN_COMMENTS.CSV');

/** Returns the csv files of a list. @param prefix beginning of the names of the files of aliases and addresses */
export function csvFilesOf(main: string, prefix: string, comments: string): OfacFiles['csvFiles'] {
  return {
    [main]: (parties) => parties.map(sdnRow),
    [`${prefix}ALT.CSV`]: (parties) => parties.flatMap(altRows),
    [`${prefix}ADD.CSV`]: (parties) => parties.flatMap(addressRows),
    [comments]: (parties) => parties.flatMap(commentRows),
  };
}

export const ofacSdnSimulator = ofacSimulator('OFAC_SDN', ofacParties, { xml: 'SDN.XML', zip: 'SDN_XML.ZIP', csvFiles: CSV_FILES });

export const csvFile = (rows: readonly string[]): string => `${rows.join('')}\x1A`;

/** Writes a row. Several programs share a cell as `A] [B`. Entities have no type. */
function sdnRow(party: OfacParty): string {
  const [callSign = '', type = '', flag = '', owner = '', tonnage = '', gross = ''] = party.vessel ?? [];
  const name = party.givenName ? `${party.name}, ${party.givenName}` : party.name;
  const kind = party.type === 'Entity' ? '' : party.type.toLowerCase();
  return row(
    [party.uid],
    [
      name,
      kind,
      party.programs.join('] ['),
      party.title,
      callSign,
      type,
      tonnage,
      gross,
      flag,
      owner,
      remarks(party).slice(0, REMARKS_LIMIT),
    ],
  );
}

const altRows = (party: OfacParty): string[] =>
  party.aliases
    .filter(({ weak }) => !weak)
    .map(({ kind, name }, i) => row([party.uid, party.uid * 10 + i], [kind.replaceAll('.', ''), name, '']));

const addressRows = (party: OfacParty): string[] =>
  party.addresses.map(({ street, city, country }, i) => row([party.uid, party.uid * 10 + i], [street, city, country, '']));

function commentRows(party: OfacParty): string[] {
  const rest = remarks(party).slice(REMARKS_LIMIT);
  return rest ? [row([party.uid], [rest])] : [];
}

function remarks({ births, nationalities, remarks: pieces, aliases, ids }: OfacParty): string {
  const dates = births.map((date, i) => `${i > 0 ? 'alt. ' : ''}DOB ${date}`);
  const all = [
    ...dates,
    ...nationalities.map((country) => `nationality ${country}`),
    ...pieces,
    ...aliases.filter(({ weak }) => weak).map(quotedAlias),
    ...ids.map(printedId),
  ];
  return all.length ? `${all.join('; ')}.` : '';
}

const quotedAlias = ({ kind, name }: OfacAlias): string => `${kind} '${name}'`;
const printedId = ({ type, number, country }: OfacId): string => `${type} ${number}${country === null ? '' : ` (${country})`}`;

/** Writes one csv row: numbers bare, text quoted. */
const row = (numbers: readonly number[], cells: readonly string[]): string =>
  stringify([[...numbers, ...cells.map((cell) => cell || null)]], {
    quoted_string: true,
    cast: { null: () => ({ value: '-0- ', quoted_string: false }) },
    record_delimiter: '\r\n',
  });
