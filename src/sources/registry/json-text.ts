import type { z } from 'zod';
import { mapTexts, repaired } from '../../domain/encoding.ts';
import { parseJson } from '../http/failure.ts';
import { requireFewValues } from '../http/message.ts';
import { type ListFile, ListFileError } from './list-file.ts';

/** Maximum length of a list, characters. These lists have up to 300,000. A longer list is read by `jsonItems`. */
const MAX_CHARACTERS = 1024 ** 2;
/** Maximum number of values, on which the time to parse the text depends. These lists have up to 10,000. */
const MAX_VALUES = 30_000;

/** Returns the first character of a file that is no blank; an empty text for an xml or a workbook. */
export async function firstCharacter(file: ListFile): Promise<string> {
  if (file.format !== 'csv') return '';
  for await (const piece of file.text()) {
    const text = piece.replace(/^[\s\uFEFF]+/, '');
    if (text !== '') return text.charAt(0);
  }
  return '';
}

/**
 * Reads a list that is one JSON document.
 * @param schema schema of the document; `rowsOf` for its rows, which ends at the first wrong one
 * @throws ListFileError for a text that is too long, that is not JSON, or that does not have the schema
 */
export async function readJsonList<T>(file: ListFile, schema: z.ZodType<T>): Promise<T> {
  let text = '';
  for await (const piece of file.text()) {
    text += piece;
    if (text.length > MAX_CHARACTERS) throw new ListFileError(`the file has more than ${MAX_CHARACTERS} characters`);
  }
  try {
    requireFewValues(Buffer.from(text), MAX_VALUES);
  } catch {
    throw new ListFileError(`the file has more than ${MAX_VALUES} values`);
  }
  return readJson(schema, text);
}

/** Reads a JSON document, and repairs the encoding of its texts. @throws ListFileError for a text that is not JSON, or that does not have the schema */
export function readJson<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(parsed(text));
  if (result.success) return mapTexts(result.data, repaired);
  // The message of zod may quote values, which may be about people.
  const [issue] = result.error.issues;
  throw new ListFileError(
    `the document has another form: ${issue?.code ?? 'invalid'} at ${issue?.path.join('.').slice(0, 60) || 'its root'}`,
  );
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new ListFileError('the file is not JSON');
  }
}
