import { describe, expect, it } from 'vitest';
import { COMPANIES_HEADER } from '../../../sandbox/upstreams/sii.ts';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { createLoaders } from '../../../src/loaders/loader.ts';
import { siiTaxpayerLoader, statusOf } from '../../../src/loaders/taxpayer.ts';
import { ask, onDisk, rutOf, siiDb } from './support.ts';
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

/** Returns the status of a company; `unknown` if the registry does not show it. */
async function statusIn(copy: Awaited<ReturnType<typeof having>>, taxId: string): Promise<string> {
  const loaders = createLoaders((() => copy) as never, Date.now);
  const answer = loaders.scope()(siiTaxpayerLoader, { country: 'CL', taxId });
  return (async () => statusOf((await answer).value))().catch(({ code }) => (code === 'SOURCE_UNAVAILABLE' ? 'unknown' : code));
}

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
    ['a wrong check digit', String(NUMBER), wrong(NUMBER)],
    ['two check digits', `76.000.000-${wrong(NUMBER)}`, rutCheckDigit(String(NUMBER))],
  ])('with %s leaves a company unknown, and not absent, that no other row names', async (_, rut, dv) => {
    const copy = await having([[rut, dv]]);
    expect(await statusIn(copy, rutOf(NUMBER))).toBe('unknown');
    expect(await statusIn(copy, rutOf(NUMBER + 100))).toBe('active');
    expect(await copy.status()).toMatchObject({ list: { rowsUnmatched: 1 } });
  });

  it('of another width leaves such a company unknown', async () => {
    const joined = companyCells({ number: NUMBER }).slice(0, 6);
    const copy = sii();
    const files = await onDisk({
      'PUB_EMPRESAS_PJ_2024.txt': `${nomina(SOUND, { end: '\n' })}${joined.join('\t')}\n${COMPANIES_HEADER.map(() => '').join('\t')}\n`,
    });
    expect(await copy.sync({ files })).toMatchObject({ outcome: 'loaded' });
    expect(await statusIn(copy, rutOf(NUMBER))).toBe('unknown');
  });

  it('with a wrong check digit is of no matter if another row names the company', async () => {
    const copy = await having([[String(NUMBER), wrong(NUMBER)]], listOf(NUMBER));
    expect([await statusIn(copy, rutOf(NUMBER)), await statusIn(copy, ABSENT)]).toEqual(['active', 'not_found']);
  });

  it('without a number is of no matter if the list of names is whole', async () => {
    expect(await statusIn(await having([['', '1']], listOf()), ABSENT)).toBe('not_found');
  });

  it('leaves a company unknown if the list of names has lost a row, too', async () => {
    const copy = await having([['', '1']], `${listOf()}\t1\t223\tX\t01-01-2015\t\n`);
    expect(await statusIn(copy, ABSENT)).toBe('unknown');
  });
});
