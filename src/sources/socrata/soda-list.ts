import { z } from 'zod';
import { mapTexts, repaired } from '../../domain/encoding.ts';
import { rowsOf } from '../http/rows.ts';
import { jsonItems } from '../registry/json-items.ts';
import { type ListFile, ListFileError } from '../registry/list-file.ts';

const FRAME = rowsOf(z.literal(0));

/**
 * Yields the rows of a table that was downloaded as a file: a list of objects, in which null columns are absent.
 * @param limit `$limit` of the query
 * @throws ListFileError for another document, a row of another form, and for as many rows as the limit, because more may follow
 */
export async function* tableItems<T>(file: ListFile, row: z.ZodType<T>, limit: number): AsyncGenerator<T, void, void> {
  let rows = 0;
  for await (const item of jsonItems(file, { depth: 0, item: row, frame: FRAME })) {
    rows += 1;
    if (rows >= limit) throw new ListFileError(`the table has ${limit} rows or more, which one query does not return`);
    yield mapTexts(item, repaired);
  }
}

/** A column as a text without the blanks around it; empty for a null one. */
export const column = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => String(value ?? '').trim());
