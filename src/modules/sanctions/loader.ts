import { type Answer, keepByParts, whenKnown } from '../../domain/answer.ts';
import { COUNTRIES, type CompanyKey, type Country, legalPersonText } from '../../domain/company.ts';
import { readCnpj } from '../../domain/tax-id.ts';
import { type Consultation, consult, listLoader } from '../../loaders/list.ts';
import { companyLoader } from '../../loaders/loader.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import type { Sanctions, SanctionsList, SanctionsMatch } from './domain.ts';
import type { SanctionsEntry } from './sources/entry.ts';
import { sanctionsSources } from './sources/lists.ts';

/** Loaders of the lists, in the order of `SANCTIONS_LISTS`. */
export const sanctionsListings = sanctionsSources.map(listLoader);

/**
 * CompanyKey (BR, CL, CO) → Sanctions: listed parties with the company's tax id, matched by country and number.
 * @throws AppError SOURCE_UNAVAILABLE when a list cannot be read and the others have no match
 */
export const sanctionsLoader = companyLoader<Country, Sanctions>({
  name: 'sanctions',
  module: 'sanctions',
  countries: COUNTRIES,
  subject: 'Sanctions',
  answer: (key, load) =>
    whenKnown(consult(sanctionsListings.map((list) => load(list, legalPersonText(key)))), (consultation) =>
      toAnswer(consultation, key.country, key.taxId),
    ),
});

const toAnswer = keepByParts(({ seen, freshness }: Consultation<SanctionsEntry>, country: Country, taxId: string): Answer<Sanctions> => {
  const matches = seen.flatMap(({ list, entries }) =>
    entries.flatMap((entry) => toSanctionsMatch(list as SanctionsList, entry, { country, taxId })),
  );
  const lists = seen.map(({ list, version: { publishedOn, loadedAt, entries, checksum } }) => ({
    list: list as SanctionsList,
    publishedOn,
    loadedAt,
    entries,
    checksum,
  }));
  return { value: { isSanctioned: matches.length > 0, matches, sourcesChecked: lists.map(({ list }) => list), lists }, freshness };
});

/** Creates one match per listed party: by the requested id if the party has it, otherwise by the id of another branch. */
export function toSanctionsMatch(list: SanctionsList, { record }: ListEntry<SanctionsEntry>, requested: CompanyKey): SanctionsMatch[] {
  const ids = record.taxIds.filter(({ key }) => key === legalPersonText(requested));
  const exact = requested.country === 'BR' ? ids.find(({ value }) => readCnpj(value) === requested.taxId) : ids[0];
  const id = exact ?? ids[0];
  if (!id) return [];
  return [
    {
      id: `${list}:${record.uid}:${requested.country}:${requested.taxId}`,
      list,
      entityId: record.uid,
      entryName: record.name,
      matchedOn: exact ? 'tax_id' : 'root',
      matchedIdType: id.type,
      matchedIdValue: id.value,
      programs: record.programs,
    },
  ];
}
