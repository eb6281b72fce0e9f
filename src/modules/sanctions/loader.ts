import { COUNTRIES, type CompanyKey, type Country, legalPersonText } from '../../domain/company.ts';
import { readCnpj } from '../../domain/tax-id.ts';
import { derivedFromLists, type Listing, listLoader } from '../../loaders/list.ts';
import { companyLoader, type Load } from '../../loaders/loader.ts';
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
  answer: derivedFromLists(
    sanctionsListings.map((list) => (company: CompanyKey, load: Load) => load(list, legalPersonText(company))),
    toSanctions,
  ),
});

function toSanctions(seen: readonly Listing<SanctionsEntry>[], company: CompanyKey): Sanctions {
  const matches = seen.flatMap(({ list, entries }) => entries.flatMap((entry) => toSanctionsMatch(list as SanctionsList, entry, company)));
  const lists = seen.map(({ list, version: { publishedOn, loadedAt, entries, checksum } }) => ({
    list: list as SanctionsList,
    publishedOn,
    loadedAt,
    entries,
    checksum,
  }));
  return { isSanctioned: matches.length > 0, matches, sourcesChecked: lists.map(({ list }) => list), lists };
}

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
