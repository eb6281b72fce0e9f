import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/domain/answer.ts';
import type { CompanyKey } from '../../src/domain/company.ts';
import { sourceUnavailable } from '../../src/domain/errors.ts';
import { BasisCollector } from '../../src/loaders/derived-cache.ts';
import { derivedFrom, derivedFromSome, derivedFromTwo, type Lookup, readTogether } from '../../src/loaders/derived-from.ts';
import { derivedFromLists, type Listing } from '../../src/loaders/list.ts';
import type { DerivedLoader, Load } from '../../src/loaders/loader.ts';

const company: CompanyKey = { country: 'BR', taxId: '11222333000181' };
const branch: CompanyKey = { country: 'BR', taxId: '11222333000262' };
const time = new BasisCollector(() => Date.parse('2026-11-21T12:00:00Z'));

const answer = <T>(value: T, fetchedAt = 2_000): Answer<T> => ({
  value,
  freshness: { fetchedAt, dataAsOf: null, cached: true, stale: false, expiresAt: null },
});

const two = answer(2);
/** Loads a number by company: 2, and 5 for the branch, which was fetched earlier. */
const numbers: DerivedLoader<CompanyKey, number> = {
  name: 'numbers',
  key: ({ taxId }) => taxId,
  answer: ({ taxId }) => (taxId === company.taxId ? two : five),
};
const five = answer(5, 1_000);
const down: DerivedLoader<CompanyKey, number> = {
  ...numbers,
  name: 'down',
  answer: () => Promise.reject(sourceUnavailable('receita_federal', 'down')),
};
const load: Load = ((loader: DerivedLoader<unknown, unknown>, key: unknown) => loader.answer(key, load, time)) as Load;
/** Loads the same answers as promises. */
const later: Load = (async (loader: DerivedLoader<unknown, unknown>, key: unknown) => loader.answer(key, load, time)) as never;

describe('an answer that is derived from another one', () => {
  const times = derivedFrom(numbers, (value, { taxId }) => ({ value, taxId }));

  it('is read from an answer in memory without a promise, and has its age', () => {
    expect(times(company, load, time)).toEqual({ value: { value: 2, taxId: company.taxId }, freshness: two.freshness });
  });

  it('is one object for one answer and company, also if the answer has to be awaited', async () => {
    const first = times(company, load, time);
    expect(times({ ...company }, load, time)).toBe(first);
    expect(await times(company, later, time)).toBe(first);
    const shared = derivedFrom<'BR', number, string>(
      () => two,
      (_, { taxId }) => taxId,
    );
    expect([company, branch].map((key) => (shared(key as CompanyKey<'BR'>, load, time) as Answer<string>).value)).toEqual([
      company.taxId,
      branch.taxId,
    ]);
  });
});

describe('an answer that is derived from two records', () => {
  const sum = derivedFromTwo(
    numbers,
    (value) => (value === 2 ? branch : null),
    (first, second) => ({ first, second }),
  );

  it('is as old as the older one, and one object for the same records', async () => {
    const both = sum(company, load, time);
    expect(both).toEqual({ value: { first: 2, second: 5 }, freshness: five.freshness });
    expect(await sum(company, later, time)).toBe(both);
  });

  it('reads one record where the other is not needed', () => {
    expect(sum(branch, load, time)).toEqual({ value: { first: 5, second: null }, freshness: five.freshness });
  });
});

describe('an answer that is derived from some loaders', () => {
  const some = derivedFromSome(
    [numbers, down],
    1_000,
    (first, second) => (first ? answer([first.value, second]) : null),
    (now) => answer([], now),
  );

  it('has null for a loader whose source failed', async () => {
    expect((await some(company, load, time)).value).toEqual([2, null]);
  });

  it('is a given one where no loader answered', async () => {
    const none = derivedFromSome(
      [down],
      1_000,
      (_) => null,
      (now) => answer('none', now),
    );
    expect(await none(company, load, time)).toEqual(answer('none', Date.parse('2026-11-21T12:00:00Z')));
  });

  it('is one object, without a promise, for the same answers in memory', () => {
    const all = derivedFromSome(
      [numbers, numbers],
      1_000,
      (first, second) => answer([first?.value, second?.value]),
      (now) => answer([], now),
    );
    const first = all(company, load, time);
    expect(first).toMatchObject({ value: [2, 2] });
    expect(all(company, load, time)).toBe(first);
  });
});

describe('an answer that is derived from lists', () => {
  const listing = answer({ list: 'CEIS', entries: [], version: null } as unknown as Listing<never>);

  it('is one object for the same listings, company and date', () => {
    let today = '2026-11-21';
    const dated = derivedFromLists(
      [() => listing, () => listing],
      (seen, { taxId }, date) => `${seen.length} ${taxId} ${date}`,
      () => today,
    );
    const first = dated(company, load, time);
    expect(first).toEqual({ value: `2 ${company.taxId} 2026-11-21`, freshness: listing.freshness });
    expect(dated(company, load, time)).toBe(first);
    today = '2026-11-22';
    expect(dated(company, load, time)).toMatchObject({ value: `2 ${company.taxId} 2026-11-22` });
  });
});

describe('answers that are read together', () => {
  const both: Lookup<CompanyKey, number> = readTogether([numbers.answer, () => five], ([first, second]) =>
    answer(first.value + second.value),
  );

  it('are read without a promise if all are in memory', () => {
    expect(both(company, load, time)).toMatchObject({ value: 7 });
  });

  it('are awaited if one of them has to be', async () => {
    const slow: Lookup<CompanyKey, number> = readTogether([numbers.answer, async () => five], ([first, second]) =>
      answer(first.value + second.value),
    );
    const sum = slow(company, load, time);
    expect(sum).toBeInstanceOf(Promise);
    expect((await sum).value).toBe(7);
  });
});
