/** Something that happened, at its place in the order of commits, to one key. */
export interface News {
  readonly position: number;
  readonly keyId: string;
}

/** Entries that are kept at least, and those that are then dropped at once. */
const KEPT = 1_024;
const DROPPED = 128;

/** The latest news of a stream, of all keys: everything after `from` and up to `to`. */
export class Ring<T extends News> {
  #news: T[] = [];
  #from = 0;
  #to = 0;

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  /** Forgets everything and goes on behind a position. */
  restart(position: number): void {
    this.#news = [];
    this.#from = position;
    this.#to = position;
  }

  push(one: T): void {
    this.#news.push(one);
    this.#to = one.position;
    if (this.#news.length < KEPT + DROPPED) return;
    this.#from = this.#news[DROPPED - 1]?.position ?? this.#from;
    this.#news = this.#news.slice(DROPPED);
  }

  /** The first match behind a position. */
  find(after: number, matches: (one: T) => boolean): T | undefined {
    for (let i = this.#indexAfter(after); i < this.#news.length; i += 1) {
      const one = this.#news[i];
      if (one && matches(one)) return one;
    }
    return undefined;
  }

  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#news.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#news[middle]?.position ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
