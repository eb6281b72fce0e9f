import { QuipuError } from '../../clients/typescript/src/error.ts';
import { callEndpoint } from '../../clients/typescript/src/rest.ts';
import type { CsvDelimiter } from '../../src/domain/csv.ts';
import type { Client } from '../api/client.ts';
import { download } from '../api/download.ts';
import type { API_LANGUAGES } from '../api/languages.ts';

/** Maximum size of a file in bytes. The service takes bodies of 4 MiB, in which quotes and line breaks need a byte more. */
export const MAX_FILE_BYTES = 4_000_000;
/** Maximum length of the name of a screening. */
const MAX_NAME = 200;
/** Time for the upload of a file, in ms. */
const TIMEOUT_MS = 60_000;

/** Saves a file with every row of a screening in a language: CSV with a delimiter, or else a workbook. @throws QuipuError */
export const saveResults = (
  client: Client,
  id: string,
  language: keyof typeof API_LANGUAGES,
  delimiter: CsvDelimiter | null,
): Promise<void> => {
  const extension = delimiter === null ? 'xlsx' : 'csv';
  const query = new URLSearchParams({ rows: 'all', language, ...(delimiter && { delimiter }) });
  return download(client, `/v1/screenings/${id}/results.${extension}?${query}`, `${id}.${extension}`);
};

/** Decodes a text file: UTF-8, or else Windows-1252, in which spreadsheets save files in Spanish and Portuguese. */
export function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Starts the screening of a CSV file, with its own columns. @returns id of the screening @throws QuipuError */
export async function screenFile(client: Client, file: File): Promise<string> {
  const bytes = await file.arrayBuffer().catch((cause: unknown) => {
    throw new QuipuError('UNREADABLE_FILE', `${file.name} cannot be read any more.`, { cause });
  });
  const body = { csv: decoded(bytes), keep_columns: true, name: file.name.slice(0, MAX_NAME) };
  const started = await callEndpoint({ ...client.options, timeoutMs: TIMEOUT_MS }, 'POST /v1/screenings', { body });
  return started.screening_id;
}
