import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { cpfOf, shows } from '../../support/cpf-spellings.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';
import { call } from '../monitor/api-requests.ts';
import { START, start, unknownCnpjs, work } from './support.ts';

let now = Date.parse('2026-11-22T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now });
});
afterAll(() => app.close());
beforeEach(() => {
  now += HOUR_MS; // the limits of starts and files are full again
});

const clean = companyByScenario('clean').cnpj;
const debarred = companyByScenario('debarred-ceis').cnpj;

async function startFile(csv: string, over: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { body } = await app.post(START, { csv, keep_columns: true, ...over });
  return String(body.screening_id);
}

async function file(id: string, name: string, query: string, key = app.key) {
  const { statusCode, headers, rawPayload } = await app.server.inject({
    url: `${START}/${id}/results.${name}?${query}`,
    headers: { 'x-api-key': key },
  });
  return { status: statusCode, type: headers['content-type'], content: rawPayload, text: rawPayload.toString() };
}

const tableOf = (text: string, delimiter = ','): string[][] => parse(text, { delimiter, bom: true });
const sheetOf = async (content: Buffer) => (await readSheet(content)).map((row) => row.map((cell) => (cell === null ? '' : String(cell))));

const RESULT_COLUMNS =
  'identifier,country,company_name,registration_status,risk_level,completeness,risk_reasons,is_sanctioned,is_debarred,has_violations,tax_debtor,owner_count,failed_modules,checked_at';
const SUPPLIERS = `ref;cnpj;note\n007;${clean};"first; best"\n008;wrong;typed by hand\n009;${debarred};\n010;${clean};again\n`;

describe('a file of all rows', () => {
  it('has a row for each line of a file of 1,000 lines, 20 of which are wrong, with its number, own columns and reason', async () => {
    const ids = unknownCnpjs(980, 61);
    const lines = Array.from({ length: 1_000 }, (_, i) => `ref ${i + 2},${i % 50 === 7 ? 'wrong' : ids[i - Math.floor((i + 42) / 50)]}`);
    const id = await startFile(`our ref,cnpj\n${lines.join('\n')}\n`, { modules: ['sanctions'] });
    await work(app);
    const [head, ...rows] = tableOf((await file(id, 'csv', 'rows=all')).text);
    expect(head).toEqual(['row', 'our ref', ...RESULT_COLUMNS.split(','), 'outcome', 'reason']);
    expect(rows.map(([row, ref]) => [row, ref])).toEqual(lines.map((_, i) => [`${i + 2}`, `ref ${i + 2}`]));
    const wrong = rows.filter((row) => row.at(-2) === 'invalid');
    expect([rows.length, wrong.length]).toEqual([1_000, 20]);
    expect(wrong[0]).toEqual(['9', 'ref 9', ...Array<string>(14).fill(''), 'invalid', expect.stringContaining('neither a CNPJ')]);
    expect(rows.filter((row) => row.at(-2) === 'answered' && row[2] !== '' && row.at(-1) === '')).toHaveLength(980);
  });

  it('of long cells is stored in short turns', async () => {
    const rows = unknownCnpjs(1_000, 62).map((cnpj) => `${cnpj},${'\\'.repeat(1_900)}`);
    await expectShortTurns('start with own cells of backslashes', async () => {
      expect(await startFile(`cnpj,note\n${rows.join('\n')}`)).toMatch(/^scr_/);
    });
  });

  it('names the outcome of each row, also of pending and repeated ones', async () => {
    const id = await startFile(SUPPLIERS);
    const outcomesOf = async () =>
      tableOf((await file(id, 'csv', 'rows=all')).text)
        .slice(1)
        .map((row) => [row[0], row[1], row[3], ...row.slice(-2)]);
    const rejected = [
      ['3', '008', '', 'invalid', expect.stringContaining('neither a CNPJ')],
      ['5', '010', '', 'duplicate', 'The same company as in row 2.'],
    ];
    const rows = (outcome: string) => [['2', '007', clean, outcome, ''], rejected[0], ['4', '009', debarred, outcome, ''], rejected[1]];
    expect(await outcomesOf()).toEqual(rows('pending'));
    await work(app);
    expect(await outcomesOf()).toEqual(rows('answered'));
  });

  it('speaks the language and uses the delimiter that the request chooses, with the mark of UTF-8', async () => {
    const id = await startFile(SUPPLIERS);
    await work(app);
    const { text, type } = await file(id, 'csv', 'rows=all&language=es&delimiter=semicolon');
    expect([type, text.charCodeAt(0)]).toEqual(['text/csv; charset=utf-8', 0xfeff]);
    const [head, first, second, third] = tableOf(text, ';');
    expect(head?.slice(0, 5)).toEqual(['Fila', 'ref', 'note', 'Identificador', 'País']);
    expect(first).toEqual(expect.arrayContaining(['first; best', 'activa', 'bajo', 'completo', 'no', 'verificada']));
    expect(second?.slice(-2)).toEqual(['errónea', expect.stringMatching(/^Esto no es/)]);
    expect(third).toEqual(expect.arrayContaining(['medio', 'inhabilitada para contratar con el Estado', 'sí']));
  });

  it('is as before for a request that chooses nothing, also of a screening with own columns', async () => {
    const id = await startFile(SUPPLIERS);
    await work(app);
    const { text } = await file(id, 'csv', '');
    expect(text.startsWith(`row,${RESULT_COLUMNS}\r\n2,${clean},BR,`)).toBe(true);
    expect(text.split('\r\n')).toHaveLength(4);
    expect(text).toBe((await file(id, 'csv', 'rows=results&delimiter=comma')).text);
  });

  it('has no own columns of a list, nor of a file whose caller does not ask to keep them', async () => {
    for (const id of [await start(app, [clean]), await startFile(SUPPLIERS, { keep_columns: false })]) {
      const [head] = tableOf((await file(id, 'csv', 'rows=all')).text);
      expect(head).toEqual(['row', ...RESULT_COLUMNS.split(','), 'outcome', 'reason']);
      expect(
        await app
          .db('screening_companies')
          .whereRaw('screening_id = ?::uuid', [id.slice(4)])
          .whereNotNull('own_cells'),
      ).toEqual([]);
    }
  });

  it('numbers the own columns of a file without a header, and leaves out cells to the right of its first row', async () => {
    const id = await startFile(`${clean},One\n${debarred},Two,more\n`);
    const [head, ...rows] = tableOf((await file(id, 'csv', 'rows=all')).text);
    expect([head?.[1], ...rows.map((row) => row[1])]).toEqual(['column_2', 'One', 'Two']);
  });

  it('shows no CPF of own columns, and nothing of the tax id of a wrong row', async () => {
    const [spaced, short] = [cpfOf('529982247'), cpfOf('012345678')];
    const csv = `contact,CPF,cnpj\nMaria ${spaced.slice(0, 3)}.${spaced.slice(3)},${short.slice(1)},${spaced}\n"NUL \u0000.",,${short}\n`;
    const id = await startFile(csv);
    const { text } = await file(id, 'csv', 'rows=all');
    expect(
      tableOf(text)
        .slice(1)
        .map((row) => row.slice(1, 4)),
    ).toEqual([
      [expect.stringMatching(/^Maria \*{3}\d{6}\*{2}$/), expect.stringMatching(/^\*{3}\d{6}\*{2}$/), ''],
      ['NUL .', '', ''],
    ]);
    const { rows } = await app.db.raw('SELECT row_to_json(r)::text AS row FROM screening_rejects r WHERE screening_id = ?::uuid', [
      id.slice(4),
    ]);
    const stored = rows.map(({ row }: { readonly row: string }) => row).join('\n');
    for (const shown of [text, stored]) expect([shows(shown, spaced), shows(shown, short)]).toEqual([false, false]);
  });

  it('shows and stores no CPF in the name of an own column', async () => {
    const cpf = cpfOf('529982247');
    const id = await startFile(`paid by ${cpf},cnpj\nx,${clean}\n`);
    const [head] = tableOf((await file(id, 'csv', 'rows=all')).text);
    const masked = `paid by ***${cpf.slice(3, 9)}**`;
    expect(head?.[1]).toBe(masked);
    expect(await app.db('screenings').whereRaw('id = ?::uuid', [id.slice(4)])).toMatchObject([{ own_columns: [masked] }]);
  });

  it('has the own cells that GraphQL returns beside results and rejected rows', async () => {
    const id = await startFile(SUPPLIERS);
    await work(app);
    const query = `query ($id: ID!) { screening(id: $id) {
      ownColumns results { nodes { row ownCells } } rejectedRows { nodes { row ownCells } } } }`;
    expect((await app.query(query, { id })).body.data.screening).toEqual({
      ownColumns: ['ref', 'note'],
      results: {
        nodes: [
          { row: 2, ownCells: ['007', 'first; best'] },
          { row: 4, ownCells: ['009', ''] },
        ],
      },
      rejectedRows: {
        nodes: [
          { row: 3, ownCells: ['008', 'typed by hand'] },
          { row: 5, ownCells: ['010', 'again'] },
        ],
      },
    });
    expect(Object.keys((await call(app, 'GET', `${START}/${id}/rejected`)).body.rejected[0])).toEqual(['row', 'kind', 'reason']);
  });

  it('runs no formula of own columns', async () => {
    const id = await startFile(`note,cnpj\n=1+1,${clean}\n+55 11,wrong\n`);
    await work(app);
    const texts = tableOf((await file(id, 'csv', 'rows=all')).text)
      .slice(1)
      .map((row) => row[1]);
    expect(texts).toEqual(["'=1+1", "'+55 11"]);
    expect((await sheetOf((await file(id, 'xlsx', 'rows=all')).content)).slice(1).map((row) => row[1])).toEqual(['=1+1', '+55 11']);
  });
});

describe('a workbook of results', () => {
  it('has the cells of the csv file', async () => {
    const id = await startFile(SUPPLIERS);
    await work(app);
    const query = 'rows=all&language=pt';
    const { status, type, content } = await file(id, 'xlsx', query);
    expect([status, type]).toEqual([200, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']);
    expect(await sheetOf(content)).toEqual(tableOf((await file(id, 'csv', query)).text));
  });

  it('keeps leading zeros, ampersands and characters that XML does not allow out of harm', async () => {
    const id = await startFile(`ref,cnpj\n"007 <&> ""x"" \ufffe",${clean}\n`);
    const [, row] = await sheetOf((await file(id, 'xlsx', 'rows=all')).content);
    expect(row?.[1]?.trim()).toBe('007 <&> "x"');
  });

  it('is read over several pages', async () => {
    const id = await start(app, unknownCnpjs(1_201, 62), { modules: ['sanctions'] });
    await work(app);
    const [, ...rows] = await sheetOf((await file(id, 'xlsx', '')).content);
    expect(rows.map(([row]) => row)).toEqual(Array.from({ length: 1_201 }, (_, i) => `${i + 1}`));
  });

  it('is not given to another key', async () => {
    const id = await start(app, [clean]);
    const { status, text } = await file(id, 'xlsx', '', await app.keyFor('screening'));
    expect([status, JSON.parse(text).code]).toEqual([404, 'screening_not_found']);
  });
});

it.each(['rows=some', 'language=fr', 'delimiter=;'])('a file with the parameter %s is refused', async (query) => {
  const id = await start(app, [clean]);
  expect((await call(app, 'GET', `${START}/${id}/results.csv?${query}`)).status).toBe(422);
});
