import { lastDay } from '../../world/calendar.ts';
import { fileReply } from '../publish.ts';
import type { Simulator } from '../simulator.ts';
import { debtorRows } from './rows.ts';

/** The list is made anew on the first day of each month. */
const publishedOn = (now: number): number => lastDay(now, (day) => day.getUTCDate() === 1);

/** A list of tax debtors as an operator might bring it: exported from a spreadsheet, in Windows-1252. */
export const taxDebtorsSimulator: Simulator = {
  name: 'TAX_DEBTORS_CL',
  handle({ path, now }) {
    if (!path.endsWith('/deudores.csv')) return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404</html>' };
    const edition = publishedOn(now);
    return fileReply(
      'text/csv',
      {
        format: 'csv',
        rows: debtorRows.map((cells) => cells.join(';')),
        frame: (rows) => ['rut;razon_social;monto_clp;fecha', ...rows, ''].join('\r\n'),
        misname: (text) => text.replace('rut;', 'documento;'),
        charset: 'windows-1252',
      },
      edition,
    );
  },
};
