import { type ListFile, ListFileError } from './list-file.ts';

/** Maximum length of a list that is one JSON document, in characters. The document is in memory as a whole. */
const MAX_CHARACTERS = 64 * 1024 ** 2;

/** Reads a list that is one JSON document. @throws ListFileError for a text that is too long or no JSON */
export async function jsonOf(file: ListFile): Promise<unknown> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of file.text()) {
    length += piece.length;
    if (length > MAX_CHARACTERS) throw new ListFileError('the document is too long');
    pieces.push(piece);
  }
  try {
    return JSON.parse(pieces.join(''));
  } catch {
    throw new ListFileError('the document is not JSON'); // the message of the parser quotes the text
  }
}
