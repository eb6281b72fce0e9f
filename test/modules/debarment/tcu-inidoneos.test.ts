import { describe, expect, it } from 'vitest';
import { tcuInidoneosSpec } from '../../../src/modules/debarment/sources/tcu-inidoneos.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleBytes, sampleJson } from '../../support/samples.ts';

const real = sampleJson('brazil/tcu/responsaveis_inidoneos.json') as Record<string, unknown>[];
const synthetic = sampleBytes('brazil/optional-lists/tcu_responsaveis_inidoneos.SYNTHETIC.json');
const page = sampleBytes('brazil/optional-lists/tcu_inidoneos_export.SYNTHETIC.csv');
const read = (content: Buffer | string) => readBytes(tcuInidoneosSpec, { 'responsaveis-inidoneos': content });
const readRecords = (records: readonly unknown[]) => read(JSON.stringify(records));
/** The first record of the API with other fields. */
const one = (fields: Record<string, unknown>) => [{ ...real[0], ...fields }];

describe('the reader of the list of the TCU', () => {
  it('has no end date for the year 9999', async () => {
    expect((await readRecords(one({ dataFinalSancao: '31/12/9999' }))).entries[0]?.record.endsOn).toBeNull();
  });

  it('yields each decision on a company from the date on which it became final to its end', async () => {
    const { entries, version } = await readRecords(real);
    expect(version).toEqual({ publishedOn: null, rowsRead: 4, rowsSkipped: 1, rowsUnmatched: 1 });
    expect(entries[0]).toEqual({
      id: '30139983000102:011.773/2022-7 2180/2023-PL',
      keys: ['BR:30139983'],
      record: {
        document: '30139983000102',
        name: 'ADRIANY R RODRIGUES',
        category: 'INIDONEIDADE',
        bodyName: 'Tribunal de Contas da União',
        startsOn: '2025-02-01',
        endsOn: '2028-02-01',
        processId: '011.773/2022-7',
        fineBrl: null,
        sanctionCode: '',
        reference: '2180/2023-PL',
      },
    });
  });

  it('keeps a foreign company without a CNPJ by its name, and no look-up finds it', async () => {
    const { entries } = await readRecords(real);
    expect(entries.find(({ record }) => record.name === 'CTU SECURITY LLC')).toMatchObject({ keys: [], record: { document: '' } });
  });

  it.each([{ numeroRegistro: null }, { numeroRegistro: null, tipoRegistro: 'CPF' }, { numeroRegistro: '12.345', tipoRegistro: 'CPF' }])(
    'keeps a record that has lost its number by its name, which is compared: %o',
    async (lost) => {
      const many = Array.from({ length: 100 }, (_, i) => ({ ...real[1], numeroProcessoFormatado: `${i}/2024` }));
      const manyLost = many.slice(0, 30).map((record) => ({ ...record, ...lost }));
      const { entries, version } = await readRecords([...one(lost), ...many]);
      expect(entries[0]).toMatchObject({ keys: ['BR:?'], record: { document: '', name: 'ADRIANY R RODRIGUES' } });
      expect(version).toMatchObject({ rowsRead: 101, rowsUnmatched: 1 });
      await expect(readRecords([...manyLost, ...many])).rejects.toThrow('cannot be read');
    },
  );

  it.each(['CTU SECURITY LLC', 'ACME S.A. DE C.V.', 'Fiction Trading Co., Ltd.', 'FICTION GMBH'])(
    'knows a foreign company by its legal form: %s',
    async (nome) => {
      const { entries } = await readRecords([...one({ numeroRegistro: null, nome }), ...real.slice(1, 2)]);
      expect(entries[0]).toMatchObject({ keys: [], record: { name: nome } });
    },
  );

  it.each(['FICTICIA COMERCIO LTD', 'CLINICA FICTICIA E SPA', 'FICTICIA INC'])(
    'compares a company without a number by name if its name may be Brazilian, or cut: %s',
    async (nome) => {
      const others = Array.from({ length: 9 }, (_, i) => ({ ...real[1], numeroProcessoFormatado: `${i}/2024` }));
      const { entries } = await readRecords([...one({ numeroRegistro: null, nome }), ...others]);
      expect(entries[0]).toMatchObject({ keys: ['BR:?'], record: { name: nome } });
    },
  );

  it('leaves people out, and counts repeated decisions once', async () => {
    const { entries, version } = await read(synthetic);
    expect(version).toMatchObject({ rowsRead: 10, rowsUnmatched: 1 });
    expect(entries.map(({ record }) => record.name)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `FORNECEDORA FICTÍCIA ${n} LTDA`));
    expect(JSON.stringify(entries)).not.toMatch(/000\.?000\.?001|FICTÍCIA 9/);
  });

  it('takes eleven digits or a mask for the CPF of a person, also where the API says CNPJ', async () => {
    for (const numeroRegistro of ['529.982.247-25', '52998224725', '***.982.247-**', '11222333000']) {
      const { entries, version } = await readRecords([...one({ numeroRegistro }), ...real]);
      expect([numeroRegistro, entries.length, version.rowsSkipped]).toEqual([numeroRegistro, 4, 2]);
    }
  });

  it('reads the CNPJ of a company without its zeros, with a footnote, in the place of the name, and where the API says CPF', async () => {
    for (const fields of [
      { numeroRegistro: '12345000165' },
      { numeroRegistro: '00.012.345/0001-65 (*)' },
      { numeroRegistro: '00.012.345/0001-65*' },
      { numeroRegistro: null, nome: '00.012.345/0001-65' },
      { numeroRegistro: '00.012.345/0001-65', tipoRegistro: 'CPF' },
    ]) {
      const { entries } = await readRecords([...one(fields), ...real.slice(1)]);
      expect([fields, entries[0]]).toMatchObject([fields, { keys: ['BR:00012345'], record: { document: '00012345000165' } }]);
    }
  });

  it('reads the csv of the page, its first line and the separator at the end of its header', async () => {
    const { entries, version } = await read(page);
    expect(version).toMatchObject({ rowsRead: 10, rowsUnmatched: 1 });
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({
      keys: ['BR:75308587'],
      record: {
        name: 'FORNECEDORA FICTÍCIA 1 LTDA',
        startsOn: '2024-06-24',
        endsOn: '2029-06-24',
        processId: '011.700/2022-1',
        reference: '1001/2024-PL',
      },
    });
    const recorded = await read(sampleBytes('brazil/tcu/inidoneos.csv'));
    expect(recorded.entries).toMatchObject([{ keys: ['BR:03463763'], record: { endsOn: '2029-01-26', reference: '478/2019-PL' } }]);
  });

  it('writes the number of a decision as the API does, where another one has AC- and zeros', async () => {
    const { entries } = await readRecords(one({ numeroAcordaoFormatado: 'AC-002180/2023-PL' }));
    expect(entries[0]?.record.reference).toBe('2180/2023-PL');
  });

  it('DB-06 counts no rows in an empty array, which the load guard refuses', async () => {
    expect((await readRecords([])).version.rowsRead).toBe(0);
  });

  it.each([
    { name: 'an object, which is an error of the API', content: '{"status":500,"error":"Internal Server Error"}' },
    { name: 'null', content: 'null' },
    { name: 'a cut array', content: JSON.stringify(real).slice(0, -40) },
    { name: 'a maintenance page', content: '<!doctype html><html><body>Manutenção</body></html>' },
    { name: 'a record without its number', content: JSON.stringify(one({ numeroRegistro: undefined })) },
    { name: 'a number in place of a text', content: JSON.stringify(one({ numeroRegistro: 30139983000102 })) },
    { name: 'another type of register', content: JSON.stringify(one({ tipoRegistro: 'NIF' })) },
    { name: 'a record without its end', content: JSON.stringify(one({ dataFinalSancao: undefined })) },
    { name: 'an empty number of a company', content: JSON.stringify(one({ numeroRegistro: '' })) },
    { name: 'only companies without a number', content: JSON.stringify(one({ numeroRegistro: null })) },
    {
      name: 'dates with the month first',
      content: JSON.stringify([...one({ dataFinalSancao: '02/28/2028' }), ...one({ dataFinalSancao: '03/31/2028' })]),
    },
    { name: 'the list of disqualified people', content: '{"items":[{"nome":"X","cpf":"529.982.247-25"}],"hasMore":false}' },
    { name: 'a csv without its header', content: page.subarray(page.indexOf('FORNECEDORA')) },
    { name: 'a csv that ends in a row', content: page.subarray(0, -40) },
  ])('DB-06 refuses $name', async ({ content }) => {
    await expect(read(content)).rejects.toThrow(ListFileError);
  });
});
