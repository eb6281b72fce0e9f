import { jsonReply } from '../publish.ts';
import type { SimulatedReply, Simulator } from '../simulator.ts';
import { contractRows } from './contracts.ts';
import { procedureRows } from './procedures.ts';
import { askTable, type SodaRow } from './soql.ts';

/** The tables by their path, with the column without which a row says nothing. */
const TABLES: Readonly<Record<string, { readonly rows: (now: number) => readonly SodaRow[]; readonly key: string }>> = {
  '/jbjy-vk9h.json': { rows: contractRows, key: 'id_contrato' },
  '/p6dx-8zbt.json': { rows: procedureRows, key: 'id_del_proceso' },
};

/** What datos.gov.co gives out as a token. */
const TOKEN = /^[0-9A-Za-z]{25}$/;

/**
 * SECOP II on Socrata: `GET /<table>.json` with `$select`, `$where` (in, =, >=, <=, is not null, joined by AND), `$q`, `$order`,
 * `$limit` (1000 when left out) and `$offset`. Rows of texts without their null columns, some of them twice.
 */
export const secopiiSimulator: Simulator = {
  name: 'secopii',
  handle({ path, query, headers, now }) {
    const token = headers['x-app-token'];
    if (token !== undefined && !TOKEN.test(token)) {
      return jsonReply(403, { code: 'permission_denied', error: true, message: 'Invalid app_token specified' }, 'message');
    }
    const table = TABLES[path];
    if (!table) return refusal(404, 'dataset.missing', `Cannot find view with id ${path.slice(1).replace('.json', '')}`);
    const rows = table.rows(now);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const found = askTable({ columns, rows }, query);
    return 'errorCode' in found ? refusal(400, found.errorCode, found.message) : rowsReply(found, table.key);
  },
};

const refusal = (status: number, errorCode: string, message: string): SimulatedReply =>
  jsonReply(status, { message, errorCode, data: {} }, 'message');

const rowsReply = (rows: readonly SodaRow[], key: string): SimulatedReply => ({
  status: 200,
  headers: { 'content-type': 'application/json;charset=utf-8' },
  body: {
    format: 'json',
    rows: rows.map((row) => JSON.stringify(row)),
    frame: (lines) => `[${lines.join('\n,')}]\n`,
    misname: (text) => text.replaceAll(`"${key}":`, `"otro_${key}":`),
    charset: 'utf-8',
  },
});
