import type { Hit, ListedParty, NameIndex } from '../../../names/name-index.ts';
import { inSlices } from '../../../scheduling/slices.ts';
import type { ListView } from '../../../sources/registry/list-view.ts';
import type { SanctionsEntry } from './entry.ts';

/**
 * Version of the comparison of names. It must be increased when other names become candidates. Monitors then store the new candidates as a
 * baseline without reporting them, because no list has changed.
 */
export const NAMES_VERSION = 6;

export type NameView = ListView<SanctionsEntry, NameIndex<SanctionsEntry>>;

/** Creates the view of the names of parties of one kind. Its code is loaded with the first index. */
const namesOf = (kind: SanctionsEntry['kind'], name: string): NameView => ({
  name,
  where: { kind },
  build: (entries) => buildIndex(listedParties(entries)),
});

/** Selects the names of parties one by one, as the build of an index needs them. */
function* listedParties(entries: readonly SanctionsEntry[]): Generator<ListedParty<SanctionsEntry>, void, void> {
  for (const entry of entries) yield toListedParty(entry);
}

async function buildIndex<T>(parties: Iterable<ListedParty<T>>): Promise<NameIndex<T>> {
  const { buildNameIndex } = await import('../../../names/build-name-index.ts');
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

/** Searchable names of the companies and organisations of a list. */
export const nameView = namesOf('entity', 'names');
/** Searchable names of the people of a list. */
export const personView = namesOf('individual', 'people');

/**
 * Selects the names of a party that are searched: its name and its aliases. Weak aliases of one word, such as a first name, are excluded
 * for people: the surname Sá is read as a legal form, so the alias LUCAS would match every LUCAS SÁ.
 */
export const toListedParty = (party: SanctionsEntry): ListedParty<SanctionsEntry> => ({
  party,
  names: [
    { text: party.name, matchedOn: 'name' },
    ...party.aliases
      .filter(({ name, weak }) => party.kind !== 'individual' || !weak || /\S\s+\S/.test(name))
      .map(({ name, weak }) => ({ text: name, matchedOn: weak ? ('weak_alias' as const) : ('alias' as const) })),
  ],
});
