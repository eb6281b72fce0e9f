import { SECOND_MS } from '../../../domain/time.ts';
import { type EventFeed, LatestFeed } from '../../../event-feed.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { Screening } from '../domain/screening.ts';
import { findScreenings } from '../store/screenings.ts';

/** Screenings with subscribers are polled at this interval, all of them by one statement. */
const POLL_MS = SECOND_MS;

type Deps = Pick<ServiceDeps, 'db' | 'log'>;

/** Reads the screenings that have subscribers once per process, and passes to each subscriber the newest state of its screening. */
export class ScreeningProgress {
  readonly #deps: Deps;
  readonly #feeds = new Set<ProgressFeed>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts with the given state; ends after the state in which the screening has finished, or when it is deleted. */
  subscribe(screening: Screening): EventFeed<Screening> {
    const feed: ProgressFeed = new ProgressFeed(screening, () => this.#remove(feed));
    this.#feeds.add(feed);
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref();
    return feed;
  }

  #remove(feed: ProgressFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #poll(): Promise<void> {
    if (this.#isReading) return; // a slow database gets one statement at a time
    this.#isReading = true;
    const feeds = [...this.#feeds];
    try {
      const found = await findScreenings(
        this.#deps.db,
        feeds.map(({ screening: { keyId, id } }) => ({ keyId, id })),
      );
      for (const [i, feed] of feeds.entries()) feed.update(found[i] ?? null);
    } catch (err) {
      this.#deps.log.warn({ err }, 'the progress of screenings could not be read; retrying');
    } finally {
      this.#isReading = false;
    }
  }
}

/** Feed of the newest state of one screening. It ends after the state in which the screening has finished. */
class ProgressFeed extends LatestFeed<Screening> {
  /** The newest state. */
  screening: Screening;

  constructor(screening: Screening, onEnd: () => void) {
    super(onEnd);
    this.screening = screening;
    this.#putNewest();
  }

  /** @param screening null if it was deleted */
  update(screening: Screening | null): void {
    const { state, done, failed } = this.screening;
    if (screening === null) this.end();
    else if (screening.state !== state || screening.done !== done || screening.failed !== failed) {
      this.screening = screening;
      this.#putNewest();
    }
  }

  #putNewest(): void {
    this.put(this.screening.id, this.screening);
    if (this.screening.finishedAt !== null) this.finish();
  }
}
