import { isIsoDate } from '../../../domain/time.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary } from '../../../sources/registry/registry.ts';
import { type SanctionsEntry, toEntry, Uids } from './entry.ts';
import type { IdFloors } from './id-floors.ts';
import type { OfacList } from './ofac-list.ts';
import { addressLine, detailsOf } from './party-details.ts';
import { allowOnly, below, textBelow, textsBelow, type XmlElement, xmlRecords } from './xml-records.ts';

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
/** The parts of an address besides the country, in the order of a line. */
const ADDRESS = ['address1', 'address2', 'address3', 'city', 'stateOrProvince', 'postalCode'] as const;
const ALIAS = new Set(['uid', 'type', 'category', 'lastName', 'firstName']);
const ID = new Set(['uid', 'idType', 'idNumber', 'idCountry', 'issueDate', 'expirationDate']);

/**
 * Reads the xml as a stream.
 * @throws ListFileError for a document that is not well-formed up to `</sdnList>`, has unknown elements, or whose `Record_Count`, if
 * stated, differs from the number of its parties
 */
export async function* readOfacXml(
  file: ListFile,
  list: OfacList,
  floors: IdFloors,
): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  let header: XmlElement | null = null;
  const uids = new Uids();
  let rowsRead = 0;
  for await (const { path, element } of xmlRecords(file, 'sdnList', 1)) {
    if (path === 'sdnList/publshInformation') header = element;
    if (path !== 'sdnList/sdnEntry') continue;
    rowsRead += 1;
    const party = readParty(element, list, floors);
    uids.add(party.id);
    yield party;
  }
  const count = header && textBelow(header, 'Record_Count');
  if (count !== null && count !== String(rowsRead)) throw new ListFileError(`Record_Count is ${count}, the file holds ${rowsRead} parties`);
  return { publishedOn: publishDate(header), rowsRead, rowsSkipped: 0 };
}

function readParty(party: XmlElement, { termsOf }: OfacList, floors: IdFloors): ListEntry<SanctionsEntry> {
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
  const details = detailsOf(kind, {
    addresses: below(party, 'addressList', 'address').map((address) =>
      addressLine(
        ADDRESS.map((part) => textBelow(address, part)),
        textBelow(address, 'country'),
      ),
    ),
    foundationDates: ids.filter(({ type }) => type === 'Organization Established Date').map(({ value }) => value),
    remarks: textBelow(party, 'remarks'),
  });
  const terms = { ...termsOf?.(programs), ...details };
  const entry = toEntry({ uid, kind, name, aliases, programs, countries, ...person, reference: null, ...terms }, ids);
  floors.add(entry.record, ids);
  return entry;
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
