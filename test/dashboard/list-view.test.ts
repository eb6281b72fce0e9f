import { describe, expect, it } from 'vitest';
import {
  COLUMNS,
  companyOrder,
  FIRST_VIEW,
  isInView,
  readView,
  unassessedByCountry,
  type View,
  viewParameters,
} from '../../dashboard/pages/portfolio/list-view.ts';
import type { WatchedCompany } from '../../dashboard/state/model.ts';
import { queryOf } from '../../dashboard/ui/query.ts';
import { watchedCompany } from './watched-company.ts';

const verdict = (riskLevel: 'HIGH' | 'MEDIUM' | 'LOW', completeness: 'COMPLETE' | 'PARTIAL' = 'COMPLETE', total = 0) => ({
  riskLevel,
  completeness,
  sourcesFailed: [],
  generatedAt: '2026-11-20T00:00:00+00:00',
  ownersToReview: { total, byTaxId: 0, notCompared: 0, owners: 13 },
  riskReasons: [],
});

const low = watchedCompany({ name: 'alfa', verdict: verdict('LOW'), tags: ['own'] });
const partial = watchedCompany({ name: 'Beta', verdict: verdict('LOW', 'PARTIAL'), watchedSince: '2026-11-02T00:00:00+00:00' });
const high = watchedCompany({ name: 'Éco', verdict: verdict('HIGH', 'COMPLETE', 2), lastChangeAt: '2026-11-20T10:00:00+00:00' });
const chilean = watchedCompany({
  country: 'CL',
  identifier: '965057609',
  formattedIdentifier: '96.505.760-9',
  name: 'Delta',
  watchedSince: '2026-11-01T00:00:00+00:00',
  tags: ['Own', 'bank'],
});
const colombian = watchedCompany({ country: 'CO', identifier: '9001234568', formattedIdentifier: '900.123.456-8' });
const all = [low, partial, high, chilean, colombian];
const view = (change: Partial<View>): View => ({ ...FIRST_VIEW, ...change });

describe('the address of the list of watched companies', () => {
  it.each([
    ['', {}],
    ['?q=padaria+%26+caf%C3%A9', { text: 'padaria & café' }],
    ['?level=NONE&country=CL', { level: 'NONE', country: 'CL' }],
    ['?owners=hits&tag=own&sort=name', { hits: true, tag: 'own', sort: 'name', isDescending: false }],
    ['?sort=-changed&page=3', { sort: 'changed', isDescending: true, page: 3 }],
  ] as const)('has the filters, the order and the page: %s', (query, change) => {
    expect(readView(new URLSearchParams(query))).toEqual(view(change));
    expect(queryOf(viewParameters(view(change)))).toBe(query);
  });

  it.each(['?level=WORST', '?country=AR', '?sort=-price', '?sort=--name', '?page=-1', '?page=1e3x', '?page=0', '?owners=all', '?other=1'])(
    'may have the unknown value %s, which is ignored',
    (query) => {
      expect(readView(new URLSearchParams(query))).toEqual(FIRST_VIEW);
    },
  );
});

describe('the filters of the list', () => {
  const namesIn = (change: Partial<View>) => all.filter((company) => isInView(company, view(change))).map(({ name }) => name);

  it.each([
    [{}, ['alfa', 'Beta', 'Éco', 'Delta', null]],
    [{ text: ' ALFA ' }, ['alfa']],
    [{ text: '96.505' }, ['Delta']],
    [{ text: '900123' }, [null]],
    [{ level: 'LOW' }, ['alfa', 'Beta']],
    [{ level: 'INCOMPLETE' }, ['Beta']],
    [{ level: 'NONE' }, ['Delta', null]],
    [{ level: 'NONE', country: 'CO' }, [null]],
    [{ hits: true }, ['Éco']],
    [{ tag: 'own' }, ['alfa']],
    [{ tag: 'gone' }, []],
  ] as const)('select by %j', (change, expected) => {
    expect(namesIn(change)).toEqual(expected);
  });
});

describe('the order of the list', () => {
  const namesBy = (sort: View['sort'], isDescending: boolean, companies: readonly WatchedCompany[] = all) =>
    companies.toSorted(companyOrder({ sort, isDescending })).map(({ name }) => name);

  it.each([
    ['level', true, ['Éco', 'Beta', 'alfa', null, 'Delta']],
    ['level', false, ['alfa', 'Beta', 'Éco', null, 'Delta']],
    ['name', false, ['alfa', 'Beta', 'Delta', 'Éco', null]],
    ['name', true, ['Éco', 'Delta', 'Beta', 'alfa', null]],
    ['country', true, [null, 'Delta', 'alfa', 'Beta', 'Éco']],
    ['owners', true, ['Éco', 'alfa', 'Beta', null, 'Delta']],
    ['tags', false, ['alfa', 'Delta', null, 'Beta', 'Éco']],
    ['since', false, ['Delta', 'Beta', null, 'alfa', 'Éco']],
    ['changed', true, ['Éco', null, 'alfa', 'Beta', 'Delta']],
  ] as const)('by %s has unknown values last, descending: %s', (sort, isDescending, expected) => {
    expect(namesBy(sort, isDescending)).toEqual(expected);
  });

  it('does not depend on the order in which the companies were read', () => {
    for (const sort of COLUMNS) expect(namesBy(sort, true, all.toReversed())).toEqual(namesBy(sort, true));
  });
});

it('companies without a verdict are counted by country, also those of countries without a check', () => {
  expect(unassessedByCountry(all)).toEqual([
    { country: 'CL', count: 1 },
    { country: 'CO', count: 1 },
  ]);
  expect(unassessedByCountry([low, high])).toEqual([]);
});
