import { AppError } from '../../../domain/errors.ts';
import type { EventFeed } from '../../../domain/event-feed.ts';
import { SECOND_MS } from '../../../domain/time.ts';

/** A reader that lets so much pass, and takes nothing for so long, is cut off. */
const LAG_EVENTS = 256;
const LAG_MS = 5 * SECOND_MS;
/** Until a page that could not be read is asked for again. */
const AGAIN_MS = SECOND_MS;

/** Rows of the table behind a position; nothing else happened up to `upTo`. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly upTo: number;
}

export interface FollowerParts<T extends News> {
  readonly keyId: string;
  readonly matches: (one: T) => boolean;
  readonly ring: Ring<T>;
  /** What happened to the key behind a position. @throws AppError CURSOR_TOO_OLD */
  readonly page: (after: number) => Promise<Page<T>>;
  readonly now: () => number;
  /** What callers may resume with; nothing for a stream that cannot be resumed. */
  readonly cursorOf?: (position: number) => string;
  readonly failed: (error: unknown) => void;
  readonly left: () => void;
}

/**
 * One reader of a stream. It holds a position and no queue: it takes from the ring where the ring reaches back far enough, else a page
 * from the table.
 */
export class Follower<T extends News> implements EventFeed<T> {
  readonly keyId: string;
  readonly #parts: FollowerParts<T>;
  readonly #cut = new AbortController();
  /** Where it reads on; null before it began. */
  #position: number | null = null;
  #held: T[] = [];
  /** Positions of what was handed out last, and of what surely arrived. */
  #given = 0;
  #sent = 0;
  #ended = false;
  #asked = false;
  #idle = false;
  #wake: (() => void) | null = null;
  /** Since it took something. */
  #missed = 0;
  #takenAt = 0;

  constructor(parts: FollowerParts<T>) {
    this.keyId = parts.keyId;
    this.#parts = parts;
  }

  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  get began(): boolean {
    return this.#position !== null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** From here on it is fed with what comes behind a position. */
  begin(position: number): void {
    this.#position = position;
    this.#given = position;
    this.#takenAt = this.#parts.now();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    this.#sent = this.#given; // who asks for more has passed on what it had
    this.#asked = true;
    try {
      const one = await this.#take();
      if (!one) return { done: true, value: undefined };
      this.#given = one.position;
      return { done: false, value: one };
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      this.#asked = false;
      this.#missed = 0;
      this.#takenAt = this.#parts.now();
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Something happened to its key. */
  tell(one: T): void {
    if (this.#position === null || one.position <= this.#position || !this.#parts.matches(one)) return;
    if (this.#idle) {
      this.#position = one.position - 1; // whatever came before was not for it
      this.#unpark();
    } else this.#missed += 1;
  }

  /** Cuts off a reader that lags; one that waits for news, or for the database, does not. */
  cutIfLagging(): void {
    if (this.#asked || this.#missed < LAG_EVENTS || this.#parts.now() - this.#takenAt < LAG_MS) return;
    const cursor = this.#parts.cursorOf?.(this.#sent);
    this.#cut.abort(
      new AppError(
        'LAGGED',
        'This subscription did not take its events fast enough and was closed.',
        cursor === undefined ? {} : { cursor },
      ),
    );
    this.#end();
  }

  async #take(): Promise<T | undefined> {
    while (!this.#ended) {
      const one = this.#held.shift() ?? this.#fromRing();
      if (one) return one;
      if (this.#position === null || this.#position >= this.#parts.ring.from) await this.#park(true);
      else await this.#readPage(this.#position);
    }
    this.#cut.signal.throwIfAborted();
    return undefined;
  }

  #fromRing(): T | undefined {
    const { ring, matches } = this.#parts;
    if (this.#position === null || this.#position < ring.from) return undefined;
    const one = ring.find(this.#position, matches);
    this.#position = Math.max(this.#position, one?.position ?? ring.to);
    return one;
  }

  async #readPage(after: number): Promise<void> {
    try {
      const { rows, upTo } = await this.#parts.page(after);
      this.#held = rows.filter(this.#parts.matches);
      this.#position = upTo;
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.#parts.failed(error);
      setTimeout(() => this.#unpark(), AGAIN_MS).unref();
      await this.#park(false);
    }
  }

  /** Waits: for news of its key when `idle`. */
  async #park(idle: boolean): Promise<void> {
    if (this.#ended) return;
    this.#idle = idle;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #unpark(): void {
    this.#idle = false;
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#held = [];
    this.#unpark();
    this.#parts.left();
  }
}

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
