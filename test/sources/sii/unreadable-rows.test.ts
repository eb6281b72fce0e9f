import { describe, expect, it } from 'vitest';
import { COMPANIES_HEADER } from '../../../sandbox/upstreams/sii.ts';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { ask, onDisk, rutOf, siiDb, statusIn } from './support.ts';
import { companyCells, names, nomina, numbers } from './tables.ts';

const { sii } = siiDb();
const NUMBER = 76_000_000;
/** A company without a row. */
const ABSENT = rutOf(76_900_000);
const SOUND = numbers(5, NUMBER + 100).map((number) => ({ number }));

/** A copy of a nómina with these cells of RUT and check digit, and of a list of names, if there is one. */
async function having(cells: readonly (readonly [rut: string, dv: string])[], list?: string) {
  const rows = cells.map(([rut, dv]) => companyCells({ number: NUMBER }).with(1, rut).with(2, dv));
  const text = [nomina(SOUND, { end: '\n' }), ...rows.map((row) => `${row.join('\t')}\n`)].join('');
  const copy = sii();
  const files = await onDisk({ 'PUB_EMPRESAS_PJ_2024.txt': text, ...(list !== undefined && { 'PUB_NOMBRES_PJ.txt': list }) });
  expect(await copy.sync({ files })).toMatchObject({ outcome: 'loaded' });
  return copy;
}

const formatted = (number: number): string => String(number).replace(/(?<=\d)(?=(?:\d{3})+$)/g, '.');
/** A number of a company whose last digit is the check digit of those before it. */
const CHANCE = Number(rutOf(7_600_001));

const wrong = (number: number): string => (rutCheckDigit(String(number)) === '1' ? '2' : '1');
const listOf = (...more: readonly number[]): string =>
  names([...SOUND.map(({ number }) => number), ...more].map((number) => [number, 'X', '01-01-2015', '']));

describe('a row of the Chilean tax registry', () => {
  it.each([
    ['76.000.000', rutCheckDigit('76000000')],
    [`76000000-${rutCheckDigit('76000000')}`, ''],
    [`76.000.000-${rutCheckDigit('76000000')}`, rutCheckDigit('76000000')],
  ])('is read with the RUT %s and the check digit "%s"', async (rut, dv) => {
    const copy = await having([[rut, dv]]);
    expect((await ask(copy, NUMBER))?.name).toBe(`EMPRESA ${NUMBER} SPA`);
    expect(await statusIn(copy, ABSENT)).toBe('not_found');
  });

  it.each([
    ['no number', '', '1'],
    ['a rounded number', '7,6E+07', '1'],
    ['the number 0', '0', '0'],
  ])('with %s leaves every company unknown, and not absent, that no other row names', async (_, rut, dv) => {
    const copy = await having([[rut, dv]]);
    expect([await statusIn(copy, rutOf(NUMBER)), await statusIn(copy, ABSENT)]).toEqual(['unknown', 'unknown']);
    expect(await statusIn(copy, rutOf(NUMBER + 100))).toBe('active');
    expect(await copy.status()).toMatchObject({ list: { rowsUnmatched: 1 } });
  });

  it.each([
    ['a wrong check digit', String(NUMBER), wrong(NUMBER)],
    ['two check digits', `76.000.000-${wrong(NUMBER)}`, rutCheckDigit(String(NUMBER))],
    ['no check digit', '76.000.000', ''],
    ['no check digit, which is the RUT of a person by chance,', formatted(CHANCE), ''],
  ])('with %s leaves only the company with its number unknown', async (_, rut, dv) => {
    const copy = await having([[rut, dv]]);
    expect([await statusIn(copy, rutOf(rut === formatted(CHANCE) ? CHANCE : NUMBER)), await statusIn(copy, ABSENT)]).toEqual([
      'unknown',
      'not_found',
    ]);
    expect(await copy.status()).toMatchObject({ list: { rowsUnmatched: 0, entries: SOUND.length } });
    const { hits } = await copy.search({ words: ['empresa'], limit: 100, after: null });
    expect(hits).toHaveLength(SOUND.length);
  });

  it.each([
    ['7690001', '1'],
    ['7690001-1', ''],
  ])(
    'with the RUT %s and the check digit "%s" leaves the companies unknown of which this is the RUT without one digit',
    async (number, dv) => {
      const copy = await having([[number, dv]]);
      expect([await statusIn(copy, '769000011'), await statusIn(copy, '766900011'), await statusIn(copy, ABSENT)]).toEqual([
        'unknown',
        'unknown',
        'not_found',
      ]);
    },
  );

  it.each(['7679556', '12345678'])(
    'with a wrong check digit and the number %s of a person leaves no other company unknown',
    async (number) => {
      expect(await statusIn(await having([[number, wrong(Number(number))]]), ABSENT)).toBe('not_found');
    },
  );

  const lineOf = (cells: readonly unknown[]): string => `${cells.join('\t')}\n`;
  it.each([
    ['fewer cells', companyCells({ number: NUMBER }).slice(0, 6), 'not_found'],
    ['more cells', companyCells({ number: NUMBER }).toSpliced(4, 0, 'SPA'), 'not_found'],
    ['no tab before its RUT', [`2024${NUMBER}`, ...companyCells({ number: NUMBER }).slice(2)], 'unknown'],
  ])('of %s leaves the company unknown that it may be about', async (_, cells, absent) => {
    const copy = sii();
    const person = companyCells({ number: 12_345_678 }).slice(0, 6);
    const rows = [...SOUND.map(companyCells), cells, person, COMPANIES_HEADER.map(() => ' ')];
    const files = await onDisk({ 'PUB_EMPRESAS_PJ_2024.txt': [COMPANIES_HEADER, ...rows].map(lineOf).join('') });
    expect(await copy.sync({ files })).toMatchObject({ outcome: 'loaded' });
    expect([await statusIn(copy, rutOf(NUMBER)), await statusIn(copy, ABSENT)]).toEqual(['unknown', absent]);
  });

  it('with a wrong check digit is of no matter if another row names the company', async () => {
    const copy = await having([[String(NUMBER), wrong(NUMBER)]], listOf(NUMBER));
    expect([await statusIn(copy, rutOf(NUMBER)), await statusIn(copy, ABSENT)]).toEqual(['active', 'not_found']);
  });

  it('without a number is of no matter if the list of names is whole', async () => {
    expect(await statusIn(await having([['', '1']], listOf()), ABSENT)).toBe('not_found');
  });

  it('leaves a company unknown if it is of the list of names, which alone has companies newer than the nómina', async () => {
    const copy = await having([], `${listOf()}\t1\t223\tX\t01-01-2015\t\n`);
    expect(await statusIn(copy, ABSENT)).toBe('unknown');
    const newer = await having([], `${listOf()}${NUMBER}\t${wrong(NUMBER)}\t223\tX\t01-01-2026\t\n`);
    expect([await statusIn(newer, rutOf(NUMBER)), await statusIn(newer, ABSENT)]).toEqual(['unknown', 'not_found']);
  });
});
