import { jsonReply, type SimulatedReply, type SimulatedRequest } from '../simulator.ts';
import { queryTable, type SodaRow } from './soql.ts';

/** Format of datos.gov.co's tokens. */
const TOKEN = /^[0-9A-Za-z]{25}$/;

/** False for a token that the portal refuses. A request needs no token. */
export const isToken = (token: string | undefined): boolean => token === undefined || TOKEN.test(token);

export const INVALID_TOKEN: SimulatedReply = jsonReply(
  403,
  { code: 'permission_denied', error: true, message: 'Invalid app_token specified' },
  'message',
);

/** Builds the reply with rows of a table. @param key the required column, which the fault `wrong_columns` renames */
export const rowsReply = (rows: readonly SodaRow[], key: string): SimulatedReply => ({
  status: 200,
  headers: { 'content-type': 'application/json;charset=utf-8' },
  body: {
    format: 'json',
    rows: rows.map((row) => JSON.stringify(row)),
    frame: (lines) => `[${lines.join('\n,')}]\n`,
    renameRequired: (text) => text.replaceAll(`"${key}":`, `"otro_${key}":`),
    charset: 'utf-8',
  },
});

/** A refusal in the form of most tables. */
export const refusal = (status: number, code: string, message: string): SimulatedReply =>
  jsonReply(status, { code, error: true, message, data: {} }, 'message');

/** A table of the portal, with its required column. */
export interface Table {
  readonly rows: (now: number) => readonly SodaRow[];
  readonly key: string;
}

/** Answers a query for a table, whose columns are those of its rows. */
export function tableReply({ rows, key }: Table, { query, now }: SimulatedRequest, refused = refusal): SimulatedReply {
  const all = rows(now);
  const columns = [...new Set(all.flatMap((row) => Object.keys(row)))];
  const found = queryTable({ columns, rows: all }, query);
  return 'errorCode' in found ? refused(400, found.errorCode, found.message) : rowsReply(found, key);
}
