import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { Edition, ListEntry } from '../../../sources/registry/registry.ts';
import { type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { below, textBelow, textsBelow, type XmlElement, xmlRecords } from './xml-records.ts';

const KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  Entity: 'entity',
  Individual: 'individual',
  Vessel: 'vessel',
  Aircraft: 'aircraft',
};

/** What a party and its ids may consist of. Another name may hide an id, and a party without its id would look clean. */
const PARTY = new Set([
  ...['uid', 'firstName', 'lastName', 'title', 'sdnType', 'remarks', 'programList', 'idList', 'akaList', 'addressList'],
  ...['nationalityList', 'citizenshipList', 'dateOfBirthList', 'placeOfBirthList', 'vesselInfo'],
]);
const ID = new Set(['uid', 'idType', 'idNumber', 'idCountry', 'issueDate', 'expirationDate']);

/**
 * Reads `SDN.XML` as a stream.
 * @throws ListFileError for a document that is not well-formed to `</sdnList>`, holds parts we do not know, or whose
 * `Record_Count`, where it states one, is not the number of its parties
 */
export async function* readOfacXml(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, Edition, void> {
  let header: XmlElement | null = null;
  const uids = new Uids();
  let rowsRead = 0;
  for await (const { path, element } of xmlRecords(file, 'sdnList', 1)) {
    if (path === 'sdnList/publshInformation') header = element;
    if (path !== 'sdnList/sdnEntry') continue;
    rowsRead += 1;
    const party = readParty(element);
    uids.add(party.id);
    yield party;
  }
  const count = header && textBelow(header, 'Record_Count');
  if (count !== null && count !== String(rowsRead)) throw new ListFileError(`Record_Count is ${count}, the file holds ${rowsRead} parties`);
  return { publishedOn: publishDate(header), rowsRead, rowsSkipped: 0 };
}

function readParty(party: XmlElement): ListEntry<SanctionsEntry> {
  only(party, PARTY);
  for (const list of below(party, 'idList')) only(list, new Set(['id']));
  for (const id of below(party, 'idList', 'id')) only(id, ID);
  const uid = textBelow(party, 'uid');
  const name = fullName(party);
  const kind = KINDS[textBelow(party, 'sdnType') ?? ''];
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
  return toEntry({ uid, kind, name, aliases, programs, countries, reference: null }, ids);
}

function only(element: XmlElement, known: ReadonlySet<string>): void {
  const stranger = element.children.find(({ name }) => !known.has(name));
  if (stranger) throw new ListFileError(`${element.name} holds ${stranger.name}, which is not of the format`);
}

/** The whole name of an entity stands in `lastName`; people are `FAMILY, Given`, as in the csv. */
const fullName = (element: XmlElement): string =>
  [textBelow(element, 'lastName'), textBelow(element, 'firstName')].filter((part) => part !== null).join(', ');

/** `MM/DD/YYYY` → ISO date. */
function publishDate(header: XmlElement | null): string | null {
  const parts = header && /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(textBelow(header, 'Publish_Date') ?? '');
  return parts ? `${parts[3]}-${parts[1]}-${parts[2]}` : null;
}
