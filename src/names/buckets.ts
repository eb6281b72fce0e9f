/** Number of values that are sorted before the generator yields. */
const SLICE = 10_000;

/** A map from hash to numbers, in two flat arrays. A search may also return numbers of other hashes, so callers must verify the results. */
export class Buckets {
  readonly #starts: Uint32Array;
  readonly #values: Uint32Array;
  readonly #marks: Uint16Array;
  readonly #mask: number;

  private constructor(hashes: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(hashes + 1)));
    this.#mask = 2 ** bits - 1;
    this.#starts = new Uint32Array(2 ** bits + 1);
    this.#values = new Uint32Array(hashes);
    this.#marks = new Uint16Array(hashes);
  }

  /**
   * Sorts numbers by their hash. Yields about every ten thousand numbers.
   * @param hashes hashes of 32 bits
   * @param values one number for each hash
   */
  static *of(hashes: Uint32Array, values: Uint32Array): Generator<void, Buckets, void> {
    const buckets = new Buckets(hashes.length);
    const [starts, mask] = [buckets.#starts, buckets.#mask];
    for (let i = 0; i < hashes.length; i += 1) {
      const at = ((hashes[i] ?? 0) & mask) + 1;
      starts[at] = (starts[at] ?? 0) + 1;
      if (i % SLICE === 0) yield;
    }
    for (let i = 1; i < starts.length; i += 1) {
      starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
      if (i % SLICE === 0) yield;
    }
    const next = starts.slice();
    for (let i = 0; i < hashes.length; i += 1) {
      const hash = hashes[i] ?? 0;
      const at = next[hash & mask] ?? 0;
      next[hash & mask] = at + 1;
      buckets.#values[at] = values[i] ?? 0;
      buckets.#marks[at] = hash >>> 16;
      if (i % SLICE === 0) yield;
    }
    return buckets;
  }

  /** Calls `found` for each number that was stored under this hash. */
  find(hash: number, found: (value: number) => void): void {
    const end = this.#starts[(hash & this.#mask) + 1] ?? 0;
    for (let at = this.#starts[hash & this.#mask] ?? 0; at < end; at += 1) {
      if (this.#marks[at] === hash >>> 16) found(this.#values[at] ?? 0);
    }
  }
}

/** Runs a generator to its end and ignores its yields. */
export function finished<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Collects the input of `Buckets`. */
export class BucketInput {
  #hashes = new Uint32Array(1024);
  #values = new Uint32Array(1024);
  #count = 0;

  add(hash: number, value: number): void {
    if (this.#count === this.#hashes.length) {
      this.#hashes = doubled(this.#hashes);
      this.#values = doubled(this.#values);
    }
    this.#hashes[this.#count] = hash;
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  build(): Generator<void, Buckets, void> {
    return Buckets.of(this.#hashes.subarray(0, this.#count), this.#values.subarray(0, this.#count));
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(array.length * 2);
  longer.set(array);
  return longer;
}

/** Base of the polynomial hash, and its powers by number of letters. Only the first LONGEST letters of a text are hashed. */
const BASE = 0x01000193;
const LONGEST = 128;
const POWERS = new Uint32Array(LONGEST + 1);
POWERS[0] = 1;
for (let i = 1; i <= LONGEST; i += 1) POWERS[i] = Math.imul(powerOf(i - 1), BASE);

/** Hashes of the prefixes of the current word, by number of letters. */
const beginnings = new Uint32Array(LONGEST + 1);

/**
 * Returns the 32-bit hash of a text. It is a polynomial, so that the hash of a word without a letter follows from the hashes of the parts
 * around it.
 */
export function hashOf(text: string): number {
  return mixed(hashBeginnings(text));
}

/** Calls `found` with the hash of a word, and of the word without one or two of its letters. */
export function hashesWithout(word: string, letters: number, found: (hash: number) => void): void {
  const all = hashBeginnings(word);
  found(mixed(all));
  if (letters === 0) return;
  const length = Math.min(word.length, LONGEST);
  for (let i = 0; i < length; i += 1) {
    const before = beginning(i);
    found(mixed(appended(before, i + 1, length)));
    for (let j = i + 1; letters > 1 && j < length; j += 1) {
      found(mixed(appended(appended(before, i + 1, j), j + 1, length)));
    }
  }
}

/** Computes `beginnings` for a text. @returns the hash of the whole text, not mixed */
function hashBeginnings(text: string): number {
  const length = Math.min(text.length, LONGEST);
  for (let i = 0; i < length; i += 1) beginnings[i + 1] = Math.imul(beginning(i), BASE) + text.charCodeAt(i);
  return beginning(length);
}

/** Returns the hash of a text followed by the letters from `start` to `end` of the current word. */
const appended = (hash: number, start: number, end: number): number =>
  (Math.imul(hash, powerOf(end - start)) + beginning(end) - Math.imul(beginning(start), powerOf(end - start))) | 0;

function beginning(letters: number): number {
  return beginnings[letters] ?? 0;
}

function powerOf(letters: number): number {
  return POWERS[letters] ?? 0;
}

/** Spreads a hash over all bits. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return (bits ^ (bits >>> 15)) >>> 0;
}
