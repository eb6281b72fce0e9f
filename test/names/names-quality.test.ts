import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sdnEntry, sdnXml } from '../../sandbox/upstreams/sanctions/ofac.ts';
import { ofacParties } from '../../sandbox/upstreams/sanctions/ofac-parties.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import { toListedParty } from '../../src/modules/sanctions/sources/name-view.ts';
import { ofacSdnSpec } from '../../src/modules/sanctions/sources/ofac-sdn.ts';
import { unConsolidatedSpec } from '../../src/modules/sanctions/sources/un-consolidated.ts';
import { buildNameIndex } from '../../src/names/build-name-index.ts';
import type { NameIndex } from '../../src/names/name-index.ts';
import { core, HARSH } from '../support/harsh-variants.ts';
import { falsePairs, type NamePair, truePairs } from '../support/name-pairs.ts';
import { VARIATIONS, type Variation } from '../support/name-variants.ts';
import { ordinaryName } from '../support/ordinary-names.ts';
import { randomOf } from '../support/random.ts';
import { readBytes } from '../support/read-list.ts';
import { sampleBytes, sampleText } from '../support/samples.ts';

function indexOf(entries: readonly SanctionsEntry[]): NameIndex<SanctionsEntry> {
  const work = buildNameIndex(entries.filter(({ kind }) => kind === 'entity').map(toListedParty));
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

interface Case {
  readonly query: string;
  readonly kind: 'name' | 'taxid';
  readonly expect: 'match' | 'no_match';
  readonly entity_id: string;
  readonly also?: readonly string[];
}

/** True for names with enough letters beside their legal form to be recognised when some are changed. */
const isFair = (name: string): boolean => core(name).replace(/[^A-Z0-9]/g, '').length >= 6;

const shuffled = <T>(all: readonly T[], seed: number): readonly T[] => {
  const random = randomOf(seed);
  return all
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
};

const ORDINARY = 20_000;

/** Names of ordinary companies that have a candidate. */
function flagged(indexes: readonly NameIndex<SanctionsEntry>[], seed: number): readonly string[] {
  const random = randomOf(seed);
  return Array.from({ length: ORDINARY }, () => ordinaryName(random).name).filter((name) =>
    indexes.some((index) => index.search(name).length > 0),
  );
}

/** Explains two names that have the same words, at most with other legal forms. */
const SAME_WORDS_ONLY = /^Same words: [^.]+\.( Legal forms set aside: [^.]+\.)?$/;

describe('the names of the lists of the sandbox', () => {
  const indexOfSandbox = async () => {
    const { entries } = await readBytes(ofacSdnSpec, { 'SDN.XML': sdnXml('11/20/2026', ofacParties.map(sdnEntry)) });
    return indexOf(entries.map(({ record }) => record));
  };

  it('find themselves', async () => {
    const index = await indexOfSandbox();
    const lost = ofacParties.filter(({ type, name, uid }) => type === 'Entity' && index.search(name)[0]?.party.uid !== String(uid));
    expect(lost.map(({ name }) => name)).toEqual([]);
  });

  it('resemble at most 0.3 % of 20,000 ordinary names', async () => {
    expect(flagged([await indexOfSandbox()], 1).length).toBeLessThanOrEqual(ORDINARY * 0.003);
  });
});

describe('the names of the companies on the real lists', () => {
  /** Read by the first test, because files are opened for one test. */
  let reading: Promise<readonly (readonly SanctionsEntry[])[]> | null = null;
  let indexes: readonly NameIndex<SanctionsEntry>[] = [];
  const unzipped = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, gunzipSync(sampleBytes(`sanctions/entities/${name}.gz`))]));
  const readLists = async () => {
    const read = [
      await readBytes(ofacSdnSpec, unzipped('sdn.csv', 'alt.csv', 'add.csv', 'sdn_comments.csv')),
      await readBytes(unConsolidatedSpec, unzipped('consolidated.xml')),
    ];
    const lists = read.map(({ entries }) => entries.map(({ record }) => record).filter(({ kind }) => kind === 'entity'));
    indexes = lists.map(indexOf);
    return lists;
  };
  const listsOf = () => {
    reading ??= readLists();
    return reading;
  };

  const search = (name: string) => indexes.flatMap((index) => index.search(name));

  it('find 98 % of the labelled variants as a match, and flag at most 1 % of the labelled ordinary names, none as a match', async () => {
    await listsOf();
    const lines = sampleText('sanctions/cases-sample.jsonl').trim().split('\n');
    const cases = lines.map((line): Case => JSON.parse(line)).filter(({ kind }) => kind === 'name');
    const variants = cases.filter((one) => one.expect === 'match');
    const ordinary = cases.filter((one) => one.expect === 'no_match');
    const lost = variants.filter(
      ({ query, entity_id, also = [] }) =>
        !search(query).some(({ decision, party: { uid } }) => decision === 'match' && [entity_id, ...also].includes(uid)),
    );
    const hits = ordinary.flatMap(({ query }) => search(query).slice(0, 1));
    expect([variants.length, ordinary.length]).toEqual([28, 18]);
    expect(lost.length, JSON.stringify(lost)).toBeLessThanOrEqual(variants.length * 0.02);
    expect(hits.length).toBeLessThanOrEqual(ordinary.length * 0.01);
    expect(hits.filter(({ decision }) => decision === 'match')).toEqual([]);
  }, 120_000);

  it('resemble at most 0.3 % of 20,000 ordinary names', async () => {
    await listsOf();
    expect(flagged(indexes, 1).length).toBeLessThanOrEqual(ORDINARY * 0.003);
  }, 120_000);

  it('match no ordinary name of 20,000, other than by all words of a listed name', async () => {
    await listsOf();
    const random = randomOf(3);
    const matches = Array.from({ length: ORDINARY }, () => ordinaryName(random).name)
      .flatMap(search)
      .filter(({ decision }) => decision === 'match');
    expect(matches.map(({ explanation }) => explanation).filter((explanation) => !SAME_WORDS_ONLY.test(explanation))).toEqual([]);
  }, 120_000);

  it('find themselves with a score of at least 0.97, strong names and aliases of every party', async () => {
    const lists = await listsOf();
    const lost = lists.flatMap((list, i) =>
      list.flatMap((party) =>
        [party.name, ...party.aliases.flatMap(({ name, weak }) => (weak ? [] : [name]))].filter(
          (name) => indexes[i]?.reads(name) && !indexes[i].search(name).some((hit) => hit.party === party && hit.score >= 0.97),
        ),
      ),
    );
    expect(lost).toEqual([]);
  }, 120_000);

  /** The least share of names that are found as a match when they are changed in one way: what is measured, less some margin. */
  const FLOORS: Readonly<Record<keyof typeof VARIATIONS, number>> = {
    'letter case': 0.99,
    accents: 0.99,
    punctuation: 0.99,
    ampersand: 0.95,
    'no legal form': 0.98,
    'another legal form': 0.97,
    'a form and a note': 0.97,
    'initials with points': 0.99,
    'another order': 0.75,
    'joined words': 0.75,
    'a split word': 0.85,
    abbreviation: 0.98,
    'another spelling': 0.93,
    'a mistake in a word of 8 letters or more': 0.98,
    'a mistake in a word of 5 letters or more': 0.92,
    'a form written out or abbreviated': 0.97,
    'a glued form': 0.98,
    'a number written as a word or as digits': 0.95,
    'three joined words': 0.6,
    'no double letter': 0.98,
    'no last letter': 0.97,
    'll written as y': 0.9,
    'y written as ll': 0.95,
    'kh written as h': 0.9,
    'no parentheses': 0.95,
    'a conjunction': 0.6,
    acronym: 0,
  };

  it.each(Object.entries(VARIATIONS))('are found when they are changed: %s', async (kind, vary) => {
    const lists = await listsOf();
    const random = randomOf(7);
    const changed = lists.flat().flatMap((party, i) => {
      const name = i % 10 === 0 ? vary(party.name, random) : null;
      return name === null ? [] : [{ party, name }];
    });
    const matched = changed.filter(({ party, name }) => search(name).some((hit) => hit.party === party && hit.decision === 'match'));
    expect(changed.length).toBeGreaterThan(5);
    expect(matched.length / changed.length).toBeGreaterThanOrEqual(FLOORS[kind] ?? 1);
  });

  describe('changed as forms, scanners and people who want to pass unseen write them', () => {
    /** Parties and their names changed in one way: at most 40. */
    const changedBy = async (vary: Variation) => {
      const random = randomOf(3);
      const changed: { readonly party: SanctionsEntry; readonly name: string }[] = [];
      for (const party of shuffled((await listsOf()).flat(), 5)) {
        const name = isFair(party.name) ? vary(party.name, random) : null;
        if (name !== null && name !== party.name) changed.push({ party, name });
        if (changed.length === 40) break;
      }
      return changed;
    };

    it('are a match in 98 % of all names, and in 85 % of each kind', async () => {
      const kinds = await Promise.all(Object.entries(HARSH).map(async ([kind, vary]) => [kind, await changedBy(vary)] as const));
      const shares = kinds.map(([kind, all]) => {
        const matched = all.filter(({ party, name }) => search(name).some((hit) => hit.party === party && hit.decision === 'match'));
        return { kind, names: all.length, matched: matched.length };
      });
      const sum = (of: 'names' | 'matched') => shares.reduce((total, one) => total + one[of], 0);
      expect(shares.length).toBeGreaterThanOrEqual(25);
      expect(shares.filter(({ names, matched }) => names < 20 || matched / names < 0.85)).toEqual([]);
      expect(sum('matched') / sum('names')).toBeGreaterThanOrEqual(0.98);
    }, 120_000);

    it('resemble at most 0.5 % of ordinary names that are changed in the same ways', async () => {
      await listsOf();
      const random = randomOf(9);
      const names = Object.values(HARSH).flatMap((vary) =>
        Array.from({ length: 200 }, () => vary(ordinaryName(random).name, random)).filter((name) => name !== null),
      );
      expect(names.length).toBeGreaterThan(3_000);
      expect(names.filter((name) => search(name).length > 0).length).toBeLessThanOrEqual(names.length * 0.005);
    }, 120_000);
  });

  describe('of the half that the comparison was not tuned on', () => {
    const pairsOf = async (make: typeof truePairs): Promise<readonly (NamePair & { readonly decision: string | null })[]> => {
      const parties = (await listsOf()).flat().map(({ uid, name }) => ({ id: uid, name }));
      return make(parties, 'held_out', 3).map((pair) => ({
        ...pair,
        decision: search(pair.query).find(({ party }) => party.uid === pair.party.id)?.decision ?? null,
      }));
    };
    const share = (pairs: readonly unknown[], all: readonly unknown[]): number => pairs.length / all.length;

    it('are found in 95 % of 400 names that were changed in one or two ways, and match in 97 % of those that are no acronym', async () => {
      const pairs = await pairsOf(truePairs);
      const names = pairs.filter(({ kind }) => kind !== 'acronym');
      expect(names.length).toBeGreaterThan(400);
      expect(
        share(
          pairs.filter(({ decision }) => decision !== null),
          pairs,
        ),
      ).toBeGreaterThanOrEqual(0.95);
      expect(
        share(
          names.filter(({ decision }) => decision === 'match'),
          names,
        ),
      ).toBeGreaterThanOrEqual(0.97);
    });

    it('are candidates of at most 3 % of 150 names of other companies with the same common words, trades, places or numbers', async () => {
      const pairs = await pairsOf(falsePairs);
      expect(pairs.length).toBeGreaterThan(150);
      expect(
        share(
          pairs.filter(({ decision }) => decision !== null),
          pairs,
        ),
      ).toBeLessThanOrEqual(0.03);
    });
  });

  it('are the same whether the index or a comparison with every name finds them', async () => {
    const lists = await listsOf();
    const random = randomOf(11);
    const names = [
      ...Array.from({ length: 5 }, () => ordinaryName(random).name),
      ...(lists[0] ?? [])
        .filter((_, i) => i % 1_000 === 0)
        .map(({ name }) => VARIATIONS['a mistake in a word of 5 letters or more']?.(name, random) ?? name),
    ];
    for (const name of names) for (const index of indexes) expect(index.search(name)).toEqual(index.searchAll(name));
  }, 120_000);
});
