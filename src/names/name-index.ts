import { chunksOf } from '../domain/chunks.ts';
import { type Explained, explained } from '../messages/names.ts';
import { type Buckets, finished, hashOf } from './buckets.ts';
import { explain } from './explain.ts';
import { type Name, type NameWord, readAlone, type SearchedName } from './name.ts';
import { type Decision, NO_EVIDENCE, REVIEW_FROM, scoreNames } from './score.ts';
import { type Findings, isInitial, type ScoringThreshold, totalWeight, weightInFull } from './scoring-threshold.ts';
import { isBusiness, spellingHashes } from './similarity.ts';

/*
 * In-memory index of the names of one list, for fuzzy search. An inverted index maps the key of each word to names. Hashes of spellings
 * with letters left out find the keys of mistyped words; hashes of joined words, of full names and of initials find names that are split
 * otherwise. A search adds up the weights of the words that it found per name, and scores only names that can reach
 * `REVIEW_FROM` (`score.ts`), so that it returns the same names as comparing all of them, except names of business words alone, one of
 * which is the beginning of another (`REAL` and `REALTY`). With the 26,000 names of companies of OFAC SDN and
 * the UN, the index takes 1.5 s to build with its rows, and 44 MB, and a search takes about 0.1 ms, on a slow machine (docs/benchmarks.md).
 */

/** A name of a listed party, as printed. */
export interface ListedName {
  readonly text: string;
  readonly matchedOn: 'name' | 'alias' | 'weak_alias';
}

/** A listed party and its names. A search returns the `party`. */
export interface ListedParty<T> {
  readonly party: T;
  readonly names: readonly ListedName[];
}

/** A listed name that resembles the searched one. */
export interface Hit<T> extends Explained {
  readonly party: T;
  readonly name: ListedName;
  /** 0 to 1. */
  readonly score: number;
  readonly decision: Decision;
}

/** A reading of a listed name. */
export interface Entry<T> {
  readonly party: T;
  readonly name: ListedName;
  readonly read: Name;
}

/** An immutable index of the names of one list. It finds names that are similar to a given one. */
export interface NameIndex<T> {
  readonly names: number;
  /** Returns false for a text without a word: it has no Latin, Greek or Cyrillic letter and no digit. */
  reads(text: string): boolean;
  /** Returns the most similar name of each party that resembles `text`, best first; empty if there is none. */
  search(text: string): readonly Hit<T>[];
  /**
   * Returns the same as `search`. Yields after each part of the comparison: a text of 500 characters can have a hundred readings, and each can
   * share words with thousands of names.
   */
  searchInParts(text: string): Generator<void, readonly Hit<T>[], void>;
  /** Returns the same as `search` by comparing every name. It is slow and serves tests and benchmarks. */
  searchAll(text: string): readonly Hit<T>[];
}

/** Infinite weight: hits on the full name are always scored. */
const ANY_WEIGHT = 1_000;
/** Weight above that of two words: names that join or split words of the searched name are always scored. */
const JOINED_WEIGHT = 2;
/** Number of names that are scored before `searchInParts` yields. */
const PART = 50;

/** Parts of an index. A key is the key of the spelling variants of words; keys are numbered. */
export interface Parts<T> {
  readonly entries: readonly Entry<T>[];
  readonly words: ReadonlyMap<string, NameWord>;
  /** Key → number of the key. */
  readonly ids: ReadonlyMap<string, number>;
  /**
   * Inverted index: number of a key → names that have it. Each key has a bucket of its own, because there are not more keys than values, so a
   * search returns no names of other keys.
   */
  readonly postings: Buckets;
  /** The highest weight of a word with the key, by number of the key. */
  readonly weights: Float32Array;
  readonly findings: Findings;
  /** Hash of a spelling → number of a key. */
  readonly spellings: Buckets;
  /** Hash of several words that are written as one → name. */
  readonly joins: Buckets;
  /** Hash of a full name without blanks, or of its initials → name. */
  readonly wholes: Buckets;
}

/** Searches in the parts of an index that `buildNameIndex` created. */
export class Index<T> implements NameIndex<T> {
  readonly names: number;
  readonly #parts: Parts<T>;
  /** Number of the last searched word that found the key, by number of the key. It prevents counting a key twice. */
  readonly #foundBy: Uint32Array;
  #searchedWords = 0;

  constructor(parts: Parts<T>) {
    this.#parts = parts;
    this.names = parts.entries.length;
    this.#foundBy = new Uint32Array(parts.weights.length);
  }

  reads(text: string): boolean {
    return readAlone(text).length > 0;
  }

  search(text: string): readonly Hit<T>[] {
    return finished(this.searchInParts(text));
  }

  *searchInParts(text: string): Generator<void, readonly Hit<T>[], void> {
    const hits: Hit<T>[] = [];
    for (const searched of this.#readings(text)) {
      for (const candidates of chunksOf(this.#candidates(searched), PART)) {
        hits.push(...this.#hits(searched, candidates));
        yield;
      }
    }
    return bestOfParties(hits);
  }

  searchAll(text: string): readonly Hit<T>[] {
    return bestOfParties(this.#readings(text).flatMap((searched) => this.#hits(searched, this.#parts.entries)));
  }

  #readings(text: string): readonly SearchedName[] {
    return readAlone(text).map((name) => ({ ...name, words: name.words.map((word) => this.#parts.words.get(word.text) ?? word) }));
  }

  #hits(searched: Name, entries: readonly Entry<T>[]): Hit<T>[] {
    return entries.flatMap(({ party, name, read }) => {
      const isWeak = name.matchedOn === 'weak_alias';
      const { score, decision, alignment } = scoreNames(searched, read, { isWeak });
      if (decision === null) return [];
      return [{ party, name, score, decision, ...explained(explain(searched, read, alignment, isWeak)) }];
    });
  }

  /** Returns the names whose score can reach `REVIEW_FROM`, estimated by the words that were found. */
  #candidates({ words, joins, solid, initials }: SearchedName): Entry<T>[] {
    const { findings } = this.#parts;
    const business = words.filter(isBusiness);
    const isAllBusiness = words.length === business.length;
    const lookedUp = isAllBusiness ? words : words.filter((word) => !isBusiness(word));
    for (const word of lookedUp) this.#addWord(word);
    for (const { key, text, from, count } of joins) {
      const weight = totalWeight(words.slice(from, from + count));
      const printed = this.#parts.words.get(text)?.key ?? key;
      const found = isAllBusiness ? ANY_WEIGHT : null; // the word that a listed name has for them may identify it
      this.#addKey(key, weight, found);
      if (printed !== key) this.#addKey(printed, weight, found);
    }
    for (const { key, text, weight } of words) {
      const add = (name: number): void => findings.add(name, JOINED_WEIGHT, weight);
      this.#parts.joins.find(hashOf(key), add);
      if (text !== key) this.#parts.joins.find(hashOf(text), add);
    }
    const [only, second] = words;
    for (const text of only && !second ? [...solid, only.text] : solid) {
      this.#parts.wholes.find(hashOf(text), (name) => findings.add(name, ANY_WEIGHT, 0));
    }
    for (const text of initials) this.#addKey(this.#parts.words.get(text)?.key ?? text, totalWeight(words));
    const threshold: ScoringThreshold = {
      lookedUp: weightInFull(lookedUp),
      business: isAllBusiness ? 0 : totalWeight(business),
      initials: words.filter(isInitial).length,
      isAllBusiness,
      minShare: isAllBusiness ? REVIEW_FROM / NO_EVIDENCE : REVIEW_FROM,
    };
    return findings.take(threshold).map((name) => this.#parts.entries[name] as Entry<T>);
  }

  #addWord(word: NameWord): void {
    this.#searchedWords += 1;
    const addOnce = (id: number | undefined): void => {
      if (id === undefined || this.#foundBy[id] === this.#searchedWords) return;
      this.#foundBy[id] = this.#searchedWords;
      this.#addId(id, word.weight);
    };
    addOnce(this.#parts.ids.get(word.key));
    spellingHashes(word, (hash) => this.#parts.spellings.find(hash, addOnce));
  }

  #addKey(key: string, explained: number, found: number | null = null): void {
    const id = this.#parts.ids.get(key);
    if (id !== undefined) this.#addId(id, explained, found);
  }

  /** @param found weight of the word in a listed name; that of the index for null */
  #addId(id: number, explained: number, found: number | null = null): void {
    const weight = found ?? this.#parts.weights[id] ?? 1;
    this.#parts.postings.find(id, (name) => this.#parts.findings.add(name, weight, explained));
  }
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
