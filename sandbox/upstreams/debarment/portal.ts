import { stringify } from 'csv-stringify/sync';
import { DAY_MS } from '../../../src/domain/time.ts';
import { compactDate, startOfDay } from '../../world/calendar.ts';
import { fileReply, type Published, type SimulatedReply, type SimulatedRequest } from '../simulator.ts';

/** Writes a row of a csv of the transparency portal: `;`, every cell quoted, CRLF. */
export const line = (cells: readonly string[]): string =>
  stringify([cells], { delimiter: ';', quoted: true, quoted_empty: true, record_delimiter: '\r\n' });

/** Writes a table of the portal below its header. */
export const table =
  (header: readonly string[]) =>
  (rows: readonly string[]): string =>
    line(header) + rows.join('');

/**
 * Replies to `GET /{YYYYMMDD}` with the file of that day. 403 for a day that has no file.
 * @param ages ages in days of the files that are available; today's is published at midnight UTC
 */
export function dailyFile(
  { path, now }: Pick<SimulatedRequest, 'path' | 'now'>,
  ages: readonly number[],
  publish: (day: number) => Published,
): SimulatedReply {
  const age = ages.find((days) => path === `/${compactDate(now - days * DAY_MS)}`);
  if (age === undefined)
    return { status: 403, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>AccessDenied</Code></Error>' };
  const day = startOfDay(now - age * DAY_MS);
  return fileReply('application/zip', publish(day), day);
}
