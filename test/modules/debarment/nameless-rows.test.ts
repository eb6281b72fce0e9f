import { describe, expect, it } from 'vitest';
import type { ListLoader } from '../../../src/loaders/list.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { companyListing } from '../../../src/modules/debarment/loaders/company-listing.ts';
import { cepimSpec } from '../../../src/modules/debarment/sources/cepim.ts';
import { UNREADABLE_ROWS } from '../../../src/sources/registry/company-documents.ts';
import { cnpjsFrom } from '../../support/made-up-cnpjs.ts';
import { readBytes } from '../../support/read-list.ts';

interface Row {
  readonly document: string;
  readonly name: string;
}

/** Looks up a company on a list with a row of its own, if it is listed, and this row without a right id. */
async function lookUp(unread: Row, isListed = false) {
  const entries = (...rows: readonly Row[]) => rows.map((record, i) => ({ id: String(i), keys: [], record }));
  const own = isListed ? entries({ document: '11222333000181', name: 'TINTAS AURORA LTDA' }) : [];
  const load = (async (_: unknown, holder: string) => ({
    value: { list: 'CEIS', version: {}, entries: holder === UNREADABLE_ROWS ? entries(unread) : own },
    freshness: {},
  })) as unknown as Load;
  const lookup = companyListing(
    { list: {} as ListLoader<Row>, nameOf: ({ name }) => name },
    { namesOf: async () => ['TINTAS AURORA LTDA'] },
  );
  return (await lookup({ country: 'BR', taxId: '11222333000181' }, load, {} as never)).value.entries.length;
}

describe('a row with neither a right id nor a name', () => {
  it.each(['', '-', '***', 'Sem informação', '08001001645202102', '1234/2019'])(
    'clears no company that the list does not have: %j',
    async (name) => {
      await expect(lookUp({ document: '', name })).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
        message: expect.stringContaining('neither a tax id'),
      });
      expect(await lookUp({ document: '', name }, true)).toBe(1);
    },
  );

  it.each(['', '44.000.000/0001-68'])('clears no company beside a damaged id, whose root may be another one: %j', async (name) => {
    await expect(lookUp({ document: '44000000000168', name })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await lookUp({ document: '44000000000168', name }, true)).toBe(1);
  });

  it('is another one than a row with a name', async () => {
    expect(await lookUp({ document: '', name: 'METALURGICA DO VALE SA' })).toBe(0);
    expect(await lookUp({ document: '44000000000168', name: 'METALURGICA DO VALE SA' })).toBe(0);
  });

  const sound = cnpjsFrom(44_000_000, 200).map((cnpj, i) => `${cnpj};FICTICIA;${i};MINISTERIO;MOTIVO`);
  const read = (row: string) => {
    const file = ['CNPJ ENTIDADE;NOME ENTIDADE;NÚMERO CONVÊNIO;ÓRGÃO CONCEDENTE;MOTIVO DO IMPEDIMENTO', ...sound, row].join('\r\n');
    return readBytes(cepimSpec, { '20260930_CEPIM.csv': file });
  };

  it('is kept if the row has the facts of a record', async () => {
    for (const row of [';;700001;MINISTERIO;MOTIVO', '-;Sem informação;700001;;MOTIVO', 'TOTAL ENGENHARIA;;700001;;MOTIVO']) {
      expect((await read(row)).entries.at(-1), row).toMatchObject({ keys: [UNREADABLE_ROWS], record: { document: '' } });
    }
  });

  it.each(['TOTAL;;200;;', 'Total de registros: 200;;;;', ';;;TOTAL GERAL;200', '-----;-----;-----;-----;-----', ';;;;200'])(
    'is not kept if it only counts or divides the others: %s',
    async (row) => {
      const { entries, version } = await read(row);
      expect([entries.length, version.rowsRead, version.rowsSkipped]).toEqual([200, 201, 1]);
    },
  );
});
