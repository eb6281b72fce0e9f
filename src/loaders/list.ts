import { keepByParts } from '../cache/kept-results.ts';
import { type Answer, type Awaitable, type Freshness, inMemory, type ListFacts, oldest, whenKnown } from '../domain/answer.ts';
import type { SourceName } from '../domain/catalogue.ts';
import type { CompanyKey, Country } from '../domain/company.ts';
import type { ListEntry, RegistrySource } from '../sources/registry/registry.ts';
import type { ListVersion } from '../sources/source.ts';
import { COPY_CACHE } from './copy-facts.ts';
import type { Lookup } from './derived-from.ts';
import type { FetchingLoader } from './loader.ts';

/** A published list's entries for one holder (an empty array is a valid answer), and the version of the list. */
export interface Listing<R> {
  readonly list: SourceName;
  readonly entries: readonly ListEntry<R>[];
  readonly version: ListVersion;
}

/** Loads a list's entries by their holder: the text of a legal person (a CNPJ by its root) or, on Brazilian lists, of a masked CPF. */
export type ListLoader<R> = FetchingLoader<string, Listing<R>>;

/**
 * Creates the loader of a list: one SQL statement per batch, together with the other lists of the request. Answers are fresh for 6 h and
 * stale up to 24 h, but never past the list's own staleness limit. A new version of the list invalidates the cache.
 */
export const listLoader = <R>(list: RegistrySource<R>): ListLoader<R> => ({
  name: list.name,
  key: (holder) => holder,
  cache: { ...COPY_CACHE, ownPart: ({ entries }) => entries },
  cacheVersion: (use) => use(list).version(),
  batch: (holders, use) => {
    const hits = use(list).lookup(holders);
    return holders.map((holder) =>
      hits.then(({ version, entries, goodUntil }) => ({
        value: { list: list.name, entries: entries.get(holder) ?? [], version },
        dataAsOf: version.publishedOn,
        fetchedAt: version.checkedAt,
        goodUntil,
      })),
    );
  },
});

/** Returns the version of a list that was read. */
export const listFacts = ({ list, version: { publishedOn, loadedAt, entries, checksum } }: Listing<unknown>): ListFacts => ({
  list,
  publishedOn,
  loadedAt,
  entries,
  checksum,
});

/** The answers of several lists about one holder. */
interface Consultation<R> {
  /** Answers of the lists that could be read, in the order in which they were requested. */
  readonly seen: readonly Listing<R>[];
  readonly freshness: Freshness;
}

/**
 * Computes an answer about a company from several lists, as `derivedFrom` does from one loader. An entry on one list is valid even if other
 * lists failed. Without any entry that decides, every list must have answered, because a company must not be reported clean when a list
 * could not be read. The answer throws the AppError of the first list that failed.
 * @param read gets the listings of the lists that could be read, in the order of the lists, and today's date if there is `dateAt`
 * @param dateAt returns the date on which the answer depends; without it the answer does not depend on a date
 * @param decides returns true for a listing with an entry that decides; by default every entry does
 */
export function derivedFromLists<C extends Country, R, V>(
  lists: readonly Lookup<CompanyKey, Listing<R>>[],
  read: (seen: readonly Listing<R>[], company: CompanyKey<C>, today: string) => V,
  dateAt?: (ms: number) => string,
  decides: (listing: Listing<R>, today: string) => boolean = ({ entries }) => entries.length > 0,
): Lookup<CompanyKey<C>, V> {
  const toAnswer = keepByParts(({ seen, freshness }: Consultation<R>, country: C, taxId: string, today: string) => ({
    value: read(seen, { country, taxId }, today),
    freshness,
  }));
  return (key, load, time) => {
    const answers = lists.map((list) => list(key, load, time));
    const today = dateAt ? time.today(dateAt) : '';
    const consultation = consult(answers, (listing) => decides(listing, today));
    return whenKnown(consultation, (known) => toAnswer(known, key.country, key.taxId, today));
  };
}

/** Combines the answers of several lists about one holder. @throws AppError failure of the first list, unless another list decides */
function consult<R>(
  answers: readonly Awaitable<Answer<Listing<R>>>[],
  decides: (listing: Listing<R>) => boolean,
): Awaitable<Consultation<R>> {
  const known = inMemory(answers);
  return known ? combined(known) : whenSettled(answers, decides);
}

async function whenSettled<R>(
  answers: readonly Awaitable<Answer<Listing<R>>>[],
  decides: (listing: Listing<R>) => boolean,
): Promise<Consultation<R>> {
  const outcomes = await Promise.allSettled(answers);
  const seen = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure && !seen.some(({ value }) => decides(value))) throw failure.reason;
  return combined(seen);
}

/** Combines answers. It returns the same object for the same answers, so that values derived from it are computed once. */
const combined = <R>([first, ...others]: readonly Answer<Listing<R>>[]): Consultation<R> => {
  if (!first) throw new Error('no list was asked');
  return combineKept(first, ...others) as Consultation<R>;
};

const combineKept = keepByParts(
  (...answers: readonly [Answer<Listing<unknown>>, ...Answer<Listing<unknown>>[]]): Consultation<unknown> => ({
    seen: answers.map(({ value }) => value),
    freshness: oldest(answers.map(({ freshness }) => freshness)),
  }),
);
