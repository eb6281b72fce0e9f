import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trabalhoEscravoSpec } from '../../../src/modules/labor/source.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { type Bytes, type Cell, listFileOf, xlsxOf } from '../../support/files.ts';
import { readBytes, readPath, readWhole } from '../../support/read-list.ts';
import { samplePath } from '../../support/samples.ts';

const fixtures = path.resolve(import.meta.dirname, 'fixtures');
const bytes = readFileSync(path.join(fixtures, 'cadastro_de_empregadores.csv'));
const txt = readFileSync(path.join(fixtures, 'cadastro_de_empregadores.txt'));
const table = new TextDecoder('windows-1252').decode(bytes);

const read = (content: Bytes) => readBytes(trabalhoEscravoSpec, { 'lista.csv': content });
const HEADER = table.split('\r\n')[0] ?? '';
const ROW = '1;2023;MG;FICTICIA LTDA;11.222.333/0001-81;SITIO, UBERABA/MG;12;0134-2/00;14/03/2024;07/10/2024';
/** The entry of one row with some cells changed. */
async function entryOf(change: Readonly<Record<number, string>>) {
  const row = ROW.split(';').map((cell, i) => change[i] ?? cell);
  const { entries } = await read(`${HEADER}\r\n${row.join(';')}\r\n`);
  return entries[0]?.record;
}

describe('the reader of the employers’ list', () => {
  it('yields each company under the root of its CNPJ', async () => {
    const { entries, version } = await read(bytes);
    expect(version).toMatchObject({ rowsRead: 5, rowsSkipped: 0 });
    expect(entries.map(({ id, keys }) => [id, ...keys])).toEqual([
      ['1', 'BR:11222333'],
      ['2', 'BR:44333222'],
      ['3', 'BR:***456789**'],
      ['4', 'BR:55666777'],
      ['10', 'BR:77888999'],
    ]);
    expect(entries[0]?.record).toEqual({
      document: '11222333000181',
      employer: 'FAZENDA FICTÍCIA AGROPECUÁRIA LTDA',
      year: 2023,
      state: 'MG',
      establishment: 'FAZENDA EXEMPLO – ZONA RURAL, UBERABA/MG',
      municipality: 'UBERABA',
      workersRescued: 12,
      cnae: '0134-2/00',
      decisionOn: '2024-03-14',
      listedOn: '2024-10-07',
      removedOn: null,
      firstListedOn: '2024-10-07',
    });
  });

  it('stores of a person the name and the visible digits of the CPF, and no address of a person or a home', async () => {
    const { entries } = await read(bytes);
    expect(JSON.stringify(entries)).not.toMatch(/123\.?456\.?789|RESID/);
    expect(entries[2]?.record).toMatchObject({ document: '***456789**', establishment: null, municipality: null });
    expect(entries.at(-1)?.record).toMatchObject({ state: 'BA', establishment: null, municipality: null });
  });

  it('reads numbers with marks of thousands', async () => {
    expect(await entryOf({ 1: '2.023', 6: '1.064' })).toMatchObject({ year: 2023, workersRescued: 1064 });
  });

  it('UP-03 refuses a count that is too large for a number', async () => {
    await expect(entryOf({ 6: '9'.repeat(400) })).rejects.toThrow(ListFileError);
  });

  it.each([
    ['company', '11.222.333/0001-81'],
    ['person', '123.456.789-09'],
    ['person with a masked CPF', '***.456.789-**'],
  ])('UP-03 refuses a last row without a number that names a %s: it is not text below the table', async (_, document) => {
    const row = ROW.replace('1;', '2;').replace('11.222.333/0001-81', document);
    expect((await read(`${HEADER}\r\n${ROW}\r\n${row}\r\n`)).entries).toHaveLength(2);
    await expect(read(`${HEADER}\r\n${ROW}\r\n${row.replace('2;', '?;')}\r\n`)).rejects.toThrow('a row of the table is outside of it');
  });

  it('reads periods: removed by injunction, listed again', async () => {
    const { entries } = await read(bytes);
    expect(entries[1]?.record).toMatchObject({ firstListedOn: '2022-10-05', listedOn: '2024-11-11', removedOn: null });
    expect(entries[3]?.record).toMatchObject({ firstListedOn: '2020-04-09', listedOn: '2020-04-09', removedOn: '2022-06-30' });
  });

  it('removes the footnote mark from the employer', async () => {
    const { entries } = await read(bytes);
    expect(entries[1]?.record.employer).toBe('CONFECÇÕES MODELO D’OESTE EIRELI');
    expect((await entryOf({ 3: 'GRUPO (SUL) LTDA (*1) (*12)' }))?.employer).toBe('GRUPO (SUL) LTDA');
  });

  it.each([
    ['RUA FICTICIA, 100, SAO PAULO/SP', 'SAO PAULO'],
    ['UBERABA/MG', 'UBERABA'],
    ['ZONA RURAL - SAO FELIX DO XINGU/PA', 'SAO FELIX DO XINGU'],
    ['KM 12, EMBU-GUACU/SP', 'EMBU-GUACU'],
    ['FAZENDA BOA VISTA PARAGOMINAS/PA', null],
    ['RODOVIA BR-163, KM 12', null],
    ['KM 12/MT', null],
    ['', null],
  ])('reads the municipality of `%s` as %s', async (establishment, municipality) => {
    expect((await entryOf({ 5: establishment }))?.municipality).toBe(municipality);
  });

  it('keeps a residential building site: only a home is personal', async () => {
    expect((await entryOf({ 5: 'RESIDENCIAL DAS FLORES, UBERABA/MG' }))?.establishment).toBe('RESIDENCIAL DAS FLORES, UBERABA/MG');
  });

  it('reads a listing with an unreadable date as undated, not as absent', async () => {
    const weird = `${bytes.toString('latin1').replace('07/10/2024', 'ver nota')}\r\n`;
    const { entries } = await read(Buffer.from(weird, 'latin1'));
    expect(entries[0]?.record).toMatchObject({ document: '11222333000181', listedOn: null, removedOn: null, firstListedOn: null });
  });

  it('reads the same table from a workbook', async () => {
    const day = /^(\d\d)\/(\d\d)\/(\d{4})$/;
    const cell = (text: string): Cell => {
      if (/^\d+$/.test(text)) return Number(text);
      const [, dd, mm, yyyy] = day.exec(text) ?? [];
      return dd ? new Date(`${yyyy}-${mm}-${dd}T00:00:00Z`) : text;
    };
    const rows = cellsOf(table).map((row) => row.map((text) => cell(text.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'))));
    const workbook = await xlsxOf([['Cadastro atualizado em 09/04/2025', ...Array.from({ length: 9 }, () => null)], ...rows]);
    const { entries, version } = await readBytes(trabalhoEscravoSpec, { 'lista.xlsx': workbook });
    expect(entries).toEqual((await read(bytes)).entries);
    expect(version).toEqual({ publishedOn: '2025-04-09', rowsRead: 5, rowsSkipped: 0, rowsUnmatched: 0 });
  });

  it('finds the table and the date of the version in free text', async () => {
    const around = `\uFEFFCADASTRO DE EMPREGADORES\r\nPortaria; de 2024;\r\n\r\n${table}\r\n\r\n(*1) Nota; com ponto e virgula\r\nCadastro atualizado em 09/04/2025`;
    const { entries, version } = await read(around);
    expect(entries).toEqual((await read(bytes)).entries);
    expect(version).toEqual({ publishedOn: '2025-04-09', rowsRead: 5, rowsSkipped: 0, rowsUnmatched: 0 });
    expect((await read(`Cadastro atualizado em 10/10/2025\r\n${table}`)).version.publishedOn).toBe('2025-10-10');
  });

  it('dates the version by the text file beside it, otherwise by Last-Modified, never by today', async () => {
    const dated = async (files: Readonly<Record<string, Bytes>>, lastModified: string | null) => {
      const list = { ...(await listFileOf(files)), lastModified };
      return (await readWhole(trabalhoEscravoSpec, list)).version.publishedOn;
    };
    const name = 'cadastro_de_empregadores';
    expect(await dated({ [`${name}.csv`]: bytes, [`${name}.txt`]: txt }, '2025-06-01')).toBe('2025-04-09');
    expect(await dated({ [`${name}.csv`]: bytes }, '2025-06-01')).toBe('2025-06-01');
    expect(await dated({ [`${name}.csv`]: bytes, [`${name}.txt`]: '<html>gone</html>' }, '2025-06-01')).toBe('2025-06-01');
    expect(await dated({ 'lista.csv': bytes, 'lista.txt': txt }, null)).toBeNull();
  });

  it('DB-06 counts no rows in a file with only a header', async () => {
    expect((await read(HEADER)).version.rowsRead).toBe(0);
  });

  it.each([
    { name: 'an empty file', content: '' },
    { name: 'an error page', content: '<html>\n<body>403 Forbidden</body>\n</html>' },
    { name: 'a missing column', content: table.replace('CNPJ/CPF', 'Documento') },
    { name: 'a row cut between cells', content: table.slice(0, table.indexOf(';1;9700-5/00;20/06/2023;05/04/2024', 700)) },
    { name: 'a row cut in its last date', content: table.slice(0, -3) },
    { name: 'a row cut in a period', content: table.slice(0, table.indexOf(' 13/01/2023')) },
    { name: 'an open quote', content: table.slice(0, table.indexOf('KM 12')) },
    { name: 'a table that goes on after its end', content: table.replace('\r\n4;', '\r\nNota\r\n4;') },
    { name: 'a company’s row without its number', content: table.replace('\r\n4;', '\r\n;') },
    { name: 'a year that is no number', content: table.replace(';2023;MG', ';;MG') },
    { name: 'a number with a decimal comma before three digits', content: table.replace(';1;9700-5/00', ';1,064;9700-5/00') },
    { name: 'documents a spreadsheet has rounded', content: table.replace(/;\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d;/g, ';1,1222E+13;') },
  ])('DB-06 refuses $name', async ({ content }) => {
    await expect(read(content)).rejects.toThrow(ListFileError);
  });

  it('UP-03 a damaged file is refused or gives the same companies', async () => {
    const companies = async (content: string) => (await read(content)).entries.map(({ record }) => record.document);
    const whole = await companies(table);
    const rowEnds = [...table.matchAll(/\r\n/g)].map(({ index }) => index);
    // A file that ends here has a complete date in its last cell. Only its length and row count show that it is truncated.
    const mayEnd = (at: number) => rowEnds.some((end) => at >= end && at <= end + 2) || /\d\d\/\d\d\/\d{4} ?$/.test(table.slice(0, at));
    const columns = fc.nat({ max: 9 });
    const damaged = fc.oneof(
      fc
        .integer({ min: 0, max: table.length })
        .filter((at) => !mayEnd(at))
        .map((at) => table.slice(0, at)),
      columns.map((column) => eachRow((cells) => cells.filter((_, i) => i !== column))),
      fc
        .tuple(columns, fc.stringMatching(/^\w*$/))
        .map(([column, name]) => eachRow((cells, row) => (row === 0 ? cells.with(column, name) : cells))),
      fc.constant('<html><body>502 Bad Gateway</body></html>'),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (content) => {
        const outcome = await companies(content).catch((error: unknown) => error);
        if (!(outcome instanceof ListFileError)) expect(outcome).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });

  it('reads the reference sample with its text beside it', async () => {
    const { entries, version } = await readPath(trabalhoEscravoSpec, samplePath('brazil/labor/cadastro_de_empregadores.SYNTHETIC.csv'));
    expect(version).toEqual({ publishedOn: '2025-04-09', rowsRead: 4, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(entries.map(({ record }) => [record.document, record.municipality])).toEqual([
      ['11222333000181', 'UBERABA'],
      ['44333222000282', 'SÃO PAULO'],
      ['***456789**', null],
      ['55666777000181', 'PARAGOMINAS'],
    ]);
  });
});

const cellsOf = (text: string) =>
  text.split('\r\n').map((line) => [...line.matchAll(/(?:^|;)("(?:[^"]|"")*"|[^;]*)/g)].map(([, cell = '']) => cell));

/** The table with changed cells in each row. */
const eachRow = (change: (cells: readonly string[], row: number) => readonly string[]) =>
  cellsOf(table)
    .map((cells, row) => change(cells, row).join(';'))
    .join('\r\n');
