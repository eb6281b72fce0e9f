import { LRUCache } from 'lru-cache';
import type { Answer, Found } from '../domain/answer.ts';
import type { Clock } from '../domain/time.ts';
import type { Use } from '../sources/source.ts';
import type { FetchingLoader } from './fetching-loader.ts';

interface Kept<V> {
  readonly found: Found<V>;
  readonly epoch: string | null;
  readonly fetchedAt: number;
  /** When its batch was sent: what happened since may be missing from it. */
  readonly askedAt: number;
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
  readonly #onItsWay = new Map<string, { readonly askedAt: number; readonly landed: Promise<Kept<V>> }>();

  constructor(loader: FetchingLoader<K, V>, use: Use, now: Clock) {
    this.#loader = loader;
    this.#use = use;
    this.#now = now;
    this.#kept = new LRUCache({ max: loader.cache.max });
  }

  /**
   * Keys → an answer each, in order: kept, joined to a fetch on its way, or fetched now with the others that miss.
   * @param since epoch ms: an answer asked for earlier does not count
   */
  through(keys: readonly K[], since = Number.NEGATIVE_INFINITY): readonly Promise<Answer<V>>[] {
    const now = this.#now();
    const epoch = this.#loader.epoch?.(this.#use) ?? null;
    const texts = keys.map(this.#loader.key);
    const kept = texts.map((text) => this.#usable(text, epoch, now, since));
    this.#fetch(
      keys.flatMap((key, i) => {
        const text = texts[i] ?? '';
        const entry = kept[i];
        return (entry && now < entry.softUntil) || this.#flight(epoch, text, since) ? [] : [{ key, text }];
      }),
      epoch,
    );
    return texts.map((text, i) => {
      const entry = kept[i];
      if (entry) return Promise.resolve(toAnswer(entry, { cached: true, stale: now >= entry.softUntil }));
      const flight = this.#flight(epoch, text, since);
      if (!flight) throw new Error('a key that misses is always on its way');
      return flight.landed.then((fresh) => toAnswer(fresh, { cached: false, stale: false }));
    });
  }

  #usable(text: string, epoch: string | null, now: number, since: number): Kept<V> | undefined {
    const entry = this.#kept.get(text);
    return entry && entry.epoch === epoch && now < entry.hardUntil && entry.askedAt >= since ? entry : undefined;
  }

  #flight(epoch: string | null, text: string, since: number) {
    const flight = this.#onItsWay.get(inEpoch(epoch, text));
    return flight && flight.askedAt >= since ? flight : undefined;
  }

  #fetch(missing: readonly { key: K; text: string }[], epoch: string | null): void {
    if (missing.length === 0) return;
    const askedAt = this.#now();
    const found = this.#loader.batch(
      missing.map(({ key }) => key),
      this.#use,
    );
    missing.forEach(({ text }, i) => {
      const name = inEpoch(epoch, text);
      const landed: Promise<Kept<V>> = Promise.resolve(found[i] ?? Promise.reject(new Error(`loader ${this.#loader.name} gave no answer`)))
        .then((fact) => this.#keep(text, fact, { epoch, askedAt }))
        .finally(() => {
          if (this.#onItsWay.get(name)?.landed === landed) this.#onItsWay.delete(name); // a later fetch may have taken its place
        });
      landed.catch(() => undefined); // a refresh nobody waits for may fail unseen: the source has logged it
      this.#onItsWay.set(name, { askedAt, landed });
    });
  }

  #keep(text: string, found: Found<V>, { epoch, askedAt }: Pick<Kept<V>, 'epoch' | 'askedAt'>): Kept<V> {
    const { softMs, hardMs } = this.#loader.cache;
    const now = this.#now();
    const goodUntil = found.goodUntil ?? Number.POSITIVE_INFINITY;
    const entry: Kept<V> = {
      found,
      epoch,
      askedAt,
      fetchedAt: found.fetchedAt ?? now,
      softUntil: Math.min(now + softMs(found.value), goodUntil),
      hardUntil: Math.min(now + hardMs(found.value), goodUntil),
    };
    if ((this.#kept.get(text)?.askedAt ?? 0) <= askedAt) this.#kept.set(text, entry); // a slow call must not put back what a later one replaced
    return entry;
  }
}

const inEpoch = (epoch: string | null, text: string): string => `${epoch ?? ''}|${text}`;

const toAnswer = <V>({ found, fetchedAt, softUntil }: Kept<V>, { cached, stale }: { cached: boolean; stale: boolean }): Answer<V> => ({
  value: found.value,
  freshness: { fetchedAt, dataAsOf: found.dataAsOf, cached, stale, expiresAt: softUntil },
});
