import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayMean, type TaxDebtEntry, taxDebtorsSpec, UNREADABLE_DEBTORS } from '../../../src/modules/tax-health/source.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { type Bytes, listFileOf, xlsxOf } from '../../support/files.ts';
import { readBytes, readWhole } from '../../support/read-list.ts';

const TABLE = [
  'rut;monto_clp;fecha',
  '76.795.561-8;18450000;2026-06-30',
  '96505760-9;1.200.500;31-07-2026',
  '76795561-8;$ 550.000;31/08/2026',
  '77310008-k;;',
  '',
].join('\r\n');

/** Rows of one company. */
const SOUND = Array.from({ length: 40 }, (_, i) => `76.795.561-8;${i + 1};2026-06-30`);

const read = (content: Bytes, name = 'deudores.csv') => readBytes(taxDebtorsSpec, { [name]: content });
const debt = async (row: string) => (await read(`rut;monto_clp;fecha\n${row}\n`)).entries[0]?.record;

describe('the reader of a list of tax debtors', () => {
  it('yields each debt under the company’s RUT, however it is written', async () => {
    const { entries, version } = await read(TABLE);
    expect(entries.map(({ id, keys, record }) => [id, ...keys, record.amountClp, record.owedOn])).toEqual([
      ['767955618', 'CL:767955618', 18_450_000, '2026-06-30'],
      ['965057609', 'CL:965057609', 1_200_500, '2026-07-31'],
      ['767955618-2', 'CL:767955618', 550_000, '2026-08-31'],
      ['77310008K', 'CL:77310008K', null, null],
    ]);
    expect(version).toMatchObject({ rowsRead: 4, rowsSkipped: 0 });
  });

  it('reads commas between cells, columns in another order and among others, and a workbook', async () => {
    const { entries } = await read(TABLE);
    expect((await read(TABLE.replaceAll(';', ','))).entries).toEqual(entries);
    const mixed = `\uFEFFFecha;Razón social;RUT;MONTO_CLP\n2026-06-30;"ÑANDÚ; LTDA";76.795.561-8;18450000\n`;
    expect((await read(mixed)).entries[0]).toEqual(entries[0]);
    expect((await read(Buffer.from(mixed.slice(1), 'latin1'))).entries[0]).toEqual(entries[0]);
    const workbook = await xlsxOf([
      ['rut', 'monto_clp', 'fecha'],
      ['76.795.561-8', 18_450_000, new Date('2026-06-30T00:00:00Z')],
    ]);
    expect((await read(workbook, 'deudores.xlsx')).entries[0]).toEqual(entries[0]);
  });

  it('stores the debts of companies only, and no paid debt', async () => {
    const { entries, version } = await read(`${TABLE}12.345.678-5;90000;2026-06-30\r\n96.505.760-9;0;2026-06-30\r\n`);
    expect(entries).toHaveLength(4);
    expect(JSON.stringify(entries)).not.toContain('12345678');
    expect(version).toMatchObject({ rowsRead: 6, rowsSkipped: 2 });
  });

  it.each([
    ['9,65E+07', { min: 96_400_000, max: 96_600_000 }],
    ['9.65E+08', { min: 964_000_000, max: 966_000_000 }],
    ['########', undefined],
    ['', undefined],
    ['FOLIO 12', undefined],
  ])('keeps a debt of %s for the companies that it may mean, and counts it as unmatched', async (printed, rounded) => {
    const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toEqual({
      id: '?',
      keys: [UNREADABLE_DEBTORS],
      record: { amountClp: 1, owedOn: '2026-06-30', isDoubtful: true, ...(rounded && { rounded }) },
    });
    expect(version).toMatchObject({ rowsRead: 41, rowsSkipped: 1, rowsUnmatched: 1 });
    expect(mayMean(entries[0]?.record as TaxDebtEntry, '965057609')).toBe(true);
    expect(mayMean(entries[0]?.record as TaxDebtEntry, '77310008K')).toBe(rounded === undefined);
  });

  it.each([
    ['5057', ['5057']],
    ['96.505.7', ['965057']], // cut, and no person's number, which has one digit before the first dot or less than 50
    ['96.505.###-9', ['96505', '9']],
    ['96?05760-9', ['96', '057609']],
    ['1965057601', ['1965057601']], // a digit too many
  ])('keeps a debt of %s for the companies with these digits only', async (printed, digits) => {
    const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys: [UNREADABLE_DEBTORS], record: { isDoubtful: true, digits } });
    expect(version.rowsUnmatched).toBe(1);
    const ruts = ['965057609', '767955618', '77310008K'];
    expect(ruts.filter((rut) => mayMean(entries[0]?.record as TaxDebtEntry, rut))).toEqual(['965057609']);
  });

  it.each([
    '0',
    '00000000',
    '00000000-0',
    '00.000.000-K',
    '0,00E+00',
    '0,00E+07',
    '0E+07',
    '11.111.111-1',
    '11111111',
    '99.999.999-9',
    '1-9',
    'SIN RUT 99.999.999-9',
    'RUT 00.000.000-0',
    'FICTICIA SPA 11.111.111-1',
    '2026-06-30', // a date of a row whose cells are exchanged
    '30/06/2026',
    '00/01/1900',
    '30.06.2026',
  ])('keeps a debt of %s, which names nobody, for all companies', async (printed) => {
    const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys: [UNREADABLE_DEBTORS], record: { isDoubtful: true } });
    expect(version).toMatchObject({ rowsSkipped: 1, rowsUnmatched: 1 });
    expect(['965057609', '767955618', '77310008K'].every((rut) => mayMean(entries[0]?.record as TaxDebtEntry, rut))).toBe(true);
  });

  it.each(['505760-9', '505760-4', '5.760-6', '760-9'])(
    'keeps a debt of %s, too short for a person’s, for the companies with its digits',
    async (printed) => {
      const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
      expect(entries[0]).toMatchObject({ keys: [UNREADABLE_DEBTORS], record: { isDoubtful: true, digits: expect.any(Array) } });
      expect(version.rowsUnmatched).toBe(1);
    },
  );

  it.each([
    ['18450000;76.795.561-8;2026-06-30', ['CL:767955618']],
    ['2026-06-30;18450000;76.795.561-8', ['CL:767955618']],
    [';RUT 96.505.760-9;', ['CL:965057609']],
  ])('keeps the debt of %s, whose cells are exchanged, as a doubtful one of the company that another cell names', async (row, keys) => {
    const { entries } = await read(['rut;monto_clp;fecha', row, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys, record: { isDoubtful: true } });
  });

  it.each([
    ['9,65057609E+08', ['CL:965057609']],
    ['RUT Nº 96.505.760-9 FICTICIA SPA', ['CL:965057609']],
    ['96505760-9SPA', ['CL:965057609']],
    ['96.505.760-9 y 77.310.008-K', ['CL:965057609', 'CL:77310008K']],
  ])('reads the RUTs of companies from %s', async (printed, keys) => {
    const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys, record: { amountClp: 1 } });
    expect(entries[0]?.record).not.toHaveProperty('isDoubtful');
    expect(version).toMatchObject({ rowsRead: 41, rowsSkipped: 0, rowsUnmatched: 0 });
  });

  it('keeps a debt of two companies as a doubtful one of both if a check digit is wrong', async () => {
    const { entries } = await read(['rut;monto_clp;fecha', '96.505.760-9 y 77.310.008-1;1;2026-06-30', ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys: ['CL:965057609', 'CL:77310008K'], record: { isDoubtful: true } });
  });

  it('keeps no debt of a rounded RUT that no company can have', async () => {
    const { entries, version } = await read(['rut;monto_clp;fecha', '1,23E+07;1;2026-06-30', ...SOUND, ''].join('\r\n'));
    expect([entries.length, version.rowsUnmatched]).toEqual([40, 0]);
  });

  it.each([
    ['96.505.760', '965057609'], // without its check digit
    ['96505760-1', '965057609'], // with a wrong one
    ['96.505.760-X', '965057609'],
    ['RUT 96505760 FICTICIA SPA', '965057609'],
    ['96.505.760-1 FICTICIA SPA', '965057609'],
    ['9,6505760E+07', '965057609'], // without it, and the RUT 9.650.576-0 of a person at once
    ['76795568', '767955685'], // without it, and the RUT 7.679.556-8 of a person at once
  ])('keeps a debt of %s as a doubtful one of the company with this number', async (printed, rut) => {
    const { entries, version } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]).toMatchObject({ keys: [`CL:${rut}`], record: { amountClp: 1, isDoubtful: true } });
    expect(version).toMatchObject({ rowsRead: 41, rowsSkipped: 0, rowsUnmatched: 0 });
  });

  it.each([
    ['9.505.760-9', ['795057609', '950527609', '950576049', '950579609', '950857609', '965057609']],
    ['7690001-1', ['766900011', '769000011', '769000151']],
  ])('keeps a debt of %s as a doubtful one of the companies of which this is the RUT without one digit', async (printed, ruts) => {
    const { entries } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
    expect(entries[0]?.record).toMatchObject({ amountClp: 1, isDoubtful: true });
    expect(entries[0]?.keys.toSorted()).toEqual(ruts.map((rut) => `CL:${rut}`));
  });

  it.each(['7.679.556-8', '1.234.567-1', '7.679.556', '12.345.678', '12345678-9', '12.345.678-X'])(
    'keeps no debt of %s, which is a person',
    async (printed) => {
      const { entries } = await read(['rut;monto_clp;fecha', `${printed};1;2026-06-30`, ...SOUND, ''].join('\r\n'));
      expect(entries).toHaveLength(40);
    },
  );

  it('counts an identical row once', async () => {
    const { entries } = await read(`${TABLE}76.795.561-8;18450000;2026-06-30\r\n`);
    expect(entries).toHaveLength(4);
  });

  it('dates the list by its file, otherwise by its newest debt', async () => {
    const dated = async (name: string, lastModified: string | null) => {
      const list = { ...(await listFileOf({ [name]: TABLE })), lastModified };
      return (await readWhole(taxDebtorsSpec, list)).version.publishedOn;
    };
    expect(await dated('deudores_20261001.csv', '2026-10-05')).toBe('2026-10-01');
    expect(await dated('deudores.csv', '2026-10-05')).toBe('2026-10-05');
    expect(await dated('deudores.csv', null)).toBe('2026-08-31');
  });

  it.each([
    ['18450000', 18_450_000],
    ['18.450.000', 18_450_000],
    ['$18.450.000', 18_450_000],
    ['', null],
  ])('reads the amount `%s` as %s', async (amount, amountClp) => {
    expect(await debt(`76.795.561-8;${amount};`)).toEqual({ amountClp, owedOn: null });
  });

  it('tolerates single invalid cells, but never as a certain debt of another company, or as another amount', async () => {
    const odd = ['rut;monto_clp;fecha', ...SOUND, '76.795.561-7;1;2026-06-30', '96.505.760-9;-5;30 de junio', '77310008-k;7;'].join('\n');
    const { entries, version } = await read(odd);
    expect(entries).toHaveLength(43);
    expect(entries.filter(({ record }) => record.isDoubtful)).toMatchObject([{ keys: ['CL:767955618'], record: { amountClp: 1 } }]);
    expect(entries.at(-2)).toMatchObject({ keys: ['CL:965057609'], record: { amountClp: null, owedOn: null } });
    expect(version.rowsSkipped).toBe(0);
  });

  it('DB-06 counts no rows in a file with only a header', async () => {
    expect((await read('rut;monto_clp;fecha')).version.rowsRead).toBe(0);
  });

  it.each([
    ['an empty file', ''],
    ['blank lines alone', '\n\n'],
    ['an error page', '<html><body>403</body></html>'],
    ['a missing column', TABLE.replace('monto_clp', 'deuda')],
    ['a column twice', TABLE.replace('monto_clp', 'rut')],
    ['a row cut between cells', TABLE.slice(0, TABLE.indexOf(';31-07'))],
    ['a row cut in its date', `rut;monto_clp;fecha\n${'76.795.561-8;1;2026-06-30\n'.repeat(40)}96.505.760-9;1;2026-06`],
    ['RUTs that are none', TABLE.replaceAll('76', '75')],
    ['RUTs that a spreadsheet has rounded', TABLE.replace(/\r\n[\d.]+-[\dk];/g, '\r\n7,67E+08;')],
    ['amounts in another currency’s form', TABLE.replace('18450000', '18450.55')],
    ['dates that are none', TABLE.replace('2026-06-30', 'ayer')],
  ])('DB-06 refuses %s', async (_, content) => {
    await expect(read(content)).rejects.toThrow(ListFileError);
  });

  it('UP-03 a damaged list is refused, or has the same companies up to its end', async () => {
    const whole = (await read(TABLE)).entries.map(({ keys }) => keys[0]);
    const cells = TABLE.split('\r\n').map((line) => line.split(';'));
    const joined = (change: (row: string[]) => string[]) => cells.map((row) => (row.length > 1 ? change(row) : row).join(';')).join('\r\n');
    const column = fc.nat({ max: 2 });
    const damaged = fc.oneof(
      column.map((at) => joined((row) => row.filter((_, i) => i !== at))),
      fc.tuple(column, column).map(([a, b]) => joined((row) => row.with(a, row[b] ?? '').with(b, row[a] ?? ''))),
      column.map((at) => TABLE.replace(cells[0]?.[at] ?? '', 'otra')),
      fc.integer({ min: 0, max: TABLE.length - 12 }).map((at) => TABLE.slice(0, at)),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (content) => {
        const outcome = await read(content).then(
          ({ entries }) => entries.map(({ keys }) => keys[0]),
          (error: unknown) => error,
        );
        if (!(outcome instanceof ListFileError)) expect(whole.slice(0, (outcome as string[]).length)).toEqual(outcome);
      }),
      { numRuns: 300 },
    );
  });
});
