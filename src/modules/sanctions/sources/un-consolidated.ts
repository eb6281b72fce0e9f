import { DAY_MS, HOUR_MS, isIsoDate } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { requireAliases, requireCompanies } from './id-floors.ts';
import { addressLine, detailsOf } from './party-details.ts';
import { below, textBelow, textsBelow, type XmlElement, xmlRecords } from './xml-records.ts';

/** Number of companies of which at least one has an alias. Of 273 in November 2025, 151 have one. */
const MIN_COMPANIES = 50;

const KINDS: Readonly<Record<string, 'individual' | 'entity'>> = {
  'CONSOLIDATED_LIST/INDIVIDUALS/INDIVIDUAL': 'individual',
  'CONSOLIDATED_LIST/ENTITIES/ENTITY': 'entity',
};

/**
 * Reads the consolidated list as a stream. The list has no tax ids of companies, so its entries have no keys.
 * @throws ListFileError for a document that is not well-formed up to `</CONSOLIDATED_LIST>`, has parties of an unknown kind, or has lost its
 * companies or aliases
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  if (file.format !== 'xml') throw new ListFileError(`the list is published as xml, not ${file.format}`);
  let generated: string | null = null;
  const uids = new Uids();
  let rowsRead = 0;
  const aliases = { individual: 0, entity: 0 };
  let companies = 0;
  for await (const { path, element } of xmlRecords(file, 'CONSOLIDATED_LIST', 2)) {
    if (path === 'CONSOLIDATED_LIST') {
      generated = element.attributes.dateGenerated?.slice(0, 10) ?? null;
      continue;
    }
    const kind = KINDS[path];
    if (!kind) throw new ListFileError(`${path} is not part of the format`);
    rowsRead += 1;
    const party = readParty(kind, element);
    uids.add(party.id);
    aliases[kind] += party.record.aliases.length;
    if (kind === 'entity') companies += 1;
    yield party;
  }
  requireCompanies(rowsRead, companies);
  requireAliases(rowsRead, aliases.individual + aliases.entity);
  // Companies and people have aliases in elements of their own, of which one may be renamed.
  if (companies >= MIN_COMPANIES && aliases.entity === 0) throw new ListFileError('no company has an alias');
  return { publishedOn: generated && isIsoDate(generated) ? generated : null, rowsRead, rowsSkipped: 0 };
}

/** The parts of an address besides the country, in the order of a line. */
const ADDRESS = ['STREET', 'CITY', 'STATE_PROVINCE', 'ZIP_CODE'] as const;

function readParty(kind: 'individual' | 'entity', party: XmlElement): ListEntry<SanctionsEntry> {
  const prefix = kind === 'entity' ? 'ENTITY' : 'INDIVIDUAL';
  const uid = textBelow(party, 'DATAID');
  const name = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'].flatMap((part) => textBelow(party, part) ?? []).join(' ');
  if (!uid || !name) throw new ListFileError('a party has no DATAID or no name');
  // A party without an alias has an empty placeholder.
  const aliases = below(party, `${prefix}_ALIAS`).flatMap((alias) => {
    const text = textBelow(alias, 'ALIAS_NAME');
    const quality = textBelow(alias, 'QUALITY') ?? 'a.k.a.';
    return text ? [{ name: text, type: quality, weak: quality === 'Low' }] : [];
  });
  const countries = [...new Set(textsBelow(party, `${prefix}_ADDRESS`, 'COUNTRY'))];
  const programs = textsBelow(party, 'UN_LIST_TYPE');
  const nationalities = [...new Set(textsBelow(party, 'NATIONALITY', 'VALUE'))];
  const datesOfBirth = [...new Set(below(party, 'INDIVIDUAL_DATE_OF_BIRTH').flatMap((date) => dateOfBirth(date) ?? []))];
  const reference = textBelow(party, 'REFERENCE_NUMBER');
  const details = detailsOf(kind, {
    addresses: below(party, 'ENTITY_ADDRESS').map((address) =>
      addressLine(
        ADDRESS.map((part) => textBelow(address, part)),
        textBelow(address, 'COUNTRY'),
      ),
    ),
    foundationDates: [],
    remarks: textBelow(party, 'COMMENTS1'),
  });
  return toEntry({ uid, kind, name, aliases, programs, countries, nationalities, datesOfBirth, reference, ...details }, []);
}

/**
 * Reads a date, a year, `1960 to 1962`, or the list's note, with `circa` before an approximate one. It returns null for an empty element.
 */
function dateOfBirth(element: XmlElement): string | null {
  const [from, to] = [textBelow(element, 'FROM_YEAR'), textBelow(element, 'TO_YEAR')];
  const years = from && to ? `${from} to ${to}` : null;
  const date = textBelow(element, 'DATE') ?? textBelow(element, 'YEAR') ?? years ?? textBelow(element, 'NOTE');
  return date && textBelow(element, 'TYPE_OF_DATE') === 'APPROXIMATELY' ? `circa ${date}` : date;
}

export const unConsolidatedSpec: RegistrySpec<SanctionsEntry> = {
  name: 'UN_CONSOLIDATED',
  attribution: 'United Nations Security Council: Consolidated List, published for implementation by Member States.',
  setting: 'QUIPU_UN_URL',
  address: {
    live: 'https://scsanctions.un.org/resources/xml/en/consolidated.xml',
    sandbox: '/un_consolidated/consolidated.xml',
    description: 'UN Security Council consolidated list: xml, zipped or not.',
  },
  schemaVersion: 4,
  guard: { minRows: 500, maxShrink: 0.05, maxGrowth: 0.6 },
  everyMs: 4 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  read,
};

export const unConsolidated = defineRegistry(unConsolidatedSpec);
