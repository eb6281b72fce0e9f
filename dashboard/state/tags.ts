import { requireData, requireNoError } from '../api/client.ts';
import { TagCompanies } from '../api/operations.ts';
import { batches } from './batches.ts';
import type { Dashboard } from './dashboard.ts';
import { companyId, type WatchedCompany, withCompanies } from './model.ts';

/** Maximum number of companies of one request. */
const AT_ONCE = 500;

/** Tags to add to companies, and to remove from them. */
export interface TagChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** Changes the tags of watched companies, and shows them as the API returns them. @throws QuipuError */
export async function tagCompanies(
  { client, store }: Pick<Dashboard, 'client' | 'store'>,
  companies: readonly WatchedCompany[],
  change: TagChange,
): Promise<void> {
  for (const [country, those] of Map.groupBy(companies, (company) => company.country))
    for (const batch of batches(those, AT_ONCE)) {
      const answer = await client.ask(TagCompanies, { country, identifiers: batch.map(({ identifier }) => identifier), ...change });
      requireNoError(answer);
      const tagged = requireData(answer).tagCompanies?.companies ?? [];
      store.set((state) =>
        withCompanies(
          state,
          tagged.flatMap(({ tags, ...company }) => {
            const before = state.companies.get(companyId(company));
            return before ? [{ ...before, tags: tags ?? [], taggedAt: Date.now() }] : [];
          }),
        ),
      );
    }
}

/** Returns the tags of companies, each once, in the order of their names. */
export const tagsOf = (companies: Iterable<WatchedCompany>): readonly string[] =>
  [...new Set([...companies].flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
