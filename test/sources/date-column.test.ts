import { describe, expect, it } from 'vitest';
import { ceisSimulator, cnepSimulator } from '../../sandbox/upstreams/debarment/simulators.ts';
import type { Simulator } from '../../sandbox/upstreams/simulator.ts';
import { trabalhoEscravoSimulator } from '../../sandbox/upstreams/trabalho-escravo.ts';
import { ceisSpec, cnepSpec } from '../../src/modules/debarment/source.ts';
import { trabalhoEscravoSpec } from '../../src/modules/labor/source.ts';
import { taxDebtorsSpec } from '../../src/modules/tax-health/source.ts';
import { DateColumn } from '../../src/sources/registry/date-column.ts';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import type { RegistrySpec } from '../../src/sources/registry/registry.ts';
import { readBytes } from '../support/read-list.ts';
import { simulated } from './damage/fakes.ts';

const DATE = /\b(\d{2})\/(\d{2})\/(\d{4})\b/g;
const americanDates = (text: string) => text.replace(DATE, '$2/$1/$3');

const LISTS: readonly (readonly [RegistrySpec<unknown>, Simulator, path: string])[] = [
  [ceisSpec as RegistrySpec<unknown>, ceisSimulator, '/20261120'],
  [cnepSpec as RegistrySpec<unknown>, cnepSimulator, '/20261120'],
  [trabalhoEscravoSpec as RegistrySpec<unknown>, trabalhoEscravoSimulator, '/cadastro_de_empregadores.csv'],
];

/** A first load of 60 debtors, whose days are 1 to 28. */
const debtors = (date: (day: string, month: string) => string) =>
  readBytes(taxDebtorsSpec, {
    'deudores.csv': [
      'rut;monto_clp;fecha',
      ...Array.from({ length: 60 }, (_, i) => {
        const [day, month] = [1 + (i % 28), 1 + (i % 12)].map((n) => String(n).padStart(2, '0'));
        return `76.123.456-0;1000;${date(day ?? '', month ?? '')}`;
      }),
    ].join('\n'),
  });

/** Reads cells as a column of a file of this date. */
function column(cells: readonly string[], publishedOn: string | null = null): void {
  const dates = new DateColumn('DATA');
  for (const cell of cells) dates.read(cell);
  dates.assertDates(publishedOn);
}

/** Dates of 2020, each another one. */
const dated = (days: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `${String(1 + (i % days)).padStart(2, '0')}/${String(1 + (Math.floor(i / days) % 12)).padStart(2, '0')}/2020`,
  );

describe('UP-03 dates of a list', () => {
  it.each(LISTS)('$name is refused on a first load with all dates as MM/DD/YYYY', async (spec, simulator, path) => {
    const { text } = await simulated(simulator, path);
    const bytes = (some: string) => ({ '20261120_lista.csv': Buffer.from(some, 'latin1') });
    expect((await readBytes(spec, bytes(text))).entries.length).toBeGreaterThan(0);
    await expect(readBytes(spec, bytes(americanDates(text)))).rejects.toThrow(ListFileError);
  });

  it.each(LISTS)('$name is refused where only dates that are possible in both orders were turned', async (spec, simulator, path) => {
    const { text } = await simulated(simulator, path);
    const low = Array.from({ length: 144 }, (_, i) =>
      [1 + (i % 12), 1 + Math.floor(i / 12)].map((n) => String(n).padStart(2, '0')).join('/'),
    );
    let n = 0;
    const turned = text.replace(DATE, (_, _day, _month, year) => `${low[n++ % low.length]}/${year}`);
    const many = turned.trimEnd().split('\r\n');
    const rows =
      many.length > 40
        ? many
        : [...many, ...many.slice(1).map((row) => row.replace(DATE, (_, _d, _m, year) => `${low[n++ % 144]}/${year}`))];
    await expect(readBytes(spec, { '20261120_lista.csv': Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1') })).rejects.toThrow(
      ListFileError,
    );
  });

  it('the list of Chilean debtors is read with days before months, and refused the other way round', async () => {
    expect((await debtors((day, month) => `${day}-${month}-2024`)).entries.length).toBeGreaterThan(0);
    await expect(debtors((day, month) => `${month}/${day}/2024`)).rejects.toThrow(ListFileError);
  });

  it.each([
    ['one impossible date in a hundred', [...dated(28, 99), '03/19/2020'], false],
    ['two in a hundred', [...dated(28, 98), '03/19/2020', '02/30/2020'], true],
    ['no day over 12 among fifteen dates', dated(12, 15), true],
    ['no day over 12 among fourteen', dated(12, 14), false],
    ['one day many times', Array<string>(500).fill('01/02/2020'), false],
    ['zeros for no date', [...dated(28, 10), ...Array<string>(50).fill('00/00/0000')], false],
    ['words in one cell of twenty-five', [...dated(28, 96), ...Array<string>(4).fill('ver anexo')], false],
    ['words in one cell of ten', [...dated(28, 90), ...Array<string>(10).fill('ver anexo')], true],
  ])('%s', (_, cells, isRefused) => {
    if (isRefused) expect(() => column(cells)).toThrow(ListFileError);
    else expect(() => column(cells)).not.toThrow();
  });

  it('that are later than the file by more than a year are impossible', () => {
    const late = [...dated(28, 90), ...Array<string>(10).fill('20/05/2031')];
    expect(() => column(late, '2026-11-20')).toThrow(/10 of 100 cells of DATA are impossible dates/);
    expect(() => column(late)).not.toThrow();
  });
});
