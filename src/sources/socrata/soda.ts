import { z } from 'zod';
import { mapTexts, repaired } from '../../domain/encoding.ts';
import { localDayIn, localTimeIn } from '../../domain/time.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/failure.ts';
import { rowsOf } from '../http/rows.ts';

/** A SODA 2.1 query for the rows of a table. */
interface RowsQuery {
  readonly select: readonly string[];
  /** Conditions that a row must meet; every row is returned without them. */
  readonly where?: readonly string[];
  /** Columns for GROUP BY; without them every row is returned. */
  readonly group?: readonly string[];
  /** Words that a row must contain, in any column. */
  readonly words?: string;
  /** Total order, so that equal queries return equal rows. */
  readonly order: string;
  readonly limit: number;
}

/** A query for one table of datos.gov.co. */
export interface SodaQuery extends RowsQuery {
  /** Id of the table: four letters or digits, a dash, four more, e.g. `jbjy-vk9h`. */
  readonly table: string;
  readonly where: readonly string[];
}

/** Returns the parameters of the query string. */
export function sodaParameters({ select, where, group, words, order, limit }: RowsQuery): Readonly<Record<string, string>> {
  const query = {
    $select: select.join(','),
    $where: where?.join(' AND '),
    $group: group?.join(','),
    $q: words,
    $order: order,
    $limit: String(limit),
  };
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
}

/** Returns the path and query string under the base URL. */
export const sodaPath = ({ table, ...query }: SodaQuery): string => `/${table}.json?${new URLSearchParams(sodaParameters(query))}`;

/** Quotes a text for SoQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const NO_SUCH_COLUMN = 'query.soql.no-such-column';

/** Code of a refusal. Some tables call the member `errorCode`, others `code`. */
const REFUSAL_CODE = /"(?:errorCode|code)"\s*:\s*"([\w.-]{1,100})"/;

/**
 * Reads the rows of a SODA response, and repairs their texts; `[]` for none. A renamed column gives `schema_drift`. Status 202 means "not
 * ready, retry".
 * @throws HttpFailure for anything but a list of rows of this shape
 */
export const readRows = <T>(answer: HttpAnswer, row: z.ZodType<T>): readonly T[] => mapTexts(readPrintedRows(answer, row), repaired);

/** Reads rows like `readRows`, with their texts as printed: to repair those of thousands of rows takes longer than to parse them. */
export function readPrintedRows<T>({ status, text }: HttpAnswer, row: z.ZodType<T>): readonly T[] {
  if (status === 202) throw new HttpFailure('status_202', 'the answer is not ready yet', { retryable: true });
  if (status !== 200) {
    const [, code = ''] = REFUSAL_CODE.exec(text) ?? [];
    throw new HttpFailure(code === NO_SUCH_COLUMN ? 'schema_drift' : `status_${status}`, `answered ${status} ${code}`);
  }
  const got = rowsOf(row).safeParse(parseJson(text));
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  return got.data;
}

/** A nullable column: rows lack null columns. */
export const text = z.string().nullish();

/** A state; the portal's `No Definido` if missing. */
export const state = z
  .string()
  .nullish()
  .transform((word) => word ?? 'No Definido');

/** Money as a text, with optional decimals. COP. */
export const money = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(?:\.\d+)?$/)
      .transform(Number)
      .pipe(z.number()), // the schema refuses values that are too large for a number
  ])
  .nullish();

const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
  .refine((time) => localTimeIn('CO', time) !== null, 'not a time');
/** A timestamp in Bogotá time: `2022-12-27T17:12:41.000` → `2022-12-27T17:12:41`. One with a zone is converted. */
export const floating = timestamp.transform((time) => localTimeIn('CO', time)).nullish();

/** The day of such a timestamp. */
export const floatingDay = timestamp.transform((time) => localDayIn('CO', time)).nullish();

/** A link: `{"url": …}`, in some rows plain text. */
export const link = z
  .union([z.string(), z.object({ url: z.string().nullish() }).transform(({ url }) => url ?? null)])
  .transform((url) => (url && /^https?:\/\//.test(url) ? url : null))
  .nullish();

/** Texts that the portal writes for a missing value. */
const UNSTATED = /^(?:no definido|no aplica|no d|nd|sin descripcion|no adjudicado)?$/i;

/** Trims a text; null for an empty one or `No Definido` and the like. */
export function stated(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  return UNSTATED.test(trimmed) ? null : trimmed;
}
