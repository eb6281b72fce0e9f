import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Client } from '../../dashboard/api/client.ts';
import { type DashboardState, initialState } from '../../dashboard/state/model.ts';
import { type PastedRow, readPasted, screenedIds } from '../../dashboard/state/paste.ts';
import { createStore } from '../../dashboard/state/store.ts';
import { companyKeyText, formatTaxId, readAnyCompanyKey } from '../../src/domain/company.ts';
import { company, ID } from './portfolio-run.ts';

const { country, identifier, formattedIdentifier } = company();
const read = { data: { companies: [{ id: ID, country, identifier, formattedIdentifier }] }, errors: [] };
const client = { ask: async () => read } as unknown as Client;
const statesOf = async (state: Partial<DashboardState>) => {
  const store = createStore<DashboardState>({ ...initialState, companies: new Map([[ID, company()]]), ...state });
  return (await readPasted({ client, store }, [{ given: identifier, line: null, country: null }])).map((row) => row.state);
};

describe('a pasted tax id', () => {
  it('is watched already if the company is known to be watched', async () => {
    expect(await statesOf({ watched: 1 })).toEqual(['already']);
  });

  const error = new QuipuError('FORBIDDEN', 'refused');
  const refusals: readonly (readonly [string, Partial<DashboardState>])[] = [
    ['at the start', { connection: { phase: 'refused', error } }],
    ['for the watched companies', { problem: error }],
  ];
  it.each(refusals)('is read when the service refused the page %s, and a kept company is not taken for watched', async (_, state) => {
    expect(await statesOf(state)).toEqual(['ready']);
  });
});

describe('the tax ids of pasted rows', () => {
  const row = (key: { readonly country: 'BR' | 'CL' | 'CO'; readonly taxId: string }, state: PastedRow['state'] = 'ready'): PastedRow => {
    const found = { id: '', country: key.country, identifier: key.taxId, formattedIdentifier: formatTaxId(key) };
    return { given: key.taxId, line: null, country: null, state, company: found, message: null };
  };
  // The digits of this RUT are a NIT without its check digit, too.
  const companies = [
    { country: 'CL', taxId: '965057609' },
    { country: 'BR', taxId: '99030001000146' },
    { country: 'CO', taxId: '9009647055' },
  ] as const;

  it('are read by a screening as those of the same companies, without a country', () => {
    const read = screenedIds(companies.map((one) => row(one))).map((id) => readAnyCompanyKey(id));
    expect(read.map((one) => ('problem' in one ? one.problem.in('en') : companyKeyText(one)))).toEqual(companies.map(companyKeyText));
  });

  it('are screened once each, and without the number of a person', () => {
    const [chilean, brazilian] = companies;
    const person = { country: 'CO', taxId: '797000001' } as const;
    const rows = [row(chilean), row(chilean, 'repeated'), row(brazilian, 'already'), row(person, 'unsupported')];
    expect(screenedIds(rows)).toEqual(['96.505.760-9', '99.030.001/0001-46']);
  });
});
