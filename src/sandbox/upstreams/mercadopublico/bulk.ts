import { createHash } from 'node:crypto';
import { chileanDate, DAY_MS } from '../../../domain/time.ts';
import { startOfDay } from '../../world/calendar.ts';
import { fileReply, zipped } from '../publish.ts';
import type { Published, SimulatedReply, Simulator } from '../simulator.ts';
import { type MonthlyTable, ordersTable, tendersTable } from './monthly-files.ts';

const TABLES = {
  'oc-da': { prefix: '', table: ordersTable, column: 'RutSucursal' },
  'lic-da': { prefix: 'lic_', table: tendersTable, column: 'RutProveedor' },
} as const;

/** The world is this old. */
const FIRST_MONTH = '2024-01';
const ABSENT =
  '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code><Message>The specified blob does not exist.</Message></Error>';

/**
 * ChileCompra's open data: `GET /oc-da/2026-9.zip` (orders) and `/lic-da/2026-9.zip` (tenders), the month without a left zero. A csv
 * in Windows-1252, every cell quoted, with an ETag that changes when the file does. A day behind.
 */
export const mercadopublicoBulkSimulator: Simulator = {
  name: 'mercadopublico_bulk',
  handle({ path, headers, now }) {
    const [, folder = '', year = '', number = ''] = /^\/(oc-da|lic-da)\/(\d{4})-([1-9]|1[0-2])\.zip$/.exec(path) ?? [];
    const month = `${year}-${number.padStart(2, '0')}`;
    const yesterday = chileanDate(now - DAY_MS);
    if (!(folder in TABLES) || month < FIRST_MONTH || month > yesterday.slice(0, 7)) return absent();
    const { prefix, table, column } = TABLES[folder as keyof typeof TABLES];
    const { header, rows } = table(month, yesterday);
    if (rows.length === 0) return absent();
    const etag = `"0x${createHash('sha1').update(JSON.stringify(rows)).digest('hex').slice(0, 16).toUpperCase()}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' };
    const reply = fileReply('application/zip', csv({ header, rows }, column, `${prefix}${year}-${number}.csv`), startOfDay(now));
    return { ...reply, headers: { ...reply.headers, etag } };
  },
};

const absent = (): SimulatedReply => ({ status: 404, headers: { 'content-type': 'application/xml' }, body: ABSENT });

const csv = ({ header, rows }: MonthlyTable, column: string, name: string): Published => ({
  format: 'csv',
  rows: rows.map(quoted),
  frame: (lines) => [quoted(header), ...lines, ''].join('\r\n'),
  misname: (text) => text.replace(`"${column}"`, `"otra_${column}"`),
  charset: 'windows-1252',
  pack: (bytes) => zipped(name, bytes, Date.parse('2026-01-01')),
});

const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
