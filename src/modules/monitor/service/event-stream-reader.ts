import { bulkhead } from 'cockatiel';
import type { Knex } from 'knex';
import { type Listening, listen } from '../../../db/listen.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EventFeed } from '../../../domain/event-feed.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import { requireKept } from '../domain/cursor.ts';
import { channelOf, readHead, type Stream } from '../store/stream-head.ts';
import { Follower, type News, type Page, Ring } from './subscriber.ts';

/** While someone follows, the table is looked at even when no notification came. */
const POLL_MS = SECOND_MS;
/** Rows that the reader takes at a time, and a follower that catches up. */
const READER_ROWS = 200;
const FOLLOWER_ROWS = 100;
/** Followers that read the table at once: their questions leave the pool to others. */
const READS_AT_ONCE = 4;

/** Rows of a stream's table behind a position, oldest first; of one key where `keyId` is given. */
export type RowsAfter<T> = (db: Knex, after: number, page: { readonly limit: number; readonly keyId?: string }) => Promise<readonly T[]>;

export interface Following<T> {
  readonly keyId: string;
  readonly matches: (one: T) => boolean;
  /** What lies behind this position comes first; without it only what happens from now on comes. */
  readonly after?: number;
  /** What callers may resume with; left out for a stream that cannot be resumed. */
  readonly cursorOf?: (position: number) => string;
}

/**
 * The one reader that a process has of a stream, and its followers. Notifications and a poll only say that there may be something; the
 * table is what it goes by. It reads only while someone follows.
 */
export class Tail<T extends News> {
  readonly #deps: Pick<ServiceDeps, 'db' | 'log' | 'now'>;
  readonly #stream: Stream;
  readonly #rowsAfter: RowsAfter<T>;
  readonly #ring = new Ring<T>();
  readonly #followers = new Map<string, Set<Follower<T>>>();
  readonly #reads = bulkhead(READS_AT_ONCE, Number.POSITIVE_INFINITY);
  #beginning: Promise<void> | null = null;
  #running = false;
  #listening: Listening | null = null;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #lookAgain = false;

  constructor(stream: Stream, rowsAfter: RowsAfter<T>, deps: Pick<ServiceDeps, 'db' | 'log' | 'now'>) {
    this.#stream = stream;
    this.#rowsAfter = rowsAfter;
    this.#deps = deps;
  }

  /** Followers that are being fed. */
  get followers(): number {
    return this.#all().filter(({ began }) => began).length;
  }

  /** Position up to which it has read; null while nobody follows. */
  get position(): number | null {
    return this.#running ? this.#ring.to : null;
  }

  /** @throws AppError CURSOR_TOO_OLD; INVALID_INPUT for a position that was not given out; SERVICE_UNAVAILABLE without a database */
  async follow({ keyId, matches, after, cursorOf }: Following<T>): Promise<EventFeed<T>> {
    const follower: Follower<T> = new Follower<T>({
      keyId,
      matches,
      ring: this.#ring,
      page: (behind) => this.#page(behind, keyId, cursorOf),
      now: this.#deps.now,
      cursorOf,
      failed: (err) => this.#deps.log.warn({ err, stream: this.#stream }, 'what was missed cannot be read yet'),
      left: () => this.#remove(follower),
    });
    this.#add(follower);
    try {
      if (!this.#running) await this.#begin();
      if (after !== undefined) await this.#check(after, cursorOf);
      follower.begin(after ?? this.#ring.to);
      return follower;
    } catch (error) {
      await follower.return();
      if (error instanceof AppError) throw error;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        'Events cannot be read right now; try again in a moment.',
        { retryAfterSeconds: 2 },
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    for (const follower of this.#all()) await follower.return();
    await this.#listening?.stop();
    await this.#looking;
  }

  #all(): readonly Follower<T>[] {
    return [...this.#followers.values()].flatMap((followers) => [...followers]);
  }

  #add(follower: Follower<T>): void {
    const others = this.#followers.get(follower.keyId) ?? new Set();
    this.#followers.set(follower.keyId, others.add(follower));
  }

  #remove(follower: Follower<T>): void {
    const others = this.#followers.get(follower.keyId);
    others?.delete(follower);
    if (others?.size === 0) this.#followers.delete(follower.keyId);
    if (this.#followers.size > 0) return;
    clearInterval(this.#poll);
    this.#running = false;
  }

  /** Goes on where the stream stands. */
  #begin(): Promise<void> {
    this.#beginning ??= (async () => {
      const { position } = await readHead(this.#deps.db, this.#stream);
      this.#ring.restart(position);
      if (this.#followers.size === 0) return;
      this.#running = true;
      clearInterval(this.#poll);
      this.#poll = setInterval(() => this.#tick(), POLL_MS).unref();
      this.#listening ??= listen(this.#deps.db, channelOf(this.#stream), { heard: () => this.#look(), log: this.#deps.log });
    })().finally(() => {
      this.#beginning = null;
    });
    return this.#beginning;
  }

  #tick(): void {
    this.#look();
    for (const follower of this.#all()) follower.cutIfLagging();
  }

  /** Reads what is new; once more when it is told to meanwhile. */
  #look(): void {
    this.#lookAgain = true;
    this.#looking ??= (async () => {
      while (this.#lookAgain && this.#running) {
        this.#lookAgain = false;
        while (await this.#readOn());
      }
    })()
      .catch((err: unknown) => this.#deps.log.warn({ err, stream: this.#stream }, 'news cannot be read yet'))
      .finally(() => {
        this.#looking = null;
      });
  }

  /** True when there may be more. */
  async #readOn(): Promise<boolean> {
    const after = this.#ring.to;
    const rows = await this.#rowsAfter(this.#deps.db, after, { limit: READER_ROWS });
    if (!this.#running || this.#ring.to !== after) return false; // all left meanwhile, and others came
    for (const one of rows) {
      this.#ring.push(one);
      for (const follower of this.#followers.get(one.keyId) ?? []) follower.tell(one);
    }
    for (const keyId of new Set(rows.map((one) => one.keyId))) {
      for (const follower of this.#followers.get(keyId) ?? []) follower.cutIfLagging();
    }
    return rows.length === READER_ROWS;
  }

  async #page(after: number, keyId: string, cursorOf: Following<T>['cursorOf']): Promise<Page<T>> {
    return this.#reads.execute(async () => {
      const known = this.#ring.to;
      const rows = await this.#rowsAfter(this.#deps.db, after, { limit: FOLLOWER_ROWS, keyId });
      await this.#check(after, cursorOf); // asked last: what was forgotten while we read is missing from the page
      const last = rows.at(-1)?.position ?? after;
      return { rows, upTo: rows.length < FOLLOWER_ROWS ? Math.max(known, last) : last };
    });
  }

  /** What cannot be resumed has no past to miss. */
  async #check(after: number, cursorOf: Following<T>['cursorOf']): Promise<void> {
    if (cursorOf) requireKept(after, await readHead(this.#deps.db, this.#stream), cursorOf);
  }
}
