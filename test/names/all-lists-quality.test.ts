import { describe, expect, it } from 'vitest';
import { ALL_SANCTIONS_LISTS, type SanctionsList } from '../../src/modules/sanctions/domain.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import { toListedParty } from '../../src/modules/sanctions/sources/name-view.ts';
import type { NameIndex } from '../../src/names/name-index.ts';
import { core, HARSH } from '../support/harsh-variants.ts';
import { indexed, type ListedCompanies, readAllLists } from '../support/listed-companies.ts';
import type { Variation } from '../support/name-variants.ts';
import { ordinaryName } from '../support/ordinary-names.ts';
import { randomOf } from '../support/random.ts';

const ORDINARY = 20_000;
const PER_KIND = 40;
const SEEDS = [13, 14, 15, 16, 17, 18];

interface Indexed {
  readonly lists: ListedCompanies;
  readonly indexes: Readonly<Record<SanctionsList, NameIndex<SanctionsEntry>>>;
}

/** Read by the first test, because files are opened for one test. */
let reading: Promise<Indexed> | null = null;
const read = async (): Promise<Indexed> => {
  const lists = await readAllLists();
  const built = ALL_SANCTIONS_LISTS.map((list) => [list, indexed(lists[list].map(toListedParty))] as const);
  return { lists, indexes: Object.fromEntries(built) as Indexed['indexes'] };
};
const allLists = (): Promise<Indexed> => {
  reading ??= read();
  return reading;
};

/** True for names with enough letters beside their legal form to be recognised when some are changed. */
const isFair = (name: string): boolean => core(name).replace(/[^A-Z0-9]/g, '').length >= 6;

/** Parties of a list and their names changed in one way. Each seed begins with other parties. */
function changedBy(vary: Variation, parties: readonly SanctionsEntry[], seed: number) {
  const random = randomOf(seed);
  const step = Math.max(1, Math.floor(parties.length / (PER_KIND * 3)));
  const changed: { readonly party: SanctionsEntry; readonly name: string }[] = [];
  for (const party of Array.from({ length: step }, (_, start) => parties.filter((_party, i) => (i + seed) % step === start)).flat()) {
    const name = isFair(party.name) ? vary(party.name, random) : null;
    if (name !== null && name !== party.name) changed.push({ party, name });
    if (changed.length === PER_KIND) break;
  }
  return changed;
}

describe('the names of all lists together', () => {
  it('have the size of the real lists', async () => {
    const { lists } = await allLists();
    expect(Object.fromEntries(Object.entries(lists).map(([list, parties]) => [list, parties.length > 200]))).toEqual(
      Object.fromEntries(ALL_SANCTIONS_LISTS.map((list) => [list, true])),
    );
  }, 120_000);

  it.each(SEEDS)(
    'of each list are found in 98 % of names that are changed as forms, scanners and people write them, with seed %i',
    async (seed) => {
      const { lists, indexes } = await allLists();
      const shares = ALL_SANCTIONS_LISTS.map((list) => {
        const changed = Object.values(HARSH).flatMap((vary) => changedBy(vary, lists[list], seed));
        const found = changed.filter(({ party, name }) => indexes[list].search(name).some((hit) => hit.party === party));
        return { list, names: changed.length, found: found.length };
      });
      expect(shares.filter(({ names, found }) => names < 500 || found / names < 0.98)).toEqual([]);
    },
    240_000,
  );

  it.each([3, 4])(
    'resemble at most 0.3 % of 20,000 ordinary names with seed %i, and match none',
    async (seed) => {
      const { indexes } = await allLists();
      const random = randomOf(seed);
      const hits = Array.from({ length: ORDINARY }, () => ordinaryName(random).name).flatMap((name) => {
        const found = Object.values(indexes).flatMap((index) => index.search(name));
        return found.length === 0 ? [] : { name, match: found.find(({ decision }) => decision === 'match')?.name.text };
      });
      expect(hits.length).toBeLessThanOrEqual(ORDINARY * 0.003);
      expect(hits.filter(({ match }) => match !== undefined)).toEqual([]);
    },
    240_000,
  );
});
