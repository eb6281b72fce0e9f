import { LRUCache } from 'lru-cache';
import type { Answer, Found } from '../domain/answer.ts';
import type { Observer } from '../domain/observer.ts';
import type { Clock } from '../domain/time.ts';
import type { FetchingLoader } from '../loaders/fetching-loader.ts';
import { whileAwaited } from '../sources/http/called-off.ts';
import type { Use } from '../sources/source.ts';
import { Audience } from './waiters.ts';

interface Kept<V> {
  readonly found: Found<V>;
  readonly epoch: string | null;
  readonly fetchedAt: number;
  /** When its batch was sent: what happened since may be missing from it. */
  readonly askedAt: number;
  readonly softUntil: number;
  readonly hardUntil: number;
}

/** A fetch that has not answered yet. */
interface Flight<V> {
  readonly askedAt: number;
  /** Those who wait for the batch that it is part of. */
  readonly audience: Audience;
  readonly landed: Promise<Kept<V>>;
}

/**
 * The process-wide half of a fetching loader's memory: answers by key, one fetch for all who miss at once, failures never kept.
 * The package bounds size; age is judged here, by the injected clock.
 */
export class TtlCache<K, V> {
  readonly #loader: FetchingLoader<K, V>;
  readonly #use: Use;
  readonly #now: Clock;
  readonly #observer: Observer | undefined;
  readonly #kept: LRUCache<string, Kept<V>>;
  readonly #onItsWay = new Map<string, Flight<V>>();

  constructor(loader: FetchingLoader<K, V>, use: Use, now: Clock, observer?: Observer) {
    this.#loader = loader;
    this.#use = use;
    this.#now = now;
    this.#observer = observer;
    this.#kept = new LRUCache({ max: loader.cache.max });
  }

  /**
   * Keys → an answer each, in order: kept, joined to a fetch on its way, or fetched now with the others that miss.
   * @param since epoch ms: an answer asked for earlier does not count
   * @param signal aborted when nobody waits for these any more: what is fetched for nobody else is called off
   */
  through(keys: readonly K[], since = Number.NEGATIVE_INFINITY, signal?: AbortSignal): readonly Promise<Answer<V>>[] {
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
    const audiences = new Set<Audience>();
    const answers = texts.map((text, i) => {
      const entry = kept[i];
      this.#observer?.answered(this.#loader.name, howCome(entry, now));
      if (entry) return Promise.resolve(toAnswer(entry, { cached: true, stale: now >= entry.softUntil }));
      const flight = this.#flight(epoch, text, since);
      if (!flight) throw new Error('a key that misses is always on its way');
      audiences.add(flight.audience);
      return flight.landed.then((fresh) => toAnswer(fresh, { cached: false, stale: false }));
    });
    for (const audience of audiences) audience.join(signal);
    return answers;
  }

  #usable(text: string, epoch: string | null, now: number, since: number): Kept<V> | undefined {
    const entry = this.#kept.get(text);
    return entry && entry.epoch === epoch && now < entry.hardUntil && entry.askedAt >= since ? entry : undefined;
  }

  #flight(epoch: string | null, text: string, since: number) {
    const flight = this.#onItsWay.get(inEpoch(epoch, text));
    return flight && flight.askedAt >= since && !flight.audience.signal.aborted ? flight : undefined;
  }

  #fetch(missing: readonly { key: K; text: string }[], epoch: string | null): void {
    if (missing.length === 0) return;
    const askedAt = this.#now();
    const audience = new Audience();
    const keys = missing.map(({ key }) => key);
    const found = whileAwaited(audience.signal, () => this.#ask(keys));
    missing.forEach(({ text }, i) => {
      const name = inEpoch(epoch, text);
      const landed: Promise<Kept<V>> = Promise.resolve(found[i] ?? Promise.reject(new Error(`loader ${this.#loader.name} gave no answer`)))
        .then((fact) => this.#keep(text, fact, { epoch, askedAt }))
        .finally(() => {
          if (this.#onItsWay.get(name)?.landed === landed) this.#onItsWay.delete(name); // a later fetch may have taken its place
        });
      landed.catch(() => undefined); // a refresh nobody waits for may fail unseen: the source has logged it
      this.#onItsWay.set(name, { askedAt, audience, landed });
    });
  }

  #ask(keys: readonly K[]): readonly Promise<Found<V>>[] {
    const work = () => this.#loader.batch(keys, this.#use);
    const batch = this.#observer?.begin({ kind: 'batch', name: this.#loader.name, size: keys.length });
    if (!batch) return work();
    const found = batch.within(work);
    void Promise.allSettled(found).then((all) => batch.end(all.some(({ status }) => status === 'rejected') ? 'failed' : 'ok'));
    return found;
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

function howCome(entry: Kept<unknown> | undefined, now: number): 'hit' | 'stale' | 'miss' {
  if (!entry) return 'miss';
  return now < entry.softUntil ? 'hit' : 'stale';
}

const inEpoch = (epoch: string | null, text: string): string => `${epoch ?? ''}|${text}`;

const toAnswer = <V>({ found, fetchedAt, softUntil }: Kept<V>, { cached, stale }: { cached: boolean; stale: boolean }): Answer<V> => ({
  value: found.value,
  freshness: { fetchedAt, dataAsOf: found.dataAsOf, cached, stale, expiresAt: softUntil },
});
