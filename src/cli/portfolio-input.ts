import { readFile, stat } from 'node:fs/promises';
import { decoded } from '../domain/encoding.ts';
import { invalidInput } from '../domain/errors.ts';
import type { PortfolioRow } from '../modules/screening/domain/portfolio.ts';
import { readPortfolioFile } from '../modules/screening/service/portfolio-file.ts';
import { nextSlice } from '../scheduling/slices.ts';
import { type Archive, openArchive } from '../sources/registry/archive.ts';
import { ListFileError } from '../sources/registry/list-file.ts';
import { isWorkbook, workbookRows } from '../sources/registry/workbook.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the tax ids and countries of a csv file or a workbook, and returns csv text with each row at its line, so that the server counts rows
 * like the file. Rows of a workbook are counted without empty ones.
 * @param keepsColumns true: the text also has the other columns of the file
 * @throws AppError INVALID_INPUT for a file that cannot be read, or is neither csv nor a workbook
 */
export async function readPortfolio(file: string, keepsColumns: boolean): Promise<string> {
  const { size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidInput('file', `${file} cannot be read (${error.code}).`);
  });
  if (size > MAX_FILE_BYTES) throw invalidInput('file', `${file} has more than 64 MiB: leave out columns other than the tax id.`);
  const rows: PortfolioRow[] = [];
  let own: readonly string[] = [];
  const keepColumns = (names: readonly string[]): void => {
    own = names;
  };
  await readPortfolioFile(await textOf(file), (row) => rows.push(row), { nextPiece: nextSlice, ...(keepsColumns && { keepColumns }) });
  if (rows.length === 0) throw invalidInput('file', `${file} has no rows.`);
  // A file whose first line is a row has no header, and therefore no countries.
  const hasHeader = rows[0]?.row !== 1;
  const lines: string[] = hasHeader ? [toLine(['identifier', 'country', ...own])] : [];
  for (const { row, identifier, country, ownCells } of rows)
    lines[row - 1] = toLine([identifier, ...(hasHeader ? [country ?? ''] : []), ...(ownCells ?? [])]);
  return Array.from(lines, (line) => line ?? '').join('\n');
}

/** Returns the text of a csv file, or the first sheet of a workbook as such a text. */
async function textOf(file: string): Promise<string> {
  try {
    const archive = await openArchive(file, file);
    return archive ? await sheetOf(file, archive) : decoded(await readFile(file)); // spreadsheets save files in Spanish and Portuguese as Windows-1252
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    throw invalidInput('file', `${file} is no readable xlsx workbook: ${error.message}.`);
  }
}

/** @throws ListFileError for a zip that is no workbook, or one that cannot be read */
async function sheetOf(file: string, archive: Archive): Promise<string> {
  if (!isWorkbook(archive)) throw new ListFileError('the zip is none');
  const lines: string[] = [];
  for await (const row of workbookRows(file, archive)) lines.push(toLine(row));
  return lines.join('\n');
}

const toLine = (cells: readonly string[]): string => cells.map(quoted).join(',');

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""').replaceAll(/\s+/g, ' ')}"`;
