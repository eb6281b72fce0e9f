import { Option } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import { mercadopublico } from '../modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../modules/tenders/sources/pncp/pncp.ts';
import type { Import } from './import.ts';

const COPIES = { CL: [mercadopublico], BR: [pncp] } as const;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** `quipu import tenders [--country CL|BR] [--from YYYY-MM] [--to YYYY-MM] [--file PATH…]`: the indexes of orders and awards by supplier. */
export const tendersImport: Import = {
  name: 'tenders',
  description: 'Orders and awards of suppliers: Mercado Público (CL) and PNCP (BR)',
  files: 'monthly files of Mercado Público as it names them, zipped; only with --country CL',
  copies: [...COPIES.CL, ...COPIES.BR],
  options: [
    new Option('--country <code>', 'this one only').choices(Object.keys(COPIES)),
    new Option('--from <month>', 'oldest month, e.g. 2024-01; as far back as QUIPU_TENDERS_MONTHS says when left out'),
    new Option('--to <month>', 'newest month; the current one when left out'),
  ],
  narrow({ country, from, to, file }) {
    if (file && country !== 'CL') throw invalidInput('file', 'Only --country CL has files to import.');
    if (file && (from || to)) throw invalidInput('file', 'A file names its own month: leave out --from and --to.');
    for (const [name, month] of Object.entries({ from, to })) {
      if (month !== undefined && !MONTH.test(String(month))) throw invalidInput(name, `--${name} must be a month, e.g. 2026-01.`);
    }
    if (from && to && String(from) > String(to)) throw invalidInput('from', '--from lies after --to.');
    const copies = country === undefined ? [...COPIES.CL, ...COPIES.BR] : COPIES[country as keyof typeof COPIES];
    return { copies, sync: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } };
  },
};
