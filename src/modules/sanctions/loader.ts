import { COUNTRIES, type CompanyKey, type Country, companyKeyText, legalPersonText } from '../../domain/company.ts';
import { readCnpj } from '../../domain/tax-id.ts';
import type { Lookup } from '../../loaders/derived-from.ts';
import { derivedFromLists, type Listing, listLoader } from '../../loaders/list.ts';
import { companyLoader, type DerivedLoader, type Load } from '../../loaders/loader.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import { SANCTIONS_LISTS, type Sanctions, type SanctionsList, type SanctionsMatch } from './domain.ts';
import { type SanctionsEntry, termsOf } from './sources/entry.ts';
import { forEachList } from './sources/lists.ts';

/** Loader of each list. */
export const sanctionsListings = forEachList(listLoader);

/** Computes the answer about a company from some lists. */
const answerFrom = (lists: readonly SanctionsList[]): Lookup<CompanyKey, Sanctions> =>
  derivedFromLists(
    lists.map((list) => (company: CompanyKey, load: Load) => load(sanctionsListings[list], legalPersonText(company))),
    toSanctions,
  );

/**
 * CompanyKey (BR, CL, CO) → Sanctions: listed parties with the company's tax id, matched by country and number.
 * @throws AppError SOURCE_UNAVAILABLE when a list cannot be read and the others have no match
 */
export const sanctionsLoader = companyLoader<Country, Sanctions>({
  name: 'sanctions',
  module: 'sanctions',
  countries: COUNTRIES,
  subject: 'Sanctions',
  answer: answerFrom(SANCTIONS_LISTS),
});

/** A company, and the lists that a request has chosen, from `inListOrder`. */
export interface ChosenSanctions extends CompanyKey {
  readonly lists: readonly SanctionsList[];
}

/** Lists → the answer from them. There are as many as there are choices. */
const answersByChoice = new Map<readonly SanctionsList[], Lookup<CompanyKey, Sanctions>>();

function answerByChoice(lists: readonly SanctionsList[]): Lookup<CompanyKey, Sanctions> {
  const known = answersByChoice.get(lists) ?? answerFrom(lists);
  answersByChoice.set(lists, known);
  return known;
}

/**
 * ChosenSanctions (BR, CL, CO) → Sanctions from the chosen lists alone. It counts as one answer of the module.
 * @throws AppError SOURCE_UNAVAILABLE when a chosen list cannot be read and the others have no match
 */
export const chosenSanctionsLoader: DerivedLoader<ChosenSanctions, Sanctions> & { readonly module: 'sanctions' } = {
  name: 'sanctions_of_lists',
  module: 'sanctions',
  key: ({ lists, ...company }) => `${companyKeyText(company)} ${lists.join()}`,
  answer: ({ lists, country, taxId }, load, time) => answerByChoice(lists)({ country, taxId }, load, time),
};

function toSanctions(seen: readonly Listing<SanctionsEntry>[], company: CompanyKey): Sanctions {
  const matches = seen.flatMap(({ list, entries }) => entries.flatMap((entry) => toSanctionsMatch(list as SanctionsList, entry, company)));
  const lists = seen.map(({ list, version: { publishedOn, loadedAt, entries, checksum } }) => ({
    list: list as SanctionsList,
    publishedOn,
    loadedAt,
    entries,
    checksum,
  }));
  const isSanctioned = matches.some(({ effect }) => effect === 'blocking');
  return { isSanctioned, matches, sourcesChecked: lists.map(({ list }) => list), lists };
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
      ...termsOf(record),
    },
  ];
}
