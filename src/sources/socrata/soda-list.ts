import { z } from 'zod';
import { mapTexts, repaired } from '../../domain/encoding.ts';
import { jsonItems, OBJECTS } from '../registry/json-items.ts';
import type { ListFile } from '../registry/list-file.ts';

/**
 * Yields the rows of a table that was downloaded as a file: a list of objects, in which null columns are absent.
 * @param limit `$limit` of the query
 * @throws ListFileError for another document, a row of another form, and for as many rows as the limit, because more may follow
 */
export async function* tableItems<T>(file: ListFile, row: z.ZodType<T>, limit: number): AsyncGenerator<T, void, void> {
  for await (const item of jsonItems(file, { depth: 0, item: row, limit, frame: OBJECTS })) yield mapTexts(item, repaired);
}

/** A column as a text without the blanks around it; empty for a null one. */
export const column = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => String(value ?? '').trim());
