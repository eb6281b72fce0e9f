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
    for (const part of slices(hashes)) {
      buckets.#count(part);
      yield;
    }
    let before = 0;
    for (const part of slices(buckets.#starts)) {
      before = summed(part, before);
      yield;
    }
    const next = buckets.#starts.slice();
    for (const [i, part] of slices(hashes).entries()) {
      buckets.#place(part, values.subarray(i * SLICE), next);
      yield;
    }
    return buckets;
  }

  /** Counts the numbers of each bucket in the place after it. */
  #count(hashes: Uint32Array): void {
    for (let i = 0; i < hashes.length; i += 1) {
      const at = ((hashes[i] ?? 0) & this.#mask) + 1;
      this.#starts[at] = (this.#starts[at] ?? 0) + 1;
    }
  }

  /** Stores numbers in their buckets. @param next the next free place of each bucket */
  #place(hashes: Uint32Array, values: Uint32Array, next: Uint32Array): void {
    for (let i = 0; i < hashes.length; i += 1) {
      const hash = hashes[i] ?? 0;
      const at = next[hash & this.#mask] ?? 0;
      next[hash & this.#mask] = at + 1;
      this.#values[at] = values[i] ?? 0;
      this.#marks[at] = hash >>> 16;
    }
  }

  /** Calls `found` for each number that was stored under this hash. */
  find(hash: number, found: (value: number) => void): void {
    const end = this.#starts[(hash & this.#mask) + 1] ?? 0;
    for (let at = this.#starts[hash & this.#mask] ?? 0; at < end; at += 1) {
      if (this.#marks[at] === hash >>> 16) found(this.#values[at] ?? 0);
    }
  }
}

/** Splits an array into views of `SLICE` numbers. */
const slices = (array: Uint32Array): readonly Uint32Array[] =>
  Array.from({ length: Math.ceil(array.length / SLICE) }, (_, i) => array.subarray(i * SLICE, (i + 1) * SLICE));

/** Replaces each number by the sum of all numbers up to it. @returns the last sum */
function summed(numbers: Uint32Array, before: number): number {
  let sum = before;
  for (let i = 0; i < numbers.length; i += 1) {
    sum += numbers[i] ?? 0;
    numbers[i] = sum;
  }
  return sum;
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
  const length = Math.min(text.length, LONGEST);
  let hash = 0;
  for (let i = 0; i < length; i += 1) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return mixed(hash);
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
