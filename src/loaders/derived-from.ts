import { keepByParts } from '../cache/kept-results.ts';
import { type Answer, type Awaitable, derive, inMemory, oldest, whenKnown } from '../domain/answer.ts';
import type { CompanyKey, Country } from '../domain/company.ts';
import { isSourceUnavailable } from '../domain/errors.ts';
import type { LoaderTime } from './derived-cache.ts';
import type { DerivedLoader, Load, Loader } from './loader.ts';

/*
 * Creates the functions by which derived loaders compute their answers (`DerivedLoader.answer`), from other loaders and a plain function.
 * An answer is either in memory or the promise of one. These functions hide the two cases: they call the plain function at once if everything
 * is in memory, else when it has been loaded. No promise is made for a value in memory, because 50 cached companies have hundreds of them
 * (docs/decisions/0032-steps-of-tuning.md), and because an answer that was awaited cannot be found in `DerivedCache`.
 *
 * `derivedFrom`, `derivedFromTwo`, `derivedFromSome` and `derivedFromLists` (`list.ts`) also return the same object for the same loaded
 * answers and company, so the plain function must be pure. `DerivedCache` finds a warm answer before they run. They give one object where
 * it cannot, because an answer had to be awaited: at the first request, and while a source fails and its answers are stale. What is
 * computed from the object, such as its JSON text, is therefore still found at the next request.
 */

/** Computes the answer to a key from other loaders: a derived loader without a name. */
export type Lookup<K, V> = (key: K, load: Load, time: LoaderTime) => Awaitable<Answer<V>>;
type From<K, V> = Loader<K, V> | Lookup<K, V>;

/** Loads an answer by a loader or a lookup. */
const lookUp = <K, V>(from: From<K, V>, key: K, load: Load, time: LoaderTime): Awaitable<Answer<V>> =>
  typeof from === 'function' ? from(key, load, time) : load(from, key);

/** Computes an answer about a company from another one, which determines its age. */
export function derivedFrom<C extends Country, A, V>(
  from: From<CompanyKey, A>,
  read: (value: A, company: CompanyKey<C>) => V,
): Lookup<CompanyKey<C>, V> {
  const toAnswer = keepByParts((answer: Answer<A>, country: C, taxId: string) =>
    derive(answer, (value) => read(value, { country, taxId })),
  );
  return (key, load, time) => whenKnown(lookUp(from, key, load, time), (answer) => toAnswer(answer, key.country, key.taxId));
}

/**
 * Computes an answer about a company from its record and, if `keyOfSecond` returns one, from the record of a second company. It is as old
 * as the older record.
 */
export function derivedFromTwo<C extends Country, A, V>(
  from: Loader<CompanyKey, A>,
  keyOfSecond: (record: A, company: CompanyKey<C>) => CompanyKey | null,
  read: (record: A, second: A | null) => V,
): Lookup<CompanyKey<C>, V> {
  const ofOne = keepByParts((own: Answer<A>) => derive(own, (record) => read(record, null)));
  const ofTwo = keepByParts((own: Answer<A>, second: Answer<A>) => ({
    value: read(own.value, second.value),
    freshness: oldest([own.freshness, second.freshness]),
  }));
  return (key, load) =>
    whenKnown(load(from, key), (own) => {
      const second = keyOfSecond(own.value, key);
      return second ? whenKnown(load(from, second), (other) => ofTwo(own, other)) : ofOne(own);
    });
}

/**
 * Computes an answer about a company from its record and from records of companies that this record names; null for one whose source is
 * unavailable.
 */
export function derivedFromNamed<C extends Country, A, B, V>(
  from: Loader<CompanyKey, A>,
  others: Loader<CompanyKey, B>,
  keysOf: (record: A, company: CompanyKey<C>) => readonly CompanyKey[],
  read: (record: Answer<A>, named: readonly (Answer<B> | null)[], company: CompanyKey<C>) => Answer<V>,
): Lookup<CompanyKey<C>, V> {
  const toAnswer = keepByParts((record: Answer<A>, country: C, taxId: string, ...named: readonly (Answer<B> | null)[]) =>
    read(record, named, { country, taxId }),
  );
  return (key, load) =>
    whenKnown(load(from, key), (record) => {
      const answers = keysOf(record.value, key).map((one) => load(others, one));
      return whenKnown<readonly (Answer<B> | null)[], Answer<V>>(inMemory(answers) ?? Promise.all(answers.map(orUnavailable)), (named) =>
        toAnswer(record, key.country, key.taxId, ...named),
      );
    });
}

/** The answers of several loaders, whose values are `A`; null for one whose source failed. */
type SomeAnswers<A extends readonly unknown[]> = { readonly [I in keyof A]: Answer<A[I]> | null };

/**
 * Computes an answer about a company from those loaders whose sources answer in time.
 * @param deadlineMs a loader that has not answered after this time counts as failed
 * @param read computes the answer; null if no loader answered
 * @param none returns the answer for that case, at a time in epoch ms
 */
export function derivedFromSome<A extends readonly unknown[], V>(
  loaders: readonly [...{ readonly [I in keyof A]: DerivedLoader<CompanyKey, A[I]> }],
  deadlineMs: number,
  read: (...answers: SomeAnswers<A>) => Answer<V> | null,
  none: (now: number) => Answer<V>,
): Lookup<CompanyKey, V> {
  const toAnswer = keepByParts((...answers: readonly [Answer<unknown> | null]) => read(...(answers as unknown as SomeAnswers<A>)));
  return (key, load, time) => {
    const answers = loaders.map((loader) => load(loader, key));
    return whenKnown(
      inMemory(answers) ?? settledWithin(deadlineMs, answers),
      (some) => toAnswer(...(some as [Answer<unknown>])) ?? none(time.now()),
    );
  };
}

/** Waits for answers until the deadline; null for those that have failed or are late. */
export async function settledWithin<T>(ms: number, answers: readonly Awaitable<Answer<T>>[]): Promise<readonly (Answer<T> | null)[]> {
  const deadline = Promise.withResolvers<null>();
  const timer = setTimeout(() => deadline.resolve(null), ms);
  try {
    return await Promise.all(answers.map((answer) => Promise.race([orUnavailable(answer), deadline.promise])));
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves to the answer, or to null when its source is unavailable. Every other error is rethrown, because it is a defect. */
export async function orUnavailable<T>(answer: Awaitable<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isSourceUnavailable(error)) return null;
    throw error;
  }
}

/**
 * Looks up several answers and reads them. The result is not kept, so `read` may wait for more: it returns the answer or a promise of it.
 */
export const readTogether =
  <K, A extends readonly unknown[], V>(
    lookups: readonly [...{ readonly [I in keyof A]: Lookup<K, A[I]> }],
    read: (answers: { readonly [I in keyof A]: Answer<A[I]> }, key: K, load: Load, time: LoaderTime) => Awaitable<Answer<V>>,
  ): Lookup<K, V> =>
  (key, load, time) => {
    const answers = lookups.map((one) => one(key, load, time));
    return whenKnown(inMemory(answers) ?? Promise.all(answers), (known) => read(known as never, key, load, time));
  };
