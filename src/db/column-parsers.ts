import pg from 'pg';

/** Oid of `text[]`, for which pg has no constant. */
const TEXT_ARRAY = 1009;

type ColumnParser = (text: string) => unknown;

/** Returns the function that reads values of a type of Postgres, given by its oid. */
export function columnParser(oid: number, format?: string): ColumnParser {
  const parse: ColumnParser = pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text');
  if (oid === pg.types.builtins.DATE) return asText;
  return oid === TEXT_ARRAY ? (text) => plainTexts(text) ?? parse(text) : parse;
}

/** Returns the text of a date, which is a calendar day and not an instant of some time zone. */
const asText = (text: string): string => text;

/**
 * Returns the texts of a flat array without quotes, nulls and bounds, such as `{99030001000146,99030002000190}`; null for any other array.
 * The parser of pg reads one character at a time and takes 10 ms of the event loop for the 50,000 identifiers that one page of monitors
 * may have.
 */
function plainTexts(text: string): readonly string[] | null {
  if (text === '{}') return [];
  const inner = text.slice(1, -1);
  if (!text.startsWith('{') || /["\\{}]|null/i.test(inner)) return null;
  return inner.split(',');
}
