import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ceisSpec, cnepSpec } from '../../../src/modules/debarment/source.ts';
import { type CopyOptions, goodUntil } from '../../../src/sources/registry/copy-sync.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { StoredVersion } from '../../../src/sources/registry/version-store.ts';
import { readBytes, readPath } from '../../support/read-list.ts';
import { samplePath } from '../../support/samples.ts';

const fixtures = path.resolve(import.meta.dirname, 'fixtures');
const ceisBytes = readFileSync(path.join(fixtures, '20260930_CEIS.csv'));
const cnepBytes = readFileSync(path.join(fixtures, '20260930_CNEP.csv'));

const readCeis = (content: Buffer | string) => readBytes(ceisSpec, { '20260930_CEIS.csv': content });
const readCnep = (content: Buffer | string) => readBytes(cnepSpec, { '20260930_CNEP.csv': content });
/** The CEIS fixture with changes to its text. */
const changed = (change: (text: string) => string) => Buffer.from(change(ceisBytes.toString('latin1')), 'latin1');

describe('the reader of CEIS', () => {
  it('yields each penalty on a company under the root of its CNPJ', async () => {
    const { entries } = await readCeis(ceisBytes);
    expect(entries[0]).toEqual({
      id: '1001',
      keys: ['BR:11222333'],
      record: {
        document: '11222333000181',
        name: 'COMPANHIA FICTÍCIA LTDA',
        category: 'Impedimento/proibição de contratar com prazo determinado',
        bodyName: 'Prefeitura Inventada (SP)',
        startsOn: '2023-01-10',
        endsOn: '2033-01-10',
        processId: '0001/2023-7',
        fineBrl: null,
        sanctionCode: '1001',
      },
    });
  });

  it('decides by the document, not by the type of person: branches, letters and sole traders included', async () => {
    const { entries } = await readCeis(ceisBytes);
    expect(entries.map(({ record }) => record.document)).toEqual([
      '11222333000181',
      '11222333000262',
      '11222333000181',
      '***921012**',
      '***456789**',
      '12ABC34501DE35',
      '44333222000282',
    ]);
    expect(entries.map(({ keys }) => keys)).toContainEqual(['BR:12ABC345']);
  });

  it('keeps people under the visible digits of their CPF, and counts malformed documents', async () => {
    const { entries, version } = await readCeis(ceisBytes);
    expect(version).toEqual({ publishedOn: '2026-09-30', rowsRead: 9, rowsSkipped: 1, rowsUnmatched: 1 });
    expect(JSON.stringify(entries)).not.toMatch(/12345678909|\*\*\*\.921/);
    expect(entries.flatMap(({ keys, record }) => (keys[0]?.includes('*') ? [[...keys, record.name]] : []))).toEqual([
      ['BR:***921012**', 'PESSOA FICTÍCIA'],
      ['BR:***456789**', 'OUTRA PESSOA FICTÍCIA'],
    ]);
    expect(entries.at(-1)?.record.name).toBe('ANA LIMA ***456789**');
  });

  it('masks a CPF in the number of a process and in the name of a public body', async () => {
    const { entries } = await readCeis(
      changed((text) => text.replace('0001/2023-7', '7/2023 CPF 012.345.678-90').replace('Prefeitura Inventada (SP)', 'Vara 01234567890')),
    );
    expect(entries[0]?.record).toMatchObject({ processId: '7/2023 CPF ***345678**', bodyName: 'Vara ***345678**' });
  });

  it('drops identical rows and keeps different rows of one code', async () => {
    const { entries } = await readCeis(ceisBytes);
    expect(entries.map(({ id }) => id)).toEqual(['1001', '1002', '1001-2', '1003', '1004', '1006', '1007']);
    expect(entries[2]?.record).toMatchObject({ sanctionCode: '1001', bodyName: 'Câmara Inventada (SP)' });
  });

  it('reads an empty cell, `Sem informação` and an impossible date as null', async () => {
    const { entries } = await readCeis(ceisBytes);
    const companies = entries.filter(({ keys }) => !keys[0]?.includes('*'));
    expect(companies.map(({ record: { startsOn, endsOn, processId } }) => [startsOn, endsOn, processId])).toEqual([
      ['2023-01-10', '2033-01-10', '0001/2023-7'],
      ['2020-06-05', null, null],
      ['2023-01-10', '2033-01-10', '00012023-7'],
      [null, '2019-01-03', null],
      [null, null, '7'],
    ]);
  });

  it.each([
    { name: 'the scope column spelt right', change: (text: string) => text.replace('ABRAG\u00CANCIA', 'ABRANG\u00CANCIA') },
    { name: 'a scope column left out of need', change: (text: string) => text.replace('ABRAG\u00CANCIA DA', 'ALCANCE DA') },
    {
      name: 'names in lower case without accents',
      change: (text: string) => text.replace('C\u00D3DIGO DA SAN\u00C7\u00C3O', 'codigo  da sancao '),
    },
    { name: 'blank lines at its end', change: (text: string) => `${text}\r\n\r\n` },
    { name: 'no line end', change: (text: string) => text.trimEnd() },
  ])('reads a file with $name alike', async ({ change }) => {
    expect(await readCeis(changed(change))).toEqual(await readCeis(ceisBytes));
  });

  it('DB-06 counts no rows in a file with only a header', async () => {
    const { entries, version } = await readCeis(changed((text) => `${text.split('\r\n')[0]}\r\n`));
    expect({ entries, rowsRead: version.rowsRead }).toEqual({ entries: [], rowsRead: 0 });
  });

  it.each([
    { name: 'an empty file', content: '' },
    { name: 'a maintenance page', content: '<!DOCTYPE html>\n<html><body>Site em manuten\u00E7\u00E3o</body></html>' },
    { name: 'a CNEP file', content: cnepBytes },
    { name: 'a file with a CNEP row in it', content: changed((text) => text.replace('"CEIS";"1006"', '"CNEP";"1006"')) },
    { name: 'a missing column', content: changed((text) => text.replace('DATA FINAL', 'DATA LIMITE')) },
    { name: 'a doubled column', content: changed((text) => text.replace('"DATA PUBLICA\u00C7\u00C3O"', '"DATA FINAL SAN\u00C7\u00C3O"')) },
    { name: 'a row cut between cells', content: changed((text) => text.slice(0, text.indexOf('"1007"'))) },
    { name: 'a row cut in a cell', content: changed((text) => text.slice(0, text.indexOf('DOCUMENTO QUEBRADO') + 5)) },
    { name: 'another delimiter', content: changed((text) => text.replaceAll('";"', '","')) },
    { name: 'start dates of another format', content: changed((text) => text.replace(/"(\d\d)\/(\d\d)\/(20\d\d)"/g, '"$2.$1.$3"')) },
    { name: 'documents a spreadsheet has rounded', content: changed((text) => text.replace(/"\d{14}"/g, '"1,12223E+13"')) },
  ])('DB-06 refuses $name', async ({ content }) => {
    await expect(readCeis(content)).rejects.toThrow(ListFileError);
  });

  it('UP-03 a damaged file is refused (by the reader, or for having no rows) or gives the same penalties', async () => {
    const whole = (await readCeis(ceisBytes)).entries;
    const text = ceisBytes.toString('latin1');
    // A file that ends here, at the end of a row (or in its last empty cell), lacks whole rows only.
    const rowEnds = new Set([...text.matchAll(/""\r\n(?="CEIS"|$)/g)].flatMap(({ index }) => [index, index + 2, index + 3, index + 4]));
    const damaged = fc.oneof(
      fc
        .integer({ min: 0, max: text.length })
        .filter((at) => !rowEnds.has(at))
        .map((at) => text.slice(0, at)),
      fc.nat({ max: 23 }).map((column) => withoutColumn(text, column)),
      fc.tuple(fc.nat({ max: 23 }), fc.string()).map(([column, name]) => renamed(text, column, name.replace(/["\r\n;]/g, ''))),
      fc.constant('<html><body>502 Bad Gateway</body></html>'),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (content) => {
        const outcome = await readCeis(Buffer.from(content, 'latin1')).catch((error: unknown) => error);
        if (outcome instanceof ListFileError) return;
        expect(outcome).toMatchObject(cutInHeader(content) ? { version: { rowsRead: 0 } } : { entries: whole });
      }),
      { numRuns: 400 },
    );
  });
});

describe('the reader of CNEP', () => {
  it('reads fines with and without thousand dots; 0,00 and an empty cell are not a fine', async () => {
    const { entries } = await readCnep(cnepBytes);
    expect(entries.map(({ record }) => record.fineBrl)).toEqual([517662.9, null, 47391386.87, null]);
  });

  it('refuses a CEIS file', async () => {
    await expect(readCnep(ceisBytes)).rejects.toThrow(ListFileError);
  });
});

describe('rows as published', () => {
  it('of CEIS give three companies, one of them printed twice, and two people with masked CPFs', async () => {
    const { entries, version } = await readPath(ceisSpec, samplePath('brazil/debarment/20260930_CEIS.csv'));
    expect(version).toMatchObject({ rowsRead: 6, rowsSkipped: 0 });
    expect(entries.map(({ id }) => id)).toEqual(['900054', '900055', '105078', '79114', '97677']);
    expect(entries.map(({ record }) => record)).toContainEqual({
      document: '16994189000115',
      name: 'PÁDUA DE MELO COMÉRCIO E SERVIÇOS EIRELI',
      category: 'Declaração de Inidoneidade sem prazo determinado',
      bodyName: 'Prefeitura Municipal de Alpinópolis (MG)',
      startsOn: '2015-10-19',
      endsOn: '2017-10-19',
      processId: 'PREGÃO N.008/2015 - CONTRATO 021/2015',
      fineBrl: null,
      sanctionCode: '79114',
    });
  });

  it('of CNEP give the fine of a company', async () => {
    const { entries, version } = await readPath(cnepSpec, samplePath('brazil/debarment/20260930_CNEP.csv'));
    expect(version.rowsRead).toBe(5);
    expect(entries.map(({ id, keys, record }) => [id, keys, record.fineBrl])).toContainEqual(['84816', ['BR:11916511'], 18768.02]);
  });
});

/** Only a part of the header remains. */
const cutInHeader = (text: string) => !text.includes('"CEIS"');

/** The csv as rows of cells, quotes included. */
const table = (text: string) => {
  const cells = [...text.matchAll(/"(?:[^"]|"")*"/g)].map(([cell]) => cell);
  return Array.from({ length: cells.length / 24 }, (_, row) => cells.slice(row * 24, row * 24 + 24));
};
const csv = (rows: readonly (readonly string[])[]) => rows.map((row) => `${row.join(';')}\r\n`).join('');

const withoutColumn = (text: string, column: number) => csv(table(text).map((row) => row.filter((_, i) => i !== column)));
const renamed = (text: string, column: number, name: string) =>
  csv(table(text).map((row, i) => (i === 0 ? row.with(column, `"${name}"`) : row)));

it.each([ceisSpec, cnepSpec])(
  'UP-03 a daily file of $name fails after eight days, whatever the time of the last sync',
  ({ staleAfterMs, maxAgeMs }) => {
    const copy = { staleAfterMs, maxAgeMs } as CopyOptions;
    const until = (day: string) =>
      goodUntil(copy, { checkedAt: Date.parse(`2026-10-${day}T12:00:00Z`), publishedOn: '2026-10-05' } as StoredVersion);
    expect(until('06')).toBe(Date.parse('2026-10-09T12:00:00Z'));
    expect(until('20')).toBe(Date.parse('2026-10-13'));
  },
);
