import { BucketInput, type Buckets, hashesWithout, hashOf } from './buckets.ts';
import { explain } from './explain.ts';
import { joinedKey, type Name, type NameWord, neighbours, readAlone, readings, textOfJoined, toWord } from './name.ts';
import { isInitial, isWithinReach, type Reach, totalWeight, type Weighed } from './reach.ts';
import { type Decision, NO_EVIDENCE, REVIEW_FROM, scoreNames } from './score.ts';
import { editBudget, isBusiness, KEY_BUDGET } from './similarity.ts';

/** A name of a listed party, as printed. */
export interface ListedName {
  readonly text: string;
  readonly matchedOn: 'name' | 'alias' | 'weak_alias';
}

/** A listed party and its names. `T` is what the caller wants to get back. */
export interface ListedParty<T> {
  readonly party: T;
  readonly names: readonly ListedName[];
}

/** A listed name that resembles the searched one. */
export interface Hit<T> {
  readonly party: T;
  readonly name: ListedName;
  /** 0 to 1. */
  readonly score: number;
  readonly decision: Decision;
  /** Sentences: which words agree, differ or were set aside. */
  readonly explanation: string;
}

interface Entry<T> extends Weighed {
  readonly party: T;
  readonly name: ListedName;
  readonly read: Name;
}

/** The names of one list, searchable by names that resemble them. Immutable. */
export interface NameIndex<T> {
  readonly names: number;
  /** False for a text without a word: it has no Latin, Greek or Cyrillic letter and no digit. */
  reads(text: string): boolean;
  /** The best name of each party that resembles `text`, best first. Empty for none. */
  search(text: string): readonly Hit<T>[];
  /** The same by comparing every name: slow, for tests and benchmarks. */
  searchAll(text: string): readonly Hit<T>[];
}

const NAMES_AT_ONCE = 20;

/** Parties that share a word before it says less. */
const FREE_SHARE = 4;
const LEAST_RARE = 0.5;
/** More than any words weigh: a name that may be the same as a whole is always compared. */
const ANY_WEIGHT = 1_000;
/** More than two words weigh: a name that joins or splits words of the searched one is always compared. */
const JOINED_WEIGHT = 2;

/**
 * Builds an index. Yields about every `NAMES_AT_ONCE` names, so that the caller can let other work run in between.
 * @returns by `return` of the generator, the index
 */
export function* buildNameIndex<T>(parties: Iterable<ListedParty<T>>): Generator<void, NameIndex<T>, void> {
  const builder = new Builder<T>();
  let count = 0;
  for (const party of parties) {
    builder.count(party);
    count += 1;
    if (count % NAMES_AT_ONCE === 0) yield;
  }
  yield* builder.weigh();
  return yield* builder.build();
}

interface Unweighted<T> {
  readonly party: T;
  readonly name: ListedName;
  readonly read: Name;
}

class Builder<T> {
  readonly #names: Unweighted<T>[] = [];
  readonly #words = new Map<string, NameWord>();
  /** Key → number of parties with it. */
  readonly #parties = new Map<string, number>();

  count({ party, names }: ListedParty<T>): void {
    const keys = new Set<string>();
    for (const name of names) {
      for (const read of readings(name.text, (word) => this.#word(word))) {
        this.#names.push({ party, name, read });
        for (const { key } of read.words) keys.add(key);
      }
    }
    for (const key of keys) this.#parties.set(key, (this.#parties.get(key) ?? 0) + 1);
  }

  #word(text: string): NameWord {
    const known = this.#words.get(text) ?? toWord(text);
    this.#words.set(text, known);
    return known;
  }

  /** A rare word that many parties bear says less. */
  *weigh(): Generator<void, void, void> {
    let count = 0;
    for (const [text, word] of this.#words) {
      const parties = this.#parties.get(word.key) ?? 1;
      if (word.kind === 'rare' && parties > FREE_SHARE) {
        this.#words.set(text, { ...word, weight: Math.max(LEAST_RARE, 1 - 0.12 * Math.log2(parties / FREE_SHARE)) });
      }
      count += 1;
      if (count % 1000 === 0) yield;
    }
  }

  *build(): Generator<void, NameIndex<T>, void> {
    const entries: Entry<T>[] = [];
    const postings = new Map<string, number[]>();
    const joins = new BucketInput();
    const wholes = new BucketInput();
    for (const [i, { party, name, read }] of this.#names.entries()) {
      const words = read.words.map(({ text }) => this.#words.get(text) as NameWord);
      const business = totalWeight(words.filter(isBusiness));
      const initials = words.filter(isInitial).length;
      entries.push({ party, name, read: { ...read, words }, weight: totalWeight(words), business, initials });
      for (const key of new Set(words.map(({ key }) => key))) {
        const known = postings.get(key);
        if (known) known.push(i);
        else postings.set(key, [i]);
      }
      for (const some of neighbours(words)) {
        const keys = new Set([joinedKey(some), textOfJoined(some)]);
        for (const key of keys) joins.add(hashOf(key), i);
      }
      for (const text of new Set([...read.solid, ...read.initials])) wholes.add(hashOf(text), i);
      if (i % NAMES_AT_ONCE === 0) yield;
    }
    const keys = [...postings.keys()];
    const ids = new Map(keys.map((key, i) => [key, i]));
    yield;
    const variants = new BucketInput();
    let count = 0;
    for (const word of this.#words.values()) {
      const id = ids.get(word.key);
      if (id !== undefined) spellingHashes(word, (hash) => variants.add(hash, id));
      count += 1;
      if (count % NAMES_AT_ONCE === 0) yield;
    }
    const spellings = yield* variants.build();
    const flat = keys.map((key) => Uint32Array.from(postings.get(key) ?? []));
    yield;
    const weights = Float32Array.from(keys, () => 0);
    for (const { key, weight } of this.#words.values()) {
      const id = ids.get(key);
      if (id !== undefined) weights[id] = Math.max(weights[id] ?? 0, weight);
    }
    return new Index(entries, ids, flat, weights, keys, spellings, yield* joins.build(), yield* wholes.build(), this.#words);
  }
}

class Index<T> implements NameIndex<T> {
  readonly names: number;
  readonly #entries: readonly Entry<T>[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #postings: readonly Uint32Array[];
  /** The highest weight of a word with the key, per key. */
  readonly #weights: Float32Array;
  readonly #keys: readonly string[];
  readonly #spellings: Buckets;
  /** Hash of words that a name has as several → name. */
  readonly #joins: Buckets;
  /** Hash of a whole name without blanks, and of its initials → name. */
  readonly #wholes: Buckets;
  readonly #words: ReadonlyMap<string, NameWord>;
  /** Scratch of one search, per name: the weight of its words that were found, and of the searched words they stand for. Zero between searches. */
  readonly #found: Float32Array;
  readonly #explained: Float32Array;

  constructor(
    entries: readonly Entry<T>[],
    ids: ReadonlyMap<string, number>,
    postings: readonly Uint32Array[],
    weights: Float32Array,
    keys: readonly string[],
    spellings: Buckets,
    joins: Buckets,
    wholes: Buckets,
    words: ReadonlyMap<string, NameWord>,
  ) {
    this.names = entries.length;
    this.#entries = entries;
    this.#ids = ids;
    this.#postings = postings;
    this.#weights = weights;
    this.#keys = keys;
    this.#spellings = spellings;
    this.#joins = joins;
    this.#wholes = wholes;
    this.#words = words;
    this.#found = new Float32Array(entries.length);
    this.#explained = new Float32Array(entries.length);
  }

  reads(text: string): boolean {
    return readAlone(text).length > 0;
  }

  search(text: string): readonly Hit<T>[] {
    return bestOfParties(this.#readings(text).flatMap((searched) => this.#hits(searched, this.#candidates(searched))));
  }

  searchAll(text: string): readonly Hit<T>[] {
    return bestOfParties(this.#readings(text).flatMap((searched) => this.#hits(searched, this.#entries)));
  }

  #readings(text: string): readonly Name[] {
    return readAlone(text).map((name) => ({ ...name, words: name.words.map((word) => this.#words.get(word.text) ?? word) }));
  }

  #hits(searched: Name, entries: readonly Entry<T>[]): Hit<T>[] {
    return entries.flatMap(({ party, name, read }) => {
      const isWeak = name.matchedOn === 'weak_alias';
      const { score, decision, alignment } = scoreNames(searched, read, { isWeak });
      if (decision === null) return [];
      return [{ party, name, score, decision, explanation: explain(searched, read, alignment, isWeak) }];
    });
  }

  /** The names whose words, as far as they were found, can reach `REVIEW_FROM`. */
  #candidates({ words, solid, initials }: Name): Entry<T>[] {
    const business = words.filter(isBusiness);
    const telling = words.length > business.length ? words.filter((word) => !isBusiness(word)) : words;
    const touched: number[] = [];
    for (const word of telling) this.#addWord(word, touched);
    for (const some of neighbours(words)) {
      const key = joinedKey(some);
      const printed = this.#words.get(textOfJoined(some))?.key ?? key;
      this.#addKey(key, totalWeight(some), touched);
      if (printed !== key) this.#addKey(printed, totalWeight(some), touched);
    }
    for (const { key, text, weight } of words) {
      const joined = (name: number): void => this.#add(name, JOINED_WEIGHT, weight, touched);
      this.#joins.find(hashOf(key), joined);
      if (text !== key) this.#joins.find(hashOf(text), joined);
    }
    const [only, second] = words;
    for (const text of only && !second ? [...solid, only.text] : solid) {
      this.#wholes.find(hashOf(text), (name) => this.#add(name, ANY_WEIGHT, 0, touched));
    }
    for (const text of initials) this.#addKey(this.#words.get(text)?.key ?? text, totalWeight(words), touched);
    const search: Reach = {
      telling: totalWeight(telling),
      business: telling === words ? 0 : totalWeight(business),
      initials: words.filter(isInitial).length,
      least: telling === words ? REVIEW_FROM / NO_EVIDENCE : REVIEW_FROM,
    };
    const candidates: Entry<T>[] = [];
    for (const name of touched) {
      const entry = this.#entries[name] as Entry<T>;
      if (isWithinReach(search, entry, this.#found[name] ?? 0, this.#explained[name] ?? 0)) candidates.push(entry);
      this.#found[name] = 0;
      this.#explained[name] = 0;
    }
    return candidates;
  }

  #addWord(word: NameWord, touched: number[]): void {
    this.#addKey(word.key, word.weight, touched);
    const near = new Set<number>();
    spellingHashes(word, (hash) => this.#spellings.find(hash, (id) => near.add(id)));
    for (const id of near) if (this.#keys[id] !== word.key) this.#addId(id, word.weight, touched);
  }

  #addKey(key: string, explained: number, touched: number[]): void {
    const id = this.#ids.get(key);
    if (id !== undefined) this.#addId(id, explained, touched);
  }

  #addId(id: number, explained: number, touched: number[]): void {
    const weight = this.#weights[id] ?? 1;
    const postings = this.#postings[id];
    if (postings) for (let i = 0; i < postings.length; i += 1) this.#add(postings[i] as number, weight, explained, touched);
  }

  /** @param weight of the listed words that were found in a name @param explained weight of the searched words that they stand for */
  #add(name: number, weight: number, explained: number, touched: number[]): void {
    if (this.#found[name] === 0) touched.push(name);
    this.#found[name] = (this.#found[name] ?? 0) + weight;
    this.#explained[name] = (this.#explained[name] ?? 0) + explained;
  }
}

/** Calls `found` with hashes of which words that are similar by their letters share one. None for a word with a digit, which must be equal. */
function spellingHashes({ text, sound, kind }: NameWord, found: (hash: number) => void): void {
  if (kind === 'number') return;
  const budget = editBudget(text.length);
  hashesWithout(text, budget, found);
  if (text.endsWith('ES')) found(hashOf(text.slice(0, -2)));
  if (sound !== text) hashesWithout(sound, Math.min(budget, KEY_BUDGET), found);
}

function bestOfParties<T>(hits: readonly Hit<T>[]): readonly Hit<T>[] {
  const best = new Map<T, Hit<T>>();
  for (const hit of hits) {
    const known = best.get(hit.party);
    if (!known || rank(hit) > rank(known)) best.set(hit.party, hit);
  }
  return [...best.values()].toSorted((a, b) => rank(b) - rank(a));
}

const rank = ({ decision, score }: Hit<unknown>): number => (decision === 'match' ? 1 : 0) + score;
