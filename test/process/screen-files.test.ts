import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect, openPath, xlsxOf } from '../support/files.ts';
import { dataFolder } from '../support/process.ts';
import { sandboxServer } from '../support/sandbox-server.ts';

const server = sandboxServer();
const { quipu } = server;

const CLEAN = '99.010.001/0001-84';
const DEBARRED = '99.030.001/0001-46';
const WRONG = '99.030.001/0001-47';
const ROWS = [
  ['proveedor', 'cnpj', 'country'],
  ['Número 1', CLEAN, 'BR'],
  ['Número 2', WRONG, 'BR'],
  ['Número 3', DEBARRED, null],
  ['Número 4', CLEAN, null],
];

describe('the files of quipu screen', () => {
  it('are a workbook with all rows, own columns and reasons in a language, made from a workbook', async () => {
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'proveedores.xlsx'), path.join(dir, 'resultados.xlsx')];
    await writeFile(file, await xlsxOf(ROWS));
    const { code, err } = await quipu(['screen', file, '--output', output, '--keep-columns', '--rows', 'all', '--language', 'es']);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/row 3: .*\nrow 5: The same company as in row 2\.\n$/) });
    const rows = await collect((await openPath(output)).rows({ delimiter: ',' }));
    expect(rows[0]).toEqual(expect.arrayContaining(['proveedor', 'Resultado', 'Motivo']));
    expect(rows.slice(1).map((row) => row.slice(0, 2))).toEqual([
      ['2', 'Número 1'],
      ['3', 'Número 2'],
      ['4', 'Número 3'],
      ['5', 'Número 4'],
    ]);
  }, 120_000);

  it('are csv with the chosen delimiter, made from a file in Windows-1252 whose other columns stay at home', async () => {
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'proveedores.csv'), path.join(dir, 'resultados.csv')];
    await writeFile(file, Buffer.from(ROWS.map((row) => row.map((cell) => cell ?? '').join(';')).join('\r\n'), 'latin1'));
    const options = ['--rows', 'all', '--delimiter', 'semicolon', '--modules', 'kyb'];
    expect(await quipu(['screen', file, '--output', output, ...options])).toMatchObject({ code: 3 });
    const lines = (await readFile(output, 'utf8')).trim().split('\r\n');
    expect(lines[0]).toMatch(/^row;/);
    expect(lines.slice(1).map((line) => line.split(';')[0])).toEqual(['2', '3', '4', '5']);
    expect(lines.join()).not.toContain('Número');
  }, 120_000);

  it.each([
    [
      ['--format', 'jsonl', '--rows', 'all'],
      'A jsonl file has results with the codes of the API: choose csv or xlsx for --rows and --language.\n',
    ],
    [['--format', 'xlsx', '--delimiter', 'semicolon'], 'A xlsx file has no delimiter: leave it out.\n'],
  ])(
    'are not made with %j',
    async (options, says) => {
      const dir = await dataFolder();
      const [file, output] = [path.join(dir, 'a.csv'), path.join(dir, 'out')];
      await writeFile(file, CLEAN);
      expect(await quipu(['screen', file, '--output', output, ...options])).toMatchObject({ code: 1, err: says });
      expect(existsSync(`${output}.screening`)).toBe(false);
    },
    60_000,
  );

  it('are refused if they are a zip of something else', async () => {
    const file = path.join(await dataFolder(), 'a.xlsx');
    await writeFile(file, 'PK\u0003\u0004 no zip');
    const { code, err } = await quipu(['screen', file, '--output', `${file}.csv`]);
    expect(code).toBe(1);
    expect(err).toMatch(/^\S+ is no readable xlsx workbook: .*\.\n$/);
  }, 60_000);
});
