import { formatRut, rutCheckDigit } from '../../src/domain/tax-id.ts';
import { personName } from '../world/brazil/company.ts';
import { lastDay } from '../world/calendar.ts';
import type { ChileanCompany } from '../world/chile/company.ts';
import { chileanCompanies } from '../world/chile/world.ts';
import { fileReply, type Simulator } from './simulator.ts';

/** The cells of one row: RUT, name, amount, date. */
type Row = readonly [rut: string, name: string, amount: string, date: string];

/** Two debts of a company; the second uses other formats of RUT, amount and date. */
const debts = ({ rut, name, debtClp }: ChileanCompany): readonly Row[] => {
  const first = Math.round((debtClp ?? 0) * 0.6);
  return [
    [formatRut(rut), name, String(first), '2026-06-30'],
    [rut.toLowerCase(), name, `$ ${((debtClp ?? 0) - first).toLocaleString('de-DE')}`, '31-07-2026'],
  ];
};

const rutOf = (number: number): string => formatRut(`${number}${rutCheckDigit(String(number))}`);

/** Companies outside the fictional world: a missing amount, a paid debt, and a RUT with a typo. */
const strangers: readonly Row[] = [
  [rutOf(67_900_001), 'FERRETERIA TORNILLO SUELTO LTDA', '4120000', '2026-05-31'],
  [rutOf(67_900_002), 'INMOBILIARIA CASTILLO EN EL AIRE S.A.', '', '2026-05-31'],
  [rutOf(67_900_003), 'LAVANDERIA CUENTA CLARA SPA', '0', '2026-04-30'],
  ['67.900.004-X', 'IMPRENTA DEDO TORPE EIRL', '310000', '2026-05-31'],
  ...Array.from(
    { length: 30 },
    (_, i): Row => [rutOf(67_900_100 + i), `EMPRESA MOROSA INVENTADA N° ${i + 1} LTDA`, String(150_000 * (i + 1)), '2026-06-30'],
  ),
];

/** People: a reader of the list must skip them. */
const people: readonly Row[] = [701, 702, 703].map((serial) => [rutOf(45_000_000 + serial), personName(serial), '980000', '2026-06-30']);

export const debtorRows: readonly Row[] = [
  ...strangers,
  ...people,
  ...chileanCompanies.filter(({ debtClp }) => debtClp !== null).flatMap(debts),
];

/** Returns the last publication date, the first day of a month. */
const publishedOn = (now: number): number => lastDay(now, (day) => day.getUTCDate() === 1);

/** A list of tax debtors as an operator may provide it: exported from a spreadsheet, in Windows-1252. */
export const taxDebtorsSimulator: Simulator = {
  name: 'TAX_DEBTORS_CL',
  handle({ path, now }) {
    if (!path.endsWith('/deudores.csv')) return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404</html>' };
    const version = publishedOn(now);
    return fileReply(
      'text/csv',
      {
        format: 'csv',
        rows: debtorRows.map((cells) => cells.join(';')),
        frame: (rows) => ['rut;razon_social;monto_clp;fecha', ...rows, ''].join('\r\n'),
        renameRequired: (text) => text.replace('rut;', 'documento;'),
        charset: 'windows-1252',
      },
      version,
    );
  },
};
