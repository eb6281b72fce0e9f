import { MINUTE_MS } from '../../domain/time.ts';
import { createReadingProcesses } from '../reading-process/reading-process.ts';
import type { Archive } from './archive.ts';
import { ListFileError } from './list-file.ts';

/** Maximum unpacked size of a workbook, which is read completely into memory. Real ones have a hundredth. */
const MAX_WORKBOOK_BYTES = 50 * 1024 ** 2;

const workbooks = createReadingProcesses<string, readonly (readonly string[])[]>({
  beside: import.meta.url,
  name: 'workbook-process',
  processes: 1,
  perCaller: 1,
  deadlineMs: MINUTE_MS,
});

/** True for a workbook (xlsx), which is a zip with a list of its parts. */
export const isWorkbook = ({ entries }: Archive): boolean => entries.some(({ path }) => path === '[Content_Types].xml');

/**
 * Yields the rows of the first sheet that have a cell with text. Cells are the texts of a csv: dates DD/MM/YYYY, numbers plain digits, ''
 * for none.
 * @param file path of the workbook that `archive` describes
 * @throws ListFileError for a file that is damaged, over 50 MiB unpacked, not a workbook, or takes more than a minute
 */
export async function* workbookRows(file: string, archive: Archive): AsyncGenerator<readonly string[], void, void> {
  await archive.verify(MAX_WORKBOOK_BYTES);
  const rows = await workbooks.run(file).catch((cause: unknown) => {
    throw new ListFileError('the workbook cannot be read', { cause });
  });
  for (const row of rows) if (row.some((cell) => cell !== '')) yield row;
}
