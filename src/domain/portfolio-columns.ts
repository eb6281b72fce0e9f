/*
 * The columns of a portfolio as a CSV file. The pages and the service recognise them by the same rules, so that a row has the same line, tax id
 * and country in both. The pages accept further headers of the column with the tax ids.
 */

/** Headers of the column with the tax ids, and of the one with the countries, in lower case. */
const TAX_ID_HEADERS = ['identifier', 'tax_id', 'taxid', 'cnpj', 'rut', 'nit'];
const COUNTRY_HEADERS = ['country', 'pais', 'país'];

export const isTaxIdHeader = (cell: string): boolean => TAX_ID_HEADERS.includes(cell.trim().toLowerCase());
export const isCountryHeader = (cell: string): boolean => COUNTRY_HEADERS.includes(cell.trim().toLowerCase());

/** First cell of the line `sep=;`, with which a file tells Excel its delimiter. */
export const SEPARATOR_LINE = 'sep=';

const DELIMITERS = [',', ';', '\t'];
/** Number of characters of the first line that are read to detect the delimiter. */
const SEEN_OF_FIRST_LINE = 10_000;

/** Returns the delimiter that occurs most often in the first line: a comma, semicolon or tab. */
export function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().slice(0, SEEN_OF_FIRST_LINE).split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
