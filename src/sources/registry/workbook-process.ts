import { readSheet } from 'read-excel-file/node';
import { repaired } from '../../domain/encoding.ts';
import { storable } from '../../domain/text.ts';
import { answerInProcess } from '../reading-process/entry.ts';

/**
 * Reads workbooks in a separate process, because the package reads a file completely, and a hostile one takes minutes. It answers with the
 * rows of the first sheet.
 */
answerInProcess(async (file: string): Promise<readonly (readonly string[])[]> => (await readSheet(file)).map((row) => row.map(cellText)));

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return dayMonthYear(cell);
  return typeof cell === 'number' && Number.isInteger(cell) ? cell.toFixed(0) : repaired(storable(String(cell))).trim();
}

function dayMonthYear(date: Date): string {
  const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-');
  return `${day}/${month}/${year}`;
}
