import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { Caller } from '../../../src/context.ts';
import { HOUR_MS, isoDate } from '../../../src/domain/time.ts';
import { readPortfolioFile } from '../../../src/modules/screening/service/portfolio-file.ts';
import { screeningService } from '../../../src/modules/screening/service/screening.ts';
import { type TestApp, testApp } from '../../support/app.ts';
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
const chilean = chileanByScenario('cl-clean').rut;

/** Starts a screening from a csv file and returns what it was read as. */
async function startFile(csv: string, over: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await app.post(START, { csv, ...over });
  if (status !== 200) return { code: body.code, fields: body.errors?.map(({ field }: { field: string }) => field) };
  const { rejected } = (await call(app, 'GET', `${START}/${body.screening_id}/rejected`)).body;
  const companies = await app
    .db('screening_companies')
    .orderBy('ordinal')
    .whereRaw('screening_id = ?::uuid', [body.screening_id.slice(4)]);
  return { companies: companies.map(({ ordinal, country, tax_id }) => [ordinal, country, tax_id]), rejected };
}

async function file(id: string, extension: string, key = app.key) {
  const { statusCode, headers, body } = await app.server.inject({
    url: `${START}/${id}/results.${extension}`,
    headers: { 'x-api-key': key },
  });
  return { status: statusCode, type: headers['content-type'], body };
}

describe('a portfolio as a csv file', () => {
  it.each([
    ['commas', `identifier,country\n${clean},BR\n${chilean},cl\n`],
    ['semicolons, a byte order mark and Windows line ends', `\uFEFFname;CNPJ;País\r\nOne;${clean};BR\r\nTwo;${chilean};CL\r\n`],
    ['tabs and no countries', `rut\tname\n${clean}\tOne\n${chilean}\tTwo`],
    ['quotes', `"identifier","note"\n"${clean}","a ""quoted"", note"\n"${chilean}",""`],
  ])('is read with %s', async (_, csv) => {
    expect(await startFile(csv)).toEqual({
      companies: [
        [2, 'BR', clean],
        [3, 'CL', chilean.replace('-', '')],
      ],
      rejected: [],
    });
  });

  // A file for Excel may begin with the line `sep=;`.
  it.each([
    ['a line that names the delimiter', `sep=;\nname;cnpj\nOne;${clean}\n`, 3],
    ['a line break within quotes, whose row counts by its last line', `name,cnpj\n"One\nLtda.",${clean}\n`, 3],
    ['spaces that do not break, and an invisible one', `\u00a0name\u00a0;\u00a0cnpj\u00a0\nOne;\u200b\u00a0${clean}\u00a0\n`, 2],
    ['ids as formulas', `cnpj\n="${clean}"\n`, 2],
    ['the line ends of old Macs', `name,cnpj\rOne,${clean}\r`, 2],
  ])('is read with %s', async (_, csv, row) => {
    expect(await startFile(csv)).toEqual({ companies: [[row, 'BR', clean]], rejected: [] });
  });

  it('is read without a header: the first column has the tax ids', async () => {
    expect(await startFile(`${clean},One\n${debarred},Two`)).toMatchObject({
      companies: [
        [1, 'BR', clean],
        [2, 'BR', debarred],
      ],
    });
  });

  // https://github.com/bndes/bndestoken/issues/27, https://github.com/GRMagic/Sefaz/issues/29
  it.each([
    ['without its left zero', '1234567000195;A', '01234567000195'],
    ['as the result of a formula', '="01234567000195"', '01234567000195'],
    ['with the decimals of a number', '31000001000160.0', '31000001000160'],
    ['with decimals after a comma', '31000001000160,00', '31000001000160'],
    ['behind an apostrophe', "'01234567000195", '01234567000195'],
  ])('is read from a spreadsheet: a CNPJ %s', async (_, row, cnpj) => {
    const company = { companies: [[2, 'BR', cnpj]], rejected: [] };
    expect(await startFile(`cnpj;nome\n${row}\n`, { country: 'BR' })).toEqual(company);
    expect(await startFile(`cnpj;nome\n${row}\n`)).toEqual(company);
  });

  it('says what would cure a row that is refused', async () => {
    const read = await startFile('cnpj\n311000001000160\n1234567000196\n529.982.247-25\n1.23E+13\n', { country: 'BR' });
    expect(read.rejected.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringMatching(/^15 digits: one too many/),
      expect.stringMatching(/^13 digits: .*left zero/),
      expect.stringMatching(/^11 digits: this is a CPF/),
      expect.stringMatching(/rounded/),
    ]);
  });

  it.each([
    ['one line of commas', ','.repeat(1_000_000), 1],
    ['a line of commas below the header', `cnpj,nome\n${clean},A\n${','.repeat(500_000)}\n`, 3],
    ['101 columns', `cnpj${';x'.repeat(100)}\n${clean}${';y'.repeat(100)}\n`, 1],
    ['101 columns after a quote within a cell', `cnpj,nome\n${clean},TELA 5"${',y'.repeat(100)}\n`, 2],
    ['101 columns over two lines', `cnpj,nome\n${clean},"A\nB"${',x'.repeat(50)},"C\nD"${',y'.repeat(50)}\n`, 4],
  ])('is refused with %s, with the line and a cure', async (_, csv, line) => {
    const { status, body } = await app.post(START, { csv });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringMatching(`^Line ${line} has more than 100 columns. Give the column of the tax ids`),
    ]);
  });

  it('may have 100 columns, and delimiters in quotes', async () => {
    const csv = `cnpj${';x'.repeat(99)}\n${clean};"${';'.repeat(300)}"${';y'.repeat(98)}\n`;
    expect(await startFile(csv)).toMatchObject({ companies: [[2, 'BR', clean]], rejected: [] });
  });

  it('is read in pieces, between which the event loop serves others', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    let rows = 0;
    await readPortfolioFile(
      `cnpj,nome\n${unknownCnpjs(20_000)
        .map((id) => `${id},EMPRESA INVENTADA`)
        .join('\n')}`,
      () => {
        rows += 1;
      },
    );
    isDone = true;
    expect(rows).toBe(20_000);
    expect(turns).toBeGreaterThan(10); // 660 kB; in one piece it would be one or two
  });

  it('is read when the account has no other portfolio under way, beside one of another account', async () => {
    const { screenings } = app.open(screeningService);
    const begun: string[] = [];
    const endings: (() => void)[] = [];
    const read = (accountId: string) => {
      const readRows = () => {
        begun.push(accountId);
        return new Promise<void>((resolve) => endings.push(resolve));
      };
      const caller = { keyId: randomUUID(), accountId, modules: new Set(['kyb']) } as unknown as Caller;
      return screenings.start(caller, { name: null, modules: null, webhookUrl: null, readRows });
    };
    const starts = [read('one'), read('one'), read('other')];
    await expect.poll(() => begun).toEqual(['one', 'other']);
    endings[0]?.();
    await expect(starts[0]).rejects.toMatchObject({ code: 'INVALID_INPUT' }); // it had no rows
    await expect.poll(() => begun).toEqual(['one', 'other', 'one']);
    for (const end of endings) end();
    await Promise.allSettled(starts);
  });

  it('reports rejected rows by their line, without their text', async () => {
    const csv = `identifier,country\n${clean},BR\n\n123.456.789-09,BR\n${clean},\n${debarred},AR\n,\n"${debarred}",BR\n`;
    const read = await startFile(csv);
    expect(read).toMatchObject({
      companies: [
        [2, 'BR', clean],
        [8, 'BR', debarred],
      ],
      rejected: [
        { row: 4, kind: 'invalid' },
        { row: 5, kind: 'duplicate', reason: 'The same company as in row 2.' },
        { row: 6, kind: 'invalid', reason: 'The country is one of BR, CL, CO.' },
        { row: 7, kind: 'invalid' },
      ],
    });
    expect(JSON.stringify(read)).not.toMatch(/123\.?456/);
  });

  it('takes the country of the request for rows that state none', async () => {
    expect(await startFile(`identifier,country\n900123456,\n${clean},BR`, { country: 'CO', modules: ['sanctions'] })).toMatchObject({
      companies: [
        [2, 'CO', expect.stringMatching(/^900123456\d$/)],
        [3, 'BR', clean],
      ],
    });
  });

  it.each([
    ['a quote that is not closed', { csv: `identifier\n"${clean}` }, ['csv']],
    ['a row without end', { csv: `identifier\n"${'x'.repeat(200_000)}"` }, ['csv']],
    ['no rows', { csv: 'identifier\n' }, ['identifiers']],
    ['a list beside it', { csv: clean, identifiers: [clean] }, ['identifiers']],
  ])('is refused with %s', async (_, body, fields) => {
    const answer = await app.post(START, body);
    expect([answer.status, answer.body.errors?.map(({ field }: { field: string }) => field)]).toEqual([422, fields]);
  });

  it('is refused with more than 100,000 rows', async () => {
    expect(await startFile('1\n'.repeat(100_001))).toEqual({ code: 'invalid_input', fields: ['csv'] });
  });
});

describe('a result file', () => {
  it('has a row for each result as csv', async () => {
    const id = await start(app, [debarred, chilean]);
    await work(app);
    const { status, type, body } = await file(id, 'csv');
    expect([status, type]).toEqual([200, 'text/csv; charset=utf-8']);
    const [header = '', first = '', second = '', ...rest] = body.split('\r\n');
    expect(header).toBe(
      'row,identifier,country,company_name,registration_status,risk_level,completeness,risk_reasons,is_sanctioned,is_debarred,has_violations,tax_debtor,owner_count,failed_modules,checked_at',
    );
    expect(first).toMatch(
      new RegExp(`^1,${debarred},BR,.*,active,medium,complete,.*debarment\\.record.*,false,true,false,,\\d+,,${isoDate(now)}T`),
    );
    expect(second).toMatch(new RegExp(`^2,\\d+[\\dK],CL,.*,active,low,complete,,false,,,false,1,,${isoDate(now)}T`));
    expect(rest).toEqual(['']);
  });

  it('has the results of the endpoint as JSON lines', async () => {
    const id = await start(app, [debarred, clean, chilean]);
    await work(app);
    const { status, type, body } = await file(id, 'jsonl');
    expect([status, type]).toEqual([200, 'application/jsonl; charset=utf-8']);
    const { results } = (await call(app, 'GET', `${START}/${id}/results`)).body;
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(results);
  });

  it('is read over several pages', async () => {
    const id = await start(app, unknownCnpjs(1_201), { modules: ['sanctions'] });
    await work(app);
    const rows = (await file(id, 'jsonl')).body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).row);
    expect(rows).toEqual(Array.from({ length: 1_201 }, (_, i) => i + 1));
  });

  it('has no cell that a spreadsheet would take for a formula', async () => {
    const id = await start(app, [clean]);
    await work(app);
    await app
      .db('screening_companies')
      .where({ tax_id: clean })
      .update({ findings: JSON.stringify({ name: '=1+1' }) });
    expect((await file(id, 'csv')).body).toContain(",'=1+1,");
  });

  it('is not given to another key, and to no key more than 30 times a minute', async () => {
    const id = await start(app, [clean]);
    expect(JSON.parse((await file(id, 'csv', await app.keyFor('screening'))).body).code).toBe('screening_not_found');
    const statuses = await Promise.all(Array.from({ length: 31 }, async () => (await file(id, 'jsonl')).status));
    expect(statuses.sort()).toEqual([...Array(30).fill(200), 429]);
  });
});
