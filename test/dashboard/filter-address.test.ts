import { describe, expect, it } from 'vitest';
import { filterParameters, readFilter } from '../../dashboard/pages/candidates/filter-address.ts';
import { NO_FILTER } from '../../dashboard/state/candidates.ts';
import { queryOf } from '../../dashboard/ui/query.ts';

describe('the address of the candidates', () => {
  it.each([
    ['', {}],
    ['?q=padaria+%26+caf%C3%A9', { text: 'padaria & café' }],
    ['?list=OFAC_SDN&country=BR&state=open&names=MATCH', { list: 'OFAC_SDN', country: 'BR', state: 'open', decision: 'MATCH' }],
  ] as const)('has the filters: %s', (query, change) => {
    const filter = { ...NO_FILTER, ...change };
    expect(readFilter(new URLSearchParams(query))).toEqual(filter);
    expect(queryOf(filterParameters(filter))).toBe(query);
  });

  it.each(['?list=NO_LIST', '?list=toString', '?country=AR', '?state=gone', '?names=match', '?other=1'])(
    'may have the unknown value %s, which is ignored',
    (query) => {
      expect(readFilter(new URLSearchParams(query))).toEqual(NO_FILTER);
    },
  );

  it('has a text of at most the length that the API accepts', () => {
    expect(readFilter(new URLSearchParams(`?q=${'a'.repeat(101)}`)).text).toHaveLength(100);
  });
});
