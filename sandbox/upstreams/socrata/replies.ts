import { jsonReply, type SimulatedReply } from '../simulator.ts';
import type { SodaRow } from './soql.ts';

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
