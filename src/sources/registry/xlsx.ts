import { readSheet } from 'read-excel-file/node';
import { ListFileError } from './list-file.ts';
import { proveZip } from './zip.ts';

/** An xlsx is read whole into memory, so it may be this large, unpacked. */
const MAX_BYTES = 50 * 1024 ** 2;

/**
 * Rows of the first sheet, every cell as the text a csv would have: dates DD/MM/YYYY, numbers plain digits, '' for none.
 * @throws ListFileError for a file that is damaged, over 50 MiB unpacked, or no workbook
 */
export async function readFirstSheet(file: string): Promise<readonly (readonly string[])[]> {
  await proveZip(file, MAX_BYTES);
  try {
    const rows: readonly (readonly unknown[])[] = await readSheet(file);
    return rows.map((row) => row.map(cellText));
  } catch (cause) {
    throw new ListFileError('the workbook cannot be read', { cause });
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return dayMonthYear(cell);
  return typeof cell === 'number' && Number.isInteger(cell) ? cell.toFixed(0) : String(cell).trim();
}

function dayMonthYear(date: Date): string {
  const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-');
  return `${day}/${month}/${year}`;
}
