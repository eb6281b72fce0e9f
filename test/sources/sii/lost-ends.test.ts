import { describe, expect, it } from 'vitest';
import { NAMES_HEADER } from '../../../sandbox/upstreams/sii.ts';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { ask, onDisk, rutOf, siiDb, statusIn } from './support.ts';
import { type CompanyRow, names, nomina, numbers } from './tables.ts';

/*
 * UP-03: a company is not active if a row that cannot be read may state its end.
 */

const NUMBER = 76_000_000;
const DIGIT = rutCheckDigit(String(NUMBER));
const WRONG = DIGIT === '1' ? '2' : '1';
/** Another company, and one without a row. */
const [OTHER, ABSENT] = [rutOf(NUMBER + 100), rutOf(76_900_000)];
const SOUND = numbers(5, NUMBER + 100).map((number) => ({ number }));
const END = '30-06-2025';
const ENDED = { end: '2024-05-31', endKind: 'TERMINO DE GIRO' };
const { sii } = siiDb();

async function having(files: Readonly<Record<string, string>>) {
  const copy = sii();
  expect(await copy.sync({ files: await onDisk(files), force: true })).toMatchObject({ outcome: 'loaded' });
  return copy;
}

/** The statuses of the company, another one and one without a row, in a copy of these files. */
async function statuses(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const copy = await having(files);
  return Promise.all([rutOf(NUMBER), OTHER, ABSENT].map((rut) => statusIn(copy, rut)));
}

const file = (...rows: readonly CompanyRow[]): string => nomina([...SOUND, ...rows], { end: '\n' });
const sound = (number: number, end = '', start = '01-01-2015') => [number, rutCheckDigit(String(number)), '223', 'X', start, end];
type Cells = readonly (string | number)[];
const list = (...rows: readonly Cells[]): string =>
  [NAMES_HEADER, ...SOUND.map(({ number }) => sound(number)), ...rows].map((cells) => `${cells.join('\t')}\n`).join('');
const UNKNOWN = ['unknown', 'active', 'not_found'];
const ACTIVE = ['active', 'active', 'not_found'];

describe('a row of the list of names that cannot be read', () => {
  it.each<readonly [string, Cells]>([
    ['one cell more', [NUMBER, DIGIT, '223', 'X', 'SPA', '01-01-2015', END]],
    ['a wrong check digit', [NUMBER, WRONG, '223', 'X', '01-01-2015', END]],
    ['no check digit', ['76.000.000', '', '223', 'X', '01-01-2015', END]],
    ['an end that cannot be read, either,', [NUMBER, WRONG, '223', 'X', '01-01-2015', '2025/06/30']],
  ])('for %s leaves a company unknown that the nómina states no end of', async (_, row) => {
    expect(await statuses({ 'e.txt': file({ number: NUMBER }), 'n.txt': list(row) })).toEqual(UNKNOWN);
    expect(await statuses({ 'e.txt': file({ number: NUMBER, ...ENDED }), 'n.txt': list(row) })).toEqual([
      'inactive',
      'active',
      'not_found',
    ]);
  });

  it('is of no matter if it states no end, or a sound row of the list has its number', async () => {
    const wrong = (end: string) => [NUMBER, WRONG, '223', 'X', '01-01-2015', end];
    expect(await statuses({ 'e.txt': file({ number: NUMBER }), 'n.txt': list(wrong('')) })).toEqual(ACTIVE);
    expect(await statuses({ 'e.txt': file({ number: NUMBER }), 'n.txt': list(wrong(END), sound(NUMBER)) })).toEqual(ACTIVE);
    expect(await statuses({ 'e.txt': file(), 'n.txt': list(sound(NUMBER), wrong(END)) })).toEqual(ACTIVE);
  });

  it('and has no number leaves only the few companies unknown that the list lacks', async () => {
    const many = numbers(1_000, NUMBER + 1_000).map((number) => ({ number }));
    const listed = many.map(({ number }) => sound(number));
    const files = { 'e.txt': file(...many, { number: NUMBER }), 'n.txt': list(...listed, ['', '1', '223', 'X', '', END]) };
    expect(await statuses(files)).toEqual(['unknown', 'active', 'unknown']);
    expect(await statuses({ ...files, 'n.txt': list(...listed, ['', '1', '223', 'X', '', '']) })).toEqual(['active', 'active', 'unknown']);
    expect(await statuses({ ...files, 'n.txt': list(['', '1', '223', 'X', '', END]) })).toEqual(['active', 'active', 'unknown']);
  });
});

describe('a row of the nómina that cannot be read', () => {
  const older = file({ number: NUMBER, year: 2023 });
  const cells = (row: CompanyRow, at: number, ...more: readonly string[]): string =>
    file(row)
      .split('\n')
      .map((line) => (line.includes(`\t${NUMBER}\t`) ? line.split('\t').toSpliced(at, more.length > 1 ? 0 : 1, more[0] ?? '') : [line]))
      .map((line) => line.join('\t'))
      .join('\n');
  const more = (row: CompanyRow): string => cells(row, 4, 'SPA', '');
  const wrong = (row: CompanyRow): string => cells(row, 2, WRONG);

  it.each([
    ['one cell more', more],
    ['a wrong check digit', wrong],
  ])('for %s leaves a company unknown of which an older year answers', async (_, damaged) => {
    const ended = { number: NUMBER, ...ENDED };
    expect(await statuses({ 'a_2024.txt': damaged(ended), 'a_2023.txt': older })).toEqual(UNKNOWN);
    expect(await statuses({ 'a_2024.txt': damaged(ended), 'n.txt': list(sound(NUMBER)) })).toEqual(UNKNOWN);
    const newer = file({ number: NUMBER, year: 2025 });
    expect(await statuses({ 'a_2025.txt': newer, 'a_2024.txt': damaged(ended) })).toEqual(ACTIVE);
  });

  it('for a wrong check digit is of no matter if a sound row of that year has its number', async () => {
    expect(await statuses({ 'a.txt': wrong({ number: NUMBER, ...ENDED }), 'b.txt': file({ number: NUMBER }) })).toEqual(ACTIVE);
    expect(await statuses({ 'a.txt': `${file({ number: NUMBER })}\n`, 'b.txt': wrong({ number: NUMBER, ...ENDED }) })).toEqual(ACTIVE);
  });
});

describe('a row of a large file', () => {
  const MANY = numbers(10_100, 77_000_000);
  const large = (...rows: readonly CompanyRow[]): string => file(...MANY.map((number) => ({ number })), ...rows);

  it.each(['2021/05/06', '0000-00-00', '2021-02-30', '06-05-21'])('whose end is %s leaves its company unknown', async (end) => {
    const row = { number: NUMBER, end, endKind: 'TERMINO DE GIRO' };
    expect(await statuses({ 'a.txt': large(row) })).toEqual(UNKNOWN);
    expect(await statuses({ 'a.txt': large({ number: NUMBER }, row) })).toEqual(UNKNOWN);
    expect(await statuses({ 'a.txt': large(row), 'n.txt': list(sound(NUMBER, END)) })).toEqual(['inactive', 'active', 'not_found']);
    expect(await statuses({ 'a_2025.txt': large({ ...row, year: 2025 }, { number: NUMBER, year: 2024 }) })).toEqual(UNKNOWN);
    expect(await statuses({ 'a_2025.txt': large({ ...row, year: 2023 }, { number: NUMBER, year: 2024 }) })).toEqual(ACTIVE);
    const listed = list(...MANY.map((number) => sound(number)), sound(NUMBER, end));
    expect(await statuses({ 'a.txt': file({ number: NUMBER }), 'n.txt': listed })).toEqual(UNKNOWN);
    expect(await statuses({ 'a.txt': file(), 'n.txt': listed })).toEqual(UNKNOWN);
  });

  it('without a legible year leaves its company unknown if it states an end, or is the only row', async () => {
    const row = { number: NUMBER, year: 'MMXXIV' };
    expect(await statuses({ 'a.txt': large({ ...row, ...ENDED }, { number: NUMBER, year: 2023 }) })).toEqual(UNKNOWN);
    expect(await statuses({ 'a.txt': large(row, { number: NUMBER, year: 2023 }) })).toEqual(ACTIVE);
    expect(await statuses({ 'a.txt': large(row) })).toEqual(UNKNOWN);
  });
});

describe('a company twice in the list of names', () => {
  it('has the end of whichever row has it, unless the other row starts after it', async () => {
    type Row = readonly [start: string, end: string];
    const open: Row = ['01-01-2015', ''];
    const ended: Row = ['01-01-2015', END];
    const restarted: Row = ['01-09-2025', ''];
    const pairs: readonly (readonly [Row, Row])[] = [
      [open, ended],
      [ended, open],
      [restarted, ended],
      [ended, restarted],
      [ended, ['01-01-2015', '31-07-2025']],
    ];
    const rows = pairs.flatMap((pair, i) => pair.map(([start, end]) => [NUMBER + i, 'X', start, end] as const));
    const expected = ['2025-06-30', '2025-06-30', null, null, '2025-07-31'];
    const endsIn = async (e: string) => {
      const copy = await having({ 'e.txt': e, 'n.txt': names(rows) });
      return Promise.all(pairs.map(async (_, i) => (await ask(copy, NUMBER + i))?.endedOn));
    };
    expect(await endsIn(file())).toEqual(expected);
    expect(await endsIn(file(...pairs.map((_, i) => ({ number: NUMBER + i }))))).toEqual(expected);
  });
});
