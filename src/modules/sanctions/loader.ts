import { type CompanyKey, companyKeyText, legalPersonText } from '../../domain/company.ts';
import { strip } from '../../domain/tax-id.ts';
import { consult, listLoader } from '../../loaders/list.ts';
import type { Offered } from '../../loaders/loader.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import type { Sanctions, SanctionsList, SanctionsMatch } from './domain.ts';
import type { SanctionsEntry } from './sources/entry.ts';
import { ofacSdn } from './sources/ofac-sdn.ts';
import { unConsolidated } from './sources/un-consolidated.ts';

/** In the order of `sourcesChecked`. */
const LISTS = [listLoader(ofacSdn), listLoader(unConsolidated)];

/**
 * CompanyKey (BR, CL, CO) → Sanctions: listed parties that bear the company's tax id, indexed by country.
 * @throws AppError SOURCE_UNAVAILABLE when a list could not be seen and the other has no match
 */
export const sanctionsLoader: Offered<CompanyKey, Sanctions> = {
  name: 'sanctions',
  module: 'sanctions',
  key: companyKeyText,
  async answer(key, load) {
    const { seen, freshness } = await consult(LISTS, key, load);
    const matches = seen.flatMap(({ list, listing }) => listing.entries.flatMap((entry) => toMatch(list as SanctionsList, entry, key)));
    return {
      value: {
        isSanctioned: matches.length > 0,
        matches,
        sourcesChecked: seen.map(({ list }) => list as SanctionsList),
        lists: seen.map(({ list, listing: { version } }) => ({
          list: list as SanctionsList,
          publishedOn: version.publishedOn,
          loadedAt: version.loadedAt,
          entries: version.entries,
          checksum: version.checksum,
        })),
      },
      freshness,
    };
  },
};

/** One match a listed party: by the id asked for if it bears that one, else by a branch's. */
function toMatch(list: SanctionsList, { record }: ListEntry<SanctionsEntry>, asked: CompanyKey): SanctionsMatch[] {
  const ids = record.taxIds.filter(({ key }) => key === legalPersonText(asked));
  const exact = asked.country === 'BR' ? ids.find(({ value }) => strip(value) === asked.taxId) : ids[0];
  const id = exact ?? ids[0];
  if (!id) return [];
  return [
    {
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
