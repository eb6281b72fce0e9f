import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Client } from '../../dashboard/api/client.ts';
import { type DashboardState, initialState } from '../../dashboard/state/model.ts';
import { readPasted } from '../../dashboard/state/paste.ts';
import { createStore } from '../../dashboard/state/store.ts';
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
