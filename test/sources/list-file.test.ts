import { describe, expect, it } from 'vitest';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { type Bytes, collect, listFileOf, openPath, wholeText, zipOf } from '../support/files.ts';
import { samplePath } from '../support/samples.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
const swapped = (text: string): Buffer => utf16(text).swap16();
const semicolons = { delimiter: ';' } as const;

describe('the charset of a list', () => {
  const csv = 'ID;NOME\r\n1;São Ñuñoa ª\r\n';
  const smart = 'ID;NOME\n1;São – “Ñuñoa” ª € 3’\n';
  const smart1252 = Buffer.concat([
    latin1('ID;NOME\n1;São '),
    Buffer.from([0x96]),
    latin1(' '),
    Buffer.from([0x93]),
    latin1('Ñuñoa'),
    Buffer.from([0x94]),
    latin1(' ª '),
    Buffer.from([0x80]),
    latin1(' 3'),
    Buffer.from([0x92]),
    latin1('\n'),
  ]);
  const xml = (encoding: string | null) =>
    `<?xml version="1.0"${encoding ? ` encoding="${encoding}"` : ''}?><list><name>São Ñuñoa ª</name></list>`;

  it.each<[string, string, Bytes, string]>([
    ['csv in UTF-8', 'a.csv', csv, csv],
    ['csv in UTF-8 with a byte order mark', 'a.csv', `\uFEFF${csv}`, csv],
    ['csv in ISO-8859-1', 'a.csv', latin1(csv), csv],
    ['csv in Windows-1252 with a euro and smart quotes', 'a.csv', smart1252, smart],
    ['csv in UTF-8 with a euro and smart quotes', 'a.csv', smart, smart],
    ['csv in Windows-1252 with bytes it leaves undefined', 'a.csv', Buffer.from([0x41, 0x3b, 0x81, 0x9d]), 'A;\u0081\u009d'],
    ['csv in UTF-16 little-endian', 'a.csv', utf16(smart), smart],
    ['csv in UTF-16 big-endian', 'a.csv', swapped(smart), smart],
    ['xml in UTF-8 without a declaration', 'a.xml', xml(null), xml(null)],
    ['xml declared and written in ISO-8859-1', 'a.xml', latin1(xml('ISO-8859-1')), xml('ISO-8859-1')],
    ['xml declared ISO-8859-1 but written in UTF-8', 'a.xml', xml('ISO-8859-1'), xml('ISO-8859-1')],
    ['xml in UTF-16 with a byte order mark', 'a.xml', utf16(xml('UTF-16')), xml('UTF-16')],
  ])('UP-05 decodes %s correctly', async (_name, file, bytes, expected) => {
    const text = await wholeText(await listFileOf({ [file]: bytes }));
    expect(text.trimEnd()).toBe(expected.trimEnd());
    expect(text).not.toContain('\uFFFD');
  });

  it('UP-05 decodes characters that are split between two chunks', async () => {
    const text = `${'x'.repeat(65_535)}ção€`.repeat(3);
    expect(await wholeText(await listFileOf({ 'a.csv': text }))).toBe(text);
  });

  it.each<[string, string, Bytes]>([
    ['xml declared UTF-8 with other bytes', 'a.xml', latin1(xml('UTF-8'))],
    ['xml in a charset nobody knows', 'a.xml', latin1(xml('x-klingon'))],
    ['csv in UTF-8 that ends inside a character', 'a.csv', Buffer.from(csv.repeat(3)).subarray(0, -3)],
  ])('refuses %s', async (_name, file, bytes) => {
    await expect(listFileOf({ [file]: bytes }).then(wholeText)).rejects.toThrow(ListFileError);
  });
});

describe('the rows of a list', () => {
  const rowsOf = async (bytes: Bytes, options: { delimiter: ';' | ','; relaxColumns?: boolean } = semicolons) =>
    collect((await listFileOf({ 'a.csv': bytes })).rows(options));

  it('keeps line breaks, delimiters and doubled quotes inside quotes', async () => {
    expect(await rowsOf('"A";"B"\r\n"Lei 1;\r\nart. 2";"o ""Norte"""\r\n')).toEqual([
      ['A', 'B'],
      ['Lei 1;\r\nart. 2', 'o "Norte"'],
    ]);
  });

  it.each([
    ['CRLF', 'A;B\r\n1;2\r\n'],
    ['LF', 'A;B\n1;2\n'],
    ['mixed line ends', 'A;B\n1;2\r\n'],
    ['no final line end', 'A;B\r\n1;2'],
    ['empty lines', '\n\nA;B\n\n1;2\n\n'],
    ['blanks around cells and quotes', ' A ; "B" \n 1 ; 2 \n'],
    ['a Ctrl-Z at the end', 'A;B\r\n1;2\r\n\u001A'],
    ['NULs and blanks at the end', 'A;B\r\n1;2\r\n\0\0 \0'],
  ])('reads a csv with %s', async (_name, text) => {
    expect(await rowsOf(text)).toEqual([
      ['A', 'B'],
      ['1', '2'],
    ]);
  });

  it('accepts rows of any width only when configured', async () => {
    const ragged = 'Lista em 2026\nA;B\n1;2\n';
    expect(await rowsOf(ragged, { delimiter: ';', relaxColumns: true })).toHaveLength(3);
    await expect(rowsOf(ragged)).rejects.toThrow(ListFileError);
  });

  it('leaves out malformed rows up to the tolerated share, but never accepts a file that ends within a row', async () => {
    const good = Array.from({ length: 99 }, (_, i) => `"${i}";"b"\n`).join('');
    const rows = async (text: string, tolerated: number) =>
      collect((await listFileOf({ 'a.csv': text })).rows({ ...semicolons, tolerated }));
    expect(await rows(`${good}"x";"y";"z"\n`, 0.02)).toHaveLength(99);
    await expect(rows(`${good}"x";"y";"z"\n"x"\n"x"\n`, 0.02)).rejects.toThrow(new ListFileError('3 rows are malformed'));
    await expect(rows(`${good}"x";"y`, 0.02)).rejects.toThrow(ListFileError);
    await expect(rows(`${good}"x";"y";"z"\n`, 0)).rejects.toThrow(ListFileError);
  });

  it('can be read partly', async () => {
    for await (const row of (await listFileOf({ 'a.csv': 'A;B\n'.repeat(100_000) })).rows(semicolons)) {
      expect(row).toEqual(['A', 'B']);
      break;
    }
  });

  it('reports a malformed row by its number without its content', async () => {
    const error = await rowsOf('A;B\n1;2\nMaria;"da Silva;\n').catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(ListFileError);
    expect(String(error)).not.toContain('Maria');
  });

  it.each<[string, Bytes]>([
    ['an open quote at the end', 'A;B\n"1;2\n'],
    ['an open quote before a very long rest', `A;B\n"${'1;2\n'.repeat(500_000)}`],
    ['NULs amid the text', 'A;B\n1;\0\0;2\n'],
    ['more NULs at the end than padding has', `A;B\n1;2\n${'\0'.repeat(1024 ** 2 + 1)}`],
    ['nothing but blanks', ' \r\n\u001A'],
    ['nothing', ''],
    ['a page of HTML', '<!DOCTYPE html><html><body>Em manutenção</body></html>'],
    ['a page of XHTML', '\n<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml"></html>'],
  ])('refuses %s', async (_name, bytes) => {
    await expect(rowsOf(bytes)).rejects.toThrow(ListFileError);
  });
});

describe('the facts of a list file', () => {
  it.each([
    ['20260930_CEIS.csv', '2026-09-30'],
    ['consolidated-2025-11-20.csv', '2025-11-20'],
    ['lista_20261399.csv', null],
    ['lista_1202609301.csv', null],
    ['lista.csv', null],
  ])('have the date in its name: %s → %s', async (name, date) => {
    expect((await listFileOf({ [name]: '1;2' })).nameDate).toBe(date);
  });

  it('have the date of the zip when the member has none', async () => {
    expect((await listFileOf({ '20260930_CEIS.zip': await zipOf({ 'ceis.csv': '1;2' }) })).nameDate).toBe('2026-09-30');
  });

  it('have the format by content, xml or csv', async () => {
    const file = await listFileOf({ 'a.csv': '\uFEFF\n <?xml version="1.0"?><list/>' });
    expect(file.format).toBe('xml');
    await expect(collect(file.rows(semicolons))).rejects.toThrow(ListFileError);
  });
});

describe('the published files', () => {
  it.each([
    ['brazil/debarment/20260930_CEIS.zip', 'csv', '20260930_CEIS.csv', '2026-09-30'],
    ['brazil/debarment/20260930_CNEP.zip', 'csv', '20260930_CNEP.csv', '2026-09-30'],
    ['sanctions/ofac-2023-12-28/sdn.csv', 'csv', 'sdn.csv', null],
    ['sanctions/un/consolidated-2025-11-20.xml', 'xml', 'consolidated-2025-11-20.xml', '2025-11-20'],
  ])('opens %s', async (file, format, name, nameDate) => {
    expect(await openPath(samplePath(file))).toMatchObject({ format, name, nameDate });
  });

  it.each([
    ['brazil/debarment/20260930_CEIS.csv', ';', 24],
    ['brazil/debarment/20260930_CNEP.csv', ';', 25],
    ['sanctions/ofac-2023-12-28/sdn.csv', ',', 12],
    ['sanctions/ofac-2023-12-28/alt.csv', ',', 5],
  ] as const)('reads %s by %s into %i columns', async (file, delimiter, columns) => {
    const rows = await collect((await openPath(samplePath(file))).rows({ delimiter }));
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([columns]));
    expect(rows.flat().some((cell) => cell.includes('\uFFFD') || cell.includes('\u001A'))).toBe(false);
  });
});
