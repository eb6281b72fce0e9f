import { expect, it } from 'vitest';
import type { Client } from '../../dashboard/api/client.ts';
import { chooseSearch, isChosenSearch } from '../../dashboard/state/chosen-searches.ts';

it('a page of a search is chosen for one session, and no other page with it', () => {
  const [client, other] = [{ key: 'session' }, { key: 'session' }] as unknown as [Client, Client];
  const page = { country: 'CL', name: 'spa', after: null } as const;
  chooseSearch(client, page);
  expect(isChosenSearch(client, { ...page })).toBe(true);
  expect(isChosenSearch(other, page)).toBe(false);
  for (const another of [{ country: 'BR' }, { name: 'spa ' }, { after: 'x' }] as const)
    expect(isChosenSearch(client, { ...page, ...another })).toBe(false);
});
