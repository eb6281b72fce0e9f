import { describe, expect, it } from 'vitest';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import type { ListLoader } from '../../../src/loaders/list.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { comparedListing } from '../../../src/modules/debarment/loaders/company-listing.ts';
import { unreadableRowsOf } from '../../../src/sources/registry/company-documents.ts';

interface Row {
  readonly name: string;
}

const DAMAGED = ['OBRAS DE MACONDO LTDA'];
const OWN = ['FICTICIA S.A.S.'];

/** Returns the listing of a company from the names that a list prints for its tax id, and from those of the company. */
async function listingOf(own: readonly string[], names: () => Promise<readonly string[]>) {
  const rows = (printed: readonly string[]) => printed.map((name, i) => ({ id: String(i), record: { name } }));
  const load = (async (_: unknown, holder: string) => ({
    value: { list: 'MULTAS_SECOP_I', version: {}, entries: rows(holder === unreadableRowsOf('CO') ? DAMAGED : own) },
    freshness: { fetchedAt: 0, expiresAt: 0, dataAsOf: null, cached: false, stale: false },
  })) as unknown as Load;
  const lookup = comparedListing({ list: {} as ListLoader<Row>, nameOf: ({ name }) => name }, names);
  return (await lookup({ country: 'CO', taxId: '9990030011' }, load, {} as never)).value;
}

describe('the entries of a company on a list with a damaged id', () => {
  it.each([
    ['with a record', OWN],
    ['without a record', []],
  ])('are not all known for a company %s that has the name of the damaged row, or no name that can be read', async (_, own) => {
    const alike = await listingOf(own, async () => ['OBRAS DE MACONDO LTDA']);
    const unknown = await listingOf(own, async () => Promise.reject(sourceUnavailable('rues', 'no answer')));
    for (const { entries, notCleared } of [alike, unknown]) {
      expect([entries.length, notCleared?.code]).toEqual([own.length, 'SOURCE_UNAVAILABLE']);
    }
  });

  it.each([
    ['with another name', ['PANADERIA LA LUNA S.A.S.'], undefined],
    ['that the register does not have, but for its name', [], true],
  ])('are all known for a company %s', async (_, names, hasNoName) => {
    const found = await listingOf(OWN, async () => names);
    expect(found).toMatchObject({ entries: [{ record: { name: 'FICTICIA S.A.S.' } }] });
    expect([found.notCleared, found.hasNoName]).toEqual([undefined, hasNoName]);
  });

  it('are a failure after a defect', async () => {
    await expect(listingOf(OWN, async () => Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
  });
});
