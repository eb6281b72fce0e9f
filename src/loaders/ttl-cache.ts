import { LRUCache } from 'lru-cache';
import type { Answer, Found } from '../domain/answer.ts';
import type { Clock } from '../domain/time.ts';
import type { Use } from '../sources/source.ts';
import type { FetchingLoader } from './fetching-loader.ts';

interface Kept<V> {
  readonly found: Found<V>;
  readonly epoch: string | null;
  readonly fetchedAt: number;
  readonly softUntil: number;
  readonly hardUntil: number;
}

/**
 * The process-wide half of a fetching loader's memory: answers by key, one fetch for all who miss at once, failures never kept.
 * The package bounds size; age is judged here, by the injected clock.
 */
export class TtlCache<K, V> {
  readonly #loader: FetchingLoader<K, V>;
  readonly #use: Use;
  readonly #now: Clock;
  readonly #kept: LRUCache<string, Kept<V>>;
  readonly #onItsWay = new Map<string, Promise<Kept<V>>>();

  constructor(loader: FetchingLoader<K, V>, use: Use, now: Clock) {
    this.#loader = loader;
    this.#use = use;
    this.#now = now;
    this.#kept = new LRUCache({ max: loader.cache.max });
  }

  /** Keys → an answer each, in order: kept, joined to a fetch on its way, or fetched now with the others that miss. */
  through(keys: readonly K[]): readonly Promise<Answer<V>>[] {
    const now = this.#now();
    const epoch = this.#loader.epoch?.(this.#use) ?? null;
    const texts = keys.map(this.#loader.key);
    const kept = texts.map((text) => this.#usable(text, epoch, now));
    this.#fetch(
      keys.flatMap((key, i) => {
        const text = texts[i] ?? '';
        const entry = kept[i];
        return (entry && now < entry.softUntil) || this.#onItsWay.has(inEpoch(epoch, text)) ? [] : [{ key, text }];
      }),
      epoch,
    );
    return texts.map((text, i) => {
      const entry = kept[i];
      if (entry) return Promise.resolve(toAnswer(entry, { cached: true, stale: now >= entry.softUntil }));
      const fetched = this.#onItsWay.get(inEpoch(epoch, text));
      if (!fetched) throw new Error('a key that misses is always on its way');
      return fetched.then((fresh) => toAnswer(fresh, { cached: false, stale: false }));
    });
  }

  #usable(text: string, epoch: string | null, now: number): Kept<V> | undefined {
    const entry = this.#kept.get(text);
    return entry && entry.epoch === epoch && now < entry.hardUntil ? entry : undefined;
  }

  #fetch(missing: readonly { key: K; text: string }[], epoch: string | null): void {
    if (missing.length === 0) return;
    const found = this.#loader.batch(
      missing.map(({ key }) => key),
      this.#use,
    );
    missing.forEach(({ text }, i) => {
      const flight = inEpoch(epoch, text);
      const landed = Promise.resolve(found[i] ?? Promise.reject(new Error(`loader ${this.#loader.name} gave no answer`)))
        .then((fact) => this.#keep(text, fact, epoch))
        .finally(() => this.#onItsWay.delete(flight));
      landed.catch(() => undefined); // a refresh nobody waits for may fail unseen: the source has logged it
      this.#onItsWay.set(flight, landed);
    });
  }

  #keep(text: string, found: Found<V>, epoch: string | null): Kept<V> {
    const { softMs, hardMs } = this.#loader.cache;
    const now = this.#now();
    const goodUntil = found.goodUntil ?? Number.POSITIVE_INFINITY;
    const entry: Kept<V> = {
      found,
      epoch,
      fetchedAt: found.fetchedAt ?? now,
      softUntil: Math.min(now + softMs(found.value), goodUntil),
      hardUntil: Math.min(now + hardMs(found.value), goodUntil),
    };
    this.#kept.set(text, entry);
    return entry;
  }
}

const inEpoch = (epoch: string | null, text: string): string => `${epoch ?? ''}|${text}`;

const toAnswer = <V>({ found, fetchedAt, softUntil }: Kept<V>, { cached, stale }: { cached: boolean; stale: boolean }): Answer<V> => ({
  value: found.value,
  freshness: { fetchedAt, dataAsOf: found.dataAsOf, cached, stale, expiresAt: softUntil },
});
