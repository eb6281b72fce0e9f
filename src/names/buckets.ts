/**
 * Number of values that are collected in one array, and sorted before the generator yields. Sorting touches memory in random order, and the
 * first touch of each page of memory is slow.
 */
const SLICE = 1024;

/** A map from hash to numbers, in two flat arrays. A search may also return numbers of other hashes, so callers must verify the results. */
export class Buckets {
  readonly #starts: Uint32Array;
  readonly #values: Uint32Array;
  readonly #marks: Uint16Array;
  readonly #mask: number;

  private constructor(hashes: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(hashes + 1)));
    this.#mask = 2 ** bits - 1;
    this.#starts = new Uint32Array(2 ** bits + 2);
    this.#values = new Uint32Array(hashes);
    this.#marks = new Uint16Array(hashes);
  }

  /**
   * Sorts numbers by their hash. Yields after each part.
   * @param parts hashes of 32 bits, each followed by its number
   */
  static *of(parts: readonly Uint32Array[]): Generator<void, Buckets, void> {
    const buckets = new Buckets(parts.reduce((sum, { length }) => sum + length, 0) / 2);
    for (const part of parts) {
      buckets.#count(part);
      yield;
    }
    const starts = buckets.#starts;
    for (let i = 0, sum = 0; i < starts.length; i += SLICE) {
      sum = summed(starts.subarray(i, i + SLICE), sum);
      yield;
    }
    for (const part of parts) {
      buckets.#place(part);
      yield;
    }
    return buckets;
  }

  /** Counts the numbers of each bucket two places after it, so that the sums of the counts are the starts one place after it. */
  #count(part: Uint32Array): void {
    for (let i = 0; i < part.length; i += 2) {
      const at = ((part[i] ?? 0) & this.#mask) + 2;
      this.#starts[at] = (this.#starts[at] ?? 0) + 1;
    }
  }

  /** Stores numbers in their buckets. The place after a bucket has its next free place, which in the end is the start of the next bucket. */
  #place(part: Uint32Array): void {
    for (let i = 0; i < part.length; i += 2) {
      const hash = part[i] ?? 0;
      const next = (hash & this.#mask) + 1;
      const at = this.#starts[next] ?? 0;
      this.#starts[next] = at + 1;
      this.#values[at] = part[i + 1] ?? 0;
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

/** Collects the input of `Buckets` in parts, because nothing else could run while an array of all of it is copied to a longer one. */
export class BucketInput {
  readonly #parts: Uint32Array[] = [];
  #last = new Uint32Array(0);
  /** Number of places of the last part that are in use. */
  #used = 0;

  add(hash: number, value: number): void {
    if (this.#used === this.#last.length) {
      this.#last = new Uint32Array(2 * SLICE);
      this.#parts.push(this.#last);
      this.#used = 0;
    }
    this.#last[this.#used] = hash;
    this.#last[this.#used + 1] = value;
    this.#used += 2;
  }

  build(): Generator<void, Buckets, void> {
    return Buckets.of([...this.#parts.slice(0, -1), this.#last.subarray(0, this.#used)]);
  }
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
