/** Numbers by hash, in two flat arrays. A search may also return numbers of other hashes: what it returns must be verified. */
export class Buckets {
  readonly #starts: Uint32Array;
  readonly #values: Uint32Array;
  readonly #marks: Uint16Array;
  readonly #mask: number;

  /** @param hashes 32 bits each @param values one for each hash */
  constructor(hashes: Uint32Array, values: Uint32Array) {
    const bits = Math.max(4, Math.ceil(Math.log2(hashes.length + 1)));
    this.#mask = 2 ** bits - 1;
    this.#starts = new Uint32Array(2 ** bits + 1);
    for (const hash of hashes) this.#starts[(hash & this.#mask) + 1] = (this.#starts[(hash & this.#mask) + 1] ?? 0) + 1;
    for (let i = 1; i < this.#starts.length; i += 1) this.#starts[i] = (this.#starts[i] ?? 0) + (this.#starts[i - 1] ?? 0);
    this.#values = new Uint32Array(hashes.length);
    this.#marks = new Uint16Array(hashes.length);
    const next = this.#starts.slice();
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

  build(): Buckets {
    return new Buckets(this.#hashes.subarray(0, this.#count), this.#values.subarray(0, this.#count));
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(array.length * 2);
  longer.set(array);
  return longer;
}

/** Hash of a text (FNV-1a, mixed), 32 bits. Letters at `skip` and `skipNext` are left out. */
export function hashOf(text: string, skip = -1, skipNext = -1): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    if (i !== skip && i !== skipNext) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Calls `found` with the hash of a word, and of what is left of it without one or two of its letters. */
export function hashesWithout(word: string, letters: number, found: (hash: number) => void): void {
  found(hashOf(word));
  if (letters === 0) return;
  for (let i = 0; i < word.length; i += 1) {
    found(hashOf(word, i));
    for (let j = i + 1; letters > 1 && j < word.length; j += 1) found(hashOf(word, i, j));
  }
}
