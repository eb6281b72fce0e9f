import { describe, expect, it } from 'vitest';
import { bcbProibidosSpec } from '../../../src/modules/debarment/sources/bcb-proibidos.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { refusalOf } from '../../../src/sources/registry/sync.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleJson } from '../../support/samples.ts';

interface Answer {
  readonly value: readonly Record<string, unknown>[];
}
const prohibited = sampleJson('brazil/optional-lists/bcb_qgp.SYNTHETIC.json') as Answer;
const disqualified = sampleJson('brazil/optional-lists/bcb_qgi.SYNTHETIC.json') as Answer;
const read = (companies: unknown, people: unknown = disqualified) =>
  readBytes(bcbProibidosSpec, { QuadroGeralProibidos: JSON.stringify(companies), QuadroGeralInabilitados: JSON.stringify(people) });
/** The company of the sample with other fields. */
const one = (fields: Record<string, unknown>): Answer => ({ value: [{ ...prohibited.value[0], ...fields }] });

describe('the reader of the prohibited companies of the Central Bank', () => {
  it('has no end date for the year 9999', async () => {
    expect((await read(one({ Prazo_final_penalidade: '9999-12-31' }))).entries[0]?.record.endsOn).toBeNull();
  });

  it('yields companies, leaves people out, and counts the disqualified people', async () => {
    const { entries, version } = await read(prohibited);
    expect(version).toEqual({ publishedOn: null, rowsRead: 9, rowsSkipped: 8, rowsUnmatched: 0 });
    expect(entries).toEqual([
      {
        id: '79999927000137:1600001 Proibição',
        keys: ['BR:79999927'],
        record: {
          document: '79999927000137',
          name: 'AUDITORIA FICTICIA LTDA',
          category: 'Proibição',
          bodyName: 'Banco Central do Brasil',
          startsOn: '2024-03-01',
          endsOn: '2028-03-01',
          processId: '1600001',
          fineBrl: null,
          sanctionCode: '',
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('PESSOA');
  });

  it('reads `Consolidado` as no end, and keeps the word', async () => {
    const { entries } = await read(
      one({ Prazo_final_penalidade: 'Consolidado ', Nome: ' AUDITORIA FICTICIA LTDA ', Penalidade: 'Proibição  ' }),
    );
    expect(entries[0]?.record).toMatchObject({
      endsOn: null,
      endText: 'Consolidado',
      name: 'AUDITORIA FICTICIA LTDA',
      category: 'Proibição',
    });
  });

  it.each(['52998224725', '***.982.247-**', '***982247**', '11222333000', 'XXX.982.247-XX'])(
    'takes the document %s for that of a person',
    async (CPF_CNPJ) => {
      expect(await read(one({ CPF_CNPJ }))).toMatchObject({ entries: [], version: { rowsUnmatched: 0 } });
    },
  );

  it('accepts a list whose few companies are gone where the list of people is whole, and refuses one without people or half empty', async () => {
    const { version } = await read({ value: [] });
    const whole = { publishedOn: null, rowsRead: version.rowsRead + 420, named: 0 };
    const guard = (rowsRead: number, named = 0, before = 3) =>
      refusalOf({ ...whole, rowsRead, named }, bcbProibidosSpec.guard, {
        previous: { ...whole, named: before },
        isDefaultAddress: true,
        force: false,
      });
    expect([guard(whole.rowsRead), guard(7), guard(2_000)]).toEqual([null, 'too_small', 'too_large']);
    expect([guard(whole.rowsRead, 0, 30), guard(whole.rowsRead, 15, 30), guard(whole.rowsRead, 25, 30)]).toEqual([
      'shrunk',
      'shrunk',
      null,
    ]);
  });

  it('reads the list of a publisher that has no list of people beside it', async () => {
    const { entries } = await readBytes(bcbProibidosSpec, { QuadroGeralProibidos: JSON.stringify(prohibited) });
    expect(entries).toHaveLength(1);
  });

  it.each([
    { name: 'an error of the service', companies: { error: { code: '500', message: 'x' } } },
    { name: 'a list in place of the answer', companies: prohibited.value },
    { name: 'an answer with a next page', companies: { ...prohibited, '@odata.nextLink': 'https://example.invalid' } },
    { name: 'a row without a document', companies: one({ CPF_CNPJ: undefined }) },
    { name: 'a document as a number', companies: one({ CPF_CNPJ: 79999927000137 }) },
    { name: 'an unreadable document', companies: one({ CPF_CNPJ: '7999' }) },
    { name: 'a date of another form', companies: one({ Prazo_final_penalidade: '01/03/2028' }) },
    { name: 'another word in place of an end', companies: one({ Prazo_final_penalidade: 'Indeterminado' }) },
    { name: 'people of another form', companies: prohibited, people: { value: [{ Nome: 'x' }] } },
    { name: 'an error in place of the people', companies: prohibited, people: {} },
  ])('DB-06 refuses $name', async ({ companies, people }) => {
    await expect(read(companies, people)).rejects.toThrow(ListFileError);
  });
});
