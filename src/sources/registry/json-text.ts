import type { z } from 'zod';
import { storable } from '../../domain/text.ts';
import { type ListFile, ListFileError } from './list-file.ts';

/**
 * Maximum length in characters. The largest list in this format, that of the World Bank, has up to 3,000 records of about 2,000
 * characters, and parsing 12 million takes about 120 ms.
 */
const MAX_CHARACTERS = 12 * 1024 ** 2;

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
 * @throws ListFileError for a text that is too long, that is not JSON, or that does not have the schema
 */
export async function readJsonList<T>(file: ListFile, schema: z.ZodType<T>): Promise<T> {
  let text = '';
  for await (const piece of file.text()) {
    text += piece;
    if (text.length > MAX_CHARACTERS) throw new ListFileError(`the file has more than ${MAX_CHARACTERS} characters`);
  }
  const result = schema.safeParse(parsed(text.replace(/^\uFEFF/, '')));
  if (result.success) return result.data;
  // The message of zod may quote values, which may be about people.
  const [issue] = result.error.issues;
  throw new ListFileError(`the document has another form: ${issue?.code ?? 'invalid'} at ${issue?.path.join('.') || 'its root'}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? storable(value).trim() : value));
  } catch {
    throw new ListFileError('the file is not JSON');
  }
}
