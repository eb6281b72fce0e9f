import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyText } from '../../../src/db/copy-rows.ts';
import { CopyText } from '../../../src/db/copy-text.ts';
import { QuotedLine, quotedLineReader } from '../../../src/sources/copies/quoted-rows.ts';
import { cnaeCode } from '../../../src/sources/receita-federal/company.ts';
import {
  type Column,
  writeActivities,
  writeActivity,
  writeCents,
  writeCode,
  writeDate,
  writeName,
  writeText,
} from '../../../src/sources/receita-federal/copy/columns.ts';
import { centsOf, codeOf, dateOf, Notes, personalName, plainText } from '../../../src/sources/receita-federal/copy/values.ts';

/** Writes a field, which is between two others, by a function of columns.ts. Returns the text of the row, and the counted values. */
function written(cell: string, write: (column: Column, field: number) => void) {
  const bytes = Buffer.from(`"a";"${cell}";"b"`, 'latin1');
  const line = new QuotedLine(3);
  if (!line.read(bytes, 0, bytes.length)) throw new Error('the line has three fields');
  const [out, notes] = [new CopyText(), new Notes()];
  out.begin(line.bytesUsed);
  write({ line, out, notes }, 1);
  out.end();
  return { text: Buffer.concat([...out.drain()]).toString(), counts: notes.counts, cell: line.text(1) };
}

/** Numbers without their left zeros, dates without hyphens, elements of arrays without quotation marks, as Postgres reads them. */
const number = (text: string): string => (/^\d+\n$/.test(text) ? `${BigInt(text)}\n` : text);
const date = (text: string): string => text.replaceAll('-', '');
const array = (text: string): string => text.replaceAll('"', '');
const same = (text: string): string => text;

const activities = (text: string): readonly string[] =>
  text
    .split(',')
    .map((code) => cnaeCode(code))
    .filter((code) => code !== null)
    .slice(0, 99);

const COLUMNS = [
  { name: 'names', write: writeName, value: personalName, read: same },
  { name: 'texts', write: writeText, value: plainText, read: same },
  {
    name: 'codes',
    write: (column: Column, field: number) => writeCode(column, field, 4),
    value: (text: string, notes: Notes) => codeOf(text, 4, notes),
    read: number,
  },
  { name: 'dates', write: writeDate, value: dateOf, read: date },
  { name: 'amounts', write: writeCents, value: centsOf, read: number },
  {
    name: 'activities',
    write: writeActivity,
    value: (text: string) => {
      const code = cnaeCode(text);
      return code === null ? null : Number(code);
    },
    read: number,
  },
  { name: 'lists of activities', write: writeActivities, value: activities, read: array },
] as const;

/** A part of a field as files print it, with what they get wrong. */
const piece = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '  ',
    '\0',
    '""',
    '"',
    '\\',
    '\t',
    ',',
    '.',
    '-',
    ';',
    'É',
    'ç',
    '\u00a0',
    '\u0085',
    '\u00ad',
    '\u007f',
    '0',
    '00',
  ),
  fc.constantFrom('00000000', '20240229', '20230229', '02020101', '41000101', '20240431', '18000101', '999999999999,00', '52998224725'),
  fc.constantFrom('529.982.247-25', '1000,50', '6201501', '4120400', '0000000', '620150', 'ANA DE TAL', 'LTDA', '6201501,4120400'),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'0123456789,'), maxLength: 18 }),
);
/** Fields that do not end before their end. */
const cells = fc
  .oneof(
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
    fc.array(fc.constantFrom('6201501', '4120400', '0000000', '620150'), { maxLength: 110 }).map((codes) => codes.join(',')),
    fc.nat(700).map((length) => 'É'.repeat(length)),
  )
  .filter((cell) => `${cell}";"`.indexOf('";"') === cell.length && !cell.includes('\n'));

describe('the bytes of fields', () => {
  it.each(COLUMNS)('are stored as $name like the texts that they are', ({ write, value, read }) => {
    fc.assert(
      fc.property(cells, (cell) => {
        const { text, counts, cell: cleaned } = written(cell, write);
        const notes = new Notes();
        expect([read(text), counts]).toEqual([read(`${copyText(value(cleaned, notes))}\n`), notes.counts]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [' A  B ', 'A B'],
    ['A\0B', 'AB'],
    ['A""B', 'A"B'],
    ['\u00a0É\u00a0', 'É'],
    ['   ', ''],
  ])('%j are read as %j', (cell, text) => {
    expect(written(cell, writeText).cell).toBe(text);
  });
});

describe('the lines of a file', () => {
  /** Reads a file in parts of some bytes. Returns fields of lines, and keys of those that could not be read, with `?` for an unknown one. */
  function read(file: string, size: number, columns = 2, next = ''): readonly unknown[] {
    const found: unknown[] = [];
    const sinks = {
      onLine: (line: QuotedLine) => found.push([line.number, line.text(0), line.text(1)]),
      onUnread: (keys: readonly string[], isWhole: boolean) => found.push(isWhole ? keys : [...keys, '?']),
    };
    const take = quotedLineReader(columns, { isKey: (text) => /^\d{8}$/.test(text), next }, sinks);
    const bytes = Buffer.from(file, 'latin1');
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
    take(null);
    return found;
  }

  it.each([1, 2, 3, 7, 1_000])('are the same in parts of %i bytes, with either end of a line, and without one at the end', (size) => {
    const file = '"99100000";"A"\r\n\n"99100001";"B;""C"\n"99100002";"D"';
    expect(read(file, size)).toEqual([
      [1, '99100000', 'A'],
      [3, '99100001', 'B;"C'],
      [4, '99100002', 'D'],
    ]);
  });

  it.each<[string, string, readonly unknown[]]>([
    ['with too few fields', '"99100000"\n', [['?']]],
    ['with too many fields', '"99100000";"A";"B"\n', [['99100000']]],
    ['without quotation marks', '99100000;A\n', [['?']]],
    ['of one quotation mark', '"\n', [['?']]],
    ['whose first field is no key', '"9910000";"A"\n', [['?']]],
    ['that continue one with a key', '"99100000";"A";"B\nC"\n', [['99100000'], []]],
    ['that lack a key after one with too many fields', '"99100000";"A";"B"\n"9910";"C";"D"\n"9910";"C"\n', [['99100000'], ['?'], ['?']]],
    ['of more than 64 KiB', `"99100000";"${'A'.repeat(70_000)}"\n"99100001";"B"\n`, [['?'], [2, '99100001', 'B']]],
  ])('%s are not read', (_, file, expected) => {
    for (const size of [5, 1_000, 200_000]) expect(read(file, size)).toEqual(expected);
  });

  it.each<[string, string, readonly unknown[]]>([
    ['a damaged key', '"9910000";"0001";"20120314";"00"\n', [['?']]],
    ['a damaged key, and the next row', '"9910000";"0001";"20120314";"00""99100001";"0001";"20120314";"00"\n', [['99100001', '?']]],
    ['a key, and the next row', '"99100000";"0001";"2012""99100001";"0001";"20120314";"00"\n', [['99100000', '99100001']]],
    ['a key, and the next row after a part', '"99100000";"00\n01""99100001";"0001";"1"\n', [['99100000'], ['99100001']]],
    ['a field too many', '"99100000";"0001";"20120314";"00";"20120314";"6201501"\n', [['99100000']]],
  ])('with %s have no dates for keys', (_, file, expected) => {
    expect(read(file, 1_000, 4, String.raw`\d{4}";`)).toEqual(expected);
  });

  it('report each key once, however many lines continue a row', () => {
    const keys = Array.from({ length: 300 }, (_, i) => String(99_100_000 + i));
    const lines = keys.map((key) => `;"${key}";"x\n`).join('');
    expect(read(`"99100000";"A\n${lines}`, 1_000)).toEqual([['99100000'], ...keys.map((key) => [key])]);
  });

  it.each<[string, string]>([
    ['as a whole field', '"99100000";"\n";"B"\n'],
    ['after the first quotation mark of a field', '"99100000";"\nA";"B"\n'],
    ['before the last quotation mark of a field', '"99100000";"A\n";"B"\n'],
    ['before the last quotation mark of a row', '"99100000";"A";"B\n"\n'],
    ['as a whole last field', '"99100000";"A";"\n"\n'],
    ['between blank lines', '"99100000";"\n\n\n";"B"\n'],
  ])('with a line break %s belong to the row of their key', (_, file) => {
    for (const text of [file, file.replaceAll('\n', '\r\n')]) {
      expect(read(`${text}"99100001";"A";"B"\n`, 1_000, 3)).toEqual([['99100000'], [], [expect.any(Number), '99100001', 'A']]);
    }
  });

  it.each<[string, string]>([
    ['as a whole field, before a row without a key', '"99100000";"\n";"A"\n"9910";"B"\n'],
    ['before a row without a key', '"99100000";"A\n"9910";"B"\n'],
    ['before a row without a key or a quotation mark', '"99100000";"A"\n9910;"B";"C"\n'],
    ['before a row that has lost its beginning', '"99100000";"A"\n";"B";"C"\n'],
    ['before a row that has lost its first field', '"99100000";"A"\n;"B";"C"\n'],
    ['before a row with an empty key', '"99100000";"A\n"";"B"\n'],
    ['before a semicolon', '"99100000"\n;"A";"B"\n'],
    ['after a semicolon', '"99100000";\n"A";"B"\n'],
    ['before the first semicolon, after a blank', '"99100000";"A" \n;"B"\n'],
    ['after the first quotation mark', '"\n99100000";"A"\n'],
    ['after the key', '"99100000\n";"A";"B"\n'],
  ])('with a line break %s have, or may have, an unknown company', (_, file) => {
    for (const text of [file, file.replaceAll('\n', '\r\n'), file.replaceAll('\n', '\n\n')]) {
      expect(read(text, 1_000, 3).flat()).toContain('?');
    }
  });
});
