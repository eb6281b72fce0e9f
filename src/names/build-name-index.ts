import { BucketInput, hashOf } from './buckets.ts';
import { joinsOf, type NameWord, readings, toWord } from './name.ts';
import { type Entry, Index, type ListedParty, type NameIndex } from './name-index.ts';
import { Findings } from './scoring-threshold.ts';
import { spellingHashes } from './similarity.ts';

/** Number of names or words after which a build yields. */
const AT_ONCE = 20;

/** Number of parties up to which a shared word keeps its full weight. */
const FREE_SHARE = 4;
const LEAST_RARE = 0.5;
/**
 * Builds an index. Yields often, so that the caller can let other work run in between.
 * @returns the index, as return value of the generator
 */
export function* buildNameIndex<T>(parties: Iterable<ListedParty<T>>): Generator<void, NameIndex<T>, void> {
  const builder = new Builder<T>();
  let count = 0;
  for (const party of parties) {
    builder.add(party);
    count += party.names.length;
    if (count < AT_ONCE) continue;
    count = 0;
    yield;
  }
  yield* builder.weigh();
  return yield* builder.build();
}

/** A word of the index. The weight of a rare word is known when all parties were read. */
interface IndexedWord extends NameWord {
  weight: number;
}

class Builder<T> {
  readonly #entries: Entry<T>[] = [];
  readonly #words = new Map<string, IndexedWord>();
  readonly #ids = new Map<string, number>();
  /** Number of parties with a key, and the last name with it, by number of the key. */
  readonly #parties: number[] = [];
  readonly #lastNames: number[] = [];
  readonly #postings = new BucketInput();
  readonly #joins = new BucketInput();
  readonly #wholes = new BucketInput();

  add({ party, names }: ListedParty<T>): void {
    const first = this.#entries.length;
    for (const name of names) {
      for (const read of readings(name.text, this.#word)) {
        const entry = this.#entries.push({ party, name, read }) - 1;
        for (const { key } of read.words) this.#addKey(key, entry, first);
        for (const { key, text } of joinsOf(read.words)) {
          this.#joins.add(hashOf(key), entry);
          if (text !== key) this.#joins.add(hashOf(text), entry);
        }
        for (const text of read.solid) this.#wholes.add(hashOf(text), entry);
        for (const text of read.initials) if (!read.solid.includes(text)) this.#wholes.add(hashOf(text), entry);
      }
    }
  }

  readonly #word = (text: string): NameWord => {
    const known = this.#words.get(text);
    if (known) return known;
    const word = toWord(text);
    this.#words.set(text, word);
    return word;
  };

  /**
   * Counts a word of a name.
   * @param name number of the name
   * @param first number of the first name of its party
   */
  #addKey(key: string, name: number, first: number): void {
    const id = this.#ids.get(key) ?? this.#ids.size;
    if (id === this.#ids.size) this.#ids.set(key, id);
    const last = this.#lastNames[id] ?? -1;
    if (last === name) return;
    if (last < first) this.#parties[id] = (this.#parties[id] ?? 0) + 1;
    this.#lastNames[id] = name;
    this.#postings.add(id, name);
  }

  /**
   * Lowers the weight of rare words that many parties share. Rare words belong to this index alone, whereas indexes share the words of the
   * tables, which have other kinds.
   */
  *weigh(): Generator<void, void, void> {
    let count = 0;
    for (const word of this.#words.values()) {
      const parties = this.#parties[this.#ids.get(word.key) ?? -1] ?? 1;
      if (word.kind === 'rare' && parties > FREE_SHARE) word.weight = Math.max(LEAST_RARE, 1 - 0.12 * Math.log2(parties / FREE_SHARE));
      count += 1;
      if (count % 1000 === 0) yield;
    }
  }

  *build(): Generator<void, NameIndex<T>, void> {
    const variants = new BucketInput();
    const weights = new Float32Array(this.#ids.size);
    let count = 0;
    for (const word of this.#words.values()) {
      const id = this.#ids.get(word.key);
      count += 1;
      if (count % AT_ONCE === 0) yield;
      if (id === undefined) continue;
      spellingHashes(word, (hash) => variants.add(hash, id));
      weights[id] = Math.max(weights[id] ?? 0, word.weight);
    }
    const findings = new Findings(this.#entries.length);
    for (let i = 0; i < this.#entries.length; i += 1) {
      findings.measure(i, (this.#entries[i] as Entry<T>).read.words);
      if (i % 1000 === 0) yield;
    }
    return new Index({
      entries: this.#entries,
      words: this.#words,
      ids: this.#ids,
      weights,
      findings,
      spellings: yield* variants.build(),
      postings: yield* this.#postings.build(),
      joins: yield* this.#joins.build(),
      wholes: yield* this.#wholes.build(),
    });
  }
}
