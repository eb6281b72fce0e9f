import { expect, it } from 'vitest';
import { createLoaders } from '../../../src/loaders/loader.ts';
import { sanctionsCandidatesLoader } from '../../../src/modules/sanctions/loaders/candidates.ts';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import { sanctionsSources } from '../../../src/modules/sanctions/sources/lists.ts';
import { toListedParty } from '../../../src/modules/sanctions/sources/name-view.ts';
import { finished } from '../../../src/names/buckets.ts';
import { buildNameIndex } from '../../../src/names/build-name-index.ts';
import type { Use } from '../../../src/sources/source.ts';

const party: SanctionsEntry = {
  uid: '7',
  kind: 'entity',
  name: 'KALTEX VYDUMKA LTDA',
  aliases: [],
  programs: [],
  countries: [],
  nationalities: [],
  datesOfBirth: [],
  taxIds: [],
  reference: null,
};

/** A list with one party. Counts the passes over its index: the times it is fetched, with the names that are then searched. */
function countedList() {
  const index = finished(buildNameIndex([toListedParty(party)]));
  const passes: number[] = [];
  const value = {
    ...index,
    reads: (text: string) => index.reads(text),
    searchInParts(text: string) {
      passes.push((passes.pop() ?? 0) + 1);
      return index.searchInParts(text);
    },
  };
  const registry = {
    viewVersion: () => 'one',
    async view() {
      passes.push(0);
      return { version: { id: 'one', publishedOn: null }, value, checkedAt: 0, goodUntil: Number.MAX_SAFE_INTEGER };
    },
  };
  return { passes, registry };
}

it('compares the names of 500 companies with a list in one pass over its index', async () => {
  const lists = new Map(sanctionsSources.map((source) => [source as object, countedList()]));
  const use = ((source: object) => lists.get(source)?.registry) as never as Use;
  const load = createLoaders(use, () => 0).scope();
  const answers = await Promise.all(
    Array.from({ length: 500 }, async (_, i) =>
      load(sanctionsCandidatesLoader, {
        company: { country: 'CO', taxId: String(900_000_000 + i) },
        name: i === 499 ? 'Kaltex Vydumka' : `ORDINARY ${i}`,
        lists: null,
      }),
    ),
  );
  expect(answers.filter(({ value }) => value.candidates?.length === 0)).toHaveLength(499);
  expect(answers[499]?.value.candidates?.map(({ entityId }) => entityId)).toEqual(sanctionsSources.map(() => '7'));
  expect([...lists.values()].map(({ passes }) => passes)).toEqual(sanctionsSources.map(() => [500]));
});
