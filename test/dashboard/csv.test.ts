import { describe, expect, it } from 'vitest';
import { readCsv } from '../../dashboard/state/csv.ts';
import { decoded } from '../../dashboard/state/screening-files.ts';

const [ACME, NORVAL] = ['99.030.001/0001-46', '99.010.001/0001-84'];
const read = async (text: string) => (await readCsv(text)).map(({ text: id, line, country }) => [line, id, country]);

describe('the tax ids of a file', () => {
  it.each([
    ['Valor bruto', '1.234.567,00'],
    ['Preço unitário', '1.234.567,00'],
    ['Ruta', '12345678'],
    ['Identificación interna', '12345678'],
  ])('are those of the column CNPJ, although the column %j before it has a header with the same letters', async (header, value) => {
    expect(await read(`${header};CNPJ\n${value};${ACME}\n`)).toEqual([[2, ACME, null]]);
  });

  it.each(['Business Unit', 'Valor unit', 'Ruta'])(
    'are those of the column Identificador, although a column %j is before it',
    async (header) => {
      expect(await read(`${header};Identificador\nVendas;${ACME}\n`)).toEqual([[2, ACME, null]]);
    },
  );

  it.each(['cnpj_fornecedor', 'CNPJ do fornecedor', 'RUT/NIT', 'rutEmpresa', 'numeroRut', 'tax id', 'Identificador'])(
    'are those of a column %j',
    async (header) => {
      expect(await read(`nome,${header},obs\nACME,${ACME},\nNORVAL,${NORVAL},\n`)).toEqual([
        [2, ACME, null],
        [3, NORVAL, null],
      ]);
    },
  );

  it('have the lines of the file behind a first line that states the delimiter, as in a screening', async () => {
    expect(await read(`sep=;\nnombre;cnpj;país\nACME;${ACME};BR\n`)).toEqual([[3, ACME, 'BR']]);
  });

  it('have their country in a file that a spreadsheet saved as Windows-1252', async () => {
    const bytes = Buffer.from('razón;rut;país\nACME;900964705;CO\n', 'latin1');
    expect(await read(decoded(new Uint8Array(bytes).buffer))).toEqual([[2, '900964705', 'CO']]);
  });

  it('are those of the column with most of them, without a header that names one', async () => {
    expect(await read(`ACME,${ACME}\nNORVAL,${NORVAL}\n`)).toEqual([
      [1, ACME, null],
      [2, NORVAL, null],
    ]);
  });
});
