import { buildIndex } from '../../../names/compare-names.ts';
import type { ListedParty, NameIndex } from '../../../names/name-index.ts';
import type { ListView } from '../../../sources/registry/list-view.ts';
import type { SanctionsEntry } from './entry.ts';

/**
 * Version of the comparison of names. It must be increased when other names become candidates. Monitors then store the new candidates as a
 * baseline without reporting them, because no list has changed.
 */
export const NAMES_VERSION = 6;

export type NameView = ListView<SanctionsEntry, NameIndex<SanctionsEntry>>;

/** Creates the view of the names of parties of one kind. */
const namesOf = (kind: SanctionsEntry['kind'], name: string): NameView => ({
  name,
  where: { kind },
  build: (entries) => buildIndex(listedParties(entries)),
});

/** Selects the names of parties one by one, as the build of an index needs them. */
function* listedParties(entries: readonly SanctionsEntry[]): Generator<ListedParty<SanctionsEntry>, void, void> {
  for (const entry of entries) yield toListedParty(entry);
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
