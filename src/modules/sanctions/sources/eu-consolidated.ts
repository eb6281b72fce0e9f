import { storable } from '../../../domain/text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { BLOCKED } from '../domain.ts';
import { type PrintedId, type SanctionsAlias, type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { IdFloors } from './id-floors.ts';
import { listDate } from './list-dates.ts';
import { addressLine, detailsOf } from './party-details.ts';
import { allowOnly, below, textsBelow, type XmlElement, xmlRecords } from './xml-records.ts';

/** The known elements of a party. The reader rejects others, because one could hold an id or a name. */
const PARTY = new Set(['remark', 'regulation', 'subjectType', 'nameAlias', 'address', 'identification', 'birthdate', 'citizenship']);

/** The publisher's codes and words for the kinds of parties. Two readers of the format have them in either attribute. */
const KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  person: 'individual',
  P: 'individual',
  enterprise: 'entity',
  E: 'entity',
};

/** Types of ids that may be tax ids of companies → the type with the same meaning on the list of OFAC. */
const MEANINGS: Readonly<Record<string, string>> = {
  fiscalcode: 'Tax ID No.',
  taxid: 'Tax ID No.',
  euvat: 'V.A.T. Number',
  regnumber: 'Registration Number',
  other: 'Identification Number',
};

/**
 * Reads the list in version 1.1 of its xml, as a stream.
 * @throws ListFileError for a document that is not well-formed up to `</export>`, has unknown elements or parties without a name, and for
 * one that has lost its aliases
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  if (file.format !== 'xml') throw new ListFileError(`the list is published as xml, not ${file.format}`);
  let publishedOn: string | null = null;
  const uids = new Uids();
  const floors = new IdFloors(null);
  let rowsRead = 0;
  for await (const { path, element } of xmlRecords(file, 'export', 1)) {
    if (path === 'export') {
      publishedOn = listDate(attribute(element, 'generationDate'));
      if (publishedOn === null) throw new ListFileError('generationDate is not a date');
      continue;
    }
    if (path !== 'export/sanctionEntity') throw new ListFileError(`${path} is not part of the format`);
    rowsRead += 1;
    const party = readParty(element, floors);
    uids.add(party.id);
    yield party;
  }
  floors.assertReached();
  return { publishedOn, rowsRead, rowsSkipped: 0, rowsUnmatched: floors.unread };
}

function readParty(party: XmlElement, floors: IdFloors): ListEntry<SanctionsEntry> {
  allowOnly(party, PARTY);
  const uid = attribute(party, 'logicalId');
  const [subject] = below(party, 'subjectType');
  const kind = subject && (KINDS[attribute(subject, 'code')] ?? KINDS[optional(subject, 'classificationCode')]);
  const [name, ...aliases] = namesOf(party);
  if (!uid || !name || !kind) throw new ListFileError('a party has no logicalId, no name or an unknown type');
  const ids = below(party, 'identification').flatMap(idOf);
  const isPerson = kind === 'individual';
  const entry = toEntry(
    {
      uid,
      kind,
      name: name.name,
      aliases,
      programs: distinct(below(party, 'regulation').map((regulation) => attribute(regulation, 'programme'))),
      countries: countriesOf(party, 'address'),
      nationalities: isPerson ? countriesOf(party, 'citizenship') : [],
      datesOfBirth: isPerson ? distinct(below(party, 'birthdate').map(dateOfBirth)) : [],
      reference: optional(party, 'euReferenceNumber') || null,
      ...BLOCKED,
      startsOn: listDate(optional(party, 'designationDate')),
      ...detailsOf(kind, {
        addresses: below(party, 'address').map(addressOf),
        foundationDates: below(party, 'birthdate').map(dateOfBirth),
        remarks: textsBelow(party, 'remark').join(' '),
      }),
    },
    ids,
  );
  floors.add(entry.record, ids);
  return entry;
}

/** Reads the names of a party, the main name first: the first strong one, or the first one without a strong one. */
function namesOf(party: XmlElement): readonly SanctionsAlias[] {
  const names = below(party, 'nameAlias').flatMap((alias) => {
    const strong = attribute(alias, 'strong');
    if (strong !== 'true' && strong !== 'false') throw new ListFileError('a name is neither strong nor weak');
    const whole = attribute(alias, 'wholeName');
    const name = whole || ['firstName', 'middleName', 'lastName'].flatMap((part) => optional(alias, part) || []).join(' ');
    const isLow = textsBelow(alias, 'remark').some((remark) => remark.toLowerCase().includes('low quality'));
    return name ? [{ name, type: 'a.k.a.', weak: strong === 'false' || isLow }] : [];
  });
  const main = names.find(({ weak }) => !weak) ?? names[0];
  return main ? [main, ...names.filter(({ name }, i) => name !== main.name && names.findIndex((one) => one.name === name) === i)] : [];
}

/** Reads an id, without one that the list states to be false. */
function idOf(id: XmlElement): PrintedId[] {
  const type = attribute(id, 'identificationTypeCode');
  const printed = attribute(id, 'number');
  const value = optional(id, 'latinNumber') || printed;
  if (!type) throw new ListFileError('an id has no type');
  if (optional(id, 'knownFalse') === 'true' || !value) return [];
  const country = optional(id, 'countryIso2Code');
  const meaning = MEANINGS[type];
  return [{ type, ...(meaning && { meaning }), value, country: isKnownCountry(country) ? country : null }];
}

const isKnownCountry = (code: string): boolean => code !== '' && code !== '00';

/** Returns the names of the countries of elements of one name. */
const countriesOf = (party: XmlElement, name: string): readonly string[] =>
  distinct(
    below(party, name).map((element) =>
      isKnownCountry(attribute(element, 'countryIso2Code')) ? optional(element, 'countryDescription') : '',
    ),
  );

const addressOf = (address: XmlElement): string =>
  addressLine(
    ['street', 'city', 'zipCode'].map((part) => optional(address, part)),
    optional(address, 'countryDescription'),
  );

/** Reads a date of birth or of foundation: complete, or a year with or without a month; `circa` before an approximate one. */
function dateOfBirth(element: XmlElement): string {
  const [year, month, day] = ['year', 'monthOfYear', 'dayOfMonth'].map((part) => optional(element, part).padStart(2, '0'));
  const parts = month === '00' ? [year] : day === '00' ? [year, month] : [year, month, day];
  const date = optional(element, 'birthdate') || (year === '00' ? '' : parts.join('-'));
  return date && optional(element, 'circa') === 'true' ? `circa ${date}` : date;
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts.filter((text) => text !== ''))];

/** Reads an attribute that every element of the format has. @throws ListFileError */
function attribute(element: XmlElement, name: string): string {
  const value = element.attributes[name];
  if (value === undefined) throw new ListFileError(`${element.name} has no attribute ${name}`);
  return storable(value).trim();
}

const optional = (element: XmlElement, name: string): string => storable(element.attributes[name] ?? '').trim();

export const euConsolidatedSpec: RegistrySpec<SanctionsEntry> = {
  name: 'EU_CONSOLIDATED',
  attribution:
    'European Commission: consolidated list of persons, groups and entities subject to EU financial sanctions, CC BY 4.0. Only the Official Journal is authentic.',
  setting: 'QUIPU_EU_SANCTIONS_URL',
  address: {
    live: 'https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
    sandbox: '/eu_consolidated/xmlFullSanctionsList_1_1.xml',
    description: 'EU consolidated list of financial sanctions: xml 1.1, zipped or not.',
    optional: true,
  },
  schemaVersion: 3,
  guard: { minRows: 4_500, maxRows: 10_500, maxShrink: 0.05, maxGrowth: 0.15 },
  everyMs: 6 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  downloadLimits: { idleMs: 3 * MINUTE_MS, deadlineMs: 10 * MINUTE_MS },
  read,
};

export const euConsolidated = defineRegistry(euConsolidatedSpec);
