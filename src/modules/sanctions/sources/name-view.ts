import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ListView } from '../../../sources/registry/list-view.ts';
import type { ListedParty, NameIndex } from '../domain/names/name-index.ts';
import type { SanctionsEntry } from './entry.ts';

/** Work in memory blocks other requests no longer than about this. */
const SLICE_MS = 8;

export type NameView = ListView<SanctionsEntry, NameIndex<SanctionsEntry>>;

/** Searchable names of the parties of one kind. Their code is loaded with the first index. */
const namesOf = (kind: SanctionsEntry['kind'], name: string): NameView => ({
  name,
  where: { kind },
  async build(entries) {
    const { buildNameIndex } = await import('../domain/names/name-index.ts');
    return inSlices(buildNameIndex(entries.map(toListedParty)));
  },
});

/** Searchable names of the companies and organisations of a list. */
export const nameView = namesOf('entity', 'names');
/** Searchable names of the people of a list. */
export const personView = namesOf('individual', 'people');

/** The names of a party that are searched: its own and its aliases. */
export const toListedParty = (party: SanctionsEntry): ListedParty<SanctionsEntry> => ({
  party,
  names: [
    { text: party.name, matchedOn: 'name' },
    ...party.aliases.map(({ name, weak }) => ({ text: name, matchedOn: weak ? ('weak_alias' as const) : ('alias' as const) })),
  ],
});

/** Runs a generator to its end and lets other work run at its yields, as often as needed. */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  let end = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() < end) continue;
    await yieldToOthers();
    end = performance.now() + SLICE_MS;
  }
}
