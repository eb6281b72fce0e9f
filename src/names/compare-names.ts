import { inSlices } from '../scheduling/slices.ts';
import type { Hit, ListedParty, NameIndex } from './name-index.ts';

/** Builds an index of names in slices of the event loop. The code of the build is loaded with the first index. */
export async function buildIndex<T>(parties: Iterable<ListedParty<T>>): Promise<NameIndex<T>> {
  const { buildNameIndex } = await import('./build-name-index.ts');
  return inSlices(buildNameIndex(parties));
}

/** Compares a name with a few others. It returns the similar ones, best first; null for a name without a word to compare. */
export const compareNames = async (name: string, others: Iterable<string>): Promise<readonly Hit<string>[] | null> =>
  (await nameComparison(others))(name);

/** Compares a name with the names that it was created for. It returns null for a name without a word to compare. */
export type NameComparison = (name: string) => readonly Hit<string>[] | null;

/** Prepares a few names to be compared with many others. */
export async function nameComparison(names: Iterable<string>): Promise<NameComparison> {
  const parties = [...new Set(names)].map((text) => ({ party: text, names: [{ text, matchedOn: 'name' as const }] }));
  const index = await buildIndex(parties);
  return (name) => (index.reads(name) ? index.search(name) : null);
}
